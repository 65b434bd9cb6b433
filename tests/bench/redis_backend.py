#!/usr/bin/env python3
"""Checks and adds per second with the hashes in Redis: shingled and rspamd 3.4's fuzzy worker in one run, each with its own
redis-server, which keeps everything in memory. Prints a Markdown table.

    tests/bench/redis_backend.py --binary build/release/milter/shingled [--hashes 20000] [--rounds 5]

A server and its Redis share one processor; the generator has another one. Each round measures both in turn. The table has
the medians of the rounds, and the medians of the ratios of the rounds. Processor time is that of the server and its Redis
together, per answer. Neither server answers from its own cache (storage.redis.cache_seconds is 0 by default).
"""

import argparse
import os
import pathlib
import shutil
import sys
import tempfile

import generators
from generators import ROOT, cpu_ns, load, pinned
from whole_process import Server, ratio

import harness  # of tests/e2e, which generators.py adds to the path
import rspamd
from test_redis import Redis

MIXES = {
    "direct hit, 76 bytes": "hit=1",
    "direct hit, with shingles": "hitsh=1",
    "miss, 76 bytes": "miss=1",
    "miss, with shingles": "misssh=1",
    "near-duplicate, 24 of 32 slots": "near=1",
}
ADDS = "adds, acknowledged"
LOADS = {"64 in flight": (4, 16), "1 in flight": (1, 1)}  # sockets, window


class Backed(Server):
    """A server with its Redis; both are measured."""

    def __init__(self, name, port, pids, hashes):
        super().__init__(name, port, 0, hashes)
        self.pids = pids

    def cpu(self):
        return sum(map(cpu_ns, self.pids))

    def measure_with(self, folder, label, mix, seconds, sockets, window):
        before = self.cpu()
        run = load(folder, self.port, "--n", self.hashes, "--mix", mix, "--time", seconds, "--warmup", 0,
                   "--sockets", sockets, "--window", window)
        self.note(label, run, self.cpu() - before, run["wrong"] + run["wrongdigest"] + run["absent"] + run["lost"])


def print_table(ours, peer):
    print("| requests | shingled /s | p99 µs | CPU µs | rspamd 3.4 /s | p99 µs | CPU µs | times rspamd: rate | CPU | "
          "wrong or lost, ours and rspamd's |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for label in ours.runs:
        cells = [label]
        for server in (ours, peer):
            cells += [f"{server.median(label, 'qps'):,.0f}", f"{server.median(label, 'p99'):,.0f}",
                      f"{server.median(label, 'cpu') / 1000:,.1f}"]
        cells += [f"{ratio(ours, peer, label, 'qps'):.1f}", f"{ratio(ours, peer, label, 'cpu', reverse=True):.1f}",
                  f"{ours.wrong(label)}, {peer.wrong(label)}"]
        print("| " + " | ".join(cells) + " |")


def report(folder, args):
    stores = [Redis(folder, keeps=()), Redis(folder, keeps=())]
    daemon = harness.Daemon(folder, binary=args.binary, overrides=[
        "storage.backend=redis", f"storage.redis.servers={stores[0].address}"])
    theirs = rspamd.Rspamd(folder, redis=stores[1].address)
    try:
        with pinned("server"):
            for store in stores:
                store.__enter__()
            daemon.start()
        theirs.__enter__()
        for pid in generators.children(theirs.process.pid):
            generators.pin(pid, "server")
        ours = Backed("shingled", daemon.fuzzy_port, [daemon.process.pid, stores[0].process.pid], args.hashes)
        peer = Backed("rspamd", theirs.fuzzy_port, [], args.hashes)
        for server in (ours, peer):
            # Does not wait until each hash can be found: rspamd may lose one on a busy machine, without an error.
            load(folder, server.port, "--mode", "load", "--n", server.hashes, "--sockets", 4, "--window", 16, "--limit", 300)
        # One record and 32 slots for each hash. If rspamd has lost some, they count as wrong below.
        harness.wait_until(lambda: int(stores[1].ask("DBSIZE")) > 32 * args.hashes, 120, "rspamd has stored them")
        worker = max(generators.children(theirs.process.pid), key=cpu_ns)  # the worker that has just worked
        peer.pids = [worker, stores[1].process.pid]
        for _ in range(args.rounds):
            for load_label, (sockets, window) in LOADS.items():
                for label, mix in MIXES.items():
                    for server in (ours, peer):
                        server.measure_with(folder, f"{label}; {load_label}", mix, args.seconds, sockets, window)
                for server in (ours, peer):
                    server.measure_with(folder, f"{ADDS}; {load_label}", "write=1", args.seconds, sockets, window)
        print(f"Load average {os.getloadavg()[0]:.1f}; {args.hashes:,} hashes with shingles in each Redis; medians of "
              f"{args.rounds} rounds of {args.seconds} s. rspamd acknowledges an add before it is stored.\n")
        print_table(ours, peer)
    finally:
        if theirs.process:
            theirs.__exit__()
        if daemon.process:
            daemon.stop()
        for store in stores:
            if store.process:
                store.__exit__()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=ROOT / "build/release/milter/shingled", type=pathlib.Path)
    parser.add_argument("--hashes", default=20_000, type=int, help="stored hashes (default: %(default)s)")
    parser.add_argument("--rounds", default=5, type=int, help="alternations (default: %(default)s)")
    parser.add_argument("--seconds", default=2, type=float, help="for each measurement (default: %(default)s)")
    args = parser.parse_args()
    args.binary = args.binary.resolve()
    if reason := rspamd.missing():
        sys.exit(reason)
    if not shutil.which("redis-server"):
        sys.exit("the package redis-server is not installed")
    if len(generators.PROCESSORS) < 2:
        sys.exit("server and generator need a processor each")
    with tempfile.TemporaryDirectory(prefix="shingled-bench-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        generators.build(folder)
        report(folder, args)


if __name__ == "__main__":
    main()
