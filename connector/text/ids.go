package text

import (
	"streamsql/connector/field"
	"streamsql/stream"
)

// dictionaries are those of a reader, by column. Each worker has its own, so that it
// waits for nobody; when batches are put in order, their ids become the reader's.
type dictionaries []*field.Dictionary

// idMap maps the ids of a decoder's dictionaries to those of the reader, by column.
type idMap []struct {
	series uint64
	ids    []int32
}

// adopt gives the columns of b the ids of the reader's dictionaries.
func (d *dictionaries) adopt(b *stream.Batch, m *idMap) {
	for c := range b.Cols {
		v := &b.Cols[c]
		if v.Enc != stream.Dict {
			continue
		}
		for len(*d) <= c {
			*d = append(*d, nil)
		}
		for len(*m) <= c {
			*m = append(*m, idMap{{}}...)
		}
		own := (*d)[c]
		if own == nil {
			own = field.NewDictionary(v.Type)
			(*d)[c] = own
		}
		if !own.Pays() {
			// A worker with few of the rows may not have noticed. What was prepared for the
			// batch holds the same ids, so they stay, for a dictionary of the batch alone.
			alone := *v.Dict
			alone.Series = 0
			v.Dict = &alone
			continue
		}
		t := &(*m)[c]
		if t.series != v.Dict.Series || v.Dict.Series == 0 {
			t.series, t.ids = v.Dict.Series, t.ids[:0]
		}
		for k := len(t.ids); k < v.Dict.N; k++ {
			t.ids = append(t.ids, own.Add(v.Dict.Data[v.Dict.Off[k]:v.Dict.Off[k+1]]))
		}
		table := t.ids
		ids := v.IDs()
		for i, id := range ids {
			ids[i] = table[id]
		}
		v.Dict = &own.Vec
	}
}
