#!/usr/bin/env python3
"""Messages per second from bytes to hashes on one core, compared with a real rspamd 3.4 that scans the same messages with
only fuzzy_check enabled: one worker, HTTP over kept connections; its rule asks our own storage. Prints a Markdown table.

    tests/bench/against_rspamd.py [--build build/release] [--passes 3]

Both take turns in one run. The figures are processor time, of our benchmark and of rspamd's worker, because other work on
the machine hardly changes it. Wall time is printed, too.
"""

import argparse
import concurrent.futures
import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import harness  # noqa: E402 (needs the path above)
import rspamd   # noqa: E402

CONNECTIONS = 4  # so that the worker is busy while a client or the storage works


def processor_seconds(pid):
    """User and system time of a process so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def worker_of(peer):
    """The process of rspamd that scans: the one that uses processor time when a message comes."""
    pid = peer.process.pid
    workers = [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    before = {worker: processor_seconds(worker) for worker in workers}
    message = next(CORPUS.glob("ham/*.eml")).read_bytes()
    for _ in range(50):
        peer.symbols(message)
    return max(workers, key=lambda worker: processor_seconds(worker) - before[worker])


def scan_share(port, messages):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for message in messages:
        connection.request("POST", "/checkv2", message, {"Connection": "keep-alive"})
        reply = connection.getresponse()
        body = reply.read()
        if reply.status != 200 or b'"symbols"' not in body:
            sys.exit(f"rspamd answered {reply.status}: {body[:200]}")
    connection.close()


def measure_peer(peer, worker, messages):
    """(processor seconds, wall seconds) of one pass over the messages."""
    used, began = processor_seconds(worker), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        shares = [messages[i::CONNECTIONS] for i in range(CONNECTIONS)]
        list(pool.map(lambda share: scan_share(peer.scan_port, share), shares))
    return processor_seconds(worker) - used, time.monotonic() - began


def measure_ours(build, messages):
    done = subprocess.run([build / "tests/bench/bench_mime", "--benchmark_filter=BM_AnalyzeAndHash",
                           "--benchmark_format=json", "--benchmark_time_unit=ms"],
                          capture_output=True, text=True, check=True)
    run = json.loads(done.stdout)["benchmarks"][0]
    return run["cpu_time"] / 1000, run["real_time"] / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build/release", type=pathlib.Path)
    parser.add_argument("--passes", default=3, type=int, help="over the corpus; the best of each side counts")
    args = parser.parse_args()
    build = args.build.resolve()
    if rspamd.missing() or not CORPUS.is_dir():
        sys.exit(rspamd.missing() or f"{CORPUS} is not here")
    messages = [path.read_bytes() for path in sorted(CORPUS.rglob("*.eml"))]
    with tempfile.TemporaryDirectory(prefix="shingled-bench-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        with harness.Daemon(folder, binary=build / "milter/shingled") as daemon, \
                rspamd.Rspamd(folder, servers=f"127.0.0.1:{daemon.fuzzy_port}") as peer:
            worker = worker_of(peer)
            measure_peer(peer, worker, messages)  # warm-up
            ours, theirs = [], []
            for _ in range(args.passes):
                ours.append(measure_ours(build, messages))
                theirs.append(measure_peer(peer, worker, messages))
    report(messages, ours, theirs)


def report(messages, ours, theirs):
    megabytes = sum(map(len, messages)) / 1e6
    count = len(messages)
    print(f"{count} messages, {megabytes:.1f} MB; best of {len(ours)} passes each\n")
    print("| on one core | messages/s | MB/s | µs a message | messages/s by the wall clock |")
    print("|---|---:|---:|---:|---:|")
    rates = []
    for name, runs in (("shingled, bytes to hashes", ours), ("rspamd 3.4, fuzzy_check only", theirs)):
        used, wall = min(run[0] for run in runs), min(run[1] for run in runs)
        rates.append(count / used)
        print(f"| {name} | {count / used:,.0f} | {megabytes / used:.1f} | {used / count * 1e6:,.0f} | {count / wall:,.0f} |")
    each = sorted(theirs_run[0] / ours_run[0] for ours_run, theirs_run in zip(ours, theirs))
    print(f"\nratio: {rates[0] / rates[1]:.1f} (pass by pass {', '.join(f'{ratio:.1f}' for ratio in each)})")


if __name__ == "__main__":
    main()
