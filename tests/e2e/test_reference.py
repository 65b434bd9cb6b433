# Covers milter/cli/commands/reference_commands.cpp.
"""What is made of the table of commands: completion, tried in real shells, and manual pages, read by real readers."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

from harness import run, temporary_folder

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MAN = SOURCE / "packaging/man"


def listed(text, heading, pattern):
    """What stands in the first column below a heading of a help text."""
    return re.findall(pattern, text.partition(f"{heading}:\n")[2].partition("\n\n")[0])


def commands():
    """Each command as the words that call it, with its verbs and its options as its help shows them."""
    def look_at(*words):
        text = run("help", *words).stdout
        verbs = listed(text, "Subcommands", r"(?m)^  (\w+) ")
        options = listed(text, "Options", r"(?m)^  ((?:-\w,)?--?[a-z-]+)")
        yield words, verbs, [name for option in options for name in option.split(",")]
        for verb in verbs:
            yield from look_at(*words, verb)

    return list(look_at())


class Completion(unittest.TestCase):
    def setUp(self):
        self.folder = temporary_folder(self)

    def script(self, shell):
        done = run("completion", shell)
        self.assertEqual(done.returncode, 0, done.stderr)
        path = self.folder / f"completion.{shell}"
        path.write_text(done.stdout)
        return path

    def bash(self, lines):
        """What bash offers after each list of words, of which the last is not complete."""
        if not shutil.which("bash"):
            self.skipTest("bash is not here")
        calls = "".join("COMP_WORDS=(shingled " + " ".join(f"'{word}'" for word in words) + f"); COMP_CWORD={len(words)}\n"
                        "_shingled; (IFS='|'; echo \"${COMPREPLY[*]}\")\n" for words in lines)
        done = subprocess.run(["bash", "--norc", "-c", f"set -u; . {self.script('bash')}\n{calls}"], capture_output=True,
                              text=True, cwd=self.folder, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        offers = [[word for word in line.split("|") if word] for line in done.stdout.splitlines()]
        self.assertEqual(len(offers), len(lines))
        return offers

    def test_bash_completes_every_command_and_option(self):
        lines, expected = [], []
        for words, verbs, options in commands():
            for whole in verbs + options:
                lines.append([*words, whole])
                expected.append(whole)
            if verbs:
                lines.append([*words, ""])
                expected.append(verbs[0])
        for words, whole, offer in zip(lines, expected, self.bash(lines)):
            self.assertIn(whole, offer, words)
        self.assertGreater(len(lines), 300)

    def test_bash_completes_values_files_and_what_comes_before(self):
        (self.folder / "a letter.eml").touch()
        (self.folder / "mails").mkdir()
        for words, offer in (
                (["sca"], ["scan"]),
                (["help", "sca"], ["scan"]),
                (["counters", "sh"], ["show"]),
                (["help", "counters", "sh"], ["show"]),
                (["-c", "scan", "add", "--tcp", ""], ["yes", "no", "auto"]),
                (["--json", "counters", "to"], ["top"]),
                (["add", "--tcp", "=", "a"], ["auto"]),
                (["add", "--tcp", "="], ["yes", "no", "auto"]),
                (["add", "--flag", "scan", "--wei"], ["--weight"]),
                (["scan", "-o", "milter.sock"], ["milter.socket=", "milter.socket_mode=", "milter.socket_group="]),
                (["-o", "policy.fi"], ["policy.files="]),
                (["config", "explain", "reports.reporters_m"], ["reports.reporters_min"]),
                (["add", "a"], ["a letter.eml"]),
                (["add", "-c", "a"], ["a letter.eml"]),
                (["report", "--spool", ""], ["mails"]),
                (["manual", "keyp"], ["keypair"]),
                (["completion", "z"], ["zsh"]),
                (["keypair", ""], []),
                (["no-such-command", ""], self.bash([[""]])[0])):
            with self.subTest(words=words):
                self.assertEqual(self.bash([words]), [offer])

    def test_zsh_reads_its_script(self):
        if not shutil.which("zsh"):
            self.skipTest("zsh is not here")
        script = self.script("zsh")
        done = run("-n", script, binary="zsh")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # The functions, called as completion calls them, with an _arguments that shows what it was given.
        text = script.read_text().replace('_shingled "$@"\n', "")
        names = re.findall(r"(?m)^(_shingled\w*)\(\)", text)
        (self.folder / "shown.zsh").write_text(
            '_arguments() { print -rl -- "$@"; return 0 }\n_describe() { :; }\ncompadd() { :; }\nstate=; line=()\n' + text +
            "".join(f"print -r -- '@ {name}'\n{name}\n" for name in names))
        done = run("-f", self.folder / "shown.zsh", binary="zsh")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        shown = {part.split("\n")[0].strip(): part for part in re.split(r"(?m)^@ ", done.stdout)[1:]}
        for words, _, options in commands():
            said = shown["_".join(("_shingled", *words))]
            for option in options:
                self.assertRegex(said, r"(?m)^(\([^)]*\)|\*)?" + re.escape(option) + r"\[", words)

    def test_zsh_completes_a_command(self):
        """In a real zsh with its own completion system, at a terminal."""
        if not shutil.which("zsh"):
            self.skipTest("zsh is not here")
        (self.folder / "fpath").mkdir()
        shutil.copy(self.script("zsh"), self.folder / "fpath/_shingled")
        (self.folder / "try.zsh").write_text(f"""
            zmodload zsh/zpty || exit 77
            zpty shell zsh -f -i
            tell() {{ zpty -w shell "$1"; }}
            tell 'PROMPT=; unsetopt zle_bracketed_paste; fpath=({self.folder}/fpath $fpath); autoload -U compinit; compinit -u -d {self.folder}/dump; LISTMAX=0'
            tell 'bindkey "^I" complete-word; print re""ady'
            zpty -r shell answer '*ready*'
            zpty -w -n shell $'shingled add --wei\\t'
            zpty -r shell answer '*--weight*' && print completed
            zpty -d shell
            """)
        done = subprocess.run(["zsh", "-f", self.folder / "try.zsh"], capture_output=True, text=True, timeout=60, check=False)
        if done.returncode == 77:
            self.skipTest("zsh has no zpty")
        self.assertIn("completed", done.stdout, done.stderr)

    def test_another_shell_is_refused(self):
        done = run("completion", "fish")
        self.assertEqual(done.returncode, 64)
        self.assertIn("fish", done.stderr)


class Manual(unittest.TestCase):
    def setUp(self):
        self.folder = temporary_folder(self)
        done = run("manual", "--directory", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def pages(self):
        return sorted(self.folder.glob("*.1")) + sorted(MAN.glob("*.[58]"))

    def test_every_command_has_its_page_with_every_option(self):
        names = {"shingled.1"}
        for words, verbs, options in commands():
            if not words:
                continue
            page = self.folder / f"shingled-{words[0]}.1"
            names.add(page.name)
            text = page.read_text().replace("\\-", "-")
            for option in options:
                self.assertIn(f"\\fB{option}\\fR", text, words)
            for verb in verbs:
                self.assertIn(f".SS shingled {' '.join(words)} {verb}\n", text)
            self.assertIn("\n.SH EXAMPLES\n", text)
        self.assertEqual(sorted(names), sorted(page.name for page in self.folder.iterdir()))

    def test_the_long_text_comes_from_the_page_of_the_daemon(self):
        said = run("manual", "configtest").stdout
        self.assertIn("suggestion for each", said)
        self.assertIn("suggestion for each", (MAN / "shingled.8").read_text())

    def test_readers_find_nothing_wrong(self):
        for page in self.pages():
            with self.subTest(page=page.name):
                if shutil.which("groff"):
                    done = run("-ww", "-man", "-Tutf8", "-z", page, binary="groff")
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                if shutil.which("man"):
                    done = run("--warnings", "-E", "UTF-8", "-l", page, binary="man",
                               env={**os.environ, "MANROFFSEQ": "", "MANWIDTH": "80", "MANPAGER": "cat"})
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                if shutil.which("mandoc"):
                    done = run("-Tlint", "-W", "warning", page, binary="mandoc")
                    self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_the_page_of_rules_has_what_the_specification_has(self):
        page = (MAN / "shingled-policy.5").read_text().replace("\\-", "-")
        terms = re.findall(r"(?m)^\| `(\w+)`", (SOURCE / "milter/POLICY.md").read_text())
        self.assertGreater(len(terms), 35)
        for term in terms:
            self.assertIn(f"\\fB{term}\\fR", page)

    def test_one_page_is_printed(self):
        self.assertEqual(run("manual", "add").stdout, (self.folder / "shingled-add.1").read_text())
        self.assertEqual(run("manual").stdout, (self.folder / "shingled.1").read_text())
        self.assertEqual(run("manual", "ad").returncode, 64)
        self.assertEqual(run("manual", "--directory", self.folder / "none").returncode, 66)


if __name__ == "__main__":
    unittest.main()
