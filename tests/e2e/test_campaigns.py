# Covers tests/bench/campaigns.py, tests/bench/dated_replay.py, tests/bench/near_duplicates.py.
"""The measurements of campaigns, on a made-up corpus: whatever ends the lines of a message, and whatever is wrong with it, it
is replayed or left out by name; and what two people report is marked for others."""

import email.utils
import pathlib
import subprocess
import sys
import unittest

import harness
from test_reports import offer

BENCH = pathlib.Path(__file__).resolve().parents[1] / "bench"
sys.path.insert(0, str(BENCH))

import dated_replay  # noqa: E402 (needs the path above)

LETTER = ("From: bob@example.net\nSubject: the boat\nMessage-ID: <boat@example.net>\n{}\nHello Ann, we have found the boat behind the "
          "old mill, with a hole in it as large as a plate. Will you bring some tar and two brushes on Saturday morning?\n")


def dated(message, day):
    return f"Date: {email.utils.format_datetime(email.utils.parsedate_to_datetime(f'{day} Mar 2021 10:00:00 +0000'))}\n{message}"


class Campaigns(unittest.TestCase):
    def setUp(self):
        self.corpus = harness.temporary_folder(self) / "corpus"
        for folder in ("spam", "ham"):
            (self.corpus / folder).mkdir(parents=True)
        self.rows = ["file\tneardup_cluster\tcampaign"]
        self.add("spam/first.eml", "offers", dated(offer(1), 1).encode())
        self.add("spam/crlf.eml", "offers", dated(offer(2), 2).replace("\n", "\r\n").encode())
        self.add("spam/mbox.eml", "offers", b"From a@b Tue Mar  9 10:00:00 2021\n" + dated(offer(3), 20).encode())
        self.add("spam/no-date.eml", "offers", offer(4).encode())
        self.add("spam/empty.eml", "offers", b"")
        self.add("spam/no-lines.eml", "offers", offer(5).replace("\n", " ").encode())
        self.add("spam/zeros.eml", "others", b"\0\0\n\n\0")
        self.add("ham/letter.eml", "boat", dated(LETTER.format(""), 10).encode())
        (self.corpus / "clusters.tsv").write_text("\n".join(self.rows) + "\n")

    def add(self, name, campaign, data):
        (self.corpus / name).write_bytes(data)
        self.rows.append(f"{name}\t{campaign}\t{campaign}")

    def measure(self, script, *arguments):
        done = subprocess.run([sys.executable, BENCH / script, "--corpus", self.corpus, *arguments], capture_output=True,
                              text=True, timeout=harness.RUN_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def test_of_any_line_ends(self):
        for script in ("campaigns.py", "near_duplicates.py"):
            with self.subTest(script=script):
                self.measure(script)

    @unittest.skipIf(dated_replay.library() is None, "the package faketime is not installed")
    def test_by_date(self):
        said, left_out = self.measure("campaigns.py", "--by-date", "--reporters", "1", "2", "--settings", "shipped")
        self.assertEqual(sorted(line.rpartition("/")[2] for line in left_out.splitlines()),
                         ["empty.eml", "no-date.eml", "no-lines.eml", "zeros.eml"])
        self.assertIn("3 messages of spam and phish, 1 of ham, by date", said)
        figures = {line.split("|")[1].strip(): line.split("|")[2] for line in said.splitlines() if line.startswith("| others'")}
        self.assertIn("(0/2;", figures["others' later mail, 1 report each miss: marked"])
        self.assertIn("(2/2;", figures["others' later mail, 2 report each miss: marked"])


if __name__ == "__main__":
    unittest.main()
