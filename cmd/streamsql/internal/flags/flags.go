package flags

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// Options is a command line that has been read.
type Options struct {
	Inputs      []Input // -c, -f and positional files, in the order given
	Interactive bool    // -i
	Format      string  // "": the default of the output
	Changes     bool
	KeepGoing   bool
	FlushOnStop bool
	BatchSize   int // 0: the engine's default; so are the next two
	ReadBuffer  int
	Workers     int
	Limit       int64 // -1: none
	Stats       Stats
	Tables      []Table
	Header      string
	EventTime   string
	Delay       time.Duration
	Trace       Trace
	TraceFile   string // of TraceSVG
	Quiet       bool
	Help        bool
	Version     bool
}

// Input is a piece of SQL to run: the text of -c, or the path of a script ("-" is
// standard input).
type Input struct {
	SQL  string
	Path string
}

// Table is a table named by -t.
type Table struct {
	Name, Path string
	Options    map[string]string
}

// Stats says how the report at the end is written.
type Stats uint8

// The forms of the report.
const (
	StatsAuto Stats = iota // as text, if somebody looks at it
	StatsText
	StatsJSON
)

// Trace says how it is shown what each row does.
type Trace uint8

// The forms of a trace.
const (
	TraceOff Trace = iota
	TraceTable
	TraceSVG
)

// Formats are the output formats.
var Formats = []string{"table", "csv", "json", "ndjson", "changelog", "transcript"}

// Error is a command line that is refused.
type Error struct {
	Msg  string
	Hint string
}

// Error is the message and the hint in one line.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Msg
	}
	return e.Msg + "; hint: " + e.Hint
}

func refuse(hint, msg string, args ...any) error {
	return &Error{Msg: fmt.Sprintf(msg, args...), Hint: hint}
}

// option is one row of the table of options.
type option struct {
	long  string
	short byte // 0: none
	arg   argKind
	set   func(o *Options, value string) error
}

type argKind uint8

const (
	noArg argKind = iota
	needArg
	maybeArg  // --name or --name=value
	maybeFile // --name or --name=kind FILE
)

var options = []option{
	{"command", 'c', needArg, func(o *Options, v string) error {
		o.Inputs = append(o.Inputs, Input{SQL: v})
		return nil
	}},
	{"file", 'f', needArg, func(o *Options, v string) error {
		o.Inputs = append(o.Inputs, Input{Path: v})
		return nil
	}},
	{"interactive", 'i', noArg, func(o *Options, _ string) error { o.Interactive = true; return nil }},
	{"table", 't', needArg, setTable},
	{"header", 0, needArg, func(o *Options, v string) error { o.Header = v; return nil }},
	{"event-time", 0, needArg, func(o *Options, v string) error { o.EventTime = v; return nil }},
	{"delay", 0, needArg, setDelay},
	{"format", 0, needArg, setFormat},
	{"changes", 0, noArg, func(o *Options, _ string) error { o.Changes = true; return nil }},
	{"limit", 0, needArg, setLimit},
	{"stats", 0, maybeArg, setStats},
	{"trace", 0, maybeFile, setTrace},
	{"keep-going", 0, noArg, func(o *Options, _ string) error { o.KeepGoing = true; return nil }},
	{"flush-on-stop", 0, noArg, func(o *Options, _ string) error { o.FlushOnStop = true; return nil }},
	{"batch-size", 0, needArg, func(o *Options, v string) error { return setCount(&o.BatchSize, "batch-size", "rows", v) }},
	{"read-buffer", 0, needArg, func(o *Options, v string) error { return setBytes(&o.ReadBuffer, "read-buffer", v) }},
	{"workers", 0, needArg, func(o *Options, v string) error { return setCount(&o.Workers, "workers", "workers", v) }},
	{"quiet", 'q', noArg, func(o *Options, _ string) error { o.Quiet = true; return nil }},
	{"help", 'h', noArg, func(o *Options, _ string) error { o.Help = true; return nil }},
	{"version", 0, noArg, func(o *Options, _ string) error { o.Version = true; return nil }},
}

// Parse reads the arguments behind the program's name.
func Parse(args []string) (*Options, error) {
	o := &Options{Limit: -1}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		var err error
		switch {
		case arg == "--":
			for _, a := range args {
				if err := positional(o, a); err != nil {
					return nil, err
				}
			}
			args = nil
		case strings.HasPrefix(arg, "--"):
			args, err = parseLong(o, arg[2:], args)
		case len(arg) > 1 && arg[0] == '-':
			args, err = parseShort(o, arg[1:], args)
		default:
			err = positional(o, arg)
		}
		if err != nil {
			return nil, err
		}
	}
	return o, check(o)
}

func parseLong(o *Options, text string, rest []string) ([]string, error) {
	name, value, given := strings.Cut(text, "=")
	i := slices.IndexFunc(options, func(p option) bool { return p.long == name })
	if i < 0 {
		return nil, unknown("--"+name, name)
	}
	p := options[i]
	if p.arg == noArg && given {
		return nil, refuse("write --"+name, "option --%s takes no value", name)
	}
	if p.arg == needArg && !given {
		if len(rest) == 0 {
			return nil, missing("--" + name)
		}
		value, rest = rest[0], rest[1:]
	}
	if p.arg == maybeFile && given && len(rest) > 0 {
		value, rest = value+" "+rest[0], rest[1:]
	}
	return rest, p.set(o, value)
}

func parseShort(o *Options, text string, rest []string) ([]string, error) {
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		i := slices.IndexFunc(options, func(p option) bool { return p.short != 0 && rune(p.short) == r })
		if i < 0 {
			return nil, unknown("-"+string(r), text)
		}
		text = text[size:]
		p := options[i]
		if p.arg == noArg {
			if err := p.set(o, ""); err != nil {
				return nil, err
			}
			continue
		}
		if text == "" {
			if len(rest) == 0 {
				return nil, missing("-" + string(r))
			}
			text, rest = rest[0], rest[1:]
		}
		return rest, p.set(o, text)
	}
	return rest, nil
}

func missing(name string) error {
	return refuse("see streamsql --help", "option %s needs a value", name)
}

// other are spellings that users bring along from other programs.
var other = map[string]string{
	"csv": "--format csv", "json": "--format json", "ndjson": "--format ndjson", "jsonl": "--format ndjson",
	"query": "-c", "execute": "-c", "sql": "-c", "output": "--format", "mode": "--format",
	"silent": "-q", "threads": "--workers", "parallelism": "--workers",
	"watermark": "--event-time COLUMN --delay DURATION", "follow": "tail -n +1 -F FILE | streamsql -c ...",
}

// unknown refuses an option; name is its text without the dashes.
func unknown(shown, name string) error {
	if s, ok := other[name]; ok {
		return refuse(fmt.Sprintf("did you mean %q?", s), "unknown option %s", shown)
	}
	names := make([]string, len(options))
	for i, p := range options {
		names[i] = p.long
	}
	if s := Nearest(name, names); s != "" {
		return refuse(fmt.Sprintf("did you mean --%s?", s), "unknown option %s", shown)
	}
	return refuse("see streamsql --help", "unknown option %s", shown)
}

// Nearest returns the candidate that name is most likely meant to be, or "".
func Nearest(name string, candidates []string) string {
	name = strings.ToLower(name)
	best, least := "", 1+max(1, len(name)/3)
	for _, c := range candidates {
		d := levenshtein.ComputeDistance(name, strings.ToLower(c))
		if d == 2 && sameLetters(name, strings.ToLower(c)) {
			d = 1 // two letters swapped
		}
		if d < least {
			best, least = c, d
		}
	}
	if best == "" && len(name) >= 3 {
		for _, c := range candidates {
			if strings.HasPrefix(c, name) {
				return c
			}
		}
	}
	return best
}

func sameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return string(x) == string(y)
}

// positional takes an argument that is no option: a script.
func positional(o *Options, arg string) error {
	low := strings.ToLower(arg)
	switch {
	case arg == "-" || strings.HasSuffix(low, ".sql"):
		o.Inputs = append(o.Inputs, Input{Path: arg})
		return nil
	case low == "help":
		o.Help = true
		return nil
	case low == "version":
		o.Version = true
		return nil
	case strings.ContainsAny(arg, " \n\t"):
		return refuse("to run SQL from the command line, put -c before it", "unexpected argument %q", arg)
	}
	for _, end := range []string{".csv", ".tsv", ".txt", ".gz", ".json", ".ndjson"} {
		if strings.HasSuffix(low, end) {
			return refuse(fmt.Sprintf(`to query a file: streamsql -c "SELECT * FROM '%s'"`, arg), "file %q is no .sql script", arg)
		}
	}
	return refuse("a script whose name does not end in .sql needs -f before it, SQL needs -c", "unexpected argument %q", arg)
}

// check refuses options that do not go together.
func check(o *Options) error {
	if o.Delay > 0 && o.EventTime == "" {
		return refuse("add --event-time COLUMN", "option --delay needs an event-time column")
	}
	return nil
}
