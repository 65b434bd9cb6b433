#!/usr/bin/env python3
"""Measures the cost of the transport between the mail server and the milter: small messages over one SMTP connection through
a real Postfix, with the milter over a unix socket, over inet, and without a milter.

    tests/bench/milter_transport.py [--messages 60] [--bytes 4096] [--runs 5] [BINARY...]

BINARY is the program, by default build/release/milter/shingled. Several programs are compared, in turn. Needs root, because
Postfix does. Everything runs in its own network namespace, whose delayed acknowledgements are counted, too.
"""

import argparse
import os
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import test_transport  # noqa: E402 (needs the path above)

WAYS = ("none", "unix", "inet")


def run_once(binary, way, messages, size):
    """Seconds for all messages, and the number of late acknowledgements."""
    with test_transport.milter_and_postfix(way, binary) as (_, postfix):
        before = test_transport.delayed_acknowledgements()
        begin = time.perf_counter()
        test_transport.send_messages(postfix.port, messages, size)
        return time.perf_counter() - begin, test_transport.delayed_acknowledgements() - before


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binaries", nargs="*", metavar="BINARY",
                        default=[str(ROOT / "build/release/milter/shingled")])
    parser.add_argument("--messages", type=int, default=60)
    parser.add_argument("--bytes", type=int, default=4096)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    test_transport.enter_own_network()
    taken = {(binary, way): [] for binary in arguments.binaries for way in WAYS}
    for _ in range(arguments.runs):
        for binary, way in taken:
            taken[binary, way].append(run_once(os.path.abspath(binary), way, arguments.messages, arguments.bytes))
    print(f"{arguments.messages} messages of {arguments.bytes} bytes, median of {arguments.runs} runs")
    for (binary, way), runs in taken.items():
        seconds = statistics.median(run[0] for run in runs)
        late = statistics.median(run[1] for run in runs)
        print(f"{binary}  {way:4}  {seconds:6.3f} s  {1000 * seconds / arguments.messages:6.1f} ms/message"
              f"  {late:4.0f} delayed acknowledgements")


if __name__ == "__main__":
    main()
