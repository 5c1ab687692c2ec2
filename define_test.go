package streamsql_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"streamsql"
)

// What SHOW CREATE TABLE prints of a file with a name is a statement that makes the same
// table: no option in it is one of the engine's own.
func TestDefinedFileIsShownAsStatement(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.csv")
	if err := os.WriteFile(path, []byte("id,item\n1,tea\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	show := func(setUp func(*streamsql.Engine) error) string {
		e, err := streamsql.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if err := setUp(e); err != nil {
			t.Fatal(err)
		}
		r, err := e.Exec(t.Context(), "SHOW CREATE TABLE o")
		if err != nil {
			t.Fatal(err)
		}
		return *r.Rows[0][0]
	}
	ddl := show(func(e *streamsql.Engine) error { return e.DefineFile("o", path, nil) })
	if strings.Contains(ddl, "inferred") {
		t.Errorf("an internal option is shown:\n%s", ddl)
	}
	again := show(func(e *streamsql.Engine) error {
		_, err := e.Exec(t.Context(), ddl)
		return err
	})
	if again != ddl {
		t.Errorf("shown:\n%s\nmade from it:\n%s", ddl, again)
	}
}
