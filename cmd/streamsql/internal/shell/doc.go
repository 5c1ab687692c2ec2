// Package shell is the prompt of streamsql: it collects lines into statements,
// answers dot commands, completes words and keeps a history. The line editor stands
// behind an interface, so that it can be replaced, by a script in tests too.
package shell
