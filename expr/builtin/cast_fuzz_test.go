package builtin_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/stream"
	"streamsql/types"
)

// castTypes are the types of FuzzCast: every kind, at its limits.
var castTypes = func() []types.Type {
	of := types.Of
	ts := []types.Type{
		of(types.Varchar), types.NewChar(3), {Kind: types.Varchar, Length: 5}, of(types.Boolean), {Kind: types.Binary, Length: 4}, of(types.Varbinary),
		{Kind: types.Varbinary, Length: 6}, of(types.TinyInt), of(types.SmallInt), of(types.Int), of(types.BigInt), of(types.Float), of(types.Double),
		types.NewDecimal(1, 1), types.NewDecimal(10, 0), types.NewDecimal(18, 9), types.NewDecimal(19, 0), types.NewDecimal(38, 0), types.NewDecimal(38, 18),
		types.NewDecimal(38, 38), of(types.Date), {Kind: types.Time}, {Kind: types.Time, Precision: 3}, types.NewTimestamp(0), types.NewTimestamp(3),
		types.NewTimestamp(6), types.NewTimestamp(9), types.NewTimestampLTZ(0), types.NewTimestampLTZ(3), types.NewTimestampLTZ(9),
		of(types.IntervalMonth), of(types.IntervalDay),
	}
	for _, t := range ts[:len(ts):len(ts)] {
		ts = append(ts, types.NewArray(t))
	}
	return append(ts, types.NewMap(of(types.Varchar), of(types.Int)), types.NewRow(types.Field{Name: "a", Type: of(types.Date)}, types.Field{Name: "b", Type: types.NewDecimal(5, 2)}))
}()

// castOne converts in as CAST and TRY_CAST do; ok is false if the types do not fit, bad
// if CAST fails.
func castOne(t *testing.T, in *stream.Vec, to types.Type, zone expr.Zone) (out *stream.Vec, ok, bad bool) {
	t.Helper()
	run := func(in *stream.Vec, try bool) (*stream.Vec, error) {
		kernel, canFail, _ := builtin.CastKernel(in.Type, to, try)
		out, rows := new(stream.Vec), expr.Rows{N: in.N}
		out.Reset(to, in.N)
		if in.Valid != nil {
			copy(out.OwnValid(in.N), in.Valid)
			if canFail {
				rows.Sel = []int32{}
				for i := range in.N {
					if !in.IsNull(i) {
						rows.Sel = append(rows.Sel, int32(i))
					}
				}
			}
		}
		err := kernel(&expr.Context{Zone: zone}, []*stream.Vec{in}, out, rows)
		var row *expr.RowError
		switch {
		case err != nil && !canFail:
			t.Fatalf("%s to %s, try %v, cannot fail, but says %v", in.Type, to, try, err)
		case err != nil && !errors.As(err, &row):
			t.Fatalf("%s to %s fails without a row: %v", in.Type, to, err)
		case err == nil && out.N != in.N:
			t.Fatalf("%s to %s made %d rows of %d", in.Type, to, out.N, in.N)
		}
		return out, err
	}
	if !builtin.CanCast(in.Type, to) {
		return nil, false, false
	}
	out, err := run(in, false)
	tried, tryErr := run(in, true)
	if tryErr != nil {
		t.Fatalf("TRY_CAST of %v from %s to %s: %v", in.Value(0), in.Type, to, tryErr)
	}
	if err != nil {
		if !to.IsNested() && !tried.IsNull(0) {
			t.Fatalf("CAST of %v from %s to %s: %v; TRY_CAST gives %v", in.Value(0), in.Type, to, err, tried.Value(0))
		}
		return tried, true, true
	}
	if !out.Value(0).Equal(tried.Value(0)) {
		t.Fatalf("CAST of %v from %s to %s is %v, TRY_CAST %v", in.Value(0), in.Type, to, out.Value(0), tried.Value(0))
	}
	// The same value in the middle of others, some of them NULL.
	many := new(stream.Vec)
	many.Reset(in.Type, 5)
	for i := range 5 {
		x := in.Value(0)
		if i == 0 || i == 3 {
			x = types.NullValue
		}
		many.Put(i, 5, x)
	}
	batch, err := run(many, false)
	if err != nil {
		t.Fatalf("CAST of %v from %s to %s fails only in a batch: %v", in.Value(0), in.Type, to, err)
	}
	for i := range 5 {
		if got := batch.Value(i); (i == 0 || i == 3) != got.Null && !out.IsNull(0) || !got.Null && !got.Equal(out.Value(0)) {
			t.Fatalf("CAST of %v from %s to %s is %v, in row %d of a batch %v", in.Value(0), in.Type, to, out.Value(0), i, got)
		}
	}
	return out, true, false
}

// exact reports whether every value of t is written as a text that reads back as it.
func exact(t types.Type) bool {
	switch t.Kind {
	case types.Boolean, types.TinyInt, types.SmallInt, types.Int, types.BigInt, types.Float, types.Double, types.Decimal, types.Varchar, types.Time:
		return true
	}
	return false
}

// FuzzCast takes a text, or bytes as the value of a type, through two casts and back:
// nothing panics, TRY_CAST is NULL where CAST fails, a row in a batch is as it is alone,
// and the text of a value reads back as the value.
func FuzzCast(f *testing.F) {
	for i, s := range []string{
		"", " 12 ", "-9223372036854775808", "1e400", "NaN", "0.5", "-0", "99999999999999999999999999999999999999", ".000000000000000000000000000000000000001", "tRue",
		"2024-02-29", "2024-02-29 12:34:56.123456789", "0001-01-01", "9999-12-31 23:59:59.999999999", "-1-1-1", "24:00:00", "12:34:56.789", "1970-1-1T0:0:0Z", "é😀\xff", "\x00\x00\x00\x80\xff\xff\xff\x7f",
	} {
		f.Add(s, uint8(0), uint8(i+3), uint8(3*i))
		f.Add(s, uint8(i+7), uint8(2*i), uint8(i))
	}
	zone, err := types.LoadZone("America/New_York")
	if err != nil {
		f.Fatal(err)
	}
	text := types.Of(types.Varchar)
	f.Fuzz(func(t *testing.T, s string, from, through, to uint8) {
		at := func(k uint8) types.Type { return castTypes[int(k)%len(castTypes)] }
		in := new(stream.Vec)
		in.Reset(at(from), 1)
		v, ok := valueOf(in.Type, s)
		if !ok {
			return
		}
		in.Put(0, 1, v)
		for _, target := range []types.Type{at(through), at(to)} {
			out, ok, bad := castOne(t, in, target, zone)
			if !ok {
				return
			}
			if !bad && !out.IsNull(0) && exact(target) {
				written, _, _ := castOne(t, out, text, zone)
				again, _, bad := castOne(t, written, target, zone)
				if bad || !again.Value(0).Equal(out.Value(0)) {
					t.Fatalf("%v of %s is written %q, which reads back as %v", out.Value(0), target, written.Value(0).S, again.Value(0))
				}
			}
			in = out
		}
		castOne(t, in, text, zone)
	})
}

// valueOf makes a value of type t of s: of a text itself, of others from its first eight
// bytes, within the limits of the type.
func valueOf(t types.Type, s string) (types.Value, bool) {
	if t.Kind == types.Array {
		var b types.ArrayBuilder
		b.Reset(t.Elem())
		for i := 0; i <= len(s) && i < 24; i += 8 {
			if v, ok := valueOf(t.Elem(), s[i:]); ok && i != 8 {
				b.AppendValue(v)
			} else {
				b.AppendNull()
			}
		}
		return types.TextValue(string(b.AppendTo(nil))), true
	}
	var word [8]byte
	copy(word[:], s)
	x := int64(binary.LittleEndian.Uint64(word[:]))
	switch {
	case t.IsNested():
		return types.Value{}, false
	case t.IsText():
		return types.TextValue(string(types.FitText([]byte(s), 0, t))), true
	case t.IsBytes():
		return types.TextValue(string(types.FitBytes([]byte(s), 0, t))), true
	case t.Kind == types.Boolean:
		return types.BoolValue(x&1 != 0), true
	case t.Kind == types.Float:
		return types.FloatValue(float64(math.Float32frombits(uint32(x)))), true
	case t.Kind == types.Double:
		return types.FloatValue(math.Float64frombits(uint64(x))), true
	case t.Kind == types.Decimal:
		v, err := types.ParseText(t, fmt.Sprintf("%se-%d", strings.TrimSpace(s), t.Scale))
		return v, err == nil
	case t.Kind == types.Time:
		unit := [...]int64{1000, 100, 10, 1}[t.Precision]
		return types.IntValue(int64(uint64(x)%86_400_000) / unit * unit), true
	}
	switch t.Layout() {
	case types.Int8:
		x = int64(int8(x))
	case types.Int16:
		x = int64(int16(x))
	case types.Int32:
		x = int64(int32(x))
	}
	return types.IntValue(x), true
}
