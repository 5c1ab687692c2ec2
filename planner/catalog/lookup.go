package catalog

import (
	"sort"
	"strings"

	"streamsql/internal/diag"
	"streamsql/sql"
	"streamsql/stream"
)

// Table returns the table of that name: the exact name first, then the only one
// that differs in letter case alone; nil if there is none. A temporary table hides
// a permanent one.
func (c *Catalog) Table(name string) *Table {
	if t := c.tables[name]; t != nil {
		return t
	}
	var found *Table
	for n, t := range c.tables {
		if strings.EqualFold(n, name) {
			if found != nil {
				return nil
			}
			found = t
		}
	}
	return found
}

// View returns the view of that name; see Table.
func (c *Catalog) View(name string) *View {
	if v := c.views[name]; v != nil {
		return v
	}
	var found *View
	for n, v := range c.views {
		if strings.EqualFold(n, name) {
			if found != nil {
				return nil
			}
			found = v
		}
	}
	return found
}

// Has reports whether a table or view of exactly that name exists.
func (c *Catalog) Has(name string) bool { return c.tables[name] != nil || c.views[name] != nil }

// Hidden returns the permanent table behind the temporary one of that name, or nil.
func (c *Catalog) Hidden(name string) *Table { return c.hidden[name] }

// AddTable adds a table. A temporary one hides a permanent one of the same name
// until it is dropped; any other table or view of the name is replaced if replace is
// set, and otherwise an error.
func (c *Catalog) AddTable(t *Table, replace bool) error {
	old := c.tables[t.Name]
	switch {
	case old != nil && t.Temporary && !old.Temporary:
		c.hidden[t.Name] = old
	case c.Has(t.Name) && !replace:
		return diag.New(diag.DuplicateName, t.Span, "table or view %q exists already", t.Name).
			WithHint("DROP it first, or use another name")
	}
	c.tables[t.Name] = t
	return nil
}

// AddView adds or replaces a view.
func (c *Catalog) AddView(v *View) { c.views[v.Name] = v }

// DropTable removes the table of exactly that name; a permanent table behind it
// comes back.
func (c *Catalog) DropTable(name string) {
	delete(c.tables, name)
	if h := c.hidden[name]; h != nil {
		c.tables[name] = h
		delete(c.hidden, name)
	}
}

// DropView removes the view of exactly that name.
func (c *Catalog) DropView(name string) { delete(c.views, name) }

// Views returns the names of all views, sorted by code point.
func (c *Catalog) Views() []string {
	names := make([]string, 0, len(c.views))
	for n := range c.views {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Column returns the column of exactly that name, or nil.
func (t *Table) Column(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// Physical returns the columns that the connector holds, in DDL order.
func (t *Table) Physical() stream.Schema {
	var s stream.Schema
	for _, c := range t.Columns {
		if c.Kind == sql.PhysicalColumn {
			s.Fields = append(s.Fields, stream.Field{Name: c.Name, Type: c.Type})
		}
	}
	return s
}
