package bitmap

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// model is a set as Go's map.
type model map[uint32]bool

func (m model) sorted() []uint32 {
	list := make([]uint32, 0, len(m))
	for x := range m {
		list = append(list, x)
	}
	slices.Sort(list)
	return list
}

// numbers returns a random set of one of several shapes: few numbers, many, runs, all.
func numbers(r *rand.Rand) model {
	m := model{}
	for range r.IntN(4) {
		high := uint32(r.IntN(6)) * 13107 << 16
		switch r.IntN(6) {
		case 0:
			for range r.IntN(6) {
				m[high|uint32(r.IntN(40))] = true
			}
		case 1:
			for range r.IntN(6000) {
				m[high|uint32(r.IntN(1<<16))] = true
			}
		case 2: // the numbers at which a list becomes bits
			for i := range 4095 + r.IntN(4) {
				m[high|uint32(3*i)] = true
			}
		case 3:
			for range 1 + r.IntN(5) {
				start, n := r.IntN(1<<16), r.IntN(9000)
				for i := start; i < min(start+n, 1<<16); i++ {
					m[high|uint32(i)] = true
				}
			}
		case 4: // as many runs as just pay, and as do not
			for i := range 2045 + r.IntN(5) {
				for k := range 3 {
					m[high|uint32(8*i+k)] = true
				}
			}
		case 5:
			for i := range 1 << 16 {
				m[high|uint32(i)] = true
			}
		}
	}
	return m
}

// built returns the canonical bytes of a set that is put together number by number, in
// random order.
func built(mem *Memory, m model, r *rand.Rand) []byte {
	var s Set
	s.Use(mem)
	list := m.sorted()
	r.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	for _, x := range list {
		s.Add(x)
	}
	b := s.AppendTo(nil)
	s.Reset()
	return b
}

func check(t *testing.T, what string, b []byte, want model) {
	t.Helper()
	if n := Cardinality(b); n != int64(len(want)) {
		t.Fatalf("%s: %d numbers, want %d", what, n, len(want))
	}
	last, n := int64(-1), 0
	Each(b, func(x uint32) bool {
		if int64(x) <= last || !want[x] {
			t.Fatalf("%s: %d behind %d, %v", what, x, last, want[x])
		}
		last = int64(x)
		n++
		return true
	})
	if n != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, n, len(want))
	}
}

// TestOperations: the operations give the numbers that they should, and the bytes that
// the same numbers give when they are added one by one.
func TestOperations(t *testing.T) {
	operations := []struct {
		name string
		do   func(*Set, []byte)
		has  func(a, b bool) bool
	}{
		{"or", (*Set).Or, func(a, b bool) bool { return a || b }},
		{"xor", (*Set).Xor, func(a, b bool) bool { return a != b }},
		{"and", (*Set).And, func(a, b bool) bool { return a && b }},
		{"and not", (*Set).AndNot, func(a, b bool) bool { return a && !b }},
	}
	var mem Memory
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 1))
		a, b := numbers(r), numbers(r)
		left, right := built(&mem, a, r), built(&mem, b, r)
		check(t, "built", left, a)
		for _, o := range operations {
			want := model{}
			for x := range a {
				if o.has(true, b[x]) {
					want[x] = true
				}
			}
			for x := range b {
				if o.has(a[x], true) {
					want[x] = true
				}
			}
			var s Set
			s.Use(&mem)
			if r.IntN(2) == 0 {
				s.Or(left) // in the form of the bytes
			} else {
				for x := range a {
					s.Add(x)
				}
			}
			o.do(&s, right)
			got := s.AppendTo([]byte("before"))[6:]
			check(t, o.name, got, want)
			if !bytes.Equal(got, built(&mem, want, r)) {
				t.Fatalf("seed %d: %s gives other bytes than its numbers", seed, o.name)
			}
			if s.Cardinality() != int64(len(want)) || s.IsEmpty() != (len(want) == 0) {
				t.Fatalf("%s: %d numbers, want %d", o.name, s.Cardinality(), len(want))
			}
			s.Reset()
		}
	}
}

// TestAddRemove: any order of adding and removing, over all forms.
func TestAddRemove(t *testing.T) {
	var mem Memory
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := numbers(r)
		var s Set
		s.Use(&mem)
		s.Or(built(&mem, m, r))
		list := m.sorted()
		for range 5000 {
			x := uint32(r.IntN(1<<14)) | uint32(r.IntN(2))*13107<<16
			if len(list) > 0 && r.IntN(2) == 0 {
				x = list[r.IntN(len(list))]
			}
			if r.IntN(3) > 0 {
				s.Remove(x)
				delete(m, x)
			} else {
				s.Add(x)
				m[x] = true
			}
		}
		b := s.AppendTo(nil)
		check(t, "changed", b, m)
		if s.Cardinality() != int64(len(m)) {
			t.Fatalf("%d numbers, want %d", s.Cardinality(), len(m))
		}
		if !bytes.Equal(b, built(&mem, m, r)) {
			t.Fatalf("seed %d: other bytes than its numbers", seed)
		}
		for x := range m {
			s.Remove(x)
		}
		if !s.IsEmpty() || s.Cardinality() != 0 {
			t.Fatal("not empty")
		}
	}
}

// TestBytes: what Flink 2.3 writes, and reads.
func TestBytes(t *testing.T) {
	for _, c := range []struct {
		text, bytes string
	}{
		{"{}", "3a30000000000000"},
		{"{1,2}", "3a30000001000000000001001000000001000200"},
		{"{1,2,3,4,5,70000,4294967295}", "3b300200010000040001000000ffff00000100010004007011ffff"},
	} {
		var mem Memory
		var s Set
		s.Use(&mem)
		b, _ := hex.DecodeString(c.bytes)
		if err := s.Parse(append(b, 0xff)); err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if got := s.AppendTo(nil); !bytes.Equal(got, b) {
			t.Errorf("%s: %x, want %s", c.text, got, c.bytes)
		}
		if got := string(AppendText(nil, b)); got != c.text {
			t.Errorf("%s, want %s", got, c.text)
		}
	}
}

// TestParse: what is no set is refused, and other forms than ours are taken.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		bytes, want string
	}{
		{"", errCut.Error()},
		{"3a3000", errCut.Error()},
		{"3a300000", errCut.Error()},
		{"00000000", errCookie.Error()},
		{"3a30000001000100", errBlocks.Error()},
		{"3a300000ffffffff", errBlocks.Error()},
		{"3a30000001000000", errCut.Error()},
		{"3a3000000100000000000100100000000100", errCut.Error()},
		{"3a30000001000000000001001000000002000100", errOrder.Error()},
		{"3a30000001000000000001001000000001000100", errOrder.Error()},
		{"3a3000000200000001000000000000001800000000000000" + "05000600", errOrder.Error()}, // blocks 1, 0
		{"3a30000001000000" + "0000ffff10000000" + strings.Repeat("ff", 8191) + "7f", errCount.Error()},
		{"3b30000001" + "00000100" + "0100" + "0100", errCut.Error()},
		{"3b30000001" + "00000100" + "0200" + "0500010006000000", errOrder.Error()}, // 5..6, 6
		{"3b30000001" + "00000100" + "0100" + "ffff0100", errOrder.Error()},         // behind the last number
		{"3b30000001" + "00000100" + "0100" + "01000100", "{1,2}"},                  // runs, though a list is as short
		{"3b30000001" + "00000900" + "0200" + "0100000002000000", "{1,2}"},          // two runs that touch, a wrong count
		{"3b30000001" + "00000000" + "0000", "{}"},
		{"3b30000000" + "00000000" + "0700", "{7}"}, // may have runs, but has none
	} {
		b, err := hex.DecodeString(c.bytes)
		if err != nil {
			t.Fatal(err)
		}
		var mem Memory
		var s Set
		s.Use(&mem)
		got := ""
		if err := s.Parse(b); err != nil {
			got = err.Error()
		} else {
			got = string(AppendText(nil, s.AppendTo(nil)))
		}
		if got != c.want {
			t.Errorf("%.40s: %s, want %s", c.bytes, got, c.want)
		}
	}
}

// TestLongText: a long text breaks off behind half a megabyte.
func TestLongText(t *testing.T) {
	var mem Memory
	var s Set
	s.Use(&mem)
	for i := range uint32(200_000) {
		s.Add(i)
	}
	text := string(AppendText([]byte("x"), s.AppendTo(nil)))
	if !strings.HasPrefix(text, "x{0,1,2") || !strings.HasSuffix(text, ",...}") || len(text) < maxText || len(text) > maxText+20 {
		t.Errorf("%d bytes: %s .. %s", len(text), text[:10], text[len(text)-30:])
	}
}

// TestMemory: memory is counted, and used again without an allocation.
func TestMemory(t *testing.T) {
	var mem Memory
	var s Set
	s.Use(&mem)
	r := rand.New(rand.NewPCG(5, 5))
	for range 3 {
		a, b := built(&mem, numbers(r), r), built(&mem, numbers(r), r)
		out := make([]byte, 0, 1<<20)
		before := int64(0)
		for round := range 3 {
			n := testing.AllocsPerRun(1, func() {
				s.Reset()
				s.Or(a)
				s.Xor(b)
				s.AndNot(a)
				out = s.AppendTo(out[:0])
			})
			if round == 2 && n > 0 {
				t.Errorf("%v allocations", n)
			}
			if round == 1 {
				before = mem.Bytes()
			}
		}
		if mem.Bytes() != before || before < int64(len(out)) {
			t.Errorf("%d bytes, then %d, for %d", before, mem.Bytes(), len(out))
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"3a30000000000000", "3a30000001000000000001001000000001000200", "3b300200010000040001000000ffff00000100010004007011ffff",
		"3b30000001000009000200010000000200000001", "3b300300050000010001000200020000000300010028000000300000003400000038000000" + "01000300010007000200050009000100ffff0000",
		"3a30000001000000" + "0000ffff10000000" + strings.Repeat("ff", 8192),
	} {
		b, err := hex.DecodeString(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var mem Memory
		var s, again Set
		s.Use(&mem)
		again.Use(&mem)
		if s.Parse(b) != nil {
			if !s.IsEmpty() {
				t.Fatal("numbers in spite of an error")
			}
			return
		}
		own := s.AppendTo(nil)
		if Cardinality(own) != s.Cardinality() {
			t.Fatal("another number of numbers")
		}
		if s.Cardinality() < 1<<13 {
			Each(own, func(x uint32) bool {
				again.Add(x)
				return true
			})
			if !bytes.Equal(again.AppendTo(nil), own) {
				t.Fatal("other bytes than its numbers")
			}
		}
		if err := again.Parse(own); err != nil || !bytes.Equal(again.AppendTo(nil), own) {
			t.Fatalf("cannot read its own bytes: %v", err)
		}
	})
}
