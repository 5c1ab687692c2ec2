package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// sqlPattern is the pattern of functions that are given none.
const sqlPattern = "yyyy-MM-dd HH:mm:ss"

func calendarFunctions() []*expr.Function {
	return []*expr.Function{
		{Name: "DATE_FORMAT", Class: "temporal", Usage: "DATE_FORMAT(timestamp, pattern); DATE_FORMAT(text, pattern)",
			Doc:      "The time as text, in letters such as yyyy-MM-dd HH:mm:ss.SSS; a TIMESTAMP_LTZ in the session time zone.",
			Examples: []expr.Example{ex("DATE_FORMAT(TIMESTAMP '2024-02-29 12:34:56', 'yyyy/MM/dd')", "2024/02/29")}, Resolve: resolveDateFormat},
		{Name: "TO_DATE", Class: "temporal", Usage: "TO_DATE(text [, pattern])", Doc: "The DATE that a text says; NULL if it says none.",
			Examples: []expr.Example{ex("TO_DATE('2024-02-29')", "2024-02-29"), ex("TO_DATE('20240229', 'yyyyMMdd')", "2024-02-29")}, Resolve: resolveToDate},
		{Name: "TO_TIMESTAMP", Class: "temporal", Usage: "TO_TIMESTAMP(text [, pattern])", Doc: "The TIMESTAMP(3) that a text says; NULL if it says none.",
			Examples: []expr.Example{ex("TO_TIMESTAMP('2024-02-29 12:34:56')", "2024-02-29 12:34:56.000"), ex("TO_TIMESTAMP('29-Feb-2024', 'dd-MMM-yyyy')", "2024-02-29 00:00:00.000")},
			Resolve:  resolveToTimestamp},
		{Name: "TO_TIMESTAMP_LTZ", Class: "temporal", Usage: "TO_TIMESTAMP_LTZ(number [, precision]); TO_TIMESTAMP_LTZ(text [, pattern [, zone]])",
			Doc:      "The instant of a number of seconds (precision 0), milliseconds (3, default), ... since 1970, or of a text in a zone (UTC if not given).",
			Examples: []expr.Example{ex("CAST(TO_TIMESTAMP_LTZ(1000, 3) AS STRING)", "1970-01-01 00:00:01.000")}, Resolve: resolveToTimestampLTZ},
		{Name: "FROM_UNIXTIME", Class: "temporal", Usage: "FROM_UNIXTIME(seconds [, pattern])", Doc: "Seconds since 1970 as text in the session time zone.",
			Examples: []expr.Example{ex("FROM_UNIXTIME(44)", "1970-01-01 00:00:44")}, Resolve: resolveFromUnixtime},
		{Name: "CONVERT_TZ", Class: "temporal", Usage: "CONVERT_TZ(text, from, to)", Doc: "A wall clock time of one zone on the clock of another; an unknown zone is UTC.",
			Examples: []expr.Example{ex("CONVERT_TZ('1970-01-01 00:00:00', 'UTC', 'America/Los_Angeles')", "1969-12-31 16:00:00")}, Resolve: resolveConvertTZ},
	}
}

// patterns gives the pattern of each row, parsed once while it stays the same.
type patterns struct {
	reads bool // patterns are for reading
	plain bool // they are Java's older formats
	fixed *datePattern
	text  []byte
	last  *datePattern
	err   error
}

// plainSQLPattern is the default pattern as one of Java's older formats.
func plainSQLPattern() *datePattern {
	p, _ := parseDatePattern(sqlPattern)
	p.plain = true
	return p
}

// newPatterns parses the pattern now if argument i is constant; without such an
// argument it is the default.
func newPatterns(args []types.Type, lits []*expr.Literal, i int) (*patterns, error) {
	s := sqlPattern
	if i < len(args) {
		var ok bool
		if s, ok = constText(lits, i); !ok {
			return &patterns{}, nil
		}
	}
	p, err := parseDatePattern(s)
	return &patterns{fixed: p}, err
}

// clone makes an independent copy for one kernel.
func (p *patterns) clone() *patterns {
	return &patterns{reads: p.reads, plain: p.plain, fixed: p.fixed}
}

func (p *patterns) at(args []*stream.Vec, k, i int) (*datePattern, error) {
	if p.fixed != nil {
		return p.fixed, nil
	}
	b := args[k].Bytes(i)
	if p.last == nil && p.err == nil || !bytes.Equal(b, p.text) {
		p.text = append(p.text[:0], b...)
		if p.last, p.err = parsePatternFor(string(b), p.reads); p.err == nil && p.plain {
			p.err = p.last.makePlain()
		}
	}
	return p.last, p.err
}

// makePlain makes the patterns Java's older formats.
func (p *patterns) makePlain() error {
	p.plain = true
	if p.fixed != nil {
		return p.fixed.makePlain()
	}
	return nil
}

func resolveDateFormat(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	time := param{"a TIMESTAMP or a text", func(t types.Type) bool { return t.IsTimestamp() || t.IsText() }, types.Type{}}
	if len(args) == 2 && (args[0].Kind == types.Date || args[0].Kind == types.Time) {
		return expr.Resolution{}, fmt.Errorf("expects a TIMESTAMP; write CAST(... AS TIMESTAMP(3)) around the %s", args[0].Name())
	}
	to, err := take(args, 2, time, textParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	ps, err := newPatterns(args, lits, 1)
	if err != nil {
		return expr.Resolution{}, err
	}
	t := args[0]
	res := expr.Resolution{Args: to, Result: stringType, CanFail: ps.fixed == nil || ps.fixed.padded()}
	if t.IsText() {
		if err := ps.makePlain(); err != nil {
			return expr.Resolution{}, err
		}
		from := plainSQLPattern()
		res.New = formatting(ps, 1, func(_ *expr.Context, args []*stream.Vec, i int) (int64, int64, bool) {
			return from.parse(args[0].Bytes(i), true)
		})
		return res, nil
	}
	local, unit := zoned(t), t.TimeUnit()/1e3
	exact := ps.fixed == nil || ps.fixed.hasFraction()
	res.New = formatting(ps, 1, func(c *expr.Context, args []*stream.Vec, i int) (int64, int64, bool) {
		v := timeVec{stamp: stream.Values[int64](args[0]), unit: unit}
		ms := v.millis(i)
		if local {
			ms = wall(c.Zone, ms)
		}
		if !exact {
			return ms, 0, true
		}
		return ms, v.nanos(i), true
	})
	return res, nil
}

// formatting makes the kernel of a function that prints times with the pattern of
// argument k; get reads the time of a row.
func formatting(ps *patterns, k int, get func(c *expr.Context, args []*stream.Vec, i int) (ms, nanos int64, ok bool)) func() expr.Kernel {
	return func() expr.Kernel {
		ps := ps.clone()
		return func(c *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			var failed error
			eachText(out, rows, func(i int) {
				p, err := ps.at(args, k, i)
				if err != nil {
					if failed == nil {
						failed = &expr.RowError{Row: i, Msg: err.Error()}
					}
					return
				}
				ms, nanos, ok := get(c, args, i)
				if !ok {
					out.SetNull(i, rows.N)
					return
				}
				var fits bool
				if out.Data, fits = p.append(out.Data, ms, nanos); !fits && failed == nil {
					failed = &expr.RowError{Row: i, Msg: "a part of the time is longer than the pattern's letters p pad it to"}
				}
			})
			return failed
		}
	}
}

func resolveFromUnixtime(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 1, intParam, textParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	ps, err := newPatterns(args, lits, 1)
	if err != nil {
		return expr.Resolution{}, err
	}
	if err := ps.makePlain(); err != nil {
		return expr.Resolution{}, err
	}
	return expr.Resolution{Args: to, Result: stringType, CanFail: ps.fixed == nil,
		New: formatting(ps, 1, func(c *expr.Context, args []*stream.Vec, i int) (int64, int64, bool) {
			ms := integerAt(args[0], i) * 1e3
			return ms + oldOffset(c.Zone, ms), 0, true
		})}, nil
}

// reading makes the kernel of a function that reads times: get gives the stored
// value of a row, false for NULL.
func reading[T int32 | int64](ps *patterns, k int, get func(c *expr.Context, p *datePattern, args []*stream.Vec, i int) (T, bool)) func() expr.Kernel {
	return func() expr.Kernel {
		ps := ps.clone()
		return func(c *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			o := operand[T](out, rows.N)
			return each(rows, func(i int) error {
				if !isValid(out, i) {
					return nil
				}
				p, err := ps.at(args, k, i)
				if err != nil { // what has no meaning cannot be read
					out.SetNull(i, rows.N)
					return nil
				}
				v, ok := get(c, p, args, i)
				if !ok {
					out.SetNull(i, rows.N)
				}
				o[i] = v
				return nil
			})
		}
	}
}

// readPatterns is newPatterns for functions that read: a constant pattern without
// meaning makes every row NULL, as in Flink.
func readPatterns(args []types.Type, lits []*expr.Literal, i int) *patterns {
	ps := &patterns{reads: true}
	text := sqlPattern
	if i < len(args) {
		var ok bool
		if text, ok = constText(lits, i); !ok {
			return ps
		}
	}
	if p, err := parsePatternFor(text, true); err == nil {
		ps.fixed = p
	}
	return ps
}

func resolveToDate(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 1, textParam, textParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	plain := len(args) == 1
	res := expr.Resolution{Args: to, Result: dateType}
	res.New = reading(readPatterns(args, lits, 1), 1, func(_ *expr.Context, p *datePattern, args []*stream.Vec, i int) (int32, bool) {
		if plain {
			days, fault := types.ParseDate(args[0].Bytes(i))
			return int32(days), fault == types.OK
		}
		ms, _, ok := p.parse(args[0].Bytes(i), true)
		days, _ := types.FloorDiv(ms, types.MillisPerDay)
		return int32(days), ok
	})
	return res, nil
}

// readTimestamp reads a wall clock time as CAST does, in milliseconds.
func readTimestamp(b []byte) (ms int64, ok bool) {
	s, nanos, fault := types.ParseTimestamp(b)
	return s*1e3 + int64(nanos)/1e6, fault == types.OK
}

// readWith reads a wall clock time with a pattern, or in the form of SQL.
func readWith(p *datePattern, b []byte) (ms int64, ok bool) {
	if ms, _, ok = p.parse(b, false); ok {
		return ms, true
	}
	return parseSQLTimestamp(b)
}

func resolveToTimestamp(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 1, textParam, textParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	plain := len(args) == 1
	res := expr.Resolution{Args: to, Result: types.NewTimestamp(3)}
	res.New = reading(readPatterns(args, lits, 1), 1, func(_ *expr.Context, p *datePattern, args []*stream.Vec, i int) (int64, bool) {
		if plain {
			return readTimestamp(args[0].Bytes(i))
		}
		return readWith(p, args[0].Bytes(i))
	})
	return res, nil
}

func resolveToTimestampLTZ(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 1, 3); err != nil {
		return expr.Resolution{}, err
	}
	if args[0].IsNumeric() {
		return resolveEpoch(args, lits)
	}
	to, err := take(args, 1, textParam, textParam, textParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	plain := len(args) == 1
	if s, ok := constText(lits, 2); ok {
		if _, err := types.LoadZone(s); err != nil {
			return expr.Resolution{}, fmt.Errorf("does not know the time zone '%s'", s)
		}
	}
	res := expr.Resolution{Args: to, Result: types.NewTimestampLTZ(3)}
	ps := readPatterns(args, lits, 1)
	res.New = func() expr.Kernel {
		var zones zoneCache
		return reading(ps, 1, func(_ *expr.Context, p *datePattern, args []*stream.Vec, i int) (int64, bool) {
			if plain {
				return readTimestamp(args[0].Bytes(i))
			}
			ms, ok := readWith(p, args[0].Bytes(i))
			if ok && len(args) == 3 {
				z := zones.get(args[2].Bytes(i))
				if z == nil {
					return 0, false
				}
				ms = z.Instant(ms)
			}
			return ms, ok
		})()
	}
	return res, nil
}

// resolveEpoch binds TO_TIMESTAMP_LTZ of a number: the precision says its unit.
func resolveEpoch(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 1, 2); err != nil {
		return expr.Resolution{}, err
	}
	p := int64(3)
	if len(args) == 2 {
		if lits[1] == nil || !lits[1].T.IsInteger() || lits[1].Value.I < 0 || lits[1].Value.I > 9 {
			return expr.Resolution{}, errors.New("expects a literal from 0 to 9 as precision")
		}
		p = lits[1].Value.I
	}
	t := types.NewTimestampLTZ(int(max(p, 3)))
	res := expr.Resolution{Args: append([]types.Type{}, args...), Result: t}
	given := types.Pow10(int32(p)) // units a second of the number
	factor := t.TimeUnit() / given // stored units per unit of the number
	put := func(o []int64, out *stream.Vec, i, n int, v int64, ok bool) {
		if s, _ := types.FloorDiv(v, given); !ok || s < minEpoch || s > maxEpoch || v*factor/factor != v {
			out.SetNull(i, n)
			return
		}
		o[i] = v * factor
	}
	switch {
	case args[0].IsApproximate():
		res.Args[0] = doubleType
		res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
			o, x := operand[int64](out, rows.N), operand[float64](args[0], rows.N)
			for i := range o {
				v, ok := epochOf(at(x, i), given, t.TimeUnit())
				if o[i] = v; !ok {
					out.SetNull(i, rows.N)
				}
			}
		})
	case args[0].Kind == types.Decimal:
		s := args[0].Scale
		res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
			o, x := operand[int64](out, rows.N), decimalsOf(args[0], rows.N)
			for i := range o {
				v, ok := types.Narrow(cutDecimal(x.at(i), s))
				put(o, out, i, rows.N, v, ok)
			}
		})
	default:
		res.Args[0] = bigintType
		res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
			o, x := operand[int64](out, rows.N), operand[int64](args[0], rows.N)
			for i := range o {
				put(o, out, i, rows.N, at(x, i), true)
			}
		})
	}
	return res, nil
}

// The instants that a number may give, in seconds: the years 0 to 9999.
const (
	minEpoch = -62167219200
	maxEpoch = 253402300799
)

// epochOf converts a DOUBLE count of units, given of them a second, to stored units:
// by way of whole nanoseconds as far as these reach.
func epochOf(x float64, given, stored int64) (int64, bool) {
	if math.IsNaN(x) {
		return 0, true
	}
	if s := x / float64(given); !(s >= minEpoch && s <= maxEpoch) {
		return 0, false
	}
	if n := x * float64(1e9/given); n > -9.2e18 && n < 9.2e18 {
		v, _ := types.FloorDiv(int64(n), 1e9/stored)
		return v, true
	}
	if given > stored {
		return int64(x / float64(given/stored)), true
	}
	return int64(x * float64(stored/given)), true
}

// cutDecimal drops the digits behind the point.
func cutDecimal(x types.Num128, scale int32) types.Num128 {
	v, _ := roundDecimal(x, scale, 0, types.NewDecimal(types.MaxPrecision, 0), 2)
	return v
}

// zoneCache keeps the zone looked up last.
type zoneCache struct {
	java bool // the names are those of Java's TimeZone
	name []byte
	zone *types.Zone
}

// shortZones are the abbreviations that Java's TimeZone knows; EST, MST and HST are in
// the tz database.
var shortZones = map[string]string{
	"ACT": "Australia/Darwin", "AET": "Australia/Sydney", "AGT": "America/Argentina/Buenos_Aires", "ART": "Africa/Cairo",
	"AST": "America/Anchorage", "BET": "America/Sao_Paulo", "BST": "Asia/Dhaka", "CAT": "Africa/Harare", "CNT": "America/St_Johns",
	"CST": "America/Chicago", "CTT": "Asia/Shanghai", "EAT": "Africa/Addis_Ababa", "ECT": "Europe/Paris", "IET": "America/Indiana/Indianapolis",
	"IST": "Asia/Kolkata", "JST": "Asia/Tokyo", "MIT": "Pacific/Apia", "NET": "Asia/Yerevan", "NST": "Pacific/Auckland", "PLT": "Asia/Karachi",
	"PNT": "America/Phoenix", "PRT": "America/Puerto_Rico", "PST": "America/Los_Angeles", "SST": "Pacific/Guadalcanal", "VST": "Asia/Ho_Chi_Minh",
}

// javaZone returns the name in the tz database of a zone of Java's TimeZone, which knows
// abbreviations, and offsets behind GMT only; "" if it has none.
func javaZone(name string) string {
	if long := shortZones[name]; long != "" {
		return long
	}
	if strings.HasPrefix(name, "UTC") && name != "UTC" || strings.HasPrefix(name, "UT+") || strings.HasPrefix(name, "UT-") || strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
		return ""
	}
	return name
}

// get returns the zone of that name, or nil.
func (z *zoneCache) get(name []byte) *types.Zone {
	if z.zone == nil || !bytes.Equal(name, z.name) {
		z.name = append(z.name[:0], name...)
		long := string(name)
		if z.java {
			long = javaZone(long)
		}
		z.zone, _ = types.LoadZone(long)
	}
	return z.zone
}

func resolveConvertTZ(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 3, textParam, textParam, textParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	res := expr.Resolution{Args: to, Result: stringType}
	res.New = func() expr.Kernel {
		from, into := zoneCache{java: true}, zoneCache{java: true}
		p := plainSQLPattern()
		return safe(textOf(func(dst []byte, args []*stream.Vec, i int) ([]byte, bool) {
			ms, _, ok := p.parse(args[0].Bytes(i), true)
			if !ok {
				return dst, false
			}
			ms -= floorMod(ms, 1e3)
			if z := from.get(args[1].Bytes(i)); z != nil {
				ms = oldInstant(z, ms)
			}
			if z := into.get(args[2].Bytes(i)); z != nil {
				ms += oldOffset(z, ms)
			}
			return p.append(dst, ms, 0)
		}))()
	}
	return res, nil
}

// laterInstant is Zone.Instant but for wall clock times that exist twice: it gives
// the later instant, as Java's old calendar does.
func laterInstant(z expr.Zone, local int64) int64 {
	if z == nil {
		return local
	}
	first := z.Instant(local)
	offset := z.Offset(first + types.MillisPerDay)
	if later := local - offset; later > first && z.Offset(later) == offset {
		return later
	}
	return first
}
