package report

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"streamsql"
)

const noon = 1709294400000 // 2024-03-01 12:00:00

func example() Report {
	return Report{
		SQL: "SELECT 1", Elapsed: 1900 * time.Millisecond,
		Stats: streamsql.Stats{
			Sources: []streamsql.SourceStats{{
				Table: "orders", Read: 1204331, Delivered: 1204329, Bad: 2, Bytes: 96_400_000,
				Watermark: noon, MaxEventTime: noon + 5000, Late: 312, Keep99: 12000, KeepAll: 41200,
			}},
			Operators: []streamsql.OperatorStats{
				{ID: "3", Name: "LateFilter", In: 1204329, Used: 1204017, Late: 312, Out: 1204017, Watermark: math.MinInt64, NextTimer: math.MaxInt64},
				{ID: "4", Name: "WindowAggregate", In: 1204017, Used: 1204017, Out: 1440, StateRows: 7, StateBytes: 3_100_000,
					Watermark: noon, NextTimer: noon + 59_999, OpenRows: 5, Windows: 2},
			},
			RowsOut: 1440, Done: true,
		},
		Bad: []streamsql.BadRow{{File: "/data/x.csv", Line: 881, Column: "price", Text: "n/a", Reason: `"n/a" is not DOUBLE`}},
	}
}

func TestText(t *testing.T) {
	want := `read 1,204,331 rows (96 MB) in 1.90 s, 633k rows/s; 1,440 rows out; state 3.1 MB
orders: event time up to 2024-03-01 12:00:05, watermark 2024-03-01 12:00:00 (5s behind)
WindowAggregate: 2 windows open, 5 waiting, state 3.1 MB, the next one ends 2024-03-01 12:01:00
late: 312 rows dropped (0.03 %); a delay longer by 12s would have kept 99 % of them, 41.2s all
bad: 2 rows skipped, first at x.csv:881 column "price": "n/a" is not DOUBLE
`
	if d := cmp.Diff(want, string(example().Text(nil))); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// What waits for the clock is lost at the end of input, and the report says so.
func TestOpenByTheClock(t *testing.T) {
	r := Report{Stats: streamsql.Stats{Done: true, Operators: []streamsql.OperatorStats{
		{Name: "WindowAggregate", NextTimer: noon - 1, OpenRows: 1, Windows: 1, StateBytes: 100, Clock: true},
	}}}
	want := "WindowAggregate: 1 window open, 1 waiting, state 100 B, the next one ends 2024-03-01 12:00:00\n" +
		"open: 1 window without a result: the end of input closes no window of processing time\n"
	if got := string(r.Faults(r.appendOpen(nil))); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	// A stop is no end of input.
	r.Err = &streamsql.Error{Code: streamsql.CodeCanceled, Msg: "stopped"}
	if got := string(r.Faults(nil)); got != "" {
		t.Errorf("stopped: %s", got)
	}
}

func TestFaults(t *testing.T) {
	r := example()
	r.Stats.Sources[0].Bad = 0
	r.Delay, r.FileDelay, r.Files = 5*time.Second, true, []string{"orders"}
	want := "late: 312 rows dropped (0.03 %); --delay 17s would have kept 99 % of them, 46.2s all\n"
	if got := string(r.Faults(nil)); got != want {
		t.Errorf("delay is an option\ngot  %swant %s", got, want)
	}
	r.Files = nil // then orders comes from CREATE TABLE: --delay says nothing about it
	r.Stats.Sources[0].Keep99 = 41200
	want = "late: 312 rows dropped (0.03 %); a delay longer by 41.2s would have kept all of them\n"
	if got := string(r.Faults(nil)); got != want {
		t.Errorf("one figure\ngot  %swant %s", got, want)
	}
	r.Stats.Sources = append(r.Stats.Sources, streamsql.SourceStats{Table: "b.csv", Read: 10, Late: 1, Keep99: 90_000, KeepAll: 90_000})
	r.Stats.Operators[0].Late = 313
	want = "late: 313 rows dropped; 312 rows of orders (0.03 %); a delay longer by 41.2s would have kept all of them\n" +
		"late: 1 row of b.csv (10 %); --delay 1m35s would have kept all of them\n"
	if got := string(r.Faults(nil)); got != want {
		t.Errorf("two sources\ngot  %swant %s", got, want)
	}
	r.Stats = streamsql.Stats{Sources: []streamsql.SourceStats{{Bad: 1, BadFields: 2}}}
	r.Bad = []streamsql.BadRow{{Line: 2, Column: "n", Reason: "no INT", Nulled: true}, {Line: 3, Reason: "too many fields"}}
	want = "bad: 1 row skipped, first at line 3: too many fields\n" +
		"bad: 2 values could not be read and became NULL, first at line 2 column \"n\": no INT\n"
	if got := string(r.Faults(nil)); got != want {
		t.Errorf("bad rows and values\ngot  %swant %s", got, want)
	}
	r.Stats = streamsql.Stats{}
	if got := r.Faults(nil); len(got) > 0 {
		t.Errorf("nothing is wrong: %s", got)
	}
}

func TestEndedAndUnread(t *testing.T) {
	r := Report{Elapsed: 12 * time.Millisecond, Stats: streamsql.Stats{Sources: []streamsql.SourceStats{
		{Table: "t", Read: 3, Delivered: 2, Unread: 1, Watermark: math.MaxInt64, MaxEventTime: noon},
		{Table: "u", Watermark: math.MinInt64, MaxEventTime: math.MinInt64},
	}}}
	want := "read 3 rows in 0.01 s, 250 rows/s; 0 rows out; 1 row left unread\nt: event time up to 2024-03-01 12:00:00\n"
	if d := cmp.Diff(want, string(r.Text(nil))); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestJSON(t *testing.T) {
	r := example()
	r.Stats.Sources[0].Watermark = math.MaxInt64
	r.Err = &streamsql.Error{Code: streamsql.CodeDecode, Msg: "no"}
	line := r.JSON(nil)
	if line[len(line)-1] != '\n' {
		t.Error("no line end")
	}
	var got map[string]any
	if err := json.Unmarshal(line, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"query": "SELECT 1", "elapsed_ms": 1900.0, "rows_out": 1440.0, "late": 312.0, "bad": 2.0,
		"error": map[string]any{"code": "decode", "message": "no"},
		"sources": []any{map[string]any{
			"table": "orders", "read": 1204331.0, "delivered": 1204329.0, "bad": 2.0, "bad_fields": 0.0, "unread": 0.0, "late": 312.0, "bytes": 96400000.0,
			"watermark": nil, "max_event_time": "2024-03-01T12:00:05.000", "ended": false, "idle": false, "lag_ms": 0.0,
			"keep_99_ms": 12000.0, "keep_all_ms": 41200.0,
		}},
		"operators": []any{
			map[string]any{"id": "3", "name": "LateFilter", "in": 1204329.0, "used": 1204017.0, "late": 312.0, "filtered": 0.0, "out": 1204017.0, "state_rows": 0.0, "state_bytes": 0.0,
				"watermark": nil, "next_window": nil, "windows": 0.0, "waiting": 0.0},
			map[string]any{"id": "4", "name": "WindowAggregate", "in": 1204017.0, "used": 1204017.0, "late": 0.0, "filtered": 0.0, "out": 1440.0, "state_rows": 7.0, "state_bytes": 3100000.0,
				"watermark": "2024-03-01T12:00:00.000", "next_window": "2024-03-01T12:01:00.000", "windows": 2.0, "waiting": 5.0},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	r = Report{Err: errors.New("plain")}
	if err := json.Unmarshal(r.JSON(nil), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]any{}, got["sources"]); d != "" {
		t.Errorf("no sources: %s", d)
	}
}

func TestRowLines(t *testing.T) {
	late := streamsql.LateRow{
		File: "/data/x.csv", Line: 7, Time: noon - 1000, WindowStart: noon - 60_000, WindowEnd: noon, Watermark: noon + 500,
		Values: []string{"tea", ""}, Nulls: []bool{false, true},
	}
	want := "x.csv:7: tea | <NULL>  (window 2024-03-01 11:59:00 to 2024-03-01 12:00:00, watermark 2024-03-01 12:00:00.500, 502ms too late)"
	if got := LateRow(late); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	late.File, late.Line, late.WindowEnd, late.WindowStart = "", 0, 0, 0
	want = "tea | <NULL>  (time 2024-03-01 11:59:59, watermark 2024-03-01 12:00:00.500)"
	if got := LateRow(late); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	late.Location = time.FixedZone("+05:30", 19_800)
	want = "tea | <NULL>  (time 2024-03-01 17:29:59, watermark 2024-03-01 17:30:00.500)"
	if got := LateRow(late); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := *isoTime(late.Watermark, late.Location); got != "2024-03-01T12:00:00.500Z" {
		t.Error(got)
	}
	if got := BadRow(streamsql.BadRow{Line: 3, Reason: "two\nlines"}); got != "line 3: two lines" {
		t.Error(got)
	}
}

func TestNumbers(t *testing.T) {
	for want, got := range map[string]string{
		"0": Count(0), "999": Count(999), "1,000": Count(1000), "-1,234,567": Count(-1234567), "-100": Count(-100),
		"(1 row, 0.21 s)": Rows(1, 210*time.Millisecond), "(1,440 rows, 12.3 s)": Rows(1440, 12345*time.Millisecond),
		"1m35s": Seconds(95400 * time.Millisecond), "1h0m5s": Duration(time.Hour + 5*time.Second), "3m": Duration(3 * time.Minute), "0s": Duration(0),
		"999 B": Bytes(999), "1 kB": Bytes(1999), "9.6 MB": Bytes(9_600_000), "96 MB": Bytes(96_400_000), "12.0 GB": Bytes(12_000_000_000),
		"9,999": Rate(9999.9), "633k": Rate(633_858), "12.5M": Rate(12_500_000), "1.2M": Rate(1_165_000),
		"9h29m": Duration(atLeast(9*time.Hour + 28*time.Minute + 2*time.Millisecond)), "1m1s": Duration(atLeast(60001 * time.Millisecond)),
		"59.999s": Duration(atLeast(59999 * time.Millisecond)), "1h": Duration(atLeast(time.Hour)),
		"below 0.01 %": percent(1, 1_000_000), "7.0 %": percent(7, 100), "50 %": percent(1, 2),
		"none yet": Time(int64(math.MinInt64)), "end of input": Time(int64(math.MaxInt64)), "1969-12-31 23:59:59.999": Time(int64(-1)),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestStoppedInJSON: the message of a query that was stopped says so in our words.
func TestStoppedInJSON(t *testing.T) {
	err := (&streamsql.Error{Code: streamsql.CodeCanceled, Msg: "stopped"}).Wrap(context.Canceled)
	if got := string(Report{Err: err}.JSON(nil)); !strings.Contains(got, `"message":"stopped"`) {
		t.Error(got)
	}
}
