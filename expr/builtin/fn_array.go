package builtin

import (
	"fmt"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

func arrayFunctions() []*expr.Function {
	f := func(name, usage, doc string, r resolve, examples ...expr.Example) *expr.Function {
		return &expr.Function{Name: name, Class: "collection", Usage: usage, Doc: doc, Examples: examples, Resolve: r}
	}
	return []*expr.Function{
		f("ARRAY_APPEND", "ARRAY_APPEND(array, value)", "The array with the value behind it.", resolveExtended(false),
			ex("ARRAY_APPEND(ARRAY[1, 2], 3)", "[1, 2, 3]")),
		f("ARRAY_PREPEND", "ARRAY_PREPEND(array, value)", "The array with the value in front.", resolveExtended(true),
			ex("ARRAY_PREPEND(ARRAY[1, 2], 3)", "[3, 1, 2]")),
		f("ARRAY_CONCAT", "ARRAY_CONCAT(array, ...)", "The elements of all arrays, one array after the other.", resolveArrays(1, -1, concatArrays),
			ex("ARRAY_CONCAT(ARRAY[1], ARRAY[2, 1])", "[1, 2, 1]")),
		f("ARRAY_CONTAINS", "ARRAY_CONTAINS(array, value)", "Whether the value is among the elements; a NULL is found, too.", resolveContains,
			ex("ARRAY_CONTAINS(ARRAY[1, 2], 2)", "TRUE")),
		f("ARRAY_POSITION", "ARRAY_POSITION(array, value)", "Place of the value among the elements, from 1; 0 if it is not there.", resolvePosition,
			ex("ARRAY_POSITION(ARRAY['a', 'b'], 'b')", "2")),
		f("ARRAY_REMOVE", "ARRAY_REMOVE(array, value)", "The array without the elements that are equal to the value; NULL removes NULLs.", resolveRemove,
			ex("ARRAY_REMOVE(ARRAY[1, 2, 1], 1)", "[2]")),
		f("ARRAY_REVERSE", "ARRAY_REVERSE(array)", "The elements in reverse order.", resolveArrays(1, 1, reverseArray),
			ex("ARRAY_REVERSE(ARRAY[1, 2, 3])", "[3, 2, 1]")),
		f("ARRAY_SLICE", "ARRAY_SLICE(array, from [, to])", "The elements from one place to another, both included; places below 0 count from the end.", resolveSlice,
			ex("ARRAY_SLICE(ARRAY[1, 2, 3, 4], 2, 3)", "[2, 3]"), ex("ARRAY_SLICE(ARRAY[1, 2, 3, 4], -2)", "[3, 4]")),
		f("ARRAY_DISTINCT", "ARRAY_DISTINCT(array)", "Each element once, where it comes first; NULL is a value.", resolveArrays(1, 1, distinctArray),
			ex("ARRAY_DISTINCT(ARRAY[1, 2, 1])", "[1, 2]")),
		f("ARRAY_UNION", "ARRAY_UNION(array, array)", "The elements of both arrays, each once.", resolveArrays(2, 2, unionArrays),
			ex("ARRAY_UNION(ARRAY[1, 2], ARRAY[2, 3])", "[1, 2, 3]")),
		f("ARRAY_INTERSECT", "ARRAY_INTERSECT(array, array)", "The elements that both arrays have, each once.", resolveArrays(2, 2, intersectArrays),
			ex("ARRAY_INTERSECT(ARRAY[1, 2, 2], ARRAY[2, 3])", "[2]")),
		f("ARRAY_EXCEPT", "ARRAY_EXCEPT(array, array)", "The elements of the first array that the second has not, each once.", resolveArrays(2, 2, exceptArrays),
			ex("ARRAY_EXCEPT(ARRAY[1, 2, 1], ARRAY[2])", "[1]")),
		f("ARRAY_JOIN", "ARRAY_JOIN(array, separator [, null text])", "The texts with the separator between them; NULLs are left out or stand as the null text.", resolveArrayJoin,
			ex("ARRAY_JOIN(ARRAY['a', 'b'], '-')", "a-b"), ex("ARRAY_JOIN(ARRAY['a', NULL], '-', '?')", "a-?")),
		f("ELEMENT", "ELEMENT(array)", "The only element; NULL of an empty array, an error if there are several.", resolveOnly,
			ex("ELEMENT(ARRAY[5])", "5")),
	}
}

// isArray refuses arguments that are no array.
func isArray(t types.Type) error {
	if t.Kind != types.Array {
		return expects("an array", []types.Type{t})
	}
	return nil
}

// resolveElementOf checks the arguments of a function of an array and a value, which
// must fit the elements without an explicit cast. It returns the type of the elements.
func resolveElementOf(args []types.Type) (types.Type, error) {
	if err := arity(args, 2, 2); err != nil {
		return types.Type{}, err
	}
	if err := isArray(args[0]); err != nil {
		return types.Type{}, err
	}
	elem := args[0].Elem()
	if !fits(args[1], elem) {
		return elem, fmt.Errorf("needs a value that fits the elements of type %s, not %s; CAST the value or the array", elem.Name(), args[1].Name())
	}
	return elem, nil
}

// fits reports whether a value becomes one of another type without an explicit cast:
// numbers become wider or approximate ones.
func fits(from, to types.Type) bool {
	switch {
	case from.Kind == types.Null || from.Same(to) || from.Alike(to):
		return true
	case from.IsText():
		return to.Kind == types.Varchar || from.Kind == to.Kind
	case from.IsBytes():
		return to.Kind == types.Varbinary || from.Kind == to.Kind
	case from.IsNumeric() && to.IsNumeric():
		return from.Kind == types.Decimal && to.IsApproximate() || to.Kind == types.Decimal ||
			from.Kind <= to.Kind && to.Kind != types.Decimal
	case from.IsTimestamp():
		return to.IsTimestamp() || to.Kind == types.Date || to.Kind == types.Time
	case from.Kind == types.Time:
		return to.Kind == types.Time
	}
	common, ok := types.CommonType(from, to)
	return ok && common.Same(to)
}

// nullLike makes the rows NULL where v is.
func nullLike(out, v *stream.Vec, rows expr.Rows) {
	_ = each(rows, func(i int) error {
		if v.IsNull(i) {
			out.SetNull(i, rows.N)
		}
		return nil
	})
}

// appendAll appends all elements of a.
func appendAll(b *types.ArrayBuilder, a *types.ArrayValue) {
	for k := range a.Len() {
		b.AppendFrom(a, k)
	}
}

func appendOrNull(b *types.ArrayBuilder, v *stream.Vec, i int) {
	if v.IsNull(i) {
		b.AppendNull()
	} else {
		b.AppendRaw(v.Raw(i))
	}
}

func resolveExtended(front bool) resolve {
	return func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
		elem, err := resolveElementOf(args)
		if err != nil {
			return expr.Resolution{}, err
		}
		made := elem.WithNullability(!elem.NotNull || !args[1].NotNull)
		res := expr.Resolution{Args: []types.Type{args[0], elem.Nullable()}, Result: like(types.NewArray(made), args), NullAware: true}
		t := args[0]
		res.New = func() expr.Kernel {
			var b types.ArrayBuilder
			return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
				nullLike(out, args[0], rows)
				eachText(out, rows, func(i int) {
					a := types.ReadArray(t, args[0].Bytes(i))
					b.Reset(made)
					if front {
						appendOrNull(&b, args[1], i)
					}
					appendAll(&b, &a)
					if !front {
						appendOrNull(&b, args[1], i)
					}
					out.Data = b.AppendTo(out.Data)
				})
				return nil
			}
		}
		return res, nil
	}
}

// arrayWork is the memory of a function that makes an array of arrays.
type arrayWork struct {
	made   types.ArrayBuilder
	a, b   valueSet
	arrays []types.ArrayValue
}

// resolveArrays binds a function of arrays of a common type that makes one of the same
// type: f writes it to made.
func resolveArrays(least, most int, f func(w *arrayWork)) resolve {
	return func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
		if err := arity(args, least, most); err != nil {
			return expr.Resolution{}, err
		}
		for _, t := range args {
			if err := isArray(t); err != nil {
				return expr.Resolution{}, err
			}
		}
		t, err := commonOf(args)
		if err != nil {
			return expr.Resolution{}, err
		}
		res := expr.Resolution{Args: alike(t, len(args)), Result: t}
		res.New = func() expr.Kernel {
			w := &arrayWork{arrays: make([]types.ArrayValue, len(args))}
			return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
				eachText(out, rows, func(i int) {
					for k, v := range args {
						w.arrays[k] = types.ReadArray(t, v.Bytes(i))
					}
					w.made.Reset(t.Elem())
					f(w)
					out.Data = w.made.AppendTo(out.Data)
				})
				return nil
			}
		}
		return res, nil
	}
}

// commonOf is the type that all arguments take.
func commonOf(args []types.Type) (types.Type, error) {
	t := args[0]
	for _, u := range args[1:] {
		c, ok := types.CommonType(t, u)
		if !ok {
			return t, fmt.Errorf("mixes %s and %s", t.Name(), u.Name())
		}
		t = c
	}
	return like(t, args), nil
}

func concatArrays(w *arrayWork) {
	for k := range w.arrays {
		appendAll(&w.made, &w.arrays[k])
	}
}

func reverseArray(w *arrayWork) {
	a := &w.arrays[0]
	for k := a.Len() - 1; k >= 0; k-- {
		w.made.AppendFrom(a, k)
	}
}

func distinctArray(w *arrayWork) { unionArrays(w) }

func unionArrays(w *arrayWork) {
	n := 0
	for k := range w.arrays {
		n += w.arrays[k].Len()
	}
	w.a.reset(w.arrays[0].Elem(), n)
	for k := range w.arrays {
		w.fresh(&w.arrays[k], func([]byte) bool { return true })
	}
}

// fresh appends the elements of a that are wanted and not in the set yet.
func (w *arrayWork) fresh(a *types.ArrayValue, wanted func(raw []byte) bool) {
	for k := range a.Len() {
		if raw := elementOrNil(a, k); wanted(raw) && w.a.add(raw) {
			w.made.AppendFrom(a, k)
		}
	}
}

func intersectArrays(w *arrayWork) {
	w.split()
	w.fresh(&w.arrays[0], w.b.has)
}

func exceptArrays(w *arrayWork) {
	w.split()
	w.fresh(&w.arrays[0], func(raw []byte) bool { return !w.b.has(raw) })
}

// split puts the second array into a set of its own.
func (w *arrayWork) split() {
	a, b := &w.arrays[0], &w.arrays[1]
	w.a.reset(a.Elem(), a.Len())
	w.b.reset(b.Elem(), b.Len())
	w.b.addAll(b)
}

func resolveContains(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	elem, err := resolveElementOf(args)
	if err != nil {
		return expr.Resolution{}, err
	}
	t := args[0]
	res := expr.Resolution{Args: []types.Type{t, elem.Nullable()}, Result: boolType.WithNullability(!t.NotNull), NullAware: true}
	res.New = func() expr.Kernel {
		var eq equalTo
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			nullLike(out, args[0], rows)
			return each(rows, func(i int) error {
				out.SetBool(i, isValid(out, i) && placeOf(&eq, t, args, i) > 0)
				return nil
			})
		}
	}
	return res, nil
}

// placeOf returns the place of the value of row i in its array, from 1; 0 if it is not
// there. NULL is a value.
func placeOf(eq *equalTo, t types.Type, args []*stream.Vec, i int) int {
	a := types.ReadArray(t, args[0].Bytes(i))
	null := args[1].IsNull(i)
	if !null {
		eq.set(t.Elem(), args[1].Raw(i))
	}
	for k := range a.Len() {
		if a.IsNull(k) {
			if null {
				return k + 1
			}
		} else if !null && eq.is(a.Raw(k)) {
			return k + 1
		}
	}
	return 0
}

func resolvePosition(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	elem, err := resolveElementOf(args)
	if err != nil {
		return expr.Resolution{}, err
	}
	t := args[0]
	res := expr.Resolution{Args: []types.Type{t, elem.Nullable()}, Result: like(intType, args)}
	res.New = func() expr.Kernel {
		var eq equalTo
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			n := stream.Values[int32](out)
			return each(rows, func(i int) error {
				if isValid(out, i) {
					n[i] = int32(placeOf(&eq, t, args, i))
				}
				return nil
			})
		}
	}
	return res, nil
}

func resolveRemove(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	elem, err := resolveElementOf(args)
	if err != nil {
		return expr.Resolution{}, err
	}
	t := args[0]
	res := expr.Resolution{Args: []types.Type{t, elem.Nullable()}, Result: t, NullAware: true}
	res.New = func() expr.Kernel {
		var eq equalTo
		var b types.ArrayBuilder
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			nullLike(out, args[0], rows)
			eachText(out, rows, func(i int) {
				a := types.ReadArray(t, args[0].Bytes(i))
				null := args[1].IsNull(i)
				if !null {
					eq.set(t.Elem(), args[1].Raw(i))
				}
				b.Reset(t.Elem())
				for k := range a.Len() {
					if isNull := a.IsNull(k); isNull && null || !isNull && !null && eq.is(a.Raw(k)) {
						continue
					}
					b.AppendFrom(&a, k)
				}
				out.Data = b.AppendTo(out.Data)
			})
			return nil
		}
	}
	return res, nil
}

func resolveSlice(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 2, 3); err != nil {
		return expr.Resolution{}, err
	}
	if err := isArray(args[0]); err != nil {
		return expr.Resolution{}, err
	}
	for _, t := range args[1:] {
		if !t.IsInteger() || t.Kind == types.BigInt {
			return expr.Resolution{}, fmt.Errorf("needs an INT as a place, not %s", t.Name())
		}
	}
	t := args[0]
	to := []types.Type{t, bigintType, bigintType}[:len(args)]
	res := expr.Resolution{Args: to, Result: like(t, args)}
	res.New = func() expr.Kernel {
		var b types.ArrayBuilder
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			eachText(out, rows, func(i int) {
				a := types.ReadArray(t, args[0].Bytes(i))
				n := int64(a.Len())
				to := n
				if len(args) == 3 {
					if to = integerAt(args[2], i); to < 0 {
						to += n + 1
					}
					if to == 0 {
						to = 1 // as in Flink; nothing if it is further in front
					}
					to = min(to, n)
				}
				b.Reset(t.Elem())
				for k := placeIn(integerAt(args[1], i), n) - 1; k < to; k++ {
					b.AppendFrom(&a, int(k))
				}
				out.Data = b.AppendTo(out.Data)
			})
			return nil
		}
	}
	return res, nil
}

// placeIn is a place among n elements: below 0 it counts from the end, and none is
// below 1.
func placeIn(place, n int64) int64 {
	if place < 0 {
		place += n + 1
	}
	return max(place, 1)
}

func resolveArrayJoin(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 2, 3); err != nil {
		return expr.Resolution{}, err
	}
	if args[0].Kind != types.Array || !args[0].Elem().IsText() {
		return expr.Resolution{}, expects("an array of texts", args[:1])
	}
	for _, t := range args[1:] {
		if !t.IsText() {
			return expr.Resolution{}, fmt.Errorf("needs texts behind the array, not %s", t.Name())
		}
	}
	t := args[0]
	res := expr.Resolution{Args: args, Result: like(stringType, args), CanFail: true}
	res.New = plain(bounded("ARRAY_JOIN", func(dst []byte, args []*stream.Vec, i int) []byte {
		a := types.ReadArray(t, args[0].Bytes(i))
		start, first := len(dst), true
		for k := 0; k < a.Len() && !isTooLong(dst, start); k++ {
			null := a.IsNull(k)
			if null && len(args) < 3 {
				continue
			}
			if !first {
				dst = append(dst, args[1].Bytes(i)...)
			}
			first = false
			if null {
				dst = append(dst, args[2].Bytes(i)...)
			} else {
				dst = append(dst, a.Raw(k)...)
			}
		}
		return dst
	}))
	return res, nil
}

func resolveOnly(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 1, 1); err != nil {
		return expr.Resolution{}, err
	}
	if err := isArray(args[0]); err != nil {
		return expr.Resolution{}, err
	}
	t := args[0]
	res := expr.Resolution{Args: args, Result: t.Elem().Nullable(), NullAware: true, CanFail: true}
	res.New = plain(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		var failed error
		putEach(out, rows, func(i int) []byte {
			if args[0].IsNull(i) {
				return nil
			}
			a := types.ReadArray(t, args[0].Bytes(i))
			if a.Len() > 1 && failed == nil {
				failed = &expr.RowError{Row: i, Msg: fmt.Sprintf("ELEMENT: the array has %d elements", a.Len()), Hint: "array[1] is the first one"}
			}
			if a.Len() != 1 {
				return nil
			}
			return elementOrNil(&a, 0)
		})
		return failed
	})
	return res, nil
}
