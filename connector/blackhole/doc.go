// Package blackhole is the connector "blackhole": a sink that drops what it gets.
package blackhole
