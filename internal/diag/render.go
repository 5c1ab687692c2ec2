package diag

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Render formats err for people: the message, the source line with a caret
// under the span, detail and hint. An error without a span, or that is no
// *Error, gives the message lines alone. The result ends with a newline.
func Render(src string, err error) string {
	e := As(err)
	if e == nil {
		return "error: " + err.Error() + "\n"
	}
	var b strings.Builder
	b.WriteString("error: " + e.Msg)
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	b.WriteByte('\n')
	if e.Source != "" {
		src = e.Source
	}
	if e.Span.Valid() && src != "" {
		b.WriteString(caret(src, e.Span))
	}
	if e.Detail != "" {
		b.WriteString("detail: " + e.Detail + "\n")
	}
	if e.Hint != "" {
		b.WriteString("hint: " + e.Hint + "\n")
	}
	return b.String()
}

// caret prints the first line of the span and marks the span below it. Columns
// are display columns: a wide rune counts two, a tab one blank.
func caret(src string, s Span) string {
	start := max(0, min(s.Start, len(src)))
	end := max(start, min(s.End, len(src)))
	line, _ := Position(src, start)
	from := strings.LastIndexByte(src[:start], '\n') + 1
	to := len(src)
	if i := strings.IndexByte(src[start:], '\n'); i >= 0 {
		to = start + i
	}
	to = from + len(strings.TrimRight(src[from:to], "\r"))
	prefix := fmt.Sprintf("%d | ", line)
	suffix := ""
	start = min(start, to)
	if cut := window(src, start, from); cut > from {
		from = cut
		prefix += "... "
	}
	if cut := from + longest; cut < to {
		for !utf8.RuneStart(src[cut]) {
			cut--
		}
		to = cut
		suffix = " ..."
	}
	text := src[from:to] + suffix
	pad := len(prefix) + displayWidth(src[from:start])
	n := max(1, displayWidth(src[start:max(start, min(end, to))]))
	return prefix + strings.ReplaceAll(text, "\t", " ") + "\n" + strings.Repeat(" ", pad) + strings.Repeat("^", n) + "\n"
}

// longest is how many bytes of a line are shown, before how many of them stand before
// the place if the line is longer.
const (
	longest = 400
	before  = 100
)

// window returns where the part of a line that is shown begins.
func window(src string, start, from int) int {
	if start-from <= longest-before {
		return from
	}
	cut := start - before
	for !utf8.RuneStart(src[cut]) {
		cut--
	}
	return cut
}

func displayWidth(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
			r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
			r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd):
			n += 2
		default:
			n++
		}
	}
	return n
}
