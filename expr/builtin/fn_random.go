package builtin

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// RandomFunctions returns RAND, RAND_INTEGER and UUID. Each use of one in a query
// takes a seed of its own from seed, which may be called by several goroutines.
func RandomFunctions(seed func() uint64) []*expr.Function {
	return []*expr.Function{
		{Name: "RAND", Class: "numeric", Usage: "RAND([seed])", NonDeterministic: true,
			Doc: "A random number from 0.0 up to but not including 1.0. With a seed the rows get the numbers of Java's generator.",
			Resolve: func(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
				to, err := take(args, 0, intParam)
				if err != nil {
					return expr.Resolution{}, err
				}
				return expr.Resolution{Args: to, Result: like(doubleType, args), PerRow: true, New: func() expr.Kernel {
					r := randomSource{fresh: seed}
					return safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
						o := operand[float64](out, rows.N)
						_ = each(rows, func(i int) error {
							if g, ok := r.at(args, 1, i); ok {
								o[i] = g.double()
							} else {
								o[i] = 0
							}
							return nil
						})
					})()
				}}, nil
			}},
		{Name: "RAND_INTEGER", Class: "numeric", Usage: "RAND_INTEGER([seed,] bound)", NonDeterministic: true,
			Doc: "A random INT from 0 up to but not including bound, which must be positive.",
			Resolve: func(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
				to, err := take(args, 1, intParam, intParam)
				if err != nil {
					return expr.Resolution{}, err
				}
				return expr.Resolution{Args: to, Result: like(intType, args), PerRow: true, CanFail: true, New: func() expr.Kernel {
					r := randomSource{fresh: seed}
					return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
						o := operand[int32](out, rows.N)
						return each(rows, func(i int) error {
							g, ok := r.at(args, 2, i)
							last := args[len(args)-1]
							if !ok || last.IsNull(i) {
								o[i] = 0
								return nil
							}
							bound := integerAt(last, i)
							if bound <= 0 || bound > 1<<31-1 {
								return &expr.RowError{Row: i, Msg: "RAND_INTEGER: the bound must be a positive INT"}
							}
							o[i] = g.below(int32(bound))
							return nil
						})
					}
				}}, nil
			}},
		{Name: "UUID", Class: "string", Usage: "UUID()", NonDeterministic: true,
			Doc: "A random UUID of version 4, as text.",
			Resolve: func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
				if err := arity(args, 0, 0); err != nil {
					return expr.Resolution{}, err
				}
				return expr.Resolution{Result: types.NewChar(36).Required(), PerRow: true, New: func() expr.Kernel {
					var key [32]byte
					for i := 0; i < len(key); i += 8 {
						binary.LittleEndian.PutUint64(key[i:], seed())
					}
					g := rand.NewChaCha8(key)
					return safe(sure(func(dst []byte, _ []*stream.Vec, _ int) []byte { return appendUUID(dst, g.Uint64(), g.Uint64()) }))()
				}}, nil
			}},
	}
}

func appendUUID(dst []byte, hi, lo uint64) []byte {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], hi)
	binary.BigEndian.PutUint64(b[8:], lo)
	b[6] = b[6]&0x0F | 0x40
	b[8] = b[8]&0x3F | 0x80
	for i, from := range [...]int{0, 4, 6, 8, 10, 16} {
		if i > 1 {
			dst = append(dst, '-')
		}
		if i > 0 {
			dst = hex.AppendEncode(dst, b[[...]int{0, 4, 6, 8, 10}[i-1]:from])
		}
	}
	return dst
}

// randomSource gives the generator of a row: one for all rows if there is no seed, or
// a constant one; else a new one for each row.
type randomSource struct {
	fresh func() uint64
	gen   javaRandom
	ready bool
	row   javaRandom
}

// at returns the generator for row i; args has a seed in front if it is full.
func (r *randomSource) at(args []*stream.Vec, full, i int) (*javaRandom, bool) {
	seeded := len(args) == full
	if seeded && args[0].IsNull(i) {
		return nil, false
	}
	if seeded && args[0].Enc != stream.Const {
		r.row = newJavaRandom(int64(int32(integerAt(args[0], i))))
		return &r.row, true
	}
	if !r.ready {
		s := int64(0)
		if seeded {
			s = int64(int32(integerAt(args[0], i)))
		} else {
			s = int64(r.fresh())
		}
		r.gen, r.ready = newJavaRandom(s), true
	}
	return &r.gen, true
}

// javaRandom is the linear congruential generator that java.util.Random documents.
type javaRandom uint64

const (
	randomFactor = 0x5DEECE66D
	randomMask   = 1<<48 - 1
)

func newJavaRandom(seed int64) javaRandom {
	return javaRandom((uint64(seed) ^ randomFactor) & randomMask)
}

func (r *javaRandom) next(bits uint) int32 {
	*r = (*r*randomFactor + 11) & randomMask
	return int32(uint64(*r) >> (48 - bits))
}

func (r *javaRandom) double() float64 {
	hi := int64(r.next(26))
	return float64(hi<<27+int64(r.next(27))) * 0x1p-53
}

func (r *javaRandom) below(n int32) int32 {
	if n&-n == n {
		return int32(int64(n) * int64(r.next(31)) >> 31)
	}
	for {
		bits := r.next(31)
		v := bits % n
		if bits-v+(n-1) >= 0 {
			return v
		}
	}
}
