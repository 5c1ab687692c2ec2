// Package catalog holds the tables and views of a session and the border to
// connectors: the planner sees those only through TableFactory, which the root
// package fills.
package catalog
