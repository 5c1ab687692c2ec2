package field

const (
	quotes      = '"' * Ones
	backslashes = '\\' * Ones
)

// Quoted reads a text up to the quote that ends it and returns its id and length;
// id -1: it has a backslash or a control character, or is not UTF-8.
func (d *Dictionary) Quoted(buf []byte, i int) (id int32, n int) {
	h := d.seed
	for {
		w := Word(buf, i+n)
		if m := Zero(w^quotes) | Zero(w^backslashes) | Control(w); m != 0 {
			k := At(m)
			h = step(h, w&(1<<(8*k)-1))
			n += k
			break
		}
		h = step(h, w)
		n += 8
	}
	if buf[i+n] != '"' {
		return -1, n
	}
	h = step(h, uint64(n))
	for at := h; ; at++ {
		e := d.slots[at&d.mask]
		if e == 0 {
			return d.insert(buf[i:i+n], h), n
		}
		if e>>32 == h>>32 && d.equal(int32(uint32(e))-1, buf, i, n) {
			return int32(uint32(e)) - 1, n
		}
	}
}
