# Covers packaging/dovecot and packaging/postfix.
"""Reports by moves of mail in a real Dovecot with IMAPSieve, and by mail to an address, with the real daemon."""

import json
import os
import shutil
import subprocess
import threading
import time
import unittest

import harness
from dovecot import FLUSH_SECONDS, MAIL_USER, Dovecot, shared_files
from harness import wait_until
from mta import Postfix, SmtpSink, swaks
from test_reports import offer

MOVES = int(os.environ.get("SHINGLED_MOVES", "30"))


def letter(number):
    """A message that is unlike all others."""
    words = " ".join(f"{word}{number * 31 + place}" for place, word in enumerate(
        "garden river window market candle mountain letter harbour village winter orchard lantern".split()))
    return f"From: a{number}@example.org\nSubject: {words[:40]}\nMessage-ID: <{number}@example.org>\n\n{words}\n{words[::-1]}\n"


class WithSpool(unittest.TestCase):
    overrides = ("reports.trusted_reporters=[ann, spamtrap]", "reports.trusted_weight=1", "reports.spam.weight=10")

    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.daemon = self.enterContext(harness.Daemon(self.tmp, self.overrides))
        self.spool = self.tmp / "spool"
        self.spool.mkdir()
        self.spool.chmod(0o1777)
        settings = self.tmp / "users.yaml"
        settings.write_text(f"http: {{listen: \"127.0.0.1:{self.daemon.status_port}\"}}\n")
        self.share = self.tmp / "share"
        shared_files(self.share, settings, self.spool)

    def waiting(self):
        return len(list(self.spool.glob("*.report")))

    def reporters(self):
        """Each reporter by its name or hash, with the number of its reports."""
        done = self.daemon.run("reporters", "--json", "--limit", "1000")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return {line.get("name") or line["reporter"]: line["reports"] for line in lines}

    def deliver(self):
        """What the timer does."""
        self.daemon.run("report", "--flush", self.spool)
        return self.waiting() == 0

    def received(self):
        """How many reports the daemon took, when none waits any more."""
        wait_until(self.deliver, FLUSH_SECONDS, "no report waits")
        return self.daemon.run("stat").stdout


@unittest.skipIf(Dovecot.missing(), Dovecot.missing())
class Moves(WithSpool):
    def setUp(self):
        super().setUp()
        self.dovecot = Dovecot(self.tmp)
        setup = self.daemon.run(*self.dovecot.setup(self.share), "--apply")
        self.assertEqual(setup.returncode, 0, setup.stdout + setup.stderr)
        self.assertEqual(len(list((self.dovecot.folder / "compiled").glob("*.svbin"))), 3)
        self.assertEqual(list(self.share.rglob("*.svbin")), [], "in an installation this is below /usr")
        self.enterContext(self.dovecot)

    def test_moves_are_reports(self):
        with self.dovecot.session("ann") as ann:
            for number in range(3):
                ann.append("INBOX", offer(number))
            ann.move("INBOX", "Junk")
            wait_until(lambda: self.daemon.weight(offer(0)) > 0, 30, "the report counts\n" + self.dovecot.log())
            self.assertEqual(self.reporters(), {"ann": 1})
            # What is thrown away is no report.
            ann.move("INBOX", "Trash")
            ann.move("Junk", "Trash")
            self.received()
            self.assertEqual(self.reporters(), {"ann": 1})
            self.assertEqual(ann.count("Trash"), 2)
            self.assertGreater(self.daemon.weight(offer(0)), 0)
            # Out of Trash into Junk, it is reported again, once; from there to the INBOX it is taken back.
            ann.move("Trash", "Junk", 2)
            self.received()
            self.assertEqual(self.reporters(), {"ann": 1})
            ann.move("Junk", "Archive")
            wait_until(lambda: self.daemon.weight(offer(0)) == 0, 60, "the report is taken back\n" + self.dovecot.log())
            self.assertEqual(ann.count("Junk"), 0)
        with self.dovecot.session("bob") as bob:
            bob.append("INBOX", letter(1))
            bob.move("INBOX", "Junk")
        self.received()
        self.assertEqual(sorted(self.reporters().values()), [1, 1], "each is a reporter")
        self.assertNotIn("Error", self.dovecot.log())
        self.assertEqual(list(self.spool.glob("*.refused")), [])

    def test_awkward_users_and_messages(self):
        # Dovecot's own limits of a name: no blanks at the ends, no control characters.
        for number, user in enumerate(("o'neil", 'a "b" $(id) `id`', "-c", "ä ö@例え.jp", "x;y&z|*?")):
            with self.subTest(user=user), self.dovecot.session(user) as session:
                session.append("INBOX", letter(number))
                session.move("INBOX", "Junk")
                self.assertEqual((session.count("INBOX"), session.count("Junk")), (0, 1))
        with self.dovecot.session("ann") as ann:
            for why, message in (("nothing", "\n"), ("no message", "x"), ("50 MB", f"Subject: x\n\n{'y' * (50 << 20)}\n")):
                with self.subTest(why=why):
                    ann.append("INBOX", message)
                    before = ann.count("Junk")
                    begin = time.monotonic()
                    ann.move("INBOX", "Junk")
                    self.assertLess(time.monotonic() - begin, 5)
                    self.assertEqual((ann.count("INBOX"), ann.count("Junk")), (0, before + 1))
        self.received()
        self.assertEqual(sorted(self.reporters().values())[:5], [1] * 5)
        errors = [line for line in self.dovecot.log().splitlines() if "Error" in line]
        self.assertEqual([line.partition("Error: ")[2] for line in errors],
                         ["shingled: -: not reported: longer than reports.bytes_max"])

    def test_a_move_is_done_while_the_daemon_is_away(self):
        self.daemon.kill9()
        with self.dovecot.session("ann") as ann:
            ann.append("INBOX", offer(0))
            begin = time.monotonic()
            ann.move("INBOX", "Junk")
            print(f"a move without the daemon: {time.monotonic() - begin:.2f} s")
            self.assertEqual((ann.count("INBOX"), ann.count("Junk")), (0, 1))
        self.assertEqual(self.waiting(), 1)
        self.daemon.start()
        with self.dovecot.session("bob") as bob:
            bob.append("INBOX", letter(1))
            bob.move("INBOX", "Junk")
        wait_until(lambda: self.waiting() == 0, FLUSH_SECONDS, "the next report delivers both")
        self.assertEqual(sorted(self.reporters().values()), [1, 1])

    def test_a_move_is_done_though_nothing_can_be_kept(self):
        self.spool.chmod(0o700)
        with self.dovecot.session("ann") as ann:
            ann.append("INBOX", offer(0))
            ann.move("INBOX", "Junk")
            self.assertEqual((ann.count("INBOX"), ann.count("Junk")), (0, 1))
        (self.share / "dovecot/bin/shingled-report").unlink()
        with self.dovecot.session("ann") as ann:
            ann.move("Junk", "INBOX")
            self.assertEqual((ann.count("INBOX"), ann.count("Junk")), (1, 0))

    def test_each_of_many_moves_is_reported_once(self):
        stop = threading.Event()

        def kill_and_start():
            while not stop.wait(0.5):
                self.daemon.kill9()
                if not stop.wait(0.5):
                    self.daemon.start()

        with self.dovecot.session("ann") as ann:
            for number in range(MOVES):
                ann.append("INBOX", letter(number))
            begin = time.monotonic()
            killer = threading.Thread(target=kill_and_start)
            killer.start()
            slowest = 0.0
            try:
                for _ in range(MOVES):
                    one = time.monotonic()
                    ann.move("INBOX", "Junk")
                    slowest = max(slowest, time.monotonic() - one)
            finally:
                stop.set()
                killer.join()
            spent = time.monotonic() - begin
            self.assertEqual(ann.count("Junk"), MOVES)
        if self.daemon.process is None:
            self.daemon.start()
        self.received()
        print(f"{MOVES} moves in {spent:.1f} s, the slowest {slowest:.2f} s")
        self.assertEqual(self.reporters(), {"ann": MOVES})
        self.assertEqual(list(self.spool.glob("*.refused")), [])

    @unittest.skipIf(Postfix.missing(), Postfix.missing())
    def test_a_move_has_similar_mail_rejected(self):
        sink = SmtpSink()
        self.addCleanup(sink.close)
        nothing = ("smtpd_milters =", "milter_default_action = tempfail")
        with Postfix(self.tmp, self.daemon.milter_port, sink.port, nothing) as postfix:
            setup = self.daemon.run("setup", "postfix", "--apply", "--config-dir", postfix.folder / "conf")
            self.assertEqual(setup.returncode, 0, setup.stdout + setup.stderr)
            code, said = swaks(postfix.port, offer(1).encode())
            self.assertEqual(code, 0, said)
            message = sink.wait_for(b"<1@example.org>").decode().replace("\r\n", "\n")
            with self.dovecot.session("ann") as ann:
                ann.append("INBOX", message)
                begin = time.monotonic()
                ann.move("INBOX", "Junk")

                def is_rejected():
                    code, said = swaks(postfix.port, offer(2, name="Sir").encode())
                    return said if code != 0 else None

                said = wait_until(is_rejected, 60, "the near-duplicate is rejected\n" + self.daemon.log())
            print(f"from the move to the rejection: {time.monotonic() - begin:.2f} s")
            self.assertIn("550 5.7.1", said)


@unittest.skipIf(Dovecot.missing(), Dovecot.missing())
class Discarded(WithSpool):
    """What leaves the mailbox of spam, but is not wanted."""

    def start(self, mailboxes, expunged="", again=True):
        dovecot = Dovecot(self.tmp, {"Junk": "\\Junk", "Trash": "\\Trash", "Archive": "", **mailboxes})
        arguments = (*dovecot.setup(self.share), "--apply")
        self.assertEqual(self.daemon.run(*arguments).returncode, 0)
        if expunged:
            (dovecot.conf / "conf.d/11-lazy.conf").write_text(
                f"mail_plugins = $mail_plugins lazy_expunge\nplugin {{\n  lazy_expunge = {expunged}\n}}\n")
            if again:
                self.assertEqual(self.daemon.run(*arguments).returncode, 0)
        self.enterContext(dovecot)
        return dovecot

    def kinds(self, dovecot, moves):
        """The reports of these moves of one message, and then of another one to the Archive: Dovecot goes on at once, but
        reports are in the order of the moves."""
        self.daemon.kill9()
        with dovecot.session("ann") as ann:
            ann.append("Junk", letter(1))
            for source, target in moves:
                ann.move(source, target)
            ann.append("Junk", letter(2))
            ann.move("Junk", "Archive", ann.count("Junk"))
        def all_kinds():
            reports = [json.loads(file.read_text().partition("\n")[0]) for file in sorted(self.spool.glob("*.report"))]
            texts = [file.read_text() for file in sorted(self.spool.glob("*.report"))]
            kinds = [one["kind"] for one in reports]
            return kinds if any("<2@example.org>" in text for text in texts) else None
        kinds = wait_until(all_kinds, 30, "the last move is reported\n" + dovecot.log())
        self.assertNotIn("Error", dovecot.log())
        self.assertEqual(kinds[-1], "ham")
        return kinds[:-1]

    def test_a_move_to_a_mailbox_below_it_and_back(self):
        dovecot = self.start({"Junk.old": ""})
        self.assertEqual(self.kinds(dovecot, [("Junk", "Junk.old"), ("Junk.old", "Junk")]), [])

    def test_a_move_to_one_with_a_similar_name_is_wanted(self):
        dovecot = self.start({"Junkyard": ""})
        self.assertEqual(self.kinds(dovecot, [("Junk", "Junkyard")]), ["ham"])

    def test_lazy_expunge_that_came_after_the_setup(self):
        dovecot = self.start({"EXPUNGED": ""}, "EXPUNGED", again=False)
        self.assertEqual(self.kinds(dovecot, [("Junk", "Trash")]), [])

    def test_lazy_expunge_of_another_name(self):
        dovecot = self.start({"Weggeworfen": ""}, "Weggeworfen")
        self.assertEqual(self.kinds(dovecot, [("Junk", "Trash")]), [])


@unittest.skipIf(Dovecot.missing(), Dovecot.missing())
class OtherNames(WithSpool):
    def test_mailboxes_of_another_language_below_a_prefix(self):
        mailboxes = {"Нежелательная почта": "\\Junk \\Flagged", "Papelera & más": "\\Trash", "Archive": ""}
        dovecot = Dovecot(self.tmp, mailboxes, prefix="INBOX.")
        arguments = dovecot.setup(self.share)
        setup = self.daemon.run(*arguments, "--apply")
        self.assertEqual(setup.returncode, 0, setup.stdout + setup.stderr)
        junk, trash = "INBOX.Нежелательная почта", "INBOX.Papelera & más"
        with dovecot, dovecot.session("ann") as ann:
            ann.append("INBOX", offer(0))
            ann.move("INBOX", junk)
            wait_until(lambda: self.daemon.weight(offer(0)) > 0, 30, "the report counts\n" + dovecot.log())
            ann.move(junk, trash)
            self.received()
            self.assertGreater(self.daemon.weight(offer(0)), 0, "what is thrown away is no report")
            ann.move(trash, junk)
            self.received()
            ann.move(junk, "INBOX.Archive")
            wait_until(lambda: self.daemon.weight(offer(0)) == 0, 60, "the report is taken back\n" + dovecot.log())
        self.assertNotIn("Error", dovecot.log())

    def test_plugins_that_are_added_later_count(self):
        dovecot = Dovecot(self.tmp)
        arguments = dovecot.setup(self.share)
        self.assertEqual(self.daemon.run(*arguments, "--apply").returncode, 0)
        (dovecot.conf / "conf.d/20-imap.conf").write_text("protocol imap {\n  mail_plugins = $mail_plugins imap_quota\n}\n")
        self.assertEqual(self.daemon.run(*arguments, "--check").returncode, 0)
        said = harness.run("-c", dovecot.conf / "dovecot.conf", "-f", "protocol=imap", "-h", "mail_plugins", binary="doveconf")
        self.assertEqual(said.stdout.split(), ["imap_quota", "imap_sieve"])


def judged(subject, *headers):
    """A message as the milter passes it on."""
    lines = "".join(f"{header}\n" for header in headers)
    return f"From: a@example.org\nSubject: {subject}\n{lines}\nhello\n"


@unittest.skipIf(Dovecot.missing(), Dovecot.missing())
class Delivery(WithSpool):
    """Mail that was marked is delivered to the mailbox of spam."""

    overrides = (*WithSpool.overrides, "milter.actions.reject=1000")
    MARKED = ("X-Spam: Yes", "X-Shingled-Status: Yes, score=6.90 required=4.00 action=add_header\n\tsymbols=X(6.90)")

    def start(self, *arguments, **how):
        self.dovecot = Dovecot(self.tmp, **how)
        self.set_up("--apply", *arguments)
        return self.enterContext(self.dovecot)

    def set_up(self, *arguments, code=0):
        done = self.daemon.run(*self.dovecot.setup(self.share), *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def test_what_is_marked_and_nothing_else(self):
        dovecot = self.start()
        yes, = (line for line in self.MARKED if "Status" in line)
        for subject, *headers in (
                ("unknown",), ("marked", *self.MARKED), ("mark has no name", yes),
                ("seen", "X-Shingled-Status: No, score=1.97 required=4.00 action=pass symbols=X(1.97)", "X-Spam: Yes"),
                ("of another filter", "X-Spam: Yes", "X-Spam-Status: Yes, score=9"),
                ("marked without all servers", "X-Spam: Yes", "X-Shingled-Status: Unknown, score=6.90, reason=timeout"),
                ("unknown without all servers", "X-Shingled-Status: Unknown, score=0.00, reason=timeout")):
            dovecot.deliver("ann", judged(subject, *headers))
        with dovecot.session("ann") as ann:
            self.assertEqual(ann.subjects("Junk"), ["marked", "mark has no name", "marked without all servers"])
            self.assertEqual(ann.subjects("INBOX"), ["unknown", "seen", "of another filter", "unknown without all servers"])
        self.assertNotIn("Error", dovecot.log())

    def test_it_is_no_report_and_a_move_out_of_it_is(self):
        dovecot = self.start()
        self.daemon.kill9()  # so that reports stay in the spool
        dovecot.deliver("ann", judged("marked", *self.MARKED))
        with dovecot.session("ann") as ann:
            self.assertEqual(ann.count("Junk"), 1)
            self.assertEqual(self.waiting(), 0)
            ann.move("Junk", "INBOX")
        wait_until(self.waiting, 30, "the move is a report\n" + dovecot.log())
        report, = self.spool.glob("*.report")
        self.assertEqual(json.loads(report.read_text().partition("\n")[0])["kind"], "ham")

    def test_before_the_scripts_of_the_user_and_not_for_what_is_delivered_to_junk(self):
        dovecot = self.start()
        home = dovecot.mail / "ann"
        home.mkdir()
        (home / ".dovecot.sieve").write_text('require "fileinto";\nfileinto "Archive";\n')
        for path in (home, home / ".dovecot.sieve"):
            shutil.chown(path, MAIL_USER)
        for subject, mailbox, *headers in (("mine", "INBOX"), ("marked", "INBOX", *self.MARKED),
                                           ("marked, to another", "Trash", *self.MARKED),
                                           ("marked, to Junk", "Junk", *self.MARKED)):
            dovecot.deliver("ann", judged(subject, *headers), mailbox)
        with dovecot.session("ann") as ann:
            self.assertEqual(ann.subjects("Junk"), ["marked", "marked, to another"])
            self.assertEqual(ann.subjects("Archive"), ["mine", "marked, to Junk"], "the rule left it to the script of the user")

    def test_a_mailbox_that_nobody_made_yet(self):
        dovecot = self.start(mailboxes={"Unerwünscht & mehr": "\\Junk"}, prefix="INBOX.", auto="no")
        for subject in ("first", "second"):
            dovecot.deliver("ann", judged(subject, *self.MARKED))
        with dovecot.session("ann") as ann:
            self.assertEqual(ann.subjects("INBOX.Unerwünscht & mehr"), ["first", "second"])
            self.assertEqual(ann.count("INBOX"), 0)
        self.assertNotIn("Error", dovecot.log())

    def test_headers_of_other_names(self):
        dovecot = self.start("-o", "milter.headers.status=X-Ours", "-o", "milter.headers.spam=X-Ours-Spam")
        for subject, *headers in (("marked", "X-Ours: Yes, score=6"), ("not ours", *self.MARKED),
                                  ("marked without all servers", "X-Ours: Unknown, score=6", "X-Ours-Spam: Yes")):
            dovecot.deliver("ann", judged(subject, *headers))
        with dovecot.session("ann") as ann:
            self.assertEqual(ann.subjects("Junk"), ["marked", "marked without all servers"])

    def test_it_can_be_left_out_and_taken_out(self):
        dovecot = self.start("--no-junk-rule")
        self.set_up("--check", "--no-junk-rule")
        self.assertIn("marked-to-junk", self.set_up("--check", code=78))
        dovecot.deliver("ann", judged("left out", *self.MARKED))
        self.set_up("--apply")
        self.set_up("--check")
        dovecot.deliver("ann", judged("in force", *self.MARKED))
        self.set_up("--check", "--no-junk-rule", code=78)
        self.set_up("--remove")
        dovecot.deliver("ann", judged("taken out", *self.MARKED))
        with dovecot.session("ann") as ann:
            self.assertEqual(ann.subjects("Junk"), ["in force"])
            self.assertEqual(ann.subjects("INBOX"), ["left out", "taken out"])
        self.assertEqual(self.daemon.run("setup", "postfix", "--no-junk-rule").returncode, 64)

    def test_without_the_script_mail_is_delivered(self):
        dovecot = self.start()
        for file in (self.share / "dovecot").glob("marked-to-junk.*"):
            file.unlink()
        dovecot.deliver("ann", judged("marked", *self.MARKED))
        with dovecot.session("ann") as ann:
            self.assertEqual(ann.subjects("INBOX"), ["marked"])

    @unittest.skipIf(Postfix.missing(), Postfix.missing())
    def test_a_stranger_cannot_mark_and_what_was_reported_is_marked(self):
        dovecot = self.start()
        sink = SmtpSink()
        self.addCleanup(sink.close)
        with Postfix(self.tmp, self.daemon.milter_port, sink.port) as postfix:
            def delivered(number, *headers):
                text = "".join(f"{header}\n" for header in headers) + offer(number)
                code, said = swaks(postfix.port, text.encode())
                self.assertEqual(code, 0, said)
                message = sink.wait_for(f"<{number}@example.org>".encode())
                dovecot.deliver("ann", message)
                return message
            # The milter removes it (milter.headers.remove); X-Spam may be of a filter before us, and says nothing here.
            passed = delivered(1, *self.MARKED)
            self.assertIn(b"X-Spam: Yes", passed)
            self.assertNotIn(b"X-Shingled-Status", passed)
            with dovecot.session("ann") as ann:
                self.assertEqual((ann.count("INBOX"), ann.count("Junk")), (1, 0))
                ann.move("INBOX", "Junk")
                wait_until(lambda: self.daemon.weight(offer(1)) > 0, 30, "the report counts\n" + dovecot.log())
                ann.move("Junk", "Trash")
                self.assertIn(b"X-Shingled-Status: Yes", delivered(2))
                self.assertEqual((ann.count("INBOX"), ann.count("Junk")), (0, 1))


@unittest.skipIf(os.geteuid() != 0, "becomes other users")
class SystemUsers(WithSpool):
    """Where each user of mail is a user of the system."""

    def report(self, uid, message):
        done = subprocess.run([self.share / "dovecot/bin/shingled-report", "spam", f"user{uid}"], input=message.encode(),
                              user=uid, group=uid, extra_groups=[], umask=0o077, timeout=harness.RUN_SECONDS, check=False)
        self.assertEqual(done.returncode, 0)

    def test_each_delivers_at_once(self):
        for uid in (65001, 65002):
            self.report(uid, letter(uid))
        wait_until(lambda: self.waiting() == 0, 30, "no timer is needed")
        self.assertEqual(sum(self.reporters().values()), 2)

    def test_a_lock_of_another_user_does_no_harm(self):
        for name in (".waits-65001", ".delivers-65001", ".waits-65001.x", ".delivers-65001.x"):
            os.mkfifo(self.spool / name, 0o666)
        begin = time.monotonic()
        self.report(65001, letter(1))
        self.assertLess(time.monotonic() - begin, 10)
        wait_until(lambda: self.waiting() == 0, 30, "it is delivered at once all the same")
        self.received()


class ByMail(WithSpool):
    """The program that Postfix's pipe(8) calls."""

    def mail(self, kind, reporter, message):
        done = subprocess.run([self.share / "postfix/shingled-report-mail", kind, reporter], input=message.encode(),
                              capture_output=True, timeout=harness.RUN_SECONDS, check=False)
        return done.returncode, done.stdout.decode()

    FORWARDED = ("From: ann@example.org\nSubject: Fwd\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nthis is spam\n"
                 "--x\nContent-Type: message/rfc822\n\n{}\n--x--\n")
    FEEDBACK = ("From: fbl@example.net\nSubject: report\nContent-Type: multipart/report; report-type=feedback-report;\n"
                " boundary=x\n\n--x\n\nan abuse report\n--x\nContent-Type: message/feedback-report\n\n"
                "Feedback-Type: {}\nUser-Agent: x/1\nVersion: 1\n\n--x\nContent-Type: message/rfc822\n\n{}\n--x--\n")

    def test_what_is_forwarded_as_an_attachment(self):
        self.assertEqual(self.mail("forwarded", "ann", self.FORWARDED.format(offer(1))), (0, ""))
        self.assertEqual(self.daemon.weight(offer(1)), 10)
        self.assertEqual(self.reporters(), {"ann": 1})
        self.assertEqual(self.daemon.run("report", "--spam", "--json", "--reporter", "ann", stdin=offer(1)).stdout.
                         count('"same"'), 1, "the message itself, byte by byte")

    def test_what_has_nothing_attached_comes_back(self):
        code, said = self.mail("forwarded", "ann", offer(1))
        self.assertEqual(code, 65)
        self.assertIn("attach the message", said)
        self.assertEqual(self.mail("nonsense", "ann", offer(1))[0], 78)
        self.assertEqual(self.reporters(), {})

    def test_feedback_reports(self):
        self.assertEqual(self.mail("forwarded", "ann", self.FEEDBACK.format("abuse", offer(1))), (0, ""))
        self.assertEqual(self.daemon.weight(offer(1)), 10)
        self.assertEqual(self.mail("forwarded", "ann", self.FEEDBACK.format("not-spam", offer(1))), (0, ""))
        self.assertEqual(self.daemon.weight(offer(1)), 0)

    def test_what_programs_send_is_taken_and_no_complaint(self):
        bounce = ("Return-Path: <>\nContent-Type: multipart/report; report-type=delivery-status; boundary=x\n\n--x\n\nno\n"
                  "--x\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; a\n\nFinal-Recipient: rfc822; b\n"
                  "Action: failed\nStatus: 5.1.1\n--x\nContent-Type: message/rfc822\n\n" + offer(1) + "\n--x--\n")
        for why, message in (
                ("DMARC of one message", self.FEEDBACK.format("auth-failure", offer(1))),
                ("unsubscribed", self.FEEDBACK.format("opt-out (a button)", offer(1))),
                ("two types", self.FEEDBACK.format("abuse\nFeedback-Type: not-spam", offer(1))),
                ("the header alone", self.FEEDBACK.format("abuse", offer(1)).replace("message/rfc822", "text/rfc822-headers")),
                ("not a message", self.FEEDBACK.format("abuse", "\x89PNG")),
                ("a bounce", bounce),
                ("an answer", "Return-Path: <>\n" + self.FORWARDED.format(offer(1)))):
            with self.subTest(why=why):
                self.assertEqual(self.mail("forwarded", "ann", message), (0, ""), "nothing comes back to a machine")
                self.received()
                self.assertEqual(self.reporters(), {})
        self.assertEqual(self.mail("forwarded", "ann", self.FEEDBACK.format("\n (a) fraud", offer(1))), (0, ""))
        self.received()
        self.assertEqual(self.reporters(), {"ann": 1})

    def test_an_attached_file_of_an_mbox_is_its_messages(self):
        mbox = f"From - Tue Nov 24 10:00:00 2026\nX-Mozilla-Status: 0001\n{offer(1)}\nFrom - Tue Nov 24 11:00:00 2026\n{offer(2)}"
        self.assertEqual(self.mail("forwarded", "ann", self.FORWARDED.format(mbox)), (0, ""))
        self.assertEqual(self.reporters(), {"ann": 2})
        for number in (1, 2):
            self.assertEqual(self.daemon.run("report", "--spam", "--json", "--reporter", "ann", stdin=offer(number)).stdout.
                             count('"same"'), 1, "the message itself")
        attached = f"Content-Type: message/rfc822\n\n{mbox}"
        filed = attached.replace("message/rfc822", 'application/octet-stream; name="box.eml"')
        self.assertIn('"kept"', self.daemon.run("report", "--spam", "--json", "--unwrap", "--later", "--spool", self.spool,
                                                stdin=self.FORWARDED.format(mbox).replace(attached, filed)).stdout)

    def test_a_message_of_outlook_comes_back(self):
        attached = "Content-Type: application/octet-stream; name=\"offer.msg\"\nContent-Transfer-Encoding: base64\n\n0M8R4KGxGuE="
        message = self.FORWARDED.format("").replace("Content-Type: message/rfc822\n\n", attached)
        code, said = self.mail("forwarded", "ann", message)
        self.assertEqual(code, 65)
        self.assertIn(".msg", said)
        self.assertIn("save it as .eml", self.daemon.run("report", "--spam", "--unwrap", stdin=message).stderr)

    def test_a_trap_teaches(self):
        self.assertEqual(self.mail("trap", "spamtrap", offer(1)), (0, ""))
        self.assertEqual(self.daemon.weight(offer(2, name="Sir")), 10)
        # Its sender is forged, so what cannot be reported must not come back.
        self.assertEqual(self.mail("trap", "spamtrap", ""), (0, ""))
        self.assertEqual(self.mail("trap", "spamtrap", "Subject: x\n\n" + "y" * (17 << 20)), (0, ""))

    def test_mail_waits_in_the_spool(self):
        self.daemon.kill9()
        self.assertEqual(self.mail("trap", "spamtrap", offer(1)), (0, ""))
        self.assertEqual(self.waiting(), 1)
        self.spool.rename(self.tmp / "away")
        self.assertEqual(self.mail("trap", "spamtrap", offer(2))[0], 75, "Postfix keeps it")

    @unittest.skipIf(Postfix.missing(), Postfix.missing())
    def test_postfix_passes_it_on(self):
        sink = SmtpSink()
        self.addCleanup(sink.close)
        conf = ("transport_maps = inline:{ {report@example.org = shingled-report:}, {trap@example.org = shingled-trap:} }",
                "smtpd_milters =")
        postfix = Postfix(self.tmp, self.daemon.milter_port, sink.port, conf)
        with open(postfix.folder / "conf/master.cf", "a") as master:
            master.write((self.share / "postfix/master.cf.example").read_text())
        with postfix:
            code, said = swaks(postfix.port, self.FORWARDED.format(offer(1)).encode(), "ann", "report@example.org")
            self.assertEqual(code, 0, said)
            code, said = swaks(postfix.port, letter(7).encode(), "x@example.net", "trap@example.org")
            self.assertEqual(code, 0, said)
            wait_until(lambda: sum(self.reporters().values()) == 2, 60, "two reports\n" + postfix.log())
        self.assertEqual(self.reporters().get("spamtrap"), 1)
        self.assertGreater(self.daemon.weight(letter(7)), 0)


if __name__ == "__main__":
    unittest.main()
