package csv

// OnlySlow switches the fast path off.
func OnlySlow(d *Decoder) { d.fastOK = false }
