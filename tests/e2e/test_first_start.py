"""The first start on a machine where nobody has made anything: no configuration file, no /var/lib/shingled."""

import os
import pathlib
import signal
import subprocess
import unittest

from harness import BINARY, START_SECONDS, free_port, run, temporary_folder, wait_until

NOBODY = 65534
STANDARD_FOLDER = pathlib.Path("/var/lib/shingled")


def ports():
    values = (f"storage.listen=127.0.0.1:{free_port()}", f"milter.socket=inet:{free_port()}@127.0.0.1",
              f"http.listen=127.0.0.1:{free_port()}")
    return [argument for value in values for argument in ("-o", value)]


@unittest.skipIf(STANDARD_FOLDER.exists() or pathlib.Path("/etc/shingled").exists(), "shingled is installed here")
class FirstStartTest(unittest.TestCase):
    def setUp(self):
        self.folder = temporary_folder(self)

    def as_user(self):
        """How to start a program as somebody who is not root and has this folder."""
        if os.geteuid() != 0:
            return {}
        os.chown(self.folder, NOBODY, NOBODY)
        done = subprocess.run([BINARY, "--version"], user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True,
                              check=False) if os.access(BINARY, os.X_OK) else None
        if done is None or done.returncode != 0:
            self.skipTest("the program is out of a user's reach")
        return {"user": NOBODY, "group": NOBODY, "extra_groups": []}

    def test_a_user_has_a_folder_of_his_own(self):
        cases = (("what XDG names", {"XDG_STATE_HOME": f"{self.folder}/state"}, "state/shingled"),
                 ("its default", {"HOME": str(self.folder)}, ".local/state/shingled"))
        for why, names, expected in cases:
            with self.subTest(why=why), open(self.folder / "log", "w+", encoding="utf-8") as log:
                environment = {"PATH": os.environ["PATH"], **names}
                daemon = subprocess.Popen([BINARY, "run", *ports()], env=environment, cwd="/", stderr=log,
                                          **self.as_user())
                try:
                    wait_until(lambda: " started " in (self.folder / "log").read_text(), START_SECONDS, "it serves")
                finally:
                    daemon.send_signal(signal.SIGTERM)
                    daemon.wait(START_SECONDS)
                self.assertTrue((self.folder / expected / "fuzzy.db").exists())
                self.assertEqual((self.folder / expected).stat().st_mode & 0o777, 0o700)

    @unittest.skipIf(os.geteuid() != 0, "root is told, who can make the folder")
    def test_root_is_told_what_to_do(self):
        done = run("run", *ports())
        self.assertEqual(done.returncode, 78, done.stderr)
        for word in ("storage.hashfile", "/var/lib/shingled", "folder"):
            self.assertIn(word, done.stderr)
        self.assertRegex(done.stderr, "make it|mkdir")


if __name__ == "__main__":
    unittest.main()
