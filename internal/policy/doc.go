// Package policy holds the rules of the house as tests: which package may import
// which, that every package and exported name is documented, how long files and
// functions may be, and that neither the engine nor its tests sleep.
package policy
