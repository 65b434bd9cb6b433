"""A report speaks of what a message says itself. With all rules switched on, answers, forwards, warnings and bounces that
contain a reported message are not marked; the same message dressed as a quote is."""

import email.message
import email.policy
import json
import pathlib
import tempfile
import unittest

import harness
import quoting

POLICY = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "policy.yaml"
REPORTER = "corpus"

SALE = """The warehouse must be empty before the end of the month, so every watch of our famous collection
costs half as much today. Sapphire glass, golden hands and a strap of real crocodile: your neighbours
will believe that you have won the lottery. Answer within two days, and a second watch for your husband
or wife travels in the same parcel without any charge at all.

Visit https://watches.example.net/offer/summer?id=4711 or call +1 202 555 0143, because tomorrow the
doors remain closed. Whoever pays with coins of the new kind saves another third of the price.

You receive this letter because you subscribed to our mailing list; click here to unsubscribe at once,
or write to our office if you do not want to hear from our friendly sellers again.
"""


def sale():
    out = email.message.EmailMessage(policy=email.policy.SMTP)
    out["From"], out["To"], out["Subject"] = "Watches <shop@watches.example.net>", quoting.OTHER, "Half the price of summer"
    out["Date"] = "Thu, 27 Nov 2025 09:30:00 +0000"
    out["Message-ID"] = "<1.sale@watches.example.net>"
    out.set_content(SALE)
    out.add_alternative("<table><tr><td>" + SALE.replace("\n\n", "</td></tr><tr><td>").replace(
        "https://watches.example.net/offer/summer?id=4711",
        '<a href="https://watches.example.net/offer/summer?id=4711">our shop</a>') + "</td></tr></table>", subtype="html")
    return out


def roses():
    out = email.message.EmailMessage(policy=email.policy.SMTP)
    out["From"], out["To"], out["Subject"] = "Bob <bob@example.org>", quoting.OTHER, "Roses for Ann"
    out["Message-ID"] = "<2.roses@example.org>"
    out.set_content("Dear Ann, the roses that you ordered are in the greenhouse behind the railway station.\n")
    return out


class Quotes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.daemon = harness.Daemon(folder.name, overrides=[
            f"policy.files=[{POLICY}]", "policy.live=[all]", f"reports.trusted_reporters=[{REPORTER}]",
            "reports.spam.weight=20"])
        cls.daemon.start()
        cls.addClassCleanup(cls.daemon.stop)
        cls.report(sale().as_bytes())

    @classmethod
    def report(cls, message):
        done = cls.daemon.run("report", "--spam", "--reporter", REPORTER, stdin=message)
        assert done.returncode == 0, done.stderr

    def scan(self, message, sender=None):
        options = [] if sender is None else ["--sender", sender]
        done = self.daemon.run("scan", "--json", *options, stdin=message)
        self.assertEqual(0, done.returncode, done.stderr)
        return json.loads(done.stdout)

    def symbols(self, message):
        return {symbol["symbol"] for symbol in self.scan(message)["symbols"]}

    def test_the_message_itself_is_found(self):
        self.assertGreaterEqual(self.scan(sale().as_bytes())["score"], 10)

    def test_who_answers_or_forwards_it_is_not_marked(self):
        for kind in quoting.KINDS:
            with self.subTest(kind.__name__):
                answer = self.scan(kind(sale()))
                self.assertEqual("pass", answer["action"], answer.get("symbols"))

    def test_who_returns_it_is_not_marked(self):
        for kind in quoting.BOUNCES:
            with self.subTest(kind.__name__):
                answer = self.scan(kind(sale()), "<>")
                self.assertEqual("pass", answer["action"], answer.get("symbols"))

    def test_a_bounce_is_not_marked_for_another_that_was_reported(self):
        for kind in quoting.BOUNCES:
            with self.subTest(kind.__name__):
                self.report(kind(roses()))
                answer = self.scan(kind(sale()), "<>")
                self.assertEqual("pass", answer["action"], answer.get("symbols"))

    def test_a_quote_that_is_the_body_is_no_hiding_place(self):
        for kind in quoting.DRESSED:
            with self.subTest(kind.__name__):
                answer = self.scan(kind(sale()))
                self.assertNotEqual("pass", answer["action"], answer.get("symbols"))

    def test_forged_answers_are_found_when_two_people_reported_one(self):
        lake = roses()
        lake.replace_header("From", "Lake <lake@lake.example.com>")
        lake.set_content("A goose and a heron flew over our frozen lake while the sun rose behind two old windmills,\n"
                         "and somebody sang about the brown hat that he had lost in the harbour of Antwerp.\n")
        answers = [quoting.forged_answer(lake, word) for word in ("Hello", "Dear", "Well")]
        self.assertNotIn("REPORTED_QUOTE", self.symbols(answers[2]))
        self.report(answers[0])  # of somebody trusted, who counts as two people
        self.assertIn("REPORTED_QUOTE", self.symbols(answers[2]))
        self.assertNotIn("REPORTED_QUOTE", self.symbols(lake.as_bytes()))  # it says so itself

    def test_a_hit_in_a_quote_is_shown(self):
        answer = self.scan(quoting.forward_attached(sale()))
        hits = [hit for hit in answer["hits"] if hit.get("quoted")]
        self.assertTrue(hits, answer)
        self.assertEqual({0.0}, {hit["score"] for hit in hits})


if __name__ == "__main__":
    unittest.main()
