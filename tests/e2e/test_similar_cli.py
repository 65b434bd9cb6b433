"""`shingled similar` on files alone, no daemon: signatures beside the real ssdeep, and the library of known files."""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import unittest

import harness

EX_USAGE, EX_DATAERR, EX_NOINPUT, EX_NOPERM = 64, 65, 66, 77
HEADLINE = "ssdeep,1.1--blocksize:hash:hash,filename"
ODD_NAMES = ["plain.txt", 'with "quotes".bin', "comma, name", "back\\slash", 'back\\"both', "ends\\", "tab\tname",
             "café", 'q"', '"q', 'a,"b', " lead", "trail ", "-dash", "a:b", "x\x01y", "'single'"]


def ssdeep(*arguments, cwd):
    done = subprocess.run(["ssdeep", *arguments], cwd=cwd, capture_output=True, timeout=harness.RUN_SECONDS)
    return done.stdout.decode(errors="surrogateescape").splitlines()


def changed(data, rng):
    """`data` with a piece of it replaced."""
    at = rng.randrange(len(data))
    return data[:at] + rng.randbytes(50) + data[at + 60:]


class Files(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.files = self.tmp / "files"
        self.files.mkdir()
        self.rng = random.Random(7)

    def write(self, name, data):
        path = self.files / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def similar(self, *arguments, code=0, stdin=b"", cwd=None):
        done = harness.run("similar", *arguments, stdin=stdin, cwd=cwd or self.tmp)
        self.assertEqual(code, done.returncode, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def objects(self, *arguments, **options):
        return [json.loads(line) for line in self.similar(*arguments, "--json", **options).stdout.splitlines()]


@unittest.skipUnless(shutil.which("ssdeep"), "ssdeep is not installed")
class BesideSsdeep(Files):
    def setUp(self):
        super().setUp()
        for name in ODD_NAMES:
            self.write(name, self.rng.randbytes(self.rng.randrange(5000, 40000)))
        self.write("deep/er/file", self.rng.randbytes(20000))
        self.write("empty", b"")
        self.names = {*ODD_NAMES, "file", "empty"}

    def test_it_prints_the_same_lines(self):
        for ours, theirs in ((("-b",), ("-b", "-r")), (("--absolute",), ("-r",)), ((), ("-l", "-r"))):
            lines = self.similar("sign", *ours, ".", cwd=self.files).stdout.splitlines()
            expected = ssdeep("-s", *theirs, ".", cwd=self.files)
            self.assertEqual(HEADLINE, lines[0])
            self.assertEqual(sorted(expected[1:]), sorted(lines[1:]))

    def test_it_matches_what_we_print(self):
        known = self.tmp / "known.csv"
        known.write_text(self.similar("sign", "-b", self.files).stdout)
        matches = ssdeep("-s", "-b", "-r", "-m", str(known), str(self.files), cwd=self.tmp)
        # It reads a backslash before a quotation mark as none.
        expected = {f"{name} matches {known}:{name.replace(chr(92) + chr(34), chr(34))} (100)" for name in self.names}
        self.assertEqual(expected, set(matches) - {""})
        self.assertEqual([], ssdeep("-x", str(known), cwd=self.tmp), "each is like itself only")

    def test_we_read_what_it_prints(self):
        listed = self.tmp / "listed.csv"
        listed.write_text("\n".join(ssdeep("-s", "-b", "-r", str(self.files), cwd=self.tmp)) + "\n")
        pairs = self.objects("compare", "-b", listed, self.files)
        same = {pair["file"] for pair in pairs if pair["file"] == pair["like"] and pair["score"] == 100}
        self.assertEqual(self.names, same)

    def test_pairs_and_scores_are_its_own(self):
        data = self.rng.randbytes(30000)
        for i in range(40):
            data = changed(data, self.rng)
            self.write(f"family/{i}", data)
        family = self.files / "family"
        listed = self.tmp / "listed.csv"
        listed.write_text(self.similar("sign", "-b", family).stdout)

        def pairs(lines):
            out = set()
            for line in lines:
                if not line:
                    continue
                one, other, score = line.replace('"', "").split(",")
                out.add((*sorted((one, other)), int(score)))
            return out

        theirs = pairs(ssdeep("-s", "-x", "-c", "-b", str(listed), cwd=self.tmp))
        ours = pairs(self.similar("compare", "--csv", listed).stdout.splitlines())
        theirs = {(one.split(":")[-1], other.split(":")[-1], score) for one, other, score in theirs}
        self.assertEqual(780, len(ours))
        self.assertEqual(pairs(f"{a},{b},{s}" for a, b, s in theirs), ours)


class Signing(Files):
    def test_the_order_is_that_of_the_arguments_whatever_is_done_at_once(self):
        for i in range(60):
            self.write(f"d/{i:02}", self.rng.randbytes(self.rng.choice([0, 10, 100_000])))
        one = self.similar("sign", "-j1", self.files).stdout
        self.assertEqual(61, len(one.splitlines()))
        self.assertEqual(one, self.similar("sign", "-j8", self.files).stdout)

    def test_what_cannot_be_read_is_reported_and_the_rest_goes_on(self):
        path = self.write("a", b"x" * 5000)
        done = self.similar("sign", "nothing", path, code=EX_NOINPUT)
        self.assertIn("nothing: No such file or directory", done.stderr)
        self.assertIn(f'"{path}"', done.stdout)

    def test_links_and_pipes_do_not_hold_it_up(self):
        self.write("a", b"x")
        os.symlink(".", self.files / "loop")
        os.mkfifo(self.files / "pipe")
        self.assertEqual(["a"], [one["file"] for one in self.objects("sign", "-b", self.files)])

    def test_it_reads_standard_input(self):
        data = self.rng.randbytes(300_000)
        path = self.write("a", data)
        file, = self.objects("sign", path)
        piped, = self.objects("sign", "-", stdin=data)
        self.assertEqual((300_000, file["signature"], "-"), (piped["bytes"], piped["signature"], piped["file"]))

    def test_a_name_with_a_line_end_stays_on_its_line(self):
        self.write("a\nb", b"x")
        self.assertEqual([HEADLINE, '3:d:d,"a\\x0ab"'], self.similar("sign", "-b", self.files).stdout.splitlines())
        self.assertEqual("a\nb", self.objects("sign", "-b", self.files)[0]["file"])

    def test_nothing_to_sign_is_a_wrong_usage(self):
        self.similar("sign", code=EX_USAGE)
        self.similar(code=EX_USAGE)


class Comparing(Files):
    def test_two_files_are_printed_in_any_case(self):
        one, other = self.write("a", self.rng.randbytes(20000)), self.write("b", self.rng.randbytes(20000))
        self.assertEqual([{"file": str(one), "like": str(other), "score": 0}], self.objects("compare", one, other))
        self.assertEqual("100  ", self.similar("compare", one, one).stdout[:5])

    def test_a_list_stands_for_its_rows_where_it_is_named(self):
        data = self.rng.randbytes(20000)
        self.write("a", data)
        listed = self.write("list.csv", self.similar("sign", "-b", self.files).stdout.encode())
        self.write("b", changed(data, self.rng))
        pairs = {(pair["file"], pair["like"]) for pair in self.objects("compare", "-b", listed, self.files)}
        self.assertEqual({("a", "a"), ("b", "a")}, pairs)
        done = self.similar("compare", listed, "-", stdin=HEADLINE + "\nnonsense\n", code=EX_DATAERR)
        self.assertIn("-:2: ", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
