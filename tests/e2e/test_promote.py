# Covers milter/cli/policy/policy_status.cpp.
"""Rules in shadow are judged on the daemon's own history, with the settings as they are installed: proposed when people
report what a rule would have marked, in force with `auto`, and back in shadow when people rescue."""

import base64
import json
import pathlib
import re
import sys
import time
import unittest

import harness
from test_people import some_words

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "packaging"))

from milter_client import MilterClient  # noqa: E402 (needs the path above)

SECONDS = 60
RULE = "FILE_FROM_MANY"  # the same file from 20 senders within an hour: 4 points, which is a header
BEFORE = 20
MARKED = 55
FILE = base64.encodebytes(b"the same file " * 200).decode().replace("\n", "\r\n")


def letter(number):
    """Nothing but the file is the same in two of them."""
    sender = f"u{number}@s{number}.example"
    return sender, "\r\n".join([
        f"From: {some_words(f'name {number}', 2)} <{sender}>", "To: someone@example.org",
        f"Subject: {some_words(f'subject {number}', 4)}", f"Message-ID: <{number}@s{number}.example>", "MIME-Version: 1.0",
        "Content-Type: multipart/mixed; boundary=xx", "", "--xx", "Content-Type: text/plain", "", some_words(number), "--xx",
        "Content-Type: application/octet-stream; name=a.bin", "Content-Transfer-Encoding: base64", "", FILE, "--xx--",
        ""]).encode()


class Promote(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        for source in (ROOT / "packaging" / "etc" / "shingled.yaml", ROOT / "packaging" / "policy.yaml"):
            (self.tmp / source.name).write_text(source.read_text())
        self.daemon = self.enterContext(harness.Daemon(self.tmp, config=self.tmp / "shingled.yaml"))
        self.judgements = self.tmp / "history.db.judgements"

    def run_ok(self, *arguments, **options):
        done = self.daemon.run(*arguments, **options)
        self.assertEqual(0, done.returncode, f"{arguments}: {done.stdout}{done.stderr}")
        return done.stdout

    def send(self, number):
        """Whether it is marked for somebody who never reported anything."""
        sender, message = letter(number)
        client = MilterClient(f"127.0.0.1:{self.daemon.milter_port}")
        outcome = client.send(message, sender, [f"r{number}@example.org"])
        client.close()
        self.assertEqual("accept", outcome.action)
        return dict(outcome.added).get("X-Spam", "").strip() == "Yes"

    def report(self, kind, who, numbers):
        """The history has the labels afterwards."""
        before = self.labelled(kind)
        for number in numbers:
            self.run_ok("report", f"--{kind}", "--reporter", who, stdin=letter(number)[1])
        harness.wait_until(lambda: self.labelled(kind) >= before + len(numbers), SECONDS, "the rows are labelled")

    def labelled(self, label):
        return len(self.run_ok("history", "--json", "--label", label, "--limit", "1000").splitlines())

    def status(self):
        return json.loads(self.run_ok("policy", "status", "--json"))

    def rule(self, name=RULE):
        found, = [rule for rule in self.status()["rules"] if rule["rule"] == name]
        return found

    def judge_again(self, *overrides):
        """As on the next day: the file says that the last time is long ago, and the daemon has just started."""
        self.daemon.stop()
        if self.judgements.exists():
            self.judgements.write_text(re.sub(r"judged=\d+", "judged=1000", self.judgements.read_text()))
        self.daemon.extra += overrides
        before = self.daemon.log().count("policy_judged")
        self.daemon.start()
        harness.wait_until(lambda: self.daemon.log().count("policy_judged") > before, SECONDS, "the rules are judged")

    def test_the_history_speaks_for_a_rule_and_then_against_it(self):
        # A sender is new again on the next day.
        harness.wait_until(lambda: time.time() % 86400 < 86400 - 4 * SECONDS, 5 * SECONDS, "the day is not about to end")
        for number in range(BEFORE + MARKED):
            self.assertFalse(self.send(number), "the rule is in shadow")
        # One person: for everybody else nothing is marked by what people say.
        self.report("spam", "ann@example.org", range(BEFORE, BEFORE + MARKED))

        with self.subTest("proposed"):
            self.judge_again()
            found = self.rule()
            self.assertEqual(("proposed", MARKED, MARKED, 0, 0),
                             tuple(found[key] for key in ("state", "messages", "reported", "rescued", "unreported")))
            self.assertEqual(f"policy.live: [marks, {RULE}]", found["accept"])
            self.assertIn(f"policy_promote rule={RULE} state=proposed messages={MARKED} reported={MARKED} rescued=0 ",
                          self.daemon.log())
            table = self.run_ok("policy", "status")
            self.assertIn(f"To accept {RULE}, in shingled.yaml, then reload: policy.live: [marks, {RULE}]", table)
            self.assertRegex(table, r"SIGN_FROM +shadow .*no effect by itself")
            self.assertRegex(table, r"WELL_KNOWN +shadow .*speaks for mail")
            self.assertRegex(table, r"USER_SPIKE +shadow .*what is usual")
            self.assertRegex(table, r"OWN_MARK +live ")
            self.assertFalse(self.send(100), "nobody has accepted it")
            self.report("spam", "ann@example.org", [100])  # in so little mail one that nobody reports is too much
            accepted = json.loads(self.run_ok("policy", "status", "--json", "-o", f"policy.live=[marks, {RULE}]"))
            self.assertIn({"rule": RULE, "state": "live"}, accepted["rules"])

        with self.subTest("in force"):
            self.judge_again("policy.promote=auto")
            harness.wait_until(lambda: "policy_promotions_in_force" in self.daemon.log(), SECONDS, "it is in force")
            self.assertEqual("promoted", self.rule()["state"])
            self.assertTrue(self.send(101))
            self.assertIn(f"out of shadow by their figures (policy.promote): {RULE}", self.run_ok("configtest"))
            self.assertRegex(self.run_ok("config", "--effective"),
                             rf"(?m)^policy\.rules\.{RULE}\.shadow=true .*; decided since: out of shadow$")
            sender, message = letter(102)
            scanned = json.loads(self.run_ok("scan", "--json", "--sender", sender, "--recipient", "x@example.org", "--client",
                                             "198.51.100.7", stdin=message))
            self.assertIn(RULE, {symbol["symbol"] for symbol in scanned["symbols"]})

        with self.subTest("it stays so over a restart and a reload"):
            self.daemon.restart()
            self.assertTrue(self.send(103))
            reloads = self.daemon.log().count(" reloaded")
            self.daemon.signal(1)
            harness.wait_until(lambda: self.daemon.log().count(" reloaded") > reloads, SECONDS, "reloaded")
            self.assertTrue(self.send(104))

        with self.subTest("a minus keeps it in shadow"):
            kept = json.loads(self.run_ok("policy", "status", "--json", "-o", f"policy.live=[marks, -{RULE}]"))
            found, = [rule for rule in kept["rules"] if rule["rule"] == RULE]
            self.assertEqual("kept", found["state"])

        with self.subTest("back in shadow"):
            self.report("ham", "ben@example.org", (101, 103, 104))
            self.judge_again()
            self.assertEqual("returned", self.rule()["state"])
            self.assertIn(f"warning policy_promote rule={RULE} state=returned", self.daemon.log())
            harness.wait_until(lambda: not self.send(next(self.numbers)), SECONDS, "it marks nothing any more")

    numbers = iter(range(1000, 2000))

    def test_a_file_that_cannot_be_read_is_set_aside(self):
        self.daemon.stop()
        self.judgements.write_text("shingled rule judgements 1\ncut off")
        self.daemon.extra.append("policy.promote=auto")
        self.daemon.start()
        self.assertIn("policy_judgements_unreadable", self.daemon.log())
        self.assertEqual("shingled rule judgements 1\ncut off", (self.tmp / "history.db.judgements.unreadable").read_text())
        harness.wait_until(self.judgements.exists, SECONDS, "judged anew")
        self.assertEqual({"live", "shadow"}, {rule["state"] for rule in self.status()["rules"]})

    def test_without_a_history_it_says_so(self):
        self.daemon.stop()
        self.judgements.unlink(missing_ok=True)
        self.assertIn("Not judged yet", self.run_ok("policy", "status"))
        text = self.run_ok("policy", "status", "-o", "history.enabled=no")
        self.assertIn("there is no history", text)
        self.assertIn("policy.promote is off", self.run_ok("policy", "status", "-o", "policy.promote=off"))


if __name__ == "__main__":
    unittest.main()
