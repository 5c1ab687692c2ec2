package exec

import "streamsql/stream"

// timeQueue gives stored rows back in the order of their times, then of their arrival.
type timeQueue struct {
	heap  []timedRow
	times []int64 // by row
}

type timedRow struct {
	time, arrived int64
	id, group     int32
}

func (a *timedRow) before(b *timedRow) bool {
	return a.time < b.time || a.time == b.time && a.arrived < b.arrived
}

// timeOf returns the time of a row that is in the queue.
func (q *timeQueue) timeOf(id int32) int64 { return q.times[id] }

// next is the watermark at which the next row is due.
func (q *timeQueue) next() stream.Timestamp {
	if len(q.heap) == 0 {
		return never
	}
	return stream.Timestamp(q.heap[0].time)
}

// reached reports whether a row is due at watermark w.
func (q *timeQueue) reached(w stream.Timestamp) bool {
	return len(q.heap) > 0 && q.heap[0].time <= int64(w)
}

func (q *timeQueue) push(time, arrived int64, id, group int32) {
	for len(q.times) <= int(id) {
		q.times = append(q.times, 0)
	}
	q.times[id] = time
	q.heap = append(q.heap, timedRow{time, arrived, id, group})
	h := q.heap
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h[i].before(&h[parent]) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func (q *timeQueue) pop() timedRow {
	h := q.heap
	first := h[0]
	n := len(h) - 1
	h[0] = h[n]
	h = h[:n]
	q.heap = h
	for i := 0; ; {
		child := 2*i + 1
		if child >= n {
			return first
		}
		if child+1 < n && h[child+1].before(&h[child]) {
			child++
		}
		if !h[child].before(&h[i]) {
			return first
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

func (q *timeQueue) bytes() int64 { return int64(cap(q.heap))*24 + int64(cap(q.times))*8 }
