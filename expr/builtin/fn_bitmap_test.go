package builtin

import (
	"testing"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/types/bitmap"
)

// bitmapKernel returns the kernel of a function of columns of these types.
func bitmapKernel(t *testing.T, name string, args ...types.Type) (expr.Kernel, types.Type) {
	t.Helper()
	f := NewRegistry().Function(name)
	if f == nil {
		t.Fatalf("no function %s", name)
	}
	r, err := f.Resolve(args, make([]*expr.Literal, len(args)))
	if err != nil {
		t.Fatal(err)
	}
	return r.New(), r.Result
}

// TestBitmapAllocations: nothing is allocated for the rows of a batch, once there has
// been one.
func TestBitmapAllocations(t *testing.T) {
	const rows = 500
	var a, b, ints []types.Value
	var array types.ArrayBuilder
	for i := range uint32(rows) {
		a = append(a, bitmapOf(i, i+1, i<<14, 7))
		b = append(b, bitmapOf(i+1, 3*i, i<<16, 8))
		array.Reset(intType)
		for k := range 3 {
			array.AppendValue(types.IntValue(int64(i) << (8 * k)))
		}
		ints = append(ints, types.TextValue(string(array.AppendTo(nil))))
	}
	bytesColumn := aggColumn(bytesType, a...)
	for _, c := range []struct {
		name string
		args []*stream.Vec
	}{
		{"BITMAP_BUILD", []*stream.Vec{aggColumn(intsType, ints...)}},
		{"BITMAP_AND", []*stream.Vec{aggColumn(bitmapType, a...), aggColumn(bitmapType, b...)}},
		{"BITMAP_OR", []*stream.Vec{aggColumn(bitmapType, a...), aggColumn(bitmapType, b...)}},
		{"BITMAP_XOR", []*stream.Vec{aggColumn(bitmapType, a...), aggColumn(bitmapType, b...)}},
		{"BITMAP_ANDNOT", []*stream.Vec{aggColumn(bitmapType, a...), aggColumn(bitmapType, b...)}},
		{"BITMAP_CARDINALITY", []*stream.Vec{aggColumn(bitmapType, a...)}},
		{"BITMAP_TO_ARRAY", []*stream.Vec{aggColumn(bitmapType, a...)}},
		{"BITMAP_TO_STRING", []*stream.Vec{aggColumn(bitmapType, a...)}},
		{"BITMAP_TO_BYTES", []*stream.Vec{aggColumn(bitmapType, a...)}},
		{"BITMAP_FROM_BYTES", []*stream.Vec{bytesColumn}},
	} {
		var argTypes []types.Type
		for _, v := range c.args {
			argTypes = append(argTypes, v.Type)
		}
		kernel, result := bitmapKernel(t, c.name, argTypes...)
		var out stream.Vec
		run := func() {
			out.Reset(result, rows)
			if err := kernel(&expr.Context{}, c.args, &out, expr.Rows{N: rows}); err != nil {
				t.Fatal(err)
			}
		}
		run()
		if n := testing.AllocsPerRun(5, run); n > 4 {
			t.Errorf("%s: %v allocations for %d rows", c.name, n, rows)
		}
	}
}

// TestLongBitmapArray: a bitmap is small where its array would be out of all bounds.
func TestLongBitmapArray(t *testing.T) {
	const blocks = maxText/4>>16 + 1
	b := []byte{0x3b, 0x30, byte((blocks - 1) & 255), byte((blocks - 1) >> 8)}
	for range (blocks + 7) / 8 {
		b = append(b, 0xff)
	}
	for i := range blocks {
		b = append(b, byte(i), byte(i>>8), 0xff, 0xff)
	}
	b = append(b, make([]byte, 4*blocks)...)
	for range blocks {
		b = append(b, 1, 0, 0, 0, 0xff, 0xff)
	}
	var m bitmap.Memory
	var s bitmap.Set
	s.Use(&m)
	if err := s.Parse(b); err != nil || s.Cardinality() != blocks<<16 {
		t.Fatalf("%v, %d numbers", err, s.Cardinality())
	}
	kernel, result := bitmapKernel(t, "BITMAP_TO_ARRAY", bitmapType)
	var out stream.Vec
	out.Reset(result, 1)
	v := aggColumn(bitmapType, types.TextValue(string(s.AppendTo(nil))))
	if err := kernel(&expr.Context{}, []*stream.Vec{v}, &out, expr.Rows{N: 1}); err == nil || err.Error() != errLongBitmap {
		t.Errorf("%v, want %s", err, errLongBitmap)
	}
}
