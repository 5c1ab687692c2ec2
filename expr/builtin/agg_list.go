package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// listAggregates put all values of a group into one text.
func listAggregates() []*expr.Aggregate {
	return []*expr.Aggregate{
		{
			Name: "LISTAGG", Usage: "LISTAGG([DISTINCT] text [, separator])",
			Doc:      "The texts that are not NULL in order of arrival, with the separator between them: a constant, ',' if it is left out.",
			Examples: []expr.Example{ex("LISTAGG(item, '-')", "tea-cup-tea")},
			Resolve: func(args []types.Type, _, _ bool) (expr.AggregateResolution, error) {
				if err := arity(args, 1, 2); err != nil {
					return expr.AggregateResolution{}, err
				}
				for _, t := range args {
					if !t.IsText() {
						return expr.AggregateResolution{}, fmt.Errorf("LISTAGG needs texts, not %s; CAST the value to STRING", t.Name())
					}
				}
				return expr.AggregateResolution{Args: args, Result: args[0], KeepsValues: true, New: func() expr.Accumulator { return &listing{form: plainList} }}, nil
			},
			Check: func(lits []*expr.Literal) error {
				if len(lits) > 1 && (lits[1] == nil || lits[1].Value.Null) {
					return errors.New("the separator of LISTAGG must be a constant")
				}
				return nil
			},
		},
		jsonList("JSON_ARRAYAGG", "JSON_ARRAYAGG(value [{ABSENT | NULL} ON NULL])", 1, jsonArrayList,
			"A JSON array of the values in order of arrival; NULLs are left out, with NULL ON NULL they are null.", ex("JSON_ARRAYAGG(item)", `["tea","cup","tea"]`)),
		jsonList("JSON_OBJECTAGG", "JSON_OBJECTAGG([KEY] key VALUE value [{NULL | ABSENT} ON NULL])", 2, jsonObjectList,
			"A JSON object of keys and values. A key that is NULL or comes twice is an error.", ex("JSON_OBJECTAGG(KEY id VALUE price)", `{"a":1.5,"b":3.0,"c":4.5}`)),
	}
}

// jsonList makes an aggregate whose values come as JSON text.
func jsonList(name, usage string, n int, form listForm, doc string, example expr.Example) *expr.Aggregate {
	return &expr.Aggregate{
		Name: name, Usage: usage, Doc: doc, Examples: []expr.Example{example},
		Resolve: func(args []types.Type, _, _ bool) (expr.AggregateResolution, error) {
			if err := arity(args, n, n); err != nil {
				return expr.AggregateResolution{}, err
			}
			if !args[0].IsText() {
				return expr.AggregateResolution{}, fmt.Errorf("%s needs a text as key, not %s", name, args[0].Name())
			}
			return expr.AggregateResolution{Args: args, Result: types.NewVarchar(2000).Required(), KeepsValues: true,
				New: func() expr.Accumulator { return &listing{form: form} }}, nil
		},
	}
}

// listForm is what becomes of a list of texts.
type listForm uint8

const (
	plainList listForm = iota // texts with separators
	jsonArrayList
	jsonObjectList // pairs of key and value
)

// listing keeps the texts of each group in order of arrival.
type listing struct {
	form      listForm
	separator []byte
	groups    []textList
	sel       []int32
	bytes     int64
	order     []int
}

// textList holds texts one behind the other. Of jsonObjectList each text is a key
// with its length before it and the value behind it.
type textList struct {
	data []byte
	ends []int32
}

func (l *textList) text(i int) []byte {
	start := int32(0)
	if i > 0 {
		start = l.ends[i-1]
	}
	return l.data[start:l.ends[i]]
}

func (a *listing) Grow(n int) { a.groups = extend(a.groups, n) }

func (a *listing) Reset() {
	clear(a.groups)
	a.groups, a.bytes = a.groups[:0], 0
}

func (a *listing) append(g int, pieces ...[]byte) {
	l := &a.groups[g]
	before := cap(l.data) + 4*cap(l.ends)
	for _, p := range pieces {
		l.data = append(l.data, p...)
	}
	l.ends = append(l.ends, int32(len(l.data)))
	a.bytes += int64(cap(l.data) + 4*cap(l.ends) - before)
}

// each calls f with the pieces of every row that has a value.
func (a *listing) each(args []*stream.Vec, rows expr.Rows, f func(i int, pieces ...[]byte) error) error {
	if a.form == jsonObjectList {
		return each(rows, func(i int) error {
			if args[0].IsNull(i) {
				return &expr.RowError{Row: i, Msg: "JSON_OBJECTAGG: a key is NULL"}
			}
			key := args[0].Bytes(i)
			if args[1].IsNull(i) {
				return nil
			}
			return f(i, keyLength(len(key)), key, args[1].Bytes(i))
		})
	}
	sel, all := notNull(&a.sel, args[0], rows)
	one := func(i int) error {
		if len(args) > 1 && a.separator == nil {
			a.separator = append([]byte{}, args[1].Bytes(i)...)
		}
		return f(i, args[0].Bytes(i))
	}
	if all {
		sel = nil
	} else if len(sel) == 0 {
		return nil
	}
	return each(expr.Rows{N: rows.N, Sel: sel}, one)
}

// keyLength is the length of a key as four bytes.
func keyLength(n int) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)} }

// pair takes a text of jsonObjectList apart.
func pair(b []byte) (key, value []byte) {
	n := int(b[0]) | int(b[1])<<8 | int(b[2])<<16 | int(b[3])<<24
	return b[4 : 4+n], b[4+n:]
}

func (a *listing) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	return a.each(args, rows, func(i int, pieces ...[]byte) error {
		a.append(int(groups[i]), pieces...)
		return nil
	})
}

// Retract takes the first text that is equal out of its list.
func (a *listing) Retract(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	return a.each(args, rows, func(i int, pieces ...[]byte) error {
		l, x := &a.groups[groups[i]], bytes.Join(pieces, nil)
		for k := range l.ends {
			if bytes.Equal(l.text(k), x) {
				l.drop(k)
				break
			}
		}
		return nil
	})
}

func (a *listing) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*listing)
	if f.separator != nil {
		a.separator = f.separator
	}
	for i, g := range groups {
		l := &f.groups[fromGroups[i]]
		for k := range l.ends {
			a.append(int(g), l.text(k))
		}
	}
	return nil
}

func (a *listing) Result(groups []int32, n int, out *stream.Vec) error {
	separator := a.separator
	if separator == nil || a.form == jsonArrayList {
		separator = []byte(",")
	}
	for k := range n {
		l := &a.groups[groupAt(groups, k)]
		switch {
		case a.form == jsonObjectList:
			if err := a.object(l, k, out); err != nil {
				return err
			}
		case a.form == plainList && len(l.ends) == 0:
			out.SetNull(k, n)
		default:
			if a.form == jsonArrayList {
				out.Data = append(out.Data, '[')
			}
			for i := range l.ends {
				if i > 0 {
					out.Data = append(out.Data, separator...)
				}
				out.Data = append(out.Data, l.text(i)...)
			}
			if a.form == jsonArrayList {
				out.Data = append(out.Data, ']')
			}
		}
		closeText(out)
	}
	return nil
}

// object appends the pairs of a list sorted by key.
func (a *listing) object(l *textList, k int, out *stream.Vec) error {
	a.order = a.order[:0]
	for i := range l.ends {
		a.order = append(a.order, i)
	}
	slices.SortStableFunc(a.order, func(i, j int) int {
		x, _ := pair(l.text(i))
		y, _ := pair(l.text(j))
		return types.CompareJSONKeys(x, y)
	})
	out.Data = append(out.Data, '{')
	var last []byte
	for p, i := range a.order {
		key, value := pair(l.text(i))
		if p > 0 {
			if bytes.Equal(key, last) {
				return &expr.RowError{Row: k, Msg: fmt.Sprintf("JSON_OBJECTAGG: key '%s' comes twice", key), Hint: "aggregate the values of a key first"}
			}
			out.Data = append(out.Data, ',')
		}
		last = key
		out.Data = append(append(types.AppendJSONString(out.Data, key), ':'), value...)
	}
	out.Data = append(out.Data, '}')
	return nil
}

func (a *listing) Bytes() int64 { return a.bytes + int64(cap(a.groups))*48 + int64(cap(a.sel))*4 }

func (a *listing) Snapshot(e *stream.Encoder) {
	e.Bool(a.separator != nil)
	e.Blob(a.separator)
	e.Uint64(uint64(len(a.groups)))
	for g := range a.groups {
		l := &a.groups[g]
		e.Uint64(uint64(len(l.ends)))
		for k := range l.ends {
			e.Blob(l.text(k))
		}
	}
}

func (a *listing) Restore(d *stream.Decoder) error {
	a.Reset()
	known := d.Bool()
	if s := d.Blob(); known {
		a.separator = append([]byte{}, s...)
	}
	a.Grow(d.Count(8))
	for g := range a.groups {
		for range d.Count(8) {
			b := d.Blob()
			if d.Err() == nil && a.form == jsonObjectList && (len(b) < 4 || int(b[3]) > 127 || len(b)-4 < int(b[0])|int(b[1])<<8|int(b[2])<<16|int(b[3])<<24) {
				return d.Fail(stream.ErrSnapshot)
			}
			a.append(g, b)
		}
	}
	return d.Err()
}
