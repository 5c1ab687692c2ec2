package state

import (
	"slices"
	"sort"
)

// Ordered keeps, for each group, numbers in an order that the caller knows. A group is a
// list of short lists, so that it may be long: putting a number in or taking one out
// moves no more than one short list.
type Ordered struct {
	groups [][][]int32
	n      int
	held   int64 // bytes of the short lists, their headers included
}

// chunkMost is how many numbers a short list holds.
const chunkMost = 512

// Grow makes room for groups below n; new groups are empty.
func (o *Ordered) Grow(n int) {
	for len(o.groups) < n {
		o.groups = append(o.groups, nil)
	}
}

// Len returns the number of entries of all groups.
func (o *Ordered) Len() int { return o.n }

// Groups returns the number of groups.
func (o *Ordered) Groups() int { return len(o.groups) }

// Insert puts id before the first entry for which after is true, which must hold for all
// entries behind it as well. It returns the place of id, counted from 0, or, from place
// enough on, any place from there on.
func (o *Ordered) Insert(g, id int32, enough int, after func(int32) bool) int {
	chunks := o.groups[g]
	k := sort.Search(len(chunks), func(i int) bool { return after(chunks[i][0]) }) - 1
	if k < 0 {
		if len(chunks) == 0 {
			o.groups[g] = append(chunks, append(make([]int32, 0, 4), id))
			o.held += 4*4 + 24
			o.n++
			return 0
		}
		k = 0
	}
	c := chunks[k]
	at := sort.Search(len(c), func(i int) bool { return after(c[i]) })
	old := cap(c)
	c = slices.Insert(c, at, id)
	o.held += int64(cap(c)-old) * 4
	chunks[k] = c
	o.n++
	place := placeIn(chunks, k, at, enough)
	if len(c) == chunkMost {
		half := append(make([]int32, 0, chunkMost), c[chunkMost/2:]...)
		o.held += chunkMost*4 + 24
		chunks[k] = c[:chunkMost/2]
		o.groups[g] = slices.Insert(chunks, k+1, half)
	}
	return place
}

// placeIn counts the entries before entry at of a short list, up to enough.
func placeIn(chunks [][]int32, k, at, enough int) int {
	place := at
	for i := 0; i < k && place < enough; i++ {
		place += len(chunks[i])
	}
	return place
}

// Remove takes out the first entry for which reached is true, which must hold for all
// entries behind it as well. It returns the place where it was, as Insert does.
func (o *Ordered) Remove(g int32, enough int, reached func(int32) bool) int {
	chunks := o.groups[g]
	k := sort.Search(len(chunks), func(i int) bool { c := chunks[i]; return reached(c[len(c)-1]) })
	c := chunks[k]
	at := sort.Search(len(c), func(i int) bool { return reached(c[i]) })
	place := placeIn(chunks, k, at, enough)
	o.n--
	if len(c) > 1 {
		chunks[k] = slices.Delete(c, at, at+1)
		return place
	}
	o.held -= int64(cap(c))*4 + 24
	o.groups[g] = slices.Delete(chunks, k, k+1)
	return place
}

// From appends to list up to n entries of a group, from a place on.
func (o *Ordered) From(g int32, place, n int, list []int32) []int32 {
	for _, c := range o.groups[g] {
		if n <= 0 {
			break
		}
		if place >= len(c) {
			place -= len(c)
			continue
		}
		part := c[place:min(len(c), place+n)]
		list = append(list, part...)
		n -= len(part)
		place = 0
	}
	return list
}

// Bytes is the memory held.
func (o *Ordered) Bytes() int64 { return o.held + int64(cap(o.groups))*24 }
