"""Wanted mail that looks the same protects a template which people report: with the rules of packaging/policy.yaml
switched on, a password reset that this site knows is marked at most, and one that it does not know is rejected. One
person's report does nothing to it."""

import email.utils
import pathlib
import time
import unittest

import harness
from counted_mail import INCOMING, SECONDS, Counted

POLICY = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "policy.yaml"
SERVER = "mx.example.org"  # its Authentication-Results are believed
KNOWN = 24  # OUR_TEMPLATE asks for 20
REPORTERS = 6
HERE = "here@example.org"

RESET = """Dear {name},

somebody asked us to set a new password for your account at the Garden Library. If it was you, please open the page
below within the next hour and choose a password that you use nowhere else:

https://library.example.com/reset/{number}

If it was somebody else, you need not do anything: your old password stays as it is, and nobody could look at the
books that you have borrowed. Our volunteers answer questions from Monday to Friday in the reading room, next to the
fountain, and would be glad to show you the new greenhouse as well. {name}, we wish you pleasant hours among our trees.
"""
SALE = """Dear {name},

the warehouse must be empty before the end of the month, so every watch of our famous collection costs half as much
today. Sapphire glass, golden hands and a strap of real crocodile: your neighbours will believe that you have won the
lottery. Answer within two days, and a second watch for your husband or wife travels in the same parcel without any
charge at all. {name}, visit https://watches.example.net/{number} now, because tomorrow the doors remain closed.
"""


def letter(number, text=RESET, sender="service@library.example.com", subject="Your new password", days=0, proof=True):
    name = f"Mr Number{chr(97 + number % 26)}{chr(97 + number // 26)}"
    lines = [f"Authentication-Results: {SERVER}; dkim=pass header.d={sender.partition('@')[2]}"] if proof else []
    lines += [f"From: {sender}", f"To: {HERE}", f"Subject: {subject}", f"Message-ID: <{number}.{days}@{sender}>",
              f"Date: {email.utils.formatdate(time.time() - 86400 * days)}", "MIME-Version: 1.0",
              "Content-Type: text/plain; charset=utf-8", "", text.format(name=name, number=number)]
    return "\n".join(lines).replace("\n", "\r\n").encode()


def sale(number):
    return letter(number, SALE, "shop@watches.example.net", "Half the price")


class HamProtects(Counted):
    def setUp(self):
        super().setUp()
        self.start([], [INCOMING, f"counters.authserv_ids=[{SERVER}]", f"policy.files=[{POLICY}]", "policy.live=[all]",
                        "reports.residents=all"])

    def receive(self, message):
        """The reply, and the line of the log."""
        lines = len(self.message_lines())
        with self.session() as smtp:
            smtp.ehlo("client.example.net")
            _, end = self.offer(smtp, message, [HERE], "bounces@library.example.com")
        harness.wait_until(lambda: len(self.message_lines()) > lines, SECONDS, "the message is in the log")
        return end, self.message_lines()[-1]

    def message_lines(self):
        return [line for line in self.daemon.log().splitlines() if " info message " in line]

    def report(self, message, kind="spam", reporters=REPORTERS):
        for number in range(reporters):
            done = self.daemon.run("report", f"--{kind}", "--reporter", f"reader{number}", stdin=message)
            self.assertEqual(0, done.returncode, done.stderr)

    def assert_is_delivered(self, number):
        end, line = self.receive(letter(number))
        self.assertEqual(250, end, line)
        self.assertIn("FUZZY_DENIED", line)  # it is known, and comes nevertheless
        self.sink.wait_for(f"<{number}.0@".encode())

    def assert_rejected(self, message):
        end, line = self.receive(message)
        self.assertEqual(550, end, line)
        self.assertNotIn("OUR_TEMPLATE", line)

    def test_a_template_that_nobody_knows_is_rejected(self):
        self.report(letter(100))
        self.assert_rejected(letter(101))

    def test_a_template_that_came_before_passes(self):
        for number in range(KNOWN):
            self.assertEqual(250, self.receive(letter(number))[0])
        self.report(letter(100), reporters=1)
        end, line = self.receive(letter(99))
        self.assertEqual(250, end)
        self.assertIn(" action=pass ", line)
        self.report(letter(100))
        for number in range(101, 107):
            self.assert_is_delivered(number)
        # Other mail that the same people report has no such protection.
        self.report(sale(200))
        self.assert_rejected(sale(201))

    def test_a_template_that_was_learnt_passes(self):
        folder = self.tmp / "ham"
        folder.mkdir()
        for number in range(KNOWN):
            (folder / f"{number}.eml").write_bytes(letter(number, days=1 + number % 9))
        self.assertIn(f"{KNOWN} ham", self.command("learn", "--ham", folder)[0])
        self.report(letter(100))
        self.assert_is_delivered(101)

    def test_too_little_wanted_mail_does_not_protect(self):
        for number in range(10):
            self.receive(letter(number))
        self.report(letter(100))
        _, line = self.receive(letter(101))
        self.assertNotIn("OUR_TEMPLATE", line)
        self.assertRegex(line, r" action=(add_header|reject) ")


if __name__ == "__main__":
    unittest.main()
