package json

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

// Looks reports whether the start of an input is that of an object, or of an array
// of objects.
func Looks(sample []byte) bool {
	sample = bytes.TrimLeft(bytes.TrimPrefix(sample, mark), " \t\r\n")
	if len(sample) > 0 && sample[0] == '[' {
		sample = bytes.TrimLeft(sample[1:], " \t\r\n")
	}
	return len(sample) > 0 && sample[0] == '{'
}

// Infer guesses the columns of json from a sample: the keys of its first rows, in
// the order in which they appear. file names it in messages, whole says that
// nothing follows it, given are the json options that are known. It returns the
// columns, and the options with which the input is to be read.
func Infer(file string, sample []byte, whole bool, rows int, given []connector.Option) (stream.Schema, []connector.Option, error) {
	if _, err := ParseOptions(given); err != nil {
		return stream.Schema{}, nil, err
	}
	g := guesser{kinds: map[string]int{}}
	sample = bytes.TrimPrefix(sample, mark)
	for len(sample) > 0 && g.rows < rows {
		line, rest, ended := bytes.Cut(sample, []byte{'\n'})
		if !ended && !whole && g.rows > 0 {
			break // it may be cut
		}
		g.line(line)
		sample = rest
	}
	if g.rows == 0 && g.wrong.reason != "" {
		f := g.wrong.fault()
		e := diag.New(diag.Decode, diag.Span{}, "%s: there is no row to take the columns from: %s", file, f.reason)
		if e.Hint = f.hint; e.Hint == "" {
			e.Hint = "correct the file: each line must be a JSON object"
		}
		return stream.Schema{}, nil, e
	}
	var schema stream.Schema
	for _, c := range g.cols {
		schema.Fields = append(schema.Fields, stream.Field{Name: c.name, Type: c.typ()})
	}
	if len(schema.Fields) == 0 {
		return stream.Schema{}, nil, diag.New(diag.Decode, diag.Span{}, "%s has no JSON objects with keys: there is nothing to take the columns from", file).
			WithHint("declare the columns with CREATE TABLE")
	}
	return schema, append(given[:len(given):len(given)], connector.Option{Key: Prefix + inferredName, Value: "true"}), nil
}

// guesser collects the keys of the rows and the kinds of their values.
type guesser struct {
	rows  int
	cols  []guess
	kinds map[string]int // index into cols
	list  []member
	wrong problem // of the first line that is not JSON
}

type guess struct {
	name string
	kind types.Kind // Null: only nulls so far
}

func (g *guesser) line(b []byte) {
	i := blank(b, 0)
	if i == len(b) {
		return
	}
	array := b[i] == '['
	if array {
		if i = blank(b, i+1); i < len(b) && b[i] == ']' {
			return
		}
	}
	for {
		if i == len(b) || b[i] != '{' {
			g.fail(expected(b, i, "'{'"))
			return
		}
		var p problem
		if g.list, i, p = members(g.list[:0], b, i); p.reason != "" {
			g.fail(p)
			return
		}
		g.rows++
		for k := range g.list {
			g.member(b, &g.list[k])
		}
		if i = blank(b, i); !array || i == len(b) || b[i] != ',' {
			return
		}
		i = blank(b, i+1)
	}
}

func (g *guesser) fail(p problem) {
	if g.wrong.reason == "" {
		g.wrong = p
	}
}

func (g *guesser) member(b []byte, m *member) {
	key := unescape(nil, b[m.key:m.keyEnd])
	if len(key) == 0 || !utf8.Valid(key) {
		return // cannot be named in a query
	}
	k, ok := g.kinds[string(key)]
	if !ok {
		k = len(g.cols)
		g.kinds[string(key)] = k
		g.cols = append(g.cols, guess{name: string(key)})
	}
	c := &g.cols[k]
	switch kind := kindOf(b[m.from:m.to]); {
	case kind == types.Null || kind == c.kind:
	case c.kind == types.Null:
		c.kind = kind
	case c.kind == types.BigInt && kind == types.Double || c.kind == types.Double && kind == types.BigInt:
		c.kind = types.Double
	default:
		c.kind = types.Varchar
	}
}

func (c *guess) typ() types.Type {
	switch c.kind {
	case types.Null:
		return types.Of(types.Varchar)
	case types.Timestamp:
		return types.NewTimestamp(3)
	}
	return types.Of(c.kind)
}

// kindOf returns the kind of a checked value. An integer that no BIGINT holds is a
// text, and so are objects and arrays.
func kindOf(raw []byte) types.Kind {
	switch c := raw[0]; c {
	case 'n':
		return types.Null
	case 't', 'f':
		return types.Boolean
	case '{', '[':
		return types.Varchar
	case '"':
	default:
		if !isWhole(raw) {
			return types.Double
		}
		if _, wrong := types.ParseCSVInt(raw, types.BigInt); wrong != types.OK {
			return types.Varchar
		}
		return types.BigInt
	}
	s := raw[1 : len(raw)-1]
	if len(s) >= 19 && s[4] == '-' && s[0] > ' ' && !strings.ContainsAny(string(s[len(s)-1]), " \t") {
		if _, wrong := types.ParseCSVTimestamp(s, 1e3, 3); wrong == types.OK {
			return types.Timestamp
		}
	}
	if len(s) == 10 {
		if _, wrong := types.ParseJSONDate(s); wrong == types.OK {
			return types.Date
		}
	}
	return types.Varchar
}
