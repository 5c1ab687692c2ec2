package main

import "strings"

// starts are the words that a statement can begin with. Text that begins with
// something else may be data.
var starts = strings.Fields(`SELECT WITH VALUES TABLE FROM CREATE DROP ALTER INSERT UPDATE DELETE TRUNCATE
	EXPLAIN DESCRIBE DESC SHOW SET RESET USE LOAD UNLOAD EXECUTE BEGIN END ANALYZE CALL COMPILE ADD REMOVE
	STOP STATEMENT HELP QUIT EXIT`)

// looksLikeData reports whether text that is to be SQL looks like lines of CSV or
// JSON instead: its first line begins with no word of a statement, and has fields.
func looksLikeData(text string) bool {
	text = strings.TrimPrefix(text, "\ufeff")
	line, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), "\n")
	if line == "" || strings.HasPrefix(line, "--") || strings.HasPrefix(line, "/*") || line[0] == '(' || line[0] == ';' {
		return false
	}
	if line[0] == '{' || line[0] == '[' {
		return true
	}
	word := line
	if i := strings.IndexFunc(line, func(r rune) bool {
		return !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	}); i >= 0 {
		word = line[:i]
	}
	rest := line[len(word):]
	for _, s := range starts {
		// "show,2,x" is data all the same.
		if strings.EqualFold(s, word) && !strings.HasPrefix(rest, ",") {
			return false
		}
	}
	return strings.ContainsAny(line, ",\t|") || strings.Count(line, ";") > 1
}
