package logical

import (
	"streamsql/expr"
	"streamsql/planner/physical"
)

// TableFunction makes rows of each row of the input by a function of it: the output is
// the input's columns, then those of the function.
type TableFunction struct {
	Lateral
	Func *expr.TableFunction
	Res  expr.TableResolution
	Args []expr.Expr // over the input
}

// Describe names the function.
func (n *TableFunction) Describe() (string, []physical.Attr) {
	args := make([]string, len(n.Args))
	for i, a := range n.Args {
		args[i] = physical.ExprText(a)
	}
	return "TableFunction", physical.TableFunctionAttrs(n.Func.Name, args, n.Outer, n.On)
}
