package flags

// Help is what --help prints: one screen.
const Help = `usage: streamsql [-c SQL | -f FILE | FILE.sql]...  run SQL, print the rows, exit
       COMMAND | streamsql -c SQL                  the pipe is table stdin
       COMMAND | streamsql -i                      the same, with a prompt
       streamsql                                   a prompt (.help there)

Flink SQL over files and pipes: event time, watermarks, windows, late rows.
A table is made by CREATE TABLE, or is a file: FROM 'orders.csv', FROM stdin.

input
  -c, --command SQL       run SQL; may be repeated, like -f, in the order given
  -f, --file FILE         run a script ("-": read it from standard input)
  -i, --interactive       prompt after -c and -f; standard input stays data
  -t, --table NAME=PATH[,KEY=VALUE...]  name a file; keys are those of WITH
      --header yes|no|auto|a,b,c        first line of files without CREATE TABLE
      --event-time [TABLE.]COLUMN       their event time, and how far the
      --delay DURATION                  watermark stays behind it (5s, 1m30s)
output
      --format NAME       table (default on a terminal), csv (the default in
                          a pipe), json, ndjson, changelog, transcript
      --changes           column op in front: each change (+I -U +U -D) as it
                          comes, instead of the final rows
      --limit N           stop each query after N rows
      --stats[=json]      report on rows, event time, late and bad rows (stderr)
      --trace             what each row does: watermark, windows, fate (stderr);
      --trace=svg FILE    a picture of it: event time against order of arrival
  -q, --quiet             no report, no notes; errors only
run
      --keep-going        go on after a failed statement
      --flush-on-stop     Ctrl-C ends the input, so open windows close
      --batch-size N, --read-buffer BYTES, --workers N   never change an answer
      --help, --version

exit status: 0 done; 1 failed while running; 2 options or SQL refused;
             130 stopped by Ctrl-C; 143 by SIGTERM
example: streamsql --event-time ts -c "SELECT item, COUNT(*) FROM 'orders.csv'
                              GROUP BY item, TUMBLE(ts, INTERVAL '1' HOUR)"
`
