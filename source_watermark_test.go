package streamsql

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"streamsql/connector"
	"streamsql/stream"
)

// ownWatermarks is a connector whose source sends its own watermarks: behind the second
// of its rows, at the times 1 s, 2 s and 12 s, one of 15 s.
type ownWatermarks struct{ schema stream.Schema }

func (ownWatermarks) Name() string { return "own" }

func (ownWatermarks) Source(t connector.Table) (connector.Source, error) {
	return ownWatermarks{t.Schema}, nil
}

func (ownWatermarks) Sink(connector.Table) (connector.Sink, error) {
	return nil, connector.ErrNotSupported
}

func (o ownWatermarks) Schema() stream.Schema { return o.schema }

func (ownWatermarks) Traits() connector.Traits {
	return connector.Traits{Bounded: true, Watermarks: true}
}

func (o ownWatermarks) Open(context.Context, connector.OpenOptions) (connector.Reader, error) {
	return &ownReader{schema: o.schema}, nil
}

type ownReader struct {
	schema stream.Schema
	done   bool
}

func (r *ownReader) Next(_ context.Context, b *stream.Batch) error {
	if r.done {
		return io.EOF
	}
	r.done = true
	b.N = 3
	b.Cols = make([]stream.Vec, 1)
	b.Cols[0].Reset(r.schema.Fields[0].Type, b.N)
	copy(stream.Values[int64](&b.Cols[0]), []int64{1000, 2000, 12000})
	b.Marks = append(b.Marks, stream.Mark{Pos: 2, W: stream.Timestamp(15 * time.Second.Milliseconds())})
	return nil
}

func (*ownReader) Position() connector.Position { return nil }
func (*ownReader) Counts() connector.Counts     { return connector.Counts{Delivered: 3} }
func (*ownReader) Close() error                 { return nil }

// SOURCE_WATERMARK() takes the watermarks of a connector that sends some. With another
// one the table can be made, and is refused when it is read, as in Flink.
func TestSourceWatermark(t *testing.T) {
	e, err := Open(WithConnector(ownWatermarks{}))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	run := func(connector string) (string, *Query, error) {
		if _, err := e.Exec(t.Context(), "CREATE TABLE "+connector+" (ts TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK()) WITH ('connector'='"+connector+"', 'path'='none.csv', 'format'='csv')"); err != nil {
			t.Fatal(err)
		}
		q, err := e.Query(t.Context(), "SELECT COUNT(*) AS n FROM TABLE(TUMBLE(TABLE "+connector+", DESCRIPTOR(ts), INTERVAL '5' SECOND)) GROUP BY window_start, window_end")
		if err != nil {
			return "", nil, err
		}
		var text []byte
		for b, err := range q.Batches() {
			if err != nil {
				return "", q, err
			}
			for i := range int(b.NumRows()) {
				text = append(b.AppendText(text, i, 0), ' ')
			}
		}
		return string(text), q, nil
	}
	rows, q, err := run("own")
	if err != nil || rows != "2 " {
		t.Fatal(rows, err)
	}
	late := 0
	for l := range q.Late() {
		if late++; l.Watermark != 15000 {
			t.Errorf("late at watermark %d", l.Watermark)
		}
	}
	if late != 1 {
		t.Errorf("%d late rows", late)
	}
	if _, _, err := run("filesystem"); err == nil || !strings.Contains(err.Error(), "sends no watermarks") {
		t.Error(err)
	}
}
