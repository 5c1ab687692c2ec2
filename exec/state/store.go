package state

import (
	"fmt"

	"streamsql/stream"
)

// Object is a piece of declared state.
type Object interface {
	// Snapshot writes everything that a fresh instance needs to go on.
	Snapshot(e *stream.Encoder)
	// Restore reads it into a fresh instance.
	Restore(d *stream.Decoder) error
	// Bytes is the memory held.
	Bytes() int64
	// Rows is the number of rows or groups held.
	Rows() int64
}

// Steady is implemented by objects whose Bytes and Rows are always zero.
type Steady interface {
	Object
	Steady()
}

// Store holds the state objects of one operator by name, in the order in which
// they were registered.
type Store struct {
	entries []entry
}

type entry struct {
	name    string
	version uint64
	object  Object
}

// Register declares o under a name that is unique in the operator. version is that
// of its format: a snapshot of another version is refused.
func (s *Store) Register(name string, version uint64, o Object) error {
	for _, e := range s.entries {
		if e.name == name {
			return fmt.Errorf("state %q is registered twice", name)
		}
	}
	s.entries = append(s.entries, entry{name, version, o})
	return nil
}

// Empty reports whether nothing is registered.
func (s *Store) Empty() bool { return len(s.entries) == 0 }

// Steady reports whether Bytes and Rows are always zero.
func (s *Store) Steady() bool {
	for i := range s.entries {
		if _, ok := s.entries[i].object.(Steady); !ok {
			return false
		}
	}
	return true
}

// Bytes is the memory held by all objects.
func (s *Store) Bytes() int64 {
	var n int64
	for i := range s.entries {
		n += s.entries[i].object.Bytes()
	}
	return n
}

// Rows is the number of rows or groups in all objects.
func (s *Store) Rows() int64 {
	var n int64
	for i := range s.entries {
		n += s.entries[i].object.Rows()
	}
	return n
}

// Snapshot writes all objects with their names and versions.
func (s *Store) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(len(s.entries)))
	for _, x := range s.entries {
		e.String(x.name)
		e.Uint64(x.version)
		var sub stream.Encoder
		x.object.Snapshot(&sub)
		e.Blob(sub.Bytes())
	}
}

// Restore reads a snapshot of the same objects. A difference in names or versions
// is an error that says which.
func (s *Store) Restore(d *stream.Decoder) error {
	if n := d.Count(8); d.Err() == nil && n != len(s.entries) {
		return d.Fail(fmt.Errorf("snapshot holds %d state objects, %d are declared", n, len(s.entries)))
	}
	for _, x := range s.entries {
		name, version, blob := d.String(), d.Uint64(), d.Blob()
		if err := d.Err(); err != nil {
			return err
		}
		if name != x.name || version != x.version {
			return d.Fail(fmt.Errorf("snapshot holds state %q version %d, declared is %q version %d", name, version, x.name, x.version))
		}
		sub := stream.NewDecoder(blob)
		if err := x.object.Restore(sub); err != nil {
			return d.Fail(fmt.Errorf("state %q: %w", name, err))
		}
		if sub.Len() > 0 {
			return d.Fail(fmt.Errorf("state %q: %w", name, stream.ErrSnapshot))
		}
	}
	return d.Err()
}
