package planner

import (
	"fmt"
	"strings"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/sql"
	"streamsql/types"
)

// interval binds INTERVAL 'text' unit [TO unit].
func (x *exprBinder) interval(e *sql.Interval) (expr.Expr, error) {
	t, n, err := parseInterval(e)
	if err != nil {
		return nil, x.errorf(diag.InvalidArgument, x.span(e), "%s", err.Error()).
			WithHint("write for example INTERVAL '5' SECOND, INTERVAL '1.5' SECOND or INTERVAL '01:30' HOUR TO MINUTE")
	}
	return &expr.Literal{Info: expr.Info{T: t.Required(), S: x.span(e)}, Value: types.IntValue(n)}, nil
}

// timeUnits are the day-time units in milliseconds, largest first.
var timeUnits = []struct {
	name string
	ms   int64
}{{"DAY", 86_400_000}, {"HOUR", 3_600_000}, {"MINUTE", 60_000}, {"SECOND", 1000}}

// parseInterval returns the type of an interval and its months or milliseconds.
func parseInterval(e *sql.Interval) (types.Type, int64, error) {
	text := strings.TrimSpace(e.Text)
	negative := e.Negative
	if strings.HasPrefix(text, "-") {
		negative, text = !negative, text[1:]
	} else {
		text = strings.TrimPrefix(text, "+")
	}
	bad := fmt.Errorf("'%s' is no interval of %s", e.Text, unitRange(e))
	t := types.Of(types.IntervalDay)
	var n int64
	var ok bool
	switch e.From {
	case "YEAR", "QUARTER", "MONTH":
		t = types.Of(types.IntervalMonth)
		n, ok = parseMonths(text, e.From, e.To)
	case "WEEK":
		n, ok = wholeNumber(text)
		n *= 7 * timeUnits[0].ms
	default:
		n, ok = parseDayTime(text, e.From, e.To)
	}
	if !ok {
		return t, 0, bad
	}
	if negative {
		n = -n
	}
	return t, n, nil
}

func unitRange(e *sql.Interval) string {
	if e.To != "" {
		return e.From + " TO " + e.To
	}
	return e.From
}

func wholeNumber(s string) (int64, bool) {
	n, ok := digits(s, 1, 18)
	return int64(n), ok && int64(n) < 1<<31
}

func parseMonths(s, from, to string) (int64, bool) {
	factor := map[string]int64{"YEAR": 12, "QUARTER": 3, "MONTH": 1}[from]
	if to == "" {
		n, ok := wholeNumber(s)
		return n * factor, ok
	}
	years, months, found := strings.Cut(s, "-")
	y, ok1 := wholeNumber(years)
	m, ok2 := wholeNumber(months)
	return y*12 + m, found && ok1 && ok2 && m < 12 && from == "YEAR" && to == "MONTH"
}

// parseDayTime reads "d h:m:s.f" from the unit from to the unit to.
func parseDayTime(s, from, to string) (int64, bool) {
	first, last := unitIndex(from), unitIndex(to)
	if to == "" {
		last = first
	}
	if first < 0 || last < first {
		return 0, false
	}
	var total int64
	for i := first; i <= last; i++ {
		part := s
		if i < last {
			sep := ":"
			if i == 0 {
				sep = " "
			}
			var found bool
			if part, s, found = strings.Cut(s, sep); !found {
				return 0, false
			}
		}
		fraction := ""
		if i == 3 {
			part, fraction, _ = strings.Cut(part, ".")
		}
		n, ok := wholeNumber(part)
		if !ok || i > first && n >= []int64{0, 24, 60, 60}[i] {
			return 0, false
		}
		total += n * timeUnits[i].ms
		if fraction != "" {
			f, ok := digits((fraction + "00")[:3], 3, 3)
			if _, all := digits(fraction, 1, 9); !ok || !all {
				return 0, false
			}
			total += int64(f)
		}
	}
	return total, true
}

func unitIndex(name string) int {
	for i, u := range timeUnits {
		if u.name == name {
			return i
		}
	}
	return -1
}
