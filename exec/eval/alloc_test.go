package eval

import (
	"errors"
	"math/rand/v2"
	"testing"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/stream"
	"streamsql/types"
)

// allocRows is the number of rows of a batch whose allocations are counted.
const allocRows = 512

// isPlain reports whether a type is a number, a BOOLEAN or a time.
func isPlain(t types.Type) bool {
	return t.IsNumeric() || t.Kind == types.Boolean || t.IsTemporal() || t.IsInterval()
}

// plainTypes are the types of argPool that isPlain.
func plainTypes() (plain []types.Type) {
	for _, t := range argPool {
		if isPlain(t) {
			plain = append(plain, t)
		}
	}
	return plain
}

// allocations returns how often a warm program for e allocates for a batch of random
// rows, of which a fifth is not live; false: a row fails.
func allocations(t *testing.T, r *rand.Rand, e expr.Expr, cols []types.Type) (float64, bool) {
	t.Helper()
	b := &stream.Batch{N: allocRows, Cols: make([]stream.Vec, len(cols))}
	for k, typ := range cols {
		b.Cols[k].Reset(typ, allocRows)
		for i := range allocRows {
			b.Cols[k].Put(i, allocRows, randomOf(r, typ))
		}
	}
	if r.IntN(2) == 0 {
		for i := range int32(allocRows) {
			if r.IntN(5) > 0 {
				b.Sel = append(b.Sel, i)
			}
		}
	}
	p, err := Compile([]expr.Expr{e}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, env := make([]stream.Vec, 1), &Env{}
	for range 2 {
		if err := p.Run(b, env, out); err != nil {
			var failed *Error
			if !errors.As(err, &failed) {
				t.Fatal(err)
			}
			return 0, false
		}
	}
	return testing.AllocsPerRun(3, func() {
		if err := p.Run(b, env, out); err != nil {
			t.Fatal(err)
		}
	}), true
}

// bindColumns binds f to columns of random types among those given. An argument may be
// a constant, such as a unit of time or a number of digits.
func bindColumns(f *expr.Function, r *rand.Rand, pool []types.Type) (e expr.Expr, cols []types.Type, ok bool) {
	var args []expr.Expr
	for range r.IntN(5) {
		if typ := argPool[r.IntN(len(argPool))]; r.IntN(4) == 0 {
			args = append(args, &expr.Literal{Info: expr.Info{T: typ}, Value: randomOf(r, typ)})
			continue
		}
		typ := pool[r.IntN(len(pool))]
		args = append(args, &expr.Column{Info: expr.Info{T: typ}, Index: len(cols)})
		cols = append(cols, typ)
	}
	e, ok = bindRandom(f, args)
	return e, cols, ok && len(cols) > 0
}

// allocating are the functions that may allocate for some rows, with the reason.
var allocating = map[string]string{
	"SIN": largeAngles, "COS": largeAngles, "TAN": largeAngles, "COT": largeAngles,
	"SIMILAR TO": patternPerRow, "NOT SIMILAR TO": patternPerRow, "REGEXP": patternPerRow, "REGEXP_COUNT": patternPerRow, "REGEXP_EXTRACT": patternPerRow,
	"REGEXP_EXTRACT_ALL": patternPerRow, "REGEXP_INSTR": patternPerRow, "REGEXP_REPLACE": patternPerRow, "REGEXP_SUBSTR": patternPerRow,
	"PRINTF": patternPerRow,
}

const (
	largeAngles   = "angles from 2^20 on are reduced by numbers of any length"
	patternPerRow = "a pattern that is no constant is parsed when it changes"
)

// TestFunctionsDoNotAllocate: functions and operators of numbers, booleans and times
// allocate nothing for a batch.
func TestFunctionsDoNotAllocate(t *testing.T) {
	pool := plainTypes()
	eachFunction(t, 3, 2_000, 8, 70, func(t *testing.T, f *expr.Function, r *rand.Rand) bool {
		e, cols, ok := bindColumns(f, r, pool)
		if !ok || !isPlain(e.Type()) {
			return false
		}
		n, ok := allocations(t, r, e, cols)
		if n > 0 && allocating[f.Name] == "" {
			t.Errorf("%s of %v: %v allocations for a batch", f.Name, cols, n)
		}
		return ok
	})
}

// TestTextsGoToOneBuffer: functions of texts write into the buffer of the result, which
// is there already, and allocate nothing.
func TestTextsGoToOneBuffer(t *testing.T) {
	var pool []types.Type
	for _, typ := range argPool {
		if isPlain(typ) || typ.IsText() {
			pool = append(pool, typ)
		}
	}
	eachFunction(t, 4, 2_000, 8, 40, func(t *testing.T, f *expr.Function, r *rand.Rand) bool {
		if f.Class != "string" && f.Class != "conditional" && f.Class != "comparison" {
			return false
		}
		e, cols, ok := bindColumns(f, r, pool)
		if !ok || !isPlain(e.Type()) && !e.Type().IsText() {
			return false
		}
		n, ok := allocations(t, r, e, cols)
		if n > 0 && allocating[f.Name] == "" {
			t.Errorf("%s of %v: %v allocations for a batch", f.Name, cols, n)
		}
		return ok
	})
}

// TestCastsDoNotAllocate: casts between numbers, booleans, times and texts allocate
// nothing for a batch, as long as no row fails.
func TestCastsDoNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	checked := 0
	for _, from := range argPool {
		for _, to := range argPool {
			plain := (isPlain(from) || from.IsText()) && (isPlain(to) || to.IsText())
			if !plain || !builtin.CanCast(from, to) {
				continue
			}
			e := &expr.Cast{Info: expr.Info{T: to}, Arg: col(0, from), Try: true}
			n, ok := allocations(t, r, e, []types.Type{from})
			if n > 0 {
				t.Errorf("%s to %s: %v allocations for a batch", from, to, n)
			}
			if ok {
				checked++
			}
		}
	}
	if checked < 150 {
		t.Errorf("only %d casts", checked)
	}
}
