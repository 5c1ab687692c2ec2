package optest

import (
	"strconv"
	"strings"

	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// group takes "[retract], [atend], [ttl MILLISECONDS], keys K..., aggs CALL...". A call may end in
// /distinct and in /COLUMN, its filter. retract says that the input sends updates.
func (b *planBuilder) group(name string, in physical.Node, p []string) (physical.Node, error) {
	schema := in.Info().Schema
	n := &physical.GroupAggregate{Input: in}
	var s stream.Schema
	for _, part := range p {
		words := strings.Fields(part)
		switch words[0] {
		case "retract":
			in.Info().Mode = physical.Retract
		case "atend":
			n.AtEnd = true
		case "ttl":
			n.TTL, _ = strconv.ParseInt(words[1], 10, 64)
		case "keys":
			n.Keys = columnList(schema, words[1:])
			for _, k := range n.Keys {
				f := schema.Fields[k]
				f.Time = stream.NoTime
				s.Fields = append(s.Fields, f)
			}
		case "aggs":
			for _, w := range words[1:] {
				text, options, _ := strings.Cut(w, "/")
				call, err := b.call(schema, text, in.Info().Mode != physical.Append)
				if err != nil {
					return nil, err
				}
				for _, o := range strings.Split(options, "/") {
					if o == "distinct" {
						call.Distinct = true
					} else if i := column(schema, o); i >= 0 {
						call.Filter = &expr.Column{Info: expr.Info{T: schema.Fields[i].Type}, Index: i, Name: o}
					}
				}
				n.Aggs = append(n.Aggs, call)
				s.Fields = append(s.Fields, stream.Field{Name: w, Type: call.T})
			}
		}
	}
	n.Base = base(name, s)
	if !n.AtEnd {
		n.Mode = physical.Retract
	}
	return n, nil
}
