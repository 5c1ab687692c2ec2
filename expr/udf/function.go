package udf

import (
	"fmt"
	"reflect"
	"strings"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

// goodTypes is what a message says about Go types.
const goodTypes = "use bool, int8 to int64, int, float32, float64, string, []byte, time.Time or time.Duration, a slice, map or struct of these, or a pointer to one where NULL matters"

// signature is what a Go function says about its SQL form.
type signature struct {
	name   string
	args   []slot
	result slot
	failed bool // an error is returned behind the result
}

// newSignature reads the type of a function, from argument skip on. results tells
// whether it gives a value.
func newSignature(name, what string, t reflect.Type, skip int, results bool) (*signature, error) {
	s, n, err := newArguments(name, what, t, skip)
	if err != nil {
		return nil, err
	}
	switch {
	case !results && n == 0:
		return s, nil
	case !results:
		return nil, badType(name, "%s may return nothing but an error", what)
	case n != 1:
		return nil, badType(name, "%s must return one value, and an error behind it if it can fail", what)
	}
	var ok bool
	if s.result, ok = newSlot(t.Out(0)); !ok {
		return nil, badType(name, "%s returns %s, for which SQL has no type", what, t.Out(0))
	}
	return s, nil
}

func badType(name, format string, args ...any) error {
	return diag.New(diag.TypeMismatch, diag.Span{}, "function %q: "+format, append([]any{name}, args...)...).WithHint(goodTypes)
}

// newArguments reads the arguments of a function, from skip on. results is how many it
// returns before an error.
func newArguments(name, what string, t reflect.Type, skip int) (s *signature, results int, err error) {
	if t == nil || t.Kind() != reflect.Func {
		return nil, 0, badType(name, "%s is %v, not a function", what, t)
	}
	if t.IsVariadic() {
		return nil, 0, badType(name, "%s takes any number of arguments", what)
	}
	s = &signature{name: name}
	for i := skip; i < t.NumIn(); i++ {
		a, ok := newSlot(t.In(i))
		if !ok {
			return nil, 0, badType(name, "argument %d of %s has type %s, for which SQL has none", i-skip+1, what, t.In(i))
		}
		s.args = append(s.args, a)
	}
	n := t.NumOut()
	if s.failed = n > 0 && t.Out(n-1) == errorType; s.failed {
		n--
	}
	return s, n, nil
}

// usage prints the signature.
func (s *signature) usage() string {
	names := make([]string, len(s.args))
	for i, a := range s.args {
		names[i] = a.sql.Name()
	}
	return s.name + "(" + strings.Join(names, ", ") + ")"
}

// Arguments says how many arguments a function takes.
func Arguments(n int) string {
	switch n {
	case 0:
		return "no arguments"
	case 1:
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

// accept checks the SQL types of a call.
func (s *signature) accept(args []types.Type) ([]types.Type, error) {
	if len(args) != len(s.args) {
		return nil, fmt.Errorf("takes %s, not %d; usage: %s", Arguments(len(s.args)), len(args), s.usage())
	}
	to := make([]types.Type, len(args))
	for i, a := range args {
		want := s.args[i].sql
		if !builtin.ImplicitCast(a, want) {
			return nil, fmt.Errorf("expects %s as argument %d, not %s; CAST the value, usage: %s", want.Name(), i+1, a.Name(), s.usage())
		}
		to[i] = want.WithNullability(!a.NotNull)
	}
	return to, nil
}

// missing reports whether row i has a NULL that the function does not take.
func (s *signature) missing(args []*stream.Vec, i int) bool {
	for k := range s.args {
		if !s.args[k].pointer && args[k].IsNull(i) {
			return true
		}
	}
	return false
}

// resultType is nullable where the result can be NULL.
func (s *signature) resultType(args []types.Type) types.Type {
	nullable := s.result.pointer
	for k := range s.args {
		nullable = nullable || !s.args[k].pointer && !args[k].NotNull
	}
	return s.result.sql.WithNullability(nullable)
}

// caller calls a Go function for rows. It belongs to one kernel.
type caller struct {
	*signature
	fn      reflect.Value
	in      []reflect.Value
	scratch []reflect.Value
	skip    int
}

func newCaller(s *signature, fn reflect.Value, skip int) *caller {
	c := &caller{signature: s, fn: fn, in: make([]reflect.Value, skip+len(s.args)), skip: skip}
	for i := range s.args {
		c.scratch = append(c.scratch, reflect.New(s.args[i].goType).Elem())
	}
	return c
}

// call applies the function to row i; first stands before the arguments.
func (c *caller) call(args []*stream.Vec, i int, first ...reflect.Value) (out reflect.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &expr.RowError{Row: i, Msg: fmt.Sprintf("function %q panicked: %v", c.name, r)}
		}
	}()
	copy(c.in, first)
	for k := range c.args {
		c.in[c.skip+k] = c.args[k].read(args[k], i, c.scratch[k])
	}
	results := c.fn.Call(c.in)
	if c.failed {
		if e, _ := results[len(results)-1].Interface().(error); e != nil {
			return out, &expr.RowError{Row: i, Msg: fmt.Sprintf("function %q: %v", c.name, e)}
		}
		results = results[:len(results)-1]
	}
	if len(results) > 0 {
		out = results[0]
	}
	return out, nil
}

// Function makes a scalar function of a Go function. deterministic says that equal
// arguments give equal results.
func Function(name, doc string, fn any, deterministic bool) (*expr.Function, error) {
	f := reflect.ValueOf(fn)
	if fn == nil || f.Kind() == reflect.Func && f.IsNil() {
		return nil, diag.New(diag.InvalidArgument, diag.Span{}, "function %q is nil", name)
	}
	name = strings.ToUpper(name)
	s, err := newSignature(name, "it", f.Type(), 0, true)
	if err != nil {
		return nil, err
	}
	return &expr.Function{
		Name: name, Class: "user", Usage: s.usage(), Doc: doc, NonDeterministic: !deterministic,
		Resolve: func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
			to, err := s.accept(args)
			if err != nil {
				return expr.Resolution{}, err
			}
			return expr.Resolution{
				Args: to, Result: s.resultType(args), NullAware: true, CanFail: true, PerRow: !deterministic,
				New: func() expr.Kernel { return newCaller(s, f, 0).run },
			}, nil
		},
	}, nil
}

// run is the kernel of a scalar function.
func (c *caller) run(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
	next := 0 // rows that are not asked for have an empty text
	skip := func(to int) {
		for ; c.result.bytes != nil && next < to; next++ {
			closeText(out)
		}
	}
	one := func(i int) error {
		skip(i)
		next = i + 1
		if c.missing(args, i) {
			c.result.null(out, i, rows.N)
			return nil
		}
		x, err := c.call(args, i)
		if err != nil {
			if c.result.bytes != nil {
				closeText(out)
			}
			return err
		}
		c.result.write(out, i, rows.N, x)
		return nil
	}
	var err error
	if rows.Sel != nil {
		for _, i := range rows.Sel {
			if err = one(int(i)); err != nil {
				break
			}
		}
	} else {
		for i := 0; i < rows.N && err == nil; i++ {
			err = one(i)
		}
	}
	skip(rows.N)
	return err
}
