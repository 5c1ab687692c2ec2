package expr

import (
	"streamsql/internal/diag"
	"streamsql/types"
)

// Expr is a typed expression over the columns of one input. The set of
// implementations is closed.
type Expr interface {
	Type() types.Type
	// Span is the place in the SQL text, for errors at run time.
	Span() diag.Span
	expr()
}

// Info is embedded in every expression: its type and place.
type Info struct {
	T types.Type
	S diag.Span
}

// Type returns the type of the expression's values.
func (i Info) Type() types.Type { return i.T }

// Span returns the place in the SQL text.
func (i Info) Span() diag.Span { return i.S }

func (Info) expr() {}

type (
	// Column is column Index of the input.
	Column struct {
		Info
		Index int
		Name  string
	}
	// Literal is a constant.
	Literal struct {
		Info
		Value types.Value
	}
	// Call is a scalar function applied to arguments that already have the types its
	// resolution asks for (the planner inserts casts). Operators (+, =, LIKE, IS NULL,
	// ...) are functions too; see the names in registry.go.
	Call struct {
		Info
		Func *Function
		Args []Expr
		Res  Resolution
	}
	// Cast is CAST or TRY_CAST (Try), explicit or inserted by the planner (Implicit).
	Cast struct {
		Info
		Arg      Expr
		Try      bool
		Implicit bool
	}
	// And is a conjunction of two or more conditions, in order; Or likewise. Later
	// conditions are only evaluated for rows that earlier ones leave open.
	And struct {
		Info
		Args []Expr
	}
	// Or is a disjunction; see And.
	Or struct {
		Info
		Args []Expr
	}
	// Case is CASE WHEN ... END; Else is never nil (a NULL literal if not written).
	// A branch is only evaluated for the rows that reach it.
	Case struct {
		Info
		Whens []When
		Else  Expr
	}
	// CurrentWatermark is CURRENT_WATERMARK(rowtime): the watermark in force before
	// the row, NULL before the first one.
	CurrentWatermark struct {
		Info
	}
	// Proctime is PROCTIME(): the processing time of the row.
	Proctime struct {
		Info
	}
)

// When is one branch of a Case.
type When struct{ Cond, Then Expr }

// Children returns the direct operands of e.
func Children(e Expr) []Expr {
	switch e := e.(type) {
	case *Call:
		return e.Args
	case *Cast:
		return []Expr{e.Arg}
	case *And:
		return e.Args
	case *Or:
		return e.Args
	case *Case:
		var c []Expr
		for _, w := range e.Whens {
			c = append(c, w.Cond, w.Then)
		}
		return append(c, e.Else)
	}
	return nil
}

// Walk calls f for e and everything below it, parents first, until f returns
// false for a node: its children are then skipped.
func Walk(e Expr, f func(Expr) bool) {
	if !f(e) {
		return
	}
	for _, c := range Children(e) {
		Walk(c, f)
	}
}
