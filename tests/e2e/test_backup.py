# Covers milter/cli/commands/backup_command.cpp, milter/cli/commands/restore_command.cpp,
# milter/cli/counters/counter_backup.cpp.
"""backup on one machine and restore on another: everything is found there, belongs to its daemon, and nothing that
stood there is lost. Another key, a running daemon, a changed file and a full disk are refused with a reason."""

import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

import harness

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "packaging"))

from milter_client import MilterClient  # noqa: E402 (needs the path above)

OFFER = ROOT / "packaging" / "samples" / "1-offer.eml"
LETTER = ROOT / "packaging" / "samples" / "3-letter.eml"
EX_USAGE, EX_DATAERR, EX_NOINPUT, EX_CANTCREAT, EX_TEMPFAIL, EX_NOPERM = 64, 65, 66, 73, 75, 77
TRUSTED = "postmaster@example.org"
NOBODY = 65534
ONE_HASH = ('{"format":"shingled-hashes","version":1}\n{"digest":"' + "ab" * 64 +
            '","flags":[{"flag":11,"value":1}],"time":1,"created":1,"source":"0","shingles":null}\n')


class Machine(harness.Daemon):
    """A daemon with all of its files in one folder, and the settings in a file there."""

    def __init__(self, folder, overrides=()):
        folder.mkdir(parents=True, exist_ok=True)
        self.settings = folder / "etc" / "shingled.yaml"
        self.library = folder / "similar.db"
        super().__init__(folder, config=self.settings, overrides=[
            f"similar.file={self.library}", f"ratelimit.file={folder / 'ratelimit.db'}",
            f"model.file={folder / 'model.json'}", f"http.keys_file={folder / 'etc' / 'http.keys'}", f"http.users_file={folder / 'etc' / 'users'}", *overrides])
        self.rules = self.settings.parent / "rules.yaml"

    def make_settings(self):
        self.settings.parent.mkdir(exist_ok=True)
        self.settings.write_text(f"storage: {{expire: 0}}\nreports: {{trusted_reporters: [{TRUSTED}]}}\n"
                                 f"ratelimit: {{rates: {{to: [100, 1 / 1h]}}}}\npolicy: {{files: [{self.rules}]}}\n")
        self.settings.chmod(0o644)
        self.rules.write_text("policy:\n  rules:\n    MINE: {if: subject.own_complaint, score: 0, shadow: yes}\n")

    def content(self):
        """Every file with its bytes, but for what locks and SQLite leave."""
        return {str(path): path.read_bytes() for path in sorted(self.tmp.rglob("*"))
                if path.is_file() and not path.name.endswith((".lock", "-shm", "-wal", ".log"))}


class Backup(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.copies = self.tmp / "copies"
        self.here = Machine(self.tmp / "here")
        self.here.make_settings()
        self.addCleanup(self.here.stop)

    def ok(self, machine, *arguments, **options):
        return self.ends_with(0, machine, *arguments, **options).stdout

    def ends_with(self, code, machine, *arguments, **options):
        done = machine.run(*arguments, **options)
        self.assertEqual(code, done.returncode, f"{arguments}\n{done.stdout}\n{done.stderr}\n{machine.log()}")
        return done

    def another(self, name="there", overrides=()):
        machine = Machine(self.tmp / name, overrides)
        self.addCleanup(machine.stop)
        return machine

    def fill(self):
        """Something of everything, of a daemon that runs then."""
        here = self.here
        here.start()
        self.ok(here, "add", "--flag", "denied", "--weight", "20", OFFER)
        self.ok(here, "counters", "add", "--mass", "3", "link_host", "www.backup.example")
        for who in (TRUSTED, "ann@example.org"):
            self.ok(here, "report", "--spam", "--reporter", who, LETTER)
        with contextlib.closing(MilterClient(f"127.0.0.1:{here.milter_port}")) as client:
            client.send(OFFER.read_bytes(), queue_id="4XyzQ1")
        self.ok(here, "similar", "add", "--list", "bad", OFFER)
        self.ok(here, "buckets", "set", "to:b@example.org", "5")
        (here.tmp / "allow.list").write_text("friend@example.org\n")
        self.ok(here, "key", "add", "monitor")
        here.restart()  # buckets and the history are written behind

    def assert_found(self, machine):
        self.assertEqual(20, machine.weight(OFFER.read_bytes()))
        self.assertEqual(3, machine.weight(LETTER.read_bytes()))
        shown = json.loads(self.ok(machine, "counters", "show", "--json", "--space", "in", "link_host", "www.backup.example"))
        self.assertEqual({"mass": 3}, shown["sums"]["24h"])
        said = self.ok(machine, "counters", "show", "subject", "--exact", "the bank and the loan")
        self.assertIn("2 complain", said)
        listed = json.loads(self.ok(machine, "cases", "--json"))
        self.assertEqual((2, "marked"), (listed["spam"], listed["effect"]))
        self.assertIn("4XyzQ1", self.ok(machine, "history", "--json"))
        self.assertIn(OFFER.name, self.ok(machine, "similar", "list"))
        self.assertIn("to:b@example.org", self.ok(machine, "buckets", "list"))
        self.assertEqual("friend@example.org\n", (machine.tmp / "allow.list").read_text())
        self.assertIn("monitor", self.ok(machine, "key", "list"))
        self.assertIn("no problem found", self.ok(machine, "verify"))

    def owners(self, machine):
        return {str(path.relative_to(machine.tmp)): path.lstat().st_uid for path in machine.tmp.rglob("*")
                if not path.name.endswith(".lock")}


class Everything(Backup):
    def test_it_is_found_on_another_machine(self):
        self.fill()
        told = json.loads(self.ok(self.here, "backup", "--json", "--with-keys", self.copies))
        self.assertEqual([], self.here_left(told))
        for part in told["parts"]:
            data = (self.copies / part["file"]).read_bytes()
            self.assertEqual((part["bytes"], part["sha256"]), (len(data), hashlib.sha256(data).hexdigest()))
        self.assertEqual(0o700, self.copies.stat().st_mode & 0o777)
        self.assertEqual({0o600}, {path.stat().st_mode & 0o777 for path in self.copies.iterdir()})
        self.ok(self.here, "del", LETTER)  # later: not in the backup
        self.here.stop()
        self.here.tmp.rename(self.tmp / "gone")

        there = self.another()
        back = json.loads(self.ok(there, "restore", "--json", self.copies))
        self.assertEqual({part["name"] for part in told["parts"]}, {part["name"] for part in back["parts"]})
        self.assertTrue(self.here.rules.exists(), "where the settings say")
        there.start()
        self.assert_found(there)
        taken_back = self.ok(there, "report", "--ham", "--reporter", TRUSTED, LETTER)
        self.assertIn("takes back the report before", taken_back)
        self.assertEqual(0, there.weight(LETTER.read_bytes()), "reports and hashes belong to each other")

    def test_what_waits_for_the_home_and_the_model(self):
        here = self.here
        here.start()
        here.extra.append("reports.home=https://127.0.0.1:1")  # nobody is there
        here.restart()
        self.assertIn("gets it later", self.ok(here, "report", "--spam", "--reporter", "ann@example.org", LETTER))
        spool = here.tmp / "reports.db.spool"
        report, = spool.glob("*.report")
        for name, text in (("model.json", "{}"), ("model.json.before", "{ }"), ("model.json.mode", "shadow\n")):
            (here.tmp / name).write_text(text)
        told = self.ok(here, "backup", "--with-keys", self.copies)
        for name in ("reports.spool", "model ", "model.before", "model.mode"):
            self.assertRegex(told, rf"(?m)^{name}")
        few = json.loads(self.ok(here, "backup", "--json", "--without", "model,reports", self.tmp / "few"))
        self.assertFalse({"reports.spool", "model"} & {part["name"] for part in few["parts"]})
        here.stop()
        there = self.another()
        back = self.ok(there, "restore", self.copies)
        self.assertIn("reports.db.spool", back)
        restored = there.tmp / "reports.db.spool" / report.name
        self.assertEqual(report.read_bytes(), restored.read_bytes())
        self.assertEqual((0o600, 0o700), (restored.stat().st_mode & 0o777, restored.parent.stat().st_mode & 0o777))
        for name in ("model.json", "model.json.before", "model.json.mode"):
            self.assertEqual((here.tmp / name).read_bytes(), (there.tmp / name).read_bytes())

    @staticmethod
    def here_left(told):
        """What was left out, but for what this site never had."""
        return [left for left in told["left_out"] if "there is none yet" not in left["why"]]

    @unittest.skipIf(os.geteuid() != 0, "only root can give files to somebody else")
    def test_it_belongs_to_the_daemon_there(self):
        self.fill()
        self.ok(self.here, "backup", "--with-keys", self.copies)
        for name, setting, arguments in (("settings", ["daemon.user=nobody"], []),
                                         ("option", [], ["--user", "nobody"]),
                                         ("folder", [], [])):
            with self.subTest(name):
                there = self.another(name, setting)
                if name == "folder":
                    os.chown(there.tmp, NOBODY, NOBODY)
                self.ok(there, "restore", *arguments, self.copies)
                owners = self.owners(there)
                for file in ("fuzzy.db", "counters", "counters/key", "counters/counters.db", "counters/people.db",
                             "history.db", "reports.db", "similar.db", "ratelimit.db", "allow.list"):
                    if file != "allow.list" or name == "folder":
                        self.assertEqual(NOBODY, owners[file], file)
                self.assertEqual(0, owners["etc/shingled.yaml"])
                for file in ("shingled.yaml", "http.keys"):
                    self.assertNotEqual(0, (there.settings.parent / file).stat().st_gid, "the daemon may read it")
        os.chown(there.tmp, NOBODY, NOBODY)
        there.extra.append("daemon.user=nobody")
        there.start()
        self.assert_found(there)

    @unittest.skipIf(os.geteuid() != 0, "becomes somebody else")
    def test_only_root_gives_files_away(self):
        self.ok(self.here, "import", "-", stdin=ONE_HASH)
        self.ok(self.here, "backup", self.copies)
        for path in (self.copies, *self.copies.iterdir()):
            os.chown(path, NOBODY, NOBODY)
        there = self.another()
        os.chown(there.tmp, NOBODY, NOBODY)
        try:
            done = self.ends_with(EX_NOPERM, there, "restore", "--user", "root", self.copies, user=NOBODY, group=NOBODY,
                                  extra_groups=[])
        except PermissionError as reason:
            self.skipTest(f"nobody else may run the program: {reason}")
        self.assertIn("run it as root", done.stderr)
        self.assertEqual({}, there.content())

    def test_what_is_a_secret_is_taken_when_told(self):
        self.fill()
        with open(self.here.settings, "a", encoding="utf-8") as settings:
            settings.write("rules: {local: {fuzzy_key: sesame}}\n")
        told = self.ok(self.here, "backup", self.copies)
        for what in ("counters.key_file", "http.keys_file", "settings"):
            self.assertRegex(told, rf"(?m)^not taken: {what}: .*--with-keys takes it$")
        key = (self.here.tmp / "counters" / "key").read_bytes().strip()
        for path in self.copies.iterdir():
            self.assertNotIn(b"sesame", path.read_bytes(), path)
            self.assertNotIn(key, path.read_bytes(), path)
        self.assertEqual(EX_USAGE, self.here.run("backup", "--without", "nonsense", self.tmp / "x").returncode)
        self.ok(self.here, "backup", "--without", "counters,reports", "--without", "history", self.tmp / "few")
        self.assertFalse({"counters.jsonl", "reports.db", "people.db", "history.db"} &
                         {path.name for path in (self.tmp / "few").iterdir()})


class Refused(Backup):
    def test_counters_of_another_key(self):
        self.fill()
        self.ok(self.here, "backup", self.copies)
        self.here.stop()
        there = self.another()
        there.make_settings()
        with there:  # makes a key of its own
            self.ok(there, "counters", "add", "--mass", "1", "link_host", "www.example.net")
            done = there.run("counters", "import", self.copies / "counters.jsonl")
            self.assertIn("was counted with another key", done.stderr)
            self.assertEqual(EX_DATAERR, done.returncode)
        before = there.content()
        for force in ([], ["--force"]):
            done = self.ends_with(EX_DATAERR, there, "restore", *force, self.copies)
            self.assertIn("was counted with another key", done.stderr)
            self.assertIn("--with-keys", done.stderr)
            self.assertEqual(before, there.content())
        # The rest of it needs no key.
        self.ok(there, "restore", "--force", "--without", "counters,reports", self.copies)
        with there:
            self.assertEqual(20, there.weight(OFFER.read_bytes()))
        # With the key it is all there.
        shutil.copy(self.here.tmp / "counters" / "key", there.tmp / "counters" / "key")
        told = self.ok(there, "restore", "--force", self.copies)
        self.assertIn("moved aside: ", told)
        shutil.copy(self.here.settings.parent / "http.keys", there.settings.parent / "http.keys")
        there.start()
        self.assert_found(there)

    def test_without_the_key(self):
        self.fill()
        self.ok(self.here, "backup", self.copies)
        there = self.another()
        done = self.ends_with(EX_NOINPUT, there, "restore", self.copies)
        self.assertIn("there is no key of the counters", done.stderr)
        self.assertEqual({}, there.content())

    def test_a_running_daemon(self):
        self.fill()
        self.ok(self.here, "backup", "--with-keys", self.copies)
        done = self.ends_with(EX_TEMPFAIL, self.here, "restore", "--force", self.copies)
        self.assertIn(f"(process {self.here.process.pid})", done.stderr)
        self.assertIn("stop the daemon first", done.stderr)
        self.assert_found(self.here)

    def test_to_overwrite_what_stands(self):
        self.fill()
        self.ok(self.here, "backup", "--with-keys", self.copies)
        self.assertIn("is not empty", self.ends_with(EX_CANTCREAT, self.here, "backup", self.copies).stderr)
        self.ok(self.here, "del", OFFER)
        self.here.stop()
        before = self.here.content()
        done = self.ends_with(EX_DATAERR, self.here, "restore", self.copies)
        for name in ("fuzzy.db", "history.db", "counters"):
            self.assertIn(str(self.here.tmp / name), done.stderr)
        self.assertIn("--force", done.stderr)
        self.assertEqual(before, self.here.content())
        told = self.ok(self.here, "restore", "--force", self.copies)
        self.assertRegex(told, r"(?m)^moved aside: .*fuzzy\.db is .*fuzzy\.db\.before-\S+Z$")
        self.assertTrue(list(self.here.tmp.glob("counters.before-*/key")))
        self.here.start()
        self.assert_found(self.here)

    def test_what_is_no_backup_or_was_changed(self):
        self.fill()
        self.ok(self.here, "backup", "--with-keys", self.copies)
        self.here.stop()
        there = self.another()
        self.ends_with(EX_NOINPUT, there, "restore", self.tmp)
        for name in ("hashes.db", "counters.jsonl", "manifest.json"):
            with self.subTest(name):
                whole = (self.copies / name).read_bytes()
                for changed in (whole[:-2], whole[:-2] + b"x" + whole[-1:]):
                    (self.copies / name).write_bytes(changed)
                    done = self.ends_with(EX_DATAERR, there, "restore", self.copies)
                    self.assertIn(name, done.stderr)
                    self.assertEqual({}, there.content())
                (self.copies / name).write_bytes(whole)
        self.ok(there, "restore", self.copies)


class Killed(Backup):
    KILLS = int(os.environ.get("SHINGLED_KILLS", "12"))

    def test_a_restore_is_made_or_taken_back(self):
        self.fill()
        here = self.here
        files = [here.tmp / "allow.list", here.settings.parent / "http.keys", here.rules]
        self.ok(here, "backup", "--with-keys", self.copies)
        here.stop()
        kept = [path.read_text() for path in files]
        begin = time.monotonic()
        self.ok(here, "restore", "--force", self.copies)
        whole = time.monotonic() - begin
        for number in range(self.KILLS):
            for path in files:
                path.write_text("# later\n")
            with subprocess.Popen([here.binary, "restore", *here.overrides, "--force", self.copies],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(whole * (number + 1) / self.KILLS)
                process.kill()
            self.ends_with(EX_DATAERR, here, "restore", self.copies)  # names what stands, and moves nothing
            self.assertIn([path.read_text() for path in files], (kept, ["# later\n"] * len(files)))
            self.assertEqual([], list(here.tmp.rglob("restore.journal*")))
            self.ok(here, "restore", "--force", self.copies)
            self.assertEqual(kept, [path.read_text() for path in files])
            self.assertEqual([], list(here.tmp.rglob("*.restoring")))
        here.start()
        self.assert_found(here)


class FullDisk(Backup):
    BYTES = 16 << 20

    def small_disk(self):
        if os.geteuid() != 0:
            self.skipTest("only root can mount a small file system")
        disk = self.tmp / "disk"
        disk.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.BYTES},mode=755", "tmpfs", disk],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.skipTest(f"no small file system: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=False)
        return disk

    def test_a_backup_is_whole_or_not_there(self):
        disk = self.small_disk()
        self.fill()
        (self.here.tmp / "block.list").write_text("# many words\n" * (self.BYTES // 10))
        done = self.ends_with(EX_TEMPFAIL, self.here, "backup", disk / "copies")
        self.assertIn("No space left", done.stderr)
        self.assertEqual([], list(disk.iterdir()))
        self.assertIn("mount point", self.ends_with(EX_CANTCREAT, self.here, "backup", disk).stderr)

    def test_a_restore_changes_all_or_nothing(self):
        disk = self.small_disk()
        self.fill()
        self.here.stop()
        (self.here.tmp / "block.list").write_text("# many words\n" * (self.BYTES // 10))
        self.ok(self.here, "backup", "--with-keys", self.copies)
        there = Machine(disk / "there")
        there.make_settings()
        self.ok(there, "import", "-", stdin=ONE_HASH)
        before = there.content()
        done = self.ends_with(EX_TEMPFAIL, there, "restore", "--force", self.copies)
        self.assertIn("No space left", done.stderr)
        self.assertEqual(before, there.content())
        self.ok(there, "restore", "--force", "--without", "settings", self.copies)
        self.assertIn("no problem found", self.ok(there, "verify"))
        self.assertIn(": 20", self.ok(there, "list", "--json", "--flag", "denied").replace(":20", ": 20"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
