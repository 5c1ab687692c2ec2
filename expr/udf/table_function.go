package udf

import (
	"fmt"
	"reflect"
	"strings"

	"streamsql/expr"
	"streamsql/expr/govalue"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

// tableColumn is one column of the rows that a table function gives.
type tableColumn struct {
	slot
	name string
	path []int // of the field; nil: the value is the row
}

// tableSignature is what a Go function that returns a sequence says about its SQL form.
type tableSignature struct {
	*signature
	columns []tableColumn
	pairs   bool // an iter.Seq2 of rows and errors
}

// newTableSignature reads the type of a function that returns an iter.Seq or Seq2.
func newTableSignature(name string, t reflect.Type) (*tableSignature, error) {
	bad := func(format string, args ...any) error {
		return diag.New(diag.TypeMismatch, diag.Span{}, "table function %q: "+format, append([]any{name}, args...)...)
	}
	s, n, err := newArguments(name, "it", t, 0)
	if err != nil {
		return nil, err
	}
	const sequence = "return iter.Seq[T] or iter.Seq2[T, error], where T is a scalar or a struct"
	if n != 1 || !isSequence(t.Out(0)) {
		return nil, bad("it must return a sequence, and an error behind it if it can fail at once").(*diag.Error).WithHint(sequence)
	}
	ts := &tableSignature{signature: s}
	yield := t.Out(0).In(0)
	if ts.pairs = yield.NumIn() == 2; ts.pairs && yield.In(1) != errorType {
		return nil, bad("the second value of its sequence is %s, not an error", yield.In(1)).(*diag.Error).WithHint(sequence)
	}
	row := yield.In(0)
	if c, ok := newSlot(row); ok && !isRow(row) {
		ts.columns = []tableColumn{{slot: c, name: "EXPR$0"}}
		return ts, nil
	}
	if !isRow(row) {
		return nil, bad("its rows are %s, for which SQL has no type", row).(*diag.Error).WithHint(sequence)
	}
	for _, f := range govalue.Fields(row) {
		c, ok := newSlot(f.Type)
		if !ok {
			return nil, bad("field %q of %s has Go type %s, which is no SQL type", f.Name, row, f.Type).(*diag.Error).
				WithHint("leave it out with the tag `sql:\"-\"`")
		}
		if behindPointer(row, f.Index) {
			return nil, bad("field %q of %s lies in an embedded pointer", f.Name, row).(*diag.Error).
				WithHint("embed the struct itself, or leave the field out with the tag `sql:\"-\"`")
		}
		ts.columns = append(ts.columns, tableColumn{c, f.Column, f.Index})
	}
	if len(ts.columns) == 0 {
		return nil, bad("its rows are %s, which has no exported fields", row).(*diag.Error).WithHint("a field is a column")
	}
	return ts, nil
}

// isSequence reports whether t has the form of iter.Seq or iter.Seq2.
func isSequence(t reflect.Type) bool {
	if t.Kind() != reflect.Func || t.NumIn() != 1 || t.NumOut() != 0 || t.In(0).Kind() != reflect.Func {
		return false
	}
	yield := t.In(0)
	return (yield.NumIn() == 1 || yield.NumIn() == 2) && !yield.IsVariadic() && yield.NumOut() == 1 && yield.Out(0).Kind() == reflect.Bool
}

// isRow reports whether values of t are rows with a column for each field.
func isRow(t reflect.Type) bool { return t.Kind() == reflect.Struct && t != timeType }

// behindPointer reports whether an embedded pointer leads to a field.
func behindPointer(t reflect.Type, path []int) bool {
	for _, i := range path[:len(path)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

// fields are the columns as SQL sees them.
func (s *tableSignature) fields() []stream.Field {
	list := make([]stream.Field, len(s.columns))
	for i, c := range s.columns {
		list[i] = stream.Field{Name: c.name, Type: c.sql.WithNullability(c.pointer)}
	}
	return list
}

// TableFunction makes a table function of a Go function that returns a sequence.
// deterministic says that equal arguments give equal rows.
func TableFunction(name, doc string, fn any, deterministic bool) (*expr.TableFunction, error) {
	f := reflect.ValueOf(fn)
	if fn == nil || f.Kind() == reflect.Func && f.IsNil() {
		return nil, diag.New(diag.InvalidArgument, diag.Span{}, "table function %q is nil", name)
	}
	name = strings.ToUpper(name)
	s, err := newTableSignature(name, f.Type())
	if err != nil {
		return nil, err
	}
	return &expr.TableFunction{
		Name: name, Usage: s.usage(), Doc: doc, NonDeterministic: !deterministic,
		Resolve: func(args []types.Type) (expr.TableResolution, error) {
			to, err := s.accept(args)
			if err != nil {
				return expr.TableResolution{}, err
			}
			return expr.TableResolution{Args: to, Fields: s.fields(), New: func() expr.TableKernel {
				return newLister(s, f).rows
			}}, nil
		},
	}, nil
}

// lister calls a Go function for the rows that it gives. It belongs to one running
// query.
type lister struct {
	*tableSignature
	call  *caller
	yield []reflect.Value // the argument of a sequence

	out     *expr.TableRows // of the call that runs
	row     int
	failed  error // what the sequence gave instead of a row
	stopped bool  // it has been told that no more rows are wanted
	outside bool  // what takes the rows is at work
}

func newLister(s *tableSignature, fn reflect.Value) *lister {
	l := &lister{tableSignature: s, call: newCaller(s.signature, fn, 0)}
	l.yield = []reflect.Value{reflect.MakeFunc(fn.Type().Out(0).In(0), func(in []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(l.take(in)).Convert(fn.Type().Out(0).In(0).Out(0))}
	})}
	return l
}

// rows is the kernel of a table function.
func (l *lister) rows(args []*stream.Vec, i int, out *expr.TableRows) (err error) {
	if l.missing(args, i) {
		return nil
	}
	seq, err := l.call.call(args, i)
	if err != nil || seq.IsNil() {
		return err
	}
	l.out, l.row, l.failed, l.stopped, l.outside = out, i, nil, false, false
	defer func() {
		l.out = nil
		if l.outside {
			return // a panic of what takes the rows is none of the function
		}
		if r := recover(); r != nil {
			err = &expr.RowError{Row: i, Msg: fmt.Sprintf("function %q panicked: %v", l.name, r)}
		}
	}()
	seq.Call(l.yield)
	return l.failed
}

// take writes a row of the sequence. It returns false when no more are wanted.
func (l *lister) take(in []reflect.Value) bool {
	if l.out == nil || l.stopped {
		panic("its sequence goes on after it was told to stop")
	}
	if l.pairs {
		if e, _ := in[1].Interface().(error); e != nil {
			l.failed, l.stopped = &expr.RowError{Row: l.row, Msg: fmt.Sprintf("function %q: %v", l.name, e)}, true
			return false
		}
	}
	l.outside = true
	room := l.out.Room()
	l.outside = false
	if !room {
		l.stopped = true
		return false
	}
	for k := range l.columns {
		c := &l.columns[k]
		x := in[0]
		if c.path != nil {
			x = x.FieldByIndex(c.path)
		}
		c.write(&l.out.Cols[k], l.out.N, l.out.Size, x)
	}
	l.out.Wrote()
	return true
}
