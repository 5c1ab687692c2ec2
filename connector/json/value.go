package json

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"streamsql/connector/field"
	"streamsql/types"
)

// column is one wanted column.
type column struct {
	field.Column
	op     op
	from   int    // the value's place in the line; 0: there is none
	to     int    //
	seen   uint64 // the line in which the fast path met the key last
	minute minute
	spans  []field.Span // of the texts whose ids are to be found, by row
	part   *part        // of a nested type, once it is needed
}

func newColumn(c field.Column) column {
	return column{Column: c, op: pick(c.Type), minute: noMinute}
}

// value converts the checked value raw into row of the column.
func (d *Decoder) value(c *column, row int, raw []byte) *fault {
	if c.Type.IsNested() {
		return d.nestedValue(c, row, raw)
	}
	switch raw[0] {
	case 'n':
		return d.null(c, row)
	case '"':
		in := raw[1 : len(raw)-1]
		if bytes.IndexByte(in, '\\') >= 0 {
			d.own = unescape(d.own[:0], in)
			in = d.own
		}
		if c.op == opText {
			return d.text(c, row, in, raw)
		}
		return d.fault(c, raw, c.Parse(row, in, &d.rules))
	case '{', '[':
		if c.op == opText {
			d.own, _ = d.nested.append(d.own[:0], raw, 0)
			return d.text(c, row, d.own, raw)
		}
	case 't', 'f':
		if c.op == opText {
			c.PutText(row, raw)
			return nil
		}
		if c.op == opBool {
			c.Vec.SetBool(row, raw[0] == 't')
			return nil
		}
	default:
		if c.op != opText {
			return d.number(c, row, raw)
		}
		if d.opts.Tree {
			d.own = appendNumber(d.own[:0], raw, false)
			raw = d.own
		}
		c.PutText(row, raw)
		return nil
	}
	return d.fault(c, raw, types.Malformed)
}

// null sets the column to NULL, if it may be.
func (d *Decoder) null(c *column, row int) *fault {
	if c.Type.NotNull {
		return &fault{col: c, reason: "is NULL, but the column is declared NOT NULL", fatal: true,
			hint: fmt.Sprintf("declare column %q without NOT NULL", c.Name)}
	}
	c.PutNull(row)
	return nil
}

// text writes a text. One that is not UTF-8 makes the line a bad one.
func (d *Decoder) text(c *column, row int, in, raw []byte) *fault {
	if utf8.Valid(in) {
		c.PutText(row, in)
		return nil
	}
	i := 0
	for {
		if r, n := utf8.DecodeRune(in[i:]); r != utf8.RuneError || n > 1 {
			i += n
			continue
		}
		return &fault{col: c, value: raw, row: true, reason: fmt.Sprintf("is not UTF-8: byte 0x%02x", in[i]), hint: "convert the file to UTF-8"}
	}
}

func (d *Decoder) fault(c *column, raw []byte, wrong types.Fault) *fault {
	if wrong == types.OK {
		return nil
	}
	f := &fault{col: c, value: raw, reason: "is not " + article(c.Type)}
	if wrong != types.Malformed {
		f.reason += ": " + wrong.String()
	}
	return f
}

// article puts "a" or "an" before the name of a type.
func article(t types.Type) string {
	name := t.Name()
	if name[0] == 'I' || name[0] == 'A' { // INT, ARRAY
		return "an " + name
	}
	return "a " + name
}

// newRules returns how values are spelled.
func newRules(o Options) field.Rules {
	r := field.Rules{
		Decimal: types.ParseDecimal, Decimal64: types.ParseDecimal64, Date: types.ParseJSONDate, Time: types.ParseJSONTime,
		Timestamp: func(v []byte, unit int64, precision int32) (int64, types.Fault) {
			return types.ParseJSONTimestamp(v, unit, precision, o.ISO)
		},
		TimestampLTZ: func(v []byte, unit int64, precision int32) (int64, types.Fault) {
			return types.ParseJSONTimestampLTZ(v, unit, precision, o.ISO)
		},
	}
	if o.Inferred {
		r.Date, r.Timestamp = types.ParseCSVDate, types.ParseCSVTimestamp
	}
	return r
}

// number converts a number for a column that is no text.
func (d *Decoder) number(c *column, row int, raw []byte) *fault {
	if !c.Type.IsNumeric() {
		return d.fault(c, raw, types.Malformed)
	}
	if !c.Type.IsInteger() || isWhole(raw) {
		return d.fault(c, raw, c.Parse(row, raw, &d.rules))
	}
	if c.Type.Kind == types.TinyInt || c.Type.Kind == types.SmallInt {
		// Flink takes 1.0 and 1e2 for INT and BIGINT only.
		return &fault{col: c, value: raw, reason: "is not " + article(c.Type) + ": it is written with a fraction or an exponent"}
	}
	var whole bool
	if d.own, whole = appendWhole(d.own[:0], raw); !whole {
		return &fault{col: c, value: raw, reason: "is not " + article(c.Type) + ": it has a fraction"}
	}
	x, wrong := types.ParseCSVInt(d.own, c.Type.Kind)
	if wrong != types.OK {
		return d.fault(c, raw, wrong)
	}
	c.PutInt(row, x)
	return nil
}

// appendWhole appends a number that is written with a fraction or an exponent as
// an integer; ok is false if it is none. What has more digits than any integer
// type is cut behind them: it is out of range all the same.
func appendWhole(dst, b []byte) (_ []byte, ok bool) {
	const most = 25
	if b[0] == '-' {
		dst = append(dst, '-')
		b = b[1:]
	}
	start := len(dst)
	places, point := 0, false
	for len(b) > 0 && b[0]|0x20 != 'e' {
		switch {
		case b[0] == '.':
			point = true
		case point:
			places++
			fallthrough
		default:
			dst = append(dst, b[0])
		}
		b = b[1:]
	}
	exponent := 0
	if len(b) > 0 {
		b = b[1:]
		negative := b[0] == '-'
		for _, c := range b {
			if c >= '0' && c <= '9' && exponent < 1<<40 {
				exponent = 10*exponent + int(c-'0')
			}
		}
		if negative {
			exponent = -exponent
		}
	}
	lead := start
	for lead < len(dst) && dst[lead] == '0' {
		lead++
	}
	if lead == len(dst) {
		return append(dst[:start], '0'), true
	}
	dst = append(dst[:start], dst[lead:]...)
	exponent -= places
	for ; exponent < 0; exponent++ {
		if dst[len(dst)-1] != '0' {
			return dst, false
		}
		dst = dst[:len(dst)-1]
	}
	for ; exponent > 0 && len(dst)-start < most; exponent-- {
		dst = append(dst, '0')
	}
	return dst, true
}
