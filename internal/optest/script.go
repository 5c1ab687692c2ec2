package optest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// Script is one test of a script file.
type Script struct {
	Name     string
	Plan     *physical.Plan
	Messages []Message
	Before   []string // expected before any message

	names   []string // of the sources
	schemas []stream.Schema
}

// Message is one input line with what it must cause.
type Message struct {
	Line   int
	Source int // -1: end of all inputs
	Kind   stream.RowKind
	Row    []types.Value // nil: a watermark
	W      stream.Timestamp
	Clock  int64 // above 0: the clock is put there, and what is due happens
	Want   []string
}

// Load reads the tests of a script file.
func Load(path string) ([]*Script, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parse(path, f)
}

// Plan makes a plan of source, node and root lines. The handles of its sources count
// from 0 in the order of their lines.
func Plan(text string) (*physical.Plan, error) {
	s, err := parse("plan", strings.NewReader("test plan\n"+text))
	if err != nil {
		return nil, err
	}
	return s[0].Plan, nil
}

func parse(path string, r io.Reader) ([]*Script, error) {
	var scripts []*Script
	var b *planBuilder
	sc := bufio.NewScanner(r)
	for line := 1; sc.Scan(); line++ {
		text := strings.TrimSpace(sc.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		if name, ok := strings.CutPrefix(text, "test "); ok {
			b = newPlanBuilder()
			scripts = append(scripts, &Script{Name: name})
			continue
		}
		if b == nil {
			return nil, fmt.Errorf("%s:%d: no test has begun", path, line)
		}
		if err := scripts[len(scripts)-1].add(b, line, text); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
	}
	return scripts, sc.Err()
}

func (s *Script) add(b *planBuilder, line int, text string) error {
	if rest, ok := strings.CutPrefix(text, "source "); ok {
		name, err := b.source(rest)
		if err == nil {
			s.names = append(s.names, name)
			s.schemas = append(s.schemas, b.nodes[name].Info().Schema)
		}
		return err
	}
	if rest, ok := strings.CutPrefix(text, "root "); ok {
		root := b.nodes[strings.TrimSpace(rest)]
		if root == nil {
			return fmt.Errorf("no node %q", rest)
		}
		s.Plan = &physical.Plan{Root: root, Zone: "UTC"}
		return nil
	}
	if rest, ok := strings.CutPrefix(text, "> "); ok {
		if len(s.Messages) == 0 {
			s.Before = append(s.Before, rest)
			return nil
		}
		m := &s.Messages[len(s.Messages)-1]
		m.Want = append(m.Want, rest)
		return nil
	}
	if rest, ok := strings.CutPrefix(text, "< "); ok {
		m, err := s.message(rest)
		m.Line = line
		s.Messages = append(s.Messages, m)
		return err
	}
	return b.node(text)
}

func (s *Script) message(text string) (Message, error) {
	if text == "end" {
		return Message{Source: -1}, nil
	}
	if at, ok := strings.CutPrefix(text, "clock "); ok {
		n, err := strconv.ParseInt(at, 10, 64)
		return Message{Source: -1, Clock: n}, err
	}
	if src, w, ok := strings.Cut(text, " W "); ok && s.sourceIndex(src) >= 0 {
		n, err := strconv.ParseInt(w, 10, 64)
		return Message{Source: s.sourceIndex(src), W: stream.Timestamp(n)}, err
	}
	src, row, ok := strings.Cut(text, ":")
	i := s.sourceIndex(src)
	if !ok || i < 0 {
		return Message{}, fmt.Errorf("no message: %q", text)
	}
	m := Message{Source: i, Row: []types.Value{}}
	row = strings.TrimSpace(row)
	for k := stream.Insert; k <= stream.Delete; k++ {
		if rest, ok := strings.CutPrefix(row, "["+k.String()+"]"); ok {
			m.Kind, row = k, rest
		}
	}
	fields := s.schemas[i].Fields
	cells := strings.Split(row, "|")
	if len(cells) != len(fields) {
		return m, fmt.Errorf("%d values for %d columns", len(cells), len(fields))
	}
	for c, cell := range cells {
		v, err := parseValue(fields[c].Type, strings.TrimSpace(cell))
		if err != nil {
			return m, err
		}
		m.Row = append(m.Row, v)
	}
	return m, nil
}

func (s *Script) sourceIndex(name string) int {
	for i, n := range s.names {
		if n == name {
			return i
		}
	}
	return -1
}

func parseValue(t types.Type, text string) (types.Value, error) {
	if text == "NULL" {
		return types.NullValue, nil
	}
	switch t.Layout() {
	case types.Bits:
		return types.BoolValue(text == "true"), nil
	case types.Float32, types.Float64:
		f, err := strconv.ParseFloat(text, 64)
		return types.FloatValue(f), err
	case types.Bytes:
		return types.TextValue(text), nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return types.IntValue(n), err
}

func formatValue(t types.Type, v types.Value) string {
	if v.Null {
		return "NULL"
	}
	switch t.Layout() {
	case types.Bits:
		return strconv.FormatBool(v.I != 0)
	case types.Float32, types.Float64:
		return strconv.FormatFloat(v.F, 'g', -1, 64)
	case types.Bytes:
		return v.S
	case types.Int128:
		return v.D.BigInt().String()
	}
	return strconv.FormatInt(v.I, 10)
}

func parseType(text string) (types.Type, error) {
	switch text {
	case "BOOLEAN":
		return types.Of(types.Boolean), nil
	case "INT":
		return types.Of(types.Int), nil
	case "BIGINT":
		return types.Of(types.BigInt), nil
	case "DOUBLE":
		return types.Of(types.Double), nil
	case "STRING":
		return types.NewVarchar(types.MaxLength), nil
	case "TIMESTAMP(3)":
		return types.NewTimestamp(3), nil
	case "TIMESTAMP_LTZ(3)":
		return types.NewTimestampLTZ(3), nil
	}
	return types.Type{}, fmt.Errorf("no type %q", text)
}
