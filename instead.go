package streamsql

import "strings"

// insteadOf says what to do instead of a statement of Flink that is known by its first
// words only.
func insteadOf(words string) string {
	is := func(names ...string) bool {
		for _, name := range names {
			if words == name || strings.HasSuffix(words, " "+name) {
				return true
			}
		}
		return false
	}
	switch {
	case is("FUNCTION", "JAR", "MODULE", "MODULES"):
		return "functions are registered in Go: RegisterFunc, RegisterTableFunc, RegisterAggregate"
	case is("DATABASE", "CATALOG", "USE"):
		return "there is one database, default_catalog.default_database: leave the statement out"
	case is("ALTER VIEW"):
		return "write CREATE OR REPLACE VIEW"
	case is("MATERIALIZED TABLE"):
		return "make a table, and fill it with INSERT INTO"
	case is("ALTER TABLE"):
		return "DROP TABLE, and CREATE TABLE with what should be changed: the data stays"
	case is("UPDATE", "DELETE FROM", "TRUNCATE TABLE"):
		return "rows that were written stay: INSERT INTO another table what is wanted"
	case is("STOP JOB", "DESCRIBE JOB"):
		return "a statement ends with its input, with Ctrl-C, or in Go with its context"
	case is("ANALYZE TABLE"):
		return "leave it out: no plan depends on statistics; EXPLAIN ANALYZE runs a query and shows what it did"
	case is("PLAN", "COMPILE AND"):
		return "keep the text of the statement: the same text gives the same plan"
	}
	return "statements are SELECT, INSERT, CREATE, DROP, SHOW, DESCRIBE, EXPLAIN, SET and RESET"
}
