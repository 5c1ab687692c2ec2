package builtin

import (
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// charsetPages are the encodings with one byte a character that hold the same characters
// here and in Java, with the names they have there.
var charsetPages = []struct {
	page  *charmap.Charmap
	names string
}{
	{charmap.CodePage858, "ibm00858 858 ccsid00858 cp00858 cp858 ibm-858 ibm858 pc-multilingual-850+euro"},
	{charmap.CodePage437, "ibm437 437 cp437 cspc8codepage437 ibm-437 windows-437"},
	{charmap.CodePage850, "ibm850 850 cp850 cspc850multilingual ibm-850"},
	{charmap.CodePage852, "ibm852 852 cp852 cspcp852 ibm-852"},
	{charmap.CodePage855, "ibm855 855 cp855 cspcp855 ibm-855"},
	{charmap.CodePage860, "ibm860 860 cp860 csibm860 ibm-860"},
	{charmap.CodePage862, "ibm862 862 cp862 csibm862 cspc862latinhebrew ibm-862"},
	{charmap.CodePage863, "ibm863 863 cp863 csibm863 ibm-863"},
	{charmap.CodePage865, "ibm865 865 cp865 csibm865 ibm-865"},
	{charmap.CodePage866, "ibm866 866 cp866 csibm866 ibm-866"},
	{charmap.ISO8859_13, "iso-8859-13 8859_13 iso8859-13 iso8859_13 iso_8859-13"},
	{charmap.ISO8859_15, "iso-8859-15 8859_15 923 cp923 csiso885915 csisolatin0 csisolatin9 ibm-923 ibm923 iso8859-15 iso8859_15 iso8859_15_fdis iso_8859-15 l9 latin-9 latin0 latin9"},
	{charmap.ISO8859_16, "iso-8859-16 csiso885916 iso-ir-226 iso8859_16 iso_8859-16 iso_8859-16:2001 l10 latin10"},
	{charmap.ISO8859_2, "iso-8859-2 8859_2 912 cp912 csisolatin2 ibm-912 ibm912 iso-ir-101 iso8859-2 iso8859_2 iso_8859-2 iso_8859-2:1987 l2 latin2"},
	{charmap.ISO8859_3, "iso-8859-3 8859_3 913 cp913 csisolatin3 ibm-913 ibm913 iso-ir-109 iso8859-3 iso8859_3 iso_8859-3 iso_8859-3:1988 l3 latin3"},
	{charmap.ISO8859_4, "iso-8859-4 8859_4 914 cp914 csisolatin4 ibm-914 ibm914 iso-ir-110 iso8859-4 iso8859_4 iso_8859-4 iso_8859-4:1988 l4 latin4"},
	{charmap.ISO8859_5, "iso-8859-5 8859_5 915 cp915 csisolatincyrillic cyrillic ibm-915 ibm915 iso-ir-144 iso8859-5 iso8859_5 iso_8859-5 iso_8859-5:1988"},
	{charmap.ISO8859_6, "iso-8859-6 1089 8859_6 arabic asmo-708 cp1089 csisolatinarabic ecma-114 ibm-1089 ibm1089 iso-ir-127 iso8859-6 iso8859_6 iso_8859-6 iso_8859-6:1987"},
	{charmap.ISO8859_7, "iso-8859-7 813 8859_7 cp813 csisolatingreek ecma-118 elot_928 greek greek8 ibm-813 ibm813 iso-ir-126 iso8859-7 iso8859_7 iso_8859-7 iso_8859-7:1987 sun_eu_greek"},
	{charmap.ISO8859_8, "iso-8859-8 8859_8 916 cp916 csisolatinhebrew hebrew ibm-916 ibm916 iso-ir-138 iso8859-8 iso8859_8 iso_8859-8 iso_8859-8:1988"},
	{charmap.ISO8859_9, "iso-8859-9 8859_9 920 cp920 csisolatin5 ibm-920 ibm920 iso-ir-148 iso8859-9 iso8859_9 iso_8859-9 iso_8859-9:1989 l5 latin5"},
	{charmap.KOI8R, "koi8-r cskoi8r koi8 koi8_r"},
	{charmap.Windows1250, "windows-1250 cp1250 cp5346"},
	{charmap.Windows1251, "windows-1251 ansi-1251 cp1251 cp5347"},
	{charmap.Windows1252, "windows-1252 cp1252 cp5348 ibm-1252 ibm1252"},
	{charmap.Windows1253, "windows-1253 cp1253 cp5349"},
	{charmap.Windows1254, "windows-1254 cp1254 cp5350"},
	{charmap.Windows1256, "windows-1256 cp1256"},
	{charmap.Windows1257, "windows-1257 cp1257 cp5353"},
	{charmap.Windows1258, "windows-1258 cp1258"},
	{charmap.Macintosh, "x-macroman macroman"},
	{charmap.Windows874, "x-windows-874 ms-874 ms874 windows-874"},
}

// withPages adds these encodings to others.
func withPages(sets map[string]charset) map[string]charset {
	for _, p := range charsetPages {
		for _, name := range strings.Fields(p.names) {
			sets[name] = charset{page: p.page, controls: strings.HasPrefix(p.names, "iso-")}
		}
	}
	return sets
}
