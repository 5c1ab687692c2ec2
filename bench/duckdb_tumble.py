"""The benchmark's job in DuckDB: duckdb_tumble.py DATA THREADS TARGET prints the seconds of the query."""
import sys
import time

import duckdb

data, threads, target = sys.argv[1:4]
db = duckdb.connect()
db.execute(f"SET threads={int(threads)}")
columns = "{'ts':'TIMESTAMP','user_id':'BIGINT','item':'VARCHAR','price':'DOUBLE','qty':'BIGINT'}"
sql = f"""COPY (SELECT time_bucket(INTERVAL 10 seconds, ts) AS w, item, count(*), sum(price)
FROM read_csv('{data}', header=true, auto_detect=false, columns={columns}) GROUP BY 1, 2) TO '{target}' (FORMAT csv)"""
start = time.perf_counter()
db.execute(sql)
print(time.perf_counter() - start)
