package builtin

import (
	"encoding/binary"
	"fmt"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/types/bitmap"
)

var (
	bitmapType = types.Of(types.Bitmap)
	bytesType  = types.Of(types.Varbinary)
	intsType   = types.NewArray(intType)
)

func bitmapFunctions() []*expr.Function {
	f := func(name, usage, doc string, r resolve, examples ...expr.Example) *expr.Function {
		return &expr.Function{Name: name, Class: "bitmap", Usage: usage, Doc: doc, Examples: examples, Resolve: r}
	}
	one := func(result types.Type, newKernel func() expr.Kernel) resolve {
		return fixed(result, newKernel, 1, bitmapParam)
	}
	two := func(op func(*bitmap.Set, []byte)) resolve {
		return fixed(bitmapType, combineBitmaps(op), 2, bitmapParam, bitmapParam)
	}
	return []*expr.Function{
		f("BITMAP_BUILD", "BITMAP_BUILD(array)", "The set of the INT numbers in the array; NULLs are left out.", resolveBitmapBuild,
			ex("BITMAP_BUILD(ARRAY[3, 1, 2, 1])", "{1,2,3}"), ex("BITMAP_BUILD(ARRAY[-1])", "{4294967295}")),
		f("BITMAP_AND", "BITMAP_AND(bitmap, bitmap)", "The numbers that are in both bitmaps.", two((*bitmap.Set).And),
			ex("BITMAP_AND(BITMAP_BUILD(ARRAY[1, 2]), BITMAP_BUILD(ARRAY[2, 3]))", "{2}")),
		f("BITMAP_OR", "BITMAP_OR(bitmap, bitmap)", "The numbers of both bitmaps.", two((*bitmap.Set).Or),
			ex("BITMAP_OR(BITMAP_BUILD(ARRAY[1, 2]), BITMAP_BUILD(ARRAY[2, 3]))", "{1,2,3}")),
		f("BITMAP_XOR", "BITMAP_XOR(bitmap, bitmap)", "The numbers that are in one of the two bitmaps only.", two((*bitmap.Set).Xor),
			ex("BITMAP_XOR(BITMAP_BUILD(ARRAY[1, 2]), BITMAP_BUILD(ARRAY[2, 3]))", "{1,3}")),
		f("BITMAP_ANDNOT", "BITMAP_ANDNOT(bitmap, bitmap)", "The numbers of the first bitmap that the second has not.", two((*bitmap.Set).AndNot),
			ex("BITMAP_ANDNOT(BITMAP_BUILD(ARRAY[1, 2]), BITMAP_BUILD(ARRAY[2, 3]))", "{1}")),
		f("BITMAP_CARDINALITY", "BITMAP_CARDINALITY(bitmap)", "How many numbers there are.", one(bigintType, safe(countBitmap)),
			ex("BITMAP_CARDINALITY(BITMAP_BUILD(ARRAY[3, 1, 1]))", "2")),
		f("BITMAP_TO_ARRAY", "BITMAP_TO_ARRAY(bitmap)", "The numbers as INT, those that are negative behind the others.", resolveBitmapArray,
			ex("BITMAP_TO_ARRAY(BITMAP_BUILD(ARRAY[3, -1, 1]))", "[1, 3, -1]")),
		f("BITMAP_TO_STRING", "BITMAP_TO_STRING(bitmap)", "The numbers as text, without sign and in order; a text of more than half a megabyte breaks off with three dots.",
			one(stringType, safe(sure(func(dst []byte, args []*stream.Vec, i int) []byte { return bitmap.AppendText(dst, args[0].Bytes(i)) }))),
			ex("BITMAP_TO_STRING(BITMAP_BUILD(ARRAY[3, 1]))", "{1,3}")),
		f("BITMAP_TO_BYTES", "BITMAP_TO_BYTES(bitmap)", "The bitmap as bytes, in the portable form of Roaring bitmaps.",
			one(bytesType, safe(sure(func(dst []byte, args []*stream.Vec, i int) []byte { return append(dst, args[0].Bytes(i)...) }))),
			ex("BITMAP_TO_BYTES(BITMAP_BUILD(ARRAY[1, 2]))", "x'3a30000001000000000001001000000001000200'")),
		f("BITMAP_FROM_BYTES", "BITMAP_FROM_BYTES(bytes)", "The bitmap that the bytes are the portable form of.", resolveBitmapParse,
			ex("BITMAP_FROM_BYTES(x'3a30000001000000000001001000000001000200')", "{1,2}")),
	}
}

var bitmapParam = param{"a BITMAP", func(t types.Type) bool { return t.Kind == types.Bitmap }, types.Type{}}

// isBareNull reports whether the only argument is a NULL without a type.
func isBareNull(args []types.Type) bool { return len(args) == 1 && args[0].Kind == types.Null }

// becomesInt reports whether values of t become INT without an explicit cast.
func becomesInt(t types.Type) bool { return t.IsInteger() && t.Kind <= types.Int }

func resolveBitmapBuild(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 1, 1); err != nil {
		return expr.Resolution{}, err
	}
	t := args[0]
	switch {
	case isBareNull(args):
		t = intsType
	case t.Kind == types.Array && t.Elem().IsNumeric() && !becomesInt(t.Elem()):
		return expr.Resolution{}, fmt.Errorf("expects an array of INT, not %s; CAST it to ARRAY<INT>: numbers in a bitmap have 32 bits", t.Name())
	case t.Kind != types.Array || !becomesInt(t.Elem()):
		return expr.Resolution{}, expects("an array of INT", args)
	case t.Elem().Kind != types.Int:
		t = intsType
	}
	return expr.Resolution{Args: []types.Type{t}, Result: like(bitmapType, args), New: func() expr.Kernel {
		var m bitmap.Memory
		var s bitmap.Set
		s.Use(&m)
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			eachText(out, rows, func(i int) {
				a := types.ReadArray(t, args[0].Bytes(i))
				s.Reset()
				for k := range a.Len() {
					if !a.IsNull(k) {
						s.Add(binary.LittleEndian.Uint32(a.Raw(k)))
					}
				}
				out.Data = s.AppendTo(out.Data)
			})
			return nil
		}
	}}, nil
}

// combineBitmaps makes the kernel of an operation of two bitmaps.
func combineBitmaps(op func(*bitmap.Set, []byte)) func() expr.Kernel {
	return func() expr.Kernel {
		var m bitmap.Memory
		var s bitmap.Set
		s.Use(&m)
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			eachText(out, rows, func(i int) {
				s.Reset()
				s.Or(args[0].Bytes(i))
				op(&s, args[1].Bytes(i))
				out.Data = s.AppendTo(out.Data)
			})
			return nil
		}
	}
}

func countBitmap(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
	o := operand[int64](out, rows.N)
	_ = each(rows, func(i int) error {
		if isValid(out, i) {
			o[i] = bitmap.Cardinality(args[0].Bytes(i))
		}
		return nil
	})
}

// errLongBitmap is the failure of an array that would be longer than values may be.
var errLongBitmap = fmt.Sprintf("the bitmap has too many numbers for an array: %d is the most", maxText/4)

func resolveBitmapArray(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 1, bitmapParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	return expr.Resolution{Args: to, Result: like(intsType, args), CanFail: true, New: func() expr.Kernel {
		var b types.ArrayBuilder
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			var failed error
			eachText(out, rows, func(i int) {
				set := args[0].Bytes(i)
				if n := bitmap.Cardinality(set); failed != nil || n > maxText/4 || int64(len(out.Data))+4*n > maxBatch {
					if failed == nil {
						failed = &expr.RowError{Row: i, Msg: errLongBitmap}
					}
					return
				}
				b.Reset(intType)
				bitmap.Each(set, func(x uint32) bool {
					b.Close(binary.LittleEndian.AppendUint32(b.Open(), x))
					return true
				})
				out.Data = b.AppendTo(out.Data)
			})
			return failed
		}
	}}, nil
}

func resolveBitmapParse(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 1, 1); err != nil {
		return expr.Resolution{}, err
	}
	t := args[0]
	switch {
	case isBareNull(args):
		t = bytesType
	case !t.IsBytes():
		return expr.Resolution{}, expects("bytes", args)
	}
	return expr.Resolution{Args: []types.Type{t}, Result: like(bitmapType, args), CanFail: true, New: func() expr.Kernel {
		var m bitmap.Memory
		var s bitmap.Set
		s.Use(&m)
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			var failed error
			eachText(out, rows, func(i int) {
				if failed != nil {
					return
				}
				if err := s.Parse(args[0].Bytes(i)); err != nil {
					failed = &expr.RowError{Row: i, Msg: "BITMAP_FROM_BYTES: " + err.Error(), Hint: "BITMAP_TO_BYTES and the Roaring libraries write such bytes"}
					return
				}
				out.Data = s.AppendTo(out.Data)
			})
			return failed
		}
	}}, nil
}
