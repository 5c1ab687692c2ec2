package sql

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// literal reads a constant of one or more tokens at i and returns the index
// behind it; x is nil if none stands there.
func (p *parser) literal(i int) (x Expr, next int) {
	t := p.at(i)
	switch t.kind {
	case numberToken:
		return &Literal{p.pos(i, i), NumberLiteral, p.src[t.pos:t.end]}, i + 1
	case textToken:
		return p.textLiteral(i)
	case wordToken:
	case symbolToken:
		if t.up == "{" {
			return p.escapeLiteral(i)
		}
		return nil, i
	default:
		return nil, i
	}
	constant := func(k LiteralKind) (Expr, int) { return &Literal{p.pos(i, i), k, t.up}, i + 1 }
	switch t.up {
	case "NULL":
		return constant(NullLiteral)
	case "TRUE", "FALSE":
		return constant(BooleanLiteral)
	case "UNKNOWN":
		return constant(UnknownLiteral)
	case "DATE":
		return p.typedLiteral(i, i+1, DateLiteral)
	case "TIME":
		return p.typedLiteral(i, i+1, TimeLiteral)
	case "TIMESTAMP":
		if p.is(i+1, "WITH", "LOCAL", "TIME", "ZONE") {
			return p.typedLiteral(i, i+5, TimestampLTZLiteral)
		}
		return p.typedLiteral(i, i+1, TimestampLiteral)
	case "TIMESTAMP_LTZ":
		if p.at(i+1).kind == textToken {
			fail(p.span(i, i+1), "write TIMESTAMP WITH LOCAL TIME ZONE "+p.text(i+1, i+1), "TIMESTAMP_LTZ has no literal of this form")
		}
	case "DECIMAL":
		return p.typedLiteral(i, i+1, DecimalLiteral)
	case "INTERVAL":
		return p.interval(i)
	}
	return nil, i
}

// typedLiteral reads TYPE 'text', whose text stands at token k.
func (p *parser) typedLiteral(i, k int, kind LiteralKind) (Expr, int) {
	if p.at(k).kind != textToken || p.src[p.at(k).pos] != '\'' {
		return nil, i
	}
	return &Literal{p.pos(i, k), kind, unquote(p.text(k, k))}, k + 1
}

// escapeLiteral reads {d '..'}, {t '..'} or {ts '..'}.
func (p *parser) escapeLiteral(i int) (Expr, int) {
	kinds := map[string]LiteralKind{"D": DateLiteral, "T": TimeLiteral, "TS": TimestampLiteral}
	kind, ok := kinds[p.up(i+1)]
	if !ok || p.at(i+2).kind != textToken || p.up(i+3) != "}" {
		fail(p.span(i, i), "write DATE '...', TIME '...' or TIMESTAMP '...'", "braces hold only {d '...'}, {t '...'} and {ts '...'}")
	}
	x, _ := p.typedLiteral(i, i+2, kind)
	if x == nil {
		p.expected(i+2, "a plain text")
	}
	x.(*Literal).S = p.span(i, i+3)
	return x, i + 4
}

// textLiteral reads a text; several are one if line breaks stand between them.
func (p *parser) textLiteral(i int) (Expr, int) {
	kind, s, next := p.oneText(i)
	for p.at(next).kind == textToken {
		gap := p.src[p.at(next-1).end:p.at(next).pos]
		if !strings.Contains(gap, "\n") {
			fail(p.span(next, next), "join texts with ||, or double a quote inside a text", "two texts stand side by side")
		}
		var more string
		_, more, next = p.oneText(next)
		s += more
	}
	return &Literal{p.pos(i, next-1), kind, s}, next
}

// oneText decodes the text token at i, with its UESCAPE.
func (p *parser) oneText(i int) (LiteralKind, string, int) {
	s := p.text(i, i)
	q := strings.IndexByte(s, '\'')
	body := unquote(s[q:])
	switch prefix := strings.ToUpper(s[:q]); prefix {
	case "X":
		if len(body)%2 != 0 {
			fail(p.span(i, i), "write two digits for each byte", "bytes have an odd number of hexadecimal digits")
		}
		for k := range len(body) {
			if !isHex(body[k]) {
				fail(p.span(i, i), "write only digits and the letters A to F", "%q is no hexadecimal digit", body[k:k+1])
			}
		}
		return HexLiteral, strings.ToUpper(body), i + 1
	case "U&":
		escape, next := byte('\\'), i+1
		if p.up(next) == "UESCAPE" {
			e := p.text(next+1, next+1)
			if p.at(next+1).kind != textToken || len(e) != 3 || isHex(e[1]) || e[1] == '+' || e[1] == '"' {
				p.expected(next+1, "one escape character in quotes")
			}
			escape, next = e[1], next+2
		}
		return StringLiteral, p.unicodeText(i, body, escape), next
	case "E":
		return StringLiteral, p.escapedText(i, s[q+1:len(s)-1]), i + 1
	case "", "N", "_UTF8", "_UTF16", "_UTF16LE", "_UTF16BE", "_LATIN1", "_ISO_8859_1", "_ASCII", "_US_ASCII":
	default:
		fail(p.span(i, i), "leave out the character set", "unknown character set %q", strings.ToLower(s[1:q]))
	}
	return StringLiteral, body, i + 1
}

// unquote takes off the single quotes.
func unquote(s string) string { return strings.ReplaceAll(s[1:len(s)-1], "''", "'") }

func isHex(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// unicodeText decodes U&'\0061': four digits are one UTF-16 unit.
func (p *parser) unicodeText(i int, s string, escape byte) string {
	var b strings.Builder
	var units []uint16
	flush := func() {
		b.WriteString(string(utf16.Decode(units)))
		units = units[:0]
	}
	for k := 0; k < len(s); k++ {
		if s[k] != escape {
			flush()
			b.WriteByte(s[k])
			continue
		}
		if k+1 < len(s) && s[k+1] == escape {
			flush()
			b.WriteByte(escape)
			k++
			continue
		}
		if k+5 > len(s) {
			fail(p.span(i, i), "write four hexadecimal digits behind the escape", "unicode escape is too short")
		}
		u, err := strconv.ParseUint(s[k+1:k+5], 16, 16)
		if err != nil {
			fail(p.span(i, i), "write four hexadecimal digits behind the escape", "%q is no unicode escape", s[k:k+5])
		}
		units = append(units, uint16(u))
		k += 4
	}
	flush()
	return b.String()
}

// escapedText decodes the inside of E'..': C escapes and doubled quotes.
func (p *parser) escapedText(i int, s string) string {
	var b strings.Builder
	for k := 0; k < len(s); k++ {
		if s[k] == '\'' {
			k++ // the second of two
			b.WriteByte('\'')
			continue
		}
		if s[k] != '\\' || k+1 >= len(s) {
			b.WriteByte(s[k])
			continue
		}
		k++
		base, digits := 0, 0
		switch c := s[k]; {
		case c == 'b':
			b.WriteByte('\b')
		case c == 'f':
			b.WriteByte('\f')
		case c == 'n':
			b.WriteByte('\n')
		case c == 'r':
			b.WriteByte('\r')
		case c == 't':
			b.WriteByte('\t')
		case c == 'x':
			base, digits = 16, 2
		case c == 'u':
			base, digits = 16, 4
		case c == 'U':
			base, digits = 16, 8
		case c >= '0' && c <= '7':
			base, digits = 8, 3
			k--
		default:
			_, n := utf8.DecodeRuneInString(s[k:])
			b.WriteString(s[k : k+n])
			k += n - 1
		}
		if base == 0 {
			continue
		}
		from := k + 1
		for k+1 < len(s) && k+1-from < digits && isHex(s[k+1]) && (base == 16 || s[k+1] < '8') {
			k++
		}
		r, err := strconv.ParseUint(s[from:k+1], base, 32)
		if err != nil || !utf8.ValidRune(rune(r)) {
			fail(p.span(i, i), "write the character itself", "%q is no escape of a character", s[from-1:k+1])
		}
		b.WriteRune(rune(r))
	}
	return b.String()
}

// interval reads INTERVAL [+-] 'text' unit [(p)] [TO unit [(p)]].
func (p *parser) interval(i int) (Expr, int) {
	j := i + 1
	x := &Interval{}
	if u := p.up(j); u == "-" || u == "+" {
		x.Negative = u == "-"
		j++
	}
	if p.at(j).kind != textToken || p.src[p.at(j).pos] != '\'' {
		return nil, i
	}
	x.Text = unquote(p.text(j, j))
	j = p.qualifier(j+1, x)
	x.Pos = p.pos(i, j-1)
	return x, j
}

// splitUnit divides an interval as other systems write it, '5 minutes', into its number
// and its unit; the unit is "" if it is no such text.
func splitUnit(interval string) (number, word string) {
	words := strings.Fields(interval)
	if len(words) != 2 {
		return "", ""
	}
	if _, err := strconv.ParseInt(words[0], 10, 64); err != nil {
		return "", ""
	}
	return words[0], unit(strings.ToUpper(words[1]))
}

// qualifier reads the unit of an interval at i into x and returns the index behind it.
func (p *parser) qualifier(i int, x *Interval) int {
	first := i
	x.LeadPrecision, x.FracPrecision = -1, -1
	if x.From = unit(p.up(i)); x.From == "" {
		hint := "write a unit: YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE or SECOND"
		if u := p.up(i); u == "MILLISECOND" || u == "MILLISECONDS" {
			hint = "write seconds with a fraction: INTERVAL '0.001' SECOND"
		}
		if number, word := splitUnit(x.Text); word != "" {
			hint = "write INTERVAL '" + number + "' " + word
		}
		p.expectedHint(i, "a unit of time", hint)
	}
	i++
	if p.up(i) == "(" {
		x.LeadPrecision = p.precision(i + 1)
		i += 2
		if x.From == "SECOND" && p.up(i) == "," {
			x.FracPrecision = p.precision(i + 1)
			i += 2
		}
		i = p.need(i, ")")
	}
	if p.up(i) != "TO" || unit(p.up(i+1)) == "" {
		return i
	}
	x.To = unit(p.up(i + 1))
	if i += 2; x.To == "SECOND" && p.up(i) == "(" {
		x.FracPrecision = p.precision(i + 1)
		i = p.need(i+2, ")")
	}
	if !isRange(x.From, x.To) {
		fail(p.span(first, i-1), "use YEAR TO MONTH, or two of DAY, HOUR, MINUTE, SECOND with the larger first", "an interval cannot run from %s to %s", x.From, x.To)
	}
	return i
}

// isRange reports whether FROM TO to is an interval.
func isRange(from, to string) bool {
	rank := func(u string) int { return strings.Index("DAY HOUR MINUTE SECOND", u) }
	return from == "YEAR" && to == "MONTH" || rank(from) >= 0 && rank(to) > rank(from)
}

// precision reads a small number.
func (p *parser) precision(i int) int {
	n, err := strconv.Atoi(p.text(i, i))
	if p.at(i).kind != numberToken || err != nil || n > 1<<30 {
		p.expected(i, "a whole number")
	}
	return n
}
