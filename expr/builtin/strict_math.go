package builtin

import "math"

// Java computes the hyperbolic functions and the inverse trigonometric ones by the
// formulas of FDLIBM, with errors of up to one unit of the last digit. These are the
// same steps, in the same order. The conversions keep the compiler from fusing
// operations on machines that could.

const (
	halfPiHigh, halfPiLow = 1.57079632679489655800e+00, 6.12323399573676603587e-17
	ln2High, ln2Low       = 0x1.62e42feep-1, 0x1.a39ef35793c76p-33

	expOverflow  = 7.09782712893383973096e+02
	coshOverflow = 7.10475860073943863426e+02
)

// polynomial is c[0] + x·(c[1] + x·(c[2] + ...)).
func polynomial(x float64, c ...float64) float64 {
	sum := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		sum = c[i] + float64(x*sum)
	}
	return sum
}

// strictExp is e^x for x ≥ ln 2 / 2.
func strictExp(x float64) float64 {
	if x > expOverflow {
		return math.Inf(1)
	}
	k := 1.0
	if x >= 1.5*math.Ln2 {
		k = math.Trunc(float64(1/math.Ln2*x) + 0.5)
	}
	hi, lo := x-float64(k*ln2High), float64(k*ln2Low)
	r := hi - lo
	t := float64(r * r)
	// c is r less the even part of r·coth(r/2).
	c := r - float64(t*polynomial(t, 1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05, -1.65339022054652515390e-06, 4.13813679705723846039e-08))
	return math.Ldexp(1-((lo-float64(r*c)/(2-c))-hi), int(k))
}

// strictExpm1 is e^x - 1 for |x| < 100.
func strictExpm1(x float64) float64 {
	a, k, c := math.Abs(x), 0, 0.0
	switch {
	case a < 0x1p-54:
		return x
	case a > 0.5*math.Ln2:
		k = int(math.Copysign(1, x))
		if a >= 1.5*math.Ln2 {
			k = int(float64(1/math.Ln2*x) + math.Copysign(0.5, x))
		}
		hi, lo := x-float64(float64(k)*ln2High), float64(float64(k)*ln2Low)
		x = hi - lo
		c = (hi - x) - lo
	}
	half := 0.5 * x
	square := float64(x * half)
	r := polynomial(square, 1, -3.33333333333331316428e-02, 1.58730158725481460165e-03, -7.93650757867487942473e-05, 4.00821782732936239552e-06, -2.01099218183624371326e-07)
	t := 3 - float64(r*half)
	e := square * ((r - t) / (6 - float64(x*t)))
	if k == 0 {
		return x - (float64(x*e) - square)
	}
	e = (float64(x*(e-c)) - c) - square
	switch {
	case k == -1:
		return float64(0.5*(x-e)) - 0.5
	case k == 1 && x < -0.25:
		return -2 * (e - (x + 0.5))
	case k == 1:
		return 1 + float64(2*(x-e))
	case k <= -2 || k > 56:
		return math.Ldexp(1-(e-x), k) - 1
	case k < 20:
		return math.Ldexp((1-math.Ldexp(1, -k))-(e-x), k)
	}
	return math.Ldexp((x-(e+math.Ldexp(1, -k)))+1, k)
}

func sinhOf(x float64) float64 {
	a, h := math.Abs(x), math.Copysign(0.5, x)
	switch {
	case a < 0x1p-28 || math.IsNaN(x):
		return x
	case a > coshOverflow:
		return math.Copysign(math.Inf(1), x)
	case a < 1:
		t := strictExpm1(a)
		return h * (float64(2*t) - float64(t*t)/(t+1))
	case a < 22:
		t := strictExpm1(a)
		return h * (t + t/(t+1))
	case a < expOverflow:
		return h * strictExp(a)
	}
	w := strictExp(0.5 * a)
	return float64(h*w) * w
}

func coshOf(x float64) float64 {
	a := math.Abs(x)
	switch {
	case math.IsNaN(x):
		return x
	case a < 0.5*math.Ln2:
		t := strictExpm1(a)
		w := 1 + t
		return 1 + float64(t*t)/(w+w)
	case a < 22:
		t := strictExp(a)
		return float64(0.5*t) + 0.5/t
	case a < expOverflow:
		return 0.5 * strictExp(a)
	case a > coshOverflow:
		return math.Inf(1)
	}
	w := strictExp(0.5 * a)
	return float64(0.5*w) * w
}

func tanhOf(x float64) float64 {
	a, z := math.Abs(x), 1.0
	switch {
	case math.IsNaN(x) || a < 0x1p-55:
		return x
	case a < 1:
		t := strictExpm1(-2 * a)
		z = -t / (t + 2)
	case a < 22:
		z = 1 - 2/(strictExpm1(2*a)+2)
	}
	return math.Copysign(z, x)
}

// arcRatio is (asin(s) - s) / s for s² = t ≤ 1/4.
func arcRatio(t float64) float64 {
	p := t * polynomial(t, 1.66666666666666657415e-01, -3.25565818622400915405e-01, 2.01212532134862925881e-01, -4.00555345006794114027e-02, 7.91534994289814532176e-04, 3.47933107596021167570e-05)
	return p / polynomial(t, 1, -2.40339491173441421878e+00, 2.02094576023350569471e+00, -6.88283971605453293030e-01, 7.70381505559019352791e-02)
}

// upperHalf is x without the lower half of its bits.
func upperHalf(x float64) float64 {
	return math.Float64frombits(math.Float64bits(x) &^ (1<<32 - 1))
}

func asinOf(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a == 1:
		return float64(x*halfPiHigh) + float64(x*halfPiLow)
	case !(a < 1):
		return math.NaN()
	case a < 0x1p-27:
		return x
	case a < 0.5:
		return x + float64(x*arcRatio(float64(x*x)))
	}
	t := (1 - a) * 0.5
	r, s := arcRatio(t), math.Sqrt(t)
	if math.Float64bits(a)>>32 >= 0x3FEF3333 { // about 0.975
		return math.Copysign(halfPiHigh-(float64(2*(s+float64(s*r)))-halfPiLow), x)
	}
	const quarterPi = 7.85398163397448278999e-01
	w := upperHalf(s)
	c := (t - float64(w*w)) / (s + w)
	p := float64(2*s*r) - (halfPiLow - float64(2*c))
	return math.Copysign(quarterPi-(p-(quarterPi-float64(2*w))), x)
}

func acosOf(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x == 1:
		return 0
	case x == -1:
		return math.Pi + float64(2*halfPiLow)
	case !(a < 1):
		return math.NaN()
	case a <= 0x1p-57:
		return halfPiHigh + halfPiLow
	case a < 0.5:
		return halfPiHigh - (x - (halfPiLow - float64(x*arcRatio(float64(x*x)))))
	case x < 0:
		z := (1 + x) * 0.5
		s := math.Sqrt(z)
		return math.Pi - float64(2*(s+(float64(arcRatio(z)*s)-halfPiLow)))
	}
	z := (1 - x) * 0.5
	s := math.Sqrt(z)
	f := upperHalf(s)
	c := (z - float64(f*f)) / (s + f)
	return 2 * (f + (float64(arcRatio(z)*s) + c))
}

// The arc tangents of 0.5, 1, 1.5 and infinity, in two parts.
var (
	arcHigh = [...]float64{4.63647609000806093515e-01, 7.85398163397448278999e-01, 9.82793723247329054082e-01, halfPiHigh}
	arcLow  = [...]float64{2.26987774529616870924e-17, 3.06161699786838301793e-17, 1.39033110312309984516e-17, halfPiLow}
)

func atanOf(x float64) float64 {
	a := math.Abs(x)
	if a >= 0x1p66 {
		return math.Copysign(halfPiHigh+halfPiLow, x)
	}
	if math.IsNaN(x) || a < 0x1p-29 {
		return x
	}
	near := -1 // the point in whose neighbourhood a is
	y := a
	switch {
	case a < 0.4375:
		y = x
	case a < 0.6875:
		near, y = 0, (float64(2*a)-1)/(2+a)
	case a < 1.1875:
		near, y = 1, (a-1)/(a+1)
	case a < 2.4375:
		near, y = 2, (a-1.5)/(1+float64(1.5*a))
	default:
		near, y = 3, -1/a
	}
	z := float64(y * y)
	w := float64(z * z)
	odd := z * polynomial(w, 3.33333333333329318027e-01, 1.42857142725034663711e-01, 9.09088713343650656196e-02, 6.66107313738753120669e-02, 4.97687799461593236017e-02, 1.62858201153657823623e-02)
	even := w * polynomial(w, -1.99999999998764832476e-01, -1.11111104054623557880e-01, -7.69187620504482999495e-02, -5.83357013379057348645e-02, -3.65315727442169155270e-02)
	rest := float64(y * (odd + even))
	if near < 0 {
		return y - rest
	}
	return math.Copysign(arcHigh[near]-((rest-arcLow[near])-y), x)
}

// atan2Of puts the arc tangent of |y/x| into its quadrant.
func atan2Of(y, x float64) float64 {
	if x == 0 || y == 0 || math.IsNaN(x) || math.IsNaN(y) || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return math.Atan2(y, x)
	}
	const piLow = 2 * halfPiLow
	_, ey := math.Frexp(y)
	_, ex := math.Frexp(x)
	z := 0.0
	switch {
	case ey-ex > 60:
		z = halfPiHigh + 0.5*piLow
	case x > 0 || ey-ex >= -60:
		z = atanOf(math.Abs(y / x))
	}
	switch {
	case x > 0:
		return math.Copysign(z, y)
	case y > 0:
		return math.Pi - (z - piLow)
	}
	return (z - piLow) - math.Pi
}
