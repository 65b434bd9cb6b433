"""What the tests of the counters share: a daemon that counts behind a real Postfix, mail for it, and the sums that a
list of all its messages gives."""

import base64
import collections
import contextlib
import hashlib
import json
import smtplib
import time
import unittest
import urllib.request

import harness
from mta import Postfix, SmtpSink

SECONDS = 120
SENDER = "news@sender.example.net"
LINKS = ("one.link.example.com", "two.link.example.com", "other.example.org")
# In how many messages: all, every second, every fifth.
LINK_STEPS = dict(zip(LINKS, (1, 2, 5)))
FILES = {"invoice.pdf": b"%PDF-1.7\n" + b"x" * 2000, "data.bin": bytes(range(256)) * 8}
FILE_STEPS = {"invoice.pdf": 1, "data.bin": 4}
# Postfix is a client of 127.0.0.1, which is local by default: its mail would count as sent.
INCOMING = "milter.local_networks=[192.0.2.0/24]"


def chosen(steps, number):
    return [name for name, step in steps.items() if number % step == 0]


def checksum(name):
    """As the fuzzy protocol has it: BLAKE2b with the usual key of rspamd."""
    return hashlib.blake2b(FILES[name], key=hashlib.blake2b(b"rspamd").digest()).hexdigest()


def letter(number, sender=SENDER):
    """A message with links and attachments. Its text is the same in all."""
    lines = [f"From: News <{sender}>", "To: list@example.org", f"Subject: Offer {number:03}",
             f"Message-ID: <{number}@mail.example.net>", "MIME-Version: 1.0",
             "Content-Type: multipart/mixed; boundary=xx", "",
             "--xx", "Content-Type: text/plain", "",
             " ".join(f"word{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(80)),
             *(f"See https://{host}/a/{number}" for host in chosen(LINK_STEPS, number))]
    for name in chosen(FILE_STEPS, number):
        lines += ["--xx", f"Content-Type: application/octet-stream; name=\"{name}\"",
                  "Content-Transfer-Encoding: base64", "", base64.encodebytes(FILES[name]).decode().replace("\n", "\r\n")]
    return "\r\n".join([*lines, "--xx--", ""]).encode()


class Tally:
    """What was sent, and the mass of each piece by it."""

    def __init__(self):
        self.mass = collections.Counter()

    def sent(self, number, recipient, sender=SENDER):
        pieces = [("sender", sender), ("sender_domain", "example.net"), ("client", "127.0.0.1"),
                  ("recipient", recipient), ("subject", "offer 000"), ("exact_subject", f"Offer {number:03}"),
                  ("sender_recipient", sender, recipient), ("recipient_sender", recipient, sender),
                  ("client_sender", "127.0.0.1", sender)]
        pieces += [("link_host", host) for host in chosen(LINK_STEPS, number)]
        for name in chosen(FILE_STEPS, number):
            pieces += [("attachment_name", name), ("attachment", checksum(name)),
                       ("attachment_recipient", checksum(name), recipient)]
        self.mass.update(pieces)

    def different(self):
        """The mass of the unique types, by the pairs of one day."""
        unique = {"sender_recipient": "unique_recipients", "recipient_sender": "unique_recipient_senders",
                  "client_sender": "unique_senders", "attachment_recipient": "unique_attachment_recipients"}
        return collections.Counter((unique[piece[0]], piece[1]) for piece in self.mass if piece[0] in unique)


class Counted(unittest.TestCase):
    """A daemon and a Postfix, that end with the test."""

    def setUp(self):
        reason = Postfix.missing()
        if reason:
            self.skipTest(reason)
        self.tmp = harness.temporary_folder(self)
        self.sink = SmtpSink()
        self.addCleanup(self.sink.close)
        self.tally = Tally()

    def start(self, main_cf=(), overrides=()):
        self.daemon = self.enterContext(harness.Daemon(self.tmp, overrides=overrides))
        self.serve_mail(self.daemon, main_cf)

    def serve_mail(self, daemon, main_cf=()):
        self.mta = self.enterContext(Postfix(self.tmp, daemon.milter_port, self.sink.port, main_cf=main_cf))

    def session(self):
        return contextlib.closing(smtplib.SMTP("127.0.0.1", self.mta.port, timeout=SECONDS))

    def offer(self, smtp, message, recipients, sender=SENDER):
        """The replies to each RCPT, and the one to its end if anybody was taken."""
        self.assertEqual(250, smtp.mail(sender)[0])
        codes = [smtp.rcpt(recipient)[0] for recipient in recipients]
        end = smtp.data(message)[0] if 250 in codes else None
        smtp.rset()
        return codes, end

    def send(self, numbers, recipients):
        """Messages of one sender, each to the next of the recipients; the tally has them."""
        with self.session() as smtp:
            smtp.ehlo("client.example.net")
            for number in numbers:
                recipient = recipients[number % len(recipients)]
                self.assertEqual(([250], 250), self.offer(smtp, letter(number), [recipient]))
                self.tally.sent(number, recipient)

    def wait_for_a_long_day(self):
        """A pair is new again on the next day."""
        harness.wait_until(lambda: time.time() % 86400 < 86400 - SECONDS, 2 * SECONDS, "the day is not about to end")

    def metrics(self, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.daemon.status_port}/stat", timeout=SECONDS) as page:
            return json.load(page)["metrics"].get(name, [])

    def metric(self, name):
        return sum(sample["value"] for sample in self.metrics("shingled_counting_" + name))

    def wait_for(self, name, value):
        harness.wait_until(lambda: self.metric(name) == value, SECONDS, f"{name} is {value}")

    def events(self):
        """The log without a line for each message."""
        return "".join(line for line in self.daemon.log().splitlines(True) if " info message " not in line)

    def command(self, *arguments, **options):
        """The lines of a command of the counters."""
        done = self.daemon.run("counters", *arguments, **options)
        self.assertEqual(0, done.returncode, f"{arguments}: {done.stdout}{done.stderr}\n{self.events()}")
        return done.stdout.splitlines()

    def shown(self, *piece, space="in", window="14d"):
        line, = self.command("show", "--json", "--exact", "--space", space, *piece)
        return json.loads(line)["sums"][window]

    def top(self, kind, *options):
        return [(one["piece"], one["count"]) for one in
                map(json.loads, self.command("top", "--json", "--space", "in", "--type", kind, *options))]

    def asked(self, pieces):
        """The mass of the last 14 days of each piece, by the running daemon; None = it is not known."""
        body = {"space": "in", "windows": ["14d"],
                "pieces": [{"type": kind, "piece": texts[0] if len(texts) == 1 else texts} for kind, *texts in pieces]}
        request = urllib.request.Request(f"http://127.0.0.1:{self.daemon.status_port}/counters/ask",
                                         data=json.dumps(body).encode(), headers={"X-Shingled": "1"})
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            counters = json.load(answer)["counters"]
        return {piece: counter["sums"][0].get("mass", 0) if counter["known"] else None
                for piece, counter in zip(pieces, counters)}

    def export(self):
        return sorted(self.command("export"))
