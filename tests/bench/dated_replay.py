"""A corpus replayed with the clock of its dates, with people who report: campaigns.py --by-date.

Each message comes at its date (the topmost Received, else Date) to mailboxes of one site, through the milter of its own
daemon, whose clock libfaketime sets. Wanted mail comes between. A campaign of spam or phish comes to the mailboxes of
the people who will report it, and one message after the other to mailboxes of others, who never report it. Its first message
is reported by everybody of the first, at once; so is each later one that was *missed*: not marked in the others' mailbox.
In the run "first only" nothing but the first message is reported.

So that the people are residents, each gets a wanted letter of its own on six of the days before mail that it may report
(`letters`). No wanted mail of the corpus was counted before.
"""

import collections
import contextlib
import dataclasses
import datetime
import email.parser
import email.utils
import glob
import hashlib
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "e2e"), str(ROOT / "packaging")]

import harness  # noqa: E402 (needs the path above)
from milter_client import MilterClient  # noqa: E402

BAD = ("spam", "phish")
SITE = "site.example"
MAILBOXES = 40
PEOPLE_MAX = 10
LETTER_DAYS = range(1, 7)
DAY = 86400
EARLIEST = datetime.datetime(1995, 1, 1, tzinfo=datetime.timezone.utc).timestamp()
STATUS_SYMBOL = re.compile(r"([A-Z0-9_]+)\((-?[0-9.]+)\)")
STARTING = threading.Lock()  # of daemons, which inherit the environment


def library():
    """The library of libfaketime, or None."""
    found = sorted(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1"))
    return found[0] if found else None


def number(*words):
    """A number that is the same in each run."""
    return int.from_bytes(hashlib.sha256(":".join(map(str, words)).encode()).digest()[:8])


def mailboxes_of(group):
    """All mailboxes in an order of this campaign: the first report it, those from PEOPLE_MAX on are the others."""
    boxes = [f"user{box:02}@{SITE}" for box in range(MAILBOXES)]
    return sorted(boxes, key=lambda box: number(group, box))


@dataclasses.dataclass
class Mail:
    """A message of the corpus as it comes."""
    message: object
    data: bytes
    date: float
    sender: str
    client: str
    bulk: bool  # a newsletter or a notice of a program, and not of a mailing list


def is_bulk(header, sender):
    if header.get("List-Post") or header.get("In-Reply-To") or header.get("References"):
        return False
    return bool(header.get("List-Unsubscribe") or header.get("Feedback-ID") or header.get("Auto-Submitted", "no") != "no"
                or header.get("Precedence", "").lower() in ("bulk", "junk")
                or re.match(r"(no-?reply|news|notif|info|service|support|bounce)", sender, re.IGNORECASE))


def date_of(header):
    """Seconds since 1970, or None: without a date that can be right."""
    texts = [text.rpartition(";")[2] for text in header.get_all("Received", [])[:1]] + header.get_all("Date", [])[:1]
    for text in texts:
        try:
            date = email.utils.parsedate_to_datetime(str(text).strip())
            seconds = date.replace(tzinfo=date.tzinfo or datetime.timezone.utc).timestamp()
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
        if EARLIEST <= seconds <= time.time():
            return seconds
    return None


def sender_of(header):
    for name in ("Return-Path", "From"):
        address = email.utils.parseaddr(str(header.get(name, "")))[1]
        if re.fullmatch(r"[!-;=?-~]+@[!-;=?-~]+", address):
            return address
    return "nobody@unknown.example"


def read(messages):
    """The messages with a date, in its order. The others are named."""
    mails = []
    for message in messages:
        data = pathlib.Path(message.path).read_bytes()
        if data.startswith(b"From "):
            data = data.partition(b"\n")[2]  # the separator of an mbox
        header = email.parser.BytesHeaderParser().parsebytes(data)
        date = date_of(header)
        if date is None:
            print(f"left out, no date: {message.name}", file=sys.stderr)
            continue
        sender = sender_of(header)
        place = number("client", sender.rpartition("@")[2].lower())
        client = f"198.{18 + place % 2}.{place // 2 % 256}.{1 + place // 512 % 254}"
        mails.append(Mail(message, data, date, sender, client, is_bulk(header, sender)))
    return sorted(mails, key=lambda mail: (mail.date, mail.message.name))


def letter(box, day):
    """A wanted message with words of its own."""
    dice = random.Random(number("letter", box, day))
    words = ["".join(dice.choice("bdfgklmnprstvw") + dice.choice("aeiou") for _ in range(dice.randint(2, 4)))
             for _ in range(80)]
    text = "\n".join(" ".join(words[at:at + 10]) for at in range(0, 80, 10))
    return (f"From: {words[0].title()} <{words[0]}@{words[1]}.example>\nTo: {box}\nSubject: {' '.join(words[2:6])}\n"
            f"Message-ID: <{words[6]}.{day}@{words[1]}.example>\n\n{text}\n").encode()


def letters(mails, people):
    """(date, mailbox, day) of the letters that make the reporters residents."""
    wanted = {(box, int(mail.date) // DAY - back) for mail in mails if mail.message.kind in BAD
              for box in mailboxes_of(mail.message.group)[:people] for back in LETTER_DAYS}
    return [(day * DAY + DAY / 2, box, day) for box, day in wanted]


class DatedDaemon(harness.Daemon):
    """A daemon whose clock goes on from a date that can be set while it runs."""

    def __init__(self, folder, overrides, config, date):
        super().__init__(folder, overrides, config=config)
        self.file = self.tmp / "clock"
        self.date = 0.0
        self.set(date)

    def set(self, date):
        """Never back: mail of one second comes in its order."""
        self.date = max(self.date, date)
        new = self.tmp / "clock.new"
        new.write_text(f"{self.date - time.time():+.3f}\n")
        new.replace(self.file)

    def start(self):
        values = {"LD_PRELOAD": library(), "FAKETIME_TIMESTAMP_FILE": str(self.file), "FAKETIME_NO_CACHE": "1",
                  "DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1"}
        with STARTING:
            before = dict(os.environ)
            os.environ.update(values)
            try:
                super().start()
            finally:
                os.environ.clear()
                os.environ.update(before)


@dataclasses.dataclass
class Copy:
    """What became of a message in one mailbox."""
    marked: bool
    rejected: bool
    symbols: dict


@dataclasses.dataclass
class Result:
    """What became of a message of the corpus: `others` None = wanted mail, whose copy is `own`."""
    mail: Mail
    own: list
    others: Copy = None
    later: bool = False  # its campaign was reported before
    near: bool = False   # a near-duplicate of it was reported
    fresh: bool = False  # its campaign was reported in the last 14 days


class Replay:
    """One run. `people` report, with `first_only` the first message of a campaign alone. `rules`: ask for the symbols of
    what is rejected, too."""

    def __init__(self, mails, overrides, people, first_only, rules):
        self.mails, self.overrides, self.people, self.first_only, self.rules = mails, overrides, people, first_only, rules
        self.reported, self.near = {}, set()  # campaigns with the date of the last report; clusters
        self.refused = collections.Counter()  # reports that the daemon did not take
        self.count = 0
        self.daemon = self.client = None

    def run(self):
        """The results in the order of the dates."""
        events = [(mail.date, 1, place, mail) for place, mail in enumerate(self.mails)]
        events += [(date, 0, place, (box, day))
                   for place, (date, box, day) in enumerate(sorted(letters(self.mails, self.people)))]
        events.sort(key=lambda event: event[:3])
        results = []
        with tempfile.TemporaryDirectory() as folder, self.serving(folder, events[0][0]):
            for date, _, _, what in events:
                self.daemon.set(date)
                if isinstance(what, Mail):
                    results.append(self.bad(what) if what.message.kind in BAD else self.wanted(what))
                else:
                    self.send(letter(*what), "friend@elsewhere.example", "203.0.113.7", what[0])
            self.client.close()
        for what, times in self.refused.items():
            print(f"{times} reports were not taken: {what}", file=sys.stderr)
        return results

    @contextlib.contextmanager
    def serving(self, folder, date):
        settings = pathlib.Path(folder) / "settings"
        settings.mkdir()
        for file in (ROOT / "packaging/etc/shingled.yaml", *(ROOT / "packaging").glob("policy*.yaml")):
            shutil.copy(file, settings)
        # The wait of packets is measured with the real clock of the kernel.
        fixed = ("storage.queue_wait_max=0", f"reports.domain={SITE}")
        with DatedDaemon(folder, (*fixed, *self.overrides), settings / "shingled.yaml", date) as self.daemon:
            self.client = MilterClient(f"127.0.0.1:{self.daemon.milter_port}")
            yield

    def send(self, data, sender, client, box):
        self.count += 1
        self.client.client_ip = client
        outcome = self.client.send(data, sender, box, f"R{self.count}")
        added = {name: value.strip() for name, value in outcome.added}
        rejected = outcome.action in ("reject", "discard")
        symbols = {name: float(score) for name, score in STATUS_SYMBOL.findall(added.get("X-Shingled-Status", ""))}
        return Copy(rejected or "X-Spam" in added or outcome.action == "quarantine", rejected, symbols)

    def wanted(self, mail):
        box = mailboxes_of(mail.message.name)[0]
        return Result(mail, [self.send(mail.data, mail.sender, mail.client, box)])

    def bad(self, mail):
        group, boxes = mail.message.group, mailboxes_of(mail.message.group)
        others = boxes[PEOPLE_MAX:]
        box = others[number(mail.message.name) % len(others)]
        last = self.reported.get(group)
        result = Result(mail, [], later=last is not None, near=mail.message.cluster in self.near,
                        fresh=last is not None and mail.date - last <= 14 * DAY)
        result.others = self.send(mail.data, mail.sender, mail.client, box)
        if self.rules and result.later and result.others.rejected:
            result.others.symbols = self.symbols(mail, box)
        result.own = [self.send(mail.data, mail.sender, mail.client, own) for own in boxes[:self.people]]
        if last is None or not self.first_only and not result.others.marked:
            for own in boxes[:self.people]:
                self.report(mail.data, own)
            self.reported[group] = mail.date
            self.near.add(mail.message.cluster)
        return result

    def report(self, data, person):
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.status_port, timeout=60)
        connection.request("POST", f"/report?kind=spam&reporter={urllib.parse.quote(person, safe='')}", data,
                           {"X-Shingled": "1"})
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace").strip()
        connection.close()
        if answer.status != 200:
            self.refused[text] += 1

    def symbols(self, mail, box):
        """Of a rejected message, which gets no headers: what scan says."""
        done = self.daemon.run("scan", "--json", "--sender", mail.sender, "--recipient", box, "--client", mail.client,
                               stdin=mail.data)
        if done.returncode != 0:
            return {}
        return {one["symbol"]: one["score"] for one in json.loads(done.stdout)["symbols"]}


class Misuse(Replay):
    """`people` report one wanted message; then all other wanted mail comes, on the same day. `mails` are wanted ones."""

    def __init__(self, mails, overrides, people, reported):
        super().__init__(mails, overrides, people, first_only=True, rules=False)
        self.target = reported

    def run(self):
        """The copies of the other messages, but for near-duplicates of the one that was reported, and one more copy of that."""
        today = int(time.time()) // DAY * DAY
        *boxes, other = mailboxes_of(self.target.message.name)[:self.people + 1]
        days = [today // DAY - back for back in reversed(LETTER_DAYS)]
        with tempfile.TemporaryDirectory() as folder, self.serving(folder, days[0] * DAY):
            for day in days:
                self.daemon.set(day * DAY + DAY / 2)
                for box in boxes:
                    self.send(letter(box, day), "friend@elsewhere.example", "203.0.113.7", box)
            self.daemon.set(today)
            for box in boxes:
                self.send(self.target.data, self.target.sender, self.target.client, box)
            for box in boxes:
                self.report(self.target.data, box)
            copies = [self.wanted(mail).own[0] for mail in self.mails if mail.message.cluster != self.target.message.cluster]
            again = self.send(self.target.data, self.target.sender, self.target.client, other)
            self.client.close()
        return copies, again
