package builtin

import (
	"fmt"
	"slices"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

func conditionalFunctions() []*expr.Function {
	return []*expr.Function{
		{Name: "COALESCE", Class: "conditional", Usage: "COALESCE(value, ...)",
			Doc:      "The first value that is not NULL. All values are computed.",
			Examples: []expr.Example{{SQL: "COALESCE(CAST(NULL AS INT), 5)", Result: "5"}},
			Resolve: func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
				return resolveCoalesce(args, 1, -1)
			}},
		{Name: "IFNULL", Class: "conditional", Usage: "IFNULL(value, default)",
			Doc:      "The value, or the default where it is NULL.",
			Examples: []expr.Example{{SQL: "IFNULL(CAST(NULL AS STRING), 'none')", Result: "none"}},
			Resolve: func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
				res, err := resolveCoalesce(args, 2, 2)
				if err == nil && args[0].NotNull && (args[0].IsText() || args[0].IsBytes()) {
					res.Result = args[0] // the default is never taken
				}
				return res, err
			}},
		{Name: "NULLIF", Class: "conditional", Usage: "NULLIF(value, other)",
			Doc:      "NULL if the two are equal, else the value.",
			Examples: []expr.Example{{SQL: "NULLIF(1, 1)", Result: ""}, {SQL: "NULLIF('a', 'b')", Result: "a"}},
			Resolve:  resolveNullif},
		{Name: "GREATEST", Class: "conditional", Usage: "GREATEST(value, ...)",
			Doc:      "The greatest value; NULL if one of them is.",
			Examples: []expr.Example{{SQL: "GREATEST(1, 2.5)", Result: "2.5"}},
			Resolve:  func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) { return resolveGreatest(args, 1) }},
		{Name: "LEAST", Class: "conditional", Usage: "LEAST(value, ...)",
			Doc:      "The least value; NULL if one of them is.",
			Examples: []expr.Example{{SQL: "LEAST('b', 'a')", Result: "a"}},
			Resolve:  func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) { return resolveGreatest(args, -1) }},
	}
}

// common unifies the types of all arguments; required says that one NOT NULL value
// makes the result NOT NULL, else all must be.
func common(args []types.Type, oneIsEnough bool) (types.Type, error) {
	t, required := args[0], args[0].NotNull
	for _, u := range args[1:] {
		c, ok := types.CommonType(t, u)
		if !ok {
			return t, fmt.Errorf("mixes %s and %s", t.Name(), u.Name())
		}
		t = c
		if oneIsEnough {
			required = required || u.NotNull
		} else {
			required = required && u.NotNull
		}
	}
	if t.Kind == types.Null {
		return t, errNull
	}
	return t.WithNullability(!required), nil
}

// alike repeats a type for n arguments.
func alike(t types.Type, n int) []types.Type {
	to := make([]types.Type, n)
	for i := range to {
		to[i] = t.Nullable()
	}
	return to
}

// castTargets is alike, but texts and bytes stay as they are: they share a layout. So do
// nested values whose parts need no other one.
func castTargets(t types.Type, args []types.Type) []types.Type {
	to := alike(t, len(args))
	for i, u := range args {
		if u.Kind != types.Null && u.Layout() == types.Bytes && t.Layout() == types.Bytes && (!t.IsNested() || u.Alike(t)) {
			to[i] = u
		}
	}
	return to
}

// withDates makes DATEs of the TIMESTAMPs beside a DATE, and TIMEs of those beside a TIME,
// as Flink's COALESCE does.
func withDates(args []types.Type) []types.Type {
	k := slices.IndexFunc(args, func(t types.Type) bool { return t.Kind == types.Date || t.Kind == types.Time })
	if k < 0 {
		return args
	}
	out := slices.Clone(args)
	for i, t := range out {
		if t.Kind == types.Timestamp {
			out[i] = args[k].WithNullability(!t.NotNull)
		}
	}
	return out
}

func resolveCoalesce(args []types.Type, least, most int) (expr.Resolution, error) {
	if err := arity(args, least, most); err != nil {
		return expr.Resolution{}, err
	}
	t, err := common(withDates(args), true)
	if err != nil {
		return expr.Resolution{}, err
	}
	k := coalesceTexts
	switch t.Layout() {
	case types.Bits:
		k = coalesceBits
	case types.Int8:
		k = coalesceFixed[int8]
	case types.Int16:
		k = coalesceFixed[int16]
	case types.Int32:
		k = coalesceFixed[int32]
	case types.Int64:
		k = coalesceFixed[int64]
	case types.Float32:
		k = coalesceFixed[float32]
	case types.Float64:
		k = coalesceFixed[float64]
	case types.Int128:
		k = coalesceFixed[types.Num128]
	}
	return expr.Resolution{Args: castTargets(t, args), Result: t, NullAware: true, New: safe(k)}, nil
}

// anyValid sets the validity of out to the OR of the arguments'.
func anyValid(args []*stream.Vec, out *stream.Vec, n int) {
	for _, v := range args {
		if v.Valid == nil && !allNull(v) {
			return
		}
	}
	valid := out.OwnValid(n)
	clear(valid)
	for _, v := range args {
		for k := range valid {
			valid[k] |= validWord(v, k)
		}
	}
}

// coalesceFixed lays the arguments over each other, the last one first.
func coalesceFixed[T stream.Fixed](_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
	anyValid(args, out, rows.N)
	o := operand[T](out, rows.N)
	for k := len(args) - 1; k >= 0; k-- {
		v := args[k]
		if allNull(v) {
			continue
		}
		x := operand[T](v, rows.N)
		switch {
		case v.Valid == nil && len(x) == len(o):
			copy(o, x)
		case v.Valid == nil:
			y := x[0]
			for i := range o {
				o[i] = y
			}
		default:
			full := min(len(x), len(o)) >> 6
			for j, w := range v.Valid[:full] {
				BlendWord((*[64]T)(o[j<<6:]), (*[64]T)(x[j<<6:]), w)
			}
			for i := full << 6; i < len(x); i++ {
				if v.Valid[i>>6]>>(i&63)&1 != 0 {
					o[i] = x[i]
				}
			}
		}
	}
}

func coalesceBits(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
	anyValid(args, out, rows.N)
	words := out.Words()
	for k := range words {
		var w uint64
		for j := len(args) - 1; j >= 0; j-- {
			if valid := validWord(args[j], k); valid != 0 {
				w = w&^valid | bitWord(args[j], k)&valid
			}
		}
		words[k] = w
	}
}

func coalesceTexts(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
	anyValid(args, out, rows.N)
	eachText(out, rows, func(i int) {
		for _, v := range args {
			if !v.IsNull(i) {
				out.Data = appendShort(out.Data, v.Bytes(i))
				return
			}
		}
	})
}

// resolveNullif binds NULLIF. The value is given back in its own type, so it is
// compared through a copy where the comparison needs another one.
func resolveNullif(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 2, 2); err != nil {
		return expr.Resolution{}, err
	}
	if lits[1] != nil && lits[1].Value.Null { // of any type: there is nothing to compare with
		args = []types.Type{args[0], args[0].Nullable()}
	}
	if args[0].Kind == types.Null {
		return expr.Resolution{}, errNull
	}
	t, err := meeting(args[0], args[1], false)
	if err != nil {
		return expr.Resolution{}, err
	}
	t = equalityType(args[0], args[1], t)
	a, b := operandType(args[0], t), operandType(args[1], t)
	res := expr.Resolution{Args: []types.Type{args[0], b}, Result: args[0].Nullable(), NullAware: true}
	convert := a.Layout() != args[0].Layout() || a.Kind != args[0].Kind || a.IsTimestamp() && a.TimeUnit() != args[0].TimeUnit() || a.IsNested() && !args[0].Alike(a)
	try := args[0].IsText() && a.IsTemporal() // as in a = b, see expr.Resolution.Unreadable
	if convert {
		_, res.CanFail, _ = CastKernel(args[0], a, try)
	}
	res.Unreadable = true
	res.New = func() expr.Kernel {
		n := &nullif{loop: comparisonLoop(equal, a, b)}
		if convert {
			n.as = a
			n.cast, _, _ = CastKernel(args[0], a, try)
		}
		return n.run
	}
	return res, nil
}

type nullif struct {
	loop relate
	cast expr.Kernel // nil: compared as it is
	as   types.Type
	x    stream.Vec
	same stream.Vec
}

func (n *nullif) run(c *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
	v, w := args[0], args[1]
	copyVec(out, v, rows)
	if allNull(v) || allNull(w) && n.cast == nil {
		return nil
	}
	x := v
	if n.cast != nil {
		n.x.Reset(n.as, rows.N)
		if v.Valid != nil && v.Enc == stream.Flat {
			copy(n.x.OwnValid(rows.N), v.Valid)
		}
		if err := n.cast(c, args[:1], &n.x, rows); err != nil {
			return err
		}
		x = &n.x
	}
	n.same.Reset(boolType, rows.N)
	n.loop(x, w, &n.same, rows)
	valid := out.OwnValid(rows.N)
	for k, same := range n.same.Words() {
		valid[k] = validWord(v, k) &^ (same & validWord(w, k) & validWord(x, k))
	}
	return nil
}

// Nulls is the kernel of what is always NULL.
func Nulls(_ *expr.Context, _ []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
	clear(out.OwnValid(rows.N))
	if out.Type.Layout() == types.Bytes {
		skipText(out, 0, rows.N)
	}
	return nil
}

// copyVec copies values and validity of v, Flat or Const, to out.
func copyVec(out, v *stream.Vec, rows expr.Rows) {
	if allNull(v) {
		_ = Nulls(nil, nil, out, rows)
		return
	}
	if v.Valid != nil && v.Enc == stream.Flat {
		copy(out.OwnValid(rows.N), v.Valid)
	}
	copyValues(out, v, rows)
}

// copyValues copies the values of v, Flat or Const, to out, whose validity is set.
func copyValues(out, v *stream.Vec, rows expr.Rows) {
	switch l := out.Type.Layout(); l {
	case types.Bytes:
		eachText(out, rows, func(i int) { out.Data = append(out.Data, v.Bytes(i)...) })
	case types.Bits:
		words := out.Words()
		for k := range words {
			words[k] = bitWord(v, k)
		}
	default:
		w := l.Width()
		if v.Enc != stream.Const {
			copy(out.Data[:rows.N*w], v.Data[:rows.N*w])
			return
		}
		for i := range rows.N {
			copy(out.Data[i*w:(i+1)*w], v.Data[:w])
		}
	}
}

// resolveGreatest binds GREATEST (sign 1) and LEAST (sign -1).
func resolveGreatest(args []types.Type, sign int) (expr.Resolution, error) {
	if err := arity(args, 1, -1); err != nil {
		return expr.Resolution{}, err
	}
	if err := noNull(args); err != nil {
		return expr.Resolution{}, err
	}
	t, err := common(args, false)
	if err != nil {
		return expr.Resolution{}, err
	}
	if !t.HasOrder() {
		return expr.Resolution{}, expects("values that can be ordered", args)
	}
	res := expr.Resolution{Args: castTargets(t, args), Result: t}
	switch t.Layout() {
	case types.Int8:
		res.New = safe(greatest[int8](sign))
	case types.Int16:
		res.New = safe(greatest[int16](sign))
	case types.Int32:
		res.New = safe(greatest[int32](sign))
	case types.Int64:
		res.New = safe(greatest[int64](sign))
	case types.Float32:
		res.New = safe(greatest[float32](sign))
	case types.Float64:
		res.New = safe(greatest[float64](sign))
	default:
		res.New = safe(greatestAny(sign))
	}
	return res, nil
}

func greatest[T number](sign int) loop {
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		o := operand[T](out, rows.N)
		if first := operand[T](args[0], rows.N); len(first) == len(o) {
			copy(o, first)
		} else {
			for i := range o {
				o[i] = first[0]
			}
		}
		for _, v := range args[1:] {
			x := operand[T](v, rows.N)
			switch {
			case T(1)/2 != 0: // DOUBLE and FLOAT: NaN is the greatest
				for i := range o {
					if y := at(x, i); compareOrdered(y, o[i])*sign > 0 {
						o[i] = y
					}
				}
			case len(x) == len(o):
				greaterOf(o, x, sign < 0)
			default:
				for i, y := range o {
					if c := x[0]; (c > y) == (sign > 0) {
						y = c
					}
					o[i] = y
				}
			}
		}
	}
}

// greaterOf takes the greater of two numbers, or the less.
func greaterOf[T number](o, x []T, less bool) {
	x = x[:len(o)]
	if less {
		for i, y := range o {
			if v := x[i]; v < y {
				y = v
			}
			o[i] = y
		}
		return
	}
	for i, y := range o {
		if v := x[i]; v > y {
			y = v
		}
		o[i] = y
	}
}

// greatestAny chooses among texts, booleans and wide decimals.
func greatestAny(sign int) loop {
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		best := func(i int) *stream.Vec {
			b := args[0]
			for _, v := range args[1:] {
				if compareValues(v, i, b, i)*sign > 0 {
					b = v
				}
			}
			return b
		}
		switch out.Type.Layout() {
		case types.Bytes:
			eachText(out, rows, func(i int) { out.Data = append(out.Data, best(i).Bytes(i)...) })
		case types.Bits:
			setBools(out, rows, func(i int) bool { return best(i).Bool(i) })
		default:
			o := operand[types.Num128](out, rows.N)
			_ = each(rows, func(i int) error {
				v := best(i)
				o[i] = stream.Values[types.Num128](v)[v.At(i)]
				return nil
			})
		}
	}
}
