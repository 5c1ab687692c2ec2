package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Budgets of the house style.
const (
	maxFileLines = 600
	maxFuncLines = 100
)

type source struct {
	path string
	file *ast.File
	fset *token.FileSet
}

func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch d.Name() {
			case ".git", "testdata", "bin", "tools":
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		list = append(list, source{strings.TrimPrefix(path, "../../"), f, fset})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 50 {
		t.Fatalf("only %d source files found", len(list))
	}
	return list
}

func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

func (s source) line(p token.Pos) int { return s.fset.Position(p).Line }

func TestLengths(t *testing.T) {
	for _, s := range sources(t) {
		if n := s.line(s.file.End()); n > maxFileLines {
			t.Errorf("%s has %d lines, at most %d: split it by job", s.path, n, maxFileLines)
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && !s.test() {
				if n := s.line(f.End()) - s.line(f.Pos()) + 1; n > maxFuncLines {
					t.Errorf("%s: function %s has %d lines, at most %d", s.path, f.Name.Name, n, maxFuncLines)
				}
			}
		}
	}
}

func TestPackageComments(t *testing.T) {
	documented, dirs := map[string]string{}, map[string]bool{}
	for _, s := range sources(t) {
		dir := filepath.Dir(s.path)
		if s.test() {
			continue
		}
		dirs[dir] = true
		if s.file.Doc == nil {
			continue
		}
		if filepath.Base(s.path) != "doc.go" && s.file.Name.Name != "main" {
			t.Errorf("%s has a package comment; it belongs into doc.go", s.path)
		}
		if other := documented[dir]; other != "" {
			t.Errorf("%s and %s both have a package comment", s.path, other)
		}
		documented[dir] = s.path
	}
	for dir := range dirs {
		if documented[dir] == "" {
			t.Errorf("package %s has no package comment", dir)
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && exportedReceiver(d) && d.Doc == nil {
					t.Errorf("%s:%d: %s has no comment", s.path, s.line(d.Pos()), d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if name, ok := undocumented(d, spec); ok {
						t.Errorf("%s:%d: %s has no comment", s.path, s.line(spec.Pos()), name)
					}
				}
			}
		}
	}
}

func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return true
	}
	x := f.Recv.List[0].Type
	for {
		switch y := x.(type) {
		case *ast.StarExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.IndexListExpr:
			x = y.X
		case *ast.Ident:
			return y.IsExported()
		default:
			return true
		}
	}
}

func undocumented(d *ast.GenDecl, spec ast.Spec) (string, bool) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		return spec.Name.Name, spec.Name.IsExported() && spec.Doc == nil && d.Doc == nil
	case *ast.ValueSpec:
		for _, n := range spec.Names {
			if n.IsExported() && spec.Doc == nil && spec.Comment == nil && d.Doc == nil {
				return n.Name, true
			}
		}
	}
	return "", false
}

func TestNobodySleeps(t *testing.T) {
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && sel.Sel.Name == "Sleep" {
					t.Errorf("%s:%d: time.Sleep", s.path, s.line(n.Pos()))
				}
			}
			return true
		})
	}
}

// TestArchitecturePathsExist keeps ARCHITECTURE.md from naming what is gone: every
// `path` with a slash in back quotes must exist.
func TestArchitecturePathsExist(t *testing.T) {
	text, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), "`")
	for i := 1; i < len(parts); i += 2 {
		p := parts[i]
		if !strings.Contains(p, "/") || strings.ContainsAny(p, " *(){}<>,:=\n") || strings.HasPrefix(p, "github.com") {
			continue
		}
		if _, err := os.Stat(filepath.Join("../..", p)); err != nil {
			t.Errorf("ARCHITECTURE.md names %s, which does not exist", p)
		}
	}
}
