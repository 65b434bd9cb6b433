# Covers milter/cli/commands/history_command.cpp, milter/cli/history/history_list.cpp,
# milter/cli/policy/policy_try.cpp, milter/view/trial_json.cpp, milter/view/lines/message_lines.cpp,
# milter/cli/history/span_arguments.cpp.
"""The history of mail through a real Postfix: what is kept, what the commands say, what is not lost."""

import json
import re
import signal
import sqlite3
import unittest

import harness
from counted_mail import INCOMING, SECONDS, SENDER, Counted, letter

OTHER = "other@sender.example.org"
RULES = """rules:
  MANY_BYTES: {if: sender.mass >= 3 in 1d, score: 9}
  NOTHING: {if: sender.mass >= 1000000 in 1d, score: 9}
  UNASKED: {if: sender.mass >= 1 in 30m, score: 1, shadow: yes}
"""


def note(number):
    """A message that has nothing in common with a letter."""
    return (f"From: {OTHER}\r\nTo: a@example.org\r\nSubject: Note {number}\r\n"
            f"Message-ID: <note{number}@mail.example.net>\r\n\r\nA short note, number {number}.\r\n").encode()


def advertisement(number):
    """Copies of one text."""
    return (f"From: {SENDER}\r\nTo: a@example.org\r\nSubject: Each bench\r\n"
            f"Message-ID: <bench{number}@x.example>\r\n\r\n"
            "Please look at our wonderful catalogue of garden furniture, ladders, hoses, lamps and fountains before\r\n"
            "everything has gone. Our carpenters build each bench by hand from seasoned oak, our gardeners test\r\n"
            "every hose for three summers, and our drivers bring it to your door within two days, whatever the\r\n"
            "weather does. Order now and receive a bag of tulip bulbs with every bench.\r\n").encode()


class History(Counted):
    def path(self):
        return self.tmp / "history.db"

    def run_ok(self, *arguments):
        done = self.daemon.run(*arguments)
        self.assertEqual(0, done.returncode, f"{arguments}: {done.stdout}{done.stderr}\n{self.events()}")
        return done.stdout

    def history(self, *arguments):
        return [json.loads(line) for line in self.run_ok("history", "--json", *arguments).splitlines()]

    def rows(self):
        return len(self.history("--limit", "100000")) if self.path().exists() else 0

    def wait_for_rows(self, count):
        harness.wait_until(lambda: self.rows() == count, SECONDS, f"the history has {count} rows")

    def test_what_happened_is_told(self):
        self.start(overrides=[INCOMING, "history.names=off"])
        done = self.daemon.run("add", "--flag", "denied", "--weight", "20", stdin=letter(7))
        self.assertEqual(0, done.returncode, done.stderr)
        with self.session() as smtp:
            for number in range(5):
                self.offer(smtp, note(number), ["a@example.org"], sender=OTHER)
            self.offer(smtp, letter(7), ["a@example.org"])
        self.wait_for_rows(6)

        newest, *rest = self.history()
        self.assertNotEqual("pass", newest["action"])
        self.assertTrue(newest["evidence"], newest)
        symbol = newest["evidence"][0]["symbol"]
        self.assertEqual([newest], self.history("--symbol", symbol))
        self.assertEqual([newest], self.history("--action", newest["action"], "--since", "1h"))
        self.assertEqual([newest], self.history("--from", f"<{SENDER.upper()}>"))
        self.assertEqual(rest, self.history("--from", OTHER))
        self.assertEqual(rest[:2], self.history("--from", OTHER, "--limit", "2"))
        self.assertEqual([], self.history("--since", "2020-01-01", "--until", "2020-01-02"))
        self.assertEqual([], self.history("--label", "spam"))
        table = self.run_ok("history")
        self.assertIn(newest["queue_id"], table)
        self.assertIn(symbol, table)

        shown = self.run_ok("history", "show", newest["queue_id"])
        self.assertIn("counters, as they were before the message:", shown)
        whole = json.loads(self.run_ok("history", "show", "--json", rest[0]["queue_id"]))
        sender, = [one for one in whole["counters"] if one["type"] == "sender"]
        self.assertEqual(4, sender["sums"]["1d"]["mass"], "the fifth message saw four before it")
        self.assertEqual(66, self.daemon.run("history", "show", "NOBODY").returncode)

        stored = self.path().read_bytes() + (self.tmp / "history.db-wal").read_bytes()
        for secret in (b"sender.example", b"example.org", b"invoice", b"Offer", b"mail.example.net"):
            self.assertNotIn(secret, stored)

        rules = self.tmp / "new.yaml"
        rules.write_text(RULES)
        tried = json.loads(self.run_ok("policy", "try", "--json", str(rules)))
        self.assertEqual(6, tried["messages"]["all"])
        self.assertEqual(6, tried["other_windows"])
        self.assertEqual([2, 0, 0], [rule["hits"]["all"] for rule in tried["rules"]])
        self.assertEqual(2, sum(change["count"] for change in tried["changes"]))
        self.assertEqual({one["queue_id"] for one in rest[:2]}, {one["queue_id"] for one in tried["examples"]})
        for lacking in tried["lacking"]:
            self.assertEqual(6, lacking["messages"])
            self.assertTrue(lacking["rules"], lacking)
        text = self.run_ok("policy", "try", str(rules))
        for lacking in tried["lacking"]:
            self.assertIn(f"6 of them without the window {lacking['window']} (history.windows): unknown for "
                          + ", ".join(lacking["rules"]), text)
        self.assertIn("2 verdicts would be another one:", text)
        other = self.tmp / "other.yaml"
        other.write_text(f"policy: {{files: [{rules}]}}\n")
        by_configuration = json.loads(self.run_ok("policy", "try", "--json", "--config", str(other)))
        self.assertEqual(tried["rules"], by_configuration["rules"])
        rules.write_text("rules:\n  BROKEN: {if: sender.mess >= 3 in 1d, score: 9}\n")
        broken = self.daemon.run("policy", "try", str(rules))
        self.assertEqual(78, broken.returncode)
        self.assertIn("BROKEN", broken.stderr)

    def test_a_refused_message_is_rescued_by_its_queue_id(self):
        self.start(overrides=[INCOMING, "reports.trusted_reporters=[boss, postmaster]", "reports.trusted_weight=6",
                              "reports.domain=example.org", "history.names=subject"])
        done = self.daemon.run("report", "--spam", "--reporter", "boss", stdin=advertisement(1))
        self.assertEqual(0, done.returncode, done.stderr)

        def offered(number):
            with self.session() as smtp:
                smtp.mail(SENDER)
                smtp.rcpt("a@example.org")
                return smtp.data(advertisement(number))

        code, text = offered(2)
        self.assertEqual(550, code, text)
        queue_id = re.search(rb"\(id (\w+)\)$", text)[1].decode()
        self.wait_for_rows(1)
        row, = self.history("--recipient", "a@example", "--subject", "bench")
        self.assertEqual([queue_id, "reject", True], [row["queue_id"], row["action"], row["can_report"]])
        self.assertEqual([row], self.history("--from", SENDER))

        done = self.daemon.run("report", "--ham", "--reporter", "postmaster", "--json", "--message", queue_id)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        receipt = json.loads(done.stdout)
        self.assertEqual(["new", "closed", True], [receipt["what"], receipt["effect"], receipt["counted"]])
        self.assertEqual(250, offered(3)[0], "the next copy")
        harness.wait_until(lambda: json.loads(self.run_ok("history", "show", "--json", queue_id))["label"] == "ham",
                           SECONDS, "the report is its label")
        # The same report again, of the mail itself: one person, one message.
        done = self.daemon.run("report", "--ham", "--reporter", "postmaster", "--json", stdin=advertisement(2))
        self.assertEqual("same", json.loads(done.stdout)["what"])
        nobody = self.daemon.run("report", "--ham", "--message", "NOBODY")
        self.assertEqual(66, nobody.returncode)
        self.assertIn("no message with this queue id", nobody.stderr)
        self.assertEqual(64, self.daemon.run("report", "--ham", "--message", queue_id, "-").returncode)

    def test_a_kill_loses_no_batch_that_was_written(self):
        self.start(overrides=[INCOMING])
        self.send(range(30), ["a@example.org"])
        self.wait_for_rows(30)
        self.send(range(30, 40), ["a@example.org"])
        self.daemon.process.send_signal(signal.SIGKILL)
        self.daemon.process.wait()
        after = self.rows()
        self.assertTrue(30 <= after <= 40, after)
        with sqlite3.connect(self.path()) as file:
            self.assertEqual([("ok",)], file.execute("PRAGMA integrity_check").fetchall())

    def test_a_file_of_a_newer_version_is_refused_and_mail_goes_on(self):
        with sqlite3.connect(self.path()) as file:
            file.execute("CREATE TABLE messages (something)")
            file.execute("PRAGMA application_id = 1936222056")
            file.execute("PRAGMA user_version = 99")
        file.close()
        self.start(overrides=[INCOMING])
        self.assertIn("history_off", self.daemon.log())
        self.assertIn("written by a newer version", self.daemon.log())
        self.send(range(2), ["a@example.org"])
        done = self.daemon.run("history")
        self.assertNotEqual(0, done.returncode)
        self.assertIn("written by a newer version", done.stderr)

    def test_a_broken_row_is_left_out_and_counted(self):
        self.start(overrides=[INCOMING])
        self.send(range(3), ["a@example.org"])
        self.wait_for_rows(3)
        self.daemon.stop()
        file = sqlite3.connect(self.path())
        file.execute("UPDATE messages SET details = x'0102' WHERE time = (SELECT min(time) FROM messages)")
        file.commit()
        file.close()
        done = self.daemon.run("history", "--json")
        self.assertEqual((65, 2), (done.returncode, len(done.stdout.splitlines())), done.stderr)
        self.assertIn("1 row cannot be read and is left out", done.stderr)

    def test_without_a_file_there_is_nothing_to_show(self):
        self.start(overrides=[INCOMING, "history.enabled=no"])
        self.send(range(1), ["a@example.org"])
        self.assertFalse(self.path().exists())
        self.assertEqual(66, self.daemon.run("history").returncode)


if __name__ == "__main__":
    unittest.main()
