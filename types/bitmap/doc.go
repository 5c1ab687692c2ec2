// Package bitmap holds sets of 32-bit numbers, the values of the SQL type BITMAP, in
// the portable serialised form of Roaring bitmaps, which Flink's BITMAP_TO_BYTES
// gives.
//
// The numbers with the same upper 16 bits make one block, in the shortest of three
// forms: the lower 16 bits one after the other, runs of them, or 65,536 bits. One set
// has one serialised form here, the *canonical* one, so that sets are equal exactly if
// their bytes are. It is the form that Flink gives a set that was put together number
// by number.
//
// Each, AppendText and Cardinality read canonical bytes. A Set can be changed; Parse
// reads foreign bytes into one, and AppendTo gives its canonical bytes.
package bitmap
