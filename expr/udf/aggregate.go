package udf

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

// Definition is an aggregate in Go, with the state S of one group. Its zero value is
// the state of a group without rows.
type Definition[S any] struct {
	Add     any                 // func(*S, arguments...) [error]
	Retract any                 // the opposite of Add, or nil: rows are never taken back
	Merge   func(into, from *S) // adds the rows of from; from is not used again
	Result  any                 // func(*S) value [, error]
}

// Aggregate makes an aggregate function of a definition.
func Aggregate[S any](name, doc string, def Definition[S]) (*expr.Aggregate, error) {
	name = strings.ToUpper(name)
	pointer := reflect.TypeFor[*S]()
	part := func(what string, fn any, results bool) (*signature, reflect.Value, error) {
		f := reflect.ValueOf(fn)
		if fn == nil || f.Kind() != reflect.Func || f.IsNil() || f.Type().NumIn() == 0 || f.Type().In(0) != pointer {
			return nil, f, diag.New(diag.TypeMismatch, diag.Span{}, "aggregate %q: %s must be a function whose first argument is %s", name, what, pointer)
		}
		s, err := newSignature(name, what, f.Type(), 1, results)
		return s, f, err
	}
	add, addFn, err := part("Add", def.Add, false)
	if err != nil {
		return nil, err
	}
	result, resultFn, err := part("Result", def.Result, true)
	if err != nil {
		return nil, err
	}
	var retractFn reflect.Value
	if def.Retract != nil {
		if _, retractFn, err = part("Retract", def.Retract, false); err != nil {
			return nil, err
		}
		if retractFn.Type() != addFn.Type() {
			return nil, diag.New(diag.TypeMismatch, diag.Span{}, "aggregate %q: Retract is %s, but Add is %s", name, retractFn.Type(), addFn.Type())
		}
	}
	switch {
	case def.Merge == nil:
		return nil, diag.New(diag.InvalidArgument, diag.Span{}, "aggregate %q has no Merge", name).WithHint("windows that share rows need it")
	case len(result.args) > 0:
		return nil, diag.New(diag.TypeMismatch, diag.Span{}, "aggregate %q: Result takes more than the state", name)
	}
	var zero S
	if err := gob.NewEncoder(new(bytes.Buffer)).Encode([]S{zero}); err != nil {
		return nil, diag.New(diag.TypeMismatch, diag.Span{}, "aggregate %q: the state %T cannot be saved", name, zero).
			WithHint("export its fields, or implement encoding.BinaryMarshaler and BinaryUnmarshaler").Wrap(err)
	}
	return &expr.Aggregate{
		Name: name, Usage: add.usage(), Doc: doc,
		Resolve: func(args []types.Type, _, retract bool) (expr.AggregateResolution, error) {
			if retract && !retractFn.IsValid() {
				return expr.AggregateResolution{}, fmt.Errorf("%s cannot take rows back, and its input changes; give it a Retract", name)
			}
			to, err := add.accept(args)
			if err != nil {
				return expr.AggregateResolution{}, err
			}
			return expr.AggregateResolution{Args: to, Result: result.result.sql, New: func() expr.Accumulator {
				a := &accumulator[S]{merge: def.Merge, add: newCaller(add, addFn, 1), result: newCaller(result, resultFn, 1)}
				if retractFn.IsValid() {
					a.retract = newCaller(add, retractFn, 1)
				}
				return a
			}}, nil
		},
	}, nil
}

// accumulator holds the states of the groups.
type accumulator[S any] struct {
	states               []S
	merge                func(into, from *S)
	add, retract, result *caller
}

func (a *accumulator[S]) Grow(n int) {
	if n > len(a.states) {
		a.states = append(a.states, make([]S, n-len(a.states))...)
	}
}

func (a *accumulator[S]) Reset() {
	clear(a.states)
	a.states = a.states[:0]
}

func (a *accumulator[S]) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	return a.each(a.add, groups, args, rows)
}

func (a *accumulator[S]) Retract(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	return a.each(a.retract, groups, args, rows)
}

func (a *accumulator[S]) each(c *caller, groups []int32, args []*stream.Vec, rows expr.Rows) error {
	one := func(i int) error {
		if c.missing(args, i) {
			return nil
		}
		_, err := c.call(args, i, reflect.ValueOf(&a.states[groups[i]]))
		return err
	}
	if rows.Sel != nil {
		for _, i := range rows.Sel {
			if err := one(int(i)); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range rows.N {
		if err := one(i); err != nil {
			return err
		}
	}
	return nil
}

func (a *accumulator[S]) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) (err error) {
	defer a.recovered(0, &err)
	f := from.(*accumulator[S])
	for i, g := range groups {
		a.merge(&a.states[g], &f.states[fromGroups[i]])
	}
	return nil
}

func (a *accumulator[S]) recovered(row int, err *error) {
	if r := recover(); r != nil {
		*err = &expr.RowError{Row: row, Msg: fmt.Sprintf("function %q panicked: %v", a.add.name, r)}
	}
}

func (a *accumulator[S]) Result(groups []int32, n int, out *stream.Vec) error {
	for k := range n {
		g := k
		if groups != nil {
			g = int(groups[k])
		}
		x, err := a.result.call(nil, k, reflect.ValueOf(&a.states[g]))
		if err != nil {
			return err
		}
		a.result.result.write(out, k, n, x)
	}
	return nil
}

// Bytes counts the states, not what they point to.
func (a *accumulator[S]) Bytes() int64 {
	var s S
	return int64(cap(a.states)) * int64(unsafe.Sizeof(s))
}

func (a *accumulator[S]) Snapshot(e *stream.Encoder) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(a.states); err != nil {
		b.Reset() // an empty text cannot be restored, and says so
	}
	e.Uint64(uint64(len(a.states)))
	e.Blob(b.Bytes())
}

func (a *accumulator[S]) Restore(d *stream.Decoder) error {
	a.states = nil
	n := d.Uint64()
	b := d.Blob()
	if d.Err() != nil {
		return d.Err()
	}
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&a.states); err != nil || uint64(len(a.states)) != n {
		return d.Fail(stream.ErrSnapshot)
	}
	return nil
}
