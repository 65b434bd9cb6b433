# Covers milter/cli/names/list_check.cpp, milter/names/list_editor.cpp, milter/cli/names/list_run.cpp,
# milter/cli/names/named_entry.cpp, milter/cli/commands/name_list_commands.cpp: lists of names, and what the filter does.
"""Allowing and blocking by name through a real Postfix: what is proved counts, what is forged does not, and a change of
the lists needs no restart."""

import concurrent.futures
import json
import os
import re
import stat
import unittest

import harness
from mta import Postfix, SmtpSink, swaks

SERVER = "mx.example.org"  # its Authentication-Results are believed
TEXT = " ".join(f"word{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(80))
SECONDS = 30
ALWAYS = """
rules:
  ALWAYS_BAD: {if: bytes > 0, score: 20}
"""


def letter(subject, sender="News <news@shop.example>", proof=None, more=()):
    results = [f"Authentication-Results: {SERVER}; {proof}"] if proof else []
    lines = [*results, f"From: {sender}", "To: here@example.org", f"Subject: {subject}",
             f"Message-ID: <{subject.replace(' ', '-')}@names.example>", *more, "", TEXT, ""]
    return "\r\n".join(lines).encode()


PROOF = "dkim=pass header.d=shop.example"


class Names(unittest.TestCase):
    def setUp(self):
        if reason := Postfix.missing():
            self.skipTest(reason)
        self.tmp = harness.temporary_folder(self)
        self.rules = self.tmp / "rules.yaml"
        self.config = self.tmp / "shingled.yaml"
        self.config.write_text(f"policy: {{files: [{self.rules}]}}\n")

    def start(self, rules=ALWAYS, overrides=(), authserv=SERVER):
        self.rules.write_text(rules)
        ours = [f"counters.authserv_ids=[{authserv}]"] if authserv else []
        self.daemon = self.enterContext(harness.Daemon(self.tmp, config=self.config, overrides=[
            "milter.local_networks=[]", *ours, *overrides]))
        self.sink = SmtpSink()
        self.addCleanup(self.sink.close)
        self.mta = self.enterContext(Postfix(self.tmp, self.daemon.milter_port, self.sink.port))

    def names(self, *arguments, code=0, stdin=b""):
        done = self.daemon.run(arguments[0], *arguments[1:], stdin=stdin)
        self.assertEqual(code, done.returncode, f"{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def lists_read(self):
        return self.daemon.log().count("list_read")

    def change(self, *arguments):
        """A command that changes a list, and the daemon that has taken it in."""
        before = self.lists_read()
        out = self.names(*arguments)
        harness.wait_until(lambda: self.lists_read() > before, SECONDS, "the daemon reads the list")
        return out

    def refused(self, message):
        code, dialogue = swaks(self.mta.port, message)
        self.assertRegex(dialogue, r"<\*\*\s+5\d\d 5\.7\.\d ", f"{code} {self.daemon.log()}")

    def delivered(self, message, marker):
        code, dialogue = swaks(self.mta.port, message)
        self.assertEqual(0, code, f"{dialogue}\n{self.daemon.log()}")
        return self.sink.wait_for(b"Subject: " + marker.encode())

    def log_line(self, text):
        return harness.wait_until(
            lambda: next((line for line in self.daemon.log().splitlines()
                          if " message " in line and text in line), None), SECONDS, text)

    def test_an_allowed_sender_passes_if_it_is_proved(self):
        self.start()
        self.refused(letter("before", proof=PROOF))
        out = self.change("allow", "add", "--from", "News@Shop.example", "--reason", "asked for")
        self.assertIn("from news@shop.example", out)
        self.assertNotIn("does not work", out)
        kept = self.delivered(letter("proved", proof=PROOF), "proved").decode()
        self.assertNotIn("X-Spam: Yes", kept)
        self.assertRegex(kept, r"X-Shingled-Status: No, score=20\.00[^\n]*\n?[^\n]*accepted=ALLOW_LIST")
        self.assertRegex(kept.replace("\n\t", " ").replace("\r", ""),
                         r"X-Shingled-Result: ALLOW_LIST accept: from news@shop\.example in allow\.list:\d+")
        line = self.log_line("ALLOW_LIST accept")
        self.assertIn("asked for", line)
        self.assertIn("action=pass", line)
        self.refused(letter("forged"))
        self.refused(letter("results of a stranger").replace(
            b"From:", b"Authentication-Results: mx.shop.example; dkim=pass header.d=shop.example\r\nFrom:", 1))
        self.refused(letter("two addresses", sender="news@shop.example, evil@evil.example", proof=PROOF))
        self.refused(letter("another signature", proof="dkim=pass header.d=evil.example"))
        harness.wait_until(lambda: "ALLOW_LIST" in self.names("history"), SECONDS, "the history has the message")
        self.change("allow", "del", "--from", "news@shop.example")
        self.refused(letter("after", proof=PROOF))

    def test_a_recipient_is_never_refused_only_marked(self):
        self.start()
        self.refused(letter("before"))
        self.change("allow", "add", "--recipient", "USER@")
        kept = self.delivered(letter("marked"), "marked").decode()
        self.assertIn("X-Spam: Yes", kept)
        self.assertIn("ALLOW_LIST_TO deliver: recipient in allow.list", kept)
        self.assertNotIn("deliver: recipient user@", kept, "other recipients must not see it")
        self.log_line("ALLOW_LIST_TO deliver: recipient user@example.org")

    def test_a_blocked_sender_is_rejected_and_a_wrong_line_is_named(self):
        self.start(rules="rules: {}\n")
        self.delivered(letter("before"), "before")
        self.change("block", "add", "--domain", "shop.example", "--reason", "never again")
        self.refused(letter("after", sender="x@mail.shop.example"))
        self.log_line("BLOCK_LIST reject: claimed_from_domain mail.shop.example")
        path = self.tmp / "block.list"
        before = self.lists_read()
        path.write_text("# mine\nform a@b.example\nclient 0.0.0.0/0\nfrom_domain com\n" + path.read_text())
        harness.wait_until(lambda: self.lists_read() > before, SECONDS, "the daemon reads the list")
        log = self.daemon.log()
        for line, problem in ((2, "did you mean 'from'"), (3, "part of the world"), (4, "everybody may register")):
            self.assertRegex(log, rf"list_line [^\n]*line={line} [^\n]*{problem}")
        self.refused(letter("the rest is in force"))
        self.assertIn(f"{path}:2: ", self.names("block", "list"))
        checked = self.daemon.run("configtest")
        self.assertEqual(0, checked.returncode, checked.stdout + checked.stderr)
        self.assertIn(f"{path}:2:", checked.stdout + checked.stderr)
        self.change("block", "del", "--domain", "shop.example")
        self.assertTrue(path.read_text().startswith("# mine\n"), "comments stay")
        self.delivered(letter("free"), "free")

    def test_rules_ask_names_and_files(self):
        partners = self.tmp / "partners.list"
        partners.write_text("127.0.0.0/8 # us\n")
        self.start(ALWAYS + f"  PARTNER: {{if: client in {partners} and subject = \"hello  WORLD\", action: accept}}\n"
                            "  OTHER: {if: 'from in [x@y.example]', action: deliver}\n")
        self.delivered(letter("Hello World"), "Hello World")
        self.assertIn("client 127.0.0.1 in partners.list:1", self.log_line("PARTNER accept"))
        self.refused(letter("another"))
        scanned = self.daemon.run("scan", "--json", "--features", "--client", "127.0.0.1",
                                  stdin=letter("Hello World"))
        found = json.loads(scanned.stdout)
        self.assertEqual("pass", found["action"], found)
        self.assertEqual(["127.0.0.1"], found["names"]["client"])
        self.assertIsNone(found["names"]["from"])
        partners.unlink()
        self.assertIn("does not exist", self.names("configtest", code=78))

    def test_commands_at_once_lose_nothing(self):
        self.start()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            done = list(pool.map(lambda n: self.daemon.run("allow", "add", "--from", f"u{n}@shop.example"), range(16)))
        self.assertEqual([0] * 16, [each.returncode for each in done], [each.stderr for each in done])
        listed = self.names("allow", "list")
        self.assertEqual({f"u{n}@shop.example" for n in range(16)}, set(re.findall(r"u\d+@shop\.example", listed)))
        path = self.tmp / "allow.list"
        self.assertEqual(0o640, stat.S_IMODE(path.stat().st_mode))
        self.assertEqual(self.tmp.stat().st_uid, path.stat().st_uid)
        path.chmod(0o600)
        self.assertIn("is there already", self.names("allow", "add", "--from", "U3@Shop.Example"))
        self.names("allow", "add", "--from", "last@shop.example")
        self.assertEqual(0o600, stat.S_IMODE(path.stat().st_mode), "the mode that its owner gave it")
        target = self.tmp / "secret"
        target.write_text("secret\n")
        path.unlink()
        os.symlink(target, path)
        self.assertIn("symbolic link", self.names("allow", "add", "--from", "a@b.example", code=77))
        self.assertEqual("secret\n", target.read_text())

    def test_what_cannot_work_is_said(self):
        self.start(authserv=None)
        self.assertIn("counters.authserv_ids", self.names("allow", "add", "--from", "news@shop.example"))
        said = self.names("allow", "check", stdin=letter("check"), code=1)
        self.assertIn("is not proved: counters.authserv_ids is empty", said)
        self.assertNotIn("authserv", self.names("allow", "add", "--client", "192.0.2.0/24"))
        for wrong in (["--client", "0.0.0.0/0"], ["--domain", "com"], ["--from", "shop.example"], [],
                      ["--from", "a@b.example", "--client", "192.0.2.1"],
                      ["--from", "a@b.example", "--reason", "two\nlines"]):
            self.names("allow", "add", *wrong, code=64)
        self.names("allow", "del", "--from", "nobody@shop.example", code=66)
        said = self.names("allow", "check", "--authserv-id", SERVER, stdin=letter("check", proof=PROOF))
        self.assertIn("from news@shop.example is on line", said)


if __name__ == "__main__":
    unittest.main()
