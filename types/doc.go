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
package types
