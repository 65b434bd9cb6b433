# Covers milter/desk/counters/policy_counters.cpp, milter/desk/hash_cases.cpp,
# milter/reports/mailbox_names.cpp, storage/people/embedded_people.cpp.
"""What people report is marked with the settings as they are installed: for the person at once, for everybody when
two agree, and for nobody whom it would hurt."""

import json
import pathlib
import random
import subprocess
import sys
import unittest

import harness

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "packaging"))

from milter_client import MilterClient  # noqa: E402 (needs the path above)

SERVER = "mx.example.org"  # its Authentication-Results are believed
SECONDS = 20
WORDS = ("garden winter bottle yellow window planet silver mother coffee bridge forest candle market doctor "
         "letter summer button school island pocket").split()
# A campaign: each copy has another sender, subject and text around two sentences.
CORE = ("My late uncle, the minister of mines, left eleven million dollars in a steel trunk at a security house in London, "
        "and I need an honest partner abroad who receives this trunk for me and keeps thirty percent of it.")


def some_words(seed, count=60):
    words = random.Random(seed)
    return " ".join(words.choice(WORDS) + words.choice("aeiou") for _ in range(count))


def letter(number, sender, subject, text, proved=False):
    domain = sender.partition("@")[2]
    lines = [f"Authentication-Results: {SERVER}; dkim=pass header.d={domain}"] if proved else []
    lines += [f"From: {some_words(f'name {number}', 2)} <{sender}>", "To: someone@example.org", f"Subject: {subject}",
              f"Message-ID: <{number}@{domain}>", "Date: Fri, 27 Nov 2026 12:00:00 +0000", "", text, ""]
    return "\r\n".join(lines).encode()


def copy(number, text=CORE, **more):
    return letter(number, f"u{number}@s{number}.example", f"note {some_words(number, 3)}",
                  f"{some_words(number)}\r\n\r\n{text}\r\n\r\n{some_words(-number)}", **more)


class People(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.daemon = self.start()

    def start(self, name="one", overrides=()):
        """With the settings of the package; paths and ports are the test's."""
        folder = self.tmp / name
        settings = folder / "etc"
        settings.mkdir(parents=True)
        for source in (ROOT / "packaging" / "etc" / "shingled.yaml", ROOT / "packaging" / "policy.yaml"):
            (settings / source.name).write_text(source.read_text())
        return self.enterContext(harness.Daemon(folder, config=settings / "shingled.yaml", overrides=[
            "reports.domain=example.org", f"counters.authserv_ids=[{SERVER}]", *overrides]))

    def report(self, kind, who, message, daemon=None):
        done = (daemon or self.daemon).run("report", f"--{kind}", "--reporter", who, stdin=message)
        self.assertEqual(0, done.returncode, done.stderr)

    def is_marked(self, message, *recipients, daemon=None):
        """Whether these recipients get it with a mark. The action is never more than that here."""
        client = MilterClient(f"127.0.0.1:{(daemon or self.daemon).milter_port}")
        outcome = client.send(message, "bounce@x.example", recipients)
        client.close()
        self.assertEqual("accept", outcome.action)
        return dict(outcome.added).get("X-Spam", "").strip() == "Yes"

    def test_it_is_marked_for_whoever_reported_it_and_for_nobody_else(self):
        self.assertFalse(self.is_marked(copy(1), "ann@example.org"))
        self.report("spam", "ann", copy(1))
        self.assertTrue(self.is_marked(copy(2), "ann@example.org"))
        self.assertTrue(self.is_marked(copy(3), "Ann+news@EXAMPLE.org"), "the same mailbox")
        self.assertFalse(self.is_marked(copy(4), "ben@example.org"))
        self.assertFalse(self.is_marked(copy(5), "ann@example.org", "ben@example.org"), "not all of them said so")
        # The log names the rule.
        self.assertIn("OWN_MARK", self.daemon.log())

    def test_check_names_the_case_before_it_does_anything(self):
        self.assertNotIn("case", self.daemon.run("check", stdin=copy(1)).stdout)
        self.report("spam", "ann", copy(1))
        self.assertIn(": 1 person says spam, noted", self.daemon.run("check", stdin=copy(1)).stdout)

    def test_explain_says_what_a_recipient_said(self):
        self.report("spam", "ann", copy(1))

        def explain(*recipients):
            who = [argument for recipient in recipients for argument in ("--recipient", recipient)]
            done = self.daemon.run("explain", "--json", *who, stdin=copy(2))
            self.assertEqual(0, done.returncode, done.stderr)
            return json.loads(done.stdout)

        def rules(explained):
            return {hit["symbol"] for hit in explained["counter_policy"]["hits"] if not hit["shadow"]}

        self.assertNotIn("own", explain())
        ann, ben, both = explain("Ann+news@example.org"), explain("ben@example.org"), explain("ann@example.org", "ben@example.org")
        self.assertIn("OWN_MARK", rules(ann))
        self.assertEqual([], ben["own"])
        self.assertNotIn("OWN_MARK", rules(ben))
        phrase, = {(word["own_complaint"], word["own_rescue"], word["recipients"]) for word in ann["own"] if word["type"] == "phrase"}
        self.assertEqual((1, 0, 1), phrase)
        self.assertEqual({2}, {word["recipients"] for word in both["own"]})
        self.assertNotIn("OWN_MARK", rules(both), "not all of them said so")
        shown = self.daemon.run("explain", "--recipient", "ann@example.org", stdin=copy(2)).stdout
        self.assertRegex(shown, r"phrase +own_complaint 1 of 1 +own_rescue 0 of 1")
        scanned = json.loads(self.daemon.run("scan", "--json", "--recipient", "ann@example.org", stdin=copy(2)).stdout)
        self.assertEqual("add_header", scanned["action"], "scan, too, for whoever is named")

    def test_it_is_marked_for_everybody_when_two_agree_and_as_long_as_nobody_wants_it(self):
        self.report("spam", "ann@example.org", copy(1))
        self.report("spam", "ann+1@example.org", copy(2))
        self.assertFalse(self.is_marked(copy(3), "cai@example.org"), "one person is one")
        self.report("spam", "ben@example.org", copy(4))
        self.assertTrue(self.is_marked(copy(5), "cai@example.org"))
        self.report("ham", "cai@example.org", copy(5))
        self.assertFalse(self.is_marked(copy(6), "cai@example.org"))

    def test_it_lasts_over_a_restart_and_is_taken_back_by_who_said_it(self):
        self.report("spam", "ann", copy(1))
        self.daemon.restart()
        self.assertTrue(self.is_marked(copy(2), "ann@example.org"))
        self.report("ham", "ann", copy(1))
        self.assertFalse(self.is_marked(copy(3), "ann@example.org"))

    def test_another_text_of_the_same_sender_is_not_marked(self):
        news = [letter(i, "anna@company.example", f"Offer {i}", f"{some_words(1000 + i)}\r\nKind regards, Anna Berg, "
                       "Company Ltd, 12 Mill Road, telephone 020 7946 0123") for i in range(4)]
        self.report("spam", "eve", news[0])
        self.assertFalse(self.is_marked(news[1], "new@example.org"))
        self.report("spam", "ben", news[2])
        self.assertFalse(self.is_marked(news[3], "new@example.org"))

    def test_forged_mail_says_nothing_about_who_proves_himself(self):
        def order(number, proved=False):
            return letter(number, "news@shop.example", "Your order", f"{some_words(number)}\r\n\r\n{CORE}", proved)

        for number, who in ((1, "ann"), (2, "ben"), (3, "cai")):
            self.report("spam", who, order(number))
        self.assertTrue(self.is_marked(order(4), "new@example.org"))
        self.assertFalse(self.is_marked(order(5, proved=True), "new@example.org"))

    def test_counters_show_names_how_many_people(self):
        for who in ("ann", "ben"):
            self.report("spam", who, copy(1))
        done = self.daemon.run("counters", "show", "subject", f"note {some_words(1, 3)}")
        self.assertIn("people in 365d: 2 complain, 0 want it", done.stdout, done.stderr)


class Shared(People):
    """Two daemons that share their counters in Redis."""

    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.port = harness.free_port()
        redis = subprocess.Popen(["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
                                  "--dir", str(self.tmp)], stdout=subprocess.DEVNULL)
        self.addCleanup(redis.wait)
        self.addCleanup(redis.kill)
        harness.wait_until(lambda: harness.answers_tcp(self.port), SECONDS, "redis-server answers")
        key = self.tmp / "key"
        key.write_text("00112233445566778899aabbccddeeff\n")
        key.chmod(0o600)
        self.overrides = [f"counters.servers=127.0.0.1:{self.port}", f"counters.key_file={key}"]
        self.daemon = self.start(overrides=self.overrides)

    def test_two_people_on_two_daemons_agree(self):
        other = self.start("two", self.overrides)
        self.report("spam", "ann", copy(1))
        self.report("spam", "ben", copy(2), daemon=other)
        for daemon in (self.daemon, other):
            self.assertTrue(self.is_marked(copy(3), "cai@example.org", daemon=daemon))
        self.assertTrue(self.is_marked(copy(4), "ann@example.org", daemon=other))


if __name__ == "__main__":
    unittest.main()
