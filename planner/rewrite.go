package planner

import (
	"slices"

	"streamsql/expr"
)

// rewrite returns e with every subtree for which f gives an expression replaced by
// that, parents first. Parts without a replacement keep their nodes.
func rewrite(e expr.Expr, f func(expr.Expr) expr.Expr) expr.Expr {
	if r := f(e); r != nil {
		return r
	}
	switch e := e.(type) {
	case *expr.Call:
		if args, changed := rewriteAll(e.Args, f); changed {
			c := *e
			c.Args = args
			return &c
		}
	case *expr.Cast:
		if a := rewrite(e.Arg, f); a != e.Arg {
			c := *e
			c.Arg = a
			return &c
		}
	case *expr.And:
		if args, changed := rewriteAll(e.Args, f); changed {
			c := *e
			c.Args = args
			return &c
		}
	case *expr.Or:
		if args, changed := rewriteAll(e.Args, f); changed {
			c := *e
			c.Args = args
			return &c
		}
	case *expr.Case:
		c := *e
		c.Whens = make([]expr.When, len(e.Whens))
		changed := false
		for i, w := range e.Whens {
			c.Whens[i] = expr.When{Cond: rewrite(w.Cond, f), Then: rewrite(w.Then, f)}
			changed = changed || c.Whens[i] != w
		}
		c.Else = rewrite(e.Else, f)
		if changed || c.Else != e.Else {
			return &c
		}
	}
	return e
}

func rewriteAll(es []expr.Expr, f func(expr.Expr) expr.Expr) ([]expr.Expr, bool) {
	out := make([]expr.Expr, len(es))
	changed := false
	for i, e := range es {
		out[i] = rewrite(e, f)
		changed = changed || out[i] != e
	}
	return out, changed
}

// substitute replaces column i by exprs[i].
func substitute(e expr.Expr, exprs []expr.Expr) expr.Expr {
	return rewrite(e, func(e expr.Expr) expr.Expr {
		if c, ok := e.(*expr.Column); ok {
			return exprs[c.Index]
		}
		return nil
	})
}

// remap replaces column i by column index[i].
func remap(e expr.Expr, index []int) expr.Expr {
	return rewrite(e, func(e expr.Expr) expr.Expr {
		if c, ok := e.(*expr.Column); ok && index[c.Index] != c.Index {
			moved := *c
			moved.Index = index[c.Index]
			return &moved
		}
		return nil
	})
}

// uses marks the columns that e reads.
func uses(e expr.Expr, need []bool) {
	expr.Walk(e, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Column); ok {
			need[c.Index] = true
		}
		return true
	})
}

// same reports whether two expressions are written alike: equal but for their
// places.
func same(a, b expr.Expr) bool {
	if a == b {
		return true
	}
	if !a.Type().Same(b.Type()) {
		return false
	}
	switch x := a.(type) {
	case *expr.Column:
		y, ok := b.(*expr.Column)
		return ok && x.Index == y.Index
	case *expr.Literal:
		y, ok := b.(*expr.Literal)
		return ok && x.Value.Equal(y.Value)
	case *expr.Call:
		y, ok := b.(*expr.Call)
		return ok && x.Func == y.Func && !x.Func.NonDeterministic && sameAll(x.Args, y.Args)
	case *expr.Cast:
		y, ok := b.(*expr.Cast)
		return ok && x.Try == y.Try && same(x.Arg, y.Arg)
	case *expr.And:
		y, ok := b.(*expr.And)
		return ok && sameAll(x.Args, y.Args)
	case *expr.Or:
		y, ok := b.(*expr.Or)
		return ok && sameAll(x.Args, y.Args)
	case *expr.Case:
		y, ok := b.(*expr.Case)
		return ok && sameAll(expr.Children(x), expr.Children(y))
	case *expr.CurrentWatermark:
		_, ok := b.(*expr.CurrentWatermark)
		return ok
	case *expr.Proctime:
		_, ok := b.(*expr.Proctime)
		return ok
	case *windowRef:
		y, ok := b.(*windowRef)
		return ok && x.kind == y.kind
	case *groupingRef:
		y, ok := b.(*groupingRef)
		return ok && slices.Equal(x.values, y.values)
	case *numberRef:
		_, ok := b.(*numberRef)
		return ok
	case *callRef:
		y, ok := b.(*callRef)
		return ok && x.call == y.call
	}
	return false
}

func sameAll(a, b []expr.Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(a[i], b[i]) {
			return false
		}
	}
	return true
}

// deterministic reports whether evaluating e twice for one row gives one value.
func deterministic(e expr.Expr) bool {
	ok := true
	expr.Walk(e, func(e expr.Expr) bool {
		if c, is := e.(*expr.Call); is && c.Func.NonDeterministic {
			ok = false
		}
		return ok
	})
	return ok
}
