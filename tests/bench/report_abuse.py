#!/usr/bin/env python3
"""What misused reports do to the mail of an honest sender: one person who reports one message ten thousand times, ten
thousand throw-away reporters. For each kind of abuse: complaints that were counted, weight of the strongest hash, and
score and action of the next message, by default and with all rules of packaging/policy.yaml out of shadow.

    SHINGLED_BINARY=build/release/milter/shingled tests/bench/report_abuse.py [--reports 10000] [NAME...]
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import abused_reports  # noqa: E402 (needs the path above)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reports", type=int, default=10_000)
    parser.add_argument("names", nargs="*", metavar="NAME", help="kinds of abuse whose name contains this")
    arguments = parser.parse_args()
    for name in abused_reports.ABUSE:
        if arguments.names and not any(wanted in name for wanted in arguments.names):
            continue
        print(" | ".join(f"{key} {value}" for key, value in abused_reports.measure(name, arguments.reports, ["reports.rate=off"]).items()),
              flush=True)


if __name__ == "__main__":
    main()
