package planner

import (
	"slices"
	"strings"

	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql"
)

// Explain returns the plans of a statement as text: logical and physical, or only
// the logical one (EXPLAIN LOGICAL). EXPLAIN CHANGELOG_MODE shows the changes as
// Flink does: for a reader that does not ask for an update's old row.
func Explain(env *Env, s *sql.Explain, text string) (string, error) {
	b := newBinder(env)
	for _, d := range s.Details {
		switch d {
		case "LOGICAL", "CHANGELOG_MODE":
		default:
			return "", b.unsupported(s.Span(), "EXPLAIN "+d, "EXPLAIN, EXPLAIN LOGICAL, EXPLAIN CHANGELOG_MODE and EXPLAIN ANALYZE are supported")
		}
	}
	var n logical.Node
	var sink *logical.Sink
	var err error
	before := true
	switch q := s.Statement.(type) {
	case *sql.QueryStatement:
		n, err = bindQuery(env, q.Query)
		before = !slices.Contains(s.Details, "CHANGELOG_MODE")
	case *sql.Insert:
		sink, err = bindInsert(env, q)
		n = sink
	case *sql.StatementSet:
		return "", b.unsupported(q.Span(), "STATEMENT SET", "explain the INSERT statements one by one")
	default:
		return "", diag.New(diag.Unsupported, s.Statement.Span(), "EXPLAIN takes a query or an INSERT")
	}
	if err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteString("== Logical Plan ==\n")
	t := tree[logical.Node]{out: &out, inputs: logical.Node.Inputs, line: func(n logical.Node) string { return line(n.Describe()) }}
	t.print(n, "", "")
	if !slices.Contains(s.Details, "LOGICAL") {
		out.WriteString("\n== Physical Plan ==\n")
		root := lower(n, env.Fold)
		if !before {
			withoutBefore(root)
		}
		if sink != nil {
			if err := env.settleSink(sink, root, false); err != nil {
				return "", err
			}
		}
		printPhysical(&out, root)
		printNotes(&out, root)
	}
	return out.String(), nil
}

// ExplainPlan returns the text of a physical plan.
func ExplainPlan(p *physical.Plan) string {
	var out strings.Builder
	printPhysical(&out, p.Root)
	return out.String()
}

func printPhysical(out *strings.Builder, root physical.Node) {
	t := physicalTree(out)
	t.print(root, "", "")
}

func physicalTree(out *strings.Builder) *tree[physical.Node] {
	t := &tree[physical.Node]{out: out, inputs: physical.Node.Inputs, seen: map[physical.Node]bool{}}
	t.line = func(n physical.Node) string {
		if _, ok := n.(*physical.Sink); ok {
			return line(n.Describe()) + " changelogMode=[NONE]"
		}
		return line(n.Describe()) + properties(n.Info())
	}
	t.again = func(n physical.Node) string {
		name, _ := n.Describe()
		return name + " " + n.Info().ID + " (shared, see above)"
	}
	return t
}

// tree prints nodes with their inputs below them. A node that was printed before is
// only referred to.
type tree[N comparable] struct {
	out    *strings.Builder
	inputs func(N) []N
	line   func(N) string
	again  func(N) string
	note   func(N) string // a second line; may be nil
	seen   map[N]bool
}

func (t *tree[N]) print(n N, first, rest string) {
	if t.seen[n] {
		t.out.WriteString(first + t.again(n) + "\n")
		return
	}
	if t.seen != nil {
		t.seen[n] = true
	}
	t.out.WriteString(first + t.line(n) + "\n")
	in := t.inputs(n)
	if t.note != nil {
		if len(in) > 0 {
			t.out.WriteString(rest + "│     " + t.note(n) + "\n")
		} else {
			t.out.WriteString(rest + "      " + t.note(n) + "\n")
		}
	}
	for i, c := range in {
		if i < len(in)-1 {
			t.print(c, rest+"├── ", rest+"│   ")
		} else {
			t.print(c, rest+"└── ", rest+"    ")
		}
	}
}

func line(name string, attrs []physical.Attr) string {
	for _, a := range attrs {
		if a.Key == "" {
			name += " " + a.Value
		} else {
			name += " " + a.Key + "=" + a.Value
		}
	}
	return name
}

// properties prints what a node states about itself; what is as usual is left out.
func properties(b *physical.Base) string {
	var s string
	if b.Rowtime >= 0 {
		s += " rowtime=" + b.Schema.Fields[b.Rowtime].Name
	}
	s += " changelogMode=" + b.Changes()
	if len(b.Key) > 0 {
		names := make([]string, len(b.Key))
		for i, k := range b.Key {
			names[i] = b.Schema.Fields[k].Name
		}
		s += " key=[" + strings.Join(names, ", ") + "]"
	}
	if b.State != "" && b.State != "none" {
		s += " state=[" + b.State + "]"
	}
	return s
}
