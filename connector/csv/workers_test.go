package csv_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"streamsql/connector"
	"streamsql/connector/text"
	"streamsql/stream"
)

// TestWorkers reads files of records of several lines, long and empty ones, with bad
// rows between, as one stream: the rows, the bad rows and their places are those of one
// decoder, wherever blocks are cut and however often a guess is wrong.
func TestWorkers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for round := range 60 {
		var names []string
		var files []string
		for f := range 1 + rnd.IntN(4) {
			var b strings.Builder
			b.WriteString([]string{"", "\uFEFF"}[rnd.IntN(2)] + "b,\"x\ny\",a\n")
			for i := range rnd.IntN(200) {
				switch rnd.IntN(8) {
				case 0:
					fmt.Fprintf(&b, "%d,\"a\nquoted \"\"text\"\"\n%s\",%d\n", i, strings.Repeat("1,2,3\n", rnd.IntN(30)), -i)
				case 1:
					fmt.Fprintf(&b, "%d,wrong\n", i)
				case 2:
					fmt.Fprintf(&b, "no number,%s,%d\r\n", strings.Repeat("z", rnd.IntN(300)), i)
				default:
					fmt.Fprintf(&b, "%d,text %d,%d\n", i, i%7, -i)
				}
			}
			names = append(names, fmt.Sprintf("%d.csv", f))
			files = append(files, b.String())
		}
		r := read{schema: schema("a int, b int"), opts: options(t, "header=true; ignore-parse-errors=true"), batch: 1 + rnd.IntN(50), chunk: 1 << 16}
		inputs := func(make func(name, data string) text.Input) (in []text.Input) {
			for i := range files {
				in = append(in, make(names[i], files[i]))
			}
			return in
		}
		want := r.run(t, inputs(input)...)
		for _, make := range []func(name, data string) text.Input{input, randomInput} {
			r.workers, r.chunk = 1+rnd.IntN(4), 1+rnd.IntN(2000)
			got := r.run(t, inputs(make)...)
			if diff := cmp.Diff(want.String(), got.String()); diff != "" {
				t.Fatalf("round %d, %d workers, blocks of %d: -one +several\n%s", round, r.workers, r.chunk, diff)
			}
			want.Counts.Bytes, got.Counts.Bytes = 0, 0
			if want.Counts != got.Counts {
				t.Errorf("round %d: counts %+v, want %+v", round, got.Counts, want.Counts)
			}
		}
	}
}

// TestWorkersStop: what was decoded ahead but not delivered is not counted.
func TestWorkersStop(t *testing.T) {
	data := "1,x\nbad\n2,y\n" + strings.Repeat("3,z\nbad\n", 1000)
	r := read{schema: schema("a int, b text"), opts: options(t, "ignore-parse-errors=true; fail-on-missing-columns=true"), batch: 1, workers: 3, chunk: 64}
	bad := 0
	rd := r.reader(t, func(connector.BadRow) { bad++ }, randomInput("t.csv", data))
	var b stream.Batch
	for range 2 {
		b.Clear()
		if err := rd.Next(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
	}
	if err := rd.Close(); err != nil {
		t.Fatal(err)
	}
	if c := rd.Counts(); c.Delivered != 2 || c.Bad != int64(bad) || bad > 2 {
		t.Errorf("%+v, %d bad rows told of", c, bad)
	}
	b.Clear()
	if err := rd.Next(context.Background(), &b); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("Next of a closed reader: %v", err)
	}
}

// paced is an input that gives one piece at a time, the next one when it is asked for.
type paced struct{ pieces chan string }

func (p *paced) Read(ctx context.Context, dst []byte) (int, error) {
	select {
	case s, ok := <-p.pieces:
		if !ok {
			return 0, io.EOF
		}
		return copy(dst, s), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
func (p *paced) Ready() bool  { return len(p.pieces) > 0 }
func (p *paced) Close() error { return nil }

// TestWorkersLive: rows of a live input come as soon as they are complete.
func TestWorkersLive(t *testing.T) {
	in := &paced{make(chan string, 1)}
	r := read{schema: schema("a int, b text"), opts: options(t, ""), batch: 100, workers: 2}
	rd := r.reader(t, nil, text.Input{Name: "p", Open: func(context.Context, int64) (text.Stream, error) { return in, nil }})
	ahead := rd.(connector.Ahead)
	if ahead.Ready() {
		t.Error("ready before there is anything")
	}
	var b stream.Batch
	for _, step := range []struct{ piece, rows string }{
		{"1,x\n2,y\n3", "p:1 1 | x; p:2 2 | y"}, {",\"z\nz\"\n", "p:3 3 | z\nz"}, {"4,a\r", ""}, {"5,b\r\n", "p:5 4 | a; p:6 5 | b"},
	} {
		in.pieces <- step.piece
		if step.rows == "" {
			continue
		}
		var got []string
		for strings.Join(got, "; ") != step.rows {
			b.Clear()
			if err := rd.Next(context.Background(), &b); err != nil {
				t.Fatal(err)
			}
			got = append(got, rowsOf(&b)...)
			if len(got) > 2 {
				t.Fatalf("%q gave %q", step.piece, got)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := rd.Next(ctx, &b); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled wait: %v", err)
	}
	close(in.pieces)
	b.Clear()
	if err := rd.Next(context.Background(), &b); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	if err := rd.Close(); err != nil {
		t.Error(err)
	}
}

// TestWorkersLiveCarriageReturns: where a carriage return ends a line, its row comes with
// the next byte.
func TestWorkersLiveCarriageReturns(t *testing.T) {
	in := &paced{make(chan string, 1)}
	r := read{schema: schema("a int, b text"), opts: options(t, ""), batch: 100, workers: 2}
	rd := r.reader(t, nil, text.Input{Name: "p", Open: func(context.Context, int64) (text.Stream, error) { return in, nil }})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var b stream.Batch
	in.pieces <- "0,x\r"
	for i, piece := range []string{"1,x\r", "2,x\r", "3", ",x\r", "4", ",x", "\r", "5"} {
		in.pieces <- piece
		if piece[0] == ',' || piece == "\r" {
			continue
		}
		b.Clear()
		if err := rd.Next(ctx, &b); err != nil {
			t.Fatalf("behind piece %d: %v", i, err)
		}
		want := []string{fmt.Sprintf("p:%c %d | x", piece[0], int(piece[0]-'0')-1)}
		if diff := cmp.Diff(want, rowsOf(&b)); diff != "" {
			t.Fatalf("behind piece %d: -want +got\n%s", i, diff)
		}
	}
	cancel()
	if err := rd.Close(); err != nil {
		t.Error(err)
	}
}
