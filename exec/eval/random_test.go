package eval

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// generator makes random expressions over two INT, one BOOLEAN and two STRING columns.
type generator struct {
	t *testing.T
	r *rand.Rand
}

func (g *generator) of(k types.Kind, depth int) expr.Expr {
	switch k {
	case types.Int:
		return g.int(depth)
	case types.Boolean:
		return g.bool(depth)
	}
	return g.text(depth)
}

func (g *generator) choice(k types.Kind, depth int) expr.Expr {
	t := types.Of(k)
	e := &expr.Case{Info: expr.Info{T: t}, Else: g.of(k, depth-1)}
	for range 1 + g.r.IntN(3) {
		e.Whens = append(e.Whens, expr.When{Cond: g.bool(depth - 1), Then: g.of(k, depth-1)})
	}
	return e
}

func (g *generator) int(depth int) expr.Expr {
	if depth <= 0 {
		switch g.r.IntN(4) {
		case 0:
			return num(int64(g.r.IntN(5)) - 1)
		case 1:
			if g.r.IntN(4) == 0 {
				return lit(intT, types.NullValue)
			}
		}
		return col(g.r.IntN(2), intT)
	}
	a, b := func() expr.Expr { return g.int(depth - 1) }, func() expr.Expr { return g.int(depth - 1 - g.r.IntN(2)) }
	switch g.r.IntN(9) {
	case 0, 1:
		return fn(g.t, [...]string{"+", "-", "*"}[g.r.IntN(3)], a(), b())
	case 2:
		return fn(g.t, [...]string{"/", "%"}[g.r.IntN(2)], a(), b())
	case 3:
		return fn(g.t, "COALESCE", a(), b())
	case 4:
		return fn(g.t, "NULLIF", a(), b())
	case 5:
		return fn(g.t, "CHAR_LENGTH", g.text(depth-1))
	case 6:
		return &expr.Cast{Info: expr.Info{T: intT}, Arg: g.text(depth - 1), Try: g.r.IntN(2) == 0}
	case 7:
		return fn(g.t, "GREATEST", a(), b())
	}
	return g.choice(types.Int, depth)
}

func (g *generator) bool(depth int) expr.Expr {
	if depth <= 0 {
		return col(2, boolT)
	}
	switch g.r.IntN(9) {
	case 0, 1:
		op := [...]string{"=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM"}[g.r.IntN(7)]
		return fn(g.t, op, g.int(depth-1), g.int(depth-1))
	case 2:
		return fn(g.t, [...]string{"=", "<", ">="}[g.r.IntN(3)], g.text(depth-1), g.text(depth-1))
	case 3:
		return fn(g.t, [...]string{"NOT", "IS TRUE", "IS NOT FALSE", "IS NULL"}[g.r.IntN(4)], g.bool(depth-1))
	case 4:
		return fn(g.t, "IN", g.int(depth-1), num(1), g.int(depth-1), num(3))
	case 5:
		return fn(g.t, "LIKE", g.text(depth-1), str([...]string{"a%", "%b", "%1%", "_"}[g.r.IntN(4)]))
	case 6:
		return g.choice(types.Boolean, depth)
	}
	var args []expr.Expr
	for range 2 + g.r.IntN(2) {
		args = append(args, g.bool(depth-1))
	}
	if g.r.IntN(2) == 0 {
		return &expr.And{Info: expr.Info{T: boolT}, Args: args}
	}
	return &expr.Or{Info: expr.Info{T: boolT}, Args: args}
}

func (g *generator) text(depth int) expr.Expr {
	if depth <= 0 {
		if g.r.IntN(4) == 0 {
			return str([...]string{"", "a", "7", "é"}[g.r.IntN(4)])
		}
		return col(3+g.r.IntN(2), textT)
	}
	switch g.r.IntN(6) {
	case 0:
		return fn(g.t, "||", g.text(depth-1), g.text(depth-1))
	case 1:
		return fn(g.t, "UPPER", g.text(depth-1))
	case 2:
		return fn(g.t, "SUBSTRING", g.text(depth-1), g.int(depth-1), g.int(depth-1))
	case 3:
		return fn(g.t, "COALESCE", g.text(depth-1), g.text(depth-1))
	case 4:
		return &expr.Cast{Info: expr.Info{T: textT}, Arg: g.int(depth - 1)}
	}
	return g.choice(types.Varchar, depth)
}

// table makes a random batch.
func (g *generator) table(n int) *stream.Batch {
	cols := make([][]any, 5)
	for range n {
		row := []any{g.r.IntN(7) - 2, g.r.IntN(4), g.r.IntN(2) == 0, [...]string{"", "a", "ab", "1", "23", "é"}[g.r.IntN(6)], fmt.Sprint(g.r.IntN(3))}
		for k, x := range row {
			if g.r.IntN(5) == 0 {
				x = nil
			}
			cols[k] = append(cols[k], x)
		}
	}
	cols[2][0], cols[3][0], cols[4][0] = true, "x", "0" // batch() sees the types
	return batch(cols...)
}

// result runs p over b and prints, for each live row before the first failure, the
// values; the failure is the last line.
func result(t *testing.T, p *Program, b *stream.Batch, n int) []string {
	t.Helper()
	out := make([]stream.Vec, n)
	err := p.Run(b, &Env{}, out)
	end, last := b.N, ""
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		end, last = e.Row, "error: "+e.Error()
	}
	var lines []string
	for i := range end {
		if b.Sel != nil {
			live := false
			for _, s := range b.Sel {
				live = live || int(s) == i
			}
			if !live {
				continue
			}
		}
		line := ""
		for k := range out {
			if v := out[k].Value(i); v.Null {
				line += "-|"
			} else {
				line += fmt.Sprint(v.I, v.S, "|")
			}
		}
		lines = append(lines, line)
	}
	if last != "" {
		lines = append(lines, last)
	}
	return lines
}

// TestBatchesDoNotMatter: random expressions give the same values and the same
// first failure for a batch, for a part of its rows, and for its rows one by one.
func TestBatchesDoNotMatter(t *testing.T) {
	failures := 0
	for seed := range uint64(1500) {
		g := &generator{t, rand.New(rand.NewPCG(seed, 7))}
		es := []expr.Expr{g.of(types.Int, 3), g.of(types.Boolean, 3), g.of(types.Varchar, 3)}
		p, err := Compile(es, nil)
		if err != nil {
			t.Fatal(err)
		}
		b := g.table(1 + g.r.IntN(150))
		if g.r.IntN(2) == 0 {
			b.Sel = []int32{}
			for i := range int32(b.N) {
				if g.r.IntN(3) > 0 {
					b.Sel = append(b.Sel, i)
				}
			}
		}
		got := result(t, p, b, len(es))
		var want []string
		for i := range b.N {
			if b.Sel != nil {
				live := false
				for _, s := range b.Sel {
					live = live || int(s) == i
				}
				if !live {
					continue
				}
			}
			one := &stream.Batch{N: 1, Cols: make([]stream.Vec, len(b.Cols))}
			for k := range b.Cols {
				one.Cols[k].Reset(b.Cols[k].Type, 1)
				one.Cols[k].Put(0, 1, b.Cols[k].Value(i))
			}
			lines := result(t, p, one, len(es))
			want = append(want, lines...)
			if p := lines[len(lines)-1]; len(p) > 6 && p[:6] == "error:" {
				failures++
				break
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("seed %d:\n%v\n%v", seed, got, want)
		}
	}
	if failures < 50 {
		t.Errorf("only %d runs failed", failures)
	}
}
