package flags

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want Options
	}{
		{"nothing", nil, Options{}},
		{"order of inputs is kept", []string{"-c", "SELECT 1", "a.sql", "--file=b", "-cSELECT 2", "--command", "SELECT 3", "-"},
			Options{Inputs: []Input{{SQL: "SELECT 1"}, {Path: "a.sql"}, {Path: "b"}, {SQL: "SELECT 2"}, {SQL: "SELECT 3"}, {Path: "-"}}}},
		{"short ones together", []string{"-iq"}, Options{Interactive: true, Quiet: true}},
		{"short ones with a value at the end", []string{"-qc", "SELECT 1"}, Options{Quiet: true, Inputs: []Input{{SQL: "SELECT 1"}}}},
		{"double dash ends the options", []string{"--", "-x.sql"}, Options{Inputs: []Input{{Path: "-x.sql"}}}},
		{"value that looks like an option", []string{"-c", "--x"}, Options{Inputs: []Input{{SQL: "--x"}}}},
		{"output", []string{"--format", "NDJSON", "--changes", "--limit=10", "--stats", "--keep-going"},
			Options{Format: "ndjson", Changes: true, Limit: 10, Stats: StatsText, KeepGoing: true}},
		{"json report", []string{"--stats=json"}, Options{Stats: StatsJSON}},
		{"stats takes no separate value", []string{"--stats", "a.sql"}, Options{Stats: StatsText, Inputs: []Input{{Path: "a.sql"}}}},
		{"sizes", []string{"--batch-size", "3", "--read-buffer", "7", "--workers=2"}, Options{BatchSize: 3, ReadBuffer: 7, Workers: 2}},
		{"kibibytes", []string{"--read-buffer", "64K"}, Options{ReadBuffer: 65536}},
		{"mebibytes", []string{"--read-buffer", "2MiB"}, Options{ReadBuffer: 2 << 20}},
		{"time", []string{"--event-time", "orders.ts", "--delay", "1m30s"}, Options{EventTime: "orders.ts", Delay: 90 * time.Second}},
		{"table", []string{"-t", "o=a.csv"}, Options{Tables: []Table{{"o", "a.csv", map[string]string{}}}}},
		{"table with options", []string{"-t", "o=a,b.csv,csv.field-delimiter=;,header=a,b"},
			Options{Tables: []Table{{"o", "a,b.csv", map[string]string{"csv.field-delimiter": ";", "header": "a,b"}}}}},
		{"help", []string{"help"}, Options{Help: true}},
		{"version", []string{"--version"}, Options{Version: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse(tt.args)
			if err != nil {
				t.Fatal(err)
			}
			if tt.want.Limit == 0 {
				tt.want.Limit = -1
			}
			if d := cmp.Diff(&tt.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	tests := []struct{ args, want string }{
		{"--formt csv", `unknown option --formt; hint: did you mean --format?`},
		{"--batchsize 3", `unknown option --batchsize; hint: did you mean --batch-size?`},
		{"--xyzzy", `unknown option --xyzzy; hint: see streamsql --help`},
		{"--csv", `unknown option --csv; hint: did you mean "--format csv"?`},
		{"-x", `unknown option -x; hint: see streamsql --help`},
		{"--format parquet", `unknown format "parquet"; hint: formats are table, csv, json, ndjson, changelog, transcript`},
		{"--format cvs", `unknown format "cvs"; hint: did you mean "csv"?`},
		{"--format jsonl", `unknown format "jsonl"; hint: did you mean "ndjson"?`},
		{"--format", `option --format needs a value; hint: see streamsql --help`},
		{"-c", `option -c needs a value; hint: see streamsql --help`},
		{"--changes=yes", `option --changes takes no value; hint: write --changes`},
		{"--limit ten", `option --limit: "ten" is no number of rows; hint: write a number of rows, for example --limit 10`},
		{"--limit -1", `option --limit: "-1" is no number of rows; hint: write a number of rows, for example --limit 10`},
		{"--workers 0", `option --workers: "0" is no number of workers; hint: write a number from 1 on, for example --workers 4`},
		{"--read-buffer 7X", `option --read-buffer: "7X" is no size; hint: write bytes, for example --read-buffer 64K`},
		{"--read-buffer 4G", `option --read-buffer: "4G" is no size; hint: write bytes, for example --read-buffer 64K`},
		{"--event-time t --delay 5", `option --delay: "5" is no duration of whole milliseconds; hint: add the unit: --delay 5s`},
		{"--delay 5s", `option --delay needs an event-time column; hint: add --event-time COLUMN`},
		{"--stats=xml", `unknown form of statistics "xml"; hint: write --stats or --stats=json`},
		{"-t orders.csv", `option -t: "orders.csv" names no table and file; hint: write -t NAME=PATH, for example -t orders=orders.csv`},
		{"-t a=b -t a=c", `option -t: table "a" is there twice; hint: give the second one another name`},
		{"x.csv", `file "x.csv" is no .sql script; hint: to query a file: streamsql -c "SELECT * FROM 'x.csv'"`},
		{"job", `unexpected argument "job"; hint: a script whose name does not end in .sql needs -f before it, SQL needs -c`},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			_, err := Parse(strings.Fields(tt.args))
			if err == nil {
				t.Fatal("accepted")
			}
			if err.Error() != tt.want {
				t.Errorf("got  %s\nwant %s", err, tt.want)
			}
		})
	}
	if _, err := Parse([]string{"SELECT 1"}); err == nil || !strings.Contains(err.Error(), "put -c before it") {
		t.Errorf("SQL without -c: %v", err)
	}
}

// Every option is in the help, which fits on one screen of 80 columns.
func TestHelp(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(Help, "\n"), "\n")
	if len(lines) > 40 {
		t.Errorf("%d lines", len(lines))
	}
	for _, l := range lines {
		if len(l) > 80 {
			t.Errorf("%d columns: %s", len(l), l)
		}
	}
	for _, p := range options {
		if !strings.Contains(Help, "--"+p.long) {
			t.Errorf("--%s is not in the help", p.long)
		}
	}
	for _, f := range Formats {
		if !strings.Contains(Help, f) {
			t.Errorf("format %s is not in the help", f)
		}
	}
	want, err := os.ReadFile("testdata/help.golden")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), Help); d != "" {
		t.Errorf("the help changed (-want +got)\n%s", d)
	}
}
