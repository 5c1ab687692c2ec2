package state

import (
	"fmt"

	"streamsql/stream"
)

// Object is one declared piece of state. Snapshot writes it whole; Restore reads
// it into an object that was made with the same parameters and is empty.
type Object interface {
	Snapshot(e *stream.Encoder)
	Restore(d *stream.Decoder) error
	// Bytes is the memory held, Rows the number of keys or rows kept.
	Bytes() int64
	Rows() int64
}

// Store is the state of one operator: its objects by name.
type Store struct {
	names   []string
	schemas []string
	objects []Object
}

// Register declares an object. The schema describes its content; a snapshot with
// another schema is refused. Names are unique within an operator.
func (s *Store) Register(name, schema string, o Object) {
	s.names = append(s.names, name)
	s.schemas = append(s.schemas, schema)
	s.objects = append(s.objects, o)
}

// Bytes is the memory held by all objects.
func (s *Store) Bytes() int64 {
	var n int64
	for _, o := range s.objects {
		n += o.Bytes()
	}
	return n
}

// Rows is the number of keys or rows in all objects.
func (s *Store) Rows() int64 {
	var n int64
	for _, o := range s.objects {
		n += o.Rows()
	}
	return n
}

// Snapshot writes all objects in the order they were declared.
func (s *Store) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(len(s.objects)))
	for i, o := range s.objects {
		e.String(s.names[i])
		e.String(s.schemas[i])
		o.Snapshot(e)
	}
}

// Restore reads what Snapshot wrote into freshly declared objects.
func (s *Store) Restore(d *stream.Decoder) error {
	if n := d.Uint64(); d.Err() == nil && n != uint64(len(s.objects)) {
		return d.Fail(fmt.Errorf("snapshot holds %d state objects, the plan declares %d", n, len(s.objects)))
	}
	for i, o := range s.objects {
		name, schema := d.String(), d.String()
		if d.Err() == nil && (name != s.names[i] || schema != s.schemas[i]) {
			return d.Fail(fmt.Errorf("snapshot holds state %q (%s), the plan declares %q (%s)", name, schema, s.names[i], s.schemas[i]))
		}
		if err := o.Restore(d); err != nil {
			return d.Fail(err)
		}
	}
	return d.Err()
}
