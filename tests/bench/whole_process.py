#!/usr/bin/env python3
"""Measures the whole program against its peers in one run: UDP checks a second beside rspamd's fuzzy storage and a bare
echo server, messages a second through the milter, memory. Prints a Markdown table.

    tests/bench/whole_process.py --binary build/release/milter/shingled [--hashes 20000] [--seconds 5] [--no-rspamd]

The load generators come from ../shared/tools. Quote the ratios: they were taken side by side; absolute figures are as
noisy as the machine.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import harness  # noqa: E402 (needs the path above)
import rspamd   # noqa: E402

MIXES = {
    "direct hit, 76 bytes": "hit=1",
    "direct hit, with shingles": "hitsh=1",
    "miss, 76 bytes": "miss=1",
    "miss, with shingles": "misssh=1",
    "near-duplicate, 24 of 32 slots": "near=1",
    "mixed owners, 24 and 8 slots": "nearmix=1",
}


def build_tools(folder):
    for name, compiler, *flags in (("fuzzyload", "g++", "-std=c++17"), ("milterload", "g++", "-std=c++20"),
                                   ("udpecho", "cc")):
        source = next((SHARED / "tools").glob(name + ".c*"))
        subprocess.run([compiler, "-O2", "-pthread", *flags, "-o", folder / name, source], check=True)


def load(folder, port, *arguments):
    done = subprocess.run([folder / "fuzzyload", "--port", str(port), "--json", *map(str, arguments)],
                          capture_output=True, text=True, check=False)
    lines = done.stdout.strip().splitlines()
    if not lines or not lines[-1].startswith("{"):
        sys.exit(f"fuzzyload failed: {done.stdout}{done.stderr}")
    return json.loads(lines[-1])


def measure(folder, port, args):
    """Fills a storage, then runs each mix; label -> figures."""
    filled = load(folder, port, "--mode", "load", "--n", args.hashes, "--waitvis", "--limit", 600)
    rates = {"adds acknowledged": {"qps": args.hashes / filled["elapsed"], "p99": filled.get("p99", 0), "wrong": 0}}
    for label, mix in MIXES.items():
        run = load(folder, port, "--n", args.hashes, "--mix", mix, "--time", args.seconds, "--sockets", 4,
                   "--window", 32)
        run["wrong"] = run["wrong"] + run["wrongdigest"] + run["absent"] + run["lost"]
        rates[label] = run
    return rates


def resident_mb(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def children(pid):
    return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=ROOT / "build/release/milter/shingled", type=pathlib.Path)
    parser.add_argument("--hashes", default=20_000, type=int, help="stored hashes (default: %(default)s; rspamd's SQLite storage takes about a thousand a second)")
    parser.add_argument("--seconds", default=5, type=float, help="for each measurement (default: %(default)s)")
    parser.add_argument("--no-rspamd", action="store_true", help="leave the peer out")
    parser.add_argument("--no-mail", action="store_true", help="leave the milter out")
    args = parser.parse_args()
    if not SHARED.is_dir():
        sys.exit(f"{SHARED} is not here: the load generators are in it")
    with tempfile.TemporaryDirectory(prefix="shingled-bench-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        build_tools(folder)
        report(folder, args)


def report(folder, args):
    port = harness.free_port()
    echo = subprocess.Popen([folder / "udpecho", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    limit = load(folder, port, "--nocheck", "--time", args.seconds, "--sockets", 4, "--window", 32)
    echo.terminate()
    echo.wait()

    with harness.Daemon(folder, binary=args.binary.resolve()) as daemon:
        ours = measure(folder, daemon.fuzzy_port, args)
        memory = resident_mb(daemon.process.pid)
        mail = "" if args.no_mail else measure_mail(folder, daemon, args)
    theirs, their_memory = {}, 0.0
    if not args.no_rspamd and rspamd.missing() is None:
        with rspamd.Rspamd(folder) as peer:
            theirs = measure(folder, peer.fuzzy_port, args)
            their_memory = max(resident_mb(pid) for pid in children(peer.process.pid))

    print(f"bare UDP echo, one thread: {limit['qps']:,.0f}/s\n")
    print(f"{args.hashes:,} hashes stored\n")
    print("| requests | shingled /s | p99 µs | wrong or lost | rspamd 3.4 /s | p99 µs | wrong or lost | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for label, run in ours.items():
        peer = theirs.get(label)
        peer_cells = "– | – | – | –"
        if peer:
            ratio = f"{run['qps'] / peer['qps']:.1f}" if peer["qps"] else "no answers"
            peer_cells = f"{peer['qps']:,.0f} | {peer['p99']:.0f} | {peer['wrong']} | {ratio}"
        print(f"| {label} | {run['qps']:,.0f} | {run['p99']:.0f} | {run['wrong']} | {peer_cells} |")
    print(f"\nresident memory: shingled {memory:.0f} MB, rspamd's fuzzy worker {their_memory:.0f} MB\n")
    print(mail)


def measure_mail(folder, daemon, args):
    done = subprocess.run([folder / "milterload", "--socket", f"127.0.0.1:{daemon.milter_port}", "--conns", "8",
                           "--seconds", str(args.seconds), SHARED / "corpus"], capture_output=True, text=True, check=False)
    return "milter, 8 connections over ../shared/corpus:\n\n" + "".join(f"    {line}\n" for line in done.stdout.splitlines())


if __name__ == "__main__":
    main()
