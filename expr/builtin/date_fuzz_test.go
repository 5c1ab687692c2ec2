package builtin

import "testing"

// FuzzDatePattern: no pattern and no text make the reader of times panic or read
// different times twice.
func FuzzDatePattern(f *testing.F) {
	for _, s := range [][2]string{
		{"yyyy-MM-dd HH:mm:ss", "2024-02-29 12:34:56"}, {"dd-MMM-yyyy", "29-Feb-2024"}, {"yyyy-MM-dd'T'HH:mm:ss.SSS X", "2024-02-29T12:34:56.789 +0200"},
		{"EEE, d MMM yyyy hh:mm a", "Thu, 29 Feb 2024 11:00 PM"}, {"yyyyMMdd", "20240230"}, {"yyyy-DDD", "2024-366"}, {"''", "'"}, {"y", "-99999999999999999999"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		for _, reads := range []bool{false, true} {
			p, err := parsePatternFor(pattern, reads)
			if err != nil {
				continue
			}
			ms, nanos, ok := p.parse([]byte(text), reads)
			if ms2, nanos2, ok2 := p.parse([]byte(text), reads); ms != ms2 || nanos != nanos2 || ok != ok2 {
				t.Errorf("%q with %q is %d and %d", text, pattern, ms, ms2)
			}
		}
	})
}
