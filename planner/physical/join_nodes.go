package physical

import "streamsql/expr"

// Join joins rows of two inputs whenever they come: each row is kept, and answered with
// its pairs. Rows of both are taken by ordinal, then port. What it sends are the changes
// of Flink's regular join: rows of an inner join have the kind of the row that came; a
// row that is padded with NULLs is taken back with -D before its first pair, and comes
// again with +I behind its last. LeftSemi and LeftAnti send rows of Left. The output is
// the columns of Left, then those of Right; of LeftSemi and LeftAnti the columns of Left.
type Join struct {
	Base
	Left, Right         Node
	Kind                JoinKind
	LeftKeys, RightKeys []int
	NullSafe            []bool    // key by key: NULL equals NULL
	Cond                expr.Expr // further condition over the columns of Left, then Right; nil: none
	// LeftUnique and RightUnique are columns by which the rows of a side are told apart: a
	// row takes the place of the one before it. nil: there are none, and equal rows are
	// counted.
	LeftUnique, RightUnique []int
	// TTL is for how many milliseconds of processing time a row is kept after it was last
	// written to; 0: forever.
	TTL int64
}

// Inputs returns the left and the right side.
func (n *Join) Inputs() []Node { return []Node{n.Left, n.Right} }

// Describe names the join.
func (n *Join) Describe() (string, []Attr) {
	l, r := n.Left.Info(), n.Right.Info()
	attrs := []Attr{{"type", n.Kind.String()}, {"keys", joinKeyNames(l, r, n.LeftKeys, n.RightKeys, n.NullSafe)}}
	if n.Cond != nil {
		attrs = append(attrs, Attr{"condition", ExprText(n.Cond)})
	}
	attrs = append(attrs, Attr{"left-rows", rowsText(l, n.LeftKeys, n.LeftUnique)}, Attr{"right-rows", rowsText(r, n.RightKeys, n.RightUnique)}, Attr{"emit", "on-row"})
	if n.TTL > 0 {
		attrs = append(attrs, Attr{"ttl", DurationText(n.TTL)})
	}
	return "Join", attrs
}

// rowsText says how the rows of one side are told apart.
func rowsText(in *Base, keys, unique []int) string {
	if unique == nil {
		return "counted"
	}
	for _, c := range unique {
		found := false
		for _, k := range keys {
			found = found || k == c
		}
		if !found {
			return "by " + columnNames(in, unique)
		}
	}
	return "one per key"
}

// joinKeyNames lists the equalities of a join.
func joinKeyNames(l, r *Base, left, right []int, nullSafe []bool) string {
	var keys []string
	for i, c := range left {
		op := " = "
		if nullSafe[i] {
			op = " IS NOT DISTINCT FROM "
		}
		keys = append(keys, l.Schema.Fields[c].Name+op+r.Schema.Fields[right[i]].Name)
	}
	return names(keys)
}

// IntervalJoin joins rows whose times are near each other: Lower <= time of the left row
// - time of the right one <= Upper, in milliseconds. A row is kept while the watermark of
// both inputs leaves open that one comes for it, and then padded if it has found none; a
// late row is joined with what is still there. The watermark behind it is held back by
// the larger of -Lower and Upper. The output is the columns of Left, then those of Right.
type IntervalJoin struct {
	Base
	Left, Right         Node
	Kind                JoinKind // no LeftSemi or LeftAnti
	LeftTime, RightTime int
	Lower, Upper        int64
	// MinCleanup is for how many milliseconds longer rows are kept than they are needed.
	MinCleanup          int64
	LeftKeys, RightKeys []int
	NullSafe            []bool    // key by key: NULL equals NULL
	Cond                expr.Expr // further condition over the columns of Left, then Right; nil: none
}

// Inputs returns the left and the right side.
func (n *IntervalJoin) Inputs() []Node { return []Node{n.Left, n.Right} }

// Describe names the join.
func (n *IntervalJoin) Describe() (string, []Attr) {
	l, r := n.Left.Info(), n.Right.Info()
	between := l.Schema.Fields[n.LeftTime].Name + " - " + r.Schema.Fields[n.RightTime].Name
	attrs := []Attr{
		{"type", n.Kind.String()}, {"keys", joinKeyNames(l, r, n.LeftKeys, n.RightKeys, n.NullSafe)},
		{"interval", boundText(n.Lower) + " <= " + between + " <= " + boundText(n.Upper)},
	}
	if n.Cond != nil {
		attrs = append(attrs, Attr{"condition", ExprText(n.Cond)})
	}
	return "IntervalJoin", append(attrs, Attr{"emit", "on-row"})
}

func boundText(ms int64) string {
	if ms < 0 {
		return "-" + DurationText(-ms)
	}
	return DurationText(ms)
}
