package optest

import (
	"strconv"
	"strings"

	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// rankNode makes the operators that keep rows apart from windows. The words update and
// retract say that the input sends updates.
func rankNode(name, kind string, in physical.Node, p []string) (physical.Node, error) {
	schema := in.Info().Schema
	base := base(name, schema)
	switch kind {
	case "keep":
		n := &physical.Deduplicate{Base: base, Input: in, Time: -1}
		for _, part := range p {
			words := strings.Fields(part)
			switch words[0] {
			case "partition":
				n.Partition = columnList(schema, words[1:])
			case "first", "last":
				n.Last = words[0] == "last"
				if len(words) > 1 {
					n.Time = column(schema, words[1])
				}
			}
		}
		if n.Last {
			n.Mode = physical.Retract
		}
		return n, nil
	case "topn":
		return topN(base, in, p)
	case "timesort":
		n := &physical.TemporalSort{Base: base, Input: in, Time: column(schema, p[0])}
		for _, part := range p[1:] {
			n.Order = append(n.Order, sortKey(schema, strings.Fields(part)[1:]))
		}
		return n, nil
	}
	n := &physical.Sort{Base: base, Input: in}
	for _, part := range p {
		words := strings.Fields(part)
		switch words[0] {
		case "retract":
			in.Info().Mode = physical.Retract
		case "order":
			n.Order = append(n.Order, sortKey(schema, words[1:]))
		}
	}
	return n, nil
}

func topN(base physical.Base, in physical.Node, p []string) (physical.Node, error) {
	n := &physical.Rank{Base: base, Input: in, ToColumn: -1}
	n.Mode = physical.Retract
	var err error
	for _, part := range p {
		words := strings.Fields(part)
		switch words[0] {
		case "update":
			n.Strategy, n.RowKey = physical.UpdateRank, columnList(base.Schema, words[1:])
			in.Info().Mode = physical.Retract
		case "keepall":
			n.KeepAll = true
		case "retract":
			n.Strategy = physical.RetractRank
			in.Info().Mode = physical.Retract
		case "upsert":
			n.Mode = physical.Upsert
		case "partition":
			n.Partition = columnList(base.Schema, words[1:])
		case "order":
			n.Order = append(n.Order, sortKey(base.Schema, words[1:]))
		case "rows":
			if n.From, err = strconv.ParseInt(words[1], 10, 64); err != nil {
				return nil, err
			}
			if n.To, err = strconv.ParseInt(words[2], 10, 64); err != nil {
				n.To, n.ToColumn, err = 0, column(base.Schema, words[2]), nil
			}
			n.Number = len(words) > 3
		}
	}
	if n.Number {
		n.Schema = stream.Schema{Fields: append([]stream.Field(nil), n.Schema.Fields...)}
		n.Schema.Fields = append(n.Schema.Fields, stream.Field{Name: "rn", Type: types.Of(types.BigInt).Required()})
	}
	return n, nil
}
