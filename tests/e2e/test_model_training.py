# Covers milter/boosting/main.cpp, milter/boosting/training.cpp, milter/learning/training_process.cpp, milter/model/model_file.cpp.
"""Trainings that go wrong, with real processes: killed at any moment, on a full disk, two at once, with labels that contradict
each other, with one class or hardly any messages, without the program. The model in force is always whole, and the next
training works."""

import fcntl
import json
import pathlib
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

import harness

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "packaging")]

from milter_client import MilterClient  # noqa: E402 (needs the path above)

TRAINER = pathlib.Path(harness.BINARY).with_name("shingled-train")
SECONDS = 60
BAD, WANTED, COPIES = 40, 80, 12
DAYS = 13
EX_DATAERR, EX_UNAVAILABLE = 65, 69
SPAM = 1
ADD_COPY = "INSERT INTO messages SELECT time - ?, queue_id || ?, 0, sender, action, label, details FROM messages WHERE queue_id NOT LIKE '%-%'"


def mail(kind, number):
    dice = random.Random(f"{kind} {number}")
    words = ["".join(dice.choice("bdfgklmnprstvw") + dice.choice("aeiou") for _ in range(dice.randint(2, 4))) for _ in range(60)]
    links = [f"http://{words[i]}{number}.example/{words[i + 1]}" for i in range(0, 8, 2)] if kind == "bad" else []
    sender = f"{words[0]}{number}@{words[1]}.example" if kind == "bad" else f"friend{number % 6}@partner.example"
    return sender, (f"From: <{sender}>\nTo: someone@site.example\nSubject: {' '.join(words[2:5])}\n"
                    f"Message-ID: <{kind}{number}@{words[1]}.example>\n\n{' '.join(words)}\n" + "\n".join(links) + "\n").encode()


@unittest.skipUnless(TRAINER.exists(), "built without XGBoost")
class Training(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A history of 480 reported and 960 wanted messages: the rows of a daemon, each of them twelve times."""
        cls.made = pathlib.Path(cls.enterClassContext(harness.tempfile.TemporaryDirectory(prefix="shingled-e2e-")))
        with harness.Daemon(cls.made) as daemon:
            client = MilterClient(f"127.0.0.1:{daemon.milter_port}")
            for i in range(BAD + WANTED):
                kind = "bad" if i % 3 == 0 else "wanted"
                sender, message = mail(kind, i)
                client.send(message, sender, ["someone@site.example"], f"Q{kind}{i}")
            client.close()
            history = daemon.tmp / "history.db"

            def count():
                with sqlite3.connect(f"file:{history}?mode=ro", uri=True) as db:
                    return db.execute("SELECT count(*) FROM messages").fetchone()[0]
            harness.wait_until(lambda: count() == BAD + WANTED, SECONDS, "all rows are written")
            with sqlite3.connect(f"file:{history}?mode=ro", uri=True) as db, sqlite3.connect(cls.made / "made.db") as copy:
                db.backup(copy)
        with sqlite3.connect(cls.made / "made.db") as db:
            db.execute("UPDATE messages SET label = ? WHERE queue_id LIKE 'Qbad%'", (SPAM,))
            for number in range(1, COPIES):
                db.execute(ADD_COPY,
                           (number * DAYS * 86_400_000_000 // COPIES, f"-{number}"))
        db.execute("PRAGMA journal_mode = DELETE")  # a file of its own, without any beside it
        db.close()

    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.history = self.tmp / "history.db"
        self.model = self.tmp / "model.json"
        shutil.copy(self.made / "made.db", self.history)

    def command(self, *more):
        return [str(TRAINER), "--config", str(ROOT / "packaging/shingled.yaml"), "--history", str(self.history),
                "--out", str(self.model), *more]

    def train(self, *more, code=0, **options):
        done = subprocess.run(self.command(*more), capture_output=True, text=True, timeout=SECONDS, **options)
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        return done.stdout

    def change(self, statement, *values):
        with sqlite3.connect(self.history) as db:
            db.execute(statement, values)
        db.close()

    def assert_whole(self, text=None):
        """The model is a whole one, and says so; the one before, if `text` is given."""
        if text is not None:
            self.assertEqual(text, self.model.read_text())
        shown = harness.run("model", "show", "--json", "-o", f"model.file={self.model}", "-o", f"history.file={self.history}")
        status = json.loads(shown.stdout)
        self.assertNotIn("cannot", status.get("off", ""))
        self.assertEqual(json.loads(self.model.read_text())["id"], status["id"])

    def test_killed_at_any_moment(self):
        begun = time.monotonic()
        self.assertTrue(self.train().startswith("published: "))
        whole = time.monotonic() - begun
        before = self.model.read_text()
        for part in (0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95):
            with self.subTest(part=part):
                try:
                    subprocess.run(self.command("--seed", "2"), capture_output=True, timeout=part * whole)
                except subprocess.TimeoutExpired:  # killed
                    self.assert_whole(before)
                else:
                    self.assert_whole()
                    before = self.model.read_text()
        # As a process leaves it that is killed while it writes.
        self.model.with_name("model.json.new").write_text(before[:100])
        self.train("--seed", "3")
        self.assertNotEqual(before, self.model.read_text())
        self.assert_whole()
        self.assertFalse(self.model.with_name("model.json.new").exists())

    def test_killed_before_its_first_model(self):
        try:
            subprocess.run(self.command(), capture_output=True, timeout=0.1)
        except subprocess.TimeoutExpired:
            self.assertFalse(self.model.exists())
        self.train()
        self.assert_whole()

    def test_a_full_disk(self):
        self.train()
        before = self.model.read_text()

        def limited():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then a write fails, as on a full disk
            resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
        said = self.train("--seed", "2", code=EX_UNAVAILABLE, preexec_fn=limited, restore_signals=False)
        self.assertRegex(said, r"^failed: .*File too large|^failed: .*space")
        self.assert_whole(before)
        self.assertEqual([], [file.name for file in self.tmp.glob("*.new")])
        self.train("--seed", "2")
        self.assert_whole()

    def test_two_at_once(self):
        first = subprocess.Popen(self.command(), stdout=subprocess.PIPE, text=True)
        self.addCleanup(first.kill)
        lock = self.model.with_name("model.json.lock")

        def has_it():
            if not lock.exists():
                return False
            with open(lock) as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    return True
            return False
        harness.wait_until(has_it, SECONDS, "the first one has begun")
        first.send_signal(signal.SIGSTOP)
        said = self.train(code=EX_UNAVAILABLE)
        self.assertIn("another process trains, imports or rolls back a model now", said)
        first.send_signal(signal.SIGCONT)
        self.assertIn("published: ", first.communicate(timeout=SECONDS)[0])
        self.assert_whole()

    def test_labels_that_contradict_each_other(self):
        # Copies of the same message are spam to some and wanted to others.
        self.change("UPDATE messages SET label = 1 + (time / 1000) % 2")
        done = subprocess.run(self.command(), capture_output=True, text=True, timeout=SECONDS)
        self.assertIn(done.returncode, (0, EX_DATAERR), done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^(refused|published): ")

    def test_one_class_only(self):
        self.change("UPDATE messages SET label = 1")
        self.assertIn("0 of 800 wanted ones; at the present rate the missing ones never come", self.train(code=EX_DATAERR))
        self.change("UPDATE messages SET label = 0")
        self.assertIn("0 of 400 bad messages; at the present rate the missing ones never come", self.train(code=EX_DATAERR))
        self.assertFalse(self.model.exists())

    def test_no_bad_mail_in_what_teaches(self):
        """All of it is in the last fifth, which judges."""
        with sqlite3.connect(self.history) as db:
            last = db.execute("SELECT max(time) FROM messages").fetchone()[0]
            bad = db.execute("SELECT time FROM messages WHERE label = 1 ORDER BY time DESC").fetchall()
            for place, (moment,) in enumerate(bad):
                db.execute("UPDATE messages SET time = ? WHERE time = ?", (last + (place + 1) * 1000, moment))
        db.close()
        self.change("UPDATE messages SET time = time - 3600000000 WHERE label = 0")
        self.assertRegex(self.train(code=EX_DATAERR), r"^refused: the last fifth of the messages has \d+ bad and 0 wanted ones")
        self.change("DELETE FROM messages WHERE label = 1 AND time NOT IN (SELECT time FROM messages WHERE label = 1 LIMIT 400)")
        self.change("INSERT INTO messages SELECT time + 1700000000, queue_id, 0, sender, action, label, details FROM messages WHERE label = 0")
        self.assertRegex(self.train(code=EX_UNAVAILABLE), r"^failed: all messages are bad, or all are wanted")
        self.assertFalse(self.model.exists())

    def test_ten_messages_and_none(self):
        self.change("DELETE FROM messages WHERE time NOT IN (SELECT time FROM messages ORDER BY time DESC LIMIT 10)")
        self.assertRegex(self.train(code=EX_DATAERR), r"\d of 400 bad messages, \d of 800 wanted ones")
        self.change("DELETE FROM messages")
        self.assertIn("0 of 400 bad messages, 0 of 800 wanted ones", self.train(code=EX_DATAERR))

    def test_a_history_that_is_none(self):
        self.history.write_text("not a database")
        self.assertTrue(self.train(code=EX_UNAVAILABLE).startswith("failed: "))
        self.history.unlink()
        said = self.train(code=EX_UNAVAILABLE)
        self.assertIn("history.db", said)


class WithoutTraining(unittest.TestCase):
    """Also in a build without XGBoost."""

    def test_a_machine_without_the_program(self):
        alone = harness.temporary_folder(self) / "shingled"
        shutil.copy(harness.BINARY, alone)
        done = harness.run("model", "train", binary=alone)
        self.assertEqual(EX_UNAVAILABLE, done.returncode)
        self.assertIn("this machine has no shingled-train: shingled was built without XGBoost", done.stderr)


if __name__ == "__main__":
    unittest.main()
