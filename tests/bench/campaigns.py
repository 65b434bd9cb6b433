#!/usr/bin/env python3
"""Measures how much of a campaign is found once one message of it was reported, and how much wanted mail is hit.

    SHINGLED_BINARY=build/release/milter/shingled tests/bench/campaigns.py [--by neardup_cluster] [--half report]
        [--corpus DIR] [--clusters FILE] [--policy FILE] [--weight N] [--misses] [--simulate]
    SHINGLED_BINARY=build/release/milter/shingled tests/bench/campaigns.py --by-date [--reporters 1 2 5] [--set KEY=VALUE]
        [--settings shipped live] [--by ...] [--corpus DIR] [--clusters FILE] [--policy FILE] [--misses]

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

With --by-date the corpus comes through the milter with the clock of its dates, wanted mail between, and is reported by
one or more different people (dated_replay.py). It is played with the settings as they are shipped, and with all rules live.
What is counted is the later mail of a campaign: *own*, in the mailboxes of those who reported; *others*, in mailboxes of
people who never did. A run "first" has one report of one person a campaign; the others have one report of each of N
people for the first message and for each that was missed in the others' mailbox. A message *needs* a rule if it would not be
marked without its score. With --newsletters two people report each of N newsletters and notices instead, each with a new
daemon, and all other ham is asked. Needs libfaketime (Debian: faketime), and is skipped with exit code 77 without it. Exit
code 1 if ham is rejected with the settings as they are shipped, or more than 0.2 % of it is marked.

Exit code 1 if ham is rejected, or more than 0.2 % of it is marked.
"""

import argparse
import collections
import concurrent.futures
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

import dated_replay  # noqa: E402 (needs the path above)
import harness  # noqa: E402
import policy_trial  # noqa: E402

BAD = ("spam", "phish")
FILES_AT_ONCE = 200
EX_DATAERR = 65
EX_SKIPPED = 77
HAM_MARKED_MAX = 0.002
REPORTER = "corpus"
STAGES = ("hashes", "+ robust", "+ rules", "rules alone")


class Message:
    def __init__(self, corpus, row, by):
        self.name = row["file"]
        self.path = str(corpus / row["file"])
        self.kind = row.get("class") or self.name.split("/")[0]
        self.group = row[by]
        self.cluster = row["neardup_cluster"]
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


def of_label(messages, label, message_of=lambda m: m):
    """Those of a class, of a half, or all."""
    return [m for m in messages if label in ("all", message_of(m).kind, message_of(m).half)]


def dated_row(results, label):
    chosen = of_label(results, label, lambda result: result.mail.message)
    later = [result for result in chosen if result.later]
    ham = [result.own[0] for result in chosen if result.mail.message.kind == "ham"]
    own = [copy.marked for result in later for copy in result.own]

    def of_others(results, what="marked"):
        return share(sum(getattr(result.others, what) for result in results), len(results))
    return [label, share(sum(own), len(own)), of_others(later), of_others([r for r in later if r.fresh]),
            of_others([r for r in later if r.near]), of_others(later, "rejected"),
            *(share(sum(getattr(copy, what) for copy in ham), len(ham)) for what in ("marked", "rejected"))]


def print_goals(runs, settings):
    """The figures that reports have to reach, by settings and half. Ham is that of the worst run."""
    columns = [(name, label) for name in settings for label in ("all", "design", "report")]
    people = sorted(people for name, people, first in runs if name == settings[0] and not first)
    figures = [("own later mail, one report: marked", [(1, True)], 1)]
    figures += [(f"others' later mail, {count} report each miss: {what}", [(count, False)], column)
                for count in people for what, column in (("marked", 2), ("near-duplicates marked", 4), ("rejected", 5))]
    figures += [(f"ham {what}", [(1, True), *((count, False) for count in people)], column)
                for what, column in (("marked", 6), ("rejected", 7))]

    def percent(text):
        return float(text.split()[0]) if text != "-" else -1.0
    rows = [[figure, *(max((dated_row(runs[name, *key], label)[column] for key in keys), key=percent)
                       for name, label in columns)] for figure, keys, column in figures]
    print_table(["figure", *(f"{name}, {label}" for name, label in columns)], rows)


def print_rules(results, mark):
    """How many of the messages that the others' mailbox marked have a symbol, need it, or have nothing else that scores."""
    found = [result.others.symbols for result in results if result.later and result.others.marked]
    has, needs, alone = collections.Counter(), collections.Counter(), collections.Counter()
    for symbols in found:
        for name, score in symbols.items():
            has[name] += 1
            needs[name] += sum(symbols.values()) - score < mark
            alone[name] += score > 0 and all(value <= 0 for other, value in symbols.items() if other != name)
    print_table([f"symbol, of {len(found)} later messages that were marked", "has it", "needs it", "has no other score"],
                [[name, count, needs[name], alone[name]] for name, count in has.most_common()])


def dated_settings(args):
    return {"shipped": [], "live": [f"policy.files=[{args.policy}]", "policy.live=[all]"]}


def replay_by_date(messages, args):
    mails = dated_replay.read([message for message in messages if message.kind in (*BAD, "ham")])
    settings = dated_settings(args)
    runs = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name in args.settings:
            for people, first in [(1, True), *((people, False) for people in args.reporters)]:
                replay = dated_replay.Replay(mails, [*settings[name], *args.set], people, first, not first)
                runs[name, people, first] = pool.submit(replay.run)
        runs = {key: run.result() for key, run in runs.items()}
    print(f"{sum(mail.message.kind in BAD for mail in mails)} messages of spam and phish, "
          f"{sum(mail.message.kind == 'ham' for mail in mails)} of ham, by date")
    for (name, people, first), results in runs.items():
        title = f"{name}, {people} " + ("reports the first of a campaign" if first else "report each miss")
        print_table([title, "own later: marked", "others' later: marked", "in 14 days", "near-duplicates", "rejected",
                     "ham: marked", "ham: rejected"],
                    [dated_row(results, label) for label in (*BAD, "design", "report", "all")])
        if not first:
            print_rules(results, args.mark)
        for result in results:
            copy = result.others or result.own[0]
            if result.others is None and copy.marked or args.misses and result.later and not copy.marked:
                print("missed" if result.others else "ham", result.mail.message.name, result.mail.message.group,
                      " ".join(copy.symbols))
    print_goals(runs, args.settings)
    ham = [result.own[0] for (name, _, _), results in runs.items() if name == "shipped"
           for result in results if result.others is None]
    return 1 if any(copy.rejected for copy in ham) or sum(copy.marked for copy in ham) > HAM_MARKED_MAX * len(ham) else 0


def replay_misuse(messages, args):
    """Each of some newsletters and notices is reported by two people: what this does to all other wanted mail."""
    mails = dated_replay.read([message for message in messages if message.kind == "ham"])
    targets = sorted((mail for mail in mails if mail.bulk), key=lambda mail: dated_replay.number(mail.message.name))
    targets = targets[:args.newsletters]
    rows = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name in args.settings:
            runs = [pool.submit(dated_replay.Misuse(mails, [*dated_settings(args)[name], *args.set], 2, target).run)
                    for target in targets]
            copies, again = zip(*(run.result() for run in runs))
            for target, part in zip(targets, copies):
                if args.misses and any(copy.marked for copy in part):
                    print("harms", name, target.message.name, sum(copy.marked for copy in part))
            flat = [copy for part in copies for copy in part]
            rows.append([name, f"{sum(copy.marked for copy in again)} of {len(again)}",
                         *(f"{sum(getattr(copy, what) for copy in flat)} of {len(flat)}" for what in ("marked", "rejected"))])
    print_table([f"{len(targets)} newsletters and notices, each reported by two", "itself, to somebody else: marked",
                 "others: marked", "others: rejected"], rows)
    return 0


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
    parser.add_argument("--by-date", action="store_true", help="replay by date, with people who report")
    parser.add_argument("--reporters", nargs="+", type=int, default=[1, 2, 5], choices=range(1, dated_replay.PEOPLE_MAX + 1),
                        metavar="N", help="with --by-date: how many report a message; one run each")
    parser.add_argument("--settings", nargs="+", default=["shipped", "live"], choices=("shipped", "live"),
                        help="with --by-date: as shipped, or with all rules live")
    parser.add_argument("--newsletters", type=int, default=0, metavar="N",
                        help="with --by-date: instead, let two people report each of N newsletters, and count other ham")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="with --by-date: one more setting")
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
    if args.by_date:
        if not dated_replay.library():
            print("skipped: libfaketime is not here (Debian: faketime)")
            return EX_SKIPPED
        return replay_misuse(messages, args) if args.newsletters else replay_by_date(messages, args)
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
