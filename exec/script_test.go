package exec_test

import (
	"path/filepath"
	"testing"

	"streamsql/internal/optest"
)

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) { optest.Run(t, f) })
	}
}
