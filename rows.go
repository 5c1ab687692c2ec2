package streamsql

import (
	"iter"
	"reflect"

	"streamsql/internal/diag"
)

// Change is one change of a result as a Go value.
type Change[T any] struct {
	Kind RowKind
	Row  T
}

// Rows returns the rows of an append-only query as values of T, a struct whose
// fields are columns by name (tag `sql:"name"`, else the field's name in any letter
// case), or a plain type for a query of one column. ARRAY goes into slices, MAP and
// MULTISET into maps, ROW into structs by the same rules, and each of them into any. A
// VARIANT goes into string and []byte as its JSON text, to be read with encoding/json, a
// BITMAP into []byte as the bytes of BITMAP_TO_BYTES. A NULL leaves a pointer field nil
// and any other field zero. If T does not fit the columns, or the query takes rows back
// (use Changes or Collect then), the first and only item is an error.
func Rows[T any](q *Query) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		if q.Mode() != Append {
			q.Close()
			yield(zero, diag.New(diag.Changelog, diag.Span{}, "the query takes rows back, which Rows cannot say").
				WithHint("use Changes, or Collect for the final rows"))
			return
		}
		for c, err := range Changes[T](q) {
			if !yield(c.Row, err) || err != nil {
				return
			}
		}
	}
}

// Changes returns the changes of a query in order; see Rows for T.
func Changes[T any](q *Query) iter.Seq2[Change[T], error] {
	return func(yield func(Change[T], error) bool) {
		scan, err := newScanner(reflect.TypeFor[T](), q.plan.Root.Info().Schema)
		if err != nil {
			q.Close()
			yield(Change[T]{}, err)
			return
		}
		for b, err := range q.Batches() {
			if err != nil {
				yield(Change[T]{}, err)
				return
			}
			for row := range int(b.NumRows()) {
				c := Change[T]{Kind: b.Kind(row)}
				scan.row(&b, row, reflect.ValueOf(&c.Row).Elem())
				if !yield(c, nil) {
					return
				}
			}
		}
	}
}

// Collect runs a bounded query to its end and returns the final rows: rows that were
// taken back are gone, an updated row stands where its first version stood. The rows of
// ORDER BY with LIMIT stand in that order if the query was started by QueryFinal. T must
// be comparable if the query takes rows back.
func Collect[T any](q *Query) ([]T, error) {
	var rows []T
	if q.Mode() != Append && !reflect.TypeFor[T]().Comparable() {
		q.Close()
		return nil, diag.New(diag.Changelog, diag.Span{}, "type %s is not comparable, so updates cannot be applied", reflect.TypeFor[T]()).
			WithHint("use Changes")
	}
	free := -1 // place of the last row taken back
	for c, err := range Changes[T](q) {
		switch {
		case err != nil:
			return nil, err
		case c.Kind.Retracts():
			if i := lastIndex(rows, c.Row); i >= 0 {
				rows = append(rows[:i], rows[i+1:]...)
				free = i
			}
			if c.Kind == Delete {
				free = -1
			}
		case c.Kind == UpdateAfter && free >= 0:
			rows = append(rows, c.Row)
			copy(rows[free+1:], rows[free:])
			rows[free] = c.Row
			free = -1
		default:
			rows = append(rows, c.Row)
		}
	}
	return rows, nil
}

// lastIndex returns the last place of a row equal to r, or -1.
func lastIndex[T any](rows []T, r T) int {
	for i := len(rows) - 1; i >= 0; i-- {
		if reflect.DeepEqual(rows[i], r) {
			return i
		}
	}
	return -1
}
