package report

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"streamsql"
)

// Report is what is known about one query after its end, or while it runs.
type Report struct {
	SQL     string // on one line
	Elapsed time.Duration
	Stats   streamsql.Stats
	Bad     []streamsql.BadRow // the first ones
	Err     error              // what ended the query, nil if nothing did
	// Delay is the value of --delay, if FileDelay says that tables that are plain files
	// got their watermark from it.
	Delay     time.Duration
	FileDelay bool
	Files     []string // tables named with -t
}

// Late is the number of rows that were dropped as late.
func Late(s streamsql.Stats) int64 {
	var n int64
	for _, op := range s.Operators {
		n += op.Late
	}
	return n
}

// BadFields is the number of values that could not be read and became NULL.
func BadFields(s streamsql.Stats) int64 {
	var n int64
	for _, src := range s.Sources {
		n += src.BadFields
	}
	return n
}

// BadRows is the number of rows that could not be read and were skipped.
func BadRows(s streamsql.Stats) int64 {
	var n int64
	for _, src := range s.Sources {
		n += src.Bad
	}
	return n
}

// Text appends the whole report.
func (r Report) Text(dst []byte) []byte {
	var read, unread, bytes, state int64
	for _, s := range r.Stats.Sources {
		read, unread, bytes = read+s.Read, unread+s.Unread, bytes+s.Bytes
	}
	for _, op := range r.Stats.Operators {
		state += op.StateBytes
	}
	dst = fmt.Appendf(dst, "read %s", rows(read))
	if bytes > 0 {
		dst = fmt.Appendf(dst, " (%s)", Bytes(bytes))
	}
	dst = fmt.Appendf(dst, " in %s", Seconds(r.Elapsed))
	if s := r.Elapsed.Seconds(); s >= 0.001 && read > 0 {
		dst = fmt.Appendf(dst, ", %s rows/s", Rate(float64(read)/s))
	}
	dst = fmt.Appendf(dst, "; %s out", rows(r.Stats.RowsOut))
	if state > 0 {
		dst = fmt.Appendf(dst, "; state %s", Bytes(state))
	}
	if unread > 0 {
		dst = fmt.Appendf(dst, "; %s left unread", rows(unread))
	}
	dst = append(dst, '\n')
	for _, s := range r.Stats.Sources {
		if !Known(s.MaxEventTime) {
			continue
		}
		dst = fmt.Appendf(dst, "%s: event time up to %s", s.Table, TimeIn(s.MaxEventTime, s.Location))
		if Known(s.Watermark) {
			dst = fmt.Appendf(dst, ", watermark %s", TimeIn(s.Watermark, s.Location))
		}
		if lag := s.Lag(); lag > 0 {
			dst = fmt.Appendf(dst, " (%s behind)", Duration(time.Duration(lag)*time.Millisecond))
		}
		if s.Idle {
			dst = append(dst, ", idle"...)
		}
		dst = append(dst, '\n')
	}
	return r.Faults(r.appendOpen(dst))
}

// appendOpen says what windows hold: how many are open, how much waits in them, and the
// next one that closes.
func (r Report) appendOpen(dst []byte) []byte {
	for _, o := range r.Stats.Operators {
		if !waits(o) {
			continue
		}
		dst = fmt.Appendf(dst, "%s: %s open, %s waiting, state %s, the next one ends %s\n",
			o.Name, plural(o.Windows, "window"), Count(o.OpenRows), Bytes(o.StateBytes), TimeIn(o.NextTimer+1, o.Location))
	}
	return dst
}

// waits reports whether an operator has windows that wait for their end.
func waits(o streamsql.OperatorStats) bool {
	return o.OpenRows > 0 && Known(o.NextTimer)
}

func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return Count(n) + " " + word + "s"
}

// Faults appends the part of the report that must not be missed: late and bad rows, and
// windows that never close. It appends nothing if there are none.
func (r Report) Faults(dst []byte) []byte {
	if late := Late(r.Stats); late > 0 {
		dst = fmt.Appendf(dst, "late: %s dropped", rows(late))
		with := slices.DeleteFunc(slices.Clone(r.Stats.Sources), func(s streamsql.SourceStats) bool { return s.Late == 0 })
		for i, s := range with {
			if i > 0 {
				dst = fmt.Appendf(dst, "\nlate: %s of %s", rows(s.Late), s.Table)
			} else if len(with) > 1 {
				dst = fmt.Appendf(dst, "; %s of %s", rows(s.Late), s.Table)
			}
			if s.Read > 0 {
				dst = fmt.Appendf(dst, " (%s)", percent(s.Late, s.Read))
			}
			dst = r.appendAdvice(dst, s)
		}
		dst = append(dst, '\n')
	}
	if bad := BadRows(r.Stats); bad > 0 {
		dst = fmt.Appendf(dst, "bad: %s skipped", rows(bad))
		dst = r.appendFirst(dst, false)
	}
	if fields := BadFields(r.Stats); fields > 0 {
		word := "values"
		if fields == 1 {
			word = "value"
		}
		dst = fmt.Appendf(dst, "bad: %s %s could not be read and became NULL", Count(fields), word)
		dst = r.appendFirst(dst, true)
	}
	for _, o := range r.Stats.Operators {
		if r.Stats.Done && r.Err == nil && o.Clock && waits(o) {
			dst = fmt.Appendf(dst, "open: %s without a result: the end of input closes no window of processing time\n", plural(o.Windows, "window"))
		}
	}
	return dst
}

// appendFirst says where the first bad row, or row with a bad value, is.
func (r Report) appendFirst(dst []byte, nulled bool) []byte {
	if i := slices.IndexFunc(r.Bad, func(b streamsql.BadRow) bool { return b.Nulled == nulled }); i >= 0 {
		dst = fmt.Appendf(dst, ", first at %s", BadRow(r.Bad[i]))
	}
	return append(dst, '\n')
}

// appendAdvice says which watermark delay would have kept the late rows.
func (r Report) appendAdvice(dst []byte, s streamsql.SourceStats) []byte {
	if s.KeepAll <= 0 {
		return dst
	}
	most, all := time.Duration(s.Keep99)*time.Millisecond, time.Duration(s.KeepAll)*time.Millisecond
	form := "; a delay longer by %s would have kept"
	if r.FileDelay && r.isFile(s.Table) {
		form = "; --delay %s would have kept"
		most, all = most+r.Delay, all+r.Delay
	}
	most, all = atLeast(most), atLeast(all)
	if most == all {
		return fmt.Appendf(dst, form+" all of them", Duration(all))
	}
	return fmt.Appendf(dst, form+" 99 %% of them, %s all", Duration(most), Duration(all))
}

// isFile reports whether a table is a plain file: its name is a path or from -t.
func (r Report) isFile(table string) bool {
	return table == "stdin" || strings.ContainsAny(table, "/.*") || slices.Contains(r.Files, table)
}

// BadRow says where a bad row is and what is wrong with it.
func BadRow(b streamsql.BadRow) string {
	var s strings.Builder
	if b.File != "" {
		s.WriteString(path.Base(b.File) + ":")
	} else {
		s.WriteString("line ")
	}
	fmt.Fprintf(&s, "%d", b.Line)
	if b.Column != "" {
		fmt.Fprintf(&s, " column %q", b.Column)
	}
	if b.Reason != "" {
		s.WriteString(": " + b.Reason)
	}
	return strings.ReplaceAll(s.String(), "\n", " ")
}

// LateRow says which row was late, for what and by how much.
func LateRow(l streamsql.LateRow) string {
	var s strings.Builder
	if l.File != "" {
		fmt.Fprintf(&s, "%s:%d: ", path.Base(l.File), l.Line)
	} else if l.Line > 0 {
		fmt.Fprintf(&s, "line %d: ", l.Line)
	}
	for i, v := range l.Values {
		if i > 0 {
			s.WriteString(" | ")
		}
		if i < len(l.Nulls) && l.Nulls[i] {
			v = "<NULL>"
		}
		s.WriteString(v)
	}
	if l.WindowEnd > l.WindowStart {
		fmt.Fprintf(&s, "  (window %s to %s", TimeIn(l.WindowStart, l.Location), TimeIn(l.WindowEnd, l.Location))
	} else {
		fmt.Fprintf(&s, "  (time %s", TimeIn(l.Time, l.Location))
	}
	fmt.Fprintf(&s, ", watermark %s", TimeIn(l.Watermark, l.Location))
	if l.WindowEnd > l.WindowStart {
		fmt.Fprintf(&s, ", %s too late", Duration(time.Duration(l.LateBy()+1)*time.Millisecond))
	}
	s.WriteByte(')')
	return s.String()
}
