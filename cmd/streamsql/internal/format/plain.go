package format

import "encoding/binary"

// Plain reports whether a text needs no quotes and no escapes in any format: it holds
// printable ASCII only, and neither comma, quotation mark nor backslash. It looks at
// eight bytes at a time, so asking for a whole column at once is cheap.
func Plain(text []byte) bool {
	for len(text) >= 8 {
		if special(binary.LittleEndian.Uint64(text)) {
			return false
		}
		text = text[8:]
	}
	w := uint64(low * 'a')
	for i, c := range text {
		w ^= uint64(c^'a') << (8 * i)
	}
	return !special(w)
}

// AlwaysPlain reports whether all values of the column's type have plain texts.
func (c Column) AlwaysPlain() bool {
	switch baseType(c.Type) {
	case "BOOLEAN", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ":
		return true
	}
	return isNumber(c.Type)
}

// JSON reports whether a format wants the values of the column as JSON: bytes, VARIANTs and
// nested values, whose texts do not tell what they are made of, where it writes JSON itself.
func (c Column) JSON(format string) bool {
	if format != "json" && format != "ndjson" {
		return false
	}
	switch baseType(c.Type) {
	case "ARRAY", "MAP", "MULTISET", "ROW", "VARIANT", "BYTES", "BINARY", "VARBINARY":
		return true
	}
	return false
}

const (
	low  = 0x0101010101010101
	high = 0x8080808080808080
)

// special reports whether one of the eight bytes is not plain. With the highest bits
// clear, none of the sums carries into the next byte.
func special(w uint64) bool {
	v := w &^ high
	found := ^(v + low*(0x80-0x20)) // below a blank
	found |= v + low                // 0x7f
	found |= ^((v ^ low*',') + low*0x7f)
	found |= ^((v ^ low*'"') + low*0x7f)
	found |= ^((v ^ low*'\\') + low*0x7f)
	return (w|found)&high != 0
}

// quotedInCSV reports whether a text holds a byte for which RFC 4180 wants quotes.
func quotedInCSV(text []byte) bool {
	for len(text) >= 8 {
		w := binary.LittleEndian.Uint64(text)
		v := w &^ high
		found := ^((v ^ low*',') + low*0x7f)
		found |= ^((v ^ low*'"') + low*0x7f)
		found |= ^((v ^ low*'\n') + low*0x7f)
		found |= ^((v ^ low*'\r') + low*0x7f)
		if found&high&^w != 0 {
			return true
		}
		text = text[8:]
	}
	for _, c := range text {
		if c == ',' || c == '"' || c == '\n' || c == '\r' {
			return true
		}
	}
	return false
}
