# Covers milter/cli/commands/config_command.cpp, milter/cli/commands/daemon_commands.cpp.
"""`shingled config`: what is in force and from where, what a key means."""

import json
import os
import pathlib
import unittest

import harness

EX_USAGE, EX_CONFIG = 64, 78


class Config(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.file = self.tmp / "shingled.yaml"

    def run_config(self, *arguments, yaml="", code=0):
        self.file.write_text(yaml)
        done = harness.run("config", *arguments, "-c", self.file)
        self.assertEqual(code, done.returncode, f"{done.stdout}\n{done.stderr}")
        return done

    def effective(self, *arguments, yaml=""):
        rows = [json.loads(line) for line in
                self.run_config("--effective", "--json", *arguments, yaml=yaml).stdout.splitlines()]
        return {row["key"]: (row["value"], row["source"]) for row in rows}

    def test_each_key_has_its_value_and_its_source(self):
        keys = self.effective("-o", "milter.dry_run=true", yaml="milter:\n  timeout: 3s\n")
        self.assertGreater(len(keys), 200)
        self.assertEqual(("3s", f"{self.file}:2"), keys["milter.timeout"])
        self.assertEqual(("true", "-o"), keys["milter.dry_run"])
        self.assertEqual(("30s", "default"), keys["milter.drain_time"])
        text = self.run_config("--effective", yaml="milter:\n  timeout: 3s\n").stdout
        self.assertRegex(text, rf"(?m)^milter\.timeout=3s +# {self.file}:2$")

    def test_the_lines_as_overrides_make_the_same_configuration(self):
        yaml = ("rules: {feed: {servers: 'hash:192.0.2.1, 192.0.2.2', flags: {phish: {flag: 40, weight: 3}}}}\n"
                "milter: {reject_text: \"no: 'thanks'\", actions: {reject: off}}\n")
        keys = self.effective(yaml=yaml)
        arguments = [argument for key, (value, _) in keys.items() for argument in ("-o", f"{key}={value}")]
        again = self.effective(*arguments)
        self.assertEqual({key: value for key, (value, _) in keys.items()},
                         {key: value for key, (value, _) in again.items()})
        self.assertEqual({"-o"}, {source for _, source in again.values()})

    def test_without_a_file_it_is_what_holds_for_this_user(self):
        if any(pathlib.Path(path).exists() for path in ("/var/lib/shingled", "/etc/shingled/shingled.yaml")):
            self.skipTest("shingled is installed here")
        self.tmp.chmod(0o777)
        somebody = {"user": "nobody"} if os.geteuid() == 0 else {}
        try:
            done = harness.run("config", "explain", "storage.hashfile", env={"XDG_STATE_HOME": str(self.tmp)},
                               **somebody)
        except PermissionError as failure:
            self.skipTest(f"the program is root's alone: {failure}")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stdout, rf"storage\.hashfile={self.tmp}/shingled/fuzzy\.db +# default")

    def test_no_secret_is_shown(self):
        yaml = "storage: {redis: {password: sesame}}\nrules: {local: {fuzzy_key: sesame}}\n"
        for arguments in (["--effective"], ["--effective", "--json"], ["explain", "storage.redis.password"],
                          ["explain", "fuzzy_key"]):
            with self.subTest(arguments):
                done = self.run_config(*arguments, yaml=yaml)
                self.assertNotIn("sesame", done.stdout + done.stderr)
                self.assertIn("(not shown)", done.stdout)

    def test_a_key_is_explained_by_its_name_or_a_part_of_it(self):
        for name in ("milter.actions.add_header", "add_header"):
            text = self.run_config("explain", name, yaml="milter: {actions: {add_header: 5}}").stdout
            self.assertIn("milter.actions.add_header\n", text)
            self.assertIn("  type      real\n", text)
            self.assertIn("  default   4\n", text)
            self.assertRegex(text, rf"in force  milter\.actions\.add_header=5 +# {self.file}:1")
        text = self.run_config("explain", "rules.feed.timeout", yaml="rules: {feed: {}, local: {}}").stdout
        self.assertIn("rules.NAME.timeout", text)
        self.assertIn("rules.feed.timeout=1s", text)
        self.assertNotIn("rules.local.timeout", text)
        self.assertIn("milter.actions.discard", self.run_config("explain", "milter.actions").stdout)

    def test_an_unknown_key_is_guessed_at(self):
        self.assertEqual("mime.words_max is no longer an option: it is always 100000\n",
                         self.run_config("explain", "mime.words_max").stdout)
        self.assertIn("did you mean: storage.expire",
                      self.run_config("explain", "storage.expier", code=EX_USAGE).stderr)
        self.assertIn("did you mean: rules.NAME.timeout",
                      self.run_config("explain", "timeout", code=EX_USAGE).stderr)
        self.run_config(code=EX_USAGE)
        self.assertIn("milter.tiemout", self.run_config("--effective", yaml="milter: {tiemout: 1s}",
                                                        code=EX_CONFIG).stderr)


if __name__ == "__main__":
    unittest.main()
