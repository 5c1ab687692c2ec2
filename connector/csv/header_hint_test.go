package csv_test

import (
	"strings"
	"testing"
)

// A table that takes its header for a row is told so, and only then.
func TestHeaderHint(t *testing.T) {
	const header, other = "'csv.header' = 'true'", "'csv.ignore-parse-errors' = 'true'"
	for _, c := range []struct {
		name, options, data, hint string
	}{
		{"a name in place of a value", "", "id,name\n1,ann\n", header},
		{"a name that is not the column's", "", "number,name\n1,ann\n", header},
		{"another number of fields", "", "id,name,city\n1,ann,Rome\n", header},
		{"a value that may be meant", "", "1x,ann\n", other},
		{"a word in place of a number", "", "x,7 hills\n", other},
		{"an empty field", "", ",ann\n", "'csv.null-literal' = ''"},
		{"another number of fields, with values", "", "1,ann,Rome\n", other},
		{"below the first line", "", "1,ann\nid,name\n", other},
		{"the header is known", "header=true", "id,name\nx,ann\n", other},
		{"a time in a form of its own", "header=true", "id,name,ts\n1,ann,01/02/2026\n", "TO_TIMESTAMP(text, 'dd/MM/yyyy"},
		{"a time that is wrong once", "header=true", "id,name,ts\n1,ann,2026-02-01 10:00:00\n2,bob,01/02/2026\n", other},
	} {
		for _, slow := range []bool{false, true} {
			columns := "id int,name text"
			if strings.Contains(c.data, "ts") {
				columns += ",ts ts"
			}
			got := read{schema: schema(columns), opts: options(t, c.options), slow: slow}.run(t, input("t.csv", c.data))
			if _, hint, _ := strings.Cut(got.Err, "hint: "); !strings.Contains(hint, c.hint) {
				t.Errorf("%s: %v, want a hint with %s", c.name, got.Err, c.hint)
			}
		}
	}
}
