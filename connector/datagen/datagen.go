package datagen

import (
	"strconv"
	"strings"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

// Factory makes generators.
type Factory struct {
	now func() int64
}

// New returns the factory of the connector "datagen"; now is the clock, in
// milliseconds since 1970.
func New(now func() int64) connector.Factory { return Factory{now} }

// Name implements connector.Factory.
func (Factory) Name() string { return "datagen" }

// Sink implements connector.Factory.
func (Factory) Sink(t connector.Table) (connector.Sink, error) {
	return nil, diag.New(diag.Unsupported, t.Span, "table %q cannot be written: connector \"datagen\" only reads", t.Name).
		Wrap(connector.ErrNotSupported)
}

// properties of fields, as in fields.NAME.PROPERTY.
var properties = []string{"kind", "min", "max", "max-past", "length", "var-len", "start", "end", "null-rate"}

// Source implements connector.Factory.
func (f Factory) Source(t connector.Table) (connector.Source, error) {
	if len(t.Schema.Fields) == 0 {
		return nil, diag.New(diag.InvalidArgument, t.Span, "table %q has no columns", t.Name).WithHint("declare its columns")
	}
	s := &source{now: f.now, schema: t.Schema, rows: -1}
	given := make([]map[string]connector.Option, len(t.Schema.Fields))
	for i := range given {
		given[i] = map[string]connector.Option{}
	}
	for _, o := range t.Options {
		var err error
		switch {
		case o.Key == "connector" || o.Key == "scan.parallelism":
		case o.Key == "rows-per-second":
			s.rate, err = number(o, 1)
		case o.Key == "number-of-rows":
			s.rows, err = number(o, 0)
		case o.Key == "seed":
			var seed int64
			seed, err = number(o, -1<<63)
			s.seed = uint64(seed)
		case strings.HasPrefix(o.Key, "fields."):
			err = assign(o, t.Schema, given)
		default:
			err = diag.New(diag.UndefinedOption, o.KeySpan, "connector \"datagen\" has no option %q", o.Key).
				DidYouMean(o.Key, []string{"rows-per-second", "number-of-rows", "seed"}, "fields are set by fields.NAME.PROPERTY")
		}
		if err != nil {
			return nil, err
		}
	}
	for i, field := range t.Schema.Fields {
		g, err := newGenerator(field, given[i], t.Span)
		if err != nil {
			return nil, err
		}
		g.salt = mix(s.seed + uint64(i+1)*golden)
		s.fields = append(s.fields, *g)
		if g.sequence {
			if n := g.end - g.start + 1; n >= 0 && (s.rows < 0 || n < s.rows) {
				s.rows = n // the source ends with its shortest sequence
			}
		}
	}
	return s, nil
}

// assign files an option of a field under its column.
func assign(o connector.Option, schema stream.Schema, given []map[string]connector.Option) error {
	rest := strings.TrimPrefix(o.Key, "fields.")
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 {
		return diag.New(diag.UndefinedOption, o.KeySpan, "option %q does not have the form fields.NAME.PROPERTY", o.Key)
	}
	name, property := rest[:dot], rest[dot+1:]
	known := false
	for _, p := range properties {
		known = known || p == property
	}
	if !known {
		return diag.New(diag.UndefinedOption, o.KeySpan, "fields of connector \"datagen\" have no property %q", property).
			DidYouMean(property, properties, "")
	}
	for i, f := range schema.Fields {
		if f.Name == name {
			given[i][property] = o
			return nil
		}
	}
	return diag.New(diag.UndefinedColumn, o.KeySpan, "option %q: there is no column %q", o.Key, name).
		DidYouMean(name, schema.Names(), "")
}

func number(o connector.Option, least int64) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(o.Value), 10, 64)
	if err != nil || n < least {
		return 0, diag.New(diag.InvalidArgument, o.ValueSpan, "option %q must be an integer of at least %d, not '%s'", o.Key, least, o.Value)
	}
	return n, nil
}

// source is a checked definition.
type source struct {
	now    func() int64
	schema stream.Schema
	fields []generator
	rate   int64 // rows per second; 0: as fast as they are taken
	rows   int64 // -1: without end
	seed   uint64
}

// Schema implements connector.Source.
func (s *source) Schema() stream.Schema { return s.schema }

// Traits implements connector.Source.
func (s *source) Traits() connector.Traits {
	return connector.Traits{Bounded: s.rows >= 0, Live: s.rate > 0}
}

// generator makes the values of one column.
type generator struct {
	typ        types.Type
	salt       uint64
	sequence   bool
	start, end int64
	lo, hi     int64   // random integers, unscaled decimals, milliseconds back
	flo, fhi   float64 // random FLOAT and DOUBLE
	length     int
	vary       bool    // the length is random up to length
	nulls      float64 // share of NULLs
}

func newGenerator(f stream.Field, given map[string]connector.Option, span diag.Span) (*generator, error) {
	g := &generator{typ: f.Type}
	if !f.Type.HasOrder() || f.Type.IsInterval() || f.Type.Layout() == types.Int128 {
		return nil, diag.New(diag.Unsupported, span, "connector \"datagen\" makes no values of type %s, which column %q has", f.Type.Name(), f.Name).
			WithHint("declare column %q with another type", f.Name)
	}
	allowed := []string{"kind", "null-rate"}
	switch kind := given["kind"]; {
	case kind.Key == "" || kind.Value == "random":
		allowed = append(allowed, g.random(f)...)
	case kind.Value != "sequence":
		return nil, diag.New(diag.InvalidArgument, kind.ValueSpan, "option %q must be 'random' or 'sequence', not '%s'", kind.Key, kind.Value)
	case !f.Type.IsNumeric() && !f.Type.IsText():
		return nil, diag.New(diag.InvalidArgument, kind.ValueSpan, "column %q of type %s cannot be a sequence", f.Name, f.Type.Name())
	default:
		g.sequence = true
		allowed = []string{"kind", "start", "end"}
		for _, p := range allowed[1:] {
			if given[p].Key == "" {
				return nil, diag.New(diag.InvalidArgument, kind.KeySpan, "sequence of column %q: option %q is missing", f.Name, "fields."+f.Name+"."+p)
			}
		}
	}
	for _, p := range properties {
		o := given[p]
		if o.Key == "" {
			continue
		}
		ok := false
		for _, a := range allowed {
			ok = ok || a == p
		}
		if !ok {
			return nil, diag.New(diag.InvalidArgument, o.KeySpan, "option %q has no meaning for column %q of type %s", o.Key, f.Name, f.Type.Name())
		}
		if err := g.set(p, o); err != nil {
			return nil, err
		}
	}
	if g.sequence && g.end < g.start-1 || !g.sequence && (g.hi < g.lo || g.fhi < g.flo) {
		return nil, diag.New(diag.InvalidArgument, span, "column %q: the end of the range is below its start", f.Name)
	}
	return g, nil
}

// random sets the defaults of random values, which are Flink's, and returns the
// properties they have.
func (g *generator) random(f stream.Field) []string {
	limits := []string{"min", "max"}
	switch f.Type.Kind {
	case types.TinyInt:
		g.lo, g.hi = -1<<7, 1<<7-1
	case types.SmallInt:
		g.lo, g.hi = -1<<15, 1<<15-1
	case types.Int:
		g.lo, g.hi = -1<<31, 1<<31-1
	case types.BigInt:
		g.lo, g.hi = -1<<63, 1<<63-1
	case types.Decimal:
		g.hi = types.Pow10(f.Type.Precision) - 1
	case types.Float:
		g.fhi = 3.4028234663852886e38
	case types.Double:
		g.fhi = 1.7976931348623157e308
	case types.Char, types.Varchar, types.Binary, types.Varbinary:
		g.length = 100
		if f.Type.Length != types.MaxLength {
			g.length = int(f.Type.Length)
		}
		return []string{"length", "var-len"}
	case types.Timestamp, types.TimestampLTZ:
		return []string{"max-past"}
	default:
		return nil
	}
	return limits
}

func (g *generator) set(property string, o connector.Option) (err error) {
	switch property {
	case "kind":
	case "null-rate":
		g.nulls, err = strconv.ParseFloat(o.Value, 64)
		if err != nil || !(g.nulls >= 0 && g.nulls <= 1) {
			return diag.New(diag.InvalidArgument, o.ValueSpan, "option %q must be a number from 0 to 1, not '%s'", o.Key, o.Value)
		}
		if g.nulls > 0 && g.typ.NotNull {
			return diag.New(diag.InvalidArgument, o.ValueSpan, "option %q: the column is declared NOT NULL", o.Key)
		}
	case "var-len":
		g.vary = o.Value == "true"
	case "length":
		var n int64
		n, err = number(o, 0)
		g.length = int(min(n, 1<<20))
	case "max-past":
		g.hi, err = millis(o)
	case "start":
		g.start, err = g.bound(o)
	case "end":
		g.end, err = g.bound(o)
	default: // min, max
		to, fto := &g.lo, &g.flo
		if property == "max" {
			to, fto = &g.hi, &g.fhi
		}
		bad := diag.New(diag.InvalidArgument, o.ValueSpan, "option %q is no %s: '%s'", o.Key, g.typ.Name(), o.Value)
		switch {
		case g.typ.IsApproximate():
			if *fto, err = strconv.ParseFloat(o.Value, 64); err != nil {
				return bad
			}
		case g.typ.Kind == types.Decimal:
			var fault types.Fault
			if *to, fault = types.ParseDecimal64([]byte(o.Value), g.typ.Precision, g.typ.Scale); fault != types.OK {
				return bad
			}
		default:
			var fault types.Fault
			if *to, fault = types.ParseCSVInt([]byte(o.Value), g.typ.Kind); fault != types.OK {
				return bad
			}
		}
	}
	return err
}

// bound is a limit of a sequence, which must fit the type.
func (g *generator) bound(o connector.Option) (int64, error) {
	n, err := number(o, -1<<62)
	if err == nil && g.typ.IsInteger() {
		if _, fault := types.ParseCSVInt([]byte(o.Value), g.typ.Kind); fault != types.OK {
			err = diag.New(diag.InvalidArgument, o.ValueSpan, "option %q is no %s: '%s'", o.Key, g.typ.Name(), o.Value)
		}
	}
	return min(n, 1<<62), err
}

// units of durations, as Flink spells them.
var units = []struct {
	names string
	ms    int64
}{
	{" ms milli millis millisecond milliseconds ", 1}, {" s sec secs second seconds ", 1000}, {" m min minute minutes ", 60_000},
	{" h hour hours ", 3_600_000}, {" d day days ", 86_400_000},
}

func millis(o connector.Option) (int64, error) {
	s := strings.TrimSpace(o.Value)
	digits := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
	unit := strings.ToLower(strings.TrimSpace(s[len(digits):]))
	if n, err := strconv.ParseInt(digits, 10, 40); err == nil {
		if unit == "" {
			return n, nil
		}
		for _, u := range units {
			if strings.Contains(u.names, " "+unit+" ") {
				return n * u.ms, nil
			}
		}
	}
	return 0, diag.New(diag.InvalidArgument, o.ValueSpan, "option %q must be a duration such as '5 s', not '%s'", o.Key, o.Value)
}
