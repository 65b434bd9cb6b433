#!/usr/bin/env python3
"""Measures how much of a campaign is found once one message of it was reported, and how much wanted mail is hit.

    SHINGLED_BINARY=build/release/milter/shingled tests/bench/campaigns.py [--by neardup_cluster] [--half report]
        [--corpus DIR] [--clusters FILE] [--policy FILE] [--weight N] [--misses] [--simulate]

Replays a corpus against its own daemon in a fixed order: by name. Reports the first message of every campaign of spam
and phish, then asks about the others, then about all ham. Four stages are counted: the compatible hashes alone, with the
robust hash, with the rules of the policy, and the rules without any hash. A message is *marked* if its score reaches
milter.actions.add_header, *rejected* if it reaches `reject`. The first two stages count any hit, whatever its score.

A corpus is a folder of messages with a table: tab-separated, with the columns `file`, `campaign` and
`neardup_cluster`; `class` (ham, spam, phish, others are left out) may be missing if it is the first folder of `file`.

The campaigns have two halves, by a hash of their names: rules are made with `design`, and `report` says what they are worth.

With a program that has `shingled report` and the section `policy`, all of this is real: a trusted reporter, rules
switched on by `policy.live`. Otherwise, or with --simulate, `shingled add` teaches the hashes, and the rules
are evaluated here (policy_trial.py) with the pieces that `shingled counters pieces` shows.

Exit code 1 if ham is rejected, or more than 0.2 % of it is marked.
"""

import argparse
import collections
import csv
import hashlib
import json
import math
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ["SHINGLED_BINARY"] = os.path.abspath(
    os.environ.get("SHINGLED_BINARY", ROOT / "build/release/milter/shingled"))
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import harness  # noqa: E402 (needs the path above)
import policy_trial  # noqa: E402

BAD = ("spam", "phish")
FILES_AT_ONCE = 200
EX_DATAERR = 65
HAM_MARKED_MAX = 0.002
REPORTER = "corpus"
STAGES = ("hashes", "+ robust", "+ rules", "rules alone")


class Message:
    def __init__(self, corpus, row, by):
        self.name = row["file"]
        self.path = str(corpus / row["file"])
        self.kind = row.get("class") or self.name.split("/")[0]
        self.group = row[by]
        # A campaign is in one half whatever the groups are, so that its near-duplicates are, too.
        half = hashlib.sha256(f"half:{row['campaign']}".encode()).digest()[0] & 1
        self.half = "design" if half else "report"
        self.found = {}
        self.score = 0.0
        self.rejected = False
        self.why = ""

    def settle(self, hashes, robust, score, rules_score, thresholds, why):
        self.found = {"hashes": hashes, "+ robust": hashes or robust, "+ rules": score >= thresholds.mark or hashes or robust,
                      "rules alone": rules_score >= thresholds.mark}
        self.score = score
        self.marked = score >= thresholds.mark
        self.rejected = score >= thresholds.reject
        self.why = why


Thresholds = collections.namedtuple("Thresholds", "mark reject")


def run_on(messages, call, codes=(0, EX_DATAERR)):
    """Runs a command for many files. Returns the objects that it prints, by path."""
    objects = {}
    for begin in range(0, len(messages), FILES_AT_ONCE):
        done = call([message.path for message in messages[begin:begin + FILES_AT_ONCE]])
        if done.returncode not in codes:
            sys.exit(done.stderr)
        for line in done.stdout.splitlines():
            answer = json.loads(line)
            if "file" in answer:
                objects[answer["file"]] = answer
    return objects


def with_answers(messages, answers):
    """Those that were read. The others are named: figures without them are of another corpus."""
    for message in messages:
        if message.path not in answers:
            print(f"left out, no answer: {message.name}", file=sys.stderr)
    return [message for message in messages if message.path in answers]


def is_real():
    """Whether the program has all that is measured."""
    return all(harness.run(*words, "--help").returncode == 0 for words in (("report",), ("policy", "check")))


def split(messages):
    groups = collections.defaultdict(list)
    for message in messages:
        if message.kind in BAD:
            groups[message.group].append(message)
    reported = [group[0] for group in groups.values()]
    asked = [message for group in groups.values() for message in group[1:]]
    return reported, asked, [message for message in messages if message.kind == "ham"]


def hits_of(answer):
    """Whether a compatible hash was found, and a robust one."""
    kinds = {lookup["kind"] == "robust" for lookup in answer["lookups"] if lookup["result"] == "hit"}
    return False in kinds, True in kinds


def rule_scores(answer, names):
    """What each rule of the policy added."""
    return {hit["symbol"]: hit.get("score", 0.0) for hit in answer.get("symbols", []) + answer.get("hits", [])
            if isinstance(hit, dict) and hit.get("symbol") in names}


def replay_real(reported, others, args, thresholds):
    overrides = [f"policy.files=[{args.policy}]", "policy.live=[all]", f"reports.trusted_reporters=[{REPORTER}]",
                 f"reports.spam.weight={args.weight}"]
    names = set(policy_trial.read_rules(args.policy))
    with tempfile.TemporaryDirectory() as folder:
        overrides.append(f"reports.file={folder}/reports.db")
        with harness.Daemon(folder, overrides=overrides) as daemon:
            for begin in range(0, len(reported), FILES_AT_ONCE):
                paths = [message.path for message in reported[begin:begin + FILES_AT_ONCE]]
                done = daemon.run("report", "--spam", "--reporter", REPORTER, *paths)
                if done.returncode not in (0, EX_DATAERR):
                    sys.exit(done.stderr)
            answers = run_on(others, lambda paths: daemon.run("scan", "--json", *paths))
    for message in with_answers(others, answers):
        answer = answers[message.path]
        scores = rule_scores(answer, names)
        message.settle(*hits_of(answer), answer["score"], sum(scores.values()), thresholds, " ".join(scores))


def replay_simulated(reported, others, args, thresholds):
    pieces = run_on(reported + others, lambda paths: harness.run("counters", "pieces", "--json", *paths))
    pieces_of = {path: policy_trial.pieces_by_type(answer) for path, answer in pieces.items()}
    complaints = collections.Counter((kind, piece) for message in with_answers(reported, pieces_of)
                                     for kind, all_of in pieces_of[message.path].items() for piece in set(all_of))
    rules = policy_trial.Rules(policy_trial.read_rules(args.policy))
    with tempfile.TemporaryDirectory() as folder, harness.Daemon(folder) as daemon:
        run_on(reported, lambda paths: daemon.run("add", "--json", "--flag", "denied", "--weight", args.weight,
                                                  *paths))
        answers = run_on(others, lambda paths: daemon.run("scan", "--json", *paths))
    for message in with_answers(others, {path: answers[path] for path in answers if path in pieces_of}):
        answer = answers[message.path]
        fired = rules.fired(pieces_of[message.path], lambda kind, piece: {"complaint": complaints[kind, piece]},
                            {"FUZZY_DENIED"} if any(hits_of(answer)) else set(),
                            {"local": False, "authenticated": False})
        score = sum(fired.values())
        message.settle(*hits_of(answer), answer["score"] + score, score, thresholds, " ".join(fired))


def interval(part, whole):
    """The 95 % interval of a share (Wilson), in percent."""
    z, share = 1.96, part / whole
    middle = share + z * z / (2 * whole)
    width = z * math.sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole))
    scale = 100 / (1 + z * z / whole)
    return max(0.0, (middle - width) * scale), min(100.0, (middle + width) * scale)


def share(part, whole):
    if not whole:
        return "-"
    low, high = interval(part, whole)
    return f"{100 * part / whole:.1f} % ({part}/{whole}; {low:.1f} to {high:.1f})"


def print_table(head, rows):
    print()
    for row in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(map(str, row)) + " |")


def print_results(asked, ham, args):
    asked, ham = ([m for m in part if m.found] for part in (asked, ham))  # settled
    rows = []
    for label, wanted in (("spam", lambda m: m.kind == "spam"), ("phish", lambda m: m.kind == "phish"),
                          ("design", lambda m: m.half == "design"), ("report", lambda m: m.half == "report"),
                          ("all", lambda m: True)):
        chosen = [message for message in asked if wanted(message)]
        rows.append([label, *(share(sum(m.found[stage] for m in chosen), len(chosen)) for stage in STAGES),
                     share(sum(m.marked for m in chosen), len(chosen)),
                     share(sum(m.rejected for m in chosen), len(chosen))])
    print_table([f"asked, by {args.by}", *STAGES, "marked", "rejected"], rows)
    print_table(["ham", *STAGES, "marked", "rejected"],
                [[half, *(share(sum(m.found[stage] for m in chosen), len(chosen)) for stage in STAGES),
                  share(sum(m.marked for m in chosen), len(chosen)), share(sum(m.rejected for m in chosen), len(chosen))]
                 for half in ("design", "report", "all")
                 for chosen in [[m for m in ham if half in ("all", m.half)]] if chosen])
    for message in ham:
        if message.marked or args.misses and message.score >= args.near:
            print(f"ham  {message.score:.2f}  {message.name}  {message.why}")
    for message in asked if args.misses else ():
        if not message.found["+ rules"]:
            print(f"missed  {message.score:.2f}  {message.group}  {message.half}  {message.name}  {message.why}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", default=ROOT.parent / "shared" / "corpus", type=pathlib.Path)
    parser.add_argument("--clusters", "--manifest", type=pathlib.Path, help="the table; default: clusters.tsv in the corpus")
    parser.add_argument("--by", default="campaign", choices=("campaign", "neardup_cluster"))
    parser.add_argument("--half", default="all", choices=("design", "report", "all"),
                        help="ask only about these campaigns; all are reported")
    parser.add_argument("--policy", default=ROOT / "packaging" / "policy.yaml", type=pathlib.Path)
    parser.add_argument("--weight", default=20, type=int, help="of a report on the hashes")
    parser.add_argument("--mark", default=4.0, type=float, help="milter.actions.add_header")
    parser.add_argument("--reject", default=10.0, type=float, help="milter.actions.reject")
    parser.add_argument("--near", default=3.0, type=float, help="with --misses: list ham from this score on")
    parser.add_argument("--misses", action="store_true", help="list what was missed")
    parser.add_argument("--simulate", action="store_true", help="evaluate the rules here")
    return parser.parse_args()


def main():
    args = parse_arguments()
    args.policy = args.policy.resolve()
    table = args.clusters or args.corpus / "clusters.tsv"
    if not table.exists():
        sys.exit(f"{table} is not here")
    with open(table, newline="") as lines:
        messages = [Message(args.corpus, row, args.by) for row in csv.DictReader(lines, delimiter="\t")]
    messages.sort(key=lambda message: message.name)
    reported, asked, ham = split(messages)
    asked = [message for message in asked if args.half in ("all", message.half)]
    simulated = args.simulate or not is_real()
    replay = replay_simulated if simulated else replay_real
    replay(reported, asked + ham, args, Thresholds(args.mark, args.reject))
    print(f"{len(reported)} reported, {len(asked)} asked, {len(ham)} ham"
          + ("; rules evaluated by this script" if simulated else ""))
    print_results(asked, ham, args)
    marked = sum(message.marked for message in ham)
    return 1 if any(m.rejected for m in ham) or marked > HAM_MARKED_MAX * len(ham) else 0


if __name__ == "__main__":
    sys.exit(main())
