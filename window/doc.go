// Package window is arithmetic: which windows a time belongs to, when a window
// fires, whether a row is late for it. It holds no state and no rows.
//
// Windows are half-open, [Start, End), in milliseconds. A window fires when the
// watermark reaches End-1; a row is late for a window iff End-1+lateness ≤ W. The
// grid is anchored at 1970 plus an offset and uses floor division, so it holds for
// times before 1970 too (Flink: TimeWindow.getWindowStartWithOffset).
package window
