package sql

import "strings"

// show reads SHOW what [{FROM | IN} name] [[NOT] {LIKE | ILIKE} 'pattern'].
func (p *parser) show(i int) (Statement, int) {
	first := i
	s := &Show{}
	what, n := p.showWhat(i + 1)
	if n == 0 {
		words := []string{"TABLES", "VIEWS", "DATABASES", "CATALOGS", "FUNCTIONS", "COLUMNS", "CREATE", "CURRENT", "MODULES", "JARS", "JOBS", "PARTITIONS"}
		hint := "write for example SHOW TABLES, SHOW FUNCTIONS, SHOW COLUMNS FROM t or SHOW CREATE TABLE t"
		for _, w := range words {
			if strings.HasPrefix(w, p.up(i+1)) && p.up(i+1) != "" {
				hint = "did you mean SHOW " + w + "?"
			}
		}
		if p.up(i+1) == "CREATE" {
			p.expectedHint(i+2, "TABLE or VIEW", "write SHOW CREATE TABLE and its name")
		}
		p.expectedHint(i+1, "what to show", hint)
	}
	s.What = what
	i += 1 + n
	switch {
	case strings.HasPrefix(what, "CREATE "), what == "PARTITIONS":
		s.Object, i = p.name(i, "a name")
	case what == "COLUMNS":
		if p.up(i) != "FROM" && p.up(i) != "IN" {
			p.expectedHint(i, "FROM", "write SHOW COLUMNS FROM and the name of a table")
		}
		s.Object, i = p.name(i+1, "the name of a table")
	case p.up(i) == "FROM" || p.up(i) == "IN":
		s.Object, i = p.name(i+1, "a name")
	}
	if what == "PARTITIONS" && p.is(i, "PARTITION", "(") {
		_, i = p.partition(i + 1)
		return &Other{p.pos(first, i-1), "SHOW PARTITIONS with PARTITION"}, i
	}
	if p.up(i) == "NOT" {
		s.Not = true
		i++
	}
	switch up := p.up(i); {
	case up == "LIKE" || up == "ILIKE":
		s.ILike = up == "ILIKE"
		s.Like, i = p.textAt(i+1, "a pattern in single quotes")
	case s.Not:
		p.expected(i, "LIKE")
	}
	s.Pos = p.pos(first, i-1)
	return s, i
}

// showWhat returns the words behind SHOW and how many there are.
func (p *parser) showWhat(i int) (string, int) {
	one, two := p.up(i), p.up(i)+" "+p.up(i+1)
	switch two {
	case "CREATE TABLE", "CREATE VIEW", "CREATE CATALOG", "CREATE FUNCTION", "CREATE MODEL", "CURRENT CATALOG", "CURRENT DATABASE",
		"USER FUNCTIONS", "FULL MODULES", "MATERIALIZED TABLES":
		return two, 2
	}
	if p.is(i, "CREATE", "MATERIALIZED", "TABLE") {
		return "CREATE MATERIALIZED TABLE", 3
	}
	switch one {
	case "TABLES", "VIEWS", "CATALOGS", "DATABASES", "COLUMNS", "FUNCTIONS", "MODULES", "JARS", "JOBS", "MODELS", "PROCEDURES", "PARTITIONS":
		return one, 1
	}
	return "", 0
}
