package physical

// ProcessingTime puts rows on processing time: column Time becomes the time at which
// the plan takes the row, and behind it the clock is the watermark. The watermarks of
// event time end here; only the end of input passes.
type ProcessingTime struct {
	Base
	Input Node
	Time  int
}

// Inputs returns the input.
func (n *ProcessingTime) Inputs() []Node { return []Node{n.Input} }

// Describe names the clock.
func (n *ProcessingTime) Describe() (string, []Attr) {
	return "ProcessingTime", []Attr{{"column", n.Schema.Fields[n.Time].Name}}
}
