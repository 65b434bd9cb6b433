"""Messages with thousands of parts: what is known in them is found, what was not asked is never silently clean, and all
of it can be taught."""

import base64
import pathlib
import random
import sys
import textwrap
import unittest
import urllib.request

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packaging"))
from milter_client import MilterClient  # noqa: E402 (needs the path above)

EX_DATAERR, EX_TEMPFAIL = 65, 75
TEXT = "".join(f"word{i}{chr(10) if i % 10 == 9 else ' '}" for i in range(120))
LOOKUPS_MAX = 1000


def message(junk, text="hello\n", salt="junk"):
    """So many small attachments, no two alike, before the text."""
    noise = random.Random(salt)
    parts = "".join("--b\nContent-Type: application/octet-stream; name=a\nContent-Transfer-Encoding: base64\n\n"
                    f"{base64.encodebytes(noise.randbytes(1100)).decode()}" for _ in range(junk))
    return ("From: a@example.org\nSubject: hi\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
            f"{parts}--b\nContent-Type: text/plain\n\n{text}--b--\n").encode()


class Padding(unittest.TestCase):
    """One daemon has the storage, another one the mail and a rule that asks the first."""

    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        (self.tmp / "store").mkdir()
        (self.tmp / "mail").mkdir()
        self.store = harness.Daemon(self.tmp / "store")
        self.store.start()
        self.addCleanup(self.store.stop)

    def mail_daemon(self, *overrides):
        config = self.tmp / "mail" / "shingled.yaml"
        config.write_text(textwrap.dedent(f"""\
            rules:
              local: off
              far: {{servers: ["127.0.0.1:{self.store.fuzzy_port}"]}}
            """))
        return harness.Daemon(self.tmp / "mail", overrides, config=config)

    def teach(self, content):
        done = self.store.run("add", "--flag", "11", "--weight", "20", stdin=content)
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stdout

    @staticmethod
    def send(daemon, content):
        client = MilterClient(f"127.0.0.1:{daemon.milter_port}")
        outcome = client.send(content)
        client.close()
        return outcome

    def test_a_known_text_behind_ten_thousand_parts_is_rejected(self):
        self.teach(message(0, TEXT))
        with self.mail_daemon() as daemon:
            self.assertEqual("reject", self.send(daemon, message(9980, TEXT)).action, daemon.log())
            self.assertIn(f"lookups={LOOKUPS_MAX} failed=0", daemon.log())

    def test_what_was_not_asked_is_never_silently_clean(self):
        with self.mail_daemon() as daemon:
            outcome = self.send(daemon, message(9980))
            self.assertEqual("accept", outcome.action)
            status = dict(outcome.added)["X-Shingled-Status"]
            self.assertIn("Unknown", status)
            self.assertIn("not asked", " ".join(status.split()))
            done = daemon.run("check", stdin=message(9980))
            self.assertEqual(EX_DATAERR, done.returncode, done.stderr)
            self.assertIn("milter.lookups_max", done.stderr)
            url = f"http://127.0.0.1:{daemon.status_port}/metrics"
            with urllib.request.urlopen(url, timeout=harness.START_SECONDS) as metrics:
                self.assertIn("shingled_mail_unknown_total 1\n", metrics.read().decode())
        with self.mail_daemon("milter.on_failure.other=tempfail") as daemon:
            self.assertEqual("tempfail", self.send(daemon, message(9980)).action)
            self.assertEqual("accept", self.send(daemon, message(900)).action)

    def test_a_message_of_five_thousand_hashes_is_taught_and_found(self):
        told = self.teach(message(5000, ""))
        self.assertIn("5000 hashes added", told)
        with self.mail_daemon("milter.lookups_max=10000") as daemon:
            outcome = self.send(daemon, message(5000, ""))
            self.assertEqual("reject", outcome.action, daemon.log())
            done = daemon.run("check", stdin=message(5000, ""))
            self.assertEqual(0, done.returncode, done.stderr)
            found, of = done.stdout.partition(" look-ups found")[0].rpartition(": ")[2].split(" of ")
            self.assertEqual(found, of)

    def test_add_says_how_much_was_stored_when_the_server_goes_away(self):
        self.store.stop()
        done = self.store.run("add", "--flag", "11", stdin=message(5000, ""))
        self.assertNotEqual(0, done.returncode)
        self.assertNotIn("were added", done.stderr)


if __name__ == "__main__":
    unittest.main()
