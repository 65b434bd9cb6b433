#!/usr/bin/env python3
"""Measures `shingled similar` and the real ssdeep in one run, on one core. Prints Markdown tables.

    tests/bench/against_ssdeep.py --binary build/release/milter/shingled [--rounds 5] [--signatures 100000]

Signing: `ssdeep -s` and `shingled similar sign --jobs 1` for the same files, in turn, including the start of the program.
The lines must be equal. Searching: one signature in --signatures, with `ssdeep -m` and in our loaded library. The time of
a search alone is the difference between a run with many questions and a run with few. For ssdeep the whole run is given as
well. Our program makes an index even for the run with few questions; it makes none for a single question. All times are
processor time (user and system) of the process, the median of the rounds, so they hold on a busy machine.
"""

import argparse
import os
import pathlib
import random
import resource
import statistics
import subprocess
import tempfile

HEADLINE = "ssdeep,1.1--blocksize:hash:hash,filename\n"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
FEW, MANY, SOME = 40, 20_000, 10  # questions: two for us, one for ssdeep


def cpu_seconds(*command):
    """Processor time of one run on one core, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["taskset", "-c", "0", *map(str, command)], capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0 and "ssdeep" not in map(str, command[:1]):
        raise SystemExit(f"{command}: {done.stderr.decode()}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def median_of(rounds, *commands):
    """The median processor time of each command (run in turn), and their last outputs."""
    runs = [[cpu_seconds(*command) for command in commands] for _ in range(rounds)]
    return [statistics.median(run[i][0] for run in runs) for i in range(len(commands))], [out for _, out in runs[-1]]


def make_files(folder, rng):
    """Files of every kind and size, about 200 MB; many of them are small, as on a real disk."""
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.randrange(2, 9))) for _ in range(3000)]
    kinds = {
        "noise": rng.randbytes,
        "text": lambda size: " ".join(rng.choices(words, k=size // 6 + 1)).encode()[:size],
        "sparse": lambda size: (bytes(700) + rng.randbytes(60)) * (size // 760 + 1),
    }
    sizes = {"of 4 KB": (4_000, 500), "of 100 KB": (100_000, 200), "of 10 MB": (10_000_000, 3)}
    for label, (size, count) in sizes.items():
        for kind, make in kinds.items():
            for i in range(count):
                path = folder / label / f"{kind}{i}"
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(make(size)[:size])
    return sizes


def sign_table(binary, folder, rounds, rng):
    print("| signing, one core | ssdeep MB/s | shingled MB/s | times |\n|---|---:|---:|---:|")
    sizes = make_files(folder, rng)
    for label in [*sizes, "all"]:
        place = folder if label == "all" else folder / label
        total = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
        (theirs, ours), (their_lines, our_lines) = median_of(
            rounds, ("ssdeep", "-s", "-r", place), (binary, "similar", "sign", "--jobs", "1", place))
        if sorted(their_lines.splitlines()) != sorted(our_lines.splitlines()):
            raise SystemExit("the signatures are not the same")
        print(f"| files {label} | {total / theirs / 1e6:.0f} | {total / ours / 1e6:.0f} | {theirs / ours:.1f} |", flush=True)


def signature(rng):
    size = 3 << rng.choices(range(4, 14), weights=[1, 2, 3, 4, 5, 5, 4, 3, 2, 1])[0]
    return f"{size}:{''.join(rng.choices(LETTERS, k=rng.randrange(32, 65)))}:{''.join(rng.choices(LETTERS, k=rng.randrange(16, 33)))}"


def search_table(binary, folder, count, rounds, rng):
    known = folder / "known.csv"
    library = folder / "similar.db"
    signatures = [signature(rng) for _ in range(count)]
    known.write_text(HEADLINE + "".join(f'{one},"{i}"\n' for i, one in enumerate(signatures)))
    cpu_seconds(binary, "similar", "add", "--file", library, "--list", "known", known)
    questions = {}
    for number in (1, FEW, MANY):
        questions[number] = folder / f"{number}.csv"
        questions[number].write_text(HEADLINE + "".join(f'{rng.choice(signatures)},"q"\n' for _ in range(number)))
    # ssdeep -m signs the files, too. They have 4 KB, so that comparing takes most of the time.
    asked = [folder / f"asked{i}" for i in range(SOME)]
    for path in asked:
        path.write_bytes(rng.randbytes(4000))
    (one, some, ours_one, ours_few, ours_many), _ = median_of(
        rounds, ("ssdeep", "-m", known, asked[0]), ("ssdeep", "-m", known, *asked),
        *((binary, "similar", "search", "--jobs", "1", "--json", "--file", library, questions[n])
          for n in (1, FEW, MANY)))
    theirs = (some - one) / (SOME - 1)
    ours = (ours_many - ours_few) / (MANY - FEW)
    print(f"\n| one of {count} signatures | ssdeep -m | shingled | times |\n|---|---:|---:|---:|")
    print(f"| a search by itself | {theirs * 1e3:.1f} ms | {ours * 1e6:.1f} us | {theirs / ours:.0f} |")
    print(f"| the whole run of ssdeep beside a search | {one * 1e3:.0f} ms | {ours * 1e6:.1f} us | {one / ours:.0f} |")
    print(f"| a whole run for one question | {one * 1e3:.0f} ms | {ours_one * 1e3:.0f} ms "
          f"| {one / ours_one:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=pathlib.Path, default=os.environ.get("SHINGLED_BINARY", "shingled"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--signatures", type=int, default=100_000)
    arguments = parser.parse_args()
    rng = random.Random(20261122)
    with tempfile.TemporaryDirectory(prefix="shingled-ssdeep-") as folder:
        folder = pathlib.Path(folder)
        (folder / "files").mkdir()
        sign_table(arguments.binary, folder / "files", arguments.rounds, rng)
        search_table(arguments.binary, folder, arguments.signatures, arguments.rounds, rng)


if __name__ == "__main__":
    main()
