package planner

import (
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql"
)

// Query plans a query. text is the statement, into which the spans of q point.
func Query(env *Env, q *sql.Query, text string) (*physical.Plan, error) {
	n, err := bindQuery(env, q)
	if err != nil {
		return nil, err
	}
	return env.plan(n, q, text), nil
}

func bindQuery(env *Env, q *sql.Query) (logical.Node, error) {
	b := newBinder(env)
	b.root = q
	n, err := b.query(q)
	if err != nil {
		return nil, err
	}
	return n, b.checkRanks()
}

func (env *Env) plan(n logical.Node, at sql.Node, text string) *physical.Plan {
	zone, _ := env.Settings.Get(keyZone)
	return &physical.Plan{Root: lower(n, env.Fold), SQL: text, Span: at.Span(), Zone: zone}
}
