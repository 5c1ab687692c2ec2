package shell

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"streamsql"
)

// complete is the Completer of the shell: dot commands at the start of a statement,
// files inside quotes, else keywords, functions, tables and columns.
func (sh *Shell) complete(line string, pos int) (head string, words []string, tail string) {
	runes := []rune(line)
	pos = max(0, min(pos, len(runes)))
	before, tail := string(runes[:pos]), string(runes[pos:])
	if sh.pending == "" && strings.HasPrefix(strings.TrimLeft(before, " "), ".") {
		return sh.completeDot(before, tail)
	}
	if strings.Count(before, "'")%2 == 1 {
		at := strings.LastIndexByte(before, '\'') + 1
		return before[:at], files(before[at:]), tail
	}
	at := wordStart(before)
	if at == len(before) {
		// A tab in pasted text arrives here: it must stay white space.
		return before, []string{"  "}, tail
	}
	return before[:at], sh.words(before[at:]), tail
}

func (sh *Shell) completeDot(before, tail string) (string, []string, string) {
	start := len(before) - len(strings.TrimLeft(before, " "))
	word := before[start:]
	if !strings.Contains(word, " ") {
		var names []string
		for _, c := range commands {
			if strings.HasPrefix(c.name, word) {
				names = append(names, c.name+" ")
			}
		}
		return before[:start], names, tail
	}
	name, _, _ := strings.Cut(word, " ")
	at := strings.LastIndexByte(before, ' ') + 1
	var from []string
	switch name {
	case ".mode":
		from = modeWords()
	case ".trace":
		from = []string{"on", "off", "svg"}
	case ".schema":
		from = sh.s.Engine.Tables()
	}
	return before[:at], withPrefix(from, before[at:]), tail
}

// wordStart is where the word that ends the text begins.
func wordStart(text string) int {
	at := strings.LastIndexFunc(text, func(r rune) bool {
		return !(unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '$' || r == '.')
	})
	if at < 0 {
		return 0
	}
	for at++; at < len(text) && text[at]&0xc0 == 0x80; at++ { // behind the rune found
	}
	return at
}

// words are what a word can become. All of them begin with exactly what is typed:
// the editor puts their common beginning in its place.
func (sh *Shell) words(typed string) []string {
	if i := strings.LastIndexByte(typed, '.'); i >= 0 {
		var names []string
		for _, c := range sh.columns(strings.Trim(typed[:i], "`")) {
			if strings.HasPrefix(c, typed[i+1:]) {
				names = append(names, typed[:i+1]+c)
			}
		}
		return names
	}
	var names []string
	lower := typed == strings.ToLower(typed)
	for _, list := range [][]string{streamsql.Keywords(), sh.s.Engine.Functions()} {
		for _, w := range list {
			if lower {
				w = strings.ToLower(w)
			} else {
				w = strings.ToUpper(w)
			}
			names = append(names, w)
		}
	}
	for _, t := range sh.s.Engine.Tables() {
		names = append(names, t)
		names = append(names, sh.columns(t)...)
	}
	names = withPrefix(names, typed)
	slices.Sort(names)
	return slices.Compact(names)
}

func (sh *Shell) columns(table string) []string {
	cols, err := sh.s.Engine.Columns(table)
	if err != nil {
		return nil // then there is nothing to offer
	}
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.Name
	}
	return names
}

func withPrefix(names []string, prefix string) []string {
	var out []string
	for _, n := range names {
		if strings.HasPrefix(n, prefix) {
			out = append(out, n)
		}
	}
	return out
}

// files are the paths that begin with a text.
func files(prefix string) []string {
	escape := strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`)
	found, err := filepath.Glob(escape.Replace(prefix) + "*")
	if err != nil {
		return nil
	}
	return withPrefix(found, prefix)
}
