package builtin

import (
	"errors"
	"fmt"
	"strings"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// clockFunctions read the processing time; within one batch it stands still.
func clockFunctions() []*expr.Function {
	clock := func(name, usage, doc string, t types.Type, read func(c *expr.Context) int64, aliases ...string) *expr.Function {
		return &expr.Function{
			Name: name, Aliases: aliases, Class: "temporal", Usage: usage, Doc: doc, NonDeterministic: true,
			Resolve: func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
				if err := arity(args, 0, 0); err != nil {
					return expr.Resolution{}, err
				}
				return expr.Resolution{Result: t.Required(), New: safe(func(c *expr.Context, _ []*stream.Vec, out *stream.Vec, rows expr.Rows) {
					v := types.IntValue(read(c))
					for i := range rows.N {
						out.Put(i, rows.N, v)
					}
				})}, nil
			}}
	}
	now := func(c *expr.Context) int64 { return c.Now }
	local := func(c *expr.Context) int64 { return wall(c.Zone, c.Now) }
	today := func(c *expr.Context) int64 {
		days, _ := types.FloorDiv(local(c), types.MillisPerDay)
		return days
	}
	ofDay := func(c *expr.Context) int64 {
		ms := floorMod(local(c), types.MillisPerDay)
		return ms - ms%types.MillisPerSecond
	}
	time := types.Type{Kind: types.Time}
	return []*expr.Function{
		clock("CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP", "The current instant.", types.NewTimestampLTZ(3), now),
		clock("NOW", "NOW()", "The current instant.", types.NewTimestampLTZ(3), now, "CURRENT_ROW_TIMESTAMP"),
		clock("LOCALTIMESTAMP", "LOCALTIMESTAMP", "The current time on the wall clock of the session time zone.", types.NewTimestamp(3), local),
		clock("CURRENT_DATE", "CURRENT_DATE", "Today in the session time zone.", dateType, today),
		clock("LOCALTIME", "LOCALTIME", "The current time of the day in the session time zone.", time, ofDay),
		clock("CURRENT_TIME", "CURRENT_TIME", "The current time of the day in the session time zone.", time, ofDay),
		{Name: "UNIX_TIMESTAMP", Class: "temporal", Usage: "UNIX_TIMESTAMP([text [, pattern]])", NonDeterministic: true,
			Doc:      "Seconds since 1970: now, or of a text in the session time zone; NULL if it says no time.",
			Examples: []expr.Example{ex("UNIX_TIMESTAMP('1970-01-01 00:00:44')", "44")}, Resolve: resolveUnixTimestamp},
		{Name: "CURRENT_DATABASE", Class: "conversion", Usage: "CURRENT_DATABASE()", Doc: "The name of the current database; there is one.",
			Examples: []expr.Example{ex("CURRENT_DATABASE()", "default_database")},
			Resolve:  fixed(stringType, safe(sure(func(dst []byte, _ []*stream.Vec, _ int) []byte { return append(dst, "default_database"...) })), 0)},
		{Name: "TYPEOF", Class: "conversion", Usage: "TYPEOF(value [, force])", Doc: "The type of the value as text.",
			Examples: []expr.Example{ex("TYPEOF(1)", "INT NOT NULL")}, Resolve: resolveTypeof},
	}
}

func resolveUnixTimestamp(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	if len(args) == 0 {
		return expr.Resolution{Result: bigintType.Required(), New: safe(func(c *expr.Context, _ []*stream.Vec, out *stream.Vec, rows expr.Rows) {
			s, _ := types.FloorDiv(c.Now, 1e3)
			for i := range operand[int64](out, rows.N) {
				stream.Values[int64](out)[i] = s
			}
		})}, nil
	}
	to, err := take(args, 1, textParam, textParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	res := expr.Resolution{Args: to, Result: bigintType}
	ps := readPatterns(args, lits, 1)
	if err := ps.makePlain(); err != nil {
		ps = &patterns{reads: true, plain: true} // nothing can be read
	}
	if text, ok := constText(lits, 0); ok && ps.fixed != nil {
		if _, _, ok := ps.fixed.parse([]byte(text), true); ok {
			res.Result = bigintType.Required() // a constant that does say a time
		}
	}
	res.New = reading(ps, 1, func(c *expr.Context, p *datePattern, args []*stream.Vec, i int) (int64, bool) {
		var f dateFields
		ms, _, ok := p.parseFields(args[0].Bytes(i), true, &f)
		if f.zoned {
			ms -= f.offset
		} else {
			ms = oldInstant(c.Zone, ms)
		}
		s, _ := types.FloorDiv(ms, 1e3)
		return s, ok
	})
	return res, nil
}

func resolveTypeof(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 1, 2); err != nil {
		return expr.Resolution{}, err
	}
	if len(args) == 2 && args[1].Kind != types.Boolean {
		return expr.Resolution{}, errors.New("expects a BOOLEAN as argument 2, not " + args[1].Name())
	}
	name := args[0].String()
	if len(lits) > 1 && lits[1] != nil && !lits[1].Value.Null && lits[1].Value.I != 0 {
		name = fullNames(name)
	}
	return expr.Resolution{Args: args, Result: stringType, NullAware: true,
		New: safe(sure(func(dst []byte, _ []*stream.Vec, _ int) []byte { return append(dst, name...) }))}, nil
}

// fullNames writes STRING and BYTES of a type's text as the types that they stand for;
// names of fields, in backquotes, stay.
func fullNames(s string) string {
	parts := strings.Split(s, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = strings.NewReplacer("STRING", fmt.Sprintf("VARCHAR(%d)", types.MaxLength), "BYTES", fmt.Sprintf("VARBINARY(%d)", types.MaxLength)).Replace(parts[i])
	}
	return strings.Join(parts, "`")
}
