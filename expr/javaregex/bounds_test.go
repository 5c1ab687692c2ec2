package javaregex

import (
	"errors"
	"strings"
	"testing"
)

// TestHostileTexts searches for what takes for ever, or nests too deep, in texts that are as
// long as a field may be. Each ends with an error after a bounded number of steps.
func TestHostileTexts(t *testing.T) {
	const n = 1_000_000
	as := strings.Repeat("a", n)
	for _, c := range []struct {
		name, pattern, text string
		want                error
	}{
		{"edges between marks", `\bz`, strings.Repeat("\u0300", n), errSteps},
		{"reference to a long group", `(a*)\1b`, as, errSteps},
		{"giving back one at a time", `a*` + strings.Repeat("a", 1000) + `(?=x)b`, as, errSteps},
		{"nested repetitions", `(a+)+(?=b)c`, as, errSteps},
		{"looking behind", `(?<=a{1,100000})b`, as, errSteps},
		{"possessive choice", `(?:a|aa)*+b`, as, errSteps},
		{"many optional parts", strings.Repeat("a?", 100_000) + "(?=x)b", as, errSteps},
		{"possessive empty part", `(?:(?=a)){1000000000}+b`, as, errSteps},
		{"deep loop", `(?:a|b)*(?=x)`, as, errDepth},
		{"deep loop with a long body", `(?:` + strings.Repeat("[ab]", 500) + `|b)*(?=x)`, as, errDepth},
		{"every place of a long text", `b*`, strings.Repeat("a", 10*n), nil},
		{"no recursion", `(?=x)` + strings.Repeat("a?", 1000), as, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			re, err := Compile(c.pattern)
			if err != nil {
				t.Fatal(err)
			}
			var m Matcher
			m.slow(re, []byte(c.text))
			found, err := m.Next()
			for found && err == nil {
				found, err = m.Next()
			}
			if !errors.Is(err, c.want) {
				t.Fatalf("found %v, %v; want %v", found, err, c.want)
			}
			if err != nil && len(err.Error()) > 300 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			if m.run.steps > 2*maxSteps {
				t.Errorf("%d steps", m.run.steps)
			}
		})
	}
}

// TestLongExpressions compiles expressions as long as a field may be.
func TestLongExpressions(t *testing.T) {
	for _, c := range []struct {
		name, pattern string
		refused       bool
	}{
		{"text", strings.Repeat("a", 200_000), false},
		{"longer text", strings.Repeat("a", 1_000_000), true},
		{"optional parts", strings.Repeat("a?", 100_000), false},
		{"classes", strings.Repeat("[^a]", 100_000), false},
		{"choice", strings.Repeat("a|", 100_000), false},
		{"groups", strings.Repeat("(a)", 80_000), false},
		{"nested groups", strings.Repeat("(", 1_000_000) + strings.Repeat(")", 1_000_000), true},
		{"nested classes", strings.Repeat("[a", 1_000_000), true},
		{"counted", `(((a{1000000}){1000000}){1000000}){1000000}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			re, err := Compile(c.pattern)
			var refused *UnsupportedError
			if errors.As(err, &refused) != c.refused || err != nil && !c.refused {
				t.Fatalf("%.200v", err)
			}
			if err != nil {
				if len(err.Error()) > 300 {
					t.Errorf("the error has %d bytes", len(err.Error()))
				}
				return
			}
			var m Matcher
			if _, err := m.Match(re, []byte("ab")); err != nil {
				t.Errorf("%.200v", err)
			}
		})
	}
}
