package logical

import (
	"streamsql/planner/physical"
)

type (
	// FromChangelog makes changes of rows: column Op says what a row does. The output is
	// the other columns.
	FromChangelog struct {
		Base
		Input Node
		Op    int
		Codes []physical.ChangeCode
	}
	// ToChangelog makes rows of changes: the output is what each did, then the input's
	// columns.
	ToChangelog struct {
		Base
		Input Node
		Codes []physical.ChangeCode
	}
)

// Inputs returns the input.
func (n *FromChangelog) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *ToChangelog) Inputs() []Node { return []Node{n.Input} }

// Describe names the function.
func (n *FromChangelog) Describe() (string, []physical.Attr) {
	return "FromChangelog", []physical.Attr{{Key: "op", Value: n.Input.Info().Schema.Fields[n.Op].Name}}
}

// Describe names the function.
func (n *ToChangelog) Describe() (string, []physical.Attr) {
	return "ToChangelog", []physical.Attr{{Key: "op", Value: n.Schema.Fields[0].Name}}
}

// Place returns the column of a FromChangelog's input that stands in column i of its
// output.
func (n *FromChangelog) Place(i int) int {
	if i >= n.Op {
		return i + 1
	}
	return i
}
