package csv

// OnlySlow switches the fast path off.
func OnlySlow(d *Decoder) { d.fastOK = false }

// TakesFast reports whether the fast path may be tried.
func TakesFast(d *Decoder) bool { return d.fastOK }
