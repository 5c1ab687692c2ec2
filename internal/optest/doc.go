// Package optest runs operator scripts: rows and watermarks in, rows and watermarks
// out, over physical plans built without SQL. Each script runs once message by
// message, where every input line has its own expected output, and then again with
// batches of several sizes and random cuts, both forms of marks, other hash seeds,
// and a snapshot restored into a fresh instance after every message. The memory of an
// input batch is overwritten as soon as the operators return, so one that keeps a
// reference gives wrong answers.
//
// # Scripts
//
// A script holds tests. Lines starting with # are comments.
//
//	test C3: exact end
//	source a: k STRING, ts TIMESTAMP(3)*
//	w = watermark a: ts, (- ts 2000ms)
//	root w
//	< a: k1 | 9999
//	> +I k1 | 9999
//	> W 7999
//	< end
//	> W end
//
// A source line lists columns; * marks the rowtime. Nodes are
//
//	NAME = watermark INPUT: TIMECOLUMN, EXPR
//	NAME = filter INPUT: EXPR
//	NAME = project INPUT: COLUMN=EXPR, ...
//	NAME = late INPUT: TIMECOLUMN, WINDOW
//	NAME = aggregate INPUT: TIMECOLUMN, WINDOW, keys K..., aggs COUNT(*) SUM(v)..., props start end time
//	NAME = tvf INPUT: TIMECOLUMN, WINDOW [, partition K...]
//	NAME = clock INPUT: TIMECOLUMN
//	NAME = union INPUT INPUT...
//	NAME = limit INPUT: COUNT [offset N]
//	NAME = rank INPUT: partition K..., order K [desc] [nullsfirst|nullslast], ..., rows FROM TO [number]
//	NAME = dedup INPUT: partition K..., first|last TIMECOLUMN
//	NAME = join LEFT RIGHT: inner|left|right|full|semi|anti, keys L R [nullsafe], ..., on EXPR
//	NAME = pairs LEFT RIGHT: inner|left|right|full|semi|anti, keys L R [nullsafe], ..., [retract,] [leftkey K..., rightkey K...,] [ttl MILLISECONDS,] on EXPR
//	NAME = near LEFT RIGHT: inner|left|right|full, keys L R [nullsafe], ..., times L R LOWER UPPER [MINCLEANUP], on EXPR
//	NAME = expand INPUT: keys K..., set K..., set K...
//	NAME = keep INPUT: partition K..., first|last [TIMECOLUMN]
//	NAME = topn INPUT: append|update K...|retract, [keepall,] [upsert,] partition K..., order K ..., ..., rows FROM TO|COLUMN [number]
//	NAME = timesort INPUT: TIMECOLUMN, order K ..., ...
//	NAME = unnest INPUT: COLUMN [outer] [ordinality], keep C..., [on EXPR]
//	NAME = made INPUT: COLUMN [outer], keep C..., [on EXPR] (i and text of STARS(COLUMN))
//	NAME = changes INPUT: COLUMN (c +I, b -U, a +U, d -D)
//	NAME = kinds INPUT (+I and +U new, -D gone)
//	NAME = group INPUT: [retract,] [atend,] [ttl MILLISECONDS,] keys K..., aggs CALL[/distinct][/FILTER COLUMN]...
//	NAME = sort INPUT: append|retract, order K ..., ...
//
// The operators rank, dedup and join find a row's window in its columns window_start and
// window_end. In the condition of a join the columns of the right side are r_NAME.
//
// A WINDOW is tumble SIZE, hop SLIDE SIZE, cumulate STEP SIZE, session GAP or attached
// (in columns ws and we), then, where it applies, [offset N] [lateness N] [latefire]
// [early DELAY] [late DELAY] [legacy] [processing].
//
// Expressions are in prefix form: (+ v 1), (= k 'a'), columns, numbers, texts,
// intervals as 2000ms, (watermark), (and a b), (cast BIGINT v).
//
// Input lines: "< SOURCE: VALUE | VALUE" is a row (a kind such as -U may stand in
// front, in brackets: "< a: [-U] k1 | 1"), "< SOURCE W 9999" a watermark of the source,
// "< clock 9999" puts the clock forward, "< end" is the end of all inputs. Expected lines: rows with their kind, "W TIME",
// "late VALUE | VALUE @ WATERMARK", "error TEXT" (the message contains TEXT), "enough".
// Times are milliseconds, NULL is NULL.
package optest
