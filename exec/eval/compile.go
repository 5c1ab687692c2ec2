package eval

import (
	"fmt"
	"slices"
	"strconv"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

// Compile turns expressions over one input into a program. zone is the session
// time zone; nil means UTC.
func Compile(exprs []expr.Expr, zone expr.Zone) (*Program, error) {
	p := &Program{exprs: exprs, zone: zone}
	p.ctx.Zone = zone
	c := &compiler{p: p, ids: map[string]int{}, seen: map[expr.Expr]int{}, scopes: []scope{{}}}
	for _, e := range exprs {
		n, err := c.compile(e)
		if err != nil {
			return nil, err
		}
		if _, ok := n.(*column); ok {
			p.plain = append(p.plain, len(p.roots))
		} else {
			p.other = append(p.other, len(p.roots))
		}
		p.roots = append(p.roots, n)
		p.bases = append(p.bases, maker(n).base())
		p.types = append(p.types, e.Type())
	}
	return p, nil
}

// Constant evaluates an expression without columns. A text longer than its type
// allows is cut and -0.0 is 0.0, as Flink does with constants.
func Constant(e expr.Expr, zone expr.Zone) (types.Value, error) {
	var bad error
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Column, *expr.CurrentWatermark, *expr.Proctime:
			bad = diag.New(diag.InvalidArgument, x.Span(), "the expression is not constant")
		case *expr.Call:
			if x.Func != nil && x.Func.NonDeterministic {
				bad = diag.New(diag.InvalidArgument, x.S, "function %q is not constant", x.Func.Name)
			}
		}
		return bad == nil
	})
	if bad != nil {
		return types.NullValue, bad
	}
	p, err := Compile([]expr.Expr{e}, zone)
	if err != nil {
		return types.NullValue, err
	}
	out := make([]stream.Vec, 1)
	if err := p.Run(&stream.Batch{N: 1}, &Env{Watermark: stream.MinWatermark}, out); err != nil {
		if d := diag.As(err); d != nil {
			return types.NullValue, d
		}
		return types.NullValue, err
	}
	v := out[0].Value(0)
	if v.F == 0 {
		v.F = 0 // not -0.0: no constant is
	}
	if t := e.Type(); t.IsText() && len(v.S) > int(t.Length) {
		v.S = firstRunes(v.S, int(t.Length))
	}
	return v, nil
}

// firstRunes returns the first n characters of s.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// scope holds the nodes that are computed for one set of rows, by expression id.
type scope map[int]node

type compiler struct {
	p      *Program
	ids    map[string]int    // canonical text of an expression → its id
	seen   map[expr.Expr]int // the same by pointer
	scopes []scope           // innermost last
	nodes  int
}

// id returns a number that is the same for equal expressions.
func (c *compiler) id(e expr.Expr) int {
	if id, ok := c.seen[e]; ok {
		return id
	}
	var key []byte
	add := func(s string) { key = append(append(key, s...), ' ') }
	switch e := e.(type) {
	case *expr.Column:
		add("column " + strconv.Itoa(e.Index))
	case *expr.Literal:
		add(fmt.Sprintf("literal %v %q", e.Value, e.T.Name()))
	case *expr.Call:
		add(fmt.Sprintf("call %p", e.Func))
		if e.Res.PerRow || e.Func == nil {
			add(fmt.Sprintf("%p", e))
		}
	case *expr.Cast:
		add(fmt.Sprintf("cast %v", e.Try))
	default:
		add(fmt.Sprintf("%T", e))
	}
	add(e.Type().Name())
	for _, ch := range expr.Children(e) {
		add(strconv.Itoa(c.id(ch)))
	}
	id, ok := c.ids[string(key)]
	if !ok {
		id = len(c.ids)
		c.ids[string(key)] = id
	}
	c.seen[e] = id
	return id
}

func (c *compiler) compile(e expr.Expr) (node, error) {
	id := c.id(e)
	for i := len(c.scopes) - 1; i >= 0; i-- {
		if n, ok := c.scopes[i][id]; ok {
			return n, nil
		}
	}
	n, err := c.build(e)
	if err != nil {
		return nil, err
	}
	c.nodes++
	n.base().id = c.nodes
	c.scopes[len(c.scopes)-1][id] = n
	return n, nil
}

// inner compiles e in a scope of its own.
func (c *compiler) inner(e expr.Expr) (node, error) {
	c.scopes = append(c.scopes, scope{})
	n, err := c.compile(e)
	c.scopes = c.scopes[:len(c.scopes)-1]
	return n, err
}

func (c *compiler) build(e expr.Expr) (node, error) {
	switch e := e.(type) {
	case *expr.Column:
		return &column{index: e.Index}, nil
	case *expr.Literal:
		return newConstant(e.T, e.Value), nil
	case *expr.Call:
		return c.call(e)
	case *expr.Cast:
		return c.cast(e)
	case *expr.And:
		return c.logic(e.Args, false, e.T)
	case *expr.Or:
		return c.logic(e.Args, true, e.T)
	case *expr.Case:
		return c.choice(e)
	case *expr.CurrentWatermark:
		return &watermark{typ: e.T}, nil
	case *expr.Proctime:
		c.p.clock = true
		return &proctime{typ: e.T}, nil
	}
	return nil, diag.New(diag.Internal, e.Span(), "expression %T cannot be evaluated", e)
}

// withItself holds the comparisons whose result is known where both sides are the
// same expression. As in Flink this makes NaN equal to itself, which it is not as the
// value of two different expressions.
var withItself = map[string]bool{
	"=": true, "<=": true, ">=": true, "IS NOT DISTINCT FROM": true, "IN": true,
	"<>": false, "<": false, ">": false, "IS DISTINCT FROM": false,
}

// fill makes a kernel with the same result for each row.
func fill(value bool) expr.Kernel {
	var w uint64
	if value {
		w = ^w
	}
	return func(_ *expr.Context, _ []*stream.Vec, out *stream.Vec, _ expr.Rows) error {
		words := out.Words()
		for k := range words {
			words[k] = w
		}
		return nil
	}
}

// lazyIn makes an OR of equalities of an IN whose list can fail: IN stops at the
// first hit.
func lazyIn(e *expr.Call) *expr.Or {
	or := &expr.Or{Info: e.Info}
	for i, a := range e.Args[1:] {
		res := builtin.Equal(e.Res.Args[0], e.Res.Args[i+1])
		or.Args = append(or.Args, &expr.Call{Info: expr.Info{T: res.Result, S: e.S}, Args: []expr.Expr{e.Args[0], a}, Res: res})
	}
	return or
}

// canFail reports whether evaluating e can fail.
func canFail(e expr.Expr) bool {
	fails := false
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Call:
			fails = fails || x.Res.CanFail
		case *expr.Cast:
			_, f, _ := builtin.CastKernel(x.Arg.Type(), x.T, x.Try)
			fails = fails || f
		}
		return !fails
	})
	return fails
}

func (c *compiler) call(e *expr.Call) (node, error) {
	if e.Func != nil && e.Func.Name == "IN" && len(e.Args) > 2 && slices.ContainsFunc(e.Args[2:], canFail) {
		return c.logic(lazyIn(e).Args, true, e.T)
	}
	n := &call{at: e, typ: e.T, canFail: e.Res.CanFail, nullAware: e.Res.NullAware, perRow: e.Res.PerRow}
	n.light = e.Func == nil || e.Func.Operator
	if len(e.Args) == 2 && e.Func != nil && c.id(e.Args[0]) == c.id(e.Args[1]) {
		if same, ok := withItself[e.Func.Name]; ok {
			n.kernel, n.nullAware = fill(same), n.nullAware && e.Func.Name != "IN"
			return c.operator(n, e.Args, true)
		}
		if e.Func.Name == "NULLIF" {
			n.kernel = builtin.Nulls
			return c.operator(n, e.Args, true)
		}
	}
	name := "?"
	if e.Func != nil {
		name = e.Func.Name
		c.p.clock = c.p.clock || e.Func.NonDeterministic
	}
	if e.Res.New == nil {
		return nil, diag.New(diag.Internal, e.S, "function %q has no kernel", name)
	}
	if e.T.Layout() != e.Res.Result.Layout() {
		return nil, diag.New(diag.Internal, e.S, "function %q was bound to %s, not %s", name, e.Res.Result, e.T)
	}
	for i, a := range e.Args {
		if i < len(e.Res.Args) && a.Type().Layout() != e.Res.Args[i].Layout() && a.Type().Kind != types.Null {
			return nil, diag.New(diag.Internal, a.Span(), "argument %d of function %q is %s, not %s", i+1, name, a.Type(), e.Res.Args[i])
		}
	}
	n.kernel = e.Res.New()
	foldable := !e.Res.PerRow && (e.Func == nil || !e.Func.NonDeterministic)
	return c.operator(n, e.Args, foldable)
}

// operator compiles the arguments of n and folds it if they are all constants. A
// fold that fails is left for the run: the row may never be needed.
func (c *compiler) operator(n *call, args []expr.Expr, foldable bool) (node, error) {
	n.fails = n.canFail
	n.costly = n.typ.Layout() == types.Bytes
	for _, a := range args {
		m, err := c.compile(a)
		if err != nil {
			return nil, err
		}
		n.args = append(n.args, m)
		n.inherit(m)
		n.costly = n.costly || a.Type().Layout() == types.Bytes
		k, ok := m.(*constant)
		if !ok {
			foldable = false
			n.varying = append(n.varying, len(n.args)-1)
			n.vecs = append(n.vecs, nil)
			continue
		}
		n.never = n.never || k.own.IsNull(0)
		n.vecs = append(n.vecs, &k.own)
	}
	if !foldable {
		return n, nil
	}
	c.p.gen++
	v, err := c.p.eval(n, expr.Rows{N: 1})
	if err != nil || v.Enc != stream.Const {
		return n, nil
	}
	k := new(constant)
	k.own = *v
	k.pad()
	return k, nil
}

// inherit takes over from an operand what makes the whole expression failing or
// costly.
func (s *state) inherit(n node) {
	t := n.base()
	s.fails = s.fails || t.fails
	s.costly = s.costly || t.costly
}

func (c *compiler) cast(e *expr.Cast) (node, error) {
	from, to := e.Arg.Type(), e.T
	if from.Kind == types.Null {
		return newConstant(to, types.NullValue), nil
	}
	if from.Same(to) || from.IsText() && to.Kind == types.Varchar && to.Length >= from.Length {
		arg, err := c.compile(e.Arg)
		if err != nil {
			return nil, err
		}
		if k, ok := arg.(*constant); ok {
			return newConstant(to, k.own.Value(0)), nil
		}
		n := &retyped{arg: arg, typ: to}
		n.inherit(arg)
		return n, nil
	}
	kernel, canFail, ok := builtin.CastKernel(from, to, e.Try)
	if !ok {
		return nil, diag.New(diag.Internal, e.S, "there is no cast from %s to %s", from.Nullable(), to.Nullable())
	}
	return c.operator(&call{at: e, typ: to, kernel: kernel, canFail: canFail, light: true}, []expr.Expr{e.Arg}, true)
}

func (c *compiler) logic(args []expr.Expr, or bool, t types.Type) (node, error) {
	n := &logic{or: or, typ: t}
	for i, a := range args {
		compile := c.inner
		if i == 0 {
			compile = c.compile
		}
		m, err := compile(a)
		if err != nil {
			return nil, err
		}
		n.args = append(n.args, m)
		n.inherit(m)
	}
	return n, nil
}

func (c *compiler) choice(e *expr.Case) (node, error) {
	n := &choice{typ: e.T}
	add := func(list *[]node, e expr.Expr, inner bool) error {
		compile := c.compile
		if inner {
			compile = c.inner
		}
		m, err := compile(e)
		if err != nil {
			return err
		}
		*list = append(*list, m)
		n.inherit(m)
		return nil
	}
	for i, w := range e.Whens {
		if err := add(&n.conds, w.Cond, i > 0); err != nil {
			return nil, err
		}
		if err := add(&n.thens, w.Then, true); err != nil {
			return nil, err
		}
	}
	if err := add(&n.thens, e.Else, true); err != nil {
		return nil, err
	}
	for _, m := range append(slices.Clone(n.conds), n.thens...) {
		n.cheap = append(n.cheap, isCheap(m))
	}
	n.cheap[0] = true // every row asks for the first condition
	n.takes = make([][]uint64, len(n.thens))
	n.vecs = make([]*stream.Vec, len(n.thens))
	n.costly = true
	return n, nil
}
