package sql

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"streamsql/internal/diag"
)

// corpus returns the statements of testdata/statements.sql.
func corpus(t testing.TB) []string {
	data, err := os.ReadFile("testdata/statements.sql")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range Split(string(data)) {
		out = append(out, p.Text)
	}
	if len(out) < 300 {
		t.Fatalf("only %d statements", len(out))
	}
	return out
}

// TestCorpus parses statements that Flink answers.
func TestCorpus(t *testing.T) {
	for _, s := range corpus(t) {
		checkStatement(t, s)
		if _, err := ParseOne(s); err != nil {
			t.Errorf("%s", diag.Render(s, err))
		}
	}
}

// checkStatement holds for any text: no panic, places inside the text, an error
// of our type, and the printed form parses to the same tree.
func checkStatement(t *testing.T, text string) {
	t.Helper()
	ss, err := Parse(text)
	if err != nil {
		e := diag.As(err)
		if e == nil || e.Code == diag.Internal {
			t.Fatalf("%q: error of another type: %v", text, err)
		}
		if e.Span.Start < 0 || e.Span.End > len(text) || e.Span.Start > e.Span.End {
			t.Fatalf("%q: the error's span is %v", text, e.Span)
		}
		if e.Msg == "" || strings.Contains(e.Msg, "near \"") || strings.Contains(e.Msg, "line 1 column") {
			t.Fatalf("%q: message %q", text, e.Msg)
		}
	}
	for _, s := range ss {
		walk(s, func(n Node, _ int) {
			sp := n.Span()
			if sp.Start < 0 || sp.End > len(text) || sp.Start > sp.End {
				t.Fatalf("%q: span %v of %T", text, sp, n)
			}
		})
		if _, ok := s.(*Other); ok {
			continue
		}
		printed := Print(s)
		again, err := ParseOne(printed)
		if err != nil {
			t.Fatalf("%q\nprinted: %q\n%v", text, printed, err)
		}
		if d := cmp.Diff(s, again, sameTree); d != "" {
			t.Fatalf("%q\nprinted: %q\n%s", text, printed, d)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range corpus(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		checkStatement(t, text)
	})
}

func FuzzLex(f *testing.F) {
	for _, s := range []string{"SELECT 'a' || `b`", "U&'\\0041' E'\\n' x'00'", "1.5e3 .5 1_000 a.b", "/* c */ -- d\n /*+ H */", "((([]))) {d '2024-01-01'}", "a<>b<=c::d=>e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pieces := Split(text)
		last := 0
		for _, p := range pieces {
			if p.Span.Start < last || p.Span.End > len(text) || text[p.Span.Start:p.Span.End] != p.Text {
				t.Fatalf("%q: piece %v", text, p)
			}
			last = p.Span.End
		}
		if n := Normalize(text); utf8.ValidString(text) && Normalize(n) != n {
			t.Fatalf("%q: normalized %q, again %q", text, n, Normalize(n))
		}
		err := guard(text, func() {
			pos := 0
			for _, tok := range lex(text, 0, len(text)) {
				if tok.pos < pos || tok.end < tok.pos || tok.end > len(text) {
					t.Fatalf("%q: token %v behind %d", text, tok, pos)
				}
				pos = tok.end
			}
		})
		if e := diag.As(err); err != nil && (e == nil || e.Code == diag.Internal) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
