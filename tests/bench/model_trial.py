#!/usr/bin/env python3
"""Measures what the model finds that rules do not: a corpus by date, trained on a part of it, asked about another.

    SHINGLED_BINARY=build/release/milter/shingled tests/bench/model_trial.py [--corpus DIR] [--seeds N]
        [--days N] [--history DIR] [--keep DIR] [--set KEY=VALUE]

Replays the corpus as campaigns.py --by-date does: all rules live, one trusted person reports the first message of each campaign, and
each message comes to a mailbox of somebody who never reports. Rows of the history are then what the model is trained on,
with the labels that the site has by itself (milter/MODEL.md): what was reported, and verdicts that are clear.
shingled-train --trial says what a model gives to messages that it did not see; what they truly are is in the corpus.

Splits: *time*, the last 40 % of the messages; *SOURCE*, all messages of a source that training never sees (with the wanted
mail of the last 40 % where a source has none). A campaign is in one half only (campaigns.py): figures are those of the
half `report`, those of `all` are beside them. The thresholds are those at which no wanted message of the tested ones is hit, or
one in a thousand. *both* is the score of the rules and the word of the model, as the daemon adds them. *marked* and *hit*
are the shares of bad and of wanted mail with a score of 4 and more, at which a site marks.

With --days the messages come in their order, too, but evenly over so many days: as densely as at a site. By their own dates
a corpus of many years has a message a week, and the counters of two weeks know next to nothing.

--keep puts history and table of the replay there, --history takes them from there.
"""

import argparse
import collections
import csv
import json
import math
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "bench"))

import campaigns  # noqa: E402 (needs the path above)
import dated_replay  # noqa: E402
import harness  # noqa: E402

EX_SKIPPED = 77
TEST_FROM = 0.6
SOURCES_LEAST = 40      # bad messages of a source that is tested alone
MARK = 4.0              # milter.actions.add_header, and policy.model.score_max
TRAINER = pathlib.Path(os.environ["SHINGLED_BINARY"]).with_name("shingled-train")
GAP = 100 * 86400       # a jump of the clock before which rows are taken out, as the history forgets


class Replay(dated_replay.Replay):
    """Keeps all rows of the history, and what each message truly is."""

    def __init__(self, mails, overrides, out):
        super().__init__(mails, overrides, people=1, first_only=True, rules=False)
        self.out, self.rows, self.mail, self.taken = out, [], None, 0.0

    def bad(self, mail):
        self.take_rows(mail.date)
        first = self.reported.get(mail.message.group) is None
        self.mail = (mail, first)
        return super().bad(mail)

    def wanted(self, mail):
        self.take_rows(mail.date)
        self.mail = (mail, False)
        return super().wanted(mail)

    def send(self, data, sender, client, box):
        copy = super().send(data, sender, client, box)
        if self.mail is not None and data is self.mail[0].data:
            mail, first = self.mail
            others = mail.message.kind == "ham" or box in dated_replay.mailboxes_of(mail.message.group)[dated_replay.PEOPLE_MAX:]
            self.rows.append([f"R{self.count}", mail.message.name, mail.message.kind, mail.message.half, mail.message.source,
                              mail.date, int(first), int(others)])
        return copy

    def take_rows(self, date):
        if self.taken and date - self.taken < GAP:
            return
        self.taken = date
        self.copy_rows()

    def copy_rows(self):
        history = self.daemon.tmp / "history.db"
        if not self.count or not history.exists():
            return
        wanted = f"R{self.count}"

        def arrived():
            with sqlite3.connect(f"file:{history}?mode=ro", uri=True) as db:
                return db.execute("SELECT 1 FROM messages WHERE queue_id = ?", (wanted,)).fetchone()
        harness.wait_until(arrived, 60, "the rows are written")
        if not self.out.exists():
            with sqlite3.connect(f"file:{history}?mode=ro", uri=True) as db, sqlite3.connect(self.out) as copy:
                db.backup(copy)
            return
        with sqlite3.connect(self.out) as db:
            db.execute("ATTACH ? AS more", (str(history),))
            for table, in db.execute("SELECT name FROM more.sqlite_master WHERE type = 'table'").fetchall():
                if not table.startswith("sqlite_"):
                    db.execute(f"INSERT OR REPLACE INTO main.{table} SELECT * FROM more.{table}")
            db.commit()

    def run(self):
        events = [(mail.date, 1, place, mail) for place, mail in enumerate(self.mails)]
        letters = sorted(dated_replay.letters(self.mails, self.people))
        events += [(date, 0, place, (box, day)) for place, (date, box, day) in enumerate(letters)]
        events.sort(key=lambda event: event[:3])
        with tempfile.TemporaryDirectory() as folder, self.serving(folder, events[0][0]):
            for date, _, _, mail in events:
                self.daemon.set(date)
                if isinstance(mail, tuple):  # the letters that make reporters residents
                    self.mail = None
                    super().send(dated_replay.letter(*mail), "friend@elsewhere.example", "203.0.113.7", mail[0])
                elif mail.message.kind in dated_replay.BAD:
                    self.bad(mail)
                else:
                    self.wanted(mail)
            self.client.close()
            self.copy_rows()
        return self.rows


def read_messages(args):
    table = args.corpus / "manifest.tsv"
    with open(table, newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    messages = []
    for row in rows:
        message = campaigns.Message(args.corpus, row, "campaign")
        message.source = row.get("source") or "corpus"
        if message.kind in (*dated_replay.BAD, "ham"):
            messages.append(message)
    return messages


def recall(pairs, one_in):
    """The share of bad ones above all wanted ones but one in so many (0 = all)."""
    wanted = sorted((score for score, bad in pairs if not bad), reverse=True)
    bad = [score for score, is_bad in pairs if is_bad]
    hit = len(wanted) // one_in if one_in else 0
    edge = wanted[hit] if hit < len(wanted) else float("-inf")
    return sum(score > edge for score in bad) / len(bad) if bad else float("nan")


def share_from(pairs, edge, of_bad):
    """The share of the bad ones, or of the wanted ones, that have so much."""
    scores = [score for score, bad in pairs if bad == of_bad]
    return sum(score >= edge for score in scores) / len(scores) if scores else float("nan")


def calibration_error(pairs, score_max=4.0, full_chance=0.99):
    """The mean difference of chance and truth, over ten parts with equally many messages. A word of 0 says even chances, and
    score_max those at which a message is marked (0.99); fitted to nothing of what is tested."""
    slope = math.log(full_chance / (1 - full_chance)) / score_max
    pairs = sorted(pairs)
    wrong = 0.0
    for part in range(10):
        chosen = pairs[part * len(pairs) // 10:(part + 1) * len(pairs) // 10]
        said = sum(1 / (1 + math.exp(-max(-30.0, min(30.0, slope * score)))) for score, _ in chosen)
        wrong += abs(said - sum(bad for _, bad in chosen))
    return wrong / len(pairs)


class Trial:
    def __init__(self, args, history, rows):
        self.args, self.history = args, history
        names = ("id", "file", "kind", "half", "source", "date", "first", "others")
        self.rows = [dict(zip(names, row)) for row in rows]
        for row in self.rows:
            row["bad"] = row["kind"] in dated_replay.BAD
        self.rows.sort(key=lambda row: row["date"])
        self.of = {row["id"]: row for row in self.rows}

    def ask(self, taught, tested, seed, off=None):
        """What a model of `taught` gives to `tested`: lines, and what it leans on."""
        with tempfile.NamedTemporaryFile("w", suffix=".tsv") as table:
            tests = {row["id"] for row in tested}
            for row in taught:
                if row["id"] not in tests:
                    table.write(f"{row['id']}\town\ttrain\n")
            for row in tested:
                table.write(f"{row['id']}\t{'bad' if row['bad'] else 'wanted'}\ttest\n")
            table.flush()
            settings = [] if off is None else ["-o", f"model.features_off=[{', '.join(off)}]"]
            done = subprocess.run([TRAINER, "--history", self.history, "--trial", table.name, "--seed", str(seed),
                                   "--config", ROOT / "packaging/shingled.yaml", *settings], capture_output=True, text=True)
        if done.returncode != 0:
            return [], {"why": done.stderr.strip()}
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return lines[:-1], lines[-1]

    def figures(self, lines, half="report"):
        """{(what, part, one_in): recall}"""
        out = {}
        for what, score in (("rules", lambda one: one["rules"]), ("model", lambda one: one["model"]),
                            ("both", lambda one: one["rules"] + one["word"])):
            for part, wanted in (("all", lambda row: True), ("first", lambda row: row["first"]), ("later", lambda row: not row["first"])):
                pairs = [(score(one), one["bad"]) for one in lines for row in [self.of[one["id"]]]
                         if not one["bad"] or wanted(row) and half in ("all", row["half"])]
                for one_in in (0, 1000):
                    out[what, part, one_in] = recall(pairs, one_in)
                out[what, part, "marked"] = share_from(pairs, MARK, True)
                out[what, part, "hit"] = share_from(pairs, MARK, False)
        out["calibration"] = calibration_error([(one["model"], one["bad"]) for one in lines])
        return out


def percent(values):
    values = [100 * value for value in values]
    if not values or any(value != value for value in values):
        return "-"
    middle = statistics.mean(values)
    return f"{middle:.1f}" if len(values) == 1 else f"{middle:.1f} ± {max(abs(value - middle) for value in values):.1f}"


def print_split(name, trial, taught, tested, seeds, off=None):
    answers = [trial.ask(taught, tested, seed, off) for seed in range(1, seeds + 1)]
    if not answers[0][0]:
        print(f"| {name} | not trained: {answers[0][1]['why']} |")
        return
    bad = sum(row["bad"] for row in tested)
    for half in ("report", "all"):
        runs = [trial.figures(lines, half) for lines, _ in answers]
        cells = [percent([run[what, part, one_in] for run in (runs[:1] if what == "rules" else runs)])
                 for part in ("all", "first", "later") for what in ("rules", "model", "both") for one_in in (0,)]
        cells += [percent([run[what, "all", 1000] for run in (runs[:1] if what == "rules" else runs)]) for what in ("rules", "both")]
        cells += [percent([run[what, "all", key] for run in (runs[:1] if what == "rules" else runs)])
                  for what in ("rules", "both") for key in ("marked", "hit")]
        cells.append(percent([run["calibration"] for run in runs]))
        print(f"| {name}, {half} | {bad} bad, {len(tested) - bad} wanted | " + " | ".join(cells) + " |", flush=True)
    return answers[0][1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", default=ROOT / "../shared/corpus", type=pathlib.Path)
    parser.add_argument("--seeds", default=5, type=int)
    parser.add_argument("--days", type=float, help="all messages come within so many days")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--history", type=pathlib.Path)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    args = parser.parse_args()
    if not dated_replay.library() or not TRAINER.exists():
        print("skipped: libfaketime or shingled-train is not here")
        return EX_SKIPPED
    folder = args.history or args.keep or pathlib.Path(tempfile.mkdtemp())
    folder.mkdir(exist_ok=True)
    history = folder / "history.db"
    table = folder / "messages.json"
    if not args.history:
        history.unlink(missing_ok=True)
        policy = ROOT / "packaging/policy.yaml"
        overrides = [f"policy.files=[{policy}]", "policy.live=[all]", "history.keep=365d", "history.act_for=0",
                     f"reports.trusted_reporters=[{', '.join(f'user{box:02}@{dated_replay.SITE}' for box in range(dated_replay.MAILBOXES))}]",
                     *args.set]
        mails = dated_replay.read(read_messages(args))
        if args.days:
            begin = time.time() - args.days * dated_replay.DAY
            for place, mail in enumerate(mails):
                mail.date = begin + place * args.days * dated_replay.DAY / len(mails)
        rows = Replay(mails, overrides, history).run()
        table.write_text(json.dumps(rows))
    trial = Trial(args, history, json.loads(table.read_text()))
    asked = [row for row in trial.rows if row["others"]]
    place = int(len(asked) * TEST_FROM)
    moment = asked[place]["date"]
    early = [row for row in trial.rows if row["date"] < moment]
    late = [row for row in asked if row["date"] >= moment]
    print(f"{len(trial.rows)} rows, {len(asked)} of them to people who never report; "
          f"{sum(row['bad'] for row in asked)} bad, {sum(not row['bad'] for row in asked)} wanted\n")
    heads = [f"{part}: {what}" for part in ("all", "first", "later") for what in ("rules", "model", "both")]
    heads += ["0.1 %: rules", "0.1 %: both", "marked: rules", "hit: rules", "marked: both", "hit: both", "calibration error"]
    print("| split | tested | " + " | ".join(heads) + " |")
    print("|---" * (len(heads) + 2) + "|")
    leans = print_split("time", trial, early, late, args.seeds)
    print_split("time, all features", trial, early, late, 1, off=[])
    counts = collections.Counter(row["source"] for row in asked if row["bad"])
    for source in [name for name, count in counts.most_common() if count >= SOURCES_LEAST]:
        tested = [row for row in asked if row["source"] == source]
        if not any(not row["bad"] for row in tested):
            tested += [row for row in late if not row["bad"]]
        ids = {row["id"] for row in tested}
        print_split(source, trial, [row for row in trial.rows if row["source"] != source and row["id"] not in ids], tested, args.seeds)
    print("\nLearning curve, on the last 40 % by time:\n\n| rows | all: both | first: both | all: rules |\n|---|---|---|---|")
    for count in (300, 600, 1200, 2000):
        if count > len(early):
            continue
        taught = early[:: max(1, len(early) // count)][:count]
        lines, _ = trial.ask(taught, late, 1)
        if not lines:
            print(f"| {count} | not trained | | |")
            continue
        run = trial.figures(lines, "all")
        print(f"| {count} | {percent([run['both', 'all', 0]])} | {percent([run['both', 'first', 0]])} "
              f"| {percent([run['rules', 'all', 0]])} |", flush=True)
    if leans:
        print("\nLeans on: " + ", ".join(f"{name} {100 * share:.0f} %" for name, share in leans["features"][:12]))
    if not args.history and not args.keep:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
