package planner

import (
	"slices"
	"strings"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
)

// How the two functions between rows and changes are written.
const (
	fromChangelogUsage = "FROM_CHANGELOG(input => TABLE t [, op => DESCRIPTOR(op)] [, op_mapping => MAP['c', 'INSERT', ...]])"
	toChangelogUsage   = "TO_CHANGELOG(input => TABLE t [, op => DESCRIPTOR(op)] [, op_mapping => MAP['INSERT', 'c', ...]])"
)

// changeCodes are the codes of changes where op_mapping does not give others.
var changeCodes = []physical.ChangeCode{
	{Code: "INSERT", Kind: stream.Insert}, {Code: "UPDATE_BEFORE", Kind: stream.UpdateBefore},
	{Code: "UPDATE_AFTER", Kind: stream.UpdateAfter}, {Code: "DELETE", Kind: stream.Delete},
}

// changelogArgs are the arguments of a function between rows and changes.
type changelogArgs struct {
	input   relation
	op      *sql.Descriptor
	mapping *sql.MapValue
}

// changelog binds FROM_CHANGELOG and TO_CHANGELOG in FROM.
func (b *binder) changelog(f *sql.TableFunc, name string) (relation, error) {
	usage := fromChangelogUsage
	if name == "TO_CHANGELOG" {
		usage = toChangelogUsage
	}
	args, err := b.changelogArgs(f.Call, name, usage)
	if err != nil {
		return relation{}, err
	}
	var n logical.Node
	if name == "TO_CHANGELOG" {
		n, err = b.toChangelog(f.Call, args)
	} else {
		n, err = b.fromChangelog(f.Call, args)
	}
	if err != nil {
		return relation{}, err
	}
	return b.withAlias(newRelation(n, ""), f.Alias)
}

func (b *binder) changelogArgs(c *sql.Call, name, usage string) (args changelogArgs, err error) {
	params := []string{"input", "op", "op_mapping"}
	given := make([]sql.Expr, len(params))
	for i, a := range c.Args {
		at := i
		if c.ArgNames != nil && c.ArgNames[i] != nil {
			at = slices.IndexFunc(params, func(p string) bool { return strings.EqualFold(p, c.ArgNames[i].Name) })
			if at < 0 {
				e := b.errorf(diag.InvalidArgument, b.span(c.ArgNames[i]), "%s has no parameter %q", name, c.ArgNames[i].Name)
				return args, e.DidYouMean(c.ArgNames[i].Name, params, "usage: "+usage)
			}
		}
		if at >= len(params) || given[at] != nil {
			return args, b.errorf(diag.InvalidArgument, b.span(a), "%s takes this argument not, or not twice", name).WithHint("usage: %s", usage)
		}
		given[at] = a
	}
	if given[0] == nil {
		return args, b.errorf(diag.InvalidArgument, b.span(c), "%s misses its argument input", name).WithHint("usage: %s", usage)
	}
	if t, ok := given[0].(*sql.TableArg); ok && len(t.PartitionBy)+len(t.OrderBy) > 0 {
		return args, b.errorf(diag.InvalidArgument, b.span(t), "the table of %s takes no PARTITION BY or ORDER BY", name).WithHint("usage: %s", usage)
	}
	if args.input, err = b.tableArg(given[0], &tableFunction{name: name, usage: usage}); err != nil {
		return args, err
	}
	var ok bool
	if given[1] != nil {
		if args.op, ok = given[1].(*sql.Descriptor); !ok || len(args.op.Columns) != 1 {
			return args, b.errorf(diag.InvalidArgument, b.span(given[1]), "op of %s is DESCRIPTOR(column)", name).WithHint("usage: %s", usage)
		}
	}
	if given[2] != nil {
		if args.mapping, ok = given[2].(*sql.MapValue); !ok {
			return args, b.errorf(diag.InvalidArgument, b.span(given[2]), "op_mapping of %s is a constant MAP", name).WithHint("usage: %s", usage)
		}
	}
	return args, nil
}

// fromChangelog makes changes of the rows of a table that only grows.
func (b *binder) fromChangelog(c *sql.Call, args changelogArgs) (logical.Node, error) {
	in := args.input
	if in.node.Info().Mode != physical.Append {
		return nil, b.errorf(diag.Changelog, b.span(c), "FROM_CHANGELOG needs a table that only adds rows").WithHint("the rows of this one change already: read it as it is")
	}
	op, at := -1, b.span(c)
	if args.op != nil {
		var err error
		if op, err = b.resolve(in, args.op.Columns[0]); err != nil {
			return nil, err
		}
		at = b.span(args.op)
	} else if found := in.find("", "op"); len(found) == 1 {
		op = found[0]
	} else {
		return nil, b.errorf(diag.UndefinedColumn, at, "column \"op\" not found").WithHint("name the column that says what a row does: op => DESCRIPTOR(column)")
	}
	fields := in.fields()
	if !fields[op].Type.IsText() {
		return nil, b.errorf(diag.TypeMismatch, at, "column %q says what a row does, so it must be a text, not %s", fields[op].Name, fields[op].Type.Name())
	}
	n := &logical.FromChangelog{Input: in.node, Op: op, Codes: changeCodes}
	if args.mapping != nil {
		var err error
		if n.Codes, err = b.codes(args.mapping, false); err != nil {
			return nil, err
		}
	}
	n.Span, n.Mode = b.span(c), physical.Retract
	n.Schema.Fields = append(append(n.Schema.Fields, fields[:op]...), fields[op+1:]...)
	return n, nil
}

// toChangelog makes rows of the changes of a table.
func (b *binder) toChangelog(c *sql.Call, args changelogArgs) (logical.Node, error) {
	n := &logical.ToChangelog{Input: args.input.node, Codes: changeCodes}
	name := "op"
	if args.op != nil {
		name = args.op.Columns[0].Parts[len(args.op.Columns[0].Parts)-1].Name
	}
	if len(args.input.find("", name)) > 0 {
		return nil, b.errorf(diag.DuplicateName, b.span(c), "the table of TO_CHANGELOG has a column %q already", name).
			WithHint("give the kind of change another name: op => DESCRIPTOR(kind)")
	}
	if args.mapping != nil {
		var err error
		if n.Codes, err = b.codes(args.mapping, true); err != nil {
			return nil, err
		}
	}
	n.Span = b.span(c)
	n.Schema.Fields = append(n.Schema.Fields, stream.Field{Name: name, Type: types.Of(types.Varchar)})
	n.Schema.Fields = append(n.Schema.Fields, args.input.fields()...)
	return n, nil
}

// codes reads op_mapping: texts and the changes they stand for, where kindFirst is set
// the other way round. Several of them may stand in one key, with commas between.
func (b *binder) codes(m *sql.MapValue, kindFirst bool) ([]physical.ChangeCode, error) {
	var out []physical.ChangeCode
	texts := make([]string, len(m.Items))
	for i, item := range m.Items {
		x := &exprBinder{binder: b, rel: relation{node: &logical.Values{}}, clause: "op_mapping"}
		e, err := x.bind(item)
		if err != nil {
			return nil, err
		}
		l, ok := e.(*expr.Literal)
		if !ok || l.Value.Null || !l.T.IsText() {
			return nil, b.errorf(diag.InvalidArgument, b.span(item), "op_mapping takes constant texts")
		}
		texts[i] = l.Value.S
	}
	for i := 0; i+1 < len(texts); i += 2 {
		for _, key := range strings.Split(texts[i], ",") {
			code, kind, at := strings.TrimSpace(key), texts[i+1], m.Items[i+1]
			if kindFirst {
				code, kind, at = kind, code, m.Items[i]
			}
			k := slices.IndexFunc(changeCodes, func(c physical.ChangeCode) bool { return c.Code == kind })
			if k < 0 {
				return nil, b.errorf(diag.InvalidArgument, b.span(at), "op_mapping: '%s' is no kind of change", kind).
					WithHint("kinds are INSERT, UPDATE_BEFORE, UPDATE_AFTER and DELETE")
			}
			out = append(out, physical.ChangeCode{Code: code, Kind: changeCodes[k].Kind})
		}
	}
	return out, nil
}
