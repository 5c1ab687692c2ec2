package exec

import (
	"bytes"
	"cmp"
	"encoding/binary"

	"streamsql/exec/state"
)

// storedKeys orders the rows of a store by a column with sort keys. The starts of the
// keys lie side by side, so that most comparisons do not look for the rows.
type storedKeys struct {
	rows   *state.RowStore
	column int
	starts []uint64 // by row
}

// set writes the key of a row.
func (k *storedKeys) set(id int32, key []byte) {
	k.rows.SetBytes(id, k.column, key)
	k.note(id, key)
}

// restored takes the key that a row has come with.
func (k *storedKeys) restored(id int32) { k.note(id, k.of(id)) }

func (k *storedKeys) note(id int32, key []byte) {
	for len(k.starts) <= int(id) {
		k.starts = append(k.starts, 0)
	}
	k.starts[id] = keyStart(key)
}

// of returns the key of a row.
func (k *storedKeys) of(id int32) []byte { return k.rows.BytesOf(id, k.column) }

// compare orders two rows.
func (k *storedKeys) compare(a, b int32) int {
	if c := cmp.Compare(k.starts[a], k.starts[b]); c != 0 {
		return c
	}
	return bytes.Compare(k.of(a), k.of(b))
}

// compareKey orders a row and a key with its start.
func (k *storedKeys) compareKey(id int32, start uint64, key []byte) int {
	if c := cmp.Compare(k.starts[id], start); c != 0 {
		return c
	}
	return bytes.Compare(k.of(id), key)
}

func (k *storedKeys) bytes() int64 { return int64(cap(k.starts)) * 8 }

// keyStart returns the first bytes of a key as a number. Starts that differ order keys;
// of equal ones the keys must be compared.
func keyStart(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}
