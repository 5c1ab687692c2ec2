package streamsql

// WithTrace sets a function that is called for each row that a query or an INSERT
// reads, in order, from the goroutine of the query: what the row did to the watermark,
// to which windows it went, what came out. Traced queries take their rows one by one,
// which is slow but changes no answer.
func WithTrace(f func(TraceEvent)) Option { return func(c *config) { c.trace = f } }

// SetTrace does what WithTrace does, for the statements that start from now on; nil
// ends it.
func (e *Engine) SetTrace(f func(TraceEvent)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cfg.trace = f
}
