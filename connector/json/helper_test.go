package json_test

import (
	"testing"

	"streamsql/connector"
	"streamsql/connector/json"
	"streamsql/connector/text"
	"streamsql/connector/text/texttest"
	"streamsql/stream"
)

// Short names of what the tests of text formats share.
var (
	input       = texttest.Input
	randomInput = texttest.RandomInput
	schema      = texttest.Schema
	rowsOf      = texttest.RowsOf
)

type result = texttest.Result

// options reads options without their prefix.
func options(t testing.TB, s string) json.Options {
	t.Helper()
	o, err := json.ParseOptions(texttest.Options("json.", s))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

type read struct {
	schema  stream.Schema
	columns []int // nil: all
	opts    json.Options
	slow    bool
	chunk   int
	batch   int
	workers int
	intern  []int
	from    connector.Position
}

func (r read) wanted() []int { return texttest.Wanted(r.schema, r.columns) }

func (r read) reader(t testing.TB, bad func(connector.BadRow), inputs ...text.Input) connector.Reader {
	t.Helper()
	dec, err := json.NewDecoder(r.schema, r.wanted(), r.opts, bad)
	if err != nil {
		t.Fatal(err)
	}
	if r.slow {
		json.OnlySlow(dec)
	}
	o := connector.OpenOptions{BatchSize: r.batch, ReadBuffer: r.chunk, From: r.from, Workers: r.workers, Bad: bad, Intern: r.intern}
	if o.BatchSize == 0 {
		o.BatchSize = 4096
	}
	rd, err := text.Open(inputs, dec, o)
	if err != nil {
		t.Fatal(err)
	}
	return rd
}

// readerAt returns a reader that starts at a position.
func readerAt(r read, from connector.Position, in text.Input) (*text.Reader, error) {
	dec, err := json.NewDecoder(r.schema, r.wanted(), r.opts, nil)
	if err != nil {
		return nil, err
	}
	return text.NewReader([]text.Input{in}, dec, connector.OpenOptions{BatchSize: 1, ReadBuffer: 64, From: from})
}

func (r read) run(t testing.TB, inputs ...text.Input) result {
	t.Helper()
	return texttest.Run(t, r.batch, func(bad func(connector.BadRow)) connector.Reader { return r.reader(t, bad, inputs...) })
}
