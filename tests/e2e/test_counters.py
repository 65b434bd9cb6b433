# Covers storage/open_counters.cpp.
"""The daemon counts mail that comes through a real Postfix: pieces, recipients that were refused, retries."""

import base64
import contextlib
import json
import smtplib
import unittest
import urllib.request

import harness
from mta import Postfix, SmtpSink

SECONDS = 120
SENDER = "news@sender.example.net"
MESSAGES = 200
RECIPIENTS = 150
LINKS = ("one.link.example.com", "two.link.example.com", "other.example.org")


def letter(number, sender=SENDER):
    """A message with three links and two attachments. Its text is the same in all."""
    lines = [f"From: News <{sender}>", "To: list@example.org", f"Subject: Offer {number}",
             f"Message-ID: <{number}@mail.example.net>", "MIME-Version: 1.0",
             "Content-Type: multipart/mixed; boundary=xx", "",
             "--xx", "Content-Type: text/plain", "",
             " ".join(f"word{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(80)),
             *(f"See https://{host}/a/{number}" for host in LINKS),
             "--xx", "Content-Type: application/pdf; name=\"invoice.pdf\"",
             "Content-Transfer-Encoding: base64", "", base64.b64encode(b"%PDF-1.7\n" + b"x" * 2000).decode(),
             "--xx", "Content-Type: application/octet-stream; name=\"data.bin\"",
             "Content-Transfer-Encoding: base64", "", base64.b64encode(bytes(range(256)) * 8).decode(),
             "--xx--", ""]
    return "\r\n".join(lines).encode()


class Counted(unittest.TestCase):
    def setUp(self):
        reason = Postfix.missing()
        if reason:
            self.skipTest(reason)
        self.tmp = harness.temporary_folder(self)
        self.sink = SmtpSink()
        self.addCleanup(self.sink.close)

    def start(self, main_cf=(), overrides=()):
        self.daemon = self.enterContext(harness.Daemon(self.tmp, overrides=overrides))
        self.mta = self.enterContext(Postfix(self.tmp, self.daemon.milter_port, self.sink.port, main_cf=main_cf))

    def session(self):
        return contextlib.closing(smtplib.SMTP("127.0.0.1", self.mta.port, timeout=SECONDS))

    def offer(self, smtp, message, recipients, sender=SENDER):
        """The replies to each RCPT, and the one to its end if anybody was taken."""
        self.assertEqual(250, smtp.mail(sender)[0])
        codes = [smtp.rcpt(recipient)[0] for recipient in recipients]
        end = smtp.data(message)[0] if 250 in codes else None
        smtp.rset()
        return codes, end

    def metrics(self, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.daemon.status_port}/stat", timeout=SECONDS) as page:
            return json.load(page)["metrics"].get(name, [])

    def metric(self, name):
        return sum(sample["value"] for sample in self.metrics("shingled_counting_" + name))

    def wait_for(self, name, value):
        harness.wait_until(lambda: self.metric(name) == value, SECONDS, f"{name} is {value}")


class ThroughPostfix(Counted):
    def test_each_message_is_counted_once(self):
        # Postfix is a client of 127.0.0.1, which is local: its mail would go out.
        self.start(overrides=["milter.local_networks=[192.0.2.0/24]"])
        people = [f"r{i}@example.org" for i in range(RECIPIENTS)]
        with self.session() as smtp:
            smtp.ehlo("client.example.net")
            for number in range(MESSAGES):
                codes, end = self.offer(smtp, letter(number), [people[number % RECIPIENTS]])
                self.assertEqual(([250], 250), (codes, end))
        self.wait_for("messages", MESSAGES)
        self.assertEqual(0, self.metric("failures"))
        self.assertEqual(0, self.metric("retries"))
        self.assertEqual(0, self.metric("pieces_dropped"))
        pieces = self.metric("pieces") / MESSAGES
        self.assertGreater(pieces, 30, "pieces of a message")
        self.assertLess(pieces, 60, "pieces of a message")
        stages = {sample["labels"]["stage"]: sample["value"]["count"]
                  for sample in self.metrics("shingled_counting_stage_seconds")}
        self.assertEqual({"pieces": MESSAGES, "ask": 0, "add": MESSAGES}, stages)
        self.assertRegex(self.daemon.log(), r"started .*counters=")

    def test_recipients_that_the_server_refuses_are_counted_without_a_message(self):
        self.start(main_cf=["smtpd_recipient_restrictions = check_recipient_access inline:{gone@example.org=REJECT}"])
        with self.session() as smtp:
            codes, end = self.offer(smtp, letter(1), ["gone@example.org", "here@example.org"])
            self.assertEqual(([554, 250], 250), (codes, end))
            codes, end = self.offer(smtp, letter(2), ["gone@example.org"] * 3)
            self.assertEqual([554] * 3, codes)
            self.assertEqual(250, smtp.mail(SENDER)[0])
            self.assertEqual(554, smtp.rcpt("gone@example.org")[0])  # and the client is gone
        self.wait_for("refused_recipients", 5)
        self.assertEqual(1, self.metric("messages"))

    def test_refused_recipients_take_no_drops(self):
        self.start(main_cf=["smtpd_recipient_restrictions = check_recipient_access inline:{gone@example.org=REJECT}"],
                   overrides=["ratelimit.rates.ip=[1, 1 / 1h]", f"ratelimit.file={self.tmp / 'ratelimit.db'}"])
        with self.session() as smtp:
            codes, end = self.offer(smtp, letter(1), ["gone@example.org"] * 2)
            self.assertEqual(([554, 554], None), (codes, end))
            codes, end = self.offer(smtp, letter(2), ["gone@example.org", "here@example.org"])
            self.assertEqual(([554, 250], 250), (codes, end))
            codes, end = self.offer(smtp, letter(3), ["here@example.org"])
            self.assertEqual([451], codes, "the limit is reached by what was accepted")
        self.wait_for("refused_recipients", 3)
        self.wait_for("messages", 1)

    def test_a_retry_counts_once(self):
        self.start(overrides=["milter.actions.tempfail=5", "milter.actions.reject=null"])
        message = letter(7)
        done = self.daemon.run("add", "--flag", "denied", "--weight", "20", stdin=message)
        self.assertEqual(0, done.returncode, done.stderr)
        with self.session() as smtp:
            for _ in range(3):
                codes, end = self.offer(smtp, message, ["here@example.org"])
                self.assertEqual(([250], 451), (codes, end))
        self.wait_for("retries", 2)
        self.assertEqual(1, self.metric("messages"))

    def test_a_folder_that_cannot_be_used_leaves_the_mail_alone(self):
        (self.tmp / "counters").write_text("not a folder")
        self.start()
        self.assertIn("counters_off", self.daemon.log())
        with self.session() as smtp:
            self.assertEqual(([250], 250), self.offer(smtp, letter(1), ["here@example.org"]))
        self.assertEqual([], self.metrics("shingled_counting_messages"))

    def test_a_crash_loses_nothing(self):
        self.start()
        with self.session() as smtp:
            self.assertEqual(([250], 250), self.offer(smtp, letter(1), ["here@example.org"]))
        self.wait_for("messages", 1)
        self.daemon.kill9()
        self.daemon.start()
        with self.session() as smtp:
            self.assertEqual(([250], 250), self.offer(smtp, letter(2), ["here@example.org"]))
        self.wait_for("messages", 1)
        self.assertNotIn("counters_off", self.daemon.log())


if __name__ == "__main__":
    unittest.main()
