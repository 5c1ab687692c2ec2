package main

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"streamsql": main})
}

// The scripts run the program itself, as a user would.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_STATE_HOME", e.WorkDir+"/state")
			e.Setenv("TERM", "xterm")
			e.Setenv("GORACE", noRaceSleep)
			e.Setenv("LC_ALL", "C.UTF-8")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"status": status},
	})
}

// noRaceSleep keeps the race detector from making each program wait before it ends.
const noRaceSleep = "atexit_sleep_ms=0"

// status N COMMAND... runs a command that must end with exit status N.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

func TestLooksLikeData(t *testing.T) {
	for text, want := range map[string]bool{
		"ts,item,price\n2024-01-01,tea,1\n":  true,
		"\ufeffts,item\n":                    true,
		"1;2;3\n":                            true,
		"a\tb\n":                             true,
		`{"a": 1}` + "\n":                    true,
		"show,table\n1,2\n":                  true,
		"":                                   false,
		"\n\n":                               false,
		"SELECT a, b FROM t;":                false,
		"  with x AS (SELECT 1, 2) TABLE x;": false,
		"-- a, b\nSELECT 1;":                 false,
		"/* a, b */ SELECT 1;":               false,
		"(SELECT 1, 2)":                      false,
		"SELEC a, b FROM t;":                 true, // a hint too many does no harm: the error stays an error
		"SELEC a;":                           false,
		"CREATE TABLE t (a INT, b INT);":     false,
		"INSERT INTO t VALUES (1, 2);":       false,
	} {
		if got := looksLikeData(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestReadScript(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	// Endless data must be refused at its first line, not after its last.
	if _, err := w.WriteString("ts,item\n1,tea\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := readScript(r); err == nil || !strings.Contains(err.Error(), "SELECT * FROM stdin") {
		t.Errorf("data was taken for SQL: %v", err)
	}
	if text, err := readScript(strings.NewReader("SELECT 1;\n" + strings.Repeat(" ", 100_000) + "SELECT 2;")); err != nil || len(text) != 100_019 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}
