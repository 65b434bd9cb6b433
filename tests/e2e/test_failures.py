"""What goes wrong around the daemon gets a clear error that names the file or port, a sysexits code, and loses nothing."""

import os
import pathlib
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import unittest

import harness

EX_DATAERR, EX_UNAVAILABLE, EX_NOPERM, EX_CONFIG = 65, 69, 77, 78
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "samples"
OFFER = (SAMPLES / "1-offer.eml").read_bytes()
AGAIN = (SAMPLES / "2-offer-again.eml").read_bytes()


class Start(unittest.TestCase):
    """The daemon refuses to start, and says why."""

    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.daemon = harness.Daemon(self.tmp)

    def assert_refuses(self, code, *words):
        done = self.daemon.run("run")
        self.assertEqual(code, done.returncode, done.stderr)
        for word in words:
            self.assertIn(str(word), done.stderr)

    def make_database(self):
        with self.daemon:
            pass

    def test_a_fuzzy_port_in_use(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind(("127.0.0.1", self.daemon.fuzzy_port))
            self.assert_refuses(EX_UNAVAILABLE, self.daemon.fuzzy_port, "in use")

    def test_a_milter_port_in_use(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", self.daemon.milter_port))
            other.listen()
            self.assert_refuses(EX_UNAVAILABLE, self.daemon.milter_port)

    def test_a_folder_that_does_not_exist(self):
        self.daemon.hashfile = self.tmp / "nowhere" / "fuzzy.db"
        self.assert_refuses(EX_CONFIG, self.daemon.hashfile, "No such file or directory")

    def test_a_file_that_is_no_database(self):
        self.daemon.hashfile.write_bytes(b"From the editor\n" * 1000)
        self.assert_refuses(EX_DATAERR, self.daemon.hashfile)
        self.assertTrue(self.daemon.hashfile.read_bytes().startswith(b"From the editor"))

    def test_a_database_of_another_program(self):
        with sqlite3.connect(self.daemon.hashfile) as other:
            other.execute("CREATE TABLE songs(title)")
            other.execute("INSERT INTO songs VALUES ('Greensleeves')")
        other.close()
        self.assert_refuses(EX_DATAERR, self.daemon.hashfile)

    def test_a_database_of_a_newer_version(self):
        self.make_database()
        with sqlite3.connect(self.daemon.hashfile) as file:
            file.execute("PRAGMA user_version = 9999")
        file.close()
        self.assert_refuses(EX_CONFIG, self.daemon.hashfile, "newer")

    def test_a_locked_database(self):
        self.make_database()
        file = sqlite3.connect(self.daemon.hashfile)
        file.execute("PRAGMA locking_mode = EXCLUSIVE")
        file.execute("BEGIN EXCLUSIVE")
        try:
            self.assert_refuses(EX_UNAVAILABLE, self.daemon.hashfile, "locked")
        finally:
            file.close()

    def test_a_second_daemon_on_the_same_database(self):
        with self.daemon:
            other = harness.Daemon(self.tmp)
            done = other.run("run")
            self.assertEqual(EX_UNAVAILABLE, done.returncode, done.stderr)
            self.assertIn(str(self.daemon.hashfile), done.stderr)

    def test_a_configuration_with_mistakes_names_all_of_them(self):
        config = self.tmp / "shingled.yaml"
        config.write_text("storage:\n  expires: 90d\n  expire: 90 dogs\nmilter:\n  socket: nowhere\n")
        done = harness.run("run", "-c", config)
        self.assertEqual(EX_CONFIG, done.returncode, done.stderr)
        for place in (":2:3: ", ":3:11: ", ":5:11: "):
            self.assertIn(f"{config}{place}", done.stderr)
        self.assertIn("did you mean", done.stderr)


class Running(unittest.TestCase):
    """A running daemon keeps its promises when the world around it does not."""

    def setUp(self):
        self.tmp = harness.temporary_folder(self)

    def check(self, daemon, message):
        return daemon.run("check", stdin=message).returncode

    def test_a_full_disk_refuses_updates_and_goes_on_answering(self):
        daemon = self.enterContext(harness.Daemon(self.tmp))
        self.assertEqual(0, daemon.run("add", "--flag", "denied", stdin=OFFER).returncode)
        size = sum(path.stat().st_size for path in self.tmp.glob("fuzzy.db*"))
        log_room = daemon.log_path.stat().st_size
        # No file of the process may grow: what a full disk is to SQLite.
        before = resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE)
        limit = max(4096, min(size, log_room))
        resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (limit, before[1]))
        refused = None
        for number in range(200):
            text = b" ".join(f"word{number}x{i}".encode() for i in range(200))
            done = daemon.run("add", "--flag", "denied", stdin=b"Subject: x\n\n" + text + b"\n")
            if done.returncode != 0:
                refused = done
                break
        self.assertIsNotNone(refused, "no update was refused on the full disk")
        self.assertIsNone(daemon.process.poll(), daemon.log())
        self.assertIn("FUZZY_DENIED", daemon.run("check", stdin=OFFER).stdout)

        resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, before)
        again = daemon.run("add", "--flag", "denied", stdin=AGAIN)
        self.assertEqual(0, again.returncode, again.stderr + daemon.log())

    def test_kill_9_loses_no_acknowledged_update(self):
        daemon = self.enterContext(harness.Daemon(self.tmp))
        for _ in range(3):
            self.assertEqual(0, daemon.run("add", "--flag", "denied", "--weight", "7", stdin=OFFER).returncode)
            daemon.kill9()
            daemon.restart()
        shown = daemon.run("check", "--json", stdin=OFFER).stdout
        self.assertIn('"value":21', shown.replace(" ", ""))

    def test_an_unreachable_server_is_an_error(self):
        done = harness.run("add", "--server", f"127.0.0.1:{harness.free_port()}", "--flag", "denied", stdin=OFFER)
        self.assertEqual(EX_UNAVAILABLE, done.returncode, done.stderr)

    def test_a_refusing_server_is_an_error(self):
        daemon = self.enterContext(harness.Daemon(self.tmp, overrides=["storage.read_only=true"]))
        done = daemon.run("add", "--flag", "denied", stdin=OFFER)
        self.assertEqual(EX_NOPERM, done.returncode, done.stderr)
        self.assertIn("503", done.stderr)

    def test_a_wrong_reload_keeps_the_old_settings(self):
        config = self.tmp / "shingled.yaml"
        config.write_text("daemon:\n  log_level: info\n")
        daemon = harness.Daemon(self.tmp)
        command = [daemon.binary, "run", "-c", str(config), *daemon.overrides]
        with open(daemon.log_path, "wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        harness.wait_until(lambda: harness.answers_check(daemon.fuzzy_port), 60, "the daemon serves")
        config.write_text("daemon:\n  log_levle: info\n")
        process.send_signal(signal.SIGHUP)
        harness.wait_until(lambda: "log_levle" in daemon.log(), 30, "the problem in the log")
        self.assertTrue(harness.answers_check(daemon.fuzzy_port))

    def test_the_log_is_reopened(self):
        log = self.tmp / "shingled.log"
        daemon = self.enterContext(harness.Daemon(self.tmp, overrides=[f"daemon.log_file={log}"]))
        harness.wait_until(log.exists, 30, "the log file")
        os.rename(log, self.tmp / "shingled.log.1")
        daemon.signal(signal.SIGUSR1)
        harness.wait_until(log.exists, 30, "the log file again")

    def test_sigterm_ends_it_cleanly(self):
        daemon = harness.Daemon(self.tmp)
        daemon.start()
        self.assertEqual(0, daemon.stop(), daemon.log())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
