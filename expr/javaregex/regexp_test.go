package javaregex

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// found prints all matches as testdata/java.txt does.
func found(t *testing.T, m *Matcher, re *Regexp) string {
	t.Helper()
	var b strings.Builder
	for n := 0; n < 50; n++ {
		ok, err := m.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		lo, hi := m.UnitsBefore(), m.End()
		if m.fast {
			hi = lo + utf8.RuneCount(m.AppendGroup(nil, 0))
		}
		fmt.Fprintf(&b, "%d-%d", lo, hi)
		for g := 1; g <= re.Groups(); g++ {
			if m.Has(g) {
				b.WriteString("," + hex.EncodeToString(m.AppendGroup(nil, g)))
			} else {
				b.WriteString(",N")
			}
		}
		b.WriteByte(';')
	}
	return b.String()
}

// TestJava compares with answers of java.util.regex, found by both engines where Go's
// may be asked.
func TestJava(t *testing.T) {
	data, err := os.ReadFile("testdata/java.txt")
	if err != nil {
		t.Fatal(err)
	}
	fast := 0
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 {
			continue // the heading
		}
		var pattern, text string
		if err := errors.Join(json.Unmarshal([]byte(f[0]), &pattern), json.Unmarshal([]byte(f[1]), &text)); err != nil {
			t.Fatal(line, err)
		}
		re, err := Compile(pattern)
		if f[2] == "bad" {
			var bad *SyntaxError
			if !errors.As(err, &bad) {
				t.Errorf("%q is compiled: %v", pattern, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", pattern, err)
			continue
		}
		want := strings.TrimPrefix(f[2], "-")
		var m Matcher
		m.slow(re, []byte(text))
		if got := found(t, &m, re); got != want {
			t.Errorf("%q in %q: %s, want %s", pattern, text, got, want)
		}
		m.All(re, []byte(text))
		if m.fast {
			fast++
		}
		if got := found(t, &m, re); got != want {
			t.Errorf("%q in %q, all: %s, want %s", pattern, text, got, want)
		}
		first, err := m.First(re, []byte(text))
		matches, err2 := m.Match(re, []byte(text))
		if first != (want != "") || matches != first || err != nil || err2 != nil {
			t.Errorf("%q in %q: first %v, match %v, want %s", pattern, text, first, matches, want)
		}
	}
	if fast < 100 {
		t.Errorf("only %d expressions ran in Go's engine", fast)
	}
}

func TestUnsupported(t *testing.T) {
	for pattern, what := range map[string]string{
		`(?U)\w`: "(?U)", `(?c)a`: "(?c)", `\X`: `\X`, `\b{g}`: `\b{g}`, `\N{DIGIT ONE}`: `\N`, `\p{InGreek}`: `\p{InGreek}`, `\p{blk=Greek}`: `\p{blk=Greek}`,
		`(?<=(ab)*)c`: "(?<=..)", `\p{IsQaac}`: "Qaac", strings.Repeat("(", 300) + strings.Repeat(")", 300): "nested",
	} {
		_, err := Compile(pattern)
		var e *UnsupportedError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), what) || e.Hint == "" {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

// TestBounds checks that a match without end is an error.
func TestBounds(t *testing.T) {
	for pattern, text := range map[string]string{
		`(?=a)(a|a)*b`:  strings.Repeat("a", 40),
		`(?=a)(?:ab?)*`: strings.Repeat("a", 2*maxDepth),
	} {
		re, err := Compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		var m Matcher
		if ok, err := m.Match(re, []byte(text)); err == nil {
			t.Errorf("%s: %v", pattern, ok)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{`(?<n>a)\k<n>`, `[a&&[^b]]`, `(?x) a#b`, `\Qa\E{2,}?`, `(?<=a|bc)\b`} {
		f.Add(s, "abc\r\n😀")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		re, err := Compile(pattern)
		if err != nil || len(text) > 100 {
			return
		}
		var m Matcher
		m.All(re, []byte(text))
		for n := 0; n < 100; n++ {
			if ok, err := m.Next(); !ok || err != nil {
				break
			}
			m.AppendGroup(nil, 0)
		}
	})
}
