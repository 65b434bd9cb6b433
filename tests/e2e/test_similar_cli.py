# Covers milter/cli/commands/similar_command.cpp, milter/similar/files/file_signer.cpp,
# milter/cli/similar/sample_add.cpp, milter/cli/similar/sample_client.cpp,
# milter/cli/similar/sample_list.cpp, milter/cli/similar/sample_search.cpp,
# milter/cli/similar/signature_commands.cpp, milter/similar/files/signed_loop.cpp.
"""`shingled similar` on files alone, no daemon: signatures beside the real ssdeep, and the library of known files."""

import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import threading
import unittest
import zipfile

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


class Library(Files):
    def setUp(self):
        super().setUp()
        self.library = self.tmp / "similar.db"

    def on(self, verb, *arguments, **options):
        return self.similar(verb, "--file", self.library, *arguments, **options)

    def objects_of(self, verb, *arguments, **options):
        return [json.loads(line) for line in self.on(verb, "--json", *arguments, **options).stdout.splitlines()]

    def names(self, *arguments):
        return [sample["name"] for sample in self.objects_of("list", "--limit", "0", *arguments)]


class Known(Library):
    def test_what_was_added_is_found_changed_and_in_part(self):
        data = self.rng.randbytes(60000)
        path = self.write("known.bin", data)
        self.write("other.bin", self.rng.randbytes(60000))
        self.assertEqual("2 samples added to bad\n", self.on("add", "--list", "bad", self.files).stdout)

        found, = self.objects_of("search", self.write("changed", changed(data, self.rng)))
        self.assertEqual(["known.bin"], [pathlib.Path(one["name"]).name for one in found["similar"]])
        self.assertTrue(90 <= found["similar"][0]["score"] <= 99, found)
        self.assertEqual("bad", found["similar"][0]["list"])

        piece = self.rng.randbytes(200_000) + data[20000:35000] + self.rng.randbytes(150_000)
        found, = self.objects_of("search", self.write("around", piece))
        self.assertEqual([], found["similar"], "as a whole it is another file")
        self.assertEqual([str(path)], [one["name"] for one in found["parts"]])
        self.assertTrue(4 <= found["parts"][0]["shared"] < found["parts"][0]["asked"], found)

        stranger = self.write("stranger", self.rng.randbytes(50000))
        self.assertEqual(f"{stranger}: nothing similar\n", self.on("search", stranger).stdout)
        self.assertRegex(self.on("search", path).stdout, rf"(?s)^{path}\n  similar  100 of 100  bad  {path}  \(1\)\n"
                         r"  shares   (\d+) of \1 +bad  ")

    def test_the_best_come_first_and_not_too_many(self):
        data = self.rng.randbytes(60000)
        for i in range(20):
            self.write(f"{i:02}", data)
            data = changed(data, self.rng)
        self.on("add", "-b", "--list", "bad", self.files)
        found, = self.objects_of("search", "--top", "5", self.files / "00")
        scores = [one["score"] for one in found["similar"]]
        self.assertEqual((5, "00", 100), (len(scores), found["similar"][0]["name"], scores[0]))
        self.assertEqual(sorted(scores, reverse=True), scores)
        self.assertEqual(5, len(found["parts"]))
        found, = self.objects_of("search", "--threshold", "100", "--shared", "100000", self.files / "00")
        self.assertEqual((["00"], []), ([one["name"] for one in found["similar"]], found["parts"]))

    def test_few_and_many_get_the_same_answers(self):
        data = self.rng.randbytes(60000)
        for i in range(40):
            self.write(f"{i:02}", data)
            data = changed(data, self.rng)[500:] + self.rng.randbytes(400)
        self.on("add", "-b", "--list", "bad", self.files)
        together = self.objects_of("search", self.files)
        self.assertEqual(40, len(together))
        for path, found in zip(sorted(self.files.iterdir()), together, strict=True):
            self.assertEqual([found], self.objects_of("search", path))
        some = self.on("search", *(self.files / f"{i:02}" for i in range(32))).stdout
        self.assertTrue(self.on("search", self.files).stdout.startswith(some))

    def test_a_container_is_what_is_in_it(self):
        text = "".join(self.rng.choice(["alpha ", "beta ", "gamma ", "delta\n"]) for _ in range(20000)).encode()
        program = self.rng.randbytes(40000).hex().encode()

        def pack(name, method, *entries):
            path = self.files / name
            with zipfile.ZipFile(path, "w", method) as archive:
                for entry, data in entries:
                    archive.writestr(entry, data)
            return path

        first = pack("first.zip", zipfile.ZIP_DEFLATED, ("a.txt", text), ("b.exe", program))
        again = pack("again.zip", zipfile.ZIP_STORED, ("b.exe", program), ("a.txt", text))
        self.on("add", "--list", "bad", "--name", "the zip", first)
        whole = self.objects_of("search", again)[0]
        self.assertEqual((None, 100), (whole["entry"], whole["similar"][0]["score"]), "repacked")
        self.assertEqual([], self.objects_of("search", "--raw", first)[0]["similar"])

        self.on("add", "--list", "programs", self.write("b.exe", program))
        entries = {one["entry"]: one for one in self.objects_of("search", again)}
        self.assertIn("programs", [one["list"] for one in entries["b.exe"]["similar"]])
        self.on("del", again)
        self.assertEqual([str(self.files / "b.exe")], self.names())

    def test_lists_of_signatures_are_samples_and_questions(self):
        data = self.rng.randbytes(30000)
        self.write('odd, "name"', data)
        listed = self.tmp / "list.csv"
        listed.write_text(self.similar("sign", "-b", self.files).stdout)
        self.on("add", "--list", "bad", listed)
        sample, = self.objects_of("list")
        self.assertEqual(('odd, "name"', 0, ""), (sample["name"], sample["bytes"], sample["parts"]))
        found, = self.objects_of("search", listed)
        self.assertEqual(('odd, "name"', 100), (found["file"], found["similar"][0]["score"]))
        self.assertEqual(listed.read_text(), self.on("list", "--csv").stdout)
        # The file itself knows more than the list: it takes its place.
        self.on("add", "-b", "--list", "bad", self.files)
        sample, = self.objects_of("list")
        self.assertEqual((2, 30000), (sample["id"], sample["bytes"]))

    def test_the_same_sample_is_added_once_a_list(self):
        path = self.write("a", self.rng.randbytes(9000))
        self.on("add", "--list", "bad", path)
        self.assertEqual("0 samples added to bad, 1 already known\n", self.on("add", "--list", "bad", path).stdout)
        self.assertEqual("1 sample added to good\n", self.on("add", "--list", "good", path).stdout)
        self.assertEqual(["bad", "good"], [one["list"] for one in self.objects_of("list")])
        self.assertEqual(["good"], [one["list"] for one in self.objects_of("list", "--list", "good")])

    def test_wrong_words_are_a_wrong_usage(self):
        path = self.write("a", b"x" * 5000)
        for arguments in (("add", path), ("add", "--list", "a b", path), ("del",), ("search", "--top", "0", path),
                          ("add", "--list", "l", "--name", "n", path, path)):
            self.on(*arguments, code=EX_USAGE)
        for arguments in (("search", path), ("list",), ("del", "--id", "1", "--dry-run")):
            self.assertIn("no library yet", self.similar(arguments[0], "--file", self.tmp / "none", *arguments[1:],
                                                         code=EX_NOINPUT).stderr)

    def test_another_block_size_is_refused(self):
        path = self.write("a", self.rng.randbytes(9000))
        self.on("add", "--list", "bad", path)
        done = self.on("search", "-o", "similar.part_block_size=384", path, code=EX_DATAERR)
        self.assertRegex(done.stderr, "768.*384")


class Deleting(Library):
    def setUp(self):
        super().setUp()
        for name in "abcd":
            self.write(name, self.rng.randbytes(9000))
        self.on("add", "-b", "--list", "bad", self.files)
        self.on("add", "-b", "--list", "good", self.files / "a", self.files / "b")

    def left(self):
        return [(one["list"], one["name"]) for one in self.objects_of("list")]

    def test_everything_said_must_hold(self):
        everything = self.left()
        for gone, *arguments in (
                ({("bad", "a"), ("good", "a")}, "--name", "a"),
                ({("good", "a")}, "--name", "a", "--list", "good"),
                ({("bad", "c"), ("bad", "d")}, "--name", "c", "--name", "d"),
                ({("good", "a"), ("good", "b")}, "--list", "good"),
                ({("bad", "b"), ("good", "b")}, self.files / "b"),
                ({("bad", "b")}, "--id", "2", self.files / "b"),
                (set(everything) - {("bad", "d")}, "--id", "1", "--id", "2", "--id", "3", "--id", "5", "--id", "6")):
            would = self.objects_of("del", "--dry-run", *arguments)
            self.assertEqual(gone, {(one["list"], one["name"]) for one in would}, arguments)
            self.assertEqual(everything, self.left(), "only said")
        self.assertEqual("2 samples deleted\n", self.on("del", "--list", "bad", self.files / "b", "--name", "b",
                                                        "--name", "a", self.files / "a").stdout)
        self.assertEqual([("bad", "c"), ("bad", "d"), ("good", "a"), ("good", "b")], self.left())

    def test_nothing_that_fits_is_said(self):
        for arguments in (("--id", "99"), ("--name", "z"), ("--list", "none"), ("--id", "1", "--name", "b")):
            self.assertEqual("0 samples deleted\n", self.on("del", *arguments, code=EX_NOINPUT).stdout)
        self.assertEqual(6, len(self.left()))

    def test_a_number_is_never_used_again(self):
        self.on("del", "--list", "good")
        self.on("del", "--list", "bad")
        self.on("add", "--list", "bad", self.files / "a")
        self.assertEqual([7], [one["id"] for one in self.objects_of("list")])


class CutOff(Library):
    """A run that ends early keeps what it has said, and leaves a library that works."""

    SAMPLES = 20000

    def rows(self):
        def hash_of(length):
            return "".join(self.rng.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", k=length))
        yield HEADLINE + "\n"
        for i in range(self.SAMPLES):
            yield f'768:{hash_of(60)}:{hash_of(30)},"file {i}"\n'

    def add_and_stop(self, number):
        """Starts adding from a pipe that never ends, sends the signal once something was said; the names said."""
        adding = subprocess.Popen([harness.BINARY, "similar", "add", "--file", self.library, "--list", "bad", "--json", "-"],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(adding.stdout.close)

        def feed():
            with contextlib.suppress(BrokenPipeError):
                adding.stdin.write("".join(self.rows()).encode())
                adding.stdin.flush()

        feeder = threading.Thread(target=feed)
        feeder.start()
        said = [json.loads(adding.stdout.readline())["file"]]
        adding.send_signal(number)
        lines = adding.stdout.read().decode().splitlines(keepends=True)
        code = adding.wait(harness.RUN_SECONDS)
        feeder.join()
        with contextlib.suppress(BrokenPipeError):
            adding.stdin.close()
        return code, said + [json.loads(line)["file"] for line in lines if line.endswith("\n")]

    def test_kill_leaves_what_was_said(self):
        code, said = self.add_and_stop(signal.SIGKILL)
        self.assertEqual(-signal.SIGKILL, code)
        self.assertLessEqual(set(said), set(self.names()))
        self.on("add", "--list", "bad", self.write("a", self.rng.randbytes(9000)))

    def test_an_interrupt_stores_what_was_read(self):
        code, said = self.add_and_stop(signal.SIGINT)
        self.assertEqual(130, code)
        self.assertEqual(said, self.names())

    def test_many_are_few_transactions(self):
        listed = self.tmp / "list.csv"
        listed.write_text("".join(self.rows()))
        strace = ["strace", "-f", "-c", "-e", "trace=fdatasync,fsync"]
        if not shutil.which("strace") or subprocess.run([*strace, "true"], capture_output=True).returncode != 0:
            self.skipTest("strace cannot be used")
        done = subprocess.run([*strace, harness.BINARY, "similar", "add", "--file", self.library, "--list", "bad", listed],
                              capture_output=True, text=True, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
        self.assertEqual(0, done.returncode, done.stderr)
        syncs = sum(int(line.split()[3]) for line in done.stderr.splitlines() if line.endswith("sync"))
        self.assertLess(syncs, self.SAMPLES / 50)
        self.assertEqual(self.SAMPLES, len(self.names()))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
