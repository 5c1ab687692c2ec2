// Package types holds the SQL types of the dialect, their layout in memory and
// their text form: parsing, printing and converting single values exactly as
// Flink 2.3 does (CAST and the csv/json formats have different rules; both live
// here). It knows nothing of batches or expressions.
//
// # Nested types
//
// ARRAY, MAP, MULTISET and ROW types are made with NewArray, NewMap, NewMultiset and
// NewRow; Elem, Key and Fields tell what they are made of. A value is a byte string in
// an encoding of this package, so that vectors, keys, row stores and snapshots treat
// it as they do a text: Layout is Bytes, and a Value holds it in S. Any part is found
// without reading those before it.
//
// The unit of reading and writing is the *raw bytes* of a part: little endian in the
// width of its Layout (one byte for a BOOLEAN), the bytes of a text, the encoding of a
// nested value. stream.Vec.Raw and PutRaw read and write a row of any column so; a
// kernel that moves elements about need not know their type:
//
//	var b types.ArrayBuilder // kept by the kernel: its memory is reused
//	eachText(out, rows, func(i int) {
//		a := types.ReadArray(t, args[0].Bytes(i)) // t: the ARRAY type of the argument
//		b.Reset(t.Elem())
//		for k := a.Len() - 1; k >= 0; k-- {
//			b.AppendFrom(&a, k)
//		}
//		out.Data = b.AppendTo(out.Data)
//	})
//
// What has to look into elements takes RawInt, RawFloat, RawDecimal or RawValue. ReadMap
// gives keys and values as two arrays, ReadRow the fields by number; MapBuilder and
// RowBuilder write them. Raw must not be asked for of a NULL: ask IsNull first. EqualRaw
// is the operator =; AppendKey gives a form that is the same for the same values where
// NULL is a value too, as in sets. Raw bytes stay valid as long as the vector or builder that they came from is not
// written.
//
// # VARIANT
//
// A value of type VARIANT is one JSON value, also a byte string with Layout Bytes and
// raw bytes of its own. Its first byte says what it is (VariantKind) and, in the upper
// half, the logarithm of the width of what follows:
//
//	null, false, true  nothing
//	integer            1, 2, 4 or 8 bytes, little endian: the fewest that hold it
//	decimal            one byte of scale, 16 bytes of unscaled value
//	double             8 bytes
//	string             its text in UTF-8, up to the end
//	array              the number of elements, where each of them ends, the elements
//	object             twice the number of keys, where each key and then each value ends,
//	                   the keys in the order of CompareJSONKeys, the values
//
// Counts and ends of an array or object have 1, 2 or 4 bytes, the fewest that hold the
// largest of them; ends count from the first byte of the data. How long a value is must
// be known from outside. An element or field is found without reading those before it,
// and its bytes are a value by themselves.
//
// The encoding is canonical: two values are the same for =, GROUP BY, DISTINCT and joins
// exactly if their bytes are. Objects are the same in any order of their keys, wherever
// they come from. Numbers keep what they were written as: 1, 1.0 and 1e0 differ, as do
// 1.5 and 1.50.
//
// # BITMAP
//
// A BITMAP is the canonical bytes of a set of numbers: see package bitmap. Equal sets
// have equal bytes.
package types
