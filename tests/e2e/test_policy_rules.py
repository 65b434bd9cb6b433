# Covers milter/cli/commands/policy_command.cpp, milter/policy/cases/case_message.cpp,
# milter/cli/policy/feature_list.cpp, milter/cli/policy/policy_check.cpp, milter/cli/policy/policy_test.cpp.
"""Rules of the configuration: mistakes have file, line and column at the start, at a reload and in commands."""

import json
import pathlib
import signal
import unittest

import harness

EX_DATAERR, EX_NOINPUT, EX_CONFIG = 65, 66, 78
PACKAGING = pathlib.Path(__file__).resolve().parents[2] / "packaging"
SECONDS = 60
GOOD = """\
rules:
  # a sender of spam
  SPAMMY:
    if: >-
      from.spam >= 99% of 100 in 14d
      and not local
    score: 1.5
"""
BAD = GOOD.replace("14d", "30d").replace("not local", "not lcoal")


class Rules(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.rules = self.tmp / "policy.yaml"
        self.rules.write_text(GOOD)
        self.config = self.tmp / "shingled.yaml"
        self.config.write_text("policy:\n  files: [policy.yaml]\n")
        self.daemon = harness.Daemon(self.tmp, config=self.config)

    def ends_with(self, code, *arguments):
        done = self.daemon.run(*arguments)
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        return done

    def assert_names_both(self, text):
        self.assertIn(f"{self.rules}:5:34: rule SPAMMY: '30d' is not a window that is kept", text)

    def test_a_mistake_stops_the_start_and_every_command(self):
        self.ends_with(0, "configtest")
        self.rules.write_text(BAD)
        for command in (("run",), ("configtest",), ("policy", "check"), ("policy", "check", self.rules), ("scan",)):
            with self.subTest(command=command):
                self.assert_names_both(self.ends_with(EX_CONFIG, *command).stderr)
        self.rules.unlink()
        self.assertIn(f"{self.config}:2:11: policy.files[0]: ", self.ends_with(EX_CONFIG, "run").stderr)

    def test_what_can_never_work_is_refused_with_its_place(self):
        circle = "rules:\n  ONE: {if: local or TWO, score: 1}\n  TWO: {if: html or ONE, score: 1}\n"
        counters = "rules:\n  MANY: {if: html or sender.mass >= 9 in 1d, score: 1}\n"
        cases = [("a circle", circle, ":3:21: rule TWO: these rules need each other: ONE -> TWO -> ONE", ()),
                 ("counters that are off", counters, ":2:22: rule MANY: 'sender.mass' is always unknown: "
                  "counters.enabled is no", ("-o", "counters.enabled=no"))]
        for sign in "()!x":
            cases.append((f"a megabyte of {sign}", f"rules: {{BIG: {{if: \"{sign * (1 << 20)}\", score: 1}}}}\n",
                          "a condition has at most 4096 bytes", ()))
        for name, rules, problem, overrides in cases:
            with self.subTest(name):
                self.rules.write_text(rules)
                for command in (("configtest",), ("policy", "check"), ("run",)):
                    said = self.ends_with(EX_CONFIG, *command, *overrides).stderr
                    self.assertIn(problem, said)
                    self.assertLess(len(said), 20_000, "the mistake is not repeated")

    def test_a_reload_with_a_mistake_keeps_the_old_rules(self):
        with self.daemon:
            self.rules.write_text(BAD)
            self.daemon.signal(signal.SIGHUP)
            harness.wait_until(lambda: "reload_failed" in self.daemon.log(), SECONDS, "the mistake is in the log")
            self.assertIn("policy.yaml:5:34", self.daemon.log())
            self.assertNotIn("reloaded", self.daemon.log())
            self.rules.write_text(GOOD)
            self.daemon.signal(signal.SIGHUP)
            harness.wait_until(lambda: "reloaded" in self.daemon.log(), SECONDS, "the file is read again")

    def test_an_override_changes_a_rule_of_a_file(self):
        shown = self.ends_with(0, "config", "--effective", "-o", "policy.rules.SPAMMY.score=9").stdout
        self.assertRegex(shown, r"policy\.rules\.SPAMMY\.score=9\s+# -o\n")
        self.assertRegex(shown, r"policy\.rules\.SPAMMY\.if=.*\n?.*policy\.yaml:3\n")

    def test_what_is_shipped_is_right(self):
        for file in PACKAGING.glob("policy*.yaml"):
            with self.subTest(file=file.name):
                scale = ["-o", "milter.actions.reject=100", "-o", "milter.actions.add_header=50"]
                done = harness.run("policy", "check", "-c", PACKAGING / "shingled.yaml", *scale * ("shingler" in file.name), file)
                self.assertEqual((0, ""), (done.returncode, done.stderr))
                self.assertRegex(done.stdout, r"^[2-9][0-9] rules: no error found\n$")

    def test_cases(self):
        cases = self.tmp / "cases.yaml"
        cases.write_text("""\
cases:
  - name: enough
    features: {local: no}
    counters: {from.mass in 14d: 188, from.spam in 14d: 187}
    expect: [SPAMMY]
    score: 1.5
    action: pass
  - name: too few
    features: {local: no}
    counters: {from.mass in 14d: 99, from.spam in 14d: 99}
    expect_not: [SPAMMY]
""")
        self.assertEqual("2 cases, 0 failed\n", self.ends_with(0, "policy", "test", cases).stdout)
        cases.write_text(cases.read_text().replace("187", "97"))
        failed = self.ends_with(EX_DATAERR, "policy", "test", cases).stdout
        self.assertIn(f"{cases}:2: enough: SPAMMY should fire but is false: from.spam 97 of 188", failed)
        self.assertTrue(failed.endswith("2 cases, 1 failed\n"), failed)
        outcome = [json.loads(line) for line in self.ends_with(EX_DATAERR, "policy", "test", "--json",
                                                               cases).stdout.splitlines()]
        self.assertEqual([False, True], [case["passed"] for case in outcome])
        self.ends_with(EX_NOINPUT, "policy", "test", self.tmp / "none.yaml")
        other = self.tmp / "other.yaml"
        other.write_text("rules: {SPAMMY: {if: local, score: 1}}\n")
        self.ends_with(EX_DATAERR, "policy", "test", cases, "--rules", other)

    def test_explain_says_that_it_does_not_ask_the_counters(self):
        note = "counters: not asked without --recipient"
        message = "From: a@example.org\nSubject: Hello\n\nHello, what about Monday?\n"
        self.assertIn(note, self.daemon.run("explain", stdin=message).stdout)
        self.rules.write_text("rules: {SHORT: {if: bytes < 1K, score: 1}}\n")
        self.assertNotIn(note, self.daemon.run("explain", stdin=message).stdout)

    def test_cases_with_messages(self):
        cases = self.tmp / "cases.yaml"
        (self.tmp / "hello.eml").write_text("From: a@example.org\nSubject: Hello\n\nHello, what about Monday?\n")
        self.rules.write_text("rules: {SHORT: {if: bytes < 1K and parts = 1 and links = 0, score: 1}}\n")
        cases.write_text("cases: [{message: hello.eml, expect: [SHORT], score: 1}]\n")
        self.assertEqual("1 case, 0 failed\n", self.ends_with(0, "policy", "test", cases).stdout)
        (self.tmp / "hello.eml").unlink()
        self.assertIn("hello.eml", self.ends_with(EX_NOINPUT, "policy", "test", cases).stderr)

    def test_a_scan_believes_the_servers_that_the_command_names(self):
        message = self.tmp / "proved.eml"
        message.write_text("From: a@x.example\nSubject: hi\nAuthentication-Results: mx.here.example; "
                           "dkim=pass header.d=x.example; spf=pass smtp.mailfrom=x.example\n\nhello there\n")
        for servers, spf, sender in ((), "unknown", "unknown"), (("--authserv-id", "mx.here.example"), "pass", "a@x.example"):
            done = self.daemon.run("scan", "--features", *servers, message)
            rows = dict(line.split(maxsplit=1) for line in done.stdout.splitlines() if len(line.split()) == 2)
            self.assertEqual((spf, sender), (rows.get("spf"), rows.get("from")), done.stdout + done.stderr)

    def test_features_can_be_used_as_they_are_listed(self):
        listed = [json.loads(line) for line in self.ends_with(0, "features", "--json").stdout.splitlines()]
        names = {feature["name"] for feature in listed}
        self.assertTrue({"bytes", "spf", "from.spam", "sender.unique_recipients"} <= names)
        rules = []
        for number, feature in enumerate(listed):
            condition = feature["name"]
            if feature["type"] == "number":
                condition += " > 5"
            elif feature["type"] == "word":
                condition += " = " + feature.get("words", ["en"])[0]
            elif feature["type"] == "name":
                condition += " = " + feature["example"]
            rules.append(f"  RULE{number}: {{if: {condition}, score: 1}}\n")
        self.rules.write_text("rules:\n" + "".join(rules))
        self.ends_with(0, "policy", "check")


if __name__ == "__main__":
    unittest.main()
