# Covers milter/cli/commands/backup_command.cpp, milter/cli/commands/verify_command.cpp,
# milter/transfer/hash_feed.cpp, milter/terminal/export_output.cpp.
"""backup, verify, export and import: of a running daemon's file and of one at rest, of good data and bad, to the end
and interrupted."""

import hashlib
import json
import pathlib
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import unittest

import harness

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "samples"
OFFER = SAMPLES / "1-offer.eml"
AGAIN = SAMPLES / "2-offer-again.eml"
LETTER = SAMPLES / "3-letter.eml"

EX_USAGE, EX_DATAERR, EX_NOINPUT, EX_CANTCREAT, EX_IOERR, EX_TEMPFAIL = 64, 65, 66, 73, 74, 75
HEADER = {"format": "shingled-hashes", "version": 1}


def hash_of(number, **more):
    """A made-up hash; the same number gives the same digest and shingles."""
    digest = hashlib.blake2b(b"%d" % number)
    shingles = [str(int.from_bytes(hashlib.blake2b(b"%d/%d" % (number, slot)).digest()[:8])) for slot in range(32)]
    return {"digest": digest.hexdigest(), "flags": [{"flag": 11, "value": number % 50 + 1}],
            "time": 1700000000 + number, "created": 1700000000, "source": str(number), "shingles": shingles, **more}


def lines(*objects):
    return "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in objects)


class Formats(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        # robust=false: one hash a message.
        self.daemon = harness.Daemon(self.tmp, overrides=["storage.expire=0", "rules.local.robust=false"])

    def run_ok(self, *arguments, **options):
        return self.ends_with(0, *arguments, **options)

    def ends_with(self, code, *arguments, **options):
        done = self.daemon.run(*arguments, **options)
        self.assertEqual(code, done.returncode, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def exported(self, *arguments):
        return [json.loads(line) for line in self.run_ok("export", *arguments).stdout.splitlines()]

    def store(self, *hashes):
        self.run_ok("import", "-", stdin=lines(HEADER, *hashes))

    def files(self):
        """What lies in the folder, but for what a daemon or a reader leaves beside its database."""
        return {path.name for path in self.tmp.iterdir()} - {"fuzzy.db-wal", "fuzzy.db-shm", "fuzzy.db.lock"}


class Live(Formats):
    """Of a daemon that runs."""

    def setUp(self):
        super().setUp()
        self.enterContext(self.daemon)
        self.run_ok("add", "--flag", "denied", "--weight", "20", OFFER)
        self.run_ok("add", "--flag", "prob", "--weight", "3", OFFER)

    def test_the_hashes_of_a_backup_are_a_storage_of_their_own(self):
        copies = self.tmp / "copies"
        self.assertRegex(self.run_ok("backup", copies).stdout, r"(?m)^hashes +hashes\.db +\S+ \S+ +.*fuzzy\.db$")
        copy = copies / "hashes.db"
        self.run_ok("add", LETTER)  # later: not in the copy
        self.assertRegex(self.run_ok("verify", copy).stdout, "no problem found")
        self.daemon.stop()
        self.daemon.hashfile = copy
        self.daemon.start()
        found, = json.loads(self.run_ok("check", "--json", OFFER).stdout)["lookups"]
        self.assertEqual(("hit", 11, 20), (found["result"], found["flag"], found["value"]))
        self.assertFalse(json.loads(self.run_ok("check", "--json", LETTER).stdout)["found"])

    def test_verify_and_export_read_beside_it(self):
        self.assertRegex(self.run_ok("verify").stdout, r"1 hash, 1 with shingles, 2 list entries: no problem found")
        verdict = json.loads(self.run_ok("verify", "--json").stdout)
        self.assertEqual((1, 0, []), (verdict["hashes"], verdict["problem_count"], verdict["problems"]))
        header, stored = self.exported()
        self.assertEqual({**HEADER, "hashes": 1}, header)
        self.assertEqual([{"flag": 11, "value": 20}, {"flag": 12, "value": 3}], stored["flags"])
        hashed = json.loads(self.run_ok("hash", "--json", OFFER).stdout)["parts"][0]
        self.assertEqual((hashed["digest"], hashed["shingles"]), (stored["digest"], stored["shingles"]))

    def test_import_names_the_daemon_that_is_in_the_way(self):
        done = self.ends_with(EX_TEMPFAIL, "import", "-", stdin=lines(HEADER, hash_of(1)))
        self.assertIn(f"{self.daemon.hashfile}: another shingled has it open (process {self.daemon.process.pid})", done.stderr)
        self.assertEqual(2, len(self.exported()))

    def test_it_answers_while_backups_run_and_every_backup_is_whole(self):
        answered = threading.Event()

        def teach():
            while not answered.is_set():
                self.run_ok("add", LETTER)

        teacher = threading.Thread(target=teach)
        teacher.start()
        try:
            for number in range(5):
                self.run_ok("backup", self.tmp / f"backup{number}")
        finally:
            answered.set()
            teacher.join()
        for number in range(5):
            self.run_ok("verify", self.tmp / f"backup{number}" / "hashes.db")


class Offline(Formats):
    """Of a file that nobody has open."""

    def test_an_export_comes_back_unchanged(self):
        hashes = [hash_of(number) for number in range(300)]
        hashes[1].update(shingles=None, source="18446744073709551615")
        hashes[2].update(flags=[{"flag": flag, "value": 90 - flag} for flag in range(8)])
        self.store(*hashes)
        self.assertEqual([{**HEADER, "hashes": 300}, *hashes], self.exported())
        first, other = self.tmp / "first.jsonl", self.tmp / "other.db"
        self.assertEqual(f"{first}: 300 hashes\n", self.run_ok("export", first).stdout)
        self.run_ok("import", "-o", f"storage.hashfile={other}", first)
        again = self.run_ok("export", "-o", f"storage.hashfile={other}").stdout
        self.assertEqual(first.read_text(), again)
        self.run_ok("verify", other)
        # Our own database is an import too.
        self.daemon.hashfile = self.tmp / "third.db"
        self.assertIn("300 hashes added", self.run_ok("import", other).stdout)
        self.assertEqual(first.read_text(), self.run_ok("export").stdout)

    def test_a_hash_that_is_stored_is_merged_as_told(self):
        stored = hash_of(1, flags=[{"flag": 11, "value": 5}], created=1600000000)
        coming = hash_of(1, flags=[{"flag": 11, "value": 3}, {"flag": 12, "value": 9}], time=1750000000, source="77")
        both = {**stored, "time": 1750000000, "source": "77"}
        for rule, expected in (([], {**both, "flags": [{"flag": 12, "value": 9}, {"flag": 11, "value": 8}]}),
                               (["--existing", "larger"], {**both, "flags": [{"flag": 12, "value": 9}, {"flag": 11, "value": 5}]}),
                               (["--existing", "skip"], stored),
                               (["--existing", "replace"], {**coming, "flags": coming["flags"][::-1]})):
            with self.subTest(rule=rule):
                self.daemon.hashfile = self.tmp / f"{len(rule) and rule[1]}.db"
                self.store(stored)
                self.run_ok("import", *rule, "-", stdin=lines(HEADER, coming))
                self.assertEqual(expected, self.exported()[1])

    def test_broken_lines_are_named_and_the_others_count(self):
        text = lines({**HEADER, "hashes": 5}, hash_of(1)) + "nonsense\n\n" + lines(hash_of(2), hash_of(3, flags=[])) + \
            "x" * 100000 + "\n" + lines(hash_of(4)).strip()
        done = self.ends_with(EX_DATAERR, "import", "-", stdin=text)
        self.assertEqual("-: 3 hashes added, 0 merged, 0 unchanged, 3 broken\n", done.stdout)
        for said in ("-:3: it is not a JSON object", "-:6: \"flags\" must be 1 to 8", "-:7: longer than 64 KiB",
                     "-: its header announces 5 hashes, but 6 were read"):
            self.assertIn("shingled: " + said, done.stderr)
        self.assertEqual(4, len(self.exported()))
        self.run_ok("verify")

    def test_an_import_that_was_cut_is_noticed(self):
        text = lines({**HEADER, "hashes": 3}, *map(hash_of, range(3)))
        at_a_line = text[:text.rindex("{\"digest")]
        done = self.ends_with(EX_DATAERR, "import", "-", stdin=at_a_line)
        self.assertIn("announces 3 hashes, but 2 were read", done.stderr)
        done = self.ends_with(EX_DATAERR, "import", "--json", "-", stdin=text[:-100])
        self.assertIn("-:4: it is not a JSON object", done.stderr)
        self.assertEqual({"file": "-", "added": 0, "merged": 2, "unchanged": 0, "broken": 1, "complete": True, "lost_slots": 0,
                          "lost_hashes": 0}, json.loads(done.stdout))

    def test_what_is_no_import_makes_no_storage(self):
        other, newer = self.tmp / "other", self.tmp / "newer"
        for text, code, reason in (("", EX_DATAERR, "empty"), ("From me\n" * 1000, EX_DATAERR, "line 1: not the header"),
                                   (lines(hash_of(1)), EX_DATAERR, "line 1: not the header"),
                                   (lines({**HEADER, "version": 2}), EX_TEMPFAIL, "version 2 of the format")):
            other.write_text(text)
            done = self.ends_with(code, "import", other)
            self.assertIn(reason, done.stderr)
        with sqlite3.connect(newer) as database:
            database.execute("CREATE TABLE songs(title)")
        self.assertIn("a database, but not one of", self.ends_with(EX_DATAERR, "import", newer).stderr)
        self.ends_with(EX_NOINPUT, "import", self.tmp / "missing")
        self.assertFalse(self.daemon.hashfile.exists())

    def test_it_does_not_import_itself(self):
        self.store(hash_of(1))
        self.ends_with(EX_USAGE, "import", self.daemon.hashfile)
        self.assertEqual(hash_of(1), self.exported()[1])

    def test_nothing_is_overwritten_unless_told(self):
        self.store(hash_of(1))
        for command in (["export"], ["export", "--format", "rspamd"]):
            with self.subTest(command=command):
                precious = self.tmp / "precious"
                precious.write_text("mine")
                done = self.ends_with(EX_CANTCREAT, *command, precious)
                self.assertIn("exists already", done.stderr)
                self.assertEqual("mine", precious.read_text())
                self.run_ok(*command, "--force", precious)
                self.assertNotEqual(b"mine", precious.read_bytes())
        self.assertEqual({"fuzzy.db", "precious"}, self.files())

    def test_a_file_that_is_no_storage_is_refused_by_each(self):
        other = self.tmp / "other.db"
        for content in (b"From the editor\n" * 1000, b"", None):
            if content is None:
                other.unlink()
            else:
                other.write_bytes(content)
            self.daemon.hashfile = other
            for command in (["verify"], ["backup", self.tmp / "x"], ["export", self.tmp / "x"], ["export"]):
                with self.subTest(command=command[0], content=content and content[:20]):
                    done = self.ends_with(EX_NOINPUT if content is None else EX_DATAERR, *command)
                    self.assertIn(str(other), done.stderr)
            self.assertLessEqual(self.files(), {"other.db"})

    def test_damage_is_found_and_not_backed_up(self):
        self.store(*map(hash_of, range(500)))
        copy = self.tmp / "copy.db"
        with sqlite3.connect(self.daemon.hashfile) as database:
            database.execute("UPDATE digests SET shingle_set = x'00' WHERE id = 7")
        database.close()
        done = self.ends_with(EX_DATAERR, "verify")
        self.assertIn("digests row 7: shingle_set is not 256 bytes\n", done.stdout)
        self.assertIn("1 problem\n", done.stdout)
        self.assertIn("damaged (1 problem)", self.ends_with(EX_DATAERR, "backup", copy).stderr)
        whole = self.daemon.hashfile.read_bytes()
        for size in (len(whole) // 2, 5000, 50):
            with self.subTest(size=size):
                for leftover in self.tmp.glob("fuzzy.db-*"):
                    leftover.unlink()
                self.daemon.hashfile.write_bytes(whole[:size])
                for command in (["verify"], ["backup", copy], ["export", copy]):
                    self.ends_with(EX_DATAERR, *command)
        self.assertEqual({"fuzzy.db"}, self.files())

    def test_a_full_disk_leaves_no_half_file(self):
        self.store(*map(hash_of, range(2000)))
        self.assertRegex(self.ends_with(EX_TEMPFAIL, "export", "/dev/full").stderr, "/dev/full: No space left on device")

        def small_disk():
            resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

        for command in (["backup"], ["export"], ["export", "--format", "rspamd"]):
            with self.subTest(command=command):
                done = self.ends_with(EX_TEMPFAIL, *command, self.tmp / "copy", preexec_fn=small_disk, restore_signals=False)
                self.assertRegex(done.stderr, r"copy(\.part)?(/hashes\.db)?: ")
        self.assertEqual({"fuzzy.db"}, self.files())
        before = self.run_ok("export").stdout
        self.ends_with(EX_TEMPFAIL, "import", "-", stdin=lines(HEADER, *map(hash_of, range(5000, 9000))),
                       preexec_fn=small_disk, restore_signals=False)
        self.assertEqual(before, self.run_ok("export").stdout)
        self.run_ok("verify")
        with open("/dev/full", "wb") as full:
            code = subprocess.run([harness.BINARY, "export", *self.daemon.overrides], stdout=full, stderr=subprocess.DEVNULL,
                                  check=False).returncode
        self.assertEqual(EX_IOERR, code)


class Killed(Formats):
    """kill -9, and Ctrl-C, in the middle."""

    def start(self, *arguments, **options):
        return subprocess.Popen([harness.BINARY, arguments[0], *self.daemon.overrides, *map(str, arguments[1:])],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def end(self, process, number):
        process.send_signal(number)
        process.communicate(timeout=harness.RUN_SECONDS)
        return process.returncode

    def test_an_import_leaves_the_storage_as_it_was(self):
        self.store(*map(hash_of, range(100)))
        before = self.run_ok("export").stdout
        coming = lines(HEADER, *map(hash_of, range(50, 20_050))).encode()
        wal = self.tmp / "fuzzy.db-wal"
        for number in (signal.SIGKILL, signal.SIGINT):
            with self.subTest(signal=number):
                importing = self.start("import", "-", stdin=subprocess.PIPE)
                importing.stdin.write(coming)
                importing.stdin.flush()  # it waits for more now, with most of this taken in
                harness.wait_until(lambda: wal.exists() and wal.stat().st_size > 1_000_000, 60, "the import writes")
                self.end(importing, number)
                self.assertEqual(before, self.run_ok("export").stdout)
                self.run_ok("verify")
        self.run_ok("import", "-", stdin=coming)
        self.assertEqual(20_051, len(self.exported()))

    def test_a_backup_leaves_no_half_file_under_its_name(self):
        self.store(*map(hash_of, range(20_000)))
        copy, part = self.tmp / "copy", self.tmp / "copy.part"
        for command in ("backup", "export"):
            with self.subTest(command=command):
                writing = self.start(command, copy)
                harness.wait_until(lambda: part.exists() or copy.exists(), 60, "the copy begins")
                self.end(writing, signal.SIGKILL)
                if not copy.exists():
                    self.assertTrue(part.exists())
                    self.run_ok(command, copy)  # takes over what was left
                self.assertFalse(part.exists())
                if command == "backup":
                    self.run_ok("verify", copy / "hashes.db")
                    shutil.rmtree(copy)
                else:
                    self.assertEqual(20_001, len(copy.read_text().splitlines()))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
