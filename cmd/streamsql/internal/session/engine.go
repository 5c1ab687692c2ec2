package session

import (
	"context"
	"iter"
	"time"

	"streamsql"
	"streamsql/cmd/streamsql/internal/format"
)

// Engine is what the command needs of a streamsql.Engine.
type Engine interface {
	Exec(ctx context.Context, sql string) (streamsql.Result, error)
	Query(ctx context.Context, sql string) (Query, error)
	Tables() []string
	Columns(table string) ([]streamsql.Column, error)
	Functions() []string
	SetTrace(f func(streamsql.TraceEvent))
}

// Query is what it needs of a streamsql.Query.
type Query interface {
	Columns() []streamsql.Column
	Mode() streamsql.Mode
	Bounded() bool
	Live() bool
	Batches() iter.Seq2[Batch, error]
	Ready() bool
	Stats() streamsql.Stats
	Late() iter.Seq[streamsql.LateRow]
	Bad() iter.Seq[streamsql.BadRow]
	Why() string
	Elapsed() time.Duration
	Close() error
}

// Batch is what it needs of a streamsql.Batch.
type Batch interface {
	NumRows() int64
	Kind(row int) streamsql.RowKind
	Text(col int, t *streamsql.TextColumn)
	JSON(col int, t *streamsql.TextColumn)
}

// Wrap makes an Engine of the real one. Its queries end with the row that cfg limits
// them to, so that the counts tell of no row that nobody sees.
func Wrap(e *streamsql.Engine, cfg *Config) Engine { return engine{e, cfg} }

type engine struct {
	*streamsql.Engine
	cfg *Config
}

func (e engine) Query(ctx context.Context, sql string) (Query, error) {
	var q *streamsql.Query
	var err error
	folds := format.Folds(e.cfg.Format) && !e.cfg.Changes
	switch {
	case e.cfg.Limit >= 0:
		q, err = e.QueryFirst(ctx, sql, e.cfg.Limit, !folds)
	case folds && e.cfg.Shell: // who types may stop a query, and then sees how far it got
		q, err = e.QueryOrdered(ctx, sql)
	case folds:
		q, err = e.QueryFinal(ctx, sql)
	default:
		q, err = e.Engine.Query(ctx, sql)
	}
	if err != nil {
		return nil, err
	}
	return query{q}, nil
}

type query struct{ *streamsql.Query }

func (q query) Batches() iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		for b, err := range q.Query.BorrowedBatches() {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}
