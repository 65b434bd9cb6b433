# Covers packaging/etc/shingled.yaml, packaging/policy.yaml.
"""A day of some mailboxes with the settings as they are installed: real Postfix, real Dovecot, the junk button, and
what each mailbox sees of the next messages."""

import pathlib
import time
import unittest

import harness
from counted_mail import INCOMING
from dovecot import Dovecot, shared_files
from harness import wait_until
from mta import Postfix, SmtpSink, swaks
from test_people import copy, letter, some_words

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 60
NEWS = ("This week our gardeners plant tulips and daffodils for the coming spring, and they tell you how deep each bulb "
        "wants to sleep below the earth until the first warm days of March.")


@unittest.skipIf(Dovecot.missing() or Postfix.missing(), Dovecot.missing() or Postfix.missing())
class Mailboxes(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        etc = self.tmp / "etc"
        etc.mkdir()
        for source in (ROOT / "packaging" / "etc" / "shingled.yaml", ROOT / "packaging" / "policy.yaml"):
            (etc / source.name).write_text(source.read_text())
        # Postfix is a client of 127.0.0.1, which is local by default: its mail would count as sent.
        self.daemon = self.enterContext(harness.Daemon(self.tmp, ["reports.domain=example.org", INCOMING],
                                                       config=etc / "shingled.yaml"))
        spool = self.tmp / "spool"
        spool.mkdir()
        spool.chmod(0o1777)
        clients = self.tmp / "users.yaml"
        clients.write_text(f"http: {{listen: \"127.0.0.1:{self.daemon.status_port}\"}}\n")
        share = self.tmp / "share"
        shared_files(share, clients, spool)
        self.dovecot = Dovecot(self.tmp)
        done = self.daemon.run(*self.dovecot.setup(share), "--apply")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.enterContext(self.dovecot)
        self.sink = SmtpSink()
        self.addCleanup(self.sink.close)
        self.postfix = self.enterContext(Postfix(self.tmp, self.daemon.milter_port, self.sink.port))
        self.reports = 0

    def send(self, box, message):
        """By SMTP to a mailbox; says where it is: INBOX, Junk, or refused."""
        name = message.split(b"Message-ID: ")[1].split(b"\r\n")[0]
        code, said = swaks(self.postfix.port, message, recipient=f"{box}@example.org")
        if code != 0:
            self.assertIn("550 5.7.1", said)
            return "refused"
        before = self.counts(box)
        self.dovecot.deliver(box, self.sink.wait_for(name))
        after = self.counts(box)
        return next(mailbox for mailbox in after if after[mailbox] > before[mailbox])

    def counts(self, box):
        with self.dovecot.session(box) as session:
            return {mailbox: session.count(mailbox) for mailbox in ("INBOX", "Junk")}

    def move(self, box, origin, target):
        """The newest message; returns when the daemon has the report."""
        with self.dovecot.session(box) as session:
            session.move(origin, target, session.count(origin))
        self.reports += 1
        wait_until(lambda: self.daemon.log().count(" report kind=") >= self.reports, SECONDS,
                   "the report arrives\n" + self.dovecot.log())

    def test_the_junk_button_works_for_the_person_for_two_and_for_all(self):
        begin = time.monotonic()
        self.assertEqual("INBOX", self.send("one", copy(1)))
        self.move("one", "INBOX", "Junk")
        self.assertEqual("Junk", self.send("one", copy(2)), self.daemon.log())
        self.assertEqual("INBOX", self.send("two", copy(3)))
        print(f"one person: {time.monotonic() - begin:.1f} s")
        self.move("two", "INBOX", "Junk")
        self.assertEqual("Junk", self.send("three", copy(4)), self.daemon.log())
        print(f"two people: {time.monotonic() - begin:.1f} s")

    def test_five_people_have_it_refused(self):
        begin = time.monotonic()
        offer = [letter(i, f"u{i}@s{i}.example", f"note {i}", f"{some_words(1, 120)} {some_words(i, 3)}")
                 for i in range(8)]
        for number, box in enumerate(("one", "two", "three", "four", "five")):
            self.assertNotEqual("refused", self.send(box, offer[number]))
            with self.dovecot.session(box) as session:
                marked = session.count("Junk") > 0
            if marked:  # it is there already: out and in again, as somebody does who wants to be sure
                self.move(box, "Junk", "INBOX")
            self.move(box, "INBOX", "Junk")
        self.assertEqual("refused", self.send("six", offer[6]), self.daemon.log())
        print(f"five people: {time.monotonic() - begin:.1f} s")

    def test_a_letter_that_is_wanted_stays_in_the_inbox_and_its_sender_can_be_allowed(self):
        issue = [letter(i, "news@garden.example", "The garden letter", f"{NEWS}\r\n{some_words(i, 40)}", proved=True)
                 for i in range(6)]
        for number, box in enumerate(("one", "two")):
            self.assertEqual("INBOX", self.send(box, issue[number]))
            self.move(box, "INBOX", "Junk")
        self.assertEqual("Junk", self.send("three", issue[2]), self.daemon.log())
        self.move("three", "Junk", "INBOX")
        self.assertEqual("INBOX", self.send("three", issue[3]), self.daemon.log())
        self.assertEqual("Junk", self.send("one", issue[4]), "who reported it himself")


if __name__ == "__main__":
    unittest.main()
