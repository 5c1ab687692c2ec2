package text

import "strings"

// Shorten cuts a text behind at most n bytes, at a character, for messages.
func Shorten(b []byte, n int) string {
	if len(b) <= n {
		return string(b)
	}
	for n > 0 && b[n]&0xC0 == 0x80 {
		n--
	}
	return string(b[:n]) + "..."
}

// Excerpt is Shorten for messages that must be UTF-8: other bytes become U+FFFD.
func Excerpt(b []byte, n int) string { return strings.ToValidUTF8(Shorten(b, n), "\uFFFD") }
