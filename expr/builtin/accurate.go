package builtin

import (
	"math"
	"math/big"
	"sync"
)

// Logarithms, powers, sine, cosine and tangent are computed with about 100 bits and
// rounded once. So results are those of any good library, Java's included, to the last
// digit; Go's own are one unit off now and then. The others: strict_math.go.

// dd is a number in two parts: hi is the nearest float64, lo the rest.
type dd struct{ hi, lo float64 }

func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

func quickSum(a, b float64) dd { // |a| ≥ |b|
	s := a + b
	return dd{s, b - (s - a)}
}

func twoProduct(a, b float64) dd {
	p := a * b
	return dd{p, math.FMA(a, b, -p)}
}

func (a dd) add(b dd) dd {
	s, t := twoSum(a.hi, b.hi), twoSum(a.lo, b.lo)
	s = quickSum(s.hi, s.lo+t.hi)
	return quickSum(s.hi, s.lo+t.lo)
}

func (a dd) neg() dd { return dd{-a.hi, -a.lo} }

func (a dd) sub(b dd) dd { return a.add(b.neg()) }

func (a dd) mul(b dd) dd {
	p := twoProduct(a.hi, b.hi)
	return quickSum(p.hi, p.lo+(a.hi*b.lo+a.lo*b.hi))
}

func (a dd) div(b dd) dd {
	q := a.hi / b.hi
	r := a.sub(b.mul(dd{q, 0}))
	q2 := r.hi / b.hi
	r = r.sub(b.mul(dd{q2, 0}))
	return quickSum(q, q2).add(dd{r.hi / b.hi, 0})
}

// scaled multiplies by a power of two.
func (a dd) scaled(k int) dd { return dd{math.Ldexp(a.hi, k), math.Ldexp(a.lo, k)} }

func (a dd) float() float64 { return a.hi + a.lo }

var (
	ddLn2  = dd{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}
	ddLn10 = dd{0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53}
)

// inverseTable holds 1/n! and 1/n.
type inverseTable struct{ factorial, number [42]dd }

var inverses = sync.OnceValue(func() *inverseTable {
	t := new(inverseTable)
	t.factorial[0] = dd{1, 0}
	for i := 1; i < len(t.number); i++ {
		n := dd{float64(i), 0}
		t.number[i] = (dd{1, 0}).div(n)
		t.factorial[i] = t.factorial[i-1].div(n)
	}
	return t
})

// ddExp returns e^(x.hi+x.lo) as m·2^k.
func ddExp(x dd) (m dd, k int) {
	k = int(math.Round(x.hi / ddLn2.hi))
	n := float64(k)
	// n·ln2 in three parts: the high part of ln2 has room for n.
	const ln2a, ln2b, ln2c = 0x1.62e42fee00000p-1, 0x1.a39ef35793c76p-33, 0x1.cc01f97b57a08p-87
	r := x.sub(dd{n * ln2a, 0}).sub(twoProduct(n, ln2b)).sub(dd{n * ln2c, 0})
	const halvings, terms = 8, 10
	r = r.scaled(-halvings)
	f := inverses()
	sum := f.factorial[terms]
	for i := terms - 1; i > 0; i-- {
		sum = sum.mul(r).add(f.factorial[i])
	}
	sum = sum.mul(r)
	// sum is e^r - 1; squaring keeps it without the one, which saves digits.
	for range halvings {
		sum = sum.add(sum).add(sum.mul(sum))
	}
	return sum.add(dd{1, 0}), k
}

// ddLog returns the logarithm of a positive finite x.
func ddLog(x float64) dd {
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	// With s = (m-1)/(m+1): log m = 2(s + s³/3 + s⁵/5 + ...), |s| < 0.18.
	s := dd{m - 1, 0}.div(twoSum(m, 1))
	f, s2 := inverses(), s.mul(s)
	last := 41 // terms until s² is too small to matter
	switch a := s2.hi; {
	case a < 0x1p-20:
		last = 11
	case a < 0x1p-10:
		last = 23
	}
	sum := f.number[last]
	for i := last - 2; i > 0; i -= 2 {
		sum = sum.mul(s2).add(f.number[i])
	}
	sum = sum.mul(s)
	return sum.add(sum).add(ddLn2.mul(dd{float64(k), 0}))
}

func logOf(x float64) float64 { return logBy(x, nil) }

// logBy returns log x, divided by base if there is one.
func logBy(x float64, base *dd) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return math.Log(x)
	}
	y := ddLog(x)
	if base != nil {
		y = y.div(*base)
	}
	return y.float()
}

func log10Of(x float64) float64 { return logBy(x, &ddLn10) }

func expOf(x float64) float64 {
	if math.IsNaN(x) || x > 710 || x < -746 {
		return math.Exp(x)
	}
	m, k := ddExp(dd{x, 0})
	return math.Ldexp(m.float(), k)
}

// powerOf is Java's pow: unlike in Go, 1 to the power of NaN and ±1 to that of an
// infinity are NaN.
func powerOf(x, y float64) float64 {
	switch {
	case math.IsNaN(y) || math.Abs(x) == 1 && math.IsInf(y, 0):
		return math.NaN()
	case x == 0 || y == 0 || x == 1 || math.IsNaN(x) || math.IsInf(x, 0) || math.IsInf(y, 0) || x < 0 && y != math.Trunc(y):
		return math.Pow(x, y)
	}
	a := math.Abs(x)
	p := ddLog(a).mul(dd{y, 0})
	if math.Abs(p.hi) > 746 || math.IsNaN(p.hi) {
		return math.Pow(x, y)
	}
	m, k := ddExp(p)
	r := math.Ldexp(m.float(), k)
	if x < 0 && math.Mod(y, 2) != 0 {
		return -r
	}
	return r
}

// quarter splits x into a multiple of π/2 (modulo 4) and a rest in [-π/4, π/4].
func quarter(x float64) (q int, r dd) {
	if math.Abs(x) < 1<<20 {
		const a, b, c, d = 0x1.921fb50000000p+0, 0x1.110b460000000p-26, 0x1.1a62630000000p-54, 0x1.8a2e03707344ap-81
		n := math.Round(x * (2 / math.Pi))
		// The products with a, b and c are exact: each has 26 bits, and so has n at most.
		r = twoSum(x, -n*a).add(dd{-n * b, 0}).add(dd{-n * c, 0}).add(twoProduct(-n, d))
		return int(int64(n) & 3), r
	}
	half := halfPi()
	v := new(big.Float).SetPrec(half.Prec()).SetFloat64(x)
	t := new(big.Float).SetPrec(half.Prec()).Quo(v, half)
	n, _ := t.Int(nil)
	rest := new(big.Float).SetPrec(half.Prec()).SetInt(n)
	rest.Sub(v, rest.Mul(rest, half))
	q = int(new(big.Int).And(n, big.NewInt(3)).Int64())
	if rest.Cmp(big.NewFloat(math.Pi/4)) > 0 {
		rest.Sub(rest, half)
		q++
	} else if rest.Cmp(big.NewFloat(-math.Pi/4)) < 0 {
		rest.Add(rest, half)
		q--
	}
	hi, _ := rest.Float64()
	lo, _ := rest.Sub(rest, big.NewFloat(hi)).Float64()
	return q & 3, dd{hi, lo}
}

// halfPi is π/2 with enough bits to reduce any float64, from Machin's formula.
var halfPi = sync.OnceValue(func() *big.Float {
	const prec = 1280
	arc := func(n int64) *big.Int { // 2^(prec+32) · arctan(1/n)
		term := new(big.Int).Lsh(big.NewInt(1), prec+32)
		term.Quo(term, big.NewInt(n))
		sum, n2 := new(big.Int).Set(term), big.NewInt(n*n)
		for k := int64(3); term.Sign() != 0; k += 2 {
			term.Quo(term, n2)
			t := new(big.Int).Quo(term, big.NewInt(k))
			if k&2 != 0 {
				sum.Sub(sum, t)
			} else {
				sum.Add(sum, t)
			}
		}
		return sum
	}
	pi4 := new(big.Int).Sub(new(big.Int).Lsh(arc(5), 2), arc(239)) // π/4
	f := new(big.Float).SetPrec(prec).SetInt(pi4)
	return f.SetMantExp(f, -(prec+32)+1)
})

// ddSinCos returns sine and cosine of a rest in [-π/4, π/4].
func ddSinCos(r dd) (sin, cos dd) {
	const terms = 26 // (π/4)^27 / 27! < 2^-102
	f, r2 := inverses(), r.mul(r).neg()
	cos, sin = f.factorial[terms], f.factorial[terms+1]
	for i := terms - 2; i >= 0; i -= 2 {
		cos = cos.mul(r2).add(f.factorial[i])
		sin = sin.mul(r2).add(f.factorial[i+1])
	}
	return sin.mul(r), cos
}

// sinCos returns sine and cosine of a finite x.
func sinCos(x float64) (sin, cos dd) {
	q, r := quarter(x)
	s, c := ddSinCos(r)
	switch q {
	case 1:
		return c, s.neg()
	case 2:
		return s.neg(), c.neg()
	case 3:
		return c.neg(), s
	}
	return s, c
}

func sinOf(x float64) float64 {
	if math.Abs(x) < 0x1p-500 || math.IsNaN(x) || math.IsInf(x, 0) {
		return math.Sin(x)
	}
	s, _ := sinCos(x)
	return s.float()
}

func cosOf(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return math.NaN()
	}
	_, c := sinCos(x)
	return c.float()
}

func tanOf(x float64) float64 {
	if math.Abs(x) < 0x1p-500 || math.IsNaN(x) || math.IsInf(x, 0) {
		return math.Tan(x)
	}
	s, c := sinCos(x)
	return s.div(c).float()
}
