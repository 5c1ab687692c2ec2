package exec

import (
	"context"
	"io"

	"streamsql/stream"
)

// merge reads several sources that are always ready. The next row comes from the one
// whose watermark before that row is lowest, ties in plan order; sources without
// watermark come first and whole. So event time advances evenly, and the order is a
// function of the inputs alone.
//
// Rows are not taken one by one: the chosen source goes on up to the first rise of its
// watermark that makes another one the lowest.
func (j *Job) merge(ctx context.Context, ins []*input) error {
	for _, in := range ins {
		h := &j.graph.heads[in.head]
		in.chain = h.earlyChain(h.tail)
		if err := j.open(ctx, in, j.cfg.Workers); err != nil {
			return err
		}
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if j.isEnding() {
			return j.endAll(ctx, ins)
		}
		in := lowest(ins)
		if in == nil {
			return nil
		}
		if in.got == nil || in.row >= in.got.N && in.mark >= len(in.got.Marks) {
			if err := j.fetch(ctx, in); err != nil {
				return err
			}
			continue
		}
		b := j.segment(in, bound(ins, in))
		if err := j.tick(ctx); err != nil {
			return err
		}
		j.number(b)
		err := j.graph.push(ctx, in.head, j.graph.heads[in.head].tail, b)
		in.account(b, err)
		if err != nil {
			return err
		}
		if err := j.hook(); err != nil {
			return err
		}
	}
}

// lowest returns the input whose row is next, nil if all are over.
func lowest(ins []*input) *input {
	var best *input
	for _, in := range ins {
		if in.over {
			continue
		}
		if !in.watermarks {
			return in
		}
		if best == nil || in.wm < best.wm {
			best = in
		}
	}
	return best
}

// bound returns the watermark at which in stops being the lowest.
func bound(ins []*input, in *input) stream.Timestamp {
	limit := stream.MaxWatermark
	if !in.watermarks {
		return limit
	}
	earlier := true
	for _, o := range ins {
		if o == in {
			earlier = false
			continue
		}
		if o.over {
			continue
		}
		w := o.wm
		if !earlier && w < stream.MaxWatermark {
			w++ // ties go to the one that is declared first
		}
		limit = min(limit, w)
	}
	return limit
}

// fetch gets the next batch of an input and runs the chain that computes its
// watermarks. A failure is kept until the rows before it have had their turn.
func (j *Job) fetch(ctx context.Context, in *input) error {
	if in.failed != nil {
		return in.failed
	}
	b := &in.batch
	b.Clear()
	in.got, in.row, in.mark = nil, 0, 0
	if err := j.nextBatch(ctx, in, b); err != nil {
		if err == io.EOF {
			return j.end(ctx, in)
		}
		return readError(in, err)
	}
	h := j.graph.heads[in.head]
	if h.tail == h.scan {
		h.scan.counters.Out.Add(int64(b.N))
		in.got = b
		return nil
	}
	in.hand()
	in.got, in.failed = j.graph.runAhead(ctx, in.head, b)
	if in.got == nil {
		return in.failed
	}
	return nil
}

// segment returns the next rows of an input, up to the first rise of its watermark to
// limit. The batch is valid until the next call.
func (j *Job) segment(in *input, limit stream.Timestamp) *stream.Batch {
	src := in.got
	from, to := in.row, src.N
	dense := src.After != nil
	cursor, end := in.mark, len(src.Marks)
	if dense {
		cursor = from
	}
	if m, next, ok := src.NextMark(cursor, in.wm, limit); ok && limit != stream.MaxWatermark {
		to, end = int(m.Pos), next
		for !dense && end < len(src.Marks) && int(src.Marks[end].Pos) == to {
			end++
		}
	}
	b := &j.piece
	if from == 0 && to == src.N {
		b = &j.whole
		marks := b.Marks[:0]
		*b = *src
		b.Marks = marks
	} else {
		copyRange(b, src, from, to)
	}
	if dense {
		b.After = src.After[from:to]
		if to > from {
			in.wm = max(in.wm, b.After[to-from-1])
		}
	} else {
		b.After = nil
		for _, m := range src.Marks[in.mark:end] {
			b.Marks = append(b.Marks, stream.Mark{Pos: m.Pos - int32(from), W: m.W})
			in.wm = max(in.wm, m.W)
		}
		in.mark = end
	}
	in.row = to
	return b
}
