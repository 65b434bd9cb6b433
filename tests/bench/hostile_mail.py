#!/usr/bin/env python3
"""The cost of hostile mail for the whole program: each kind of tests/hostile in some sizes through `shingled hash`,
`shingled scan` and the milter of a running daemon. Prints Markdown tables: the ten slowest runs, the ten with most memory,
and every run that misses the goal of 200 ms of processor time per started megabyte and 64 MB of memory above idle plus
twice the message. The exit code is 1 if a run misses it.

    tests/bench/hostile_mail.py [--kinds 'html-*,nest-*'] [--sizes 512K,5M,50M] [--paths hash,scan,milter]
                                [--binary PATH] [--against OTHER] [--similar] [--json FILE]

Processor time is that of the process (user and system, all its threads) minus the time for an ordinary message. Memory is
the peak minus that of an ordinary message; for the daemon, minus its memory after the start. A run that takes more
processor time than --timeout is stopped and counts as missed. A message with a header field that a milter cannot receive
(64 KB and more) goes only through `hash` and `scan`.
"""

import argparse
import dataclasses
import fnmatch
import json
import os
import pathlib
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "e2e"), str(ROOT / "packaging")]

import harness  # noqa: E402
from milter_client import MilterClient  # noqa: E402

MEGABYTE = 1 << 20
GOAL_SECONDS = 0.2  # per started megabyte
GOAL_BYTES = 64 * MEGABYTE  # plus twice the message
FIELD_BYTES_MAX = 65_000  # of one header field: libmilter ends the connection at 65 535
KEPT_BYTES_MAX = 64 * MEGABYTE  # a daemon that keeps more is restarted, so that it does not count for the next kind
ORDINARY = ROOT / "packaging" / "samples" / "3-letter.eml"
PATHS = ("hash", "scan", "milter")


@dataclasses.dataclass
class Run:
    kind: str
    path: str
    program: str
    message_bytes: int
    seconds: float
    peak_bytes: int
    end: str = ""  # why the run failed; empty if it did not
    kept_bytes: int = 0  # by the daemon, after the message

    def allowed_seconds(self):
        return GOAL_SECONDS * (self.message_bytes // MEGABYTE + 1)

    def allowed_bytes(self):
        return GOAL_BYTES + 2 * self.message_bytes

    def missed(self):
        """The parts of the goal that the run misses, as text."""
        words = [self.end] if self.end else []
        if self.seconds > self.allowed_seconds():
            words.append(f"{self.seconds / self.allowed_seconds():.1f} x the time")
        if self.peak_bytes > self.allowed_bytes():
            words.append(f"{self.peak_bytes / self.allowed_bytes():.1f} x the memory")
        return ", ".join(words)


def parse_size(text):
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    return int(text[:-1]) * units[text[-1].upper()] if text[-1].upper() in units else int(text)


def cpu_seconds(pid):
    """Processor time of a process, including threads that have ended: its clock of clock_getcpuclockid(3)."""
    return time.clock_gettime((~pid << 3) | 2)


def status_bytes(pid, name):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    return 0


class Watch:
    """Stops a process after a limit of processor time, or after ten times that limit of wall time."""

    EVERY = 0.1

    def __init__(self, pid, seconds, stop):
        self.pid, self.seconds, self.stop = pid, seconds, stop
        self.end = ""
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def __enter__(self):
        self.begin = cpu_seconds(self.pid)
        self.thread.start()
        return self

    def __exit__(self, *unused):
        self.over.set()
        self.thread.join()

    def watch(self):
        deadline = time.monotonic() + 10 * self.seconds
        while not self.over.wait(self.EVERY):
            try:
                used = cpu_seconds(self.pid) - self.begin
            except OSError:
                return  # it is gone
            if used > self.seconds or time.monotonic() > deadline:
                self.end = f"ended after {used:.1f} s"
                return self.stop()


class Program:
    """One measured build: its commands and its daemon."""

    def __init__(self, binary, folder, args):
        self.binary, self.args = pathlib.Path(binary).resolve(), args
        self.name = str(binary)
        self.folder = folder
        folder.mkdir()
        options = ["daemon.log_level=error"]
        if args.similar:
            options += ["similar.enabled=true", f"similar.file={folder}/similar.db", "similar.lists=[{name: bad}]"]
            harness.run("similar", "add", "--list", "bad", "-o", f"similar.file={folder}/similar.db",
                        ROOT / "tests" / "bench" / "README.md", binary=self.binary)
        self.daemon = harness.Daemon(folder, overrides=options, binary=self.binary)
        self.start_daemon()
        self.ordinary = {path: min((self.command(path, ORDINARY) for _ in range(3)), key=lambda run: run[0])
                         for path in ("hash", "scan")}

    def start_daemon(self):
        self.daemon.restart()
        resource.prlimit(self.daemon.process.pid, resource.RLIMIT_AS, (self.args.memory, self.args.memory))
        for _ in range(2):
            self.offer(ORDINARY.read_bytes())
        self.idle_bytes = status_bytes(self.daemon.process.pid, "VmRSS")

    def close(self):
        self.daemon.stop()

    def measure(self, kind, path, file):
        if path == "milter":
            return self.through_milter(kind, file)
        seconds, peak, end = self.command(path, file)
        return Run(kind, path, self.name, file.stat().st_size, max(0.0, seconds - self.ordinary[path][0]),
                   max(0, peak - self.ordinary[path][1]), end)

    def command(self, path, file):
        """Processor seconds, peak of memory, and the result of the run."""
        process = subprocess.Popen([self.binary, path, *self.daemon.overrides, file], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=self.limit)
        with Watch(process.pid, self.args.timeout, process.kill) as watch:
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        end = watch.end
        if os.WIFSIGNALED(status) and not end:
            end = signal.Signals(os.WTERMSIG(status)).name
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, end

    def limit(self):
        resource.setrlimit(resource.RLIMIT_AS, (self.args.memory, self.args.memory))

    def offer(self, message):
        client = MilterClient(f"127.0.0.1:{self.daemon.milter_port}")
        client.socket.settimeout(None)
        with Watch(self.daemon.process.pid, self.args.timeout,
                   lambda: client.socket.shutdown(socket.SHUT_RDWR)) as watch, client.socket:
            try:
                client.send(message)
            except OSError as failure:
                return watch.end or f"the milter hung up ({type(failure).__name__})"
        return watch.end

    def through_milter(self, kind, file):
        message = file.read_bytes()
        pid = self.daemon.process.pid
        pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")  # resets the peak
        before = cpu_seconds(pid)
        end = self.offer(message)
        if self.daemon.process.poll() is not None:
            run = Run(kind, "milter", self.name, len(message), 0, 0, "the daemon is gone")
            self.start_daemon()
            return run
        seconds, peak = cpu_seconds(pid) - before, status_bytes(pid, "VmHWM")
        kept = status_bytes(pid, "VmRSS") - self.idle_bytes
        run = Run(kind, "milter", self.name, len(message), seconds, max(0, peak - self.idle_bytes), end, max(0, kept))
        if end or kept > KEPT_BYTES_MAX:
            self.daemon.kill9()
            self.start_daemon()
        return run


def fits_a_milter(file):
    """Whether every header field is small enough for a milter."""
    head = file.read_bytes().replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    fields = head.replace(b"\n ", b"\0 ").replace(b"\n\t", b"\0\t").split(b"\n")
    return max(map(len, fields)) <= FIELD_BYTES_MAX


def table(title, runs):
    print(f"\n{title}\n\n| kind | through | MB | s | of the time | MB above idle | of the memory | |\n"
          "|---|---|---:|---:|---:|---:|---:|---|")
    for run in runs:
        print(f"| {run.kind} | {run.path} | {run.message_bytes / MEGABYTE:.1f} | {run.seconds:.2f} "
              f"| {run.seconds / run.allowed_seconds():.0%} | {run.peak_bytes / MEGABYTE:.0f} "
              f"| {run.peak_bytes / run.allowed_bytes():.0%} | {run.end} |")


def report(program, runs, count):
    print(f"\n## {program}: {len(runs)} runs")
    table(f"The {count} slowest", sorted(runs, key=lambda run: -run.seconds / run.allowed_seconds())[:count])
    table(f"The {count} largest", sorted(runs, key=lambda run: -run.peak_bytes / run.allowed_bytes())[:count])
    missed = [run for run in runs if run.missed()]
    kinds = {run.kind for run in missed}
    kept = max((run.kept_bytes for run in runs), default=0)
    print(f"\n{len(missed)} runs of {len(kinds)} kinds miss the goal; a daemon kept at most {kept / MEGABYTE:.0f} MB.\n")
    for run in sorted(missed, key=lambda run: (run.kind, run.path, run.message_bytes)):
        print(f"- {run.kind}, {run.path}, {run.message_bytes / MEGABYTE:.1f} MB: {run.seconds:.2f} s, "
              f"{run.peak_bytes / MEGABYTE:.0f} MB: {run.missed()}")
    return not missed


def compare(before, after):
    """The runs of two programs side by side, only those with the largest changes."""
    other = {(run.kind, run.path, run.message_bytes): run for run in before}
    pairs = [(other[key], run) for run in after if (key := (run.kind, run.path, run.message_bytes)) in other]
    pairs.sort(key=lambda pair: -max(pair[0].seconds, pair[1].seconds))
    print("\n## Side by side\n\n| kind | through | MB | s before | s now | MB before | MB now |\n|---|---|---:|---:|---:|---:|---:|")
    for old, new in pairs[:40]:
        print(f"| {new.kind} | {new.path} | {new.message_bytes / MEGABYTE:.1f} | {old.seconds:.2f} | {new.seconds:.2f} "
              f"| {old.peak_bytes / MEGABYTE:.0f} | {new.peak_bytes / MEGABYTE:.0f} |")


def measure_all(args, folder):
    names = subprocess.run([args.generator, "list"], capture_output=True, text=True, check=True).stdout.split()
    kinds = [name for name in names if any(fnmatch.fnmatch(name, glob) for glob in args.kinds.split(","))]
    if not kinds:
        sys.exit(f"no kind is like {args.kinds}; {args.generator} list has all")
    binaries = [path for path in (args.against, args.binary) if path]
    programs = [Program(path, folder / f"program-{number}", args) for number, path in enumerate(binaries)]
    runs = {program.name: [] for program in programs}
    total = len(kinds) * len(args.sizes)
    try:
        for done, (size, kind) in enumerate((size, kind) for size in args.sizes for kind in kinds):
            file = folder / "message.eml"
            with open(file, "wb") as out:
                subprocess.run([args.generator, kind, str(size)], stdout=out, check=True)
            paths = [path for path in args.paths if path != "milter" or fits_a_milter(file)]
            for program in programs:
                for path in paths:
                    run = program.measure(kind, path, file)
                    runs[program.name].append(run)
                    print(f"{done + 1}/{total} {kind} {path} {run.seconds:.2f} s {run.peak_bytes / MEGABYTE:.0f} MB "
                          f"{run.missed()}", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # `timeout` asks twice
        print("interrupted: what there is until here", file=sys.stderr)
    finally:
        for program in programs:
            program.close()
    return runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=ROOT / "build/release/milter/shingled", type=pathlib.Path)
    parser.add_argument("--against", type=pathlib.Path, help="another build, measured in turn")
    parser.add_argument("--generator", default=ROOT / "build/release/tests/hostile/hostile_mail", type=pathlib.Path)
    parser.add_argument("--sizes", default="512K,5M", help="of each message (default: %(default)s)")
    parser.add_argument("--kinds", default="*", help="globs with commas (default: all)")
    parser.add_argument("--paths", default=",".join(PATHS), help="(default: %(default)s)")
    parser.add_argument("--timeout", default=60, type=float, help="seconds of processor time a run may take (default: %(default)s)")
    parser.add_argument("--memory", default="8G", help="address space a process may have (default: %(default)s)")
    parser.add_argument("--similar", action="store_true", help="with the look-up of known files, which opens containers")
    parser.add_argument("--top", default=10, type=int, help="rows of the tables (default: %(default)s)")
    parser.add_argument("--json", type=pathlib.Path, help="also write every run there")
    args = parser.parse_args()
    args.sizes = [parse_size(size) for size in args.sizes.split(",")]
    args.paths = args.paths.split(",")
    args.memory = parse_size(args.memory)
    if not set(args.paths) <= set(PATHS):
        parser.error(f"--paths are some of {', '.join(PATHS)}")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="shingled-hostile-") as name:
        runs = measure_all(args, pathlib.Path(name))
    if args.json:
        args.json.write_text(json.dumps([dataclasses.asdict(run) for of_one in runs.values() for run in of_one], indent=1))
    good = [report(name, of_one, args.top) for name, of_one in runs.items()]
    if len(runs) == 2:
        compare(*runs.values())
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
