package streamsql_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"streamsql/internal/slt"
)

// TestRandomFlink runs 2,000 random window queries over random out-of-order data and
// compares the answers with those a real Flink 2.3 gave once. Each case runs in the
// base configuration and in three others; which ones follows from the case's number,
// so that all cases together go through the whole matrix. With -short, every tenth
// case runs.
//
// Where an answer is meant to differ, testdata/flink/random/known.tsv says why.
func TestRandomFlink(t *testing.T) {
	cases, err := slt.ReadCases("testdata/flink/random/random.case.gz")
	if err != nil {
		t.Fatal(err)
	}
	answers, err := slt.ReadAnswers("testdata/flink/random/random.out.gz")
	if err != nil {
		t.Fatal(err)
	}
	known, err := slt.ReadKnown("testdata/flink/random/known.tsv")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if len(cases) != 2000 || len(answers) != len(cases) {
		t.Fatalf("%d cases with %d answers, expected 2000", len(cases), len(answers))
	}
	step := 1
	if testing.Short() {
		step = 10
	}
	used := map[slt.Config]bool{}
	var sum randomTally
	t.Run("cases", func(t *testing.T) {
		const group = 100
		for from := 0; from < len(cases); from += group {
			for i := from; i < from+group; i += step {
				for _, c := range randomConfigs(i) {
					used[c] = true
				}
			}
			t.Run(fmt.Sprintf("%d to %d", from, from+group-1), func(t *testing.T) {
				t.Parallel()
				for i := from; i < from+group; i += step {
					runRandom(t, cases[i], answers[cases[i].Name], known, randomConfigs(i), &sum)
				}
			})
		}
	})
	if all := len(slt.Matrix()) - 1; len(used) != all {
		t.Errorf("the cases go through %d of %d configurations", len(used), all)
	}
	t.Logf("%d queries equal, %d refused by both, %d known to differ", sum.equal.Load(), sum.refused.Load(), sum.known.Load())
	if ran := sum.equal.Load() + sum.refused.Load() + sum.known.Load(); !t.Failed() && ran != int64(len(cases)/step) {
		t.Errorf("%d queries compared, expected %d", ran, len(cases)/step)
	}
}

func isError(line string) bool { return strings.HasPrefix(line, "error:") }

// randomTally counts how the queries came out.
type randomTally struct {
	equal, refused, known atomic.Int64
}

// randomConfigs returns the configurations, besides the base, that the case of this
// number runs in.
func randomConfigs(number int) []slt.Config {
	const perCase = 3
	others := slt.Matrix()[1:]
	var list []slt.Config
	for i := range perCase {
		list = append(list, others[(number*perCase+i)%len(others)])
	}
	return list
}

func runRandom(t *testing.T, c slt.Case, want []slt.Answer, known map[string]string, configs []slt.Config, sum *randomTally) {
	dir := t.TempDir()
	base, err := slt.Transcript(t.Context(), c, dir, slt.Base.Options()...)
	if err != nil {
		t.Fatal(err)
	}
	got := slt.ParseTranscript(base)
	if len(got) != len(want) {
		t.Errorf("%s: %d statements answered, Flink has %d:\n%s", c.Name, len(got), len(want), base)
		return
	}
	for i := range want {
		name := fmt.Sprintf("%s#%d", c.Name, i+1)
		diff := slt.Differ(want[i], got[i], c.Ordered())
		switch reason := known[name]; {
		case diff != "" && reason == "":
			t.Errorf("%s: %s\n%s", name, want[i].SQL, diff)
		case diff == "" && reason != "":
			t.Errorf("known difference %q does not differ any more: take it out of known.tsv", name)
		case i < len(want)-1:
		case diff != "":
			sum.known.Add(1)
		case slices.ContainsFunc(got[i].Lines, isError):
			sum.refused.Add(1)
		default:
			sum.equal.Add(1)
		}
	}
	for _, config := range configs {
		other, err := slt.Transcript(t.Context(), c, dir, config.Options()...)
		if err != nil {
			t.Fatal(err)
		}
		if other != base {
			t.Errorf("%s: %s gives another output:\n%s", c.Name, config, firstDifference(base, other))
		}
	}
}
