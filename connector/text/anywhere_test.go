package text_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"streamsql/connector"
	"streamsql/connector/csv"
	"streamsql/connector/json"
	"streamsql/connector/text"
	"streamsql/connector/text/texttest"
	"streamsql/stream"
)

// uneven is an input whose reads give what they like, and which is sometimes not ready.
type uneven struct {
	data string
	at   int
	most int
	rnd  *rand.Rand
}

func (u *uneven) Read(_ context.Context, p []byte) (int, error) {
	if u.at == len(u.data) {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 1+u.rnd.IntN(u.most))], u.data[u.at:])
	u.at += n
	if u.at == len(u.data) && u.rnd.IntN(2) == 0 {
		return n, io.EOF
	}
	return n, nil
}
func (u *uneven) Ready() bool  { return u.rnd.IntN(3) > 0 }
func (u *uneven) Close() error { return nil }

// everywhere is uneven, but can be read at any place.
type everywhere struct{ uneven }

func (e *everywhere) ReadAt(p []byte, offset int64) (int, error) {
	return strings.NewReader(e.data).ReadAt(p, offset)
}
func (e *everywhere) Size() int64 { return int64(len(e.data)) }

// setting is one way to read.
type setting struct {
	workers, chunk, batch int
	random, intern        bool
	seed                  uint64
	from                  connector.Position
}

// format makes decoders of one format and files for them.
type format struct {
	name    string
	decoder func(bad func(connector.BadRow)) (text.Decoder, error)
	write   func(rnd *rand.Rand, b *strings.Builder, sizes int)
}

func (f *format) open(t *testing.T, files []string, s setting, bad func(connector.BadRow)) connector.Reader {
	t.Helper()
	var inputs []text.Input
	for i, data := range files {
		inputs = append(inputs, text.Input{Name: fmt.Sprintf("%02d", i), Size: int64(len(data)), Open: func(_ context.Context, offset int64) (text.Stream, error) {
			u := uneven{data, int(offset), 1 + int(s.seed%5000), rand.New(rand.NewPCG(s.seed, uint64(i)))}
			if s.random {
				return &everywhere{u}, nil
			}
			return &u, nil
		}})
	}
	dec, err := f.decoder(bad)
	if err != nil {
		t.Fatal(err)
	}
	o := connector.OpenOptions{BatchSize: s.batch, ReadBuffer: s.chunk, Workers: s.workers, From: s.from, Bad: bad}
	if s.intern {
		o.Intern = []int{1}
	}
	r, err := text.Open(inputs, dec, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// read reads everything; where restarts is not 0, it stops after so many batches each time
// and goes on with a reader of other settings.
func (f *format) read(t *testing.T, files []string, s setting, rnd *rand.Rand, restarts int) string {
	var rows, bad []string
	fault := ""
	note := func(b connector.BadRow) {
		bad = append(bad, fmt.Sprintf("%s:%d %s %q %s %v", b.File, b.Line, b.Column, b.Text, b.Reason, b.Nulled))
	}
	r := f.open(t, files, s, note)
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	var b stream.Batch
	for n := 1; ; n++ {
		b.Clear()
		err := r.Next(t.Context(), &b)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fault = err.Error()
			break
		}
		rows = append(rows, texttest.RowsOf(&b)...)
		if restarts > 0 && n%restarts == 0 {
			pos := r.Position()
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			s = anySetting(rnd)
			s.from = pos
			r = f.open(t, files, s, note)
		}
	}
	return strings.Join(rows, "\n") + "\n--\n" + strings.Join(bad, "\n") + "\n--\n" + fault
}

// sizes around the units that reads and copies have.
var sizes = []int{1, 2, 7, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 1000, 4095, 4096, 4097, 5000, 6143, 6144, 6145, 65536, 262144}

func anySetting(rnd *rand.Rand) setting {
	return setting{
		workers: rnd.IntN(4), chunk: sizes[rnd.IntN(len(sizes))], batch: []int{1, 2, 3, 10, 100, 4096}[rnd.IntN(6)],
		random: rnd.IntN(2) == 0, intern: rnd.IntN(2) == 0, seed: rnd.Uint64N(1 << 40),
	}
}

// someText is a value: mostly a short one.
func someText(rnd *rand.Rand, long int) string {
	switch rnd.IntN(12) {
	case 0:
		return ""
	case 1:
		return strings.Repeat("long ", rnd.IntN(1+long))
	case 2:
		return "é日本"
	default:
		return fmt.Sprintf("text %d", rnd.IntN(20))
	}
}

// formats are those whose inputs can be read in parts, with options that change where
// rows start.
func formats(t *testing.T) []*format {
	schema := texttest.Schema("a int, b text")
	var list []*format
	for _, o := range []string{"", "ignore-parse-errors=true", "header=true; ignore-parse-errors=true", "skip-empty-lines=true; ignore-parse-errors=true", "allow-comments=true; ignore-parse-errors=true"} {
		options, err := csv.ParseOptions(texttest.Options("csv.", o))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, &format{"csv " + o,
			func(bad func(connector.BadRow)) (text.Decoder, error) {
				return csv.NewDecoder(schema, []int{0, 1}, options, bad)
			},
			func(rnd *rand.Rand, b *strings.Builder, long int) {
				if rnd.IntN(4) == 0 {
					b.WriteString("\uFEFF")
				}
				if options.Header {
					if rnd.IntN(8) == 0 {
						fmt.Fprintf(b, "\"%s\",", strings.Repeat("wide\n", rnd.IntN(200)))
					}
					b.WriteString("b,a")
					if rnd.IntN(20) > 0 {
						b.WriteString("\n")
					}
				}
				bad := rnd.IntN(3) == 0
				ends := [][]string{{"\n"}, {"\r\n"}, {"\r"}, {"\n", "\r\n", "\r", "\n\n", "\r\r\n"}}[rnd.IntN(4)]
				for i := range rnd.IntN(1 + rnd.IntN(300)) {
					first, second := fmt.Sprint(i), someText(rnd, long)
					if rnd.IntN(10) == 0 {
						second = `"` + strings.Repeat(second+[]string{"\n", "\r\n", "\r", `""`, ","}[rnd.IntN(5)]+"1,x\n", rnd.IntN(20)) + `"`
					}
					if bad && rnd.IntN(40) == 0 {
						first = []string{"bad", `"1"x`, "1,2,3", "#c", `"`, `1"`}[rnd.IntN(6)]
					}
					if options.Header {
						first, second = second, first
					}
					b.WriteString(first + "," + second + ends[rnd.IntN(len(ends))])
				}
			}})
	}
	for _, o := range []string{"", "ignore-parse-errors=true"} {
		options, err := json.ParseOptions(texttest.Options("json.", o))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, &format{"json " + o,
			func(bad func(connector.BadRow)) (text.Decoder, error) {
				return json.NewDecoder(schema, []int{0, 1}, options, bad)
			},
			func(rnd *rand.Rand, b *strings.Builder, long int) {
				if rnd.IntN(4) == 0 {
					b.WriteString("\uFEFF")
				}
				bad := rnd.IntN(3) == 0
				array := rnd.IntN(6) == 0
				if array {
					b.WriteString("[")
				}
				ends := [][]string{{"\n"}, {"\r\n"}, {" "}, {"\n", "\r\n", "", "\n\n", "\t"}}[rnd.IntN(4)]
				for i := range rnd.IntN(1 + rnd.IntN(300)) {
					if array && i > 0 {
						b.WriteString(",")
					}
					space := []string{"", "", "", " ", "\n", "\r\n"}[rnd.IntN(6)]
					if bad && rnd.IntN(40) == 0 {
						b.WriteString([]string{`{"a":x}`, `{`, `[]`, `7`, `"`, `}`, `{"a":1}}`}[rnd.IntN(7)])
					} else {
						fmt.Fprintf(b, "{%s\"a\":%d,%s\"b\":\"%s\"%s}", space, i, space, someText(rnd, long), space)
					}
					b.WriteString(ends[rnd.IntN(len(ends))])
				}
				if array && rnd.IntN(6) > 0 {
					b.WriteString("]\n")
				}
			}})
	}
	return list
}

// TestSameAnywhere reads random files by every way there is: workers, sizes of reads and
// batches, inputs that can be read anywhere and such that cannot, restarts. What comes
// out, with its lines, never differs.
func TestSameAnywhere(t *testing.T) {
	for seed := range uint64(150) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		list := formats(t)
		f := list[rnd.IntN(len(list))]
		var files []string
		for range rnd.IntN(5) {
			var b strings.Builder
			f.write(rnd, &b, []int{3, 100, 2000}[rnd.IntN(3)])
			data := b.String()
			switch rnd.IntN(4) {
			case 0:
				data = strings.TrimRight(data, "\r\n")
			case 1:
				size := sizes[rnd.IntN(len(sizes))] // cut off at a multiple of something
				data = data[:len(data)/size*size]
			}
			files = append(files, data)
		}
		want := f.read(t, files, setting{chunk: 1 << 20, batch: 4096, random: true, seed: 1 << 20}, nil, 0)
		for range 6 {
			s := anySetting(rnd)
			restarts := max(0, rnd.IntN(12)-6)
			got := f.read(t, files, s, rnd, restarts)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, %s, %+v, restarts %d: -want +got\n%s", seed, f.name, s, restarts, diff)
			}
		}
	}
}
