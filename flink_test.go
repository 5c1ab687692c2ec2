package streamsql_test

import (
	"flag"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"streamsql/internal/slt"
)

// TestFlink runs every case of testdata/flink through the public API and compares
// the answers with those of a real Flink 2.3, which stand in the .out file beside
// each .case. Every configuration must print the same bytes.
func TestFlink(t *testing.T) {
	known, err := slt.ReadKnown("testdata/flink/known.tsv")
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := slt.ReadKnown("testdata/flink/accepted.tsv")
	if err != nil {
		t.Fatal(err)
	}
	stale := map[string]bool{}
	for name, reason := range accepted {
		if known[name] != "" {
			t.Errorf("%s stands in known.tsv and in accepted.tsv", name)
		}
		known[name] = "accepted: " + reason
	}
	for name := range known {
		stale[name] = true
	}
	var files []string
	err = filepath.WalkDir("testdata/flink", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".case") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no case files")
	}
	t.Run("cases", func(t *testing.T) { runFiles(t, files, known, &differing{stale: stale}) })
	for name := range stale {
		t.Errorf("known difference %q does not differ any more: take it out of known.tsv", name)
	}
}

// differing gathers which known differences were not seen to differ.
type differing struct {
	mu    sync.Mutex
	stale map[string]bool
}

func (d *differing) seen(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.stale, name)
}

func runFiles(t *testing.T, files []string, known map[string]string, seen *differing) {
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".case"), func(t *testing.T) {
			t.Parallel()
			cases, err := slt.ReadCases(file)
			if err != nil {
				t.Fatal(err)
			}
			answers, err := slt.ReadAnswers(strings.TrimSuffix(file, ".case") + ".out")
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cases {
				t.Run(c.Name, func(t *testing.T) {
					runCase(t, c, answers[c.Name], known, seen, filepath.Base(filepath.Dir(file)))
				})
			}
		})
	}
}

// matrix runs every case in every configuration: some minutes.
var matrix = flag.Bool("matrix", false, "run all Flink cases in all configurations")

// configurations returns the ways to run a case. What is about the order of rows runs in
// all of them, other cases in a part that differs from case to case; expressions look at
// one row at a time and need few.
func configurations(c slt.Case, area string) []slt.Config {
	size := 0
	for _, d := range c.Data {
		size += len(d)
	}
	switch {
	case testing.Short():
		return slt.Short(c.Name)
	case *matrix || area == "order" || area == "seeds":
		return slt.Matrix()
	case size > 100_000 || area == "expressions":
		return slt.Edges()
	}
	return slt.Sample(c.Name)
}

// runCase compares one case.
func runCase(t *testing.T, c slt.Case, want []slt.Answer, known map[string]string, seen *differing, area string) {
	base, err := slt.Transcript(t.Context(), c, t.TempDir(), slt.Base.Options()...)
	if err != nil {
		t.Fatal(err)
	}
	got := slt.ParseTranscript(base)
	if len(got) != len(want) {
		t.Fatalf("%d statements answered, Flink has %d:\n%s", len(got), len(want), base)
	}
	for i := range want {
		name := fmt.Sprintf("%s#%d", c.Name, i+1)
		diff := slt.Differ(want[i], got[i], c.Ordered())
		if reason, ok := known[name]; ok {
			// What Flink refuses must be accepted, not answered in another way.
			if diff != "" && strings.HasPrefix(reason, "accepted: ") == strings.HasPrefix(diff, "Flink refuses") {
				seen.seen(name)
			}
			continue
		}
		if diff != "" {
			t.Errorf("statement %d: %s\n%s", i+1, want[i].SQL, diff)
		}
	}
	configs := configurations(c, area)
	for _, config := range configs[1:] {
		other, err := slt.Transcript(t.Context(), c, t.TempDir(), config.Options()...)
		if err != nil {
			t.Fatal(err)
		}
		if other != base {
			t.Errorf("%s gives another output:\n%s", config, firstDifference(base, other))
		}
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(x), len(y)) {
		p, q := "(end)", "(end)"
		if i < len(x) {
			p = x[i]
		}
		if i < len(y) {
			q = y[i]
		}
		if p != q {
			return fmt.Sprintf("line %d\n  base: %s\n  here: %s", i+1, p, q)
		}
	}
	return "no difference"
}
