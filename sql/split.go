package sql

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"streamsql/internal/diag"
)

// Piece is one statement of a script, as text.
type Piece struct {
	Text       string
	Span       diag.Span // of Text in the script
	Terminated bool      // a semicolon stands behind it
}

// Split cuts a script into its statements at the semicolons that stand outside
// quotes, comments and BEGIN ... END blocks. It never fails: text that is no
// statement becomes a piece, which Parse then refuses. Empty statements are left
// out. White space and comments around a statement are no part of it.
func Split(text string) []Piece {
	var out []Piece
	start, last := -1, 0
	var first, older, prev string // the first word of the statement and the last two
	block := false                // inside BEGIN ... END of a statement set
	closed := false               // in it, an INSERT was closed just before
	flush := func(terminated bool) {
		if start >= 0 {
			out = append(out, Piece{text[start:last], diag.Span{Start: start, End: last}, terminated})
		}
		start, first, older, prev = -1, "", "", ""
	}
	for i := 0; i < len(text); {
		end, class := element(text, i)
		if class == semicolon && !block {
			flush(true)
		} else if class > comment {
			up := ""
			if class == word {
				up = strings.ToUpper(text[i:end])
			}
			if start < 0 {
				start, first = i, up
			}
			last = end
			switch {
			case up == "BEGIN" && older == "STATEMENT" && prev == "SET" && (first == "EXECUTE" || first == "EXPLAIN"),
				up == "SET" && older == "BEGIN" && prev == "STATEMENT" && first == "BEGIN":
				block = true
			case up == "END" && block && closed: // no END of CASE stands behind a semicolon
				block = false
			}
			older, prev, closed = prev, up, class == semicolon || up == "BEGIN"
		}
		i = end
	}
	flush(false)
	return out
}

// lineEnds are the characters that end a line comment: as in Flink a lone carriage
// return does too, or it would hide the SQL behind it.
const lineEnds = "\r\n"

type class uint8

const (
	blank class = iota
	comment
	semicolon
	word
	other
)

// element returns the end and the class of the element at i, forgivingly: what is
// not closed reaches to the end.
func element(text string, i int) (int, class) {
	rest := text[i:]
	upTo := func(s string, from int) int {
		if n := strings.Index(rest[from:], s); n >= 0 {
			return i + from + n + len(s)
		}
		return len(text)
	}
	switch c := rest[0]; {
	case c <= ' ':
		return i + 1, blank
	case c == ';':
		return i + 1, semicolon
	case strings.HasPrefix(rest, "--"):
		if n := strings.IndexAny(rest, lineEnds); n >= 0 {
			return i + n + 1, comment
		}
		return len(text), comment
	case strings.HasPrefix(rest, "//"): // the parser refuses it, but a quote in it must not swallow the rest
		if n := strings.IndexAny(rest, lineEnds); n >= 0 {
			return i + n, other
		}
		return len(text), other
	case strings.HasPrefix(rest, "/*+"):
		return upTo("*/", 2), other
	case strings.HasPrefix(rest, "/*"):
		if !strings.Contains(rest[2:], "*/") {
			return len(text), other // for the parser to refuse
		}
		return upTo("*/", 2), comment
	case c == '\'' || c == '`':
		return upTo(string(c), 1), other
	case (c == 'e' || c == 'E') && len(rest) > 1 && rest[1] == '\'':
		for j := i + 2; j < len(text); j++ {
			if text[j] == '\\' {
				j++
			} else if text[j] == '\'' {
				return j + 1, other
			}
		}
		return len(text), other
	case c >= 0x80:
		if r, n := utf8.DecodeRuneInString(rest); unicode.IsSpace(r) || r == '\ufeff' {
			return i + n, blank
		}
		return wordEnd(text, i), word
	case isWordByte(c):
		return wordEnd(text, i), word
	}
	return i + 1, other
}

func wordEnd(text string, i int) int {
	for i < len(text) {
		if text[i] < 0x80 {
			if !isWordByte(text[i]) {
				break
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			break
		}
		i += n
	}
	return i
}

// Complete reports whether text ends with a terminated statement: a semicolon
// outside quotes and comments, with nothing but white space and comments behind.
func Complete(text string) bool {
	p := Split(text)
	return len(p) > 0 && p[len(p)-1].Terminated
}

// IsQuery reports whether the statement is a query, going by its first word, or the
// one behind EXECUTE.
func IsQuery(text string) bool {
	executed := false
	for i := 0; i < len(text); {
		end, class := element(text, i)
		switch class {
		case blank, comment:
			i = end
			continue
		case word:
			switch strings.ToUpper(text[i:end]) {
			case "SELECT", "WITH", "VALUES", "TABLE":
				return true
			case "EXECUTE":
				if !executed {
					executed, i = true, end
					continue
				}
			}
		}
		return text[i] == '('
	}
	return false
}

// Normalize puts a statement on one line: runs of white space and comments
// outside quotes become one blank; none stands at the ends.
func Normalize(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	gap := false
	for i := 0; i < len(text); {
		end, class := element(text, i)
		if class == blank || class == comment {
			gap = true
		} else {
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteString(text[i:end])
		}
		i = end
	}
	return b.String()
}
