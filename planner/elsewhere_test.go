package planner

import (
	"regexp"
	"slices"
	"testing"

	"streamsql/expr/builtin"
)

// What is offered in place of a function of another system, or of Flink, is there, and
// what it stands for is not.
func TestElsewhere(t *testing.T) {
	callable := append(FunctionNames(builtin.NewRegistry()), "CAST", "ROW", "DECIMAL") // the parser's
	call := regexp.MustCompile(`([A-Z][A-Z0-9_]*)\(`)
	calls := 0
	for _, hints := range []map[string]string{elsewhere, absent} {
		for name, hint := range hints {
			if slices.Contains(callable, name) {
				t.Errorf("%s is there", name)
			}
			for _, m := range call.FindAllStringSubmatch(hint, -1) {
				if calls++; !slices.Contains(callable, m[1]) {
					t.Errorf("%s: %q: there is no function %s", name, hint, m[1])
				}
			}
		}
	}
	if calls < len(elsewhere)/2 {
		t.Errorf("only %d calls in the hints", calls)
	}
}
