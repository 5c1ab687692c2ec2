package stream

import "streamsql/types"

// TimeAttr says whether a column is a time attribute.
type TimeAttr uint8

// The time attributes.
const (
	NoTime   TimeAttr = iota
	Rowtime           // event time: rows carry it, watermarks speak about it
	Proctime          // processing time
)

// Field is one column of a schema.
type Field struct {
	Name string
	Type types.Type
	Time TimeAttr
}

// Schema is the ordered columns of an edge or table.
type Schema struct {
	Fields []Field
}

// Rowtime returns the index of the first event-time column, or -1.
func (s Schema) Rowtime() int {
	for i, f := range s.Fields {
		if f.Time == Rowtime {
			return i
		}
	}
	return -1
}

// Names returns the column names in order.
func (s Schema) Names() []string {
	names := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = f.Name
	}
	return names
}
