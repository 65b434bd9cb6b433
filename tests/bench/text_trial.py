#!/usr/bin/env python3
"""Measures what a feature of the words of a text would add to the model: with it and without, on a replay that is kept.

    SHINGLED_BINARY=build/release/milter/shingled tests/bench/text_trial.py --history DIR [--corpus DIR] [--seeds N]
        [--half design|report] [--wanted clear|sure|truth] [--alpha N] [--l1 N] [--l2 N] [--subject] [--wait N] [--all] [--blind]
        [--cuts SHARE...] [--no-sources] [--only-value]

DIR is what model_trial.py --keep made. Its messages come in their order to a linear model over hashed words and pairs of
words (2^20 weights, FTRL-proximal): each is given a value, and learnt after that, as a site could do it. Bad is what was reported, at
its report. Wanted is a sample, as large as the bad ones: *clear*, what the rules give less than half of a mark and
nobody reported while --wait more messages came; *sure*, of these only what the rules give less than nothing; *truth*, what is wanted,
which no site knows, as a bound. The value takes the place of the feature `hour` in a copy of the history, which training
leaves out otherwise, so that shingled-train is the one of the product, with the same rows but for this column.

Words are made here as robust_words() makes them, but for its list of words of notices. --blind: the linear model does
not learn of the source that is tested either; else it learns of its reports, as the counters do. --cuts: which shares of the
messages come before the tested ones.

Figures as those of model_trial.py: found in percent at a threshold that hits no wanted message of the tested ones.
"""

import argparse
import collections
import html
import json
import math
import os
import pathlib
import random
import re
import shutil
import sqlite3
import statistics
import struct
import subprocess
import sys
import tempfile
import unicodedata
import zlib

import dated_replay
import model_trial

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHINGLED = os.environ["SHINGLED_BINARY"]
PLACES = 1 << 20
HOUR = 16                    # its number in rows
OFF = ["header_names", "header_order", "mailer", "list_id", "hour", "language", "html", "address"]
WITH = [name for name in OFF if name != "hour"]
HALF_OF_MARK = 2.0
LEAST_LEARNT = 10            # of both kinds, before there is a value
LEAST_WORDS = 4
QUEUE_MAX = 1000             # messages that wait to be learnt as wanted
LINK = re.compile(r"\b(?:https?://|www\.)\S+|\S+@\S+|\b(?:[\w-]+\.)+[a-z]{2,}\b\S*", re.IGNORECASE)
WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
RULED = re.compile(r"^[\s_=*~#-]{10,}$")
OTHER_MESSAGE = re.compile(r"^-{2,}\s*(original message|forwarded|urspr)", re.IGNORECASE)


def words_of(content):
    """The words of a text, without what changes from copy to copy."""
    lines = content.splitlines()
    for place, line in enumerate(lines):
        if line == "-- " or OTHER_MESSAGE.match(line) or RULED.match(line) and place >= len(lines) / 2 and place >= len(lines) - 25:
            lines = lines[:place]
            break
    text = "\n".join(line for line in lines if not line.lstrip().startswith(">"))
    text = unicodedata.normalize("NFKD", LINK.sub(" ", html.unescape(text)).lower())
    text = "".join(letter for letter in text if not unicodedata.combining(letter))
    words = []
    for word in WORD.findall(text):
        if UNSPACED.search(word):
            words += [word[at:at + 2] for at in range(max(len(word) - 1, 1))]
        elif not any(letter.isdigit() for letter in word) and len(word.encode()) <= 40:
            words.append(word)
    return words[:1024]


def features_of(message, subject):
    """Places of its words and pairs, each once."""
    out = set()
    texts = [words_of(part["content"]) for part in message["parts"]]
    if subject:
        texts.append(["subject:" + word for word in words_of(message["subject"])])
    for words in texts:
        out.update(words)
        out.update(f"{one} {two}" for one, two in zip(words, words[1:]))
    return [zlib.crc32(word.encode()) % PLACES for word in sorted(out)] if len(out) >= LEAST_WORDS else []


def read_texts(corpus, rows, subject):
    files = sorted({row["file"] for row in rows})
    out = {}
    for begin in range(0, len(files), 200):
        done = subprocess.run([SHINGLED, "hash", "--stages", *(corpus / file for file in files[begin:begin + 200])],
                              capture_output=True, text=True)
        for line in done.stdout.splitlines():
            message = json.loads(line)
            if "parts" in message:
                out[str(pathlib.Path(message["file"]).relative_to(corpus))] = features_of(message, subject)
    return out


class Linear:
    """FTRL-proximal. A text counts by the root of the number of its words."""

    def __init__(self, alpha, beta, l1, l2):
        self.alpha, self.beta, self.l1, self.l2 = alpha, beta, l1, l2
        self.z, self.n = collections.defaultdict(float), collections.defaultdict(float)

    def weight(self, place):
        z = self.z.get(place, 0.0)
        if abs(z) <= self.l1:
            return 0.0
        return -(z - math.copysign(self.l1, z)) / ((self.beta + math.sqrt(self.n[place])) / self.alpha + self.l2)

    def margin(self, places):
        return sum(self.weight(place) for place in places) / math.sqrt(len(places))

    def learn(self, places, bad):
        value = 1 / math.sqrt(len(places))
        wrong = 1 / (1 + math.exp(-max(-30.0, min(30.0, self.margin(places))))) - bad
        step = wrong * value
        for place in places:
            weight = self.weight(place)
            sigma = (math.sqrt(self.n[place] + step * step) - math.sqrt(self.n[place])) / self.alpha
            self.z[place] += step - sigma * weight
            self.n[place] += step * step


class Site:
    """What a site learns of its mail, one message after the other."""

    def __init__(self, args, texts, scores, labels, blind_source=None):
        self.args, self.texts, self.scores, self.labels, self.blind = args, texts, scores, labels, blind_source
        self.linear = Linear(args.alpha, 1.0, args.l1, args.l2)
        self.learnt = {True: 0, False: 0}
        self.queue = collections.deque()
        self.dice = random.Random(1)

    def value(self, row):
        places = self.texts.get(row["file"])
        if not places or min(self.learnt.values()) < LEAST_LEARNT:
            return None
        return self.linear.margin(places)

    def learn(self, row, bad):
        places = self.texts.get(row["file"])
        if places and row["source"] != self.blind:
            self.linear.learn(places, bad)
            self.learnt[bad] += 1

    def came(self, row):
        reported = self.labels[row["id"]] == 1
        if reported and not row["others"]:
            self.learn(row, True)
        score = self.scores[row["id"]]
        wanted = {"clear": score <= HALF_OF_MARK, "sure": score < 0, "truth": not row["bad"]}[self.args.wanted]
        if wanted and not reported and len(self.queue) < QUEUE_MAX:
            self.queue.append((self.args.wait, row))
        self.queue = collections.deque((left - 1, one) for left, one in self.queue)
        while self.queue and self.queue[0][0] < 0:
            _, one = self.queue.popleft()
            if self.learnt[False] <= self.learnt[True] or self.args.all:
                self.learn(one, False)


def varint(data, place):
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, place


def put_varint(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def score_of(details):
    _, place = varint(details, 2)
    return struct.unpack_from("<d", details, place)[0]


def with_value(details, value):
    """A row (milter/history/row_code.cpp) whose hour is a value; None = it has none."""
    _, place = varint(details, 2)
    place += 8
    begin = place
    known, place = varint(details, place)
    kept = []
    for _ in range(known):
        start = place
        key, place = varint(details, place)
        size, place = varint(details, place)
        place += size if key & 1 else 0
        if key >> 1 != HOUR:
            kept.append(details[start:place])
    if value is not None:
        kept.append(put_varint(HOUR << 1) + put_varint(max(0, round(1e6 + 1e4 * value))))
    return details[:begin] + put_varint(len(kept)) + b"".join(kept) + details[place:]


def order_right(pairs):
    """The share of pairs of a bad and a wanted message that are in the right order."""
    bad = [value for value, is_bad in pairs if is_bad]
    wanted = [value for value, is_bad in pairs if not is_bad]
    right = sum((one > two) + 0.5 * (one == two) for one in bad for two in wanted)
    return right / (len(bad) * len(wanted)) if bad and wanted else float("nan")


class TextTrial:
    def __init__(self, args, folder):
        self.args, self.history, self.copy = args, args.history / "history.db", folder / "history.db"
        rows = json.loads((args.history / "messages.json").read_text())
        self.plain = model_trial.Trial(args, self.history, rows)
        self.rows = sorted(self.plain.rows, key=lambda row: int(row["id"][1:]))
        with sqlite3.connect(f"file:{self.history}?mode=ro", uri=True) as db:
            found = db.execute("SELECT queue_id, label, details FROM messages").fetchall()
        self.labels = {row[0]: row[1] for row in found}
        self.details = {row[0]: row[2] for row in found}
        self.rows = [row for row in self.rows if row["id"] in self.details]
        self.scores = {name: score_of(details) for name, details in self.details.items()}
        self.texts = read_texts(args.corpus.resolve(), self.rows, args.subject)
        shutil.copy(self.history, self.copy)
        self.worded = model_trial.Trial(args, self.copy, rows)
        self.values = self.play(None)

    def play(self, blind_source):
        site = Site(self.args, self.texts, self.scores, self.labels, blind_source)
        values = {}
        for row in self.rows:
            values[row["id"]] = site.value(row)
            site.came(row)
        with sqlite3.connect(self.copy) as db:
            db.executemany("UPDATE messages SET details = ? WHERE queue_id = ?",
                           [(with_value(self.details[name], value), name) for name, value in values.items()])
        db.close()
        self.learnt = site.learnt
        return values

    def split(self, name, taught, tested):
        """A line of the table, for each of the two."""
        for title, trial, off in (("without", self.plain, OFF), ("with", self.worded, WITH)):
            runs, trees, orders = [], [], []
            for seed in range(1, self.args.seeds + 1):
                lines, about = trial.ask(taught, tested, seed, off)
                if not lines:
                    print(f"| {name}, {title} | not trained: {about['why']} |")
                    break
                runs.append(trial.figures(lines, self.args.half))
                orders.append(order_right([(one["model"], one["bad"]) for one in lines for row in [trial.of[one["id"]]]
                                           if not one["bad"] or row["first"] and self.args.half in ("all", row["half"])]))
                trees.append(dict(about["features"]).get("hour", 0.0))
            if not runs:
                continue
            cells = [model_trial.percent([run[what, part, 0] for run in runs])
                     for part in ("all", "first", "later") for what in ("model", "both")]
            cells += [model_trial.percent([run["both", "all", key] for run in runs]) for key in ("marked", "hit")]
            cells.append(model_trial.percent([run["calibration"] for run in runs]))
            cells.append(model_trial.percent(orders))
            print(f"| {name} | {title} | " + " | ".join(cells) + f" | {100 * statistics.mean(trees):.1f} |", flush=True)

    def alone(self, tested):
        """How well the value alone puts messages in order."""
        out = []
        for wanted in (lambda row: row["first"], lambda row: not row["first"]):
            pairs = [(self.values[row["id"]], row["bad"]) for row in tested
                     if self.values.get(row["id"]) is not None and
                     (not row["bad"] or wanted(row) and row["half"] == self.args.half)]
            out += [f"{order_right(pairs):.3f}", f"{model_trial.recall(pairs, 0):.3f}"]
        return out

    def against(self, values, tested, bulk):
        """How well first messages are told from newsletters and notices, and from other wanted mail."""
        out = []
        for chosen in (True, False):
            pairs = [(values[row["id"]], row["bad"]) for row in tested if values.get(row["id"]) is not None and
                     (row["first"] and row["half"] == self.args.half if row["bad"] else (row["file"] in bulk) == chosen)]
            out.append(f"{100 * order_right(pairs):.1f} ({sum(not bad for _, bad in pairs)})")
        return ", ".join(out)

    def print_against(self, cut, taught, tested, bulk):
        def said(trial, off):
            return {one["id"]: one["model"] for one in trial.ask(taught, tested, 1, off)[0]}
        print(f"cut {cut}: first messages in order with newsletters and notices, with other wanted mail (how many): "
              f"value alone {self.against(self.values, tested, bulk)}; model without "
              f"{self.against(said(self.plain, OFF), tested, bulk)}; with {self.against(said(self.worded, WITH), tested, bulk)}",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", default=ROOT / "../shared/corpus", type=pathlib.Path)
    parser.add_argument("--history", required=True, type=pathlib.Path)
    parser.add_argument("--seeds", default=5, type=int)
    parser.add_argument("--half", default="report", choices=("design", "report", "all"))
    parser.add_argument("--wanted", default="clear", choices=("clear", "sure", "truth"))
    parser.add_argument("--alpha", default=1.0, type=float)
    parser.add_argument("--l1", default=0.0, type=float)
    parser.add_argument("--l2", default=1.0, type=float)
    parser.add_argument("--wait", default=50, type=int)
    parser.add_argument("--cuts", default=[model_trial.TEST_FROM], type=float, nargs="+")
    parser.add_argument("--subject", action="store_true")
    parser.add_argument("--all", action="store_true", help="learn all wanted mail, not as many as bad")
    parser.add_argument("--blind", action="store_true")
    parser.add_argument("--no-sources", action="store_true")
    parser.add_argument("--only-value", action="store_true", help="not the model, the value alone")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trial = TextTrial(args, pathlib.Path(folder))
        rows = sorted(trial.rows, key=lambda row: row["date"])
        asked = [row for row in rows if row["others"]]
        print(f"learnt: {trial.learnt[True]} bad, {trial.learnt[False]} wanted; "
              f"{sum(value is not None for value in trial.values.values())} of {len(rows)} rows have a value\n")
        for cut in args.cuts:
            moment = asked[int(len(asked) * cut)]["date"]
            late = [row for row in asked if row["date"] >= moment]
            print(f"cut {cut}: pairs in order, found at no wanted, of first and of later messages: " + ", ".join(trial.alone(late)))
        if args.only_value:
            return 0
        bulk = {mail.message.name for mail in dated_replay.read(model_trial.read_messages(args)) if mail.bulk}
        for cut in args.cuts:
            moment = asked[int(len(asked) * cut)]["date"]
            trial.print_against(cut, [row for row in rows if row["date"] < moment],
                                [row for row in asked if row["date"] >= moment], bulk)
        heads = [f"{part}: {what}" for part in ("all", "first", "later") for what in ("model", "both")]
        heads += ["marked", "hit", "calibration error", "first in order: model", "of its gain by the text"]
        print("\n| tested on | text | " + " | ".join(heads) + " |\n" + "|---" * (len(heads) + 2) + "|")
        for cut in args.cuts:
            moment = asked[int(len(asked) * cut)]["date"]
            trial.split(f"the last {100 * (1 - cut):.0f} % by time", [row for row in rows if row["date"] < moment],
                        [row for row in asked if row["date"] >= moment])
        if args.no_sources:
            return 0
        late = [row for row in asked if row["date"] >= asked[int(len(asked) * model_trial.TEST_FROM)]["date"]]
        counts = collections.Counter(row["source"] for row in asked if row["bad"])
        for source in [name for name, count in counts.most_common() if count >= model_trial.SOURCES_LEAST]:
            if args.blind:
                trial.values = trial.play(source)
            tested = [row for row in asked if row["source"] == source]
            if not any(not row["bad"] for row in tested):
                tested += [row for row in late if not row["bad"]]
            ids = {row["id"] for row in tested}
            print(f"value alone, {source}: " + ", ".join(trial.alone(tested)), file=sys.stderr)
            trial.split(source, [row for row in rows if row["source"] != source and row["id"] not in ids], tested)
    return 0


if __name__ == "__main__":
    sys.exit(main())
