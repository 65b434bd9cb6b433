"""Common parts of the whole-process measurements: the load generators of ../shared/tools, pinned processes, and the
resources that a process used.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

SOURCES = {"fuzzyload": ("g++", "-std=c++17"), "milterload": ("g++", "-std=c++20"), "udpecho": ("cc",)}


def build(folder):
    """Compiles the generators into a folder."""
    if not SHARED.is_dir():
        sys.exit(f"{SHARED} is not here: the load generators are in it")
    for name, (compiler, *flags) in SOURCES.items():
        source = next((SHARED / "tools").glob(name + ".c*"))
        subprocess.run([compiler, "-O2", "-pthread", *flags, "-o", folder / name, source], check=True)


PROCESSORS = sorted(os.sched_getaffinity(0))


def pin(pid, side):
    """Keeps a thread on one processor: servers on the first, generators on the last."""
    os.sched_setaffinity(pid, {PROCESSORS[0 if side == "server" else -1]})


@contextlib.contextmanager
def pinned(side):
    """Processes that start inside stay on one processor."""
    pin(0, side)
    try:
        yield
    finally:
        os.sched_setaffinity(0, PROCESSORS)


def answer(command):
    """Runs a generator on its processor. Returns its last line, which is JSON."""
    with pinned("generator"):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    lines = done.stdout.strip().splitlines()
    if not lines or not lines[-1].startswith("{"):
        sys.exit(f"{command[0]} failed: {done.stdout}{done.stderr}")
    return json.loads(lines[-1])


def load(folder, port, *arguments):
    return answer([folder / "fuzzyload", "--port", port, "--json", *arguments])


def cpu_ns(pid):
    """Processor time of all threads of a process."""
    return sum(int((thread / "schedstat").read_text().split()[0])
               for thread in pathlib.Path(f"/proc/{pid}/task").iterdir())


def resident_bytes(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    return 0


def children(pid):
    return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
