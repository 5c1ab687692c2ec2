// Package diag holds what every layer needs to say where and why something
// failed: spans in the user's text, the typed Error, its rendering with source
// line and caret, and "did you mean" suggestions. It imports nothing of this
// module.
package diag
