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

// observed is an input that notes how far targets of reads lie from a multiple of what
// copies want, and the places in the input where reads start likewise.
type observed struct {
	text.Random
	mu    sync.Mutex
	reads int
	odd   []int64 // places of reads whose source or target is at no such multiple
}

func (o *observed) ReadAt(p []byte, offset int64) (int, error) {
	target := int64(uintptr(unsafe.Pointer(unsafe.SliceData(p))))
	o.mu.Lock()
	o.reads++
	if offset%64 != 0 || target%64 != 0 {
		o.odd = append(o.odd, offset)
	}
	o.mu.Unlock()
	return o.Random.ReadAt(p, offset)
}

// A copy out of the page cache takes three times as long where source and target lie
// badly to each other, which made two workers read no faster than one.
func TestBlocksAreReadAtMultiplesOfACopy(t *testing.T) {
	const rows = 100_000
	data := strings.Repeat("1,some text\n", rows)
	o := new(observed)
	input := texttest.RandomInput("", data)
	open := input.Open
	input.Open = func(ctx context.Context, offset int64) (text.Stream, error) {
		s, err := open(ctx, offset)
		o.Random = s.(text.Random)
		return o, err
	}
	schema := texttest.Schema("a int, b text")
	options, err := csv.ParseOptions(nil)
	if err != nil {
		t.Fatal(err)
	}
	dec, err := csv.NewDecoder(schema, texttest.Wanted(schema, []int{0, 1}), options, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := text.Open([]text.Input{input}, dec, connector.OpenOptions{BatchSize: 4096, ReadBuffer: 64 << 10, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b stream.Batch
	n := 0
	for err == nil {
		b.Clear()
		err = r.Next(t.Context(), &b)
		n += b.N
	}
	if err != io.EOF || n != rows {
		t.Fatalf("%d rows, %v", n, err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.reads < len(data)/(64<<10) {
		t.Errorf("%d reads: the input was not read in blocks", o.reads)
	}
	if len(o.odd) > 0 {
		t.Errorf("%d of %d reads are at no multiple of 64, as at %d", len(o.odd), o.reads, o.odd[0])
	}
}
