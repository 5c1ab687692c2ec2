package slt

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"

	"streamsql"
)

// Case is one case of a .case file.
type Case struct {
	Name string
	Data map[string]string // file contents by name
	SQL  string            // {dir} stands for the folder of the data files
}

// Ordered reports whether the order of the answer is Flink's too.
func (c Case) Ordered() bool { return strings.HasSuffix(c.Name, "[ordered]") }

// Answer is one statement of a transcript with its lines.
type Answer struct {
	SQL   string
	Lines []string
}

// ReadCases reads a .case file, or a compressed one (.case.gz).
func ReadCases(path string) ([]Case, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	var cases []Case
	lines := strings.Split(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case word == "case":
			cases = append(cases, Case{Name: strings.TrimSpace(rest), Data: map[string]string{}})
		case len(cases) == 0:
			return nil, fmt.Errorf("%s:%d: expected case NAME", path, i+1)
		case word == "copy":
			f := strings.Fields(rest)
			if len(f) != 2 {
				return nil, fmt.Errorf("%s:%d: expected copy NAME FILE", path, i+1)
			}
			b, err := os.ReadFile(filepath.Join(filepath.Dir(path), f[1]))
			if err != nil {
				return nil, err
			}
			cases[len(cases)-1].Data[f[0]] = string(b)
		case word == "data" || line == "sql":
			start := i
			var block strings.Builder
			for i++; i < len(lines) && lines[i] != "end"; i++ {
				block.WriteString(lines[i] + "\n")
			}
			if i == len(lines) {
				return nil, fmt.Errorf("%s:%d: block has no end", path, start+1)
			}
			c := &cases[len(cases)-1]
			if word == "data" {
				c.Data[strings.TrimSpace(rest)] = block.String()
			} else {
				c.SQL += block.String()
			}
		default:
			return nil, fmt.Errorf("%s:%d: unexpected line %q", path, i+1, line)
		}
	}
	return cases, nil
}

// ReadAnswers reads a .out file, or a compressed one (.out.gz): the statements of
// each case.
func ReadAnswers(path string) (map[string][]Answer, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	answers := map[string][]Answer{}
	name, inside := "", false
	for _, line := range strings.Split(string(text), "\n") {
		switch {
		case !inside && strings.HasPrefix(line, "case "):
			name, inside = strings.TrimSpace(line[5:]), true
			answers[name] = nil
		case inside && line == "end":
			inside = false
		case inside:
			answers[name] = addLine(answers[name], line)
		}
	}
	return answers, nil
}

// readFile returns a file's text, unpacked if its name ends in .gz.
func readFile(path string) ([]byte, error) {
	if !strings.HasSuffix(path, ".gz") {
		return os.ReadFile(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}

// ParseTranscript cuts a transcript into answers.
func ParseTranscript(text string) []Answer {
	var list []Answer
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		list = addLine(list, line)
	}
	return list
}

func addLine(list []Answer, line string) []Answer {
	if s, ok := strings.CutPrefix(line, "> "); ok {
		return append(list, Answer{SQL: s})
	}
	if len(list) > 0 {
		a := &list[len(list)-1]
		a.Lines = append(a.Lines, line)
	}
	return list
}

// Transcript runs a case in dir (made by the caller, empty) and returns what the
// command line prints with --format transcript --keep-going; the folder's name is
// {dir} in it.
func Transcript(ctx context.Context, c Case, dir string, opts ...streamsql.Option) (string, error) {
	if err := c.WriteData(dir); err != nil {
		return "", err
	}
	// Windows of processing time must not close between two rows.
	noon := func() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) }
	e, err := streamsql.Open(append(opts, streamsql.WithClock(noon))...)
	if err != nil {
		return "", err
	}
	defer e.Close()
	var out strings.Builder
	for _, s := range streamsql.Split(strings.ReplaceAll(c.SQL, "{dir}", dir)) {
		out.WriteString("> " + streamsql.OneLine(s.Text) + "\n")
		var late int64
		if s.Query {
			late, err = runQuery(ctx, e, s.Text, &out)
		} else {
			late, err = runStatement(ctx, e, s.Text, &out)
		}
		if late > 0 {
			fmt.Fprintf(&out, "late %d\n", late)
		}
		if err != nil {
			out.WriteString("error: " + err.Error() + "\n")
		}
	}
	return strings.ReplaceAll(out.String(), dir, "{dir}"), nil
}

// WriteData writes the case's data files into dir.
func (c Case) WriteData(dir string) error {
	names := make([]string, 0, len(c.Data))
	for n := range c.Data {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		p := filepath.Join(dir, n)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(p, []byte(c.Data[n]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func runQuery(ctx context.Context, e *streamsql.Engine, text string, out *strings.Builder) (int64, error) {
	q, err := e.Query(ctx, text)
	if err != nil {
		return 0, err
	}
	var line []byte
	for b, err := range q.Batches() {
		if err != nil {
			return lateOf(q.Stats()), err
		}
		for row := range int(b.NumRows()) {
			line = appendChange(line[:0], b, row)
			out.Write(line)
			out.WriteByte('\n')
		}
	}
	s := q.Stats()
	return lateOf(s), checkAccounts(s)
}

func runStatement(ctx context.Context, e *streamsql.Engine, text string, out *strings.Builder) (int64, error) {
	r, err := e.Exec(ctx, text)
	if err != nil {
		return r.Late, err
	}
	if r.Insert {
		out.WriteString("+I -1\n")
		return r.Late, checkAccounts(r.Stats)
	}
	for _, row := range r.Rows {
		for i, v := range row {
			if i > 0 {
				out.WriteString(" | ")
			}
			if v == nil {
				out.WriteString("<NULL>")
			} else {
				out.WriteString(*v)
			}
		}
		out.WriteByte('\n')
	}
	return 0, nil
}

func appendChange(dst []byte, b streamsql.Batch, row int) []byte {
	dst = append(dst, b.Kind(row).String()...)
	dst = append(dst, ' ')
	return appendRow(dst, b, row)
}

func appendRow(dst []byte, b streamsql.Batch, row int) []byte {
	for col := range int(b.NumCols()) {
		if col > 0 {
			dst = append(dst, " | "...)
		}
		if b.IsNull(row, col) {
			dst = append(dst, "<NULL>"...)
		} else {
			dst = b.AppendText(dst, row, col)
		}
	}
	return dst
}

func lateOf(s streamsql.Stats) int64 {
	var n int64
	for _, op := range s.Operators {
		n += op.Late
	}
	return n
}

// checkAccounts holds the promise that nothing vanishes: every source's and every
// operator's rows add up.
func checkAccounts(s streamsql.Stats) error {
	for _, src := range s.Sources {
		if src.Read != src.Delivered+src.Bad+src.Unread {
			return fmt.Errorf("source %s: %d read, but %d delivered + %d bad + %d unread",
				src.Table, src.Read, src.Delivered, src.Bad, src.Unread)
		}
	}
	for _, op := range s.Operators {
		if op.In != op.Used+op.Late+op.Filtered {
			return fmt.Errorf("operator %s (%s): %d in, but %d used + %d late + %d filtered",
				op.ID, op.Name, op.In, op.Used, op.Late, op.Filtered)
		}
	}
	return nil
}

var (
	lateLine = regexp.MustCompile(`^late (\d+)$`)
	explain  = regexp.MustCompile(`(?i)^explain\b`)
	modeSQL  = regexp.MustCompile(`(?i)^explain\s+changelog_mode\b`)
	modeText = regexp.MustCompile(`changelogMode=\[[^\]]*\]`)
	joinWord = regexp.MustCompile(`(?i)\bjoin\b`)
)

// Differ says how got differs from Flink's answer want, "" if it does not. Rows are
// compared as a multiset unless ordered; an error matches any error; late counts
// must both be zero or ours at least Flink's (Flink counts rows of one key and slice
// once).
func Differ(want, got Answer, ordered bool) string {
	wantErr, gotErr := errorLine(want.Lines), errorLine(got.Lines)
	switch {
	case wantErr != "" && gotErr != "":
		return ""
	case wantErr != "":
		return "Flink refuses, we accept: " + wantErr
	case gotErr != "":
		return "we refuse: " + gotErr
	case explain.MatchString(want.SQL):
		w, g := modeText.FindString(strings.Join(want.Lines, "\n")), modeText.FindString(strings.Join(got.Lines, "\n"))
		if modeSQL.MatchString(want.SQL) && w != "" && w != g {
			return fmt.Sprintf("Flink: %s, ours: %s", w, g)
		}
		return ""
	}
	w, wantLate := splitLate(want.Lines)
	g, gotLate := splitLate(got.Lines)
	if !joinWord.MatchString(want.SQL) && (gotLate < wantLate || (wantLate == 0) != (gotLate == 0)) {
		return fmt.Sprintf("late rows: Flink counts %d, ours %d", wantLate, gotLate)
	}
	if ordered {
		if strings.Join(w, "\n") != strings.Join(g, "\n") {
			return "order differs:\n  " + strings.Join(g, "\n  ")
		}
		return ""
	}
	return multisetDiff(w, g)
}

func errorLine(lines []string) string {
	for _, l := range lines {
		if strings.HasPrefix(l, "error:") {
			return l
		}
	}
	return ""
}

func splitLate(lines []string) (rest []string, late int) {
	for _, l := range lines {
		if m := lateLine.FindStringSubmatch(l); m != nil {
			n, _ := strconv.Atoi(m[1]) // \d+ only; an absurd length counts as 0
			late += n
		} else {
			rest = append(rest, l)
		}
	}
	for len(rest) > 0 && rest[len(rest)-1] == "" {
		rest = rest[:len(rest)-1]
	}
	return rest, late
}

func multisetDiff(w, g []string) string {
	count := map[string]int{}
	for _, l := range w {
		count[l]++
	}
	var extra []string
	for _, l := range g {
		if count[l]--; count[l] < 0 {
			extra = append(extra, "ours:  "+l)
		}
	}
	var missing []string
	for _, l := range w {
		if count[l] > 0 {
			count[l]--
			missing = append(missing, "Flink: "+l)
		}
	}
	all := append(missing, extra...)
	if len(all) > 12 {
		all = append(all[:12], fmt.Sprintf("... and %d more", len(all)-12))
	}
	return strings.Join(all, "\n")
}

// ReadKnown reads the list of known differences: case name#statement, a tab, the
// reason.
func ReadKnown(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	known := map[string]string{}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, ok := strings.Cut(line, "\t")
		if !ok || reason == "" {
			return nil, fmt.Errorf("%s:%d: expected case name#statement, a tab and the reason", path, i+1)
		}
		known[name] = reason
	}
	return known, nil
}
