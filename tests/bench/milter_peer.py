#!/usr/bin/env python3
"""Messages a second through the milter, compared with a real rspamd 3.4 as a milter: only fuzzy_check, two workers, its rule
asks our storage. Both get the corpus from the same generator over eight connections, in turns. Prints a Markdown table with
the peer's own word on what it did.

    tests/bench/milter_peer.py [--build build/release] [--rounds 3] [--connections 8] [--corpus DIR]
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import generators
from generators import ROOT, SHARED

import harness
import rspamd

ALL_RULES = [f"policy.files=[{ROOT}/packaging/policy.yaml]", "policy.live=[all]"]
WAYS = {
    "shingled, nothing switched on": ["counters.enabled=no", "history.enabled=no"],
    "shingled, as it is by default": [],
    "shingled, all rules live": ALL_RULES,
}
PEER = "rspamd 3.4, fuzzy_check only"
FIGURES = re.compile(r"messages (\d+) +rate (\d+)/s.*failures (\d+).*?end-of-message us +p50 (\d+) +p99 (\d+)", re.S)


def processor_seconds(pid):
    """Of a process and its children, also of those that have ended: a worker of the peer may be replaced."""
    used = 0
    for one in (pid, *generators.children(pid)):
        fields = pathlib.Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        used += sum(map(int, fields[11:15] if one == pid else fields[11:13]))
    return used / os.sysconf("SC_CLK_TCK")


class Side:
    """One milter: where it is, and its process."""

    def __init__(self, port, pid):
        self.port, self.pid, self.runs = port, pid, []

    def measure(self, generator, args):
        before = processor_seconds(self.pid)
        done = subprocess.run([generator, "--socket", f"127.0.0.1:{self.port}", "--conns", str(args.connections), "--rounds", "1",
                               args.corpus], capture_output=True, text=True, check=False)
        found = FIGURES.search(done.stdout)
        if not found:
            sys.exit(f"milterload failed: {done.stdout}{done.stderr}")
        messages, rate, failures, p50, p99 = map(int, found.groups())
        used = (processor_seconds(self.pid) - before) / messages * 1e6
        self.runs.append({"rate": rate, "failures": failures, "p50": p50, "p99": p99, "used": used})

    def median(self, what):
        return statistics.median(run[what] for run in self.runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build/release", type=pathlib.Path)
    parser.add_argument("--rounds", default=3, type=int, help="over the corpus, of each (default: %(default)s)")
    parser.add_argument("--connections", default=8, type=int, help="(default: %(default)s)")
    parser.add_argument("--corpus", default=SHARED / "corpus", type=pathlib.Path)
    args = parser.parse_args()
    if rspamd.missing():
        sys.exit(rspamd.missing())
    binary = args.build.resolve() / "milter/shingled"
    with tempfile.TemporaryDirectory(prefix="shingled-peer-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        generators.build(folder)
        daemons = {}
        try:
            for number, (way, overrides) in enumerate(WAYS.items()):
                (folder / str(number)).mkdir()
                daemons[way] = harness.Daemon(folder / str(number), overrides=overrides, binary=binary)
                daemons[way].start()
            storage = daemons["shingled, nothing switched on"].fuzzy_port
            with rspamd.Rspamd(folder, servers=f"127.0.0.1:{storage}", milter_workers=2) as peer:
                sides = {way: Side(daemon.milter_port, daemon.process.pid) for way, daemon in daemons.items()}
                sides[PEER] = Side(peer.milter_port, peer.process.pid)
                for _ in range(args.rounds + 1):
                    for side in sides.values():
                        side.measure(folder / "milterload", args)
                for side in sides.values():
                    del side.runs[0]  # warm-up
                report(sides, args, peer.log())
        finally:
            for daemon in daemons.values():
                daemon.stop()


def report(sides, args, log):
    print(f"Load average {os.getloadavg()[0]:.1f}; {args.connections} connections; medians of {args.rounds} rounds.\n")
    print("| milter | messages/s | p50 us | p99 us | processor us a message | times the peer | failures |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, side in sides.items():
        times = statistics.median(ours["rate"] / theirs["rate"] for ours, theirs in zip(side.runs, sides[PEER].runs))
        print(f"| {name} | {side.median('rate'):,.0f} | {side.median('p50'):,.0f} | {side.median('p99'):,.0f} | "
              f"{side.median('used'):,.0f} | {times:.1f} | {sum(run['failures'] for run in side.runs)} |")
    done = re.findall(r"rspamd_task_write_log: .*?\(default: \w \(([^)]*)\)", log)
    times = [float(word) for word in re.findall(r"time: ([\d.]+)ms", log)]
    print(f"\nThe peer's log: {len(times)} messages, {statistics.median(times):.1f} ms in the median, "
          f"{max(times):,.0f} ms at most; {len(set(done))} different verdicts." if times else "\nThe peer logged no message.")


if __name__ == "__main__":
    main()
