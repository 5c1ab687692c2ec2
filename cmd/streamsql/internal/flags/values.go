package flags

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

func setFormat(o *Options, v string) error {
	f, err := ParseFormat(v)
	o.Format = f
	return err
}

// ParseFormat returns the name of an output format, or an error that says which
// ones there are.
func ParseFormat(v string) (string, error) {
	low := strings.ToLower(v)
	if slices.Contains(Formats, low) {
		return low, nil
	}
	hint := "formats are " + strings.Join(Formats, ", ")
	if low == "jsonl" || low == "jsonlines" {
		hint = `did you mean "ndjson"?`
	} else if s := Nearest(v, Formats); s != "" {
		hint = fmt.Sprintf("did you mean %q?", s)
	}
	return "", refuse(hint, "unknown format %q", v)
}

func setStats(o *Options, v string) error {
	switch v {
	case "", "text":
		o.Stats = StatsText
	case "json":
		o.Stats = StatsJSON
	default:
		return refuse("write --stats or --stats=json", "unknown form of statistics %q", v)
	}
	return nil
}

func setTrace(o *Options, v string) error {
	kind, file, _ := strings.Cut(v, " ")
	switch {
	case v == "":
		o.Trace = TraceTable
	case kind != "svg":
		return refuse("write --trace, or --trace=svg FILE", "unknown form of trace %q", kind)
	case file == "":
		return refuse("write --trace=svg FILE, for example --trace=svg rows.svg", "option --trace=svg needs a file")
	default:
		o.Trace, o.TraceFile = TraceSVG, file
	}
	return nil
}

func setLimit(o *Options, v string) error {
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 0 {
		return refuse("write a number of rows, for example --limit 10", "option --limit: %q is no number of rows", v)
	}
	o.Limit = n
	return nil
}

func setCount(to *int, name, what, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > math.MaxInt32 {
		return refuse(fmt.Sprintf("write a number from 1 on, for example --%s 4", name), "option --%s: %q is no number of %s", name, v, what)
	}
	*to = n
	return nil
}

// setBytes reads a size: a number, or one with K, M or G (powers of 1024).
func setBytes(to *int, name, v string) error {
	num, shift := strings.ToUpper(v), 0
	num = strings.TrimSuffix(strings.TrimSuffix(num, "B"), "I")
	for i, unit := range []string{"K", "M", "G"} {
		if rest, ok := strings.CutSuffix(num, unit); ok {
			num, shift = rest, 10*(i+1)
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(num), 10, 64)
	if err != nil || n < 1 || n > math.MaxInt32>>shift {
		return refuse(fmt.Sprintf("write bytes, for example --%s 64K", name), "option --%s: %q is no size", name, v)
	}
	*to = int(n << shift)
	return nil
}

func setDelay(o *Options, v string) error {
	d, err := time.ParseDuration(strings.ReplaceAll(v, " ", ""))
	if err != nil || d < 0 || d%time.Millisecond != 0 {
		hint := "write a duration, for example --delay 5s, 1m30s or 500ms"
		if _, err := strconv.Atoi(v); err == nil {
			hint = fmt.Sprintf("add the unit: --delay %ss", v)
		}
		return refuse(hint, "option --delay: %q is no duration of whole milliseconds", v)
	}
	o.Delay = d
	return nil
}

// setTable reads NAME=PATH[,key=value...]. A comma that is not followed by a key and
// "=" belongs to what stands before it.
func setTable(o *Options, v string) error {
	name, rest, ok := strings.Cut(v, "=")
	if !ok || name == "" || rest == "" {
		return refuse("write -t NAME=PATH, for example -t orders=orders.csv", "option -t: %q names no table and file", v)
	}
	t := Table{Name: name, Options: map[string]string{}}
	if slices.ContainsFunc(o.Tables, func(u Table) bool { return u.Name == name }) {
		return refuse("give the second one another name", "option -t: table %q is there twice", name)
	}
	last := ""
	for i, part := range strings.Split(rest, ",") {
		key, value, isPair := strings.Cut(part, "=")
		switch {
		case i == 0:
			t.Path = part
		case isPair && isKey(key):
			if _, twice := t.Options[key]; twice {
				return refuse("keep one of them", "option -t: %q is set twice for table %q", key, name)
			}
			t.Options[key] = value
			last = key
		case last == "":
			t.Path += "," + part
		default:
			t.Options[last] += "," + part
		}
	}
	o.Tables = append(o.Tables, t)
	return nil
}

func isKey(s string) bool {
	if s == "" {
		return false
	}
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_') {
			return false
		}
	}
	return true
}
