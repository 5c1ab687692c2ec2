package planner

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/sql"
	"streamsql/types"
)

// literal binds a constant; sign is "-" for a negated number.
func (x *exprBinder) literal(l *sql.Literal, sign string) (expr.Expr, error) {
	span := x.span(l)
	made := func(t types.Type, v types.Value) (expr.Expr, error) {
		return &expr.Literal{Info: expr.Info{T: t.WithNullability(v.Null), S: span}, Value: v}, nil
	}
	var t types.Type
	var v types.Value
	var err error
	switch l.Kind {
	case sql.NullLiteral:
		return made(types.Type{}, types.NullValue)
	case sql.UnknownLiteral:
		return made(types.Of(types.Boolean), types.NullValue)
	case sql.BooleanLiteral:
		return x.constant(strings.EqualFold(l.Text, "TRUE"), span), nil
	case sql.NumberLiteral, sql.DecimalLiteral:
		t, v, err = parseNumber(sign+l.Text, l.Kind == sql.DecimalLiteral)
	case sql.StringLiteral:
		return made(types.NewChar(len(utf16.Encode([]rune(l.Text)))), types.TextValue(l.Text))
	case sql.HexLiteral:
		var b []byte
		if b, err = hex.DecodeString(l.Text); err != nil {
			err = errors.New("a binary literal needs an even number of hexadecimal digits")
		}
		t, v = types.Type{Kind: types.Binary, Length: int32(len(b))}, types.TextValue(string(b))
	case sql.DateLiteral:
		t, v, err = parseDateLiteral(l.Text)
	case sql.TimeLiteral:
		t, v, err = parseTimeLiteral(l.Text)
	case sql.TimestampLiteral:
		t, v, err = parseTimestampLiteral(l.Text)
	case sql.TimestampLTZLiteral:
		if t, v, err = parseTimestampLiteral(l.Text); err == nil {
			ts := &expr.Literal{Info: expr.Info{T: t.Required(), S: span}, Value: v}
			ltz := types.Type{Kind: types.TimestampLTZ, NotNull: true, Precision: t.Precision}
			return x.fold(&expr.Cast{Info: expr.Info{T: ltz, S: span}, Arg: ts})
		}
	default:
		return nil, x.unsupported(span, "this literal", "")
	}
	if err != nil {
		return nil, x.errorf(diag.InvalidArgument, span, "%s", err.Error())
	}
	return made(t, v)
}

// parseNumber gives a number INT, then BIGINT; with a point DECIMAL of the digits
// written; with an exponent DOUBLE.
func parseNumber(s string, decimal bool) (types.Type, types.Value, error) {
	if strings.ContainsAny(s, "eE") && !decimal {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsInf(f, 0) {
			return types.Type{}, types.Value{}, fmt.Errorf("number %s is out of range for DOUBLE", s)
		}
		return types.Of(types.Double), noNegativeZero(types.FloatValue(f)), nil
	}
	point := strings.IndexByte(s, '.')
	if point == len(s)-1 {
		s, point = s[:point], -1
	}
	if point < 0 && !decimal {
		i, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return types.Type{}, types.Value{}, fmt.Errorf("number %s is out of range for BIGINT", s)
		}
		if i >= math.MinInt32 && i <= math.MaxInt32 {
			return types.Of(types.Int), types.IntValue(i), nil
		}
		return types.Of(types.BigInt), types.IntValue(i), nil
	}
	digits, scale := strings.TrimLeft(s, "+-"), 0
	precision := len(digits)
	if point >= 0 {
		precision--
		scale = len(s) - point - 1
	}
	unscaled, err := strconv.ParseInt(strings.Replace(s, ".", "", 1), 10, 64)
	if err != nil || precision > 38 {
		return types.Type{}, types.Value{}, fmt.Errorf("number %s has too many digits: write CAST('%s' AS DECIMAL(p, s))", s, s)
	}
	t := types.NewDecimal(max(precision, 1), scale)
	if t.Layout() == types.Int128 {
		return t, types.Value{D: types.Widen(unscaled)}, nil
	}
	return t, types.IntValue(unscaled), nil
}

func parseDateLiteral(s string) (types.Type, types.Value, error) {
	days, err := parseDays(strings.TrimLeft(s, " "))
	return types.Of(types.Date), types.IntValue(days), err
}

// parseDays reads y-m-d with one or two digits for month and day.
func parseDays(s string) (int64, error) {
	p := strings.Split(s, "-")
	if len(p) == 3 {
		y, ok1 := digits(p[0], 1, 4)
		m, ok2 := digits(p[1], 1, 2)
		d, ok3 := digits(p[2], 1, 2)
		if ok1 && ok2 && ok3 {
			t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
			if t.Year() == y && int(t.Month()) == m && t.Day() == d {
				return t.Unix() / 86400, nil
			}
			return 0, fmt.Errorf("date '%s' does not exist", s)
		}
	}
	return 0, fmt.Errorf("date '%s' is not of the form 'yyyy-mm-dd'", s)
}

// digits parses a number of lo to hi digits.
func digits(s string, lo, hi int) (int, bool) {
	if len(s) < lo || len(s) > hi {
		return 0, false
	}
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// parseClock reads h:m:s[.f] and returns nanoseconds of the day and the number of
// fraction digits.
func parseClock(s string) (nanos int64, precision int, err error) {
	clock, frac, _ := strings.Cut(s, ".")
	p := strings.Split(clock, ":")
	if len(p) == 3 {
		h, ok1 := digits(p[0], 1, 2)
		m, ok2 := digits(p[1], 1, 2)
		sec, ok3 := digits(p[2], 1, 2)
		frac = frac[:min(len(frac), 9)]
		f, ok4 := digits(frac, 1, 9)
		if ok1 && ok2 && ok3 && (ok4 || frac == "") && h < 24 && m < 60 && sec < 60 {
			for range 9 - len(frac) {
				f *= 10
			}
			return int64(h*3600+m*60+sec)*1e9 + int64(f), len(frac), nil
		}
	}
	return 0, 0, fmt.Errorf("time '%s' is not of the form 'hh:mm:ss[.fff]'", s)
}

func parseTimeLiteral(s string) (types.Type, types.Value, error) {
	n, p, err := parseClock(s)
	return types.Type{Kind: types.Time, Precision: int32(min(p, 3))}, types.IntValue(n / 1e6), err
}

func parseTimestampLiteral(s string) (types.Type, types.Value, error) {
	date, clock, both := strings.Cut(s, " ")
	days, err := parseDays(date)
	t := types.NewTimestamp(0)
	var n int64
	if both && err == nil {
		var p int
		n, p, err = parseClock(clock)
		t = types.NewTimestamp(p)
	}
	if err != nil {
		return t, types.Value{}, fmt.Errorf("timestamp '%s' is not of the form 'yyyy-mm-dd hh:mm:ss[.fff]'", s)
	}
	u := t.TimeUnit()
	v, ok := types.Units(days*86400+n/1e9, int(n%1e9), u, t.Precision)
	if !ok {
		return t, types.Value{}, fmt.Errorf("timestamp '%s' is out of range for %s, which holds the years 1677 to 2262: write up to six digits of the fraction", s, t.Name())
	}
	return t, types.IntValue(v), nil
}
