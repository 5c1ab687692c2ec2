package sql

import (
	"streamsql/internal/diag"
	"streamsql/types"
)

// Node is any part of the tree that has a place in the text.
type Node interface {
	// Span is the byte range of the node in the text given to the parser.
	Span() diag.Span
}

// Pos is embedded in every node.
type Pos struct{ S diag.Span }

// Span returns the node's place.
func (p Pos) Span() diag.Span { return p.S }

// Ident is one name as written, without quotes.
type Ident struct {
	Pos
	Name   string
	Quoted bool
}

// Name is a dotted name: catalog, database, object; or table, column, field.
type Name struct {
	Pos
	Parts []Ident
}

// Statement is one statement of a script.
type Statement interface {
	Node
	statement()
}

type (
	// QueryStatement is a query on its own: SELECT, VALUES, WITH, TABLE t, set operations.
	QueryStatement struct {
		Pos
		Query *Query
	}
	// CreateTable is CREATE [TEMPORARY] TABLE.
	CreateTable struct {
		Pos
		Temporary, IfNotExists, OrReplace bool
		Name                              Name
		Columns                           []ColumnDef
		AsColumns                         []Ident // the bare names of CREATE TABLE t (a, b) AS query
		Watermark                         *WatermarkDef
		PrimaryKey                        *PrimaryKeyDef
		Comment                           *Text
		Distribution                      *Distribution
		PartitionedBy                     []Ident
		Options                           []Option
		Like                              *LikeClause
		As                                *Query
	}
	// CreateView is CREATE [OR REPLACE] [TEMPORARY] VIEW.
	CreateView struct {
		Pos
		Temporary, IfNotExists, OrReplace bool
		Name                              Name
		Columns                           []Ident
		Comment                           *Text
		Query                             *Query
		Text                              string // the query as written
	}
	// Drop is DROP [TEMPORARY] {TABLE | VIEW | DATABASE | CATALOG | FUNCTION} [IF EXISTS].
	Drop struct {
		Pos
		Object    ObjectKind
		Temporary bool
		IfExists  bool
		Name      Name
		Cascade   bool // DROP DATABASE d CASCADE
	}
	// Insert is [EXECUTE] INSERT {INTO | OVERWRITE} t [PARTITION (..)] [(cols)] query.
	Insert struct {
		Pos
		Overwrite bool
		Table     Name
		Hints     []Hint
		Partition []Option
		Columns   []Ident
		Query     *Query
		Conflict  string // ON CONFLICT DO ...: NOTHING, ERROR or DEDUPLICATE; "" if not written
	}
	// StatementSet is EXECUTE STATEMENT SET BEGIN insert; ... END.
	StatementSet struct {
		Pos
		Inserts []*Insert
	}
	// Explain is EXPLAIN [PLAN FOR | details] statement. Details are upper case,
	// among them ANALYZE, LOGICAL, RULES (ours) and CHANGELOG_MODE, ESTIMATED_COST,
	// JSON_EXECUTION_PLAN, PLAN_ADVICE (Flink's).
	Explain struct {
		Pos
		Details   []string
		Statement Statement // QueryStatement, Insert or StatementSet
	}
	// Describe is {DESCRIBE | DESC} [TABLE | FUNCTION] [EXTENDED] name.
	Describe struct {
		Pos
		Function bool
		Extended bool
		Name     Name
	}
	// Show is SHOW what [{FROM | IN} name] [[NOT] LIKE 'p']. What is upper case, its
	// words joined by one blank: TABLES, VIEWS, CREATE TABLE, COLUMNS, FUNCTIONS, ...
	Show struct {
		Pos
		What   string
		Object Name // SHOW CREATE TABLE t, SHOW COLUMNS FROM t, SHOW TABLES FROM d
		Not    bool
		ILike  bool // ILIKE instead of LIKE
		Like   *Text
	}
	// Set is SET; or SET 'key' = 'value'; Key is nil for the list.
	Set struct {
		Pos
		Key, Value *Text
	}
	// Reset is RESET; or RESET 'key'.
	Reset struct {
		Pos
		Key *Text
	}
	// Other is a statement of the dialect that the parser knows by name but does not
	// take apart, because nothing runs it yet: ALTER, USE, LOAD MODULE, ... Words is
	// what to call it in the refusal, for example "ALTER TABLE".
	Other struct {
		Pos
		Words string
	}
)

func (*QueryStatement) statement() {}
func (*CreateTable) statement()    {}
func (*CreateView) statement()     {}
func (*Drop) statement()           {}
func (*Insert) statement()         {}
func (*StatementSet) statement()   {}
func (*Explain) statement()        {}
func (*Describe) statement()       {}
func (*Show) statement()           {}
func (*Set) statement()            {}
func (*Reset) statement()          {}
func (*Other) statement()          {}

// ObjectKind is what a DROP names.
type ObjectKind uint8

// The kinds of objects.
const (
	TableObject ObjectKind = iota
	ViewObject
	DatabaseObject
	CatalogObject
	FunctionObject
)

// Text is a string literal with its place.
type Text struct {
	Pos
	Value string
}

// Option is 'key' = 'value'.
type Option struct {
	Pos
	Key, Value Text
}

// ColumnKind tells the three kinds of columns.
type ColumnKind uint8

// The column kinds.
const (
	PhysicalColumn ColumnKind = iota
	MetadataColumn
	ComputedColumn
)

// ColumnDef is one column of CREATE TABLE.
type ColumnDef struct {
	Pos
	Name        Ident
	Kind        ColumnKind
	Type        TypeName // physical, metadata
	MetadataKey *Text    // METADATA FROM 'key'; nil: the column's name
	Virtual     bool
	Expr        Expr   // computed
	Text        string // the expression as written
	PrimaryKey  bool   // column constraint PRIMARY KEY NOT ENFORCED
	Comment     *Text
}

// WatermarkDef is WATERMARK FOR column AS expr. Column may be nested (a.b).
type WatermarkDef struct {
	Pos
	Column Name
	Expr   Expr
	Text   string
}

// PrimaryKeyDef is [CONSTRAINT c] PRIMARY KEY (cols) NOT ENFORCED.
type PrimaryKeyDef struct {
	Pos
	Constraint *Ident
	Columns    []Ident
	Enforced   bool // NOT ENFORCED is missing
}

// Distribution is DISTRIBUTED [BY [HASH | RANGE] (cols)] [INTO n BUCKETS].
type Distribution struct {
	Pos
	Kind    string // HASH, RANGE or ""
	Columns []Ident
	Buckets string // digits, "" if not written
}

// LikeClause is LIKE table [(options)].
type LikeClause struct {
	Pos
	Table   Name
	Options []string // "INCLUDING ALL", "EXCLUDING OPTIONS", ... in order, upper case
}

// TypeName is a type as written, resolved as far as spelling goes. NotNull is
// set by NOT NULL. Nested types carry their parts.
type TypeName struct {
	Pos
	Type   types.Type
	Elem   *TypeName  // ARRAY, MULTISET; MAP: the value
	Key    *TypeName  // MAP
	Fields []FieldDef // ROW
	Units  *Interval  // INTERVAL: its units
}

// FieldDef is one field of a ROW type.
type FieldDef struct {
	Name    Ident
	Type    TypeName
	Comment *Text
}

// Query is a query expression with its ORDER BY and LIMIT.
type Query struct {
	Pos
	With    []CTE
	Body    Body
	OrderBy []OrderItem
	Limit   *Literal // rows; nil: none (also for LIMIT ALL)
	Offset  *Literal
}

// CTE is name [(cols)] AS (query).
type CTE struct {
	Pos
	Name    Ident
	Columns []Ident
	Query   *Query
}

// Body is what a query is made of.
type Body interface {
	Node
	body()
}

type (
	// Select is a SELECT block.
	Select struct {
		Pos
		Distinct      bool
		Hints         []Hint
		Items         []SelectItem
		From          TableExpr // nil: no FROM
		Where         Expr
		GroupBy       []GroupItem
		GroupDistinct bool // GROUP BY DISTINCT
		Having        Expr
		Windows       []NamedWindow
		Qualify       Expr
	}
	// SetOp is left {UNION | INTERSECT | EXCEPT} [ALL] right.
	SetOp struct {
		Pos
		Op          SetOpKind
		All         bool
		Left, Right Body
	}
	// Values is VALUES (..), (..).
	Values struct {
		Pos
		Rows [][]Expr
	}
	// TableBody is TABLE t.
	TableBody struct {
		Pos
		Name Name
	}
	// Nested is a query in brackets, with its own ORDER BY or LIMIT.
	Nested struct {
		Pos
		Query *Query
	}
)

func (*Select) body()    {}
func (*SetOp) body()     {}
func (*Values) body()    {}
func (*TableBody) body() {}
func (*Nested) body()    {}

// SetOpKind is UNION, INTERSECT or EXCEPT.
type SetOpKind uint8

// The set operations.
const (
	Union SetOpKind = iota
	Intersect
	Except
)

// SelectItem is one item of a SELECT list: an expression with optional alias, or
// * or t.* with the columns left out by EXCEPT/EXCLUDE.
type SelectItem struct {
	Pos
	Expr   Expr // nil for a star
	Alias  *Ident
	Star   bool
	Table  *Name // t.*
	Except []Ident
}

// GroupItem is one item of GROUP BY.
type GroupItem struct {
	Pos
	Kind GroupKind
	Expr Expr     // GroupExpr
	Sets [][]Expr // GROUPING SETS, CUBE, ROLLUP: the written sets or columns
}

// GroupKind tells plain group items from grouping sets.
type GroupKind uint8

// The group items.
const (
	GroupExpr GroupKind = iota
	GroupingSets
	Cube
	Rollup
)

// OrderItem is expr [ASC | DESC] [NULLS FIRST | LAST].
type OrderItem struct {
	Pos
	Expr  Expr
	Desc  bool
	Nulls NullsOrder
}

// NullsOrder is the place of NULLs in an order.
type NullsOrder uint8

// Where NULLs stand; by default they are the smallest values.
const (
	NullsDefault NullsOrder = iota
	NullsFirst
	NullsLast
)

// NamedWindow is WINDOW name AS (spec).
type NamedWindow struct {
	Name Ident
	Spec *WindowSpec
}

// WindowSpec is the inside of OVER (...), or OVER name (Ref set, nothing else).
type WindowSpec struct {
	Pos
	Ref         *Ident
	PartitionBy []Expr
	OrderBy     []OrderItem
	Frame       *Frame
}

// Frame is {ROWS | RANGE} BETWEEN from AND to.
type Frame struct {
	Pos
	Rows     bool
	From, To FrameBound
}

// FrameBound is one end of a frame.
type FrameBound struct {
	Kind BoundKind
	Expr Expr // Preceding, Following
}

// BoundKind is the kind of a frame bound.
type BoundKind uint8

// The frame bounds.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

// Hint is name or name('k'='v', ...), from /*+ ... */.
type Hint struct {
	Pos
	Name    Ident
	Args    []Text
	Options []Option
}

// Alias is AS name [(columns)].
type Alias struct {
	Pos
	Name    Ident
	Columns []Ident
}

// TableExpr is an item of FROM.
type TableExpr interface {
	Node
	tableExpr()
}

type (
	// TableRef is a table, view or CTE by name. A file name in quotes
	// (FROM 'x.csv') has File set and no Name.
	TableRef struct {
		Pos
		Name  Name
		File  *Text
		Hints []Hint
		AsOf  Expr // FOR SYSTEM_TIME AS OF
		Alias *Alias
	}
	// Derived is (query) [alias].
	Derived struct {
		Pos
		Query   *Query
		Lateral bool
		Alias   *Alias
	}
	// TableFunc is [LATERAL] [TABLE](f(..)), a window TVF, or UNNEST(..).
	TableFunc struct {
		Pos
		Call       *Call
		Lateral    bool
		Ordinality bool
		Alias      *Alias
	}
	// Join is left JOIN right.
	Join struct {
		Pos
		Kind        JoinKind
		Natural     bool
		Left, Right TableExpr
		On          Expr
		Using       []Ident
	}
	// MatchRecognize is MATCH_RECOGNIZE (...) behind a table, kept as written.
	MatchRecognize struct {
		Pos
		Input TableExpr
		Text  string // the inside of the brackets
		Alias *Alias
	}
)

func (*TableRef) tableExpr()       {}
func (*Derived) tableExpr()        {}
func (*TableFunc) tableExpr()      {}
func (*Join) tableExpr()           {}
func (*MatchRecognize) tableExpr() {}

// JoinKind is the kind of a join; a comma is a CrossJoin.
type JoinKind uint8

// The joins.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
	CrossJoin
)
