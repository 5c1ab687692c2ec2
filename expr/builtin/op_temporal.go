package builtin

import (
	"fmt"
	"strings"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// resolveTemporalArith binds + - * where an operand is a time or an interval.
func resolveTemporalArith(op arith, a, b types.Type) (expr.Resolution, error) {
	args := []types.Type{a, b}
	switch {
	case a.IsInterval() && b.IsInterval() && a.Kind == b.Kind && (op == plus || op == minus):
		k := integerKernel[int64](op)
		if a.Kind == types.IntervalMonth {
			k = integerKernel[int32](op)
		}
		return expr.Resolution{Args: args, Result: like(types.Of(a.Kind), args), New: plain(k)}, nil
	case op == times && a.IsInterval() && b.IsInteger():
		return multiplyInterval(args, 0), nil
	case op == times && a.IsInteger() && b.IsInterval():
		return multiplyInterval(args, 1), nil
	case a.IsTemporal() && b.IsInterval() && (op == plus || op == minus):
		return moveTime(op, args, 0)
	case a.IsInterval() && b.IsTemporal() && op == plus:
		return moveTime(op, args, 1)
	case op == minus && a.IsTemporal() && b.IsTemporal():
		return expr.Resolution{}, fmt.Errorf("cannot subtract %s from %s without a unit; write (a - b) SECOND or TIMESTAMPDIFF(SECOND, b, a)", b.Name(), a.Name())
	}
	hint := ""
	if a.IsText() && b.IsNumeric() || a.IsNumeric() && b.IsText() {
		hint = "; CAST the text to a number"
	}
	return expr.Resolution{}, fmt.Errorf("cannot be applied to %s and %s%s", a.Name(), b.Name(), hint)
}

// multiplyInterval binds interval * integer; the interval is argument i.
func multiplyInterval(args []types.Type, i int) expr.Resolution {
	t := args[i]
	if t.Kind == types.IntervalMonth {
		to := []types.Type{intType, intType}
		to[i] = t
		return expr.Resolution{Args: to, Result: like(types.Of(t.Kind), args), New: plain(numberKernel[int32](times))}
	}
	to := []types.Type{bigintType, bigintType}
	to[i] = t
	return expr.Resolution{Args: to, Result: like(types.Of(t.Kind), args), New: plain(numberKernel[int64](times))}
}

// moveTime binds time ± interval; the time is argument i.
func moveTime(op arith, args []types.Type, i int) (expr.Resolution, error) {
	t, by := args[i], args[1-i]
	res := expr.Resolution{Args: args, Result: like(t, args)}
	sign := int64(1)
	if op == minus {
		sign = -1
	}
	unit := t.TimeUnit() / 1e3
	swap := func(args []*stream.Vec) (*stream.Vec, *stream.Vec) { return args[i], args[1-i] }
	if nanos(t) {
		res.CanFail = true
		res.New = plain(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			v, w := swap(args)
			return moveNanos(t, out, v, w, rows, sign)
		})
		return res, nil
	}
	res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		v, w := swap(args)
		switch {
		case t.IsTimestamp() && by.Kind == types.IntervalDay:
			moveStamp(out, v, w, rows.N, sign*unit)
		case t.IsTimestamp():
			moveStampMonths(out, v, w, rows, sign, unit)
		case t.Kind == types.Time && by.Kind == types.IntervalMonth:
			copyValues(out, v, rows) // months leave a time of day as it is
		case t.Kind == types.Time:
			moveTimeOfDay(out, v, w, rows.N, sign)
		case by.Kind == types.IntervalDay:
			moveDate(out, v, w, rows.N, sign)
		default:
			moveDateMonths(out, v, w, rows, sign)
		}
	})
	return res, nil
}

// moveStamp adds factor times the interval, all rows at once.
func moveStamp(out, v, w *stream.Vec, n int, factor int64) {
	o, a, b := operand[int64](out, n), operand[int64](v, n), operand[int64](w, n)
	if len(b) == 1 {
		y, o := b[0]*factor, o[:len(a)]
		for i, x := range a {
			o[i] = x + y
		}
		return
	}
	for i := range o {
		o[i] = at(a, i) + b[i]*factor
	}
}

func moveStampMonths(out, v, w *stream.Vec, rows expr.Rows, sign, unit int64) {
	o, a, b := operand[int64](out, rows.N), operand[int64](v, rows.N), operand[int32](w, rows.N)
	_ = each(rows, func(i int) error {
		ms, rest := types.FloorDiv(at(a, i), unit)
		o[i] = addMonthsMillis(ms, sign*int64(at(b, i)))*unit + rest
		return nil
	})
}

// moveNanos moves a TIMESTAMP(7) to (9), where results can be out of range.
func moveNanos(t types.Type, out, v, w *stream.Vec, rows expr.Rows, sign int64) error {
	o, a := operand[int64](out, rows.N), operand[int64](v, rows.N)
	move := func(ms int64, i int) int64 { return addMonthsMillis(ms, sign*int64(at(operand[int32](w, rows.N), i))) }
	if w.Type.Kind == types.IntervalDay {
		move = func(ms int64, i int) int64 { return ms + sign*at(operand[int64](w, rows.N), i) }
	}
	return each(rows, func(i int) error {
		ms, rest := types.FloorDiv(at(a, i), 1e6)
		moved, ok := stampOf(move(ms, i), rest, 1e6)
		if !ok && isValid(out, i) {
			return outOfNanos(t, i)
		}
		o[i] = moved
		return nil
	})
}

func moveTimeOfDay(out, v, w *stream.Vec, n int, sign int64) {
	o, a, b := operand[int32](out, n), operand[int32](v, n), operand[int64](w, n)
	for i := range o {
		_, ms := types.FloorDiv(int64(at(a, i))+sign*at(b, i), types.MillisPerDay)
		o[i] = int32(ms)
	}
}

// moveDate adds whole days; hours that do not fill a day drop out.
func moveDate(out, v, w *stream.Vec, n int, sign int64) {
	o, a, b := operand[int32](out, n), operand[int32](v, n), operand[int64](w, n)
	for i := range o {
		o[i] = at(a, i) + int32(sign*(at(b, i)/types.MillisPerDay))
	}
}

func moveDateMonths(out, v, w *stream.Vec, rows expr.Rows, sign int64) {
	o, a, b := operand[int32](out, rows.N), operand[int32](v, rows.N), operand[int32](w, rows.N)
	_ = each(rows, func(i int) error {
		o[i] = int32(addMonths(int64(at(a, i)), sign*int64(at(b, i))))
		return nil
	})
}

// differences is (a - b) with a unit behind the bracket, which comes as a text.
func differences() []*expr.Function {
	return []*expr.Function{{
		Name: "MINUS", Class: "temporal", Usage: "(time - time) unit", Operator: true,
		Doc: "Time from the second to the first: whole months for the units YEAR and MONTH, milliseconds for the others.",
		Examples: []expr.Example{
			{SQL: "(DATE '2024-03-01' - DATE '2024-02-28') DAY", Result: "+2 00:00:00.000"},
			{SQL: "(DATE '2024-03-01' - DATE '2023-02-01') MONTH", Result: "+1-01"},
		},
		Resolve: func(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
			if len(args) != 3 {
				return expr.Resolution{}, arity(args, 3, 3)
			}
			unit, _ := constText(lits, 2)
			k := types.IntervalDay
			if strings.HasPrefix(unit, "YEAR") || strings.HasPrefix(unit, "QUARTER") || strings.HasPrefix(unit, "MONTH") {
				k = types.IntervalMonth
			}
			return resolveDifference(args, k)
		},
	}}
}

// resolveDifference binds the difference of the first two arguments.
func resolveDifference(args []types.Type, k types.Kind) (expr.Resolution, error) {
	if err := comparableTimes(args[:2]); err != nil {
		return expr.Resolution{}, err
	}
	res := expr.Resolution{Args: args, Result: like(types.Of(k), args)}
	res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		a, b := timesOf(args[0], rows.N), timesOf(args[1], rows.N)
		if k == types.IntervalDay {
			o := operand[int64](out, rows.N)
			for i := range o {
				o[i] = a.millis(i) - b.millis(i)
			}
			return
		}
		o := operand[int32](out, rows.N)
		for i := range o {
			o[i] = int32(monthsBetween(a.millis(i), b.millis(i)))
		}
	})
	return res, nil
}

// comparableTimes checks two operands of a difference of times.
func comparableTimes(args []types.Type) error {
	if err := arity(args, 2, 2); err != nil {
		return err
	}
	a, b := args[0], args[1]
	if !a.IsTemporal() || !b.IsTemporal() {
		return expects("two times", args)
	}
	if zoned(a) != zoned(b) || (a.Kind == types.Time) != (b.Kind == types.Time) {
		return fmt.Errorf("cannot be applied to %s and %s", a.Name(), b.Name())
	}
	return nil
}
