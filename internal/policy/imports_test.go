package policy

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// allowed is the import table of ARCHITECTURE.md: what a package (or, with /..., all
// below it) may import of this module and of other modules. Standard packages are
// free, but those in forbidden.
var allowed = []struct{ pkg, imports string }{
	{"internal/diag", ""},
	{"types", "types/bitmap arrow"},
	{"types/bitmap", ""},
	{"stream", "types arrow"},
	{"window", "stream"},
	{"sql", "internal/diag types tidb"},
	{"expr", "types stream internal/diag arrow"},
	{"expr/jsonpath", "types"},
	{"expr/javaregex", ""},
	{"expr/builtin", "expr expr/javaregex expr/jsonpath types types/bitmap stream internal/diag arrow text"},
	{"expr/govalue", "expr/builtin types stream"},
	{"expr/udf", "expr expr/builtin expr/govalue types stream internal/diag"},
	{"planner/physical", "expr types stream window internal/diag"},
	{"planner/catalog", "sql types stream internal/diag"},
	{"planner/...", "planner/... sql expr expr/builtin types stream window internal/diag"},
	{"exec/state", "expr stream types internal/diag"},
	{"exec/eval", "expr expr/builtin types stream internal/diag"},
	{"exec", "exec/eval exec/state planner/physical window stream expr expr/builtin types connector internal/diag"},
	{"connector", "stream types internal/diag"},
	{"connector/...", "connector/... stream types internal/diag expr expr/builtin klauspost doublestar"},
	{"internal/optest", "exec exec/... planner/physical window stream expr expr/builtin types connector internal/diag"},
	{"internal/slt", "streamsql connector stream types"},
	{"internal/policy", ""},
	{"streamsql", "connector/... exec exec/... planner planner/... sql expr expr/... types stream window internal/diag arrow"},
	{"cmd/streamsql/...", "cmd/streamsql/... streamsql connector connector/... arrow liner runewidth term xdg sys levenshtein"},
	{"cmd/...", "streamsql connector connector/... arrow"},
	{"bench/...", "streamsql connector/... arrow"},
}

// modules are the other modules by the short names used above.
var modules = map[string]string{
	"github.com/apache/arrow-go/v18/":    "arrow",
	"github.com/pingcap/tidb/pkg/parser": "tidb",
	"github.com/klauspost/compress/":     "klauspost",
	"github.com/bmatcuk/doublestar/":     "doublestar",
	"github.com/agnivade/levenshtein":    "levenshtein",
	"github.com/peterh/liner":            "liner",
	"github.com/mattn/go-runewidth":      "runewidth",
	"golang.org/x/term":                  "term",
	"golang.org/x/sys/":                  "sys",
	"golang.org/x/text/":                 "text",
	"github.com/adrg/xdg":                "xdg",
}

// forbidden are standard packages that the engine's inner packages may not use:
// they read clocks, print, or reach the network.
var forbidden = map[string]bool{"net": true, "net/http": true, "log": true, "log/slog": true}

type listed struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "streamsql/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	if len(list) < 15 {
		t.Fatalf("go list found only %d packages", len(list))
	}
	return list
}

func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		name := short(p.ImportPath)
		rule, ok := ruleFor(name)
		if !ok {
			t.Errorf("package %s has no line in the import table", name)
			continue
		}
		for _, imp := range p.Imports {
			if why := refuse(imp, strings.Fields(rule)); why != "" {
				t.Errorf("%s imports %s: %s", name, imp, why)
			}
		}
	}
}

func short(path string) string { return strings.TrimPrefix(path, "streamsql/") }

func ruleFor(name string) (string, bool) {
	for _, r := range allowed {
		if r.pkg == name || strings.HasSuffix(r.pkg, "/...") && within(name, r.pkg) {
			return r.imports, true
		}
	}
	return "", false
}

func within(name, pattern string) bool {
	dir := strings.TrimSuffix(pattern, "/...")
	return name == dir || strings.HasPrefix(name, dir+"/")
}

func refuse(imp string, may []string) string {
	want := ""
	switch {
	case imp == "streamsql" || strings.HasPrefix(imp, "streamsql/"):
		want = short(imp)
	case strings.Contains(strings.SplitN(imp, "/", 2)[0], "."):
		for prefix, name := range modules {
			if strings.HasPrefix(imp, prefix) {
				want = name
			}
		}
		if want == "" {
			return "this module is not in the table"
		}
	default:
		if forbidden[imp] {
			return "this standard package is forbidden"
		}
		return ""
	}
	for _, m := range may {
		if m == want || strings.HasSuffix(m, "/...") && within(want, m) {
			return ""
		}
	}
	return "the import table does not allow it"
}
