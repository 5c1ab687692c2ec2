package sql

import "streamsql/internal/diag"

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

type (
	// ColumnRef is a name in an expression: a column, table.column, or a field of a
	// row column.
	ColumnRef struct {
		Pos
		Name Name
	}
	// Literal is a constant. Text is its content: digits for numbers, the decoded
	// text for strings, upper-case hexadecimal digits for X'..', the text inside the
	// quotes for DATE/TIME/TIMESTAMP.
	Literal struct {
		Pos
		Kind LiteralKind
		Text string
	}
	// Interval is INTERVAL 'text' from [(p)] [TO to [(p)]].
	Interval struct {
		Pos
		Negative      bool // INTERVAL - '1' DAY
		Text          string
		From, To      string // upper case, singular: YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND; To "" if none
		LeadPrecision int    // -1: not written
		FracPrecision int
	}
	// IntervalOf is INTERVAL expr unit with an expression that is no quoted text.
	// Unit may be a range: "DAY TO SECOND".
	IntervalOf struct {
		Pos
		Expr Expr
		Unit string
	}
	// Binary is left op right. Op is upper case: OR AND = <> < <= > >= + - * / % ||
	// IS DISTINCT FROM, IS NOT DISTINCT FROM, OVERLAPS, and comparisons with a
	// quantifier ("= ANY", "< ALL").
	Binary struct {
		Pos
		Op          string
		OpSpan      diag.Span
		Left, Right Expr
	}
	// Unary is - + or NOT.
	Unary struct {
		Pos
		Op   string
		Expr Expr
	}
	// Test is expr IS [NOT] what; What is NULL, TRUE, FALSE, UNKNOWN or "JSON
	// [VALUE|OBJECT|ARRAY|SCALAR]".
	Test struct {
		Pos
		Expr Expr
		Not  bool
		What string
	}
	// Between is expr [NOT] BETWEEN [SYMMETRIC] low AND high.
	Between struct {
		Pos
		Expr, Low, High Expr
		Not, Symmetric  bool
	}
	// In is expr [NOT] IN (list) or (query). A row value on the left is a Row.
	In struct {
		Pos
		Expr  Expr
		Not   bool
		List  []Expr
		Query *Query
	}
	// Like is expr [NOT] {LIKE | SIMILAR TO} pattern [ESCAPE c].
	Like struct {
		Pos
		Expr, Pattern, Escape Expr
		Not, Similar          bool
	}
	// Case is CASE [operand] WHEN .. THEN .. [ELSE ..] END.
	Case struct {
		Pos
		Operand Expr
		Whens   []When
		Else    Expr
	}
	// Cast is CAST(expr AS type), TRY_CAST(expr AS type) or expr::type.
	Cast struct {
		Pos
		Expr Expr
		Type TypeName
		Try  bool
	}
	// Call is a function call. Name is as written (its letter case has no meaning).
	// EXTRACT(u FROM x), FLOOR(x TO u), TRIM(BOTH a FROM b), POSITION(a IN b),
	// SUBSTRING(a FROM b FOR c), OVERLAY(..) come as calls whose keyword arguments are
	// Word expressions, in the order written. What stands behind the arguments of the
	// JSON functions is Words, too: RETURNING (a TypeArg follows), DEFAULT (an
	// expression and "ON EMPTY" or "ON ERROR" follow), "NULL ON NULL", ...
	Call struct {
		Pos
		Name      Name
		Args      []Expr
		ArgNames  []*Ident // named arguments (NAME => value); nil if none has a name, else one entry per argument
		Star      bool     // f(*)
		Distinct  bool
		All       bool
		Filter    Expr
		OrderBy   []OrderItem // WITHIN GROUP (ORDER BY ..)
		Over      *WindowSpec
		NullsMode string // "", "RESPECT NULLS", "IGNORE NULLS"
	}
	// TypeArg is a type as argument of a call: JSON_VALUE(.. RETURNING type).
	TypeArg struct {
		Pos
		Type TypeName
	}
	// Word is a keyword argument of a call: a unit, FROM-less separators left out.
	Word struct {
		Pos
		Text string // upper case
	}
	// Descriptor is DESCRIPTOR(columns).
	Descriptor struct {
		Pos
		Columns []Name
	}
	// TableArg is TABLE t, TABLE (query) or (query) as argument of a table function.
	TableArg struct {
		Pos
		Name        *Name // TABLE t
		File        *Text // TABLE 'x.csv'
		Hints       []Hint
		Query       *Query
		PartitionBy []Expr
		OrderBy     []OrderItem
	}
	// Subquery is a scalar subquery, or the query side of a quantified comparison.
	Subquery struct {
		Pos
		Query *Query
	}
	// Exists is EXISTS (query).
	Exists struct {
		Pos
		Query *Query
	}
	// RowValue is (a, b) or ROW(a, b).
	RowValue struct {
		Pos
		Items []Expr
	}
	// ArrayValue is ARRAY[..].
	ArrayValue struct {
		Pos
		Items []Expr
	}
	// MapValue is MAP[k, v, ..].
	MapValue struct {
		Pos
		Items []Expr
	}
	// Index is expr[index].
	Index struct {
		Pos
		Expr, Index Expr
	}
	// Field is expr.name, where expr is no plain name.
	Field struct {
		Pos
		Expr Expr
		Name Ident
	}
	// Paren is (expr) as written; it has no meaning of its own.
	Paren struct {
		Pos
		Expr Expr
		Unit string // "(a - b) DAY TO SECOND": the interval qualifier behind the bracket
	}
)

// When is one branch of CASE; Conds holds more than one for CASE x WHEN 1, 2.
type When struct {
	Conds []Expr
	Then  Expr
}

func (*ColumnRef) expr()  {}
func (*Literal) expr()    {}
func (*Interval) expr()   {}
func (*IntervalOf) expr() {}
func (*Binary) expr()     {}
func (*Unary) expr()      {}
func (*Test) expr()       {}
func (*Between) expr()    {}
func (*In) expr()         {}
func (*Like) expr()       {}
func (*Case) expr()       {}
func (*Cast) expr()       {}
func (*Call) expr()       {}
func (*TypeArg) expr()    {}
func (*Word) expr()       {}
func (*Descriptor) expr() {}
func (*TableArg) expr()   {}
func (*Subquery) expr()   {}
func (*Exists) expr()     {}
func (*RowValue) expr()   {}
func (*ArrayValue) expr() {}
func (*MapValue) expr()   {}
func (*Index) expr()      {}
func (*Field) expr()      {}
func (*Paren) expr()      {}

// LiteralKind is the kind of a constant.
type LiteralKind uint8

// The literals.
const (
	NullLiteral    LiteralKind = iota
	BooleanLiteral             // TRUE, FALSE
	UnknownLiteral             // UNKNOWN
	NumberLiteral              // digits, with . or exponent as written
	StringLiteral
	HexLiteral
	DateLiteral
	TimeLiteral
	TimestampLiteral
	TimestampLTZLiteral // TIMESTAMP WITH LOCAL TIME ZONE '..'
	DecimalLiteral      // DECIMAL '1.5'
)
