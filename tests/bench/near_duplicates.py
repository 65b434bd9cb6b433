#!/usr/bin/env python3
"""Measures what the robust fingerprint adds to the compatible hashes: near-duplicates that are found, and ham that matches.

    SHINGLED_BINARY=build/release/milter/shingled tests/bench/near_duplicates.py [--corpus ../shared/corpus] [--list]

Teaches its own daemon one message of every near-duplicate cluster of spam and phish. Then it looks up all other messages of
these clusters (recall) and all ham (false positives). `compatible` counts the hashes that rspamd would send, `with robust`
these and ours. A hit on another cluster than the message's own does not count as recall but under `wrong`.

A second table says what the milter would do with the other messages if the reports had weight 20, as one report of a person
has in many installations: refuse them, or at least mark them.

The clusters are also shown in two halves, split by a hash of their names. The difference of the halves shows how much the
figures depend on the sample.

The last table is stricter than real mail: every pair of messages of different clusters, also pairs of ham, by the rule of
the storage (same digest, or more than 16 equal slots). Pairs of one campaign (clusters.tsv) are listed separately, because
they are mail of the same sender.
"""

import argparse
import collections
import csv
import hashlib
import json
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ["SHINGLED_BINARY"] = os.path.abspath(
    os.environ.get("SHINGLED_BINARY", ROOT / "build/release/milter/shingled"))
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import harness  # noqa: E402 (needs the path above)

BAD = ("spam", "phish")
SLOTS_MIN = 17
FILES_AT_ONCE = 200
EX_DATAERR = 65


class Message:
    def __init__(self, corpus, row):
        self.name = row["file"]
        self.path = str(corpus / row["file"])
        self.kind = self.name.split("/")[0]
        self.cluster = row["neardup_cluster"]
        self.campaign = row["campaign"]

    @property
    def half(self):
        return "AB"[hashlib.sha256(self.cluster.encode()).digest()[0] & 1]


def run_on(messages, call):
    """Runs a command for many files. Returns the objects that it prints, by path."""
    objects = {}
    for begin in range(0, len(messages), FILES_AT_ONCE):
        done = call([message.path for message in messages[begin:begin + FILES_AT_ONCE]])
        if done.returncode not in (0, EX_DATAERR):
            sys.exit(done.stderr)
        for line in done.stdout.splitlines():
            answer = json.loads(line)
            objects[answer["file"]] = answer
    return objects


def with_answers(messages, answers):
    """Those that were read. The others are named: figures without them are of another corpus."""
    for message in messages:
        if message.path not in answers:
            print(f"left out, no answer: {message.name}", file=sys.stderr)
    return [message for message in messages if message.path in answers]


def share(part, whole):
    return f"{part}/{whole} = {100 * part / whole:.1f} %" if whole else "-"


def print_table(title, head, rows):
    print(f"\n{title}\n")
    for row in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(map(str, row)) + " |")


class Hits:
    """The clusters that a message matches, and what the milter would do with the message."""

    def __init__(self, answer, cluster_of_digest):
        self.action = answer["action"]
        self.compatible, self.robust = set(), set()
        for lookup in answer["lookups"]:
            if lookup["result"] != "hit":
                continue
            found = self.robust if lookup["kind"] == "robust" else self.compatible
            found.add(cluster_of_digest.get(lookup["matched"], f"not taught: {lookup['matched']}"))

    @property
    def both(self):
        return self.compatible | self.robust


def measure_daemon(messages, hashes, args):
    clusters = collections.defaultdict(list)
    for message in messages:
        clusters[message.cluster].append(message)
    taught = [cluster[0] for cluster in clusters.values() if cluster[0].kind in BAD]
    others = [message for cluster in clusters.values() for message in cluster[1:] if cluster[0].kind in BAD]
    ham = [message for message in messages if message.kind == "ham"]
    cluster_of_digest = {part["digest"]: message.cluster
                         for message in taught for part in hashes[message.path]["parts"]}
    with tempfile.TemporaryDirectory() as folder, harness.Daemon(folder) as daemon:
        run_on(taught, lambda paths: daemon.run("add", "--json", "--flag", "denied", "--weight", "20", *args.add, *paths))
        answers = run_on(others + ham, lambda paths: daemon.run("scan", "--json", *paths))
    others, ham = with_answers(others, answers), with_answers(ham, answers)
    hits = {path: Hits(answer, cluster_of_digest) for path, answer in answers.items()}

    rows = []
    acted = []
    for label, wanted in (("spam", lambda m: m.kind == "spam"), ("phish", lambda m: m.kind == "phish"),
                          ("half A", lambda m: m.half == "A"), ("half B", lambda m: m.half == "B"),
                          ("all", lambda m: True)):
        chosen = [message for message in others if wanted(message)]
        compatible = sum(m.cluster in hits[m.path].compatible for m in chosen)
        both = sum(m.cluster in hits[m.path].both for m in chosen)
        wrong = [sum(bool(found - {m.cluster}) for m, found in ((m, getattr(hits[m.path], way)) for m in chosen))
                 for way in ("compatible", "both")]
        precision = [f"{100 * good / (good + bad):.1f} %" if good + bad else "-"
                     for good, bad in zip((compatible, both), wrong)]
        rows.append([label, share(compatible, len(chosen)), share(both, len(chosen)),
                     f"{100 * (both - compatible) / len(chosen):+.1f}" if chosen else "-", *wrong, *precision])
        refused = sum(hits[m.path].action == "reject" for m in chosen)
        marked = sum(hits[m.path].action != "pass" for m in chosen)
        acted.append([label, share(refused, len(chosen)), share(marked, len(chosen))])
        if args.list and label == "all":
            for m in chosen:
                print(f"{hits[m.path].action}  {m.cluster}  {m.half}  {m.name}")
                if m.cluster not in hits[m.path].both:
                    print(f"missed  {m.cluster}  {m.name}")
    print_table(f"Recall: {len(taught)} messages taught, one a cluster; {len(others)} others asked",
                ["clusters", "compatible", "with robust", "points", "wrong, compatible", "wrong, with robust",
                 "precision, compatible", "precision, with robust"], rows)
    print_table("What the milter would do with them", ["clusters", "refused", "marked or refused"], acted)
    false = [[m for m in ham if getattr(hits[m.path], way)] for way in ("compatible", "robust", "both")]
    print_table("False positives: ham that matches what was taught", ["asked", "compatible", "robust", "together"],
                [[len(ham), *map(len, false)]])
    for m in false[2]:
        print(f"false positive  {m.name}  {sorted(hits[m.path].both)}")
    return len(false[1])


def matching_pairs(parts_of, robust):
    """Pairs of messages with a part in common, by the rule of the storage."""
    owners, slots = collections.defaultdict(set), collections.defaultdict(set)
    for message, parts in parts_of.items():
        for number, part in enumerate(parts):
            if (part["kind"] == "robust") != robust:
                continue
            owners[part["digest"]].add(message)
            for slot in enumerate(part["shingles"] or ()):
                slots[slot].add((message, number))
    pairs = {(a, b) for same in owners.values() for a in same for b in same if a.name < b.name}
    equal = collections.Counter()
    for same in slots.values():
        for a, i in same:
            for b, j in same:
                if a.name < b.name:
                    equal[a, i, b, j] += 1
    return pairs | {(a, b) for (a, _, b, _), count in equal.items() if count >= SLOTS_MIN}


def measure_pairs(messages, hashes, args):
    parts_of = {message: hashes[message.path]["parts"] for message in messages}
    rows = []
    count = {}
    for label, robust in (("compatible", False), ("robust", True)):
        for a, b in matching_pairs(parts_of, robust):
            if a.cluster == b.cluster:
                continue
            kinds = " and ".join(sorted("spam" if m.kind in BAD else m.kind for m in (a, b)))
            campaign = "same campaign" if a.campaign == b.campaign else "strangers"
            count[kinds, campaign, label] = count.get((kinds, campaign, label), 0) + 1
            if args.list and "ham" in kinds:
                print(f"pair  {label}  {campaign}  {a.name}  {b.name}")
    for kinds in ("ham and spam", "ham and ham", "ham and test", "spam and spam", "spam and test", "test and test"):
        rows.append([kinds, *(count.get((kinds, campaign, label), 0) for campaign in ("strangers", "same campaign")
                              for label in ("compatible", "robust"))])
    print_table("Pairs of messages of different clusters that match",
                ["pairs", "strangers, compatible", "strangers, robust", "same campaign, compatible",
                 "same campaign, robust"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", default=ROOT.parent / "shared" / "corpus", type=pathlib.Path)
    parser.add_argument("--list", action="store_true", help="name what was missed and what matched wrongly")
    parser.add_argument("--add", action="append", default=[], metavar="OPTION", help="one more for `add`: --add=--force")
    args = parser.parse_args()
    index = args.corpus / "clusters.tsv"
    if not index.exists():
        sys.exit(f"{index} is not here")
    with open(index, newline="") as lines:
        messages = [Message(args.corpus, row) for row in csv.DictReader(lines, delimiter="\t")]
    messages.sort(key=lambda message: message.name)
    hashes = run_on(messages, lambda paths: harness.run("hash", "--json", "--robust", "--mailed", *paths))
    messages = with_answers(messages, hashes)
    false_positives = measure_daemon(messages, hashes, args)
    measure_pairs(messages, hashes, args)
    return 1 if false_positives else 0


if __name__ == "__main__":
    sys.exit(main())
