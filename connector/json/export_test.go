package json

import (
	"streamsql/connector/text"
	"streamsql/stream"
)

// OnlySlow switches the fast path off.
func OnlySlow(d *Decoder) { d.fastOK = false }

// SlowLines decodes data, which holds less rows than a batch, and returns how many
// lines the fast path has left to the slow one.
func SlowLines(d *Decoder, data []byte) (n int) {
	var b stream.Batch
	d.Begin("t.json")
	d.Start(&b, 4096)
	buf := append(data, make([]byte, stream.Slack)...)
	for pos := 0; pos < len(data); n++ {
		if pos = d.fast(buf, pos, len(data)); pos == len(data) {
			break
		}
		pos, _ = d.slow(data, pos, text.End)
	}
	return n
}
