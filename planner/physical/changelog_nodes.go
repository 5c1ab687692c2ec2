package physical

import "streamsql/stream"

// ChangeCode is a text that stands for a kind of change.
type ChangeCode struct {
	Code string
	Kind stream.RowKind
}

type (
	// FromChangelog makes changes of rows: the text in column Op says what a row does. The
	// output is the other columns. A row with another text is an error.
	FromChangelog struct {
		Base
		Input Node
		Op    int
		Codes []ChangeCode
	}
	// ToChangelog makes rows of changes: the output is the code of what each did, then the
	// input's columns. Changes without a code are left out.
	ToChangelog struct {
		Base
		Input Node
		Codes []ChangeCode
	}
)

// Inputs returns the input.
func (n *FromChangelog) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *ToChangelog) Inputs() []Node { return []Node{n.Input} }

// Describe names the function.
func (n *FromChangelog) Describe() (string, []Attr) {
	return "FromChangelog", []Attr{{"op", n.Input.Info().Schema.Fields[n.Op].Name}, {"codes", codesText(n.Codes)}}
}

// Describe names the function.
func (n *ToChangelog) Describe() (string, []Attr) {
	return "ToChangelog", []Attr{{"op", n.Schema.Fields[0].Name}, {"codes", codesText(n.Codes)}}
}

func codesText(codes []ChangeCode) string {
	list := make([]string, len(codes))
	for i, c := range codes {
		list[i] = c.Code + ": " + c.Kind.String()
	}
	return names(list)
}
