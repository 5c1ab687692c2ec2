package streamsql_test

import (
	"flag"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"streamsql/internal/slt"
)

var rewrite = flag.Bool("rewrite", false, "write what comes out into the .slt files")

// TestSQLLogic runs testdata/sqllogic in every configuration of the matrix.
func TestSQLLogic(t *testing.T) {
	var files []string
	err := filepath.WalkDir("testdata/sqllogic", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".slt") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no .slt files")
	}
	for _, file := range files {
		name, _ := filepath.Rel("testdata/sqllogic", file)
		t.Run(strings.TrimSuffix(name, ".slt"), func(t *testing.T) {
			t.Parallel()
			if *rewrite {
				if err := slt.Rewrite(t.Context(), file); err != nil {
					t.Fatal(err)
				}
			}
			base, err := slt.Run(t.Context(), file, slt.Base)
			if err != nil {
				t.Fatal(err)
			}
			configs := slt.Matrix()
			if testing.Short() {
				configs = slt.Short(name)
			}
			for _, config := range configs[1:] {
				log, err := slt.Run(t.Context(), file, config)
				if err != nil {
					t.Fatalf("%s: %v", config, err)
				}
				if log != base {
					t.Fatalf("%s gives another output:\n%s", config, firstDifference(base, log))
				}
			}
		})
	}
}
