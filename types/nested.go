package types

import (
	"strings"
	"sync"
)

// parts describes what a nested type is made of. Equal descriptions are one, so that
// == of Types is equality of types.
type parts struct {
	key, elem Type    // ARRAY: elem; MAP: both; MULTISET: its elements are the keys, elem is INT NOT NULL
	fields    []Field // ROW
	offsets   []int   // ROW: where the slot of each field lies in an encoded value
	fixed     int     // ROW: bytes before the data of variable width
	unordered bool    // there is a MAP or MULTISET in it: equal values may differ in bytes
	floats    bool    // there is a FLOAT or DOUBLE in it: likewise
}

// Field is a field of a ROW type.
type Field struct {
	Name string
	Type Type
}

// known holds the parts of all nested types that have been made, by the type's name.
// They are as many as the programs of the process write down.
var known = struct {
	sync.RWMutex
	parts map[string]*parts
}{parts: map[string]*parts{}}

// intern returns t, a type with fresh parts, as the one with the parts that all equal
// types share.
func intern(t Type) Type {
	name := t.nestedName()
	known.RLock()
	p := known.parts[name]
	known.RUnlock()
	if p == nil {
		known.Lock()
		if p = known.parts[name]; p == nil {
			p = t.parts
			p.layOut()
			known.parts[name] = p
		}
		known.Unlock()
	}
	t.parts = p
	return t
}

// layOut finds the places of the fields of a ROW and what comparing values must heed.
func (p *parts) layOut() {
	at := (len(p.fields) + 7) / 8
	for _, f := range p.fields {
		p.offsets = append(p.offsets, at)
		at += slotWidth(f.Type)
		p.heed(f.Type)
	}
	p.fixed = at
	p.heed(p.elem)
	p.heed(p.key)
}

func (p *parts) heed(t Type) {
	p.floats = p.floats || t.IsApproximate()
	if t.parts != nil {
		p.floats = p.floats || t.parts.floats
		p.unordered = p.unordered || t.parts.unordered || t.Kind == Map || t.Kind == Multiset
	}
}

// NewArray returns the nullable type ARRAY<elem>.
func NewArray(elem Type) Type {
	return intern(Type{Kind: Array, parts: &parts{elem: elem}})
}

// NewMap returns the nullable type MAP<key, value>.
func NewMap(key, value Type) Type {
	return intern(Type{Kind: Map, parts: &parts{key: key, elem: value}})
}

// NewMultiset returns the nullable type MULTISET<elem>.
func NewMultiset(elem Type) Type {
	return intern(Type{Kind: Multiset, parts: &parts{key: elem, elem: Of(Int).Required()}})
}

// NewRow returns the nullable type ROW<fields>.
func NewRow(fields ...Field) Type {
	return intern(Type{Kind: Row, parts: &parts{fields: append([]Field(nil), fields...)}})
}

// Elem returns the type of the elements of an ARRAY or MULTISET or of the values of
// a MAP.
func (t Type) Elem() Type {
	switch {
	case t.parts == nil:
		return Type{}
	case t.Kind == Multiset:
		return t.parts.key
	}
	return t.parts.elem
}

// Key returns the type of the keys of a MAP.
func (t Type) Key() Type {
	if t.parts == nil {
		return Type{}
	}
	return t.parts.key
}

// Entry returns the types of the keys and values of a MAP; those of a MULTISET are its
// elements and their counts, INT NOT NULL.
func (t Type) Entry() (key, value Type) {
	if t.parts == nil {
		return Type{}, Type{}
	}
	return t.parts.key, t.parts.elem
}

// Fields returns the fields of a ROW type. The caller must not change them.
func (t Type) Fields() []Field {
	if t.parts == nil {
		return nil
	}
	return t.parts.fields
}

// FieldIndex returns the place of the field of that name, or of the only one that has
// it in another letter case; -1 if there is none.
func (t Type) FieldIndex(name string) int {
	found := -1
	for i, f := range t.Fields() {
		if f.Name == name {
			return i
		}
		if strings.EqualFold(f.Name, name) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// nestedName prints a nested type as Flink does in DESCRIBE.
func (t Type) nestedName() string { return t.Spell(Type.String) }

// Spell prints a nested type without its NULL-ability; part prints the types that it is
// made of.
func (t Type) Spell(part func(Type) string) string {
	p := t.parts
	if p == nil {
		return [...]string{"ARRAY", "MAP", "MULTISET", "ROW"}[t.Kind-Array]
	}
	switch t.Kind {
	case Array:
		return "ARRAY<" + part(p.elem) + ">"
	case Multiset:
		return "MULTISET<" + part(p.key) + ">"
	case Map:
		return "MAP<" + part(p.key) + ", " + part(p.elem) + ">"
	}
	b := []byte("ROW<")
	for i, f := range p.fields {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, '`')
		b = append(b, strings.ReplaceAll(f.Name, "`", "``")...)
		b = append(b, "` "...)
		b = append(b, part(f.Type)...)
	}
	return string(append(b, '>'))
}

// Plain reports whether values of t are equal exactly if their bytes are: true of all
// types but FLOAT, DOUBLE and nested ones with a FLOAT, DOUBLE, MAP or MULTISET
// inside.
func (t Type) Plain() bool {
	return !t.IsApproximate() && (t.parts == nil || !t.parts.floats && !t.unordered())
}

// unordered reports whether there are values of t that are equal though their entries
// stand in another order.
func (t Type) unordered() bool {
	return t.parts != nil && (t.parts.unordered || t.Kind == Map || t.Kind == Multiset)
}

// slotWidth returns the bytes that a field takes before the data of variable width.
func slotWidth(t Type) int {
	if w := elemWidth(t); w >= 0 {
		return w
	}
	return 4
}

// elemWidth returns the bytes of an encoded element, -1 if they vary.
func elemWidth(t Type) int {
	switch l := t.Layout(); l {
	case Bits:
		return 1
	case Bytes:
		return -1
	default:
		return l.Width()
	}
}

// Alike reports whether every value of t is, with the same raw bytes, a value of u: they
// are the same but for NULL-ability, names of fields and longer texts.
func (t Type) Alike(u Type) bool {
	switch {
	case t.Same(u):
		return true
	case t.IsText() && u.Kind == Varchar, t.IsBytes() && u.Kind == Varbinary:
		return t.Length <= u.Length
	case t.Kind != u.Kind || t.parts == nil || u.parts == nil || len(t.parts.fields) != len(u.parts.fields):
		return false
	case t.Kind == Row:
		for i, f := range t.parts.fields {
			if !f.Type.Alike(u.parts.fields[i].Type) {
				return false
			}
		}
		return true
	}
	return t.parts.elem.Alike(u.parts.elem) && t.parts.key.Alike(u.parts.key)
}
