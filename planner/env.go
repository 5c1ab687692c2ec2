package planner

import (
	"streamsql/expr"
	"streamsql/planner/catalog"
	"streamsql/types"
)

// Env is what the planner knows of a session.
type Env struct {
	Catalog  *catalog.Catalog
	Factory  catalog.TableFactory
	Registry *expr.Registry
	Settings *Settings
	// Fold evaluates an expression without columns. nil: constants are left as they are.
	Fold func(expr.Expr) (types.Value, error)
}

// The names every session has; longer table names are resolved against them.
const (
	catalogName  = "default_catalog"
	databaseName = "default_database"
)
