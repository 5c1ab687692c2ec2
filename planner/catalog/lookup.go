package catalog

import (
	"strings"

	"streamsql/internal/diag"
	"streamsql/sql"
	"streamsql/stream"
)

// find returns what a name stands for: the exact name first, then the only one that
// differs in letter case alone.
func (c *Catalog) find(name string) object {
	for _, layer := range []map[string]object{c.temporary, c.permanent} {
		if o, ok := layer[name]; ok {
			return o
		}
	}
	var found []object
	for _, n := range c.Names() {
		if strings.EqualFold(n, name) {
			found = append(found, c.find(n))
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return object{}
}

// Table returns the table of that name, or nil: the exact name first, then the only
// one that differs in letter case alone.
func (c *Catalog) Table(name string) *Table { return c.find(name).table }

// View returns the view of that name, or nil; see Table.
func (c *Catalog) View(name string) *View { return c.find(name).view }

// Has reports whether a table or view of exactly that name exists among the
// temporary or the permanent ones.
func (c *Catalog) Has(name string, temporary bool) bool {
	_, ok := c.layer(temporary)[name]
	return ok
}

func (c *Catalog) layer(temporary bool) map[string]object {
	if temporary {
		return c.temporary
	}
	return c.permanent
}

// AddTable adds a table. A table or view of its name and layer is replaced if
// replace is set, and otherwise an error.
func (c *Catalog) AddTable(t *Table, replace bool) error {
	if c.Has(t.Name, t.Temporary) && !replace {
		return diag.New(diag.DuplicateName, t.Span, "table or view %q exists already", t.Name).
			WithHint("DROP it first, or use another name")
	}
	c.layer(t.Temporary)[t.Name] = object{table: t}
	return nil
}

// AddView adds or replaces a view.
func (c *Catalog) AddView(v *View) { c.layer(v.Temporary)[v.Name] = object{view: v} }

// Drop removes the table or view of exactly that name from its layer.
func (c *Catalog) Drop(name string, temporary bool) { delete(c.layer(temporary), name) }

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
