"""Different messages of one template (template_pairs.py): when one is taught, nobody else's is refused for it."""

import sys
import unittest

import harness
from template_pairs import FILES, chosen, counts, make_pairs, measure, message, multipart, part
from templates import letters, reports

EX_DATAERR = 65
MARKED_MAX = 3
WITH_A_FILE = {name for name, *_ in letters.ATTACHED}


class Templates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = measure(make_pairs())

    def test_there_are_120_pairs_and_more_of_different_messages(self):
        pairs = make_pairs()
        self.assertGreaterEqual(len(pairs), 120)
        self.assertEqual(len(pairs), len({pair.first for pair in pairs} | {pair.second for pair in pairs}) // 2)
        self.assertEqual(pairs, make_pairs(), "always the same bytes")

    def test_the_other_message_of_a_template_is_never_refused_and_hardly_ever_marked(self):
        refused = [pair.name for pair, _, _, other in self.rows if other["action"] not in ("pass", "add_header")]
        self.assertEqual([], refused)
        texts = [row for row in self.rows if row[0].name not in WITH_A_FILE]
        marked = [(pair.form, pair.name) for pair, _, _, other in texts if other["action"] != "pass"]
        self.assertGreaterEqual(len(texts), 120)
        self.assertLessEqual(len(marked), MARKED_MAX, marked)
        print(f"templates: {dict(counts(self.rows))}, taught again "
              f"{dict(counts((p, a, o, again) for p, a, again, o in self.rows))}", file=sys.stderr)

    def test_the_message_that_was_taught_is_refused(self):
        passed = [pair.name for pair, _, again, _ in self.rows
                  if again["action"] != "reject" and pair.name not in WITH_A_FILE]
        self.assertEqual([], passed)

    def test_a_file_beside_an_unknown_text_marks(self):
        for pair, _, _, other in self.rows:
            if pair.name in WITH_A_FILE:
                self.assertEqual("add_header", other["action"], pair.name)
                self.assertLess(other["score"], 10)

    def test_a_held_score_says_why(self):
        _, _, _, other = next(row for row in self.rows if row[0].name == "terms as PDF")
        self.assertIn("held", other["reason"])
        self.assertEqual("marks", other["hits"][0]["standing"])


class Teaching(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.daemon = self.enterContext(harness.Daemon(self.tmp))
        self.first = {(pair.name, pair.form): pair.first for pair in make_pairs()}

    def write(self, name, content):
        path = self.tmp / name
        path.write_bytes(content)
        return path

    def add(self, *arguments):
        return self.daemon.run("add", "--flag", "denied", *arguments)

    def test_bounces_receipts_and_answers_of_the_absent_need_force(self):
        names = [name for name, _, status, _ in reports.REPORTS if status] + ["out of office", "out of office, German"]
        for name in names:
            for form in ("plain", "html"):
                path = self.write("one.eml", self.first[name, form])
                done = self.add(path)
                self.assertEqual(EX_DATAERR, done.returncode, name)
                self.assertIn("--force", done.stderr)
                self.assertEqual("", done.stdout)
        done = self.add("--force", path)
        self.assertEqual(0, done.returncode, done.stderr)

    def test_a_batch_says_what_it_left_out(self):
        bounce = self.write("bounce.eml", self.first["bounce of Postfix", "plain"])
        letter = self.write("letter.eml", self.first["newsletter", "plain"])
        done = self.add(bounce, letter)
        self.assertEqual(EX_DATAERR, done.returncode)
        self.assertIn("2 messages: 1 added, 0 without a hash, 1 like many others (--force), 0 failed", done.stdout)
        done = self.add("--json", bounce)
        self.assertIn('"result":"common"', done.stdout)
        self.assertIn("multipart/report", done.stdout)
        done = self.daemon.run("del", bounce)
        self.assertEqual(0, done.returncode, "what was forced can be taken away again")


class White(unittest.TestCase):
    """A good file speaks for itself, not for the spam it is attached to."""

    def test_a_good_file_does_not_let_spam_pass(self):
        tmp = harness.temporary_folder(self)
        daemon = self.enterContext(harness.Daemon(tmp))
        text = chosen(next(text for name, _, text in letters.TEMPLATES if name == "newsletter"), 0)
        kind, _, content = FILES["pdf"]
        file = part(kind, content, 'Content-Disposition: attachment; filename="terms.pdf"')
        (tmp / "spam").write_bytes(message(0, "spam", "Spam", part("text/plain", text)))
        (tmp / "file").write_bytes(message(0, "file", "Terms", multipart(
            "mixed", [part("text/plain", "Our terms."), file], "file")))
        both = message(0, "both", "Spam", multipart("mixed", [part("text/plain", text), file], "both"))
        (tmp / "both").write_bytes(both)
        self.assertEqual(0, daemon.run("add", "--flag", "denied", "--weight", "100", tmp / "spam").returncode)
        self.assertEqual(0, daemon.run("add", "--flag", "white", "--weight", "100", tmp / "file").returncode)
        done = daemon.run("scan", tmp / "both")
        self.assertIn("both: reject: score 20.00", done.stdout)
        self.assertIn("for its own part alone", done.stdout)
        self.assertIn("pass", daemon.run("scan", tmp / "file").stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
