package trace

import (
	"math"
	"slices"
	"time"

	"streamsql"
)

// local turns the times of an event into those that the result of its query shows:
// TIMESTAMP_LTZ stands in the time zone of the session.
func local(e streamsql.TraceEvent) streamsql.TraceEvent {
	if e.Location == nil || e.Location == time.UTC {
		return e
	}
	if e.Row > 0 && e.TimeColumn >= 0 {
		shift(&e.Time, e.Location)
	}
	shift(&e.Before, e.Location)
	shift(&e.After, e.Location)
	for _, list := range []*[]streamsql.TraceWindow{&e.Windows, &e.Missed, &e.Fired} {
		*list = slices.Clone(*list)
		for i := range *list {
			shift(&(*list)[i].Start, e.Location)
			shift(&(*list)[i].End, e.Location)
		}
	}
	return e
}

// shift moves a time to the clock on the wall of a place. Before the first watermark and
// behind the last there is no time.
func shift[T ~int64](t *T, at *time.Location) {
	if *t == math.MinInt64 || *t == math.MaxInt64 {
		return
	}
	_, offset := time.UnixMilli(int64(*t)).In(at).Zone()
	*t += T(offset) * 1000
}

// zoneName is the zone that times of an event are shown in.
func zoneName(e streamsql.TraceEvent) string {
	if e.Location == nil {
		return "UTC"
	}
	return e.Location.String()
}
