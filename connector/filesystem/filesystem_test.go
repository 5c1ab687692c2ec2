package filesystem_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"streamsql/connector"
	"streamsql/connector/csv"
	"streamsql/connector/filesystem"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, data := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// table is a table over path; opts are "key=value".
func table(path, format string, kind types.Type, opts ...string) connector.Table {
	t := connector.Table{Name: "t", Schema: stream.Schema{Fields: []stream.Field{{Name: "a", Type: kind}}}}
	for _, o := range append([]string{"connector=filesystem", "path=" + path, "format=" + format}, opts...) {
		k, v, _ := strings.Cut(o, "=")
		if v != "" || k == "path" {
			t.Options = append(t.Options, connector.Option{Key: k, Value: v, KeySpan: diag.Span{Start: 1, End: 2}, ValueSpan: diag.Span{Start: 3, End: 4}})
		}
	}
	return t
}

var text, integer = types.Of(types.Varchar), types.Of(types.Int)

// rows reads a table to its end.
func rows(t *testing.T, tab connector.Table) ([]string, error) {
	t.Helper()
	s, err := filesystem.New().Source(tab)
	if err != nil {
		return nil, err
	}
	r, err := s.Open(context.Background(), connector.OpenOptions{Columns: []int{0}, BatchSize: 3, ReadBuffer: 7})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var out []string
	var b stream.Batch
	for {
		b.Clear()
		if err := r.Next(context.Background(), &b); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return out, err
		}
		v := &b.Cols[0]
		for i := range b.N {
			out = append(out, string(types.AppendValue(nil, v.Type, v.Value(i), nil)))
		}
	}
}

func TestPaths(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"d/b.csv": "2\n", "d/a.csv": "1", "d/sub/c.csv": "3\n", "d/_hidden.csv": "x\n", "d/.dot.csv": "x\n", "d/_sub/d.csv": "x\n",
		"d/z.txt": "9\n", "odd[1].csv": "7\n", "empty/_x": "", "blank.csv": "",
	})
	for _, c := range []struct {
		path, want string
	}{
		{"d/a.csv", "1"}, {"d", "1 2 3 9"}, {"d/", "1 2 3 9"}, {"d/a.csv/", "1"}, {"d//a.csv", "1"}, {"d/./a.csv", "1"},
		{"d/*.csv", "1 2"}, {"d/**/*.csv", "1 2 3"}, {"d/{a,sub/c}.csv", "1 3"}, {"*/sub", "3"}, {"odd[1].csv", "7"}, {"empty", ""}, {"blank.csv", ""},
	} {
		for _, prefix := range []string{"", "file://", "file:"} {
			got, err := rows(t, table(prefix+dir+"/"+c.path, "csv", integer))
			if err != nil || strings.Join(got, " ") != c.want {
				t.Errorf("%s: %q, %v; want %q", c.path, got, err, c.want)
			}
		}
	}
}

func TestPathErrors(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"orders.csv": "1\n", "x.csv.xz": "1\n", "bad.csv.gz": "not gzip"})
	for _, c := range []struct{ path, want, hint string }{
		{dir + "/order.csv", "does not exist", "did you mean"},
		{dir + "/no/such/x.csv", "does not exist", "folder"},
		{dir + "/*.tsv", "no file matches", ""},
		{"", "must not be empty", ""},
		{"s3://bucket/x.csv", "only local files", "pipe"},
		{dir + "/x.csv.xz", "not supported", "gz"},
		{dir + "/bad.csv.gz", "cannot read", ""},
	} {
		_, err := rows(t, table(c.path, "csv", integer))
		e := diag.As(err)
		if e == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%q: %v", c.path, err)
		}
	}
}

func TestOptionErrors(t *testing.T) {
	for _, c := range []struct {
		format, opt string
		code        diag.Code
		want, hint  string
	}{
		{"avro", "", diag.Unsupported, `format "avro" is not supported`, "'json'"},
		{"jsno", "", diag.Unsupported, `format "jsno" is not supported`, `"json"`},
		{"json", "json.ignore-parse-error=true", diag.UndefinedOption, `has no option "json.ignore-parse-error"`, `"json.ignore-parse-errors"`},
		{"json", "csv.header=true", diag.UndefinedOption, `format "json" has no option "csv.header"`, ""},
		{"", "", diag.InvalidArgument, `option "format" is missing`, "'format' = 'csv'"},
		{"csv", "pth=x", diag.UndefinedOption, `has no option "pth"`, `"path"`},
		{"csv", "csv.hedaer=true", diag.UndefinedOption, `has no option "csv.hedaer"`, `"csv.header"`},
		{"csv", "csv.delimiter=;", diag.UndefinedOption, `format "csv" has no option "csv.delimiter"`, `"csv.field-delimiter"`},
		{"csv", "sep=;", diag.UndefinedOption, `has no option "sep"`, `"csv.field-delimiter"`},
		{"csv", "header=true", diag.UndefinedOption, `has no option "header"`, `"csv.header"`},
		{"csv", "csv.null_literal=-", diag.UndefinedOption, `has no option "csv.null_literal"`, `"csv.null-literal"`},
		{"csv", "source.monitor-interval=1s", diag.Unsupported, "is not supported", ""},
		{"raw", "csv.header=true", diag.UndefinedOption, `format "raw" has no option "csv.header"`, ""},
		{"raw", "raw.charset=ISO-8859-1", diag.Unsupported, "charset", "UTF-8"},
	} {
		_, err := filesystem.New().Source(table("x", c.format, text, c.opt))
		e := diag.As(err)
		if e == nil || e.Code != c.code || !strings.Contains(e.Msg, c.want) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("format %q, option %q: %+v", c.format, c.opt, e)
		}
	}
	if _, err := filesystem.New().Source(table("x", "csv", text, "sink.parallelism=2")); err != nil {
		t.Errorf("an option without meaning here: %v", err)
	}
	two := table("x", "raw", text)
	two.Schema.Fields = append(two.Schema.Fields, two.Schema.Fields[0])
	if _, err := filesystem.New().Source(two); err == nil {
		t.Error("raw with two columns is no error")
	}
}

func TestCompressed(t *testing.T) {
	dir := t.TempDir()
	var packed strings.Builder
	for _, part := range []string{"1\n2", "3\n4\n"} { // members are one file
		w := gzip.NewWriter(&packed)
		if _, err := w.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, map[string]string{"x.csv.gz": packed.String(), "cut.csv.gz": packed.String()[:30], "none.csv.gz": ""})
	for name, want := range map[string]string{"x.csv.gz": "1 23 4", "none.csv.gz": ""} {
		got, err := rows(t, table(dir+"/"+name, "csv", integer))
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := rows(t, table(dir+"/cut.csv.gz", "csv", integer)); diag.As(err) == nil || diag.As(err).Code != diag.IO {
		t.Errorf("cut file: %v", err)
	}
}

func TestRaw(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"x": "a,b\r\n\n1,x\r2,y\nlast"})
	got, err := rows(t, table(dir+"/x", "raw", text))
	if diff := cmp.Diff([]string{"a,b", "", "1,x\r2,y", "last"}, got); diff != "" || err != nil {
		t.Errorf("%v -want +got\n%s", err, diff)
	}
}

// insert writes values in batches of one row.
func insert(t *testing.T, tab connector.Table, commit bool, values ...string) {
	t.Helper()
	s, err := filesystem.New().Sink(tab)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	w, err := s.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range values {
		b := stream.Batch{N: 2, Sel: []int32{1}, Cols: make([]stream.Vec, 1)}
		b.Cols[0].Reset(text, 2)
		b.Cols[0].AppendString("not live")
		b.Cols[0].AppendString(v)
		if err := w.Write(ctx, &b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(commit); err != nil {
		t.Fatal(err)
	}
}

func TestSink(t *testing.T) {
	out := t.TempDir() + "/new/out"
	tab := table(out, "csv", text)
	insert(t, tab, false, "lost")
	if _, err := os.Stat(filepath.Dir(out)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a failed INSERT left something: %v", err)
	}
	insert(t, tab, true)
	if _, err := rows(t, tab); err == nil {
		t.Error("an INSERT without rows made the folder")
	}
	insert(t, tab, true, "x", "a b")
	insert(t, tab, false, "lost")
	insert(t, tab, true, "y")
	got, err := rows(t, tab)
	if diff := cmp.Diff([]string{"x", "a b", "y"}, got); diff != "" || err != nil {
		t.Errorf("%v -want +got\n%s", err, diff)
	}
	lines, err := rows(t, table(out, "raw", text))
	if diff := cmp.Diff([]string{"x", `"a b"`, "y"}, lines); diff != "" || err != nil {
		t.Errorf("%v -want +got\n%s", err, diff)
	}
	var names []string
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff([]string{"part-000001.csv", "part-000002.csv"}, names); diff != "" {
		t.Errorf("files -want +got\n%s", diff)
	}
}

func TestSinkErrors(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"x.csv": "1\n"})
	if _, err := filesystem.New().Sink(table(dir+"/x.csv", "csv", text)); diag.As(err) == nil || diag.As(err).Code != diag.InvalidArgument {
		t.Errorf("a file as sink: %v", err)
	}
	s, err := filesystem.New().Sink(table(dir+"/o", "raw", text))
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	b := stream.Batch{N: 1, Cols: make([]stream.Vec, 1), Kinds: []stream.RowKind{stream.Delete}}
	b.Cols[0].Reset(text, 1)
	b.Cols[0].Put(0, 1, types.NullValue)
	if err := w.Write(context.Background(), &b); diag.As(err) == nil || diag.As(err).Code != diag.Changelog {
		t.Errorf("a deletion: %v", err)
	}
	b.Kinds = nil
	if err := w.Write(context.Background(), &b); diag.As(err) == nil || diag.As(err).Code != diag.Runtime {
		t.Errorf("NULL in raw: %v", err)
	}
	if err := w.Close(false); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir + "/o"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something half-written remains: %v", err)
	}
}

func TestInfer(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"d/1.csv": "", "d/2.csv": "id,name\n1,x\n", "d/3.csv": "name,id\ny,2\n", "x.json": "{}", "x.parquet": "PAR1", "x.csv.gz": "a plain text\n1\n"})
	sc, opts, err := filesystem.Infer(t.Context(), dir+"/d/*.csv", csv.InferOptions{}, connector.Option{Key: "csv.null-literal", Value: "-"})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"id", "name"}; !cmp.Equal(sc.Names(), want) || sc.Fields[0].Type.Kind != types.BigInt {
		t.Errorf("columns %v", sc)
	}
	got, err := rows(t, connector.Table{Name: "t", Schema: sc, Options: opts})
	if want := []string{"1", "2"}; !cmp.Equal(got, want) || err != nil {
		t.Errorf("rows %v, %v: columns of each file go by its header", got, err)
	}
	for path, want := range map[string]string{dir + "/x.parquet": "not supported", dir + "/x.json": "no JSON objects with keys", dir + "/no.csv": "does not exist", dir + "/d/1.csv": "is empty",
		dir + "/no*.csv": "no file matches", dir + "/x.csv.gz": "it is not compressed as its name says"} {
		if _, _, err := filesystem.Infer(t.Context(), path, csv.InferOptions{}); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "cannot read") != strings.HasSuffix(path, ".gz") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestInferJSON: the name tells the format, or else the first byte.
func TestInferJSON(t *testing.T) {
	const data = "{\"id\":1,\"at\":\"2024-01-01T00:00:00Z\"}\n{\"id\":2.5,\"tags\":[\"x\"]}\n"
	for _, name := range []string{"x.json", "x.jsonl", "x.ndjson", "x.log", "x.json.gz", "d/*"} {
		dir := t.TempDir()
		path := dir + "/" + name
		if name == "x.json.gz" {
			var packed strings.Builder
			w := gzip.NewWriter(&packed)
			if _, err := w.Write([]byte(data)); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			write(t, dir, map[string]string{name: packed.String()})
		} else {
			write(t, dir, map[string]string{strings.ReplaceAll(name, "*", "1.json"): data})
		}
		sc, opts, err := filesystem.Infer(t.Context(), path, csv.InferOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want := []string{"id", "at", "tags"}; !cmp.Equal(sc.Names(), want) || sc.Fields[0].Type.Kind != types.Double || sc.Fields[1].Type.Kind != types.Timestamp {
			t.Errorf("%s: columns %v", name, sc)
		}
		got, err := rows(t, connector.Table{Name: "t", Schema: sc, Options: opts})
		if want := []string{"1.0", "2.5"}; !cmp.Equal(got, want) || err != nil {
			t.Errorf("%s: rows %v, %v", name, got, err)
		}
	}
}

// TestFIFO: what is in the pipe comes at once; waiting for more can be canceled;
// a row that is not complete is no row before the end (B029).
func TestFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.csv")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no FIFOs here")
	}
	s, err := filesystem.New().Source(table(path, "csv", integer))
	if err != nil {
		t.Fatal(err)
	}
	if tr := s.Traits(); !tr.Live || !tr.Bounded {
		t.Errorf("traits %+v", tr)
	}
	r, err := s.Open(context.Background(), connector.OpenOptions{Columns: []int{0}, BatchSize: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	var b stream.Batch
	send := func(s string) {
		t.Helper()
		if _, err := w.WriteString(s); err != nil {
			t.Fatal(err)
		}
	}
	send("1\n2\n3")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := r.Next(ctx, &b); err != nil || b.N != 2 {
		t.Fatalf("%d rows, %v", b.N, err)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	b.Clear()
	if err := r.Next(stopped, &b); !errors.Is(err, context.Canceled) {
		t.Fatalf("canceled wait: %v", err)
	}
	send("4\n")
	b.Clear()
	if err := r.Next(ctx, &b); err != nil || b.N != 1 || stream.Values[int32](&b.Cols[0])[0] != 34 {
		t.Fatalf("%d rows, %v", b.N, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestInferFIFO: what was read for the sample comes again in the query.
func TestInferFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.csv")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no FIFOs here")
	}
	go func() {
		w, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := w.WriteString("id,name\n1,x\n2,y\n"); err != nil {
			t.Error(err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	for range 2 { // once for EXPLAIN, say
		sc, opts, err := filesystem.Infer(t.Context(), path, csv.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !cmp.Equal(sc.Names(), []string{"id", "name"}) {
			t.Fatalf("columns %v", sc)
		}
		if len(opts) == 0 {
			t.Fatal("no options")
		}
	}
	sc, opts, err := filesystem.Infer(t.Context(), path, csv.InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := rows(t, connector.Table{Name: "t", Schema: sc, Options: opts})
	if diff := cmp.Diff([]string{"1", "2"}, got); diff != "" || err != nil {
		t.Errorf("%v -want +got\n%s", err, diff)
	}
}
