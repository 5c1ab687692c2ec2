package jsonpath

import (
	"math"
	"strconv"

	"streamsql/types"
)

// function applies a function to the value that the path led to.
func (f *finder) function(id, i int) bool {
	s := &f.steps[i]
	d := f.d
	n := d.nodes[id]
	list := n // what has elements that count
	if n.kind != Array {
		list = node{child: None}
	}
	value := None
	switch name := s.names[0]; name {
	case "length", "size":
		value = d.compute(Null, nil)
		if n.kind >= Array {
			value = d.compute(Number, strconv.AppendInt(nil, int64(d.size(id)), 10))
		}
	case "keys":
		value = d.keys(id)
	case "first":
		value = d.element(list, 0)
	case "last":
		value = d.element(list, -1)
	case "index":
		if len(s.indexes) == 1 {
			value = d.element(list, s.indexes[0])
		}
	case "concat":
		value = d.concat(list)
	case "append":
		value = id
	default:
		if x, ok := d.aggregate(list, name); ok {
			value = d.compute(Number, types.AppendDouble(nil, x))
		}
	}
	if value == None {
		f.failed = true
		return false
	}
	f.result(value)
	return true
}

// size returns the number of elements, or of different keys.
func (d *Document) size(id int) int {
	n := d.nodes[id]
	if n.kind != Object {
		return int(n.n)
	}
	count := 0
	places := d.placesOf(n)
	for c := n.child; c != None; c = d.nodes[c].next {
		if d.valueIn(places, n, c) != None {
			count++
		}
	}
	return count
}

// keys makes an array of the keys of an object, in their order; of anything else a null.
func (d *Document) keys(id int) int {
	if d.nodes[id].kind != Object {
		return d.compute(Null, nil)
	}
	list := d.add(node{kind: Array})
	places := d.placesOf(d.nodes[id])
	for c := d.nodes[id].child; c != None; c = d.nodes[c].next {
		if d.valueIn(places, d.nodes[id], c) != None {
			key := append([]byte(nil), d.keyOf(c, 1)...)
			d.append(list, d.compute(String, key))
		}
	}
	return list
}

func (d *Document) concat(n node) int {
	var b []byte
	for c := n.child; c != None; c = d.nodes[c].next {
		if d.nodes[c].kind == String {
			b = d.AppendScalar(b, int(c))
		}
	}
	return d.compute(String, b)
}

// aggregate computes a function of the numbers of an array; without one there is no value.
func (d *Document) aggregate(n node, name string) (_ float64, ok bool) {
	count, sum, squares := 0.0, 0.0, 0.0
	least, most := math.Inf(1), math.Inf(-1)
	for c := n.child; c != None; c = d.nodes[c].next {
		if d.nodes[c].kind != Number {
			continue
		}
		x, _ := types.ParseDouble(d.source(&d.nodes[c]))
		count, sum, squares = count+1, sum+x, squares+x*x
		least, most = min(least, x), max(most, x)
	}
	if count == 0 {
		return 0, false
	}
	switch name {
	case "min":
		return least, true
	case "max":
		return most, true
	case "sum":
		return sum, true
	case "avg":
		return sum / count, true
	case "stddev":
		return math.Sqrt(squares/count - sum*sum/count/count), true
	}
	return 0, false
}
