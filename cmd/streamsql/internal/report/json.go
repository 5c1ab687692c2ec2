package report

import (
	"encoding/json"
	"errors"
	"time"

	"streamsql"
)

type jsonReport struct {
	Query     string         `json:"query"`
	ElapsedMS float64        `json:"elapsed_ms"`
	RowsOut   int64          `json:"rows_out"`
	Late      int64          `json:"late"`
	Bad       int64          `json:"bad"`
	Error     *jsonError     `json:"error"`
	Sources   []jsonSource   `json:"sources"`
	Operators []jsonOperator `json:"operators"`
}

type jsonError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type jsonSource struct {
	Table        string  `json:"table"`
	Read         int64   `json:"read"`
	Delivered    int64   `json:"delivered"`
	Bad          int64   `json:"bad"`
	Unread       int64   `json:"unread"`
	BadFields    int64   `json:"bad_fields"`
	Late         int64   `json:"late"`
	Bytes        int64   `json:"bytes"`
	Watermark    *string `json:"watermark"`
	MaxEventTime *string `json:"max_event_time"`
	LagMS        int64   `json:"lag_ms"`
	Ended        bool    `json:"ended"`
	Idle         bool    `json:"idle"`
	Keep99MS     int64   `json:"keep_99_ms"`
	KeepAllMS    int64   `json:"keep_all_ms"`
}

type jsonOperator struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	In         int64  `json:"in"`
	Used       int64  `json:"used"`
	Late       int64  `json:"late"`
	Filtered   int64  `json:"filtered"`
	Out        int64  `json:"out"`
	StateRows  int64  `json:"state_rows"`
	StateBytes int64  `json:"state_bytes"`

	Watermark  *string `json:"watermark"`
	NextWindow *string `json:"next_window"`
	Windows    int64   `json:"windows"`
	Waiting    int64   `json:"waiting"`
}

// nextWindow is the end of the window that closes next, null if none waits.
func nextWindow(o streamsql.OperatorStats) *string {
	if !waits(o) {
		return nil
	}
	return isoTime(o.NextTimer+1, o.Location)
}

// JSON appends the report as one JSON object on a line. A watermark that is not
// known yet, or that has passed all time because the input ended, is null.
func (r Report) JSON(dst []byte) []byte {
	j := jsonReport{
		Query:     r.SQL,
		ElapsedMS: float64(r.Elapsed.Round(time.Microsecond)) / float64(time.Millisecond),
		RowsOut:   r.Stats.RowsOut, Late: Late(r.Stats), Bad: BadRows(r.Stats),
		Sources: []jsonSource{}, Operators: []jsonOperator{},
	}
	if r.Err != nil {
		j.Error = &jsonError{Message: r.Err.Error()}
		var e *streamsql.Error
		if errors.As(r.Err, &e) {
			j.Error.Code = string(e.Code)
			if e.Code == streamsql.CodeCanceled {
				j.Error.Message = e.Msg // the cause says the same in the words of the language
			}
		}
	}
	for _, s := range r.Stats.Sources {
		j.Sources = append(j.Sources, jsonSource{
			Table: s.Table, Read: s.Read, Delivered: s.Delivered, Bad: s.Bad, BadFields: s.BadFields, Unread: s.Unread, Late: s.Late,
			Bytes: s.Bytes, Ended: s.Ended, Idle: s.Idle, Keep99MS: s.Keep99, KeepAllMS: s.KeepAll,
			Watermark: isoTime(s.Watermark, s.Location), MaxEventTime: isoTime(s.MaxEventTime, s.Location), LagMS: s.Lag(),
		})
	}
	for _, o := range r.Stats.Operators {
		j.Operators = append(j.Operators, jsonOperator{
			ID: o.ID, Name: o.Name, In: o.In, Used: o.Used, Late: o.Late, Filtered: o.Filtered, Out: o.Out,
			StateRows: o.StateRows, StateBytes: o.StateBytes,
			Watermark: isoTime(o.Watermark, o.Location), NextWindow: nextWindow(o), Windows: o.Windows, Waiting: o.OpenRows,
		})
	}
	text, err := json.Marshal(j)
	if err != nil { // only numbers, texts and booleans: cannot fail
		panic(err)
	}
	return append(append(dst, text...), '\n')
}
