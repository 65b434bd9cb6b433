"""The mistakes of tests/data/mistakes.txt: what configtest says of each, and that the start says the same."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

import harness

TABLE = pathlib.Path(__file__).resolve().parents[1] / "data" / "mistakes.txt"
EX_CONFIG = 78


class Mistake:
    def __init__(self, why):
        self.why, self.yaml, self.says = why, "", []

    @property
    def stops_the_start(self):
        return any(": warning: " not in line for line in self.says)


def mistakes():
    out = []
    for line in TABLE.read_text().splitlines():
        if line.startswith("= "):
            out.append(Mistake(line[2:]))
        elif out and line.startswith("> "):
            out[-1].says.append(line[2:])
        elif out and line:
            out[-1].yaml += line + "\n"
    return out


def new_pair():
    text = harness.run("keypair").stdout
    return tuple(re.search(rf'{name} = "([a-z0-9]+)"', text).group(1) for name in ("pubkey", "privkey"))


class Mistakes(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        (self.tmp / "broken.list").write_text("192.0.2.1\n192.0.2.0/240\n")
        public, private = new_pair()
        (self.tmp / "open.keys").write_text(f"- {{pubkey: {public}, privkey: {private}}}\n")
        (self.tmp / "open.keys").chmod(0o644)
        self.words = {"{tmp}": str(self.tmp), "{pub}": public, "{priv}": private, "{other}": new_pair()[1]}
        self.file = self.tmp / "shingled.yaml"
        # What the cases have nothing to say of must be right: the default folder may not be there.
        self.hashfile = ("-o", f"storage.hashfile={self.tmp}/fuzzy.db")
        self.counters = ("-o", f"counters.directory={self.tmp}/counters")
        self.spare = ("-o", f"history.file={self.tmp}/history.db", "-o", f"reports.file={self.tmp}/reports.db")

    def filled(self, text):
        for word, value in self.words.items():
            text = text.replace(word, value)
        return text

    def expected(self, mistake):
        return [re.sub("^FILE", str(self.file), self.filled(line)) for line in mistake.says]

    def arguments(self, mistake):
        self.file.write_text(self.filled(mistake.yaml))
        return ["-c", self.file, *(() if "hashfile" in mistake.yaml else self.hashfile), *self.counters,
                *(() if "history.db" in mistake.yaml else self.spare)]

    def test_configtest_says_each_with_its_place_and_what_to_write(self):
        cases = mistakes()
        self.assertGreater(len(cases), 50)
        for mistake in cases:
            with self.subTest(mistake.why):
                done = harness.run("configtest", *self.arguments(mistake))
                if os.environ.get("UPDATE_GOLDEN"):
                    self.show(mistake, done.stderr)
                    continue
                self.assertTrue(mistake.says)
                self.assertEqual(self.expected(mistake), done.stderr.splitlines())
                self.assertEqual(EX_CONFIG if mistake.stops_the_start else 0, done.returncode)
                self.assertEqual(not mistake.stops_the_start, "no problem found" in done.stdout)

    def show(self, mistake, said):
        """The case as it would stand in the table, to be looked at."""
        for word, value in self.words.items():
            said = said.replace(value, word)
        lines = [f"> {line}\n" for line in said.replace("{tmp}/shingled.yaml", "FILE").splitlines()]
        sys.stdout.write(f"= {mistake.why}\n{mistake.yaml}{''.join(lines)}\n")

    def test_the_start_refuses_what_configtest_refuses_in_the_same_words(self):
        for mistake in mistakes():
            if not mistake.stops_the_start:
                continue
            with self.subTest(mistake.why):
                done = harness.run("run", *self.arguments(mistake))
                self.assertEqual(EX_CONFIG, done.returncode, done.stderr)
                errors = [line for line in self.expected(mistake) if ": warning: " not in line]
                self.assertEqual(errors, done.stderr.splitlines())

    def test_the_start_goes_on_after_a_warning_and_logs_it(self):
        for mistake in mistakes():
            if mistake.stops_the_start:
                continue
            with self.subTest(mistake.why):
                self.arguments(mistake)
                (self.tmp / "daemon.log").unlink(missing_ok=True)
                with harness.Daemon(self.tmp, config=self.file) as daemon:
                    log = daemon.log()
                    self.assertEqual(0, daemon.stop())
                for line in self.expected(mistake):
                    key = re.search(r": warning: ([^:]+): ", line).group(1)
                    if "cannot resolve" in line:  # the daemon finds that out by itself
                        self.assertRegex(log, r"fuzzy_name_lost rule=feed .*no-such-host\.invalid.*addresses=none")
                    else:
                        self.assertRegex(log, rf"config_warning problem=.*{re.escape(key)}")


class Names(unittest.TestCase):
    def test_the_started_line_has_the_version_and_root_without_a_user_is_a_warning(self):
        with harness.Daemon(harness.temporary_folder(self)) as daemon:
            version = subprocess.check_output([harness.BINARY, "--version"], text=True).split()[1]
            self.assertRegex(daemon.log(), rf"started version={re.escape(version)} ")
            self.assertEqual(os.geteuid() == 0, "runs_as_root" in daemon.log())

    def test_mail_passes_while_a_rule_has_no_server_and_the_storage_goes_on(self):
        rule = "rules={local: {}, feed: {servers: no-such-host.invalid}}"
        with harness.Daemon(harness.temporary_folder(self), overrides=[rule]) as daemon:
            self.assertRegex(daemon.log(), r"fuzzy_name_lost rule=feed server=\S+ error=")
            sample = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "samples" / "1-offer.eml"
            self.assertEqual(0, daemon.run("add", "--flag", "denied", "--server",
                                           f"127.0.0.1:{daemon.fuzzy_port}", sample).returncode)


if __name__ == "__main__":
    unittest.main()
