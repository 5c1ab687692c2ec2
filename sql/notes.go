package sql

// Notes are what the rules remember about a token while they emit its
// placeholder: everything that TiDB's grammar has no place for. The converter
// finds them by the number in the placeholder.
type (
	// leaf is an operand that is ready: names, constants, descriptors, stars.
	leaf struct {
		x    Expr
		last int // its last token
	}
	// operatorNote stands at the first token of an infix operator.
	operatorNote struct {
		op   string
		last int // last token of the operator
		like bool
		not  bool // NOT LIKE
	}
	// testNote stands at IS.
	testNote struct {
		what string
		not  bool
		last int
	}
	// betweenNote stands at NOT or BETWEEN.
	betweenNote struct{ not, symmetric bool }
	// inNote stands at NOT or IN.
	inNote struct {
		not  bool
		last int // the closing bracket
	}
	// groupNote stands at what is emitted as a call, but is none: brackets, row
	// values, arrays, maps.
	groupNote struct {
		kind groupKind
		unit string // of (a - b) DAY
		last int
	}
	// subqueryNote stands at an opening bracket, or at EXISTS.
	subqueryNote struct {
		query  *queryNote
		exists bool
		last   int
	}
	// caseNote stands at CASE.
	caseNote struct{ last int }
	// castNote stands at CAST, TRY_CAST or "::".
	castNote struct {
		typ     TypeName
		try     bool
		postfix bool
		last    int
	}
	// suffixNote stands at "[" and at "." behind an operand.
	suffixNote struct {
		field *Ident // nil: an index
		last  int
	}
	// filterNote stands at FILTER.
	filterNote struct{ last int }
	// callNote stands at the first token of a call's name.
	callNote struct {
		call  Call // all but arguments, FILTER, OVER and the order of WITHIN GROUP
		order []OrderItem
		over  *windowNote
		last  int
	}
	// intervalNote stands at INTERVAL.
	intervalNote struct {
		unit     string
		negative bool
		last     int
	}
	// argumentNote stands at TABLE or "(" of a table argument.
	argumentNote struct {
		arg   *TableArg
		query *queryNote
		order []OrderItem
		parts int
		last  int
	}
	// setsNote stands at GROUPING, CUBE and ROLLUP.
	setsNote struct {
		kind GroupKind
		last int
	}
	// windowNote is an OVER clause or a named window.
	windowNote struct {
		spec  *WindowSpec
		order []OrderItem
	}
)

type groupKind uint8

const (
	parenGroup groupKind = iota
	rowGroup
	arrayGroup
	mapGroup
)

// queryNote is a query with all that is read from tokens.
type queryNote struct {
	first, last int
	with        []CTE // their queries are missing
	ctes        []*queryNote
	ops         []setOperator
	order       []OrderItem // without expressions
	limit       *Literal
	offset      *Literal
}

type setOperator struct {
	kind SetOpKind
	all  bool
}

// selectNote stands at SELECT.
type selectNote struct {
	body      *Select     // all but expressions and FROM
	tables    []tableNote // in the order written
	joins     []*Join     // likewise, without sides and conditions
	groups    []int       // first token of each GROUP BY item
	named     []*windowNote
	having    bool
	qualify   bool
	last      int
	nextTable int // the converter's cursors
	nextJoin  int
}

// tableNote is one item of FROM, all but queries, calls and AS OF.
type tableNote struct {
	table TableExpr // *TableRef, *Derived or *TableFunc
	query *queryNote
	match *MatchRecognize // behind it
}

// valuesNote stands at VALUES.
type valuesNote struct {
	rows []bool // by row: values in brackets, emitted as one group
	last int
}

// bodyNote stands at TABLE, or at the bracket of a nested query.
type bodyNote struct {
	table *TableBody
	query *queryNote
	last  int
}
