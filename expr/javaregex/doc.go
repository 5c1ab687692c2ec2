// Package javaregex matches regular expressions in the syntax and with the meaning of
// java.util.regex, which is what Flink's functions use.
//
// Compile reads an expression into a tree of nodes. Where Go's engine gives the same
// answer for it and the text at hand, a translation runs there, in time linear in the
// text; everything else, as lookaround, back references, possessive quantifiers, $ before
// a last line end, characters beyond U+FFFF, runs in a backtracking matcher over UTF-16
// units whose steps are bounded.
package javaregex
