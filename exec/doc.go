// Package exec runs a physical plan: it builds one operator per plan node, reads
// the sources in the canonical order, pushes batches through the operators and
// keeps the books (counters, state, memory, late rows).
//
// # The operator contract
//
// An operator holds no lock, clock or logger, and no goroutine but those of an exchange,
// which add rows to groups and know no order, time or output. It is called by one
// goroutine at a time. For every input batch it sends its output through Output
// before it returns:
//
//   - An input batch and its memory are only lent for the call. An operator never
//     writes to them (another consumer may read the same batch next) and keeps
//     copies, never references.
//   - Output batches belong to the operator and must stay as they are until it is
//     called again. Their headers are its own; columns, Marks and After may be the
//     input's.
//   - Every rise of the watermark is forwarded, at its place between the rows and
//     with its ordinal. Rows that a mark causes stand before the mark and carry its
//     ordinal; rows that a row causes carry that row's ordinal.
//   - The last output of a call has the input's Thru, and an input batch without
//     rows and marks is forwarded for its Thru alone: merges further up wait for it.
//   - The watermark in force before the next batch is the operator's own state.
//   - A failure at a row or mark is reported with Fail after everything of smaller
//     ordinals has been sent.
//
// ARCHITECTURE.md explains ordinals and the canonical order.
package exec
