package slt

import (
	"fmt"
	"hash/fnv"

	"streamsql"
)

// Config is one way to run that must not change an answer.
type Config struct {
	Batch, ReadBuffer, Workers int
	Stutter, Seed              uint64
}

// String names the configuration in test output.
func (c Config) String() string {
	s := fmt.Sprintf("batch=%d,buffer=%d,workers=%d,seed=%d", c.Batch, c.ReadBuffer, c.Workers, c.Seed)
	if c.Stutter > 0 {
		s += fmt.Sprintf(",stutter=%d", c.Stutter)
	}
	return s
}

// Options returns the configuration as engine options.
func (c Config) Options() []streamsql.Option {
	return []streamsql.Option{
		streamsql.WithBatchSize(c.Batch), streamsql.WithReadBuffer(c.ReadBuffer), streamsql.WithWorkers(c.Workers),
		streamsql.WithSeed(c.Seed), streamsql.WithStutter(c.Stutter),
	}
}

// Base is the configuration whose output all others must repeat.
var Base = Config{Batch: 4096, ReadBuffer: 64 << 10, Workers: 1, Seed: 1}

// Matrix returns every combination of batch sizes 1, 3, 7, 4096 and the stutter
// setting, read buffers of 1 and 7 bytes and 64 KiB, 1 and 2 workers, and two hash
// seeds, starting with Base.
func Matrix() []Config {
	list := []Config{Base}
	for _, batch := range []int{1, 3, 7, 4096, -1} {
		for _, buffer := range []int{1, 7, 64 << 10} {
			for _, workers := range []int{1, 2} {
				for _, seed := range []uint64{1, 2} {
					c := Config{Batch: batch, ReadBuffer: buffer, Workers: workers, Seed: seed}
					if batch < 0 {
						c.Batch, c.Stutter = 4096, 11*seed
					}
					if c != Base {
						list = append(list, c)
					}
				}
			}
		}
	}
	return list
}

// Edges returns, for larger inputs, configurations in which each value of Matrix
// occurs.
func Edges() []Config {
	return []Config{
		Base,
		{Batch: 1, ReadBuffer: 64 << 10, Workers: 2, Seed: 2},
		{Batch: 3, ReadBuffer: 7, Workers: 1, Seed: 2},
		{Batch: 7, ReadBuffer: 64 << 10, Workers: 2, Seed: 1},
		{Batch: 4096, ReadBuffer: 1, Workers: 2, Seed: 1},
		{Batch: 4096, ReadBuffer: 7, Workers: 2, Seed: 2, Stutter: 5},
	}
}

// Sample returns Edges and a sixth of Matrix, which part of it depending on the name of
// the case: over many cases every combination is met many times.
func Sample(name string) []Config {
	h := fnv.New32a()
	h.Write([]byte(name))
	list, all := Edges(), Matrix()[1:]
	for i := int(h.Sum32() % 6); i < len(all); i += 6 {
		list = append(list, all[i])
	}
	return list
}

// Short returns Base and one of Edges, which of them depending on the name of the
// case: for runs that are slowed down by a race detector.
func Short(name string) []Config {
	edges := Edges()
	return []Config{Base, edges[1+len(name)%(len(edges)-1)]}
}
