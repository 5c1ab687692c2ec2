// Package physical is the physical plan as plain data: what the planner hands to
// exec. Nodes hold no behaviour beyond naming themselves for EXPLAIN, and no
// handle to anything that runs.
package physical
