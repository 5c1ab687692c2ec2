// Package datagen is the connector "datagen": rows made by rule. Each value is a
// function of the seed, the column and the number of the row, so that every run
// gives the same rows; times are taken from the engine's clock.
package datagen
