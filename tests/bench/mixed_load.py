#!/usr/bin/env python3
"""Ten minutes of everyday work: 90 % CHECK (hits, misses and near-duplicates), 10 % WRITE of new hashes, at half the rate
that the storage can do. Expects no error and a p99 below 2 ms. Shows the memory, which may grow only by the new hashes.

    tests/bench/mixed_load.py --binary build/release/milter/shingled [--seconds 600] [--hashes 200000]
"""

import argparse
import os
import pathlib
import sys
import tempfile
import threading

import generators
from generators import ROOT, load, pinned, resident_bytes

import harness

MIX = "hit=45,misssh=30,near=15,write=10"
P99_US_MAX = 2000
BYTES_A_HASH_MAX = 480


class Memory(threading.Thread):
    """Samples the memory of a process until it is told to stop."""

    def __init__(self, pid, every):
        super().__init__()
        self.pid, self.every = pid, every
        self.samples = [resident_bytes(pid)]
        self.stop = threading.Event()

    def run(self):
        while not self.stop.wait(self.every):
            self.samples.append(resident_bytes(self.pid))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=ROOT / "build/release/milter/shingled", type=pathlib.Path)
    parser.add_argument("--hashes", default=200_000, type=int, help="stored before it begins (default: %(default)s)")
    parser.add_argument("--seconds", default=600, type=float, help="(default: %(default)s)")
    parser.add_argument("--rate", type=float, help="requests a second instead of half the maximum")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shingled-mixed-") as name:
        folder = pathlib.Path(name)
        generators.build(folder)
        with pinned("server"):
            daemon = harness.Daemon(folder, binary=args.binary.resolve())
            daemon.start()
        try:
            sys.exit(run(folder, daemon, args))
        finally:
            daemon.stop()
            print("".join(line + "\n" for line in daemon.log().splitlines() if "fuzzy_" in line), end="")


def run(folder, daemon, args):
    port, pid = daemon.fuzzy_port, daemon.process.pid
    load(folder, port, "--mode", "load", "--n", args.hashes, "--sockets", 4, "--window", 64, "--limit", 3600)
    rate = args.rate
    if rate is None:
        most = load(folder, port, "--n", args.hashes, "--mix", MIX, "--time", 10, "--sockets", 8, "--window", 32)["qps"]
        print(f"maximum {most:,.0f}/s in a closed loop of 256 requests")
        rate = most / 2
    memory = Memory(pid, max(1.0, args.seconds / 20))
    before = os.getloadavg()
    memory.start()
    result = load(folder, port, "--n", args.hashes, "--mix", MIX, "--time", args.seconds, "--rate", rate,
                  "--sockets", 8, "--window", 512)
    memory.stop.set()
    memory.join()
    added = result["replies"] // 10
    bad = sum(result[key] for key in ("wrong", "wrongdigest", "absent", "refused", "short", "lost"))
    growth = memory.samples[-1] - memory.samples[0]
    print(f"{args.seconds:.0f} s at {rate:,.0f}/s: {result['replies']:,} answers, {bad} wrong, refused or lost; "
          f"p50 {result['p50']:.0f} µs, p99 {result['p99']:.0f} µs, longest {result['max'] / 1000:.1f} ms")
    print(f"memory, MB: {' '.join(str(sample >> 20) for sample in memory.samples)}; "
          f"{growth / max(1, added):.0f} bytes a new hash ({added:,})")
    print(f"load average before {before[0]:.1f}, after {os.getloadavg()[0]:.1f}")
    good = bad == 0 and result["p99"] < P99_US_MAX and growth <= BYTES_A_HASH_MAX * added
    print("as wanted" if good else "not as wanted")
    return 0 if good else 1


if __name__ == "__main__":
    main()
