"""What the tests of the rate limits share: a daemon with limits behind a real mail server, and mail for it."""

import contextlib
import json
import smtplib
import unittest
import urllib.request

import harness
from mta import Postfix, SmtpSink

SECONDS = 60
SENDER = "sender@example.net"


def letter(subject):
    return f"From: {SENDER}\r\nTo: somebody@example.org\r\nSubject: {subject}\r\n\r\nHello.\r\n".encode()


class LimitedMail(unittest.TestCase):
    mta_class = Postfix

    def setUp(self):
        reason = self.mta_class.missing()
        if reason:
            self.skipTest(reason)
        self.tmp = harness.temporary_folder(self)
        self.sink = SmtpSink()
        self.addCleanup(self.sink.close)

    def start(self, mta_options=None, **limits):
        """A daemon with these settings of section ratelimit, and a mail server before it."""
        settings = {"file": self.tmp / "ratelimit.db"} | limits
        self.daemon = self.enterContext(harness.Daemon(
            self.tmp, overrides=[f"ratelimit.{key}={value}" for key, value in settings.items()]))
        self.mta = self.enterContext(
            self.mta_class(self.tmp, self.daemon.milter_port, self.sink.port, **(mta_options or {})))

    def session(self):
        return contextlib.closing(smtplib.SMTP("127.0.0.1", self.mta.port, timeout=SECONDS))

    def offer(self, smtp, *recipients, message=None):
        """One message: the replies to each RCPT, and the one to its end if anybody was taken."""
        self.assertEqual(250, smtp.mail(SENDER)[0])
        replies = [smtp.rcpt(recipient) for recipient in recipients]
        end = None
        if any(code == 250 for code, _ in replies):
            end = smtp.data(message or letter("for " + recipients[0]))
        smtp.rset()
        return replies, end

    def assert_taken(self, reply):
        self.assertEqual(250, reply[0], f"{reply}\n{self.daemon.log()}")

    def assert_put_off(self, reply):
        self.assertEqual(451, reply[0], f"{reply}\n{self.daemon.log()}")
        self.assertTrue(reply[1].startswith(b"4.7.1 "), reply)
        self.assertNotIn(b"bucket", reply[1])
        self.assertNotIn(b"limit", reply[1])

    def fill_by_a_burst_of_two(self, smtp):
        """Two messages for full@example.org pass; the third does for another recipient, not for this one."""
        for _ in range(2):
            (reply,), end = self.offer(smtp, "full@example.org")
            self.assert_taken(reply)
            self.assertEqual(250, end[0], end)
        (full, other), end = self.offer(smtp, "full@example.org", "other@example.org")
        self.assert_put_off(full)
        self.assert_taken(other)
        self.assertEqual(250, end[0], end)

    def passes(self, *recipients):
        with self.session() as smtp:
            replies, end = self.offer(smtp, *recipients)
            return all(code == 250 for code, _ in replies) and end[0] == 250

    def held(self, key):
        """What a bucket holds; 0 if it is empty."""
        done = self.daemon.run("buckets", "show", "--json", key)
        self.assertIn(done.returncode, (0, 66), done.stderr)
        return json.loads(done.stdout)["drops"] if done.returncode == 0 else 0

    def metrics(self, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.daemon.status_port}/stat", timeout=SECONDS) as page:
            return json.load(page)["metrics"].get(name, [])

    def metric(self, name):
        return sum(sample["value"] for sample in self.metrics(name))

    def drops(self, event):
        return {sample["labels"]["type"]: sample["value"] for sample in self.metrics("shingled_ratelimit_drops")
                if sample["labels"]["event"] == event}
