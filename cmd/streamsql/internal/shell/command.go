package shell

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"streamsql"
	"streamsql/cmd/streamsql/internal/flags"
	"streamsql/cmd/streamsql/internal/format"
	"streamsql/cmd/streamsql/internal/report"
	"streamsql/cmd/streamsql/internal/session"
)

// command is a dot command.
type command struct {
	name  string
	alias string // as psql spells it
	args  string
	help  string
	run   func(sh *Shell, args []string) error
}

// commands are in the order of .help. They are filled in by init, since .help shows
// them.
var commands []command

func init() {
	commands = []command{
		{".help", `\?`, "", "this list", (*Shell).help},
		{".tables", `\d`, "", "tables and views", (*Shell).tables},
		{".schema", "", "[TABLE]", "columns, types and event time", (*Shell).schema},
		{".mode", "", "[FORMAT] [changes]", "how rows are shown", (*Shell).mode},
		{".stats", "", "", "rows, event time and state of the last query", (*Shell).stats},
		{".why", "", "", "what the last query waits for", (*Shell).why},
		{".late", "", "[N]", "rows it dropped as late (the first N)", (*Shell).late},
		{".bad", "", "[N]", "rows and values it could not read", (*Shell).bad},
		{".trace", "", "[on|off|svg FILE]", "what each row does, from the next statement on", (*Shell).trace},
		{".quit", `\q`, "", "leave (also: exit, Ctrl-D)", (*Shell).leave},
	}
}

// usage is a command that was called wrongly.
type usage struct{ msg, hint string }

// Error is the message alone.
func (u usage) Error() string { return u.msg }

// command runs a dot command.
func (sh *Shell) command(line string) {
	words := strings.Fields(strings.TrimSuffix(strings.TrimSpace(line), ";"))
	name := strings.ToLower(words[0])
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == name || c.alias != "" && c.alias == name })
	var err error
	if i < 0 {
		err = unknownCommand(name)
	} else {
		err = commands[i].run(sh, words[1:])
	}
	var u usage
	switch {
	case err == nil:
	case errors.As(err, &u):
		fmt.Fprintf(sh.s.Err, "error: %s\nhint: %s\n", u.msg, u.hint)
	default:
		fmt.Fprint(sh.s.Err, streamsql.Render("", err))
	}
}

// otherShells are commands of other shells, with what to write here.
var otherShells = map[string]string{
	".format": ".mode", ".exit": ".quit", ".describe": ".schema", ".columns": ".schema",
	".watermark": ".why", ".watermarks": ".why", ".status": ".stats", ".explain": "EXPLAIN SELECT ...;",
	".output": "streamsql -c 'SELECT ...' > FILE", ".read": "streamsql -f FILE -i", ".run": "streamsql -f FILE -i", ".import": "SELECT * FROM 'your.csv';",
}

func unknownCommand(name string) error {
	if s, ok := otherShells[name]; ok {
		return usage{fmt.Sprintf("there is no command %s", name), "write " + s}
	}
	names := make([]string, len(commands))
	for i, c := range commands {
		names[i] = c.name
	}
	if s := flags.Nearest("."+strings.TrimLeft(name, `.\`), names); s != "" {
		return usage{fmt.Sprintf("there is no command %s", name), fmt.Sprintf("did you mean %s?", s)}
	}
	return usage{fmt.Sprintf("there is no command %s", name), ".help lists the commands"}
}

func (sh *Shell) help(args []string) error {
	var b strings.Builder
	b.WriteString("A statement ends with ';' and may take several lines. Tab completes.\n")
	b.WriteString("Ctrl-C stops a running query, or drops the statement being typed.\n\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "  %-26s%s\n", strings.TrimSpace(c.name+" "+c.args), c.help)
	}
	b.WriteString("\nTry: SELECT * FROM 'your.csv' LIMIT 10;   SHOW TABLES;   DESCRIBE t;   EXPLAIN SELECT ...;\n")
	sh.print(b.String())
	return nil
}

func (sh *Shell) print(text string) { fmt.Fprint(sh.s.Out, text) }

func (sh *Shell) tables(args []string) error {
	if len(args) > 0 {
		return sh.schema(args)
	}
	tables := sh.s.Engine.Tables()
	if len(tables) == 0 {
		return usage{"there are no tables yet", "CREATE TABLE makes one; a file needs none: SELECT * FROM 'your.csv'"}
	}
	sh.print(strings.Join(tables, "\n") + "\n")
	return nil
}

func (sh *Shell) schema(args []string) error {
	tables := args
	if len(args) == 0 {
		tables = sh.s.Engine.Tables()
	}
	if len(tables) == 0 {
		return sh.tables(nil)
	}
	for i, t := range tables {
		tables[i] = strings.Trim(t, "'`\"")
		cols, err := sh.s.Engine.Columns(tables[i])
		if err != nil {
			return err
		}
		var b strings.Builder
		b.WriteString(tables[i] + "\n")
		width := 0
		for _, c := range cols {
			width = max(width, len([]rune(c.Name)))
		}
		for _, c := range cols {
			fmt.Fprintf(&b, "  %-*s  %s", width, c.Name, c.Type)
			if c.Rowtime && !strings.Contains(c.Type, "ROWTIME") {
				b.WriteString(" *ROWTIME*")
			}
			b.WriteByte('\n')
		}
		sh.print(b.String())
	}
	return nil
}

func modeWords() []string { return append(slices.Clone(flags.Formats), "changes") }

func (sh *Shell) mode(args []string) error {
	name, changes := sh.s.Format, false
	for _, a := range args {
		if strings.EqualFold(a, "changes") {
			changes = true
			continue
		}
		f, err := flags.ParseFormat(a)
		if err != nil {
			var e *flags.Error
			if errors.As(err, &e) {
				return usage{e.Msg, e.Hint}
			}
			return err
		}
		name = f
	}
	if len(args) > 0 {
		sh.s.Format, sh.s.Changes = name, changes
	}
	text := sh.s.Format
	if sh.s.Changes {
		text += " changes"
	}
	sh.print(text + "\n")
	return nil
}

// last is the newest query, or an error that says that there is none.
func (sh *Shell) last() (*session.Result, error) {
	if sh.s.Last == nil {
		return nil, usage{"no query has run yet", "run one, then ask again"}
	}
	return sh.s.Last, nil
}

func (sh *Shell) stats([]string) error {
	r, err := sh.last()
	if err != nil {
		return err
	}
	text := sh.s.Report(r).Text(append([]byte(r.SQL), '\n'))
	if len(r.Stats().Operators) == 0 {
		sh.print(string(text))
		return nil
	}
	cols := []format.Column{{Name: "operator"}}
	for _, name := range []string{"in", "used", "late", "filtered", "out", "state rows", "state bytes"} {
		cols = append(cols, format.Column{Name: name, Type: "BIGINT"})
	}
	p := format.New("table", cols, format.Layout{})
	text = p.Begin(text)
	for _, op := range r.Stats().Operators {
		name := op.ID // which most often begins with the name
		if !strings.HasPrefix(name, op.Name) {
			name = strings.TrimSpace(name + " " + op.Name)
		}
		cells := []format.Cell{{Text: []byte(name)}}
		for _, n := range []int64{op.In, op.Used, op.Late, op.Filtered, op.Out, op.StateRows, op.StateBytes} {
			cells = append(cells, format.Cell{Text: []byte(report.Count(n))})
		}
		text = p.Row(text, streamsql.Insert, cells)
	}
	sh.print(string(p.End(text)))
	return nil
}

func (sh *Shell) why([]string) error {
	r, err := sh.last()
	if err != nil {
		return err
	}
	if r.Query == nil {
		return sh.stats(nil)
	}
	sh.print(strings.TrimRight(r.Query.Why(), "\n") + "\n")
	return nil
}

// listRows is how many late or bad rows are listed if nothing is said.
const listRows = 20

// count reads the number of rows to list.
func count(args []string) (int, error) {
	if len(args) == 0 {
		return listRows, nil
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 1 {
		return 0, usage{fmt.Sprintf("%q is no number of rows", args[0]), "write a number, for example .late 100"}
	}
	return n, nil
}

func (sh *Shell) late(args []string) error {
	r, n, err := sh.lastRows(args, "late")
	if err != nil {
		return err
	}
	var b strings.Builder
	all := report.Late(r.Stats())
	if r.Query != nil {
		for row := range r.Query.Late() {
			if n--; n < 0 {
				break
			}
			b.WriteString(report.LateRow(row) + "\n")
		}
	}
	sh.list(b.String(), all, "late")
	return nil
}

func (sh *Shell) bad(args []string) error {
	r, n, err := sh.lastRows(args, "bad")
	if err != nil {
		return err
	}
	var b strings.Builder
	all := report.BadRows(r.Stats()) + report.BadFields(r.Stats())
	if r.Query != nil {
		for row := range r.Query.Bad() {
			if n--; n < 0 {
				break
			}
			b.WriteString(report.BadRow(row) + "\n")
		}
	}
	sh.list(b.String(), all, "bad")
	return nil
}

func (sh *Shell) lastRows(args []string, word string) (*session.Result, int, error) {
	r, err := sh.last()
	if err != nil {
		return nil, 0, err
	}
	n, err := count(args)
	return r, n, err
}

// list prints lines about rows, and how many rows there are beyond them.
func (sh *Shell) list(lines string, all int64, word string) {
	shown := int64(strings.Count(lines, "\n"))
	switch {
	case all == 0 && shown == 0:
		lines = "no " + word + " rows\n"
	case shown < all:
		lines += fmt.Sprintf("(%s of %s %s rows)\n", report.Count(shown), report.Count(all), word)
	}
	sh.print(lines)
}

// trace switches the trace of statements; without a word it turns it over.
func (sh *Shell) trace(args []string) error {
	word := "on"
	if len(args) > 0 {
		word = strings.ToLower(args[0])
	} else if sh.s.Trace != flags.TraceOff {
		word = "off"
	}
	switch {
	case word == "on" && len(args) < 2:
		sh.s.Trace = flags.TraceTable
	case word == "off" && len(args) < 2:
		sh.s.Trace = flags.TraceOff
	case word == "svg" && len(args) == 2:
		sh.s.Trace, sh.s.TraceFile = flags.TraceSVG, args[1]
		word += " " + args[1]
	default:
		return usage{"this is no form of trace", "write .trace, .trace off, or .trace svg FILE"}
	}
	sh.print("trace " + word + "\n")
	return nil
}

func (sh *Shell) leave([]string) error {
	sh.quit = true
	return nil
}
