"""packaging/run.sh where another program has one of its ports: it says so and ends, and that program is left alone."""

import os
import pathlib
import unittest

from harness import BINARY, Daemon, free_port, run, temporary_folder

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "packaging/run.sh"


def demonstration(ports, folder):
    names = {f"SHINGLED_{name.upper()}_PORT": str(port) for name, port in ports.items()}
    return run("--demo", binary=SCRIPT,
               env={**os.environ, **names, "SHINGLED_BINARY": os.path.abspath(BINARY), "SHINGLED_DIR": str(folder)})


class RunScriptTest(unittest.TestCase):
    def setUp(self):
        self.folder = temporary_folder(self)
        self.ports = {name: free_port() for name in ("milter", "fuzzy", "status")}

    def test_it_shows_what_it_does(self):
        done = demonstration(self.ports, self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("1 person says spam: marked for everybody when 2 do", done.stdout)
        self.assertIn("2 people say spam: marked from now on; rejected when 5 do", done.stdout)
        self.assertIn("X-Spam:  Yes", done.stdout)
        self.assertIn("5 people say spam: rejected from now on", done.stdout)
        self.assertIn("550 5.7.1", done.stdout)

    def test_another_daemon_is_not_taught(self):
        with Daemon(self.folder) as other:
            taken = {"milter": other.milter_port, "fuzzy": other.fuzzy_port, "status": other.status_port}
            for name, port in taken.items():
                with self.subTest(port=name):
                    done = demonstration({**self.ports, name: port}, self.folder)
                    self.assertEqual(done.returncode, 69, done.stdout + done.stderr)
                    self.assertIn("in use", done.stderr)
                    self.assertIn(f"SHINGLED_{name.upper()}_PORT", done.stderr)
                    self.assertNotIn("shingled report", done.stdout, "nothing is shown with the other daemon")
            self.assertIn("hashes=0", other.log())
            self.assertEqual(other.run("list", "--json").stdout, "", "the other daemon knows nothing new")


if __name__ == "__main__":
    unittest.main()
