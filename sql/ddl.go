package sql

import "strings"

// create reads CREATE [OR REPLACE] [TEMPORARY] {TABLE | VIEW} and names the others.
func (p *parser) create(i int) (Statement, int) {
	first := i
	i++
	replace := p.is(i, "OR", "REPLACE")
	if replace {
		i += 2
	}
	temporary := p.up(i) == "TEMPORARY"
	if temporary {
		i++
	}
	switch up := p.up(i); {
	case up == "TABLE":
		s := &CreateTable{OrReplace: replace, Temporary: temporary}
		return s, p.createTable(first, i+1, s)
	case up == "VIEW":
		s := &CreateView{OrReplace: replace, Temporary: temporary}
		return s, p.createView(first, i+1, s)
	case up == "CATALOG", up == "DATABASE", up == "FUNCTION", up == "MODEL", up == "CONNECTION":
		return p.other(first, "CREATE "+up)
	case p.is(i, "SYSTEM", "FUNCTION"):
		return p.other(first, "CREATE FUNCTION")
	case p.is(i, "MATERIALIZED", "TABLE"):
		return p.other(first, "CREATE MATERIALIZED TABLE")
	case up == "TEMP":
		p.expectedHint(i, "TABLE or VIEW", "write TEMPORARY")
	case up == "MATERIALIZED":
		p.expectedHint(i, "TABLE or VIEW", "write CREATE VIEW")
	case up == "SCHEMA":
		p.expectedHint(i, "TABLE or VIEW", "write DATABASE")
	}
	p.expected(i, "TABLE or VIEW")
	return nil, i
}

// ifExists reads IF [NOT] EXISTS.
func (p *parser) ifExists(i int, words ...string) (bool, int) {
	if p.up(i) == "IF" && (p.up(i+1) == "NOT" || p.up(i+1) == "EXISTS") {
		return true, p.need(i, words...)
	}
	return false, i
}

func (p *parser) createTable(first, i int, s *CreateTable) int {
	s.IfNotExists, i = p.ifExists(i, "IF", "NOT", "EXISTS")
	s.Name, i = p.name(i, "the name of a table")
	if p.isName(i+1) && p.up(i) == "(" && (p.up(i+2) == "," || p.up(i+2) == ")") && p.at(i).match > 0 {
		if s.AsColumns, i = p.idents(i, "the name of a column"); !p.hasAs(i) {
			i -= 2
			p.expectedHint(i+1, "a type", "write "+p.text(i, i)+" and its type, for example STRING")
		}
	} else if p.up(i) == "(" {
		i = p.tableElements(i, s)
	}
	if p.up(i) == "COMMENT" {
		s.Comment, i = p.textAt(i+1, "a comment in single quotes")
	}
	if p.up(i) == "DISTRIBUTED" {
		s.Distribution, i = p.distribution(i)
	}
	if p.is(i, "PARTITIONED", "BY") {
		s.PartitionedBy, i = p.idents(i+2, "the name of a column")
	}
	if p.up(i) == "WITH" {
		s.Options, i = p.options(i + 1)
	}
	switch p.up(i) {
	case "LIKE":
		s.Like, i = p.like(i)
	case "AS":
		s.As, i = p.parseQuery(i + 1)
	}
	switch up := p.up(i); up {
	case "COMMENT", "DISTRIBUTED", "PARTITIONED", "WITH":
		fail(p.span(i, i), "use the order COMMENT, DISTRIBUTED, PARTITIONED BY, WITH, LIKE or AS", "%s stands too late", up)
	}
	s.Pos = p.pos(first, i-1)
	return i
}

// hasAs reports whether AS stands between i and the end, outside brackets: bare
// column names need the types of a query.
func (p *parser) hasAs(i int) bool {
	for ; p.at(i).kind != endToken; i++ {
		if m := p.at(i).match; m > i {
			i = m
		} else if p.up(i) == "AS" {
			return true
		}
	}
	return false
}

// tableElements reads the columns and constraints in brackets.
func (p *parser) tableElements(i int, s *CreateTable) int {
	for i = p.need(i, "("); ; i++ {
		switch up := p.up(i); {
		case up == ")":
			fail(p.span(i-1, i), "write a column, or delete the comma", "a column is missing before the bracket")
		case up == "WATERMARK" && p.up(i+1) == "FOR":
			if s.Watermark != nil {
				fail(p.span(i, i+1), "delete one of them", "a table has one watermark only")
			}
			s.Watermark, i = p.watermark(i)
		case up == "CONSTRAINT" && isConstraint(p.up(i+2)), up == "PRIMARY" && p.up(i+1) == "KEY":
			if s.PrimaryKey != nil {
				fail(p.span(i, i), "list all its columns in one PRIMARY KEY", "a table has one primary key only")
			}
			s.PrimaryKey, i = p.primaryKey(i)
		default:
			p.refusedConstraint(i)
			var c ColumnDef
			c, i = p.column(i)
			s.Columns = append(s.Columns, c)
		}
		if p.up(i) != "," {
			break
		}
	}
	if p.up(i) != ")" {
		p.expectedHint(i, `"," or ")"`, p.columnHint(i))
	}
	return i + 1
}

func (p *parser) columnHint(i int) string {
	switch p.up(i) {
	case "DEFAULT":
		return "delete DEFAULT: columns have no default values"
	case "UNIQUE", "CHECK", "REFERENCES", "AUTO_INCREMENT", "UNSIGNED":
		return "delete " + p.up(i)
	}
	return ""
}

func isConstraint(up string) bool {
	return up == "PRIMARY" || up == "UNIQUE" || up == "CHECK" || up == "FOREIGN"
}

// refusedConstraint refuses table constraints that Flink has not, unless a column
// of that name follows.
func (p *parser) refusedConstraint(i int) {
	switch up := p.up(i); {
	case (up == "UNIQUE" || up == "CHECK") && p.up(i+1) == "(", up == "FOREIGN" && p.up(i+1) == "KEY":
		refuse(p.span(i, i), "delete it", "the constraint %s is not supported", up)
	}
}

// column reads one column.
func (p *parser) column(i int) (ColumnDef, int) {
	first := i
	c := ColumnDef{Name: p.ident(i, "the name of a column")}
	i++
	if p.up(i) == "AS" {
		c.Kind = ComputedColumn
		from := i + 1
		c.Expr, i = p.parseExpr(from)
		c.Text = p.text(from, i-1)
		p.noQuery(from, i)
	} else {
		if p.up(i) == "," || p.up(i) == ")" {
			p.expectedHint(i, "a type", "write "+p.text(i-1, i-1)+" and its type, for example STRING")
		}
		if p.up(i) == "INTERVAL" {
			refuse(p.span(i, i), "use BIGINT, or TIMESTAMP(3) for a time", "a column cannot be an interval")
		}
		if p.up(i-1) == "WATERMARK" && p.up(i+1) == "AS" {
			p.expectedHint(i, "FOR", "write WATERMARK FOR "+p.text(i, i)+" AS ...")
		}
		c.Type, i = p.typeName(i)
		if p.up(i) == "METADATA" {
			c.Kind = MetadataColumn
			if i++; p.up(i) == "FROM" {
				c.MetadataKey, i = p.textAt(i+1, "a metadata key in single quotes")
			}
			if p.up(i) == "VIRTUAL" {
				c.Virtual = true
				i++
			}
		}
		if p.up(i) == "CONSTRAINT" {
			i += 2
			if p.up(i) != "PRIMARY" {
				p.expected(i, "PRIMARY KEY")
			}
		}
		if p.up(i) == "PRIMARY" {
			i = p.need(i, "PRIMARY", "KEY")
			i = p.notEnforced(i)
			c.PrimaryKey = true
		}
	}
	if p.up(i) == "COMMENT" {
		c.Comment, i = p.textAt(i+1, "a comment in single quotes")
	}
	c.Pos = p.pos(first, i-1)
	return c, i
}

// noQuery refuses a subquery in a computed column or watermark.
func (p *parser) noQuery(from, to int) {
	for i := from; i < to; i++ {
		if p.up(i) == "(" && (p.up(i+1) == "SELECT" || p.up(i+1) == "VALUES") {
			fail(p.span(i+1, i+1), "define a view with the subquery", "a subquery is not possible in CREATE TABLE")
		}
	}
}

func (p *parser) notEnforced(i int) int {
	if !p.is(i, "NOT", "ENFORCED") {
		p.expectedHint(i, "NOT ENFORCED", "write PRIMARY KEY ... NOT ENFORCED: keys are not checked")
	}
	return i + 2
}

// watermark reads WATERMARK FOR column AS expression.
func (p *parser) watermark(i int) (*WatermarkDef, int) {
	w := &WatermarkDef{}
	var j int
	w.Column, j = p.name(i+2, "the name of a column")
	from := p.need(j, "AS")
	w.Expr, j = p.parseExpr(from)
	w.Text = p.text(from, j-1)
	p.noQuery(from, j)
	w.Pos = p.pos(i, j-1)
	return w, j
}

// primaryKey reads [CONSTRAINT name] PRIMARY KEY (columns) NOT ENFORCED.
func (p *parser) primaryKey(i int) (*PrimaryKeyDef, int) {
	first := i
	k := &PrimaryKeyDef{}
	if p.up(i) == "CONSTRAINT" {
		id := p.ident(i+1, "the name of the constraint")
		k.Constraint = &id
		i += 2
		p.refusedConstraint(i)
	}
	i = p.need(i, "PRIMARY", "KEY")
	k.Columns, i = p.idents(i, "the name of a column")
	i = p.notEnforced(i)
	k.Pos = p.pos(first, i-1)
	return k, i
}

func (p *parser) distribution(i int) (*Distribution, int) {
	first := i
	d := &Distribution{}
	if i++; p.up(i) == "BY" {
		if i++; p.up(i) == "HASH" || p.up(i) == "RANGE" {
			d.Kind = p.up(i)
			i++
		}
		d.Columns, i = p.idents(i, "the name of a column")
	}
	if p.up(i) == "INTO" {
		p.precision(i + 1)
		d.Buckets = p.text(i+1, i+1)
		i = p.need(i+2, "BUCKETS")
	} else if d.Columns == nil {
		p.expected(i, "BY or INTO")
	}
	d.Pos = p.pos(first, i-1)
	return d, i
}

// like reads LIKE table [({INCLUDING | EXCLUDING | OVERWRITING} what ...)].
func (p *parser) like(i int) (*LikeClause, int) {
	first := i
	l := &LikeClause{}
	l.Table, i = p.name(i+1, "the name of a table")
	if p.up(i) == "(" {
		for i++; p.up(i) != ")"; i += 2 {
			how, what := p.up(i), p.up(i+1)
			if how != "INCLUDING" && how != "EXCLUDING" && how != "OVERWRITING" {
				p.expected(i, "INCLUDING, EXCLUDING or OVERWRITING")
			}
			switch what {
			case "GENERATED", "METADATA", "OPTIONS", "WATERMARKS":
			case "ALL", "CONSTRAINTS", "DISTRIBUTION", "PARTITIONS":
				if how != "OVERWRITING" {
					break
				}
				fallthrough
			default:
				p.expectedHint(i+1, "what of the table", "use OPTIONS, WATERMARKS, GENERATED, METADATA, or behind INCLUDING and EXCLUDING ALL, CONSTRAINTS, PARTITIONS, DISTRIBUTION")
			}
			l.Options = append(l.Options, how+" "+what)
		}
		i++
	}
	l.Pos = p.pos(first, i-1)
	return l, i
}

func (p *parser) createView(first, i int, s *CreateView) int {
	s.IfNotExists, i = p.ifExists(i, "IF", "NOT", "EXISTS")
	s.Name, i = p.name(i, "the name of a view")
	if p.up(i) == "(" {
		s.Columns, i = p.idents(i, "the name of a column")
	}
	if p.up(i) == "COMMENT" {
		s.Comment, i = p.textAt(i+1, "a comment in single quotes")
	}
	from := p.need(i, "AS")
	s.Query, i = p.parseQuery(from)
	s.Text = strings.TrimSpace(p.text(from, i-1))
	s.Pos = p.pos(first, i-1)
	return i
}

// drop reads DROP [TEMPORARY [SYSTEM]] kind [IF EXISTS] name.
func (p *parser) drop(i int) (Statement, int) {
	first := i
	s := &Drop{}
	if i++; p.up(i) == "TEMPORARY" {
		s.Temporary = true
		if i++; p.is(i, "SYSTEM", "FUNCTION") {
			i++
		}
	}
	switch up := p.up(i); {
	case up == "TABLE":
	case up == "VIEW":
		s.Object = ViewObject
	case up == "DATABASE":
		s.Object = DatabaseObject
	case up == "CATALOG":
		s.Object = CatalogObject
	case up == "FUNCTION":
		s.Object = FunctionObject
	case up == "MODEL" || up == "CONNECTION":
		return p.other(first, "DROP "+up)
	case p.is(i, "MATERIALIZED", "TABLE"):
		return p.other(first, "DROP MATERIALIZED TABLE")
	case up == "SCHEMA":
		p.expectedHint(i, "TABLE, VIEW, DATABASE, CATALOG or FUNCTION", "write DATABASE")
	default:
		p.expected(i, "TABLE, VIEW, DATABASE, CATALOG or FUNCTION")
	}
	s.IfExists, i = p.ifExists(i+1, "IF", "EXISTS")
	s.Name, i = p.name(i, "a name")
	if up := p.up(i); s.Object == DatabaseObject && (up == "CASCADE" || up == "RESTRICT") {
		s.Cascade = up == "CASCADE"
		i++
	}
	if p.up(i) == "," {
		fail(p.span(i, i), "drop them one by one", "DROP takes one name")
	}
	s.Pos = p.pos(first, i-1)
	return s, i
}
