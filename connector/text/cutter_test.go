package text_test

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"streamsql/connector"
	"streamsql/connector/csv"
	"streamsql/connector/text"
	"streamsql/connector/text/texttest"
	"streamsql/stream"
)

// observed is an input that notes reads for which the place in the input and that in
// memory are not the same modulo what copies want.
type observed struct {
	text.Random
	mu    sync.Mutex
	at    int64 // of the next Read
	reads int
	odd   []int64
}

func (o *observed) note(p []byte, offset int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reads++
	if (int64(uintptr(unsafe.Pointer(unsafe.SliceData(p))))-offset)%64 != 0 {
		o.odd = append(o.odd, offset)
	}
}

func (o *observed) ReadAt(p []byte, offset int64) (int, error) {
	o.note(p, offset)
	return o.Random.ReadAt(p, offset)
}

func (o *observed) Read(ctx context.Context, p []byte) (int, error) {
	o.note(p, o.at)
	n, err := o.Random.Read(ctx, p)
	o.at += int64(n)
	return n, err
}

// A copy out of the page cache takes three times as long where source and target lie
// badly to each other, which made two workers hardly faster than one.
func TestFilesAreReadAtMultiplesOfACopy(t *testing.T) {
	const rows, chunk = 100_000, 64 << 10
	data := strings.Repeat("1,some text\n", rows)
	schema := texttest.Schema("a int, b text")
	options, err := csv.ParseOptions(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2} {
		o := new(observed)
		input := texttest.RandomInput("", data)
		open := input.Open
		input.Open = func(ctx context.Context, offset int64) (text.Stream, error) {
			s, err := open(ctx, offset)
			o.Random = s.(text.Random)
			return o, err
		}
		dec, err := csv.NewDecoder(schema, texttest.Wanted(schema, []int{0, 1}), options, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := text.Open([]text.Input{input}, dec, connector.OpenOptions{BatchSize: 4096, ReadBuffer: chunk, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		var b stream.Batch
		n := 0
		for err == nil {
			b.Clear()
			err = r.Next(t.Context(), &b)
			n += b.N
		}
		if cerr := r.Close(); err != io.EOF || n != rows || cerr != nil {
			t.Fatalf("%d rows, %v, %v", n, err, cerr)
		}
		if o.reads < len(data)/chunk || len(o.odd) > 0 {
			t.Errorf("%d workers: %d reads, of which those of %d are badly placed", workers, o.reads, o.odd)
		}
	}
}
