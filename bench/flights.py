"""flights.py OUT.csv: writes flights in the order in which they were reported (scheduled time + delay) and prints how many
and where they are from.

All three million US domestic flights of the first half of 2001, from the npm package vega-datasets (BSD-3-Clause; public
figures of the US Bureau of Transportation Statistics), where npm can get it; else the one day of testdata/flights.csv, 177 times
over, each time a day later.
"""
import glob
import os
import subprocess
import sys
import tarfile
import tempfile

import duckdb

PACKAGE, MEMBER = "vega-datasets@3.2.1", "package/data/flights-3m.parquet"
COLUMNS = "scheduled, origin, destination, distance, delay, reported"


def download(folder):
    try:
        subprocess.run(["npm", "pack", PACKAGE], cwd=folder, check=True, capture_output=True, timeout=300)
        with tarfile.open(glob.glob(os.path.join(folder, "*.tgz"))[0]) as tar:
            tar.extract(MEMBER, folder, filter="data")
        return os.path.join(folder, MEMBER)
    except (OSError, IndexError, KeyError, subprocess.SubprocessError) as err:
        print(f"flights: {PACKAGE} cannot be had ({err}); a day is repeated instead", file=sys.stderr)
        return None


def main():
    with tempfile.TemporaryDirectory() as folder:
        parquet = download(folder)
        if parquet:
            origin = PACKAGE
            rows = f"""SELECT date AS scheduled, origin, destination, distance, delay, date + to_minutes(delay::BIGINT) AS reported
                FROM read_parquet('{parquet}')"""
        else:
            origin = "testdata/flights.csv,repeated"
            rows = f"""SELECT * REPLACE (scheduled + to_days(d::INTEGER) AS scheduled, reported + to_days(d::INTEGER) AS reported)
                FROM (SELECT {COLUMNS} FROM read_csv('testdata/flights.csv')), range(177) r(d)"""
        out = f"""SELECT strftime(scheduled, '%Y-%m-%d %H:%M:%S') AS scheduled, origin, destination, distance, delay,
            strftime(reported, '%Y-%m-%d %H:%M:%S') AS reported FROM ({rows}) ORDER BY reported, scheduled, origin, destination, distance"""
        n = duckdb.execute(f"COPY ({out}) TO '{sys.argv[1]}' (FORMAT csv, HEADER)").fetchone()[0]
    print(n, origin)


main()
