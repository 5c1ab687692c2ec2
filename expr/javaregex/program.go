package javaregex

// step is one instruction of the backtracking matcher: it matches at unit i and goes on
// to what follows it.
type step interface {
	match(m *machine, i int) bool
}

// assembler turns nodes into steps; each is made with what follows it.
type assembler struct {
	locals int
	steps  int // made so far
}

func (a *assembler) local() int {
	a.locals++
	return a.locals - 1
}

func (a *assembler) build(n *node, next step) step {
	a.steps++
	switch n.kind {
	case nodeSet:
		return &setStep{n.set, next}
	case nodeSequence:
		for i := len(n.subs) - 1; i >= 0; i-- {
			next = a.build(n.subs[i], next)
		}
		return next
	case nodeChoice:
		c := &choiceStep{}
		for _, s := range n.subs {
			c.ways = append(c.ways, a.build(s, next))
		}
		return c
	case nodeGroup:
		start := a.local()
		return &openStep{start, a.build(n.subs[0], &closeStep{start, n.group, next})}
	case nodeRepeat:
		return a.repeat(n, next)
	case nodeLook:
		l := &lookStep{negative: n.negative, behind: n.behind, next: next}
		if n.behind {
			var bounded bool
			if l.least, l.most, bounded = n.subs[0].lengths(); !bounded {
				l.most = unbounded
			}
			l.body = a.build(n.subs[0], behindEnd{})
		} else {
			l.body = a.build(n.subs[0], accept{})
		}
		return l
	case nodeAtomic:
		return &atomicStep{a.build(n.subs[0], accept{}), next}
	case nodeBackReference:
		return &referenceStep{n.group, n.fold, next}
	case nodeNever:
		return never{}
	case nodeEmpty:
		return next
	}
	return &edgeStep{n.kind, n.unix, next}
}

func (a *assembler) repeat(n *node, next step) step {
	body := n.subs[0]
	for body.kind == nodeSequence && len(body.subs) == 1 && n.mode != possessive {
		body = body.subs[0]
	}
	switch {
	case n.mode == possessive:
		return &possessiveStep{a.build(body, accept{}), n.min, n.max, next}
	case body.kind == nodeSet:
		return &runStep{body.set, n.min, n.max, n.mode == lazy, next}
	case n.min == 0 && n.max == 1:
		ways := []step{a.build(body, next), next}
		if n.mode == lazy {
			ways[0], ways[1] = ways[1], ways[0]
		}
		return &choiceStep{ways}
	}
	l := &loopStep{count: a.local(), begin: a.local(), least: n.min, most: n.max, lazy: n.mode == lazy, next: next}
	before := a.steps
	l.body = &markStep{l.begin, a.build(body, l)}
	l.weight = 3 + 2*(a.steps-before)
	return &loopStart{l}
}
