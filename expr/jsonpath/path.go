package jsonpath

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

type stepKind uint8

const (
	property stepKind = iota
	wildcard
	index
	slice
	deep // the next step, at any depth
	function
)

// step is one part of a path.
type step struct {
	kind     stepKind
	names    []string // property; function: its name
	indexes  []int    // index; function: its arguments
	from, to int      // slice
	hasFrom  bool
	hasTo    bool
}

// definite reports whether a step leads to one value.
func (s *step) definite(last bool) bool {
	switch s.kind {
	case property:
		return len(s.names) == 1 || last
	case index:
		return len(s.indexes) == 1
	case function:
		return true
	}
	return false
}

// Path is a compiled path.
type Path struct {
	// Lax: what is not there is no error.
	Lax   bool
	steps []step
	// Definite paths give one value, others a list.
	definite bool
}

// UnsupportedError says that a path, which may be a good one, uses what is not supported.
type UnsupportedError struct{ What, Hint string }

// Error returns one line.
func (e *UnsupportedError) Error() string { return e.What + " is not supported; " + e.Hint }

// Mode takes the word lax or strict off the start of a path. Without one of them a path is
// strict.
func Mode(text string) (lax bool, path string) {
	s := strings.TrimLeft(text, " \t\n\r\f\v")
	if i := strings.IndexAny(s, " \t\n\r\f\v"); i > 0 && strings.Trim(s[i:], " \t\n\r\f\v") != "" {
		switch word := s[:i]; {
		case strings.EqualFold(word, "lax"):
			return true, strings.TrimLeft(s[i:], " \t\n\r\f\v")
		case strings.EqualFold(word, "strict"):
			return false, strings.TrimLeft(s[i:], " \t\n\r\f\v")
		}
	}
	return false, text
}

// Compile reads a path: [lax | strict] $.name, $['name'], $[0], $[*], $[1:2], $..name,
// $.name.length(). A path that is none gives the error, and beside it an
// empty path that says whether it is lax.
func Compile(text string) (*Path, error) {
	p := &Path{}
	var rest string
	p.Lax, rest = Mode(text)
	r, err := newReader(rest)
	if err == nil {
		err = r.steps(p)
	}
	if err != nil {
		p.steps = nil
		return p, err
	}
	return p, p.finish()
}

// finish finds out whether the path is definite.
func (p *Path) finish() error {
	p.definite = true
	for i := range p.steps {
		s := &p.steps[i]
		if s.kind == function && !p.definite {
			return &UnsupportedError{"the path function " + s.names[0] + "() behind steps that lead to several values", "compute it in SQL, over JSON_QUERY(.. RETURNING ARRAY<STRING>)"}
		}
		p.definite = p.definite && s.definite(i == len(p.steps)-1)
	}
	return nil
}

// pathReader reads a path character by character. Its oddities are those of the library
// that Flink uses: one character behind a bracket at the end counts for nothing.
type pathReader struct {
	s   string
	pos int
}

func newReader(text string) (*pathReader, error) {
	s := strings.TrimRight(text, " ")
	if s == "" {
		return nil, errors.New("a path cannot be empty")
	}
	if s[0] != '$' && s[0] != '@' {
		s = "$." + s
	}
	if s[len(s)-1] == '.' {
		return nil, errors.New("a path cannot end with a point")
	}
	return &pathReader{s: s}, nil
}

// here returns the character i behind the place of the reader, 0 behind the end.
func (r *pathReader) here(i int) byte {
	if r.pos+i < len(r.s) {
		return r.s[r.pos+i]
	}
	return 0
}

// skip returns the next place from i on that is no blank, and the character there.
func (r *pathReader) skip(i int) (int, byte) {
	for i < len(r.s) && r.s[i] == ' ' {
		i++
	}
	if i < len(r.s) {
		return i, r.s[i]
	}
	return i, 0
}

func (r *pathReader) steps(p *Path) error {
	if len(r.s) == 1 {
		return nil
	}
	r.pos = 1
	if c := r.here(0); c != '.' && c != '[' {
		return fmt.Errorf("'.' or '[' is missing before '%s'", r.s[1:])
	}
	for {
		if err := r.step(p); err != nil {
			return err
		}
		if r.pos >= len(r.s)-1 {
			return nil
		}
	}
}

func (r *pathReader) step(p *Path) error {
	if r.here(0) == '.' {
		if r.here(1) == '.' {
			p.steps = append(p.steps, step{kind: deep})
			r.pos++
		}
		if r.pos++; r.here(0) == '.' || r.here(0) == 0 {
			return errors.New("a name is missing behind the point")
		}
	}
	switch r.here(0) {
	case '[':
		return r.bracket(p)
	case '*':
		r.pos++
		p.steps = append(p.steps, step{kind: wildcard})
		return nil
	case '.', ' ':
		return errors.New("a name is missing behind the point")
	}
	end := strings.IndexAny(r.s[r.pos:], ".[( ")
	if end < 0 {
		end = len(r.s) - r.pos
	}
	name := r.s[r.pos : r.pos+end]
	r.pos += end
	switch r.here(0) {
	case ' ':
		return fmt.Errorf("a blank is possible in brackets and quotes only: ['%s']", name+r.s[r.pos:])
	case '(':
		return r.function(p, name)
	}
	p.steps = append(p.steps, step{kind: property, names: []string{name}})
	return nil
}

// function reads the parentheses behind the name of a function.
func (r *pathReader) function(p *Path, name string) error {
	end := strings.IndexByte(r.s[r.pos:], ')')
	if end < 0 {
		return errors.New("')' is missing behind " + name)
	}
	s := step{kind: function, names: []string{name}}
	if arg := r.s[r.pos+1 : r.pos+end]; arg != "" {
		i, err := number(arg)
		if name != "index" || err != nil {
			return &UnsupportedError{"an argument of the path function " + name, "compute it in SQL"}
		}
		s.indexes = []int{i}
	}
	r.pos += end
	if r.pos < len(r.s)-1 {
		return &UnsupportedError{"a path that goes on behind the function " + name + "()", "let it end there"}
	}
	p.steps = append(p.steps, s)
	return nil
}

func (r *pathReader) bracket(p *Path) error {
	i, c := r.skip(r.pos + 1)
	switch {
	case c == '\'' || c == '"':
		return r.namesIn(p, c)
	case c == '*':
		i, c = r.skip(i + 1)
		if c != ']' {
			return errors.New("']' is missing behind the star")
		}
		r.pos = i + 1
		p.steps = append(p.steps, step{kind: wildcard})
		return nil
	case c == '?' && strings.Contains(r.s[i:], "("):
		// Flink 2.3 lacks a library for them: the job fails.
		return &UnsupportedError{"a filter in a path", "take the elements with JSON_QUERY(.. RETURNING ARRAY<STRING>), UNNEST and WHERE"}
	case c >= '0' && c <= '9' || c == '-' || c == ':':
		return r.indexes(p)
	}
	return errors.New("a bracket needs an index, a name in quotes, * or ?(..)")
}

// namesIn reads names in quotes, between commas.
func (r *pathReader) namesIn(p *Path, quote byte) error {
	st := step{kind: property}
	start, inside, comma := 0, false, false
	i := r.pos + 1
	for ; i < len(r.s) && (inside || r.s[i] != ']'); i++ {
		switch c := r.s[i]; {
		case c == '\\':
			i++
		case c == quote && inside:
			if _, next := r.skip(i + 1); next != ']' && next != ',' {
				return errors.New("',' or ']' is missing behind a name")
			}
			st.names = append(st.names, unescapedName(r.s[start:i]))
			inside = false
		case c == quote:
			start, inside, comma = i+1, true, false
		case c == ',' && !inside:
			if comma {
				return errors.New("a name is missing between commas")
			}
			comma = true
		}
	}
	if inside || comma || i >= len(r.s) {
		return errors.New("the end of a name, or ']' is missing")
	}
	r.pos = i + 1
	p.steps = append(p.steps, st)
	return nil
}

// unescapedName reads the escapes of a name in quotes.
func unescapedName(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			continue
		}
		if n := escapeLength([]byte(s[i:])); n > 0 {
			b, _ = AppendUnescaped(b, []byte(s[i:i+n]))
			i += n - 1
			continue
		}
		i++
		b = append(b, s[i])
	}
	return string(b)
}

// indexes reads 0, or 0,2, or 1:3.
func (r *pathReader) indexes(p *Path) error {
	end := strings.IndexByte(r.s[r.pos:], ']')
	if end < 0 {
		return errors.New("']' is missing")
	}
	text := strings.TrimSpace(r.s[r.pos+1 : r.pos+end])
	r.pos += end + 1
	if strings.Trim(text, "0123456789-,: ") != "" {
		return fmt.Errorf("'%s' is no index", text)
	}
	st := step{kind: index}
	if strings.ContainsRune(text, ':') {
		parts := strings.Split(text, ":")
		if strings.ContainsAny(text, ", ") {
			return fmt.Errorf("'%s' is no slice", text)
		}
		st.kind = slice
		var err error
		if st.hasFrom = parts[0] != ""; st.hasFrom {
			st.from, err = number(parts[0])
		}
		if st.hasTo = parts[1] != ""; st.hasTo && err == nil {
			st.to, err = number(parts[1])
		}
		if !st.hasFrom && !st.hasTo {
			return errors.New("a slice needs a start or an end")
		}
		p.steps = append(p.steps, st)
		return err
	}
	for part := range strings.SplitSeq(text, ",") {
		i, err := number(part)
		if err != nil {
			return err
		}
		st.indexes = append(st.indexes, i)
	}
	p.steps = append(p.steps, st)
	return nil
}

func number(s string) (int, error) {
	i, err := strconv.ParseInt(strings.TrimSpace(s), 10, 32)
	if err != nil {
		return 0, fmt.Errorf("'%s' is no index", s)
	}
	return int(i), nil
}
