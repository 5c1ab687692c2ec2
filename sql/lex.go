package sql

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"streamsql/internal/diag"
)

// maxNesting bounds brackets, and with them every recursion behind the lexer: a
// stack overflow could not be recovered.
const maxNesting = 500

type tokenKind uint8

const (
	endToken    tokenKind = iota
	wordToken             // bare word: keyword or name
	quotedToken           // `name`
	textToken             // '...' with its prefix, if any
	numberToken
	symbolToken
	hintToken // /*+ ... */
)

// token is one lexical element. up is the upper-case text of a word or the text
// of a symbol, and empty for all others, so that comparing it with a keyword never
// hits a quoted name.
type token struct {
	kind     tokenKind
	up       string
	pos, end int
	match    int // index of the partner bracket, else -1
}

// bailout carries an error through the recursive descent; it never leaves the package.
type bailout struct{ err *diag.Error }

// fail ends the parse with a syntax error.
func fail(span diag.Span, hint, format string, args ...any) {
	e := diag.New(diag.Syntax, span, format, args...)
	e.Hint = hint
	panic(bailout{e})
}

// refuse ends the parse: understood, but not supported.
func refuse(span diag.Span, hint, format string, args ...any) {
	e := diag.New(diag.Unsupported, span, format, args...)
	e.Hint = hint
	panic(bailout{e})
}

type lexer struct {
	src  string
	end  int // the text ends here
	toks []token
	open []int // brackets not closed yet
	// pattern is the depth inside MATCH_RECOGNIZE (..), whose patterns have symbols
	// of their own; 0 outside.
	pattern int
}

// lex splits src[from:to] into tokens, closed by an end token.
func lex(src string, from, to int) []token {
	l := &lexer{src: src, end: to, toks: make([]token, 0, (to-from)/4+8)}
	for i := l.skip(from); i < to; i = l.skip(i) {
		t := l.next(i)
		l.bracket(&t)
		l.toks = append(l.toks, t)
		i = t.end
	}
	if n := len(l.open); n > 0 {
		t := l.toks[l.open[n-1]]
		fail(diag.Span{Start: t.pos, End: t.end}, "close it with "+closing(t.up), "bracket %q is not closed", t.up)
	}
	return append(l.toks, token{pos: to, end: to, match: -1})
}

func closing(open string) string {
	switch open {
	case "(":
		return ")"
	case "[":
		return "]"
	}
	return "}"
}

// skip returns the start of the next token: behind white space and comments.
func (l *lexer) skip(i int) int {
	for i < l.end {
		rest := l.src[i:l.end]
		switch {
		case rest[0] <= ' ':
			i++
		case strings.HasPrefix(rest, "--"):
			n := strings.IndexAny(rest, lineEnds)
			if n < 0 {
				return l.end
			}
			i += n + 1
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			switch {
			case n < 0:
				fail(diag.Span{Start: i, End: i + 2}, "close it with */", "comment is not closed")
			case rest[2] == '!':
				fail(diag.Span{Start: i, End: i + 3}, "use a plain comment: /* ... */", "version comments are not part of the dialect")
			case rest[2] == '+':
				return i
			}
			i += n + 4
		default:
			if r, n := utf8.DecodeRuneInString(rest); n > 1 && (unicode.IsSpace(r) || r == '\ufeff') {
				i += n
				continue
			}
			return i
		}
	}
	return i
}

// next reads the token at i, where one starts.
func (l *lexer) next(i int) token {
	t := token{pos: i, match: -1}
	rest := l.src[i:l.end]
	switch c := rest[0]; {
	case c == '\'':
		t.kind, t.end = textToken, l.quoted(i, i, "text")
	case c == '`':
		t.kind, t.end = quotedToken, l.quoted(i, i, "name")
		if t.end == i+2 {
			fail(diag.Span{Start: i, End: t.end}, "write a name between the backticks", "empty name")
		}
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		t.kind, t.end = numberToken, l.number(i)
	case strings.HasPrefix(rest, "/*+"):
		t.kind, t.end = hintToken, i+strings.Index(rest, "*/")+2
	default:
		r, n := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError && n == 1 {
			fail(diag.Span{Start: i, End: i + 1}, "save the text as UTF-8", "the text is not UTF-8")
		}
		if unicode.IsLetter(r) || r == '_' || r == '$' {
			return l.word(i)
		}
		t.kind, t.end = symbolToken, i+l.symbol(i, r, n)
		t.up = l.src[i:t.end]
	}
	return t
}

// quoted returns the end of the quoted element whose quote stands at i; start is
// where the element begins.
func (l *lexer) quoted(start, i int, what string) int {
	q := l.src[i]
	for j := i + 1; ; {
		n := strings.IndexByte(l.src[j:l.end], q)
		if n < 0 {
			fail(diag.Span{Start: start, End: i + 1}, "close it with "+string(q), "quoted %s is not closed", what)
		}
		j += n + 1
		if j >= l.end || l.src[j] != q {
			return j
		}
		j++
	}
}

// word reads a name or keyword, or a text with a prefix: x'..', n'..', e'..', u&'..', _charset'..'.
func (l *lexer) word(i int) token {
	j := i
	for j < l.end {
		if c := l.src[j]; c < utf8.RuneSelf {
			if !isWordByte(c) {
				break
			}
			j++
			continue
		}
		r, n := utf8.DecodeRuneInString(l.src[j:l.end])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) {
			break
		}
		j += n
	}
	t := token{kind: wordToken, up: strings.ToUpper(l.src[i:j]), pos: i, end: j, match: -1}
	if j < l.end && l.src[j] == '\'' {
		switch {
		case t.up == "E":
			t.kind, t.up, t.end = textToken, "", l.escaped(i, j)
		case t.up == "X" || t.up == "N" || t.up[0] == '_' && len(t.up) > 1:
			t.kind, t.up, t.end = textToken, "", l.quoted(i, j, "text")
		}
	} else if t.up == "U" && strings.HasPrefix(l.src[j:l.end], "&'") {
		t.kind, t.up, t.end = textToken, "", l.quoted(i, j+1, "text")
	}
	return t
}

// escaped returns the end of E'..', in which a backslash hides a quote.
func (l *lexer) escaped(start, i int) int {
	for j := i + 1; j < l.end; j++ {
		switch l.src[j] {
		case '\\':
			j++
		case '\'':
			if j+1 >= l.end || l.src[j+1] != '\'' {
				return j + 1
			}
			j++
		}
	}
	fail(diag.Span{Start: start, End: i + 1}, "close it with '", "quoted text is not closed")
	return 0
}

// number reads digits, fraction and exponent; Flink would take letters behind
// them as an alias, which hides mistakes such as 1_000 or 10L.
func (l *lexer) number(i int) int {
	digits := func(j int) int {
		for j < l.end && isDigit(l.src[j]) {
			j++
		}
		return j
	}
	j := digits(i)
	if j < l.end && l.src[j] == '.' {
		j = digits(j + 1)
	}
	if j < l.end && (l.src[j] == 'e' || l.src[j] == 'E') {
		k := j + 1
		if k < l.end && (l.src[k] == '+' || l.src[k] == '-') {
			k++
		}
		if e := digits(k); e > k {
			j = e
		}
	}
	k := j
	for k < l.end && (isWordByte(l.src[k]) || l.src[k] >= utf8.RuneSelf && !isSpaceAt(l.src[k:l.end])) {
		k++
	}
	if k > j {
		hint := "write the digits alone, or a blank before an alias"
		if strings.IndexByte(l.src[i:k], '_') > 0 {
			hint = "write the digits without separators: " + strings.ReplaceAll(l.src[i:k], "_", "")
		}
		fail(diag.Span{Start: i, End: k}, hint, "number %q is not valid", l.src[i:k])
	}
	if k < l.end && l.src[k] == '.' {
		fail(diag.Span{Start: i, End: k + 1}, "write one decimal point", "number %q is not valid", l.src[i:k+1])
	}
	return j
}

// symbol returns the length of the symbol at i, which starts with r, n bytes long.
func (l *lexer) symbol(i int, r rune, n int) int {
	rest := l.src[i:l.end]
	if l.pattern > 0 && strings.ContainsRune("?|^$", r) {
		return 1
	}
	if len(rest) > 1 {
		switch two := rest[:2]; two {
		case "<>", "<=", ">=", "!=", "==", "||", "=>", "::":
			if two == "<=" && len(rest) > 2 && rest[2] == '>' {
				l.badSymbol(i, 3, "<=>")
			}
			return 2
		case "//":
			l.badSymbol(i, 2, two)
		case "<<", "&&", "->", "**", "!~", "^=":
			l.badSymbol(i, 2, two)
		}
	}
	switch r {
	case '(', ')', '[', ']', '{', '}', ',', '.', ';', '+', '-', '*', '/', '%', '<', '>', '=', ':':
		return 1
	}
	l.badSymbol(i, n, rest[:n])
	return n
}

// badSymbol refuses a character or operator that is none of the dialect's.
func (l *lexer) badSymbol(i, n int, s string) {
	var hint string
	switch s {
	case "//":
		fail(diag.Span{Start: i, End: i + n}, "start a comment with --, and divide with /", "// starts no comment and is no operator")
	case "#":
		fail(diag.Span{Start: i, End: i + n}, "start a comment with --", "# starts no comment")
	case `"`:
		fail(diag.Span{Start: i, End: i + n}, "put names in backticks and texts in single quotes", "double quotes are not part of the dialect")
	case "\u2018", "\u2019", "\u201c", "\u201d":
		hint = "use plain quotes: '"
	case "<=>":
		hint = "write IS NOT DISTINCT FROM"
	case "&&":
		hint = "write AND"
	case "!":
		hint = "write NOT"
	case "|":
		hint = "write || to join texts, OR to join conditions"
	case "**", "^":
		hint = "write POWER(x, y)"
	case "~", "!~":
		hint = "write REGEXP(text, pattern)"
	case "^=":
		hint = "write <>"
	case "->":
		hint = "write JSON_VALUE(text, path)"
	case "?":
		hint = "write the value itself: there are no parameters"
	}
	if hint == "" && n == 1 && s[0] < ' ' {
		hint = "delete it"
	}
	fail(diag.Span{Start: i, End: i + n}, hint, "%q is no operator of the dialect", s)
}

// bracket pairs t with its partner.
func (l *lexer) bracket(t *token) {
	if t.kind != symbolToken {
		return
	}
	span := diag.Span{Start: t.pos, End: t.end}
	switch t.up {
	case "(", "[", "{":
		if len(l.open) >= maxNesting {
			fail(span, "split the statement, for example with views", "brackets are nested more than %d deep", maxNesting)
		}
		l.open = append(l.open, len(l.toks))
		if n := len(l.toks); l.pattern == 0 && n > 0 && l.toks[n-1].up == "MATCH_RECOGNIZE" {
			l.pattern = len(l.open)
		}
	case ")", "]", "}":
		n := len(l.open)
		if n == 0 {
			fail(span, "delete it", "bracket %q was not opened", t.up)
		}
		m := l.open[n-1]
		if want := closing(l.toks[m].up); want != t.up {
			fail(span, "close the inner bracket first, with "+want, "bracket %q does not fit %q", t.up, l.toks[m].up)
		}
		l.open = l.open[:n-1]
		if len(l.open) < l.pattern {
			l.pattern = 0
		}
		t.match, l.toks[m].match = m, len(l.toks)
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '_' || c == '$'
}

func isSpaceAt(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsSpace(r)
}
