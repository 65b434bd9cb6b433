#!/usr/bin/env python3
"""What misused reports do to mail that others get.

    SHINGLED_BINARY=build/release/milter/shingled tests/bench/report_abuse.py [--attacks | --floods] [--reports N] [NAME...]

Attacks: people who report what others want, who were made up, or who conspire (tests/e2e/report_attacks.py). A row for each:
points of the next copy, how many copies were marked and how many of these rejected, and the same of another letter of that
sender, after ";" if it is not nothing. Columns: everybody who reports is a resident (the settings of the package), residents are
earned, and that with all rules live. "!" stands where the goal is missed.

Floods: one person who reports ten thousand times, ten thousand throw-away reporters (tests/e2e/abused_reports.py): complaints
that were counted, weight of the strongest hash, score and action of the next message.
"""

import argparse
import concurrent.futures
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import abused_reports  # noqa: E402 (needs the path above)
import report_attacks  # noqa: E402


def sight_text(sight):
    return f"{sight.points:g} {sight.marked}/{sight.rejected} of {sight.of}"


def cell(attack, column):
    sights = report_attacks.measure(attack, report_attacks.COLUMNS[column])
    shown = sight_text(sights[0]) + ("; " + sight_text(sights[1]) if sights[1].marked or sights[1].points else "")
    judged = column != "all reside" or not attack.needs_earned
    missed = report_attacks.misses(attack, sights) if judged else []
    return shown + ("" if not missed else f" ! {', '.join(missed)}")


def attacks(wanted):
    columns = list(report_attacks.COLUMNS)
    print(f"attack | {' | '.join(columns)} | goal")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for attack in report_attacks.ATTACKS:
            if wanted(attack.name):
                cells = pool.map(lambda column, attack=attack: cell(attack, column), columns)
                print(f"{attack.name} | {' | '.join(cells)} | {attack.goal}", flush=True)


def floods(wanted, reports):
    for name in abused_reports.ABUSE:
        if not wanted(name):
            continue
        print(" | ".join(f"{key} {value}" for key, value in abused_reports.measure(name, reports, ["reports.rate=off"]).items()),
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--attacks", action="store_true", help="attacks alone")
    only.add_argument("--floods", action="store_true", help="floods alone")
    parser.add_argument("--reports", type=int, default=10_000, help="of a flood")
    parser.add_argument("names", nargs="*", metavar="NAME", help="those whose name contains this")
    arguments = parser.parse_args()

    def wanted(name):
        return not arguments.names or any(part in name for part in arguments.names)
    if not arguments.floods:
        attacks(wanted)
    if not arguments.attacks:
        floods(wanted, arguments.reports)


if __name__ == "__main__":
    main()
