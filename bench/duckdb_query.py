"""duckdb_query.py THREADS TARGET < SQL: runs a statement and a query, writes the query's rows to TARGET as CSV, and prints
the seconds of the query, its CPU seconds and its rows."""
import sys
import time

import duckdb

threads, target = sys.argv[1:3]
setup, query = sys.stdin.read().split(";", 1)
db = duckdb.connect()
db.execute(f"SET threads={int(threads)}")
db.execute(setup)
start, cpu = time.perf_counter(), time.process_time()
rows = db.execute(f"COPY ({query}) TO '{target}' (FORMAT csv, HEADER)").fetchone()[0]
print(time.perf_counter() - start, time.process_time() - cpu, rows)
