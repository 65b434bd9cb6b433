"""The main job through real mail servers: a message passes, is learnt, its near-duplicate is refused.

Each step is one promise of the README; the same class runs with Postfix and with Sendmail.
"""

import pathlib
import sys
import unittest

import harness
from mta import Postfix, Sendmail, SmtpSink, swaks

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "samples"
OURS = (b"X-Spam:", b"X-Shingled-Score:", b"X-Shingled-Status:", b"X-Shingled-Result:")


def sample(name, *, subject):
    """A shipped sample under its own subject, by which the sink finds it again."""
    lines = (SAMPLES / name).read_bytes().split(b"\n")
    return b"\n".join(b"Subject: " + subject if line.startswith(b"Subject:") else line for line in lines)


def header_lines(message):
    return message.replace(b"\r\n", b"\n").partition(b"\n\n")[0].split(b"\n")


class MainJob:
    mta_class = None

    def setUp(self):
        reason = self.mta_class.missing()
        if reason:
            self.skipTest(reason)
        self.tmp = harness.temporary_folder(self)
        self.daemon = self.enterContext(harness.Daemon(self.tmp))
        self.sink = SmtpSink()
        self.addCleanup(self.sink.close)
        self.mta = self.enterContext(self.mta_class(self.tmp, self.daemon.milter_port, self.sink.port))

    def send(self, message):
        return swaks(self.mta.port, message)

    def delivered(self, message, subject):
        code, dialogue = self.send(message)
        self.assertEqual(0, code, f"{dialogue}\n{self.mta.log()}\n{self.daemon.log()}")
        return self.sink.wait_for(b"Subject: " + subject)

    def assert_refused(self, message):
        code, dialogue = self.send(message)
        self.assertNotEqual(0, code, f"{dialogue}\n{self.daemon.log()}")
        self.assertRegex(dialogue, r"<\*\*\s+5\d\d 5\.7\.\d ")

    def learn(self, name, weight):
        done = self.daemon.run("add", "--flag", "denied", "--weight", str(weight),
                               stdin=(SAMPLES / name).read_bytes())
        self.assertEqual(0, done.returncode, done.stderr)

    def ours_in(self, message):
        return [line for line in header_lines(message) if line.startswith(OURS)]

    def test_a_message_passes_is_learnt_and_its_near_duplicate_is_refused(self):
        passed = self.delivered(sample("1-offer.eml", subject=b"first"), b"first")
        self.assertNotIn(b"X-Spam: Yes", passed)

        self.learn("1-offer.eml", 20)
        self.assert_refused(sample("2-offer-again.eml", subject=b"again"))
        letter = self.delivered(sample("3-letter.eml", subject=b"letter"), b"letter")
        self.assertNotIn(b"X-Spam: Yes", letter)

        self.daemon.kill9()
        self.daemon.restart()
        self.assert_refused(sample("2-offer-again.eml", subject=b"after the crash"))

    def test_below_the_threshold_a_message_gets_the_headers(self):
        self.learn("1-offer.eml", 4)
        marked = self.delivered(sample("1-offer.eml", subject=b"marked"), b"marked")
        ours = b"\n".join(self.ours_in(marked))
        self.assertIn(b"X-Spam: Yes", ours)
        self.assertRegex(ours, rb"X-Shingled-Score: \d+\.\d")
        self.assertRegex(ours, rb"X-Shingled-Result: .*FUZZY_DENIED")

    def test_forged_headers_of_the_sender_are_gone(self):
        forged = (b"x-shingled-SCORE: -99\nX-Shingled-Status: No, score=-99\n folded\nX-Shingled-Result: FORGED\n"
                  b"X-Shingled-Score: -99\n")
        message = self.delivered(forged + sample("3-letter.eml", subject=b"forged"), b"forged")
        head = b"\n".join(header_lines(message))
        self.assertNotIn(b"-99", head)
        self.assertNotIn(b"FORGED", head)

    def test_the_verdict_of_a_filter_before_us_stays(self):
        theirs = [b"X-Spam: Yes", b"X-Spam-Status: Yes, score=9.1 required=5.0 tests=BAYES_99", b"X-Spam-Score: 9.1",
                  b"X-Spamd-Result: default: True [9.10 / 15.00]", b"X-Fuzzy-Result: theirs"]
        message = self.delivered(b"\n".join(theirs) + b"\n" + sample("3-letter.eml", subject=b"judged"), b"judged")
        self.assertEqual(theirs, [line for line in header_lines(message) if line in theirs])

    def test_mail_passes_while_the_daemon_is_away(self):
        self.daemon.kill9()
        self.delivered(sample("3-letter.eml", subject=b"without us"), b"without us")


class ThroughPostfix(MainJob, unittest.TestCase):
    mta_class = Postfix


class ThroughSendmail(MainJob, unittest.TestCase):
    mta_class = Sendmail


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
