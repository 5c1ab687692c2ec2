package javaregex

import (
	"fmt"
	"strings"
	"unicode"
)

// asciiClasses are the names of \p{..} that stand for ASCII only.
var asciiClasses = map[string]*set{
	"ASCII": newSet(0, 0x7F), "Alnum": newSet('0', '9', 'A', 'Z', 'a', 'z'), "Alpha": newSet('A', 'Z', 'a', 'z'), "Blank": newSet(' ', ' ', '\t', '\t'),
	"Cntrl": newSet(0, 0x1F, 0x7F, 0x7F), "Digit": newSet('0', '9'), "Graph": newSet('!', '~'), "Lower": newSet('a', 'z'), "Print": newSet(' ', '~'),
	"Punct": newSet('!', '/', ':', '@', '[', '`', '{', '~'), "Space": spaceSet, "Upper": newSet('A', 'Z'), "XDigit": newSet('0', '9', 'A', 'F', 'a', 'f'),
	"L1": newSet(0, 0xFF),
}

// property returns the set of a name in \p{..}. A name that Java does not know is a fault
// of the expression, one that we do not know is not supported.
func (p *parser) property(name string) (*set, error) {
	unsupported := func() error {
		return &UnsupportedError{Pattern: p.text, What: `\p{` + name + "}", Hint: `write the characters as [..]`}
	}
	if key, value, ok := strings.Cut(name, "="); ok {
		switch strings.ToLower(key) {
		case "sc", "script":
			return p.script(value)
		case "gc", "general_category":
			if s := category(value); s != nil {
				return s, nil
			}
			return nil, p.bad("unknown category")
		case "blk", "block":
			return nil, unsupported()
		}
		return nil, p.bad("unknown property")
	}
	switch {
	case strings.HasPrefix(name, "In"):
		return nil, unsupported()
	case strings.HasPrefix(name, "Is"):
		rest := name[2:]
		if s := binaryProperty(rest); s != nil {
			return s, nil
		}
		if s := category(rest); s != nil {
			return p.foldedCategory(rest, s), nil
		}
		return p.script(rest)
	case strings.HasPrefix(name, "java"):
		switch name[4:] {
		case "LowerCase":
			return p.anyCase(tableSet(unicode.Lower, unicode.Other_Lowercase)), nil
		case "UpperCase":
			return p.anyCase(tableSet(unicode.Upper, unicode.Other_Uppercase)), nil
		case "TitleCase":
			return p.anyCase(tableSet(unicode.Title)), nil
		case "Alphabetic":
			return binaryProperty("Alphabetic"), nil
		case "Digit":
			return tableSet(unicode.Nd), nil
		case "Letter":
			return tableSet(unicode.L), nil
		case "LetterOrDigit":
			return tableSet(unicode.L, unicode.Nd), nil
		case "SpaceChar":
			return tableSet(unicode.Z), nil
		case "Whitespace":
			return tableSet(unicode.Z).intersect(newSet(0xA0, 0xA0, 0x2007, 0x2007, 0x202F, 0x202F).negate()).union(newSet('\t', '\r', 0x1C, 0x1F)), nil
		case "ISOControl":
			return newSet(0, 0x1F, 0x7F, 0x9F), nil
		case "Defined", "Ideographic", "IdentifierIgnorable", "JavaIdentifierStart", "JavaIdentifierPart", "Mirrored", "UnicodeIdentifierPart", "UnicodeIdentifierStart":
			return nil, unsupported()
		}
		return nil, p.bad("unknown property")
	}
	if s, ok := asciiClasses[name]; ok {
		if p.flags&foldCase != 0 && (name == "Lower" || name == "Upper") {
			return asciiClasses["Alpha"], nil
		}
		return s, nil
	}
	if s := category(name); s != nil {
		return p.foldedCategory(name, s), nil
	}
	return nil, p.bad("unknown property")
}

func (p *parser) script(name string) (*set, error) {
	for known, table := range unicode.Scripts {
		if strings.EqualFold(known, name) {
			return tableSet(table), nil
		}
	}
	if _, ok := scriptCodes[strings.ToLower(name)]; ok {
		return tableSet(unicode.Scripts[scriptCodes[strings.ToLower(name)]]), nil
	}
	if len(name) == 4 {
		return nil, &UnsupportedError{Pattern: p.text, What: fmt.Sprintf("the script %s", name), Hint: "write the name of the script in full"}
	}
	return nil, p.bad("unknown script")
}

// scriptCodes are short names of scripts.
var scriptCodes = map[string]string{
	"latn": "Latin", "grek": "Greek", "cyrl": "Cyrillic", "arab": "Arabic", "hebr": "Hebrew", "hani": "Han", "hira": "Hiragana", "kana": "Katakana",
	"hang": "Hangul", "thai": "Thai", "deva": "Devanagari", "armn": "Armenian", "geor": "Georgian", "zyyy": "Common", "zinh": "Inherited",
}

// foldedCategory widens the categories of letters with case under (?i), as Java does.
func (p *parser) foldedCategory(name string, s *set) *set {
	switch name {
	case "Lu", "Ll", "Lt":
		return p.anyCase(s)
	}
	return s
}

func (p *parser) anyCase(s *set) *set {
	if p.flags&foldCase != 0 {
		return tableSet(unicode.Lu, unicode.Ll, unicode.Lt)
	}
	return s
}

// category returns a general category, nil if there is none of that name.
func category(name string) *set {
	switch name {
	case "LC":
		return tableSet(unicode.Lu, unicode.Ll, unicode.Lt)
	case "LD":
		return tableSet(unicode.L, unicode.Nd)
	case "Cn":
		return assigned().negate()
	case "C":
		return tableSet(unicode.C).union(assigned().negate())
	case "all":
		return anySet
	}
	if t := unicode.Categories[name]; t != nil && len(name) <= 2 && name != "LC" {
		return tableSet(t)
	}
	return nil
}

func assigned() *set {
	return tableSet(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs)
}

// binaryProperty returns a property that is a set of its own, nil if there is none of
// that name.
func binaryProperty(name string) *set {
	switch strings.ToUpper(name) {
	case "ALPHABETIC":
		return tableSet(unicode.L, unicode.Nl, unicode.Other_Alphabetic)
	case "LETTER":
		return tableSet(unicode.L)
	case "IDEOGRAPHIC":
		return tableSet(unicode.Ideographic)
	case "LOWERCASE":
		return tableSet(unicode.Lower, unicode.Other_Lowercase)
	case "UPPERCASE":
		return tableSet(unicode.Upper, unicode.Other_Uppercase)
	case "TITLECASE":
		return tableSet(unicode.Title)
	case "WHITE_SPACE", "WHITESPACE":
		return tableSet(unicode.White_Space)
	case "CONTROL":
		return tableSet(unicode.Cc)
	case "PUNCTUATION":
		return tableSet(unicode.P)
	case "HEX_DIGIT", "HEXDIGIT":
		return tableSet(unicode.Nd).union(newSet('A', 'F', 'a', 'f', 0xFF10, 0xFF19, 0xFF21, 0xFF26, 0xFF41, 0xFF46))
	case "ASSIGNED":
		return assigned()
	case "NONCHARACTER_CODE_POINT", "NONCHARACTERCODEPOINT":
		return tableSet(unicode.Noncharacter_Code_Point)
	case "DIGIT":
		return tableSet(unicode.Nd)
	case "ALNUM":
		return tableSet(unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.Nd)
	case "BLANK":
		return tableSet(unicode.Zs).union(newSet('\t', '\t'))
	case "JOIN_CONTROL", "JOINCONTROL":
		return newSet(0x200C, 0x200D)
	case "WORD":
		return tableSet(unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.M, unicode.Nd, unicode.Pc).union(newSet(0x200C, 0x200D))
	}
	return nil
}
