package builtin

import (
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// roundSmall makes the loop of roundDecimals for DECIMALs of 64 bits of which digits are
// dropped and whose results fit to; nil: it is another case.
func roundSmall(t, to types.Type, digits int32, direction int) loop {
	drop := t.Scale - digits
	if t.Layout() != types.Int64 || to.Layout() != types.Int64 || digits < 0 || drop <= 0 || digits != to.Scale || to.Precision <= t.Precision-drop {
		return nil
	}
	unit := types.Pow10(drop)
	d := newDivisor(unit, 64)
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		x := operand[int64](args[0], rows.N)
		o := operand[int64](out, rows.N)[:len(x)]
		switch direction {
		case 0:
			for i, v := range x {
				half := unit / 2
				if v < 0 {
					half = -half
				}
				o[i] = d.wide(v + half)
			}
		case 2:
			for i, v := range x {
				o[i] = d.wide(v)
			}
		default: // down, or up as the opposite of the opposite down
			sign := int64(-direction)
			for i, v := range x {
				v *= sign
				q := d.wide(v)
				o[i] = sign * (q - int64(bit(q*unit > v)))
			}
		}
	}
}
