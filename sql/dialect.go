package sql

// rule is one construct of the dialect that TiDB's grammar lacks or reads
// differently. It recognises the construct at a token, emits its form in TiDB's
// grammar and leaves notes for the converter. Rules of one table are tried in
// order.
type rule struct {
	name  string
	doc   string
	words []string // the words or symbols it starts with; none: any token
	// read returns the index behind the construct, or i if it does not stand there.
	read func(e *emitter, i int) int
}

// suffixRule is a form written behind an operand, which it wraps: start is the
// first piece of the operand.
type suffixRule struct {
	name  string
	doc   string
	words []string
	wrap  func(e *emitter, start, i int) int
}

// operatorRule is an infix or postfix operator. It is emitted as the TiDB operator
// of the precedence that Flink gives it; which one it was stands in the notes.
type operatorRule struct {
	name  string
	doc   string
	words []string
	read  func(e *emitter, s *scan, i int) int
}

// The tables are filled by init, because rules and tables refer to each other.
var (
	operandRules, tableRules, callRules []rule
	suffixRules                         []suffixRule
	operatorRules                       []operatorRule
)

func init() {
	operandRules = []rule{
		{"constant", "a constant of one or more tokens is one placeholder", nil, (*emitter).constantRule},
		{"interval", "INTERVAL x DAY is a call; without a unit, interval is a name", []string{"INTERVAL"}, (*emitter).intervalRule},
		{"case", "CASE keeps its form inside a call that tells where it stands; a WHEN list is in brackets", []string{"CASE"}, (*emitter).caseRule},
		{"cast", "CAST(x AS type) is a call; the type stays with us", []string{"CAST", "TRY_CAST"}, (*emitter).castRule},
		{"exists", "EXISTS (query) is a call", []string{"EXISTS"}, (*emitter).existsRule},
		{"array", "ARRAY[..] and MAP[..] are calls", []string{"ARRAY", "MAP"}, (*emitter).arrayRule},
		{"row", "ROW(..) is a call", []string{"ROW"}, (*emitter).rowRule},
		{"descriptor", "DESCRIPTOR(a, b) is one placeholder", []string{"DESCRIPTOR"}, (*emitter).descriptorRule},
		{"bare-function", "CURRENT_DATE and its kin are calls", []string{"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP"}, (*emitter).bareFunctionRule},
		{"refused", "constructors that nothing runs are refused by name", []string{"MULTISET", "CURSOR", "UNIQUE", "NEXT", "PERIOD"}, (*emitter).refusedRule},
		{"bracket", "(x), (a, b) and (query) are calls, so that their place is known", []string{"("}, (*emitter).bracketRule},
		{"name", "a dotted name is one placeholder, a call keeps its arguments", nil, (*emitter).nameRule},
	}
	suffixRules = []suffixRule{
		{"index", "x[i] is a call around x", []string{"["}, (*emitter).indexRule},
		{"field", "x.f behind an operand is a call around x", []string{"."}, (*emitter).fieldRule},
		{"colon-cast", "x::type is a call around x", []string{"::"}, (*emitter).colonCastRule},
	}
	operatorRules = []operatorRule{
		{"logic", "AND and OR are as they are; the AND of a BETWEEN is told apart", []string{"AND", "OR"}, (*emitter).logicRule},
		{"comparison", "comparisons are as they are, != and == are <> and =; a quantifier becomes a call on the right", []string{"=", "<>", "!=", "==", "<", ">", "<=", ">="}, (*emitter).comparisonRule},
		{"arithmetic", "+ - * / % are as they are", []string{"+", "-", "*", "/", "%"}, (*emitter).arithmeticRule},
		{"concat", "|| has the level of * in Flink: DIV", []string{"||"}, (*emitter).concatRule},
		{"is", "IS forms are IS NULL, IS [NOT] DISTINCT FROM is <=>", []string{"IS"}, (*emitter).isRule},
		{"overlaps", "OVERLAPS is <=>", []string{"OVERLAPS"}, (*emitter).overlapsRule},
		{"in", "[NOT] IN keeps its list; a query is one element", []string{"IN", "NOT"}, (*emitter).inRule},
		{"between", "[NOT] BETWEEN [A]SYMMETRIC is BETWEEN", []string{"BETWEEN", "NOT"}, (*emitter).betweenRule},
		{"like", "[NOT] LIKE and SIMILAR TO take any expression: &", []string{"LIKE", "SIMILAR", "NOT"}, (*emitter).likeRule},
		{"foreign", "operators of other dialects are refused by name", []string{"RLIKE", "REGEXP", "ILIKE", "GLOB", "XOR", "DIV", "MOD", "CONTAINS", "PRECEDES", "SUCCEEDS", "EQUALS", "SUBMULTISET", "MEMBER", "NOT"}, (*emitter).foreignRule},
		{"escape", "ESCAPE binds tighter than LIKE: <<", []string{"ESCAPE"}, (*emitter).escapeRule},
	}
	tableRules = []rule{
		{"file", "a file name in quotes is a table", nil, (*emitter).fileRule},
		{"lateral", "LATERAL stays with us", []string{"LATERAL"}, (*emitter).lateralRule},
		{"table-function", "TABLE(f(..)) is a derived table that selects the call", []string{"TABLE"}, (*emitter).tableFunctionRule},
		{"derived", "(query) stays a derived table", []string{"("}, (*emitter).derivedRule},
		{"bracket-join", "(a JOIN b ON ..) stays in brackets", []string{"("}, (*emitter).bracketJoinRule},
		{"bare-table-function", "UNNEST(..) and f(..) are derived tables that select the call", nil, (*emitter).bareTableFunctionRule},
		{"table", "a table is a placeholder; FOR SYSTEM_TIME AS OF follows as AS OF TIMESTAMP", nil, (*emitter).tableRule},
	}
	callRules = []rule{
		{"extract", "EXTRACT(unit FROM x)", []string{"EXTRACT"}, (*emitter).extractRule},
		{"round-time", "FLOOR(x TO unit), CEIL(x TO unit)", []string{"FLOOR", "CEIL", "CEILING"}, (*emitter).roundTimeRule},
		{"trim", "TRIM([BOTH|LEADING|TRAILING] [a] FROM b)", []string{"TRIM"}, (*emitter).trimRule},
		{"position", "POSITION(a IN b [FROM n])", []string{"POSITION"}, (*emitter).positionRule},
		{"substring", "SUBSTRING(a FROM b [FOR c])", []string{"SUBSTRING"}, (*emitter).substringRule},
		{"overlay", "OVERLAY(a PLACING b FROM c [FOR d])", []string{"OVERLAY"}, (*emitter).overlayRule},
		{"timestamp-unit", "TIMESTAMPADD(unit, ..), TIMESTAMPDIFF(unit, ..)", []string{"TIMESTAMPADD", "TIMESTAMPDIFF"}, (*emitter).timestampRule},
		{"json-object", "JSON_OBJECT(KEY k VALUE v, k: v ..)", []string{"JSON_OBJECT", "JSON_OBJECTAGG"}, (*emitter).jsonObjectRule},
		{"json", "the clauses behind the arguments of JSON functions", []string{"JSON_VALUE", "JSON_QUERY", "JSON_EXISTS", "JSON_ARRAY", "JSON_ARRAYAGG"}, (*emitter).jsonRule},
	}
}

// starts reports whether a rule can start with a word or symbol.
func starts(words []string, up string) bool {
	if len(words) == 0 {
		return true
	}
	for _, w := range words {
		if w == up {
			return true
		}
	}
	return false
}

// try applies the first rule that fits at i and returns the index behind it, or i.
func (e *emitter) try(rules []rule, i int) int {
	up := e.up(i)
	for k := range rules {
		r := &rules[k]
		if !starts(r.words, up) {
			continue
		}
		if next := r.read(e, i); next > i {
			e.hit(r.name)
			return next
		}
	}
	return i
}

// hit counts the use of a rule, for the tests.
func (e *emitter) hit(name string) {
	if e.used != nil {
		e.used[name]++
	}
}
