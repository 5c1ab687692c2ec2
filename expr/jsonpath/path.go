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
	length
)

// step is one part of a path.
type step struct {
	kind     stepKind
	names    []string // property
	indexes  []int    // index
	from, to int      // slice
	hasFrom  bool
	hasTo    bool
}

// Path is a compiled path.
type Path struct {
	// Lax: what is not there is no error.
	Lax   bool
	steps []step
	// Definite paths give one value, others a list.
	definite bool
}

// Compile reads a path: [lax | strict] $.name, $['name'], $[0], $[*], $[1:2], $..name.
// Without a word in front it is strict.
func Compile(text string) (*Path, error) {
	p := &Path{}
	s := strings.TrimLeft(text, " \t\n\r")
	if word, rest, ok := strings.Cut(s, " "); ok && (strings.EqualFold(word, "lax") || strings.EqualFold(word, "strict")) {
		p.Lax = strings.EqualFold(word, "lax")
		s = strings.TrimSpace(rest)
	} else {
		s = strings.TrimSpace(text)
	}
	if s == "" {
		return nil, errors.New("a path cannot be empty")
	}
	if s[0] == '$' {
		s = s[1:]
	} else {
		s = "." + s
	}
	r := pathReader{s: s}
	for r.s != "" {
		if err := r.step(p); err != nil {
			return nil, err
		}
	}
	p.definite = true
	for i, st := range p.steps {
		switch st.kind {
		case property:
			p.definite = p.definite && (len(st.names) == 1 || i == len(p.steps)-1)
		case index:
			p.definite = p.definite && len(st.indexes) == 1
		case wildcard, slice, deep:
			p.definite = false
		}
	}
	if n := len(p.steps); n > 0 && p.steps[n-1].kind == deep {
		return nil, errors.New("a path cannot end with two dots")
	}
	return p, nil
}

type pathReader struct{ s string }

func (r *pathReader) have(prefix string) bool {
	if strings.HasPrefix(r.s, prefix) {
		r.s = r.s[len(prefix):]
		return true
	}
	return false
}

func (r *pathReader) blank() { r.s = strings.TrimLeft(r.s, " ") }

func (r *pathReader) step(p *Path) error {
	switch {
	case r.have(".."):
		p.steps = append(p.steps, step{kind: deep})
		if r.s == "" || r.s[0] == '.' {
			return errors.New("a name is missing behind two dots")
		}
	case r.have("."):
		if r.s == "" || r.s[0] == '.' {
			return errors.New("a name is missing behind the point")
		}
	case r.s[0] != '[':
		return fmt.Errorf("'.' or '[' is missing before '%s'", r.s)
	}
	if r.s[0] == '[' {
		return r.bracket(p)
	}
	if r.have("*") {
		p.steps = append(p.steps, step{kind: wildcard})
		return nil
	}
	end := strings.IndexAny(r.s, ".[( ")
	if end < 0 {
		end = len(r.s)
	}
	name := r.s[:end]
	r.s = r.s[end:]
	switch {
	case r.have("()"):
		if name != "length" && name != "size" {
			return fmt.Errorf("the path function %s() is not supported: only length() is", name)
		}
		if r.s != "" {
			return fmt.Errorf("%s() must be the end of a path", name)
		}
		p.steps = append(p.steps, step{kind: length})
		return nil
	case strings.HasPrefix(r.s, "("):
		return fmt.Errorf("the path function %s is not supported: only length() is", name)
	case strings.HasPrefix(r.s, " "):
		return fmt.Errorf("a blank is possible in brackets and quotes only: ['%s']", name+r.s)
	case r.s == "[":
		r.s = "" // as in Flink a bracket that is open at the end counts for nothing
	}
	p.steps = append(p.steps, step{kind: property, names: []string{name}})
	return nil
}

func (r *pathReader) bracket(p *Path) error {
	r.s = r.s[1:]
	r.blank()
	var st step
	switch {
	case r.s == "":
		return errors.New("']' is missing")
	case r.s[0] == '?' || r.s[0] == '(':
		return errors.New("filters in paths are not supported")
	case r.have("*"):
		st.kind = wildcard
	case r.s[0] == '\'' || r.s[0] == '"':
		for {
			name, err := r.name()
			if err != nil {
				return err
			}
			st.names = append(st.names, name)
			r.blank()
			if !r.have(",") {
				break
			}
			r.blank()
		}
	default:
		if err := r.indexes(&st); err != nil {
			return err
		}
	}
	r.blank()
	if !r.have("]") {
		return fmt.Errorf("']' is missing before '%s'", r.s)
	}
	p.steps = append(p.steps, st)
	return nil
}

// name reads a name in quotes; a backslash takes the next character as it is.
func (r *pathReader) name() (string, error) {
	if r.s == "" || r.s[0] != '\'' && r.s[0] != '"' {
		return "", errors.New("a name in quotes is missing behind the comma")
	}
	quote := r.s[0]
	var name []byte
	for i := 1; i < len(r.s); i++ {
		switch c := r.s[i]; {
		case c == quote:
			r.s = r.s[i+1:]
			return string(name), nil
		case c == '\\' && i+1 < len(r.s):
			i++
			name = append(name, r.s[i])
		default:
			name = append(name, c)
		}
	}
	return "", fmt.Errorf("%c is missing at the end of a name", quote)
}

// indexes reads 0, or 0,2, or 1:3.
func (r *pathReader) indexes(st *step) error {
	end := strings.IndexByte(r.s, ']')
	if end < 0 {
		return errors.New("']' is missing")
	}
	text := strings.TrimSpace(r.s[:end])
	r.s = r.s[end:]
	if from, to, ok := strings.Cut(text, ":"); ok {
		st.kind = slice
		var err error
		if st.hasFrom = strings.TrimSpace(from) != ""; st.hasFrom {
			st.from, err = number(from)
		}
		if st.hasTo = strings.TrimSpace(to) != ""; st.hasTo && err == nil {
			st.to, err = number(to)
		}
		if !st.hasFrom && !st.hasTo {
			return errors.New("a slice needs a start or an end")
		}
		return err
	}
	st.kind = index
	for part := range strings.SplitSeq(text, ",") {
		i, err := number(part)
		if err != nil {
			return err
		}
		st.indexes = append(st.indexes, i)
	}
	return nil
}

func number(s string) (int, error) {
	i, err := strconv.ParseInt(strings.TrimSpace(s), 10, 32)
	if err != nil {
		return 0, fmt.Errorf("'%s' is no index", s)
	}
	return int(i), nil
}
