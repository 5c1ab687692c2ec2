package builtin

import (
	"bytes"
	"fmt"
	"slices"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

func arrayOrderFunctions() []*expr.Function {
	return []*expr.Function{
		{Name: "ARRAY_MAX", Class: "collection", Usage: "ARRAY_MAX(array)", Doc: "The greatest element that is not NULL, or NULL.",
			Examples: []expr.Example{ex("ARRAY_MAX(ARRAY[1, NULL, 3])", "3")}, Resolve: resolveArrayExtreme(true)},
		{Name: "ARRAY_MIN", Class: "collection", Usage: "ARRAY_MIN(array)", Doc: "The least element that is not NULL, or NULL.",
			Examples: []expr.Example{ex("ARRAY_MIN(ARRAY[1, NULL, 3])", "1")}, Resolve: resolveArrayExtreme(false)},
		{Name: "ARRAY_SORT", Class: "collection", Usage: "ARRAY_SORT(array [, ascending [, nulls first]])",
			Doc:      "The elements in order, ascending if nothing else is said; NULLs stand where the least elements do.",
			Examples: []expr.Example{ex("ARRAY_SORT(ARRAY[3, NULL, 1])", "[NULL, 1, 3]"), ex("ARRAY_SORT(ARRAY[3, NULL, 1], FALSE)", "[3, 1, NULL]")}, Resolve: resolveArraySort},
	}
}

// ordered refuses arrays whose elements have no order.
func ordered(args []types.Type) error {
	if err := isArray(args[0]); err != nil {
		return err
	}
	if t := args[0].Elem(); t.Kind == types.Boolean || t.IsInterval() || !t.HasOrder() {
		return fmt.Errorf("needs elements that have an order, not %s", t.Name())
	}
	return nil
}

// lessRaw reports whether a < b holds for two values of a type that has an order; of
// NaN it never does.
func lessRaw(t types.Type, a, b []byte) bool {
	switch t.Layout() {
	case types.Float32, types.Float64:
		return types.RawFloat(t, a) < types.RawFloat(t, b)
	case types.Int128:
		return types.RawDecimal(a).Cmp(types.RawDecimal(b)) < 0
	case types.Bytes:
		return bytes.Compare(a, b) < 0
	}
	return types.RawInt(t, a) < types.RawInt(t, b)
}

func resolveArrayExtreme(greatest bool) resolve {
	return func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
		if err := arity(args, 1, 1); err != nil {
			return expr.Resolution{}, err
		}
		if err := ordered(args); err != nil {
			return expr.Resolution{}, err
		}
		t, elem := args[0], args[0].Elem()
		res := expr.Resolution{Args: args, Result: elem.Nullable(), NullAware: true}
		res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
			putEach(out, rows, func(i int) []byte {
				if args[0].IsNull(i) {
					return nil
				}
				a := types.ReadArray(t, args[0].Bytes(i))
				var best []byte
				for k := range a.Len() {
					x := elementOrNil(&a, k)
					if x != nil && (best == nil || greatest && lessRaw(elem, best, x) || !greatest && lessRaw(elem, x, best)) {
						best = x
					}
				}
				return best
			})
		})
		return res, nil
	}
}

func resolveArraySort(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 1, 3); err != nil {
		return expr.Resolution{}, err
	}
	if err := ordered(args); err != nil {
		return expr.Resolution{}, err
	}
	for _, t := range args[1:] {
		if !isBool(t) {
			return expr.Resolution{}, fmt.Errorf("needs a BOOLEAN as direction, not %s", t.Name())
		}
	}
	t := args[0]
	res := expr.Resolution{Args: args, Result: like(t, args)}
	res.New = func() expr.Kernel {
		s := &arraySorter{elem: t.Elem()}
		var b types.ArrayBuilder
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			eachText(out, rows, func(i int) {
				ascending := len(args) < 2 || args[1].Bool(i)
				nullsFirst := ascending
				if len(args) == 3 {
					nullsFirst = args[2].Bool(i)
				}
				a := types.ReadArray(t, args[0].Bytes(i))
				s.sort(&a, ascending)
				b.Reset(t.Elem())
				for _, k := range s.nulls {
					if nullsFirst {
						b.AppendFrom(&a, int(k))
					}
				}
				for _, k := range s.order {
					b.AppendFrom(&a, int(k))
				}
				for _, k := range s.nulls {
					if !nullsFirst {
						b.AppendFrom(&a, int(k))
					}
				}
				out.Data = b.AppendTo(out.Data)
			})
			return nil
		}
	}
	return res, nil
}

// arraySorter orders the elements of an array.
type arraySorter struct {
	elem         types.Type
	a            *types.ArrayValue
	ascending    bool
	nulls, order []int32
}

// sort finds the order of the elements of a that are not NULL, and the places of the
// others.
func (s *arraySorter) sort(a *types.ArrayValue, ascending bool) {
	s.a, s.ascending = a, ascending
	s.nulls, s.order = s.nulls[:0], s.order[:0]
	noOrder := false
	for k := range a.Len() {
		if a.IsNull(k) {
			s.nulls = append(s.nulls, int32(k))
			continue
		}
		s.order = append(s.order, int32(k))
		noOrder = noOrder || !reflexive(s.elem, a.Raw(k))
	}
	if noOrder {
		s.insert()
		return
	}
	slices.SortStableFunc(s.order, func(x, y int32) int {
		switch p, q := a.Raw(int(x)), a.Raw(int(y)); {
		case lessRaw(s.elem, p, q) == lessRaw(s.elem, q, p):
			return 0
		case lessRaw(s.elem, p, q) == ascending:
			return -1
		}
		return 1
	})
}

// before is Flink's comparison: of two elements the first one stands in front unless it
// is greater (descending: it stands behind then only). With a NaN it is not symmetric.
func (s *arraySorter) before(x, y int32) bool {
	return lessRaw(s.elem, s.a.Raw(int(y)), s.a.Raw(int(x))) != s.ascending
}

// insert sorts as Java does a short list, where a NaN makes the result depend on the
// steps: the run at the start, which is turned round if it descends, and then each
// element by binary search.
func (s *arraySorter) insert() {
	o := s.order
	if len(o) < 2 {
		return
	}
	run := 2
	descends := s.before(o[1], o[0])
	for run < len(o) && s.before(o[run], o[run-1]) == descends {
		run++
	}
	if descends {
		slices.Reverse(o[:run])
	}
	for k := run; k < len(o); k++ {
		x := o[k]
		lo, hi := 0, k
		for lo < hi {
			if mid := int(uint(lo+hi) >> 1); s.before(x, o[mid]) {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		copy(o[lo+1:k+1], o[lo:k])
		o[lo] = x
	}
}
