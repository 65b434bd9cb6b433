#!/usr/bin/env python3
"""Measures a training on a large history: seconds, seconds of processor, memory.

    SHINGLED_BINARY=build/release/milter/shingled tests/bench/training_cost.py --history DIR [--rows N]

DIR is what model_trial.py --keep made. Its rows are copied until there are so many, evenly over two weeks, and then shingled-train
trains on them and publishes. More rows than 50 000 show what the bounded sample costs.
"""

import argparse
import json
import os
import pathlib
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRAINER = pathlib.Path(os.environ["SHINGLED_BINARY"]).with_name("shingled-train")
SPAN = 13 * 86_400_000_000  # microseconds


def make(source, target, rows):
    """A history with so many rows, which are those of `source` again and again."""
    bad = {row[0] for row in json.loads((source.parent / "messages.json").read_text()) if row[2] != "ham"}
    with sqlite3.connect(f"file:{source}?mode=ro", uri=True) as db, sqlite3.connect(target) as copy:
        db.backup(copy)
    with sqlite3.connect(target) as db:
        kept = db.execute("SELECT queue_id, 0, sender, action, label, details FROM messages ORDER BY time").fetchall()
        kept = [row[:4] + (1 if row[0] in bad else 0,) + row[5:] for row in kept]
        db.execute("DELETE FROM messages")
        begin = int(time.time() * 1e6) - SPAN
        db.executemany("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?)",
                       ((begin + i * SPAN // rows, f"{i}", *kept[i % len(kept)][1:]) for i in range(rows)))
    db.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--history", required=True, type=pathlib.Path)
    parser.add_argument("--rows", type=int, nargs="+", default=[50_000])
    args = parser.parse_args()
    print("| rows | seconds | of processor | largest memory | result |\n|---|---|---|---|---|")
    for rows in args.rows:
        with tempfile.TemporaryDirectory() as folder:
            history = pathlib.Path(folder) / "history.db"
            make(args.history / "history.db", history, rows)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            begun = time.monotonic()
            done = subprocess.run([TRAINER, "--config", ROOT / "packaging/shingled.yaml", "--history", history,
                                   "--out", pathlib.Path(folder) / "model.json"], capture_output=True, text=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            print(f"| {rows} | {time.monotonic() - begun:.1f} "
                  f"| {after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.1f} "
                  f"| {after.ru_maxrss / 1024:.0f} MiB | {(done.stdout + done.stderr).strip()} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
