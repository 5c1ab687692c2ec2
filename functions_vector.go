package streamsql

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/expr/udf"
	"streamsql/internal/diag"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
)

// function makes the registry entry.
func (f VectorFunc) function(name string, o funcOptions) (*expr.Function, error) {
	name = strings.ToUpper(name)
	if f.Call == nil {
		return nil, diag.New(diag.InvalidArgument, diag.Span{}, "function %q has no Call", name)
	}
	args := make([]types.Type, len(f.Args))
	var err error
	for i, a := range f.Args {
		if args[i], err = typeNamed(name, a); err != nil {
			return nil, err
		}
	}
	result, err := typeNamed(name, f.Result)
	if err != nil {
		return nil, err
	}
	usage := name + "(" + strings.Join(f.Args, ", ") + ")"
	return &expr.Function{
		Name: name, Class: "user", Usage: usage, Doc: o.doc, NonDeterministic: o.volatile,
		Resolve: func(given []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
			if len(given) != len(args) {
				return expr.Resolution{}, fmt.Errorf("takes %s, not %d; usage: %s", udf.Arguments(len(args)), len(given), usage)
			}
			for i, t := range given {
				if !builtin.ImplicitCast(t, args[i]) {
					return expr.Resolution{}, fmt.Errorf("expects %s as argument %d, not %s; CAST the value, usage: %s", args[i].Name(), i+1, t.Name(), usage)
				}
			}
			return expr.Resolution{Args: args, Result: result, NullAware: true, CanFail: true, PerRow: o.volatile, New: func() expr.Kernel {
				k := &vectorKernel{name: name, call: f.Call, result: result, in: make([]stream.Vec, len(args))}
				return k.run
			}}, nil
		},
	}, nil
}

// typeNamed reads a SQL type.
func typeNamed(function, text string) (types.Type, error) {
	x, err := sql.ParseExpr("CAST(a AS " + text + ")")
	c, ok := x.(*sql.Cast)
	if err != nil || !ok || !c.Type.Type.HasOrder() {
		return types.Type{}, diag.New(diag.InvalidArgument, diag.Span{}, "function %q: %q is no type that it can have", function, text).
			WithHint("write a SQL type: BIGINT, DOUBLE, STRING, TIMESTAMP(3)")
	}
	return c.Type.Type.Nullable(), nil
}

// vectorKernel calls one VectorFunc. It owns the vectors that the rows are gathered
// in.
type vectorKernel struct {
	name   string
	call   func([]arrow.Array) (arrow.Array, error)
	result types.Type
	in     []stream.Vec
	rows   []int32
}

func (k *vectorKernel) run(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) (err error) {
	sel := rows.Sel
	if sel == nil {
		for len(k.rows) < rows.N {
			k.rows = append(k.rows, int32(len(k.rows)))
		}
		sel = k.rows[:rows.N]
	}
	first := 0
	if len(sel) > 0 {
		first = int(sel[0])
	}
	fail := func(format string, args ...any) error {
		return &expr.RowError{Row: first, Msg: fmt.Sprintf("function %q", k.name) + fmt.Sprintf(format, args...)}
	}
	defer func() {
		if r := recover(); r != nil {
			err = fail(" panicked: %v", r)
		}
		for out.Type.Layout() == types.Bytes && out.N < rows.N {
			out.AppendBytes(nil)
		}
	}()
	arrays := make([]arrow.Array, len(args))
	for i, v := range args {
		gather(&k.in[i], v, sel, len(sel))
		arrays[i] = wrap(&k.in[i], arrowType(v.Type), len(sel))
	}
	if len(sel) == 0 {
		return nil
	}
	got, err := k.call(arrays)
	switch want := arrowType(k.result); {
	case err != nil:
		return fail(": %v", err)
	case got == nil:
		return fail(" returned no array")
	case got.Len() != len(sel):
		return fail(" returned %d values for %d rows", got.Len(), len(sel))
	case !arrow.TypeEqual(got.DataType(), want):
		return fail(" returned an array of %s instead of %s", got.DataType(), want)
	}
	unwrap(got, out, sel, rows.N)
	return nil
}

// unwrap stores the values of an array at the rows of out that sel names.
func unwrap(a arrow.Array, out *stream.Vec, sel []int32, n int) {
	data := a.Data()
	buffers, offset := data.Buffers(), data.Offset()
	layout := out.Type.Layout()
	width := layout.Width()
	for j, r := range sel {
		i := int(r)
		for layout == types.Bytes && out.N < i {
			out.AppendBytes(nil)
		}
		switch {
		case a.IsNull(j):
			out.SetNull(i, n)
			if layout == types.Bytes {
				out.AppendBytes(nil)
			}
		case layout == types.Bytes:
			offsets := arrow.Int32Traits.CastFromBytes(buffers[1].Bytes())
			out.AppendBytes(buffers[2].Bytes()[offsets[offset+j]:offsets[offset+j+1]])
		case layout == types.Bits:
			out.SetBool(i, bitutil.BitIsSet(buffers[1].Bytes(), offset+j))
		default:
			at := (offset + j) * width
			copy(out.Data[i*width:(i+1)*width], buffers[1].Bytes()[at:at+width])
		}
	}
}
