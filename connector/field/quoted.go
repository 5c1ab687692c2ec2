package field

const (
	quotes      = '"' * Ones
	backslashes = '\\' * Ones
)

// Quoted reads a text up to the quote that ends it and returns its id and length;
// id -1: it has a backslash or a control character, or is not UTF-8.
func (d *Dictionary) Quoted(buf []byte, i int) (id int32, n int) {
	for {
		w := Word(buf, i+n)
		if m := Zero(w^quotes) | Zero(w^backslashes) | Control(w); m != 0 {
			n += At(m)
			break
		}
		n += 8
	}
	if buf[i+n] != '"' {
		return -1, n
	}
	return d.Find(buf, i, n), n
}
