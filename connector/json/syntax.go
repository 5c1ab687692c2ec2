package json

import (
	"unicode/utf8"

	"streamsql/connector/field"
)

// maxDepth is how deep values may be nested, as in Flink's parser.
const maxDepth = 1000

// problem is why a text is not JSON; the zero problem is none.
type problem struct {
	at     int // place in the text
	reason string
}

// member is one key and its value.
type member struct {
	key, keyEnd int // between the quotes
	from, to    int // the value
	col         int32
}

// members reads the object at b[i] and appends its members to list; next is behind
// the object.
func members(list []member, b []byte, i int) (_ []member, next int, p problem) {
	i = blank(b, i+1)
	if i < len(b) && b[i] == '}' {
		return list, i + 1, p
	}
	for {
		var m member
		if i == len(b) || b[i] != '"' {
			return list, i, expected(b, i, "a key in double quotes")
		}
		m.key = i + 1
		if i, p = skipString(b, i); p.reason != "" {
			return list, i, p
		}
		m.keyEnd = i - 1
		if i = blank(b, i); i == len(b) || b[i] != ':' {
			return list, i, expected(b, i, "':'")
		}
		m.from = blank(b, i+1)
		if m.to, p = skipValue(b, m.from, 1); p.reason != "" {
			return list, i, p
		}
		list = append(list, m)
		if i = blank(b, m.to); i < len(b) && b[i] == '}' {
			return list, i + 1, p
		}
		if i == len(b) || b[i] != ',' {
			return list, i, expected(b, i, "',' or '}'")
		}
		i = blank(b, i+1)
	}
}

// blank returns the first place at or behind i that is no white space. Line feeds
// are none, since they end the line.
func blank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// cutOff is the reason of a text that ends too early.
const cutOff = "the line ends inside a JSON value"

func expected(b []byte, i int, what string) problem {
	if i >= len(b) {
		return problem{i, cutOff}
	}
	return problem{i, what + " expected"}
}

// skipValue checks the value at i and returns the place behind it.
func skipValue(b []byte, i, depth int) (int, problem) {
	if i >= len(b) {
		return i, problem{i, cutOff}
	}
	switch c := b[i]; c {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i, depth)
	case 't':
		return skipWord(b, i, "true")
	case 'f':
		return skipWord(b, i, "false")
	case 'n':
		return skipWord(b, i, "null")
	}
	if next := skipNumber(b, i); next > 0 {
		return next, problem{}
	}
	return i, expected(b, i, "a JSON value")
}

func skipWord(b []byte, i int, word string) (int, problem) {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return i, problem{i, "a JSON value expected"}
	}
	return i + len(word), problem{}
}

func skipNested(b []byte, i, depth int) (int, problem) {
	if depth == maxDepth {
		return i, problem{i, "more than 1000 values in one another"}
	}
	object := b[i] == '{'
	end, what := byte(']'), "',' or ']'"
	if object {
		end, what = '}', "',' or '}'"
	}
	var p problem
	if i = blank(b, i+1); i < len(b) && b[i] == end {
		return i + 1, p
	}
	for {
		if object {
			if i == len(b) || b[i] != '"' {
				return i, expected(b, i, "a key in double quotes")
			}
			if i, p = skipString(b, i); p.reason != "" {
				return i, p
			}
			if i = blank(b, i); i == len(b) || b[i] != ':' {
				return i, expected(b, i, "':'")
			}
			i = blank(b, i+1)
		}
		if i, p = skipValue(b, i, depth+1); p.reason != "" {
			return i, p
		}
		if i = blank(b, i); i < len(b) && b[i] == end {
			return i + 1, p
		}
		if i == len(b) || b[i] != ',' {
			return i, expected(b, i, what)
		}
		i = blank(b, i+1)
	}
}

const (
	quotes      = '"' * field.Ones
	backslashes = '\\' * field.Ones
	feeds       = '\n' * field.Ones
)

// skipString checks the string whose quote is at i. Control characters are allowed
// in it, but a line feed ends the line; UTF-8 is not looked at.
func skipString(b []byte, i int) (int, problem) {
	i++
	for {
		for i+8 <= len(b) {
			w := field.Word(b, i)
			if m := field.Zero(w^quotes) | field.Zero(w^backslashes) | field.Zero(w^feeds); m != 0 {
				i += field.At(m)
				break
			}
			i += 8
		}
		for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] != '\n' {
			i++
		}
		if i >= len(b) || b[i] == '\n' {
			return i, problem{i, cutOff}
		}
		if b[i] == '"' {
			return i + 1, problem{}
		}
		n := escapeLength(b[i:])
		if n == 0 {
			return i, expectedEscape(b, i)
		}
		i += n
	}
}

func expectedEscape(b []byte, i int) problem {
	if i+1 >= len(b) {
		return problem{len(b), cutOff}
	}
	return problem{i, "an escape of JSON expected"}
}

// escapeLength returns the length of the escape at the start of b, 0 if it is none.
func escapeLength(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) >= 6 && hex4(b[2:]) >= 0 {
			return 6
		}
	}
	return 0
}

// hex4 reads four hexadecimal digits; -1 if they are none.
func hex4(b []byte) rune {
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// skipNumber returns the place behind the number at i, -1 if there is none. What
// follows is for the caller to check.
func skipNumber(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	first := i
	if i = digits(b, i); i == first || b[first] == '0' && i > first+1 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		point := i + 1
		if i = digits(b, point); i == point {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		first = i
		if i = digits(b, i); i == first {
			return -1
		}
	}
	return i
}

func digits(b []byte, i int) int {
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}

// unescape appends the text between the quotes of a checked string. Half of a
// surrogate pair, which is no character, becomes U+FFFD.
func unescape(dst, b []byte) []byte {
	for i := 0; i < len(b); {
		if b[i] != '\\' {
			start := i
			for i < len(b) && b[i] != '\\' {
				i++
			}
			dst = append(dst, b[start:i]...)
			continue
		}
		r, n := escaped(b[i:])
		dst = utf8.AppendRune(dst, r)
		i += n
	}
	return dst
}

// escaped returns the character of the checked escape at the start of b, with the
// second half of a surrogate pair, and its length.
func escaped(b []byte) (rune, int) {
	switch c := b[1]; c {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
	default:
		return rune(c), 2
	}
	r := hex4(b[2:])
	if r < 0xD800 || r > 0xDFFF {
		return r, 6
	}
	if r < 0xDC00 && len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
		if low := hex4(b[8:]); low >= 0xDC00 && low <= 0xDFFF {
			return (r-0xD800)<<10 + (low - 0xDC00) + 0x10000, 12
		}
	}
	return utf8.RuneError, 6
}
