package jsonpath

import (
	"bytes"
	"math"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Kind is what a JSON value is.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	False
	True
	Number
	String
	Array
	Object
)

// None is the id of no value.
const None = -1

// As in Flink values are nested at most maxDepth deep, numbers have at most maxNumber
// digits, one more with either a fraction or an exponent, and keys maxKey UTF-16 units.
const maxDepth, maxNumber, maxKey = 1000, 1000, 50_000

// node is one value. Its text is text[lo:hi], of strings without the quotes; of a
// computed value, which has lo < 0, it is made[-1-lo:hi].
type node struct {
	kind         Kind
	escaped      bool // the text has escapes
	keyEscaped   bool
	lo, hi       int32
	keyLo, keyHi int32 // in an object: the key, without the quotes
	child, next  int32 // first child and next sibling, or None
	last         int32 // last child
	n            int32 // number of children
}

// Document is a parsed JSON text. Its memory is reused by the next Parse.
type Document struct {
	// LongExponents takes numbers with more digits in the exponent than a decimal number
	// can have. They are Infinity or zero.
	LongExponents bool

	text  []byte
	made  []byte // texts of computed values
	nodes []node
	pos   int
	depth int
	sort  []int32
	ends  []int32 // of the parts of VARIANTs that are being written
	key   [2][]byte
}

// Parse reads the first value of text, which must not change while the document is
// used, and returns its id, or None if it is no JSON. As in Flink, what follows the
// value is not looked at.
func (d *Document) Parse(text []byte) int {
	d.text, d.made, d.nodes, d.pos, d.depth = text, d.made[:0], d.nodes[:0], 0, 0
	d.sort, d.ends = d.sort[:0], d.ends[:0]
	d.blank()
	id := d.value()
	if id == None {
		return None
	}
	if d.pos < len(text) && d.runsOn(d.nodes[id].kind) {
		return None
	}
	return id
}

// runsOn reports whether the text behind a value that is whole belongs to it: a number
// ends at a blank only, a word before anything that is no part of a name.
func (d *Document) runsOn(k Kind) bool {
	switch k {
	case Number:
		return !isBlank(d.text[d.pos])
	case Null, False, True:
		r, _ := utf8.DecodeRune(d.text[d.pos:])
		return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	return false
}

// Kind returns the kind of a value.
func (d *Document) Kind(id int) Kind { return d.nodes[id].kind }

// IsContainer reports whether a value is an array or object.
func (d *Document) IsContainer(id int) bool { return d.nodes[id].kind >= Array }

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (d *Document) blank() {
	for d.pos < len(d.text) && isBlank(d.text[d.pos]) {
		d.pos++
	}
}

func (d *Document) have(c byte) bool {
	if d.pos < len(d.text) && d.text[d.pos] == c {
		d.pos++
		return true
	}
	return false
}

func (d *Document) add(n node) int {
	n.child, n.next, n.last = None, None, None
	d.nodes = append(d.nodes, n)
	return len(d.nodes) - 1
}

// append makes child the last child of parent.
func (d *Document) append(parent, child int) {
	p := &d.nodes[parent]
	if p.n++; p.last == None {
		p.child = int32(child)
	} else {
		d.nodes[p.last].next = int32(child)
	}
	p.last = int32(child)
}

func (d *Document) value() int {
	if d.pos >= len(d.text) {
		return None
	}
	switch c := d.text[d.pos]; c {
	case '{', '[':
		return d.container(c)
	case '"':
		lo, hi, escaped, ok := d.quoted()
		if !ok {
			return None
		}
		return d.add(node{kind: String, lo: lo, hi: hi, escaped: escaped})
	case 't':
		return d.word("true", True)
	case 'f':
		return d.word("false", False)
	case 'n':
		return d.word("null", Null)
	}
	return d.number()
}

func (d *Document) word(w string, k Kind) int {
	if len(d.text)-d.pos < len(w) || string(d.text[d.pos:d.pos+len(w)]) != w {
		return None
	}
	d.pos += len(w)
	return d.add(node{kind: k, lo: int32(d.pos - len(w)), hi: int32(d.pos)})
}

func (d *Document) number() int {
	lo := d.pos
	d.have('-')
	digits, most := 1, maxNumber
	if !d.have('0') {
		if digits = d.digits(); digits == 0 {
			return None
		}
	}
	if d.have('.') {
		n := d.digits()
		if n == 0 {
			return None
		}
		digits, most = digits+n, maxNumber+1
	}
	if d.have('e') || d.have('E') {
		if !d.have('+') {
			d.have('-')
		}
		start := d.pos
		n := d.digits()
		if n == 0 || !d.LongExponents && isLong(d.text[start:d.pos]) {
			return None
		}
		digits, most = digits+n, 2*maxNumber+1-most
	}
	if digits > most {
		return None
	}
	return d.add(node{kind: Number, lo: int32(lo), hi: int32(d.pos)})
}

// isLong reports an exponent beyond those of decimal numbers, 31 bits.
func isLong(exponent []byte) bool {
	exponent = bytes.TrimLeft(exponent, "0")
	n, err := strconv.ParseInt(string(exponent), 10, 32)
	return len(exponent) > 0 && (err != nil || n > math.MaxInt32)
}

func (d *Document) digits() int {
	lo := d.pos
	for d.pos < len(d.text) && d.text[d.pos] >= '0' && d.text[d.pos] <= '9' {
		d.pos++
	}
	return d.pos - lo
}

// quoted reads a text in quotes.
func (d *Document) quoted() (lo, hi int32, escaped, ok bool) {
	if !d.have('"') {
		return 0, 0, false, false
	}
	start := d.pos
	for d.pos < len(d.text) {
		switch c := d.text[d.pos]; {
		case c == '"':
			d.pos++
			return int32(start), int32(d.pos - 1), escaped, true
		case c < ' ':
			return 0, 0, false, false
		case c == '\\':
			escaped = true
			n := escapeLength(d.text[d.pos:])
			if n == 0 {
				return 0, 0, false, false
			}
			d.pos += n
		default:
			d.pos++
		}
	}
	return 0, 0, false, false
}

// escapeLength returns how long the escape at the start of b is, 0 if it is none.
func escapeLength(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(b[2:]); ok {
			return 6
		}
	}
	return 0
}

func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

func (d *Document) container(open byte) int {
	if d.depth++; d.depth > maxDepth {
		return None
	}
	kind, end := Array, byte(']')
	if open == '{' {
		kind, end = Object, '}'
	}
	id := d.add(node{kind: kind, lo: int32(d.pos)})
	d.pos++
	d.blank()
	for first := true; !d.have(end); first = false {
		if !first {
			if !d.have(',') {
				return None
			}
			d.blank()
		}
		var key node
		if kind == Object {
			var ok bool
			if key.keyLo, key.keyHi, key.keyEscaped, ok = d.quoted(); !ok || d.tooLong(&key) {
				return None
			}
			d.blank()
			if !d.have(':') {
				return None
			}
			d.blank()
		}
		child := d.value()
		if child == None {
			return None
		}
		c := &d.nodes[child]
		c.keyLo, c.keyHi, c.keyEscaped = key.keyLo, key.keyHi, key.keyEscaped
		d.append(id, child)
		d.blank()
	}
	d.depth--
	d.nodes[id].hi = int32(d.pos)
	return id
}

// tooLong reports whether a key has more than maxKey UTF-16 units.
func (d *Document) tooLong(key *node) bool {
	if key.keyHi-key.keyLo <= maxKey {
		return false
	}
	text := d.text[key.keyLo:key.keyHi]
	if key.keyEscaped {
		d.key[0], _ = AppendUnescaped(d.key[0][:0], text)
		text = d.key[0]
	}
	units := 0
	for _, r := range string(text) {
		units += utf16.RuneLen(r)
	}
	return units > maxKey
}

// AppendUnescaped appends the text that b, the inside of JSON quotes, stands for;
// ok is false if it has a bad escape.
func AppendUnescaped(dst, b []byte) (_ []byte, ok bool) {
	for i := 0; i < len(b); {
		if b[i] != '\\' {
			dst = append(dst, b[i])
			i++
			continue
		}
		n := escapeLength(b[i:])
		switch {
		case n == 0:
			return dst, false
		case n == 2:
			dst = append(dst, unescaped(b[i+1]))
		default:
			r, _ := hex4(b[i+2:])
			if r >= 0xD800 && r < 0xDC00 && escapeLength(b[i+6:]) == 6 && b[i+6] == '\\' {
				if low, _ := hex4(b[i+8:]); low >= 0xDC00 && low < 0xE000 {
					r = (r-0xD800)<<10 | (low - 0xDC00) + 0x10000
					n += 6
				}
			}
			if r >= 0xD800 && r < 0xE000 {
				dst = append(dst, '?') // half a character has no UTF-8
			} else {
				dst = utf8.AppendRune(dst, r)
			}
		}
		i += n
	}
	return dst, true
}

func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// First returns the first element of an array or the value of the first member of an
// object, or None.
func (d *Document) First(id int) int { return int(d.nodes[id].child) }

// Next returns what follows an element or member, or None.
func (d *Document) Next(id int) int { return int(d.nodes[id].next) }

// AppendScalar appends a value that is no container as text: of a string what it
// stands for.
func (d *Document) AppendScalar(dst []byte, id int) []byte {
	n := &d.nodes[id]
	switch n.kind {
	case Null:
		return append(dst, "null"...)
	case Number:
		return AppendNumber(dst, d.source(n))
	case String:
		if n.escaped {
			dst, _ = AppendUnescaped(dst, d.source(n))
			return dst
		}
	}
	return append(dst, d.source(n)...)
}

// source returns the text of a value that is no container.
func (d *Document) source(n *node) []byte {
	if n.lo < 0 {
		return d.made[-1-n.lo : n.hi]
	}
	return d.text[n.lo:n.hi]
}

// compute adds a value that is not in the text.
func (d *Document) compute(kind Kind, text []byte) int {
	lo := len(d.made)
	d.made = append(d.made, text...)
	return d.add(node{kind: kind, lo: int32(-1 - lo), hi: int32(len(d.made))})
}
