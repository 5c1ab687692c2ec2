package diag_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"streamsql/internal/diag"
)

// The caret stands under its place, however long the line is.
func TestRenderLongLines(t *testing.T) {
	long := strings.Repeat("é+", 50_000)
	for _, src := range []string{"SELECT nix", "SELECT 1,\r\n\tnix\r\nFROM t", "SELECT " + long + "nix", "SELECT nix, " + long, "SELECT " + long + "nix" + long + "\nFROM t"} {
		at := strings.Index(src, "nix")
		lines := strings.Split(diag.Render(src, diag.New(diag.UndefinedColumn, diag.Span{Start: at, End: at + 3}, "column")), "\n")
		if len(lines) != 4 || len(lines[1]) > 600 || !utf8.ValidString(lines[1]) {
			t.Fatalf("%d lines: %.200q", len(lines), lines)
		}
		col := utf8.RuneCountInString(lines[1][:strings.Index(lines[1], "nix")])
		if want := strings.Repeat(" ", col) + "^^^"; lines[2] != want {
			t.Errorf("%.40q: the caret line is %q, not %q", src, lines[2], want)
		}
	}
}
