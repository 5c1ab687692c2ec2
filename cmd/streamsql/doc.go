// Command streamsql runs continuous SQL over files and pipes: from the command
// line, from scripts, and at a prompt. streamsql --help is its manual. It uses
// nothing of the engine but the public package streamsql.
package main
