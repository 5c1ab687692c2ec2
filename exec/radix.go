package exec

// radixSorter sorts ids by keys, stably, in a few passes over both.
type radixSorter struct {
	ids  []int32
	keys []int64
}

const radixBits = 11

// sort orders ids by keys[i] of ids[i], both in place.
func (r *radixSorter) sort(ids []int32, keys []int64) {
	if len(ids) < 2 {
		return
	}
	lo, hi, sorted := keys[0], keys[0], true
	for i := 1; i < len(keys); i++ {
		sorted = sorted && keys[i] >= keys[i-1]
		lo, hi = min(lo, keys[i]), max(hi, keys[i])
	}
	if sorted {
		return
	}
	if len(ids) < 48 {
		insertionSort(ids, keys)
		return
	}
	r.ids, r.keys = resize(r.ids, len(ids)), resize(r.keys, len(keys))
	a, b, ka, kb := ids, r.ids, keys, r.keys
	for shift, width := uint(0), uint64(hi)-uint64(lo); width>>shift != 0; shift += radixBits {
		var count [1 << radixBits]int32
		for _, k := range ka {
			count[(uint64(k)-uint64(lo))>>shift&(1<<radixBits-1)]++
		}
		var at int32
		for d, n := range count {
			count[d] = at
			at += n
		}
		for i, k := range ka {
			d := (uint64(k) - uint64(lo)) >> shift & (1<<radixBits - 1)
			b[count[d]], kb[count[d]] = a[i], k
			count[d]++
		}
		a, b, ka, kb = b, a, kb, ka
		if shift+radixBits >= 64 {
			break
		}
	}
	if &a[0] != &ids[0] {
		copy(ids, a)
		copy(keys, ka)
	}
}

func insertionSort(ids []int32, keys []int64) {
	for i := 1; i < len(keys); i++ {
		id, k := ids[i], keys[i]
		j := i
		for ; j > 0 && keys[j-1] > k; j-- {
			ids[j], keys[j] = ids[j-1], keys[j-1]
		}
		ids[j], keys[j] = id, k
	}
}
