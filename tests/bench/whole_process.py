#!/usr/bin/env python3
"""Measures the whole program and its peers in one run: UDP requests per second compared with rspamd's fuzzy storage and a bare
echo server, messages per second through the milter, memory. Prints Markdown tables.

    tests/bench/whole_process.py --binary build/release/milter/shingled [--hashes 200000] [--rounds 5]

Servers share one processor; the generator has another one. Each round measures every server in turn, and the table has the
medians of the rounds. Quote ratios, of rates and of processor time per answer; the latter hold even if other programs use
the machine. The load generators come from ../shared/tools and from this folder (sealed_load).
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import generators
from generators import ROOT, SHARED, cpu_ns, load, pinned, resident_bytes

import harness  # of tests/e2e, which generators.py adds to the path
import rspamd

MIXES = {
    "direct hit, 76 bytes": "hit=1",
    "direct hit, with shingles": "hitsh=1",
    "miss, 76 bytes": "miss=1",
    "miss, with shingles": "misssh=1",
    "near-duplicate, 24 of 32 slots": "near=1",
    "mixed owners, 24 and 8 slots": "nearmix=1",
}
# Without a warm-up: processor time is measured over the whole run, so all requests must count.
CLOSED_LOOP = ("--sockets", 4, "--window", 32, "--warmup", 0)
# Writes are not compared: rspamd answers before it has stored anything.
SEALED = "direct hit, encrypted"


class Server:
    """A server that answers on a port."""

    def __init__(self, name, port, pid, hashes, nocheck=False):
        self.name, self.port, self.pid, self.hashes = name, port, pid, hashes
        self.check = ("--nocheck",) if nocheck else ()
        self.runs = {}  # label -> list of figures

    def measure(self, folder, label, mix, seconds):
        before = cpu_ns(self.pid)
        run = load(folder, self.port, *self.check, "--n", self.hashes, "--mix", mix, "--time", seconds, *CLOSED_LOOP)
        self.note(label, run, cpu_ns(self.pid) - before,
                  run["wrong"] + run["wrongdigest"] + run["absent"] + run["lost"])

    def note(self, label, run, used_ns, wrong):
        self.runs.setdefault(label, []).append(
            {"qps": run["qps"], "p99": run["p99"], "wrong": wrong, "cpu": used_ns / max(1, run["replies"])})

    def median(self, label, what):
        return statistics.median(run[what] for run in self.runs[label])

    def wrong(self, label):
        return sum(run["wrong"] for run in self.runs[label])


def ratio(ours, theirs, label, what, reverse=False, their_label=None):
    """The median of the ratios of the rounds."""
    pairs = zip(ours.runs[label], theirs.runs[their_label or label])
    values = [b[what] / a[what] if reverse else a[what] / b[what] for a, b in pairs if a[what] and b[what]]
    return statistics.median(values) if values else float("nan")


def fill(folder, server):
    filled = load(folder, server.port, "--mode", "load", "--n", server.hashes, "--sockets", 4, "--window", 16,
                  "--waitvis", "--waitmax", 3600, "--limit", 3600)
    return server.hashes / filled["elapsed"]


def keypair(binary):
    words = harness.run("keypair", binary=binary).stdout.split("# shingled.yaml")[1].split()
    return words[words.index("pubkey:") + 1], words[words.index("privkey:") + 1]


def measure_sealed(args, server, public):
    command = [args.sealed_load, "--port", server.port, "--key", public, "--hashes", 20_000]
    if SEALED not in server.runs:
        generators.answer([*command, "--seconds", 0])
    before = cpu_ns(server.pid)
    run = generators.answer([*command, "--written", "--seconds", args.seconds])
    server.note(SEALED, run, cpu_ns(server.pid) - before, run["wrong"] + run["lost"])


def measure_writes(folder, args, server):
    """Adds acknowledged after their commit, with 64 clients and with one."""
    rows = []
    for label, sockets, window in (("64 clients", 64, 1), ("one client", 1, 1)):
        before = cpu_ns(server.pid)
        run = load(folder, server.port, "--mix", "write=1", "--time", args.seconds, "--sockets", sockets,
                   "--window", window, "--warmup", 0)
        cpu = (cpu_ns(server.pid) - before) / max(1, run["replies"]) / 1000
        rows.append(f"| {label} | {run['qps']:,.0f} | {run['p50'] / 1000:.1f} | {run['p99'] / 1000:.1f} | {cpu:.0f} |")
    return rows


def measure_mail(folder, daemon, args):
    done = subprocess.run([folder / "milterload", "--socket", f"127.0.0.1:{daemon.milter_port}", "--conns", "8",
                           "--seconds", str(args.seconds), SHARED / "corpus"], capture_output=True, text=True, check=False)
    return "milter, 8 connections over ../shared/corpus:\n\n" + "".join(f"    {line}\n" for line in done.stdout.splitlines())


def print_table(echo, ours, peer):
    print("| requests | shingled /s | p99 µs | CPU ns | of echo: rate | CPU | rspamd 3.4 /s | CPU ns | times rspamd: rate | "
          "CPU | wrong or lost |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for label in ours.runs:
        echo_label = label if label in echo.runs else "direct hit, 76 bytes"
        cells = [label, f"{ours.median(label, 'qps'):,.0f}", f"{ours.median(label, 'p99'):,.0f}",
                 f"{ours.median(label, 'cpu'):,.0f}",
                 f"{ratio(ours, echo, label, 'qps', their_label=echo_label):.0%}",
                 f"{ratio(ours, echo, label, 'cpu', reverse=True, their_label=echo_label):.0%}"]
        if peer and label in peer.runs:
            cells += [f"{peer.median(label, 'qps'):,.0f}", f"{peer.median(label, 'cpu'):,.0f}",
                      f"{ratio(ours, peer, label, 'qps'):.1f}", f"{ratio(ours, peer, label, 'cpu', reverse=True):.1f}"]
        else:
            cells += ["–"] * 4
        print("| " + " | ".join([*cells, str(ours.wrong(label))]) + " |")


def report(folder, args):
    public, private = keypair(args.binary)
    key_option = f"storage.keypair=[{{pubkey: {public}, privkey: {private}}}]"
    echo_port = harness.free_port()
    with pinned("server"):
        bare = subprocess.Popen([folder / "udpecho", str(echo_port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    daemon = harness.Daemon(folder, overrides=[key_option], binary=args.binary)
    theirs = None if args.no_rspamd or rspamd.missing() else rspamd.Rspamd(folder)
    try:
        with pinned("server"):
            daemon.start()
        if theirs:
            theirs.__enter__()
            for pid in generators.children(theirs.process.pid):
                generators.pin(pid, "server")
        echo = Server("echo", echo_port, bare.pid, args.hashes, nocheck=True)
        ours = Server("shingled", daemon.fuzzy_port, daemon.process.pid, args.hashes)
        rate = fill(folder, ours)
        peer = None
        if theirs:
            peer = Server("rspamd", theirs.fuzzy_port, 0, min(args.hashes, args.rspamd_hashes))
            fill(folder, peer)
            peer.pid = max(generators.children(theirs.process.pid), key=cpu_ns)  # the worker that has just worked
        for _ in range(args.rounds):
            for label, mix in MIXES.items():
                for server in filter(None, (echo, ours, peer)):
                    server.measure(folder, label, mix, args.seconds)
            if args.sealed_load.exists():
                measure_sealed(args, ours, public)
        print(f"Load average {os.getloadavg()[0]:.1f}; {args.hashes:,} hashes with shingles in shingled"
              + (f", {peer.hashes:,} in rspamd" if peer else "") + f"; medians of {args.rounds} rounds of {args.seconds} s.")
        print(f"Bare echo: {echo.median('direct hit, 76 bytes', 'qps'):,.0f}/s for 76 bytes "
              f"({echo.median('direct hit, 76 bytes', 'cpu'):,.0f} ns), "
              f"{echo.median('miss, with shingles', 'qps'):,.0f}/s for 332 ({echo.median('miss, with shingles', 'cpu'):,.0f} ns).\n")
        print_table(echo, ours, peer)
        print(f"\nFilled with {rate:,.0f} adds a second, {resident_bytes(ours.pid) / ours.hashes:.0f} bytes of memory a hash"
              + (f" (rspamd's worker: {resident_bytes(peer.pid) / peer.hashes:.0f})" if peer else "") + ".\n")
        print("| adds, acknowledged after commit | /s | p50 ms | p99 ms | CPU µs |\n|---|---:|---:|---:|---:|")
        print("\n".join(measure_writes(folder, args, ours)))
        if not args.no_mail:
            print("\n" + measure_mail(folder, daemon, args))
    finally:
        if theirs and theirs.process:
            theirs.__exit__()
        daemon.stop()
        bare.terminate()
        bare.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=ROOT / "build/release/milter/shingled", type=pathlib.Path)
    parser.add_argument("--sealed-load", default=ROOT / "build/release/tests/bench/sealed_load", type=pathlib.Path)
    parser.add_argument("--hashes", default=200_000, type=int, help="stored hashes (default: %(default)s)")
    parser.add_argument("--rspamd-hashes", default=20_000, type=int,
                        help="the most hashes in rspamd, whose SQLite storage learns about a thousand per second (default: %(default)s)")
    parser.add_argument("--rounds", default=5, type=int, help="alternations (default: %(default)s)")
    parser.add_argument("--seconds", default=2, type=float, help="for each measurement (default: %(default)s)")
    parser.add_argument("--no-rspamd", action="store_true", help="leave the peer out")
    parser.add_argument("--no-mail", action="store_true", help="leave the milter out")
    args = parser.parse_args()
    args.binary = args.binary.resolve()
    if len(generators.PROCESSORS) < 2:
        sys.exit("server and generator need a processor each")
    with tempfile.TemporaryDirectory(prefix="shingled-bench-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        generators.build(folder)
        report(folder, args)


if __name__ == "__main__":
    main()
