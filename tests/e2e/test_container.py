"""The entry of the container and what is written for container tools. packaging/package_test.sh builds and runs the
images."""

import os
import pathlib
import re
import subprocess
import unittest

from harness import BINARY, temporary_folder

PACKAGING = pathlib.Path(__file__).resolve().parents[2] / "packaging"
ENTRY = PACKAGING / "container/entrypoint.sh"


class EntryTest(unittest.TestCase):
    def called_with(self, *arguments, **variables):
        """The arguments that shingled gets."""
        folder = temporary_folder(self)
        program = folder / "shingled"
        program.write_text("#!/bin/sh\nprintf '%s\\0' \"$@\"\n")
        program.chmod(0o755)
        done = subprocess.run([ENTRY, *arguments], env={"PATH": f"{folder}:{os.environ['PATH']}", **variables}, check=True,
                              capture_output=True)
        return done.stdout.decode().split("\0")[:-1]

    def test_commands(self):
        variables = {"SHINGLED_A__B": "1"}
        self.assertEqual(self.called_with(**variables), ["run", "--environment"])
        self.assertEqual(self.called_with("ping", "--count", "2", **variables), ["ping", "--environment", "--count", "2"])
        self.assertEqual(self.called_with("run", **variables), ["run", "--environment"])
        self.assertEqual(self.called_with("shingled", "keypair", **variables), ["keypair"])

    def test_variables_are_settings_and_no_secret_is_in_a_command_line(self):
        folder = temporary_folder(self)
        (folder / "shingled").symlink_to(BINARY)
        variables = {"SHINGLED_MILTER__ACTIONS__REJECT": "8.5", "SHINGLED_STORAGE__LISTEN": "[127.0.0.1:1, '[::1]:2']",
                     "SHINGLED_STORAGE__REDIS__PASSWORD": "hunter2 'and' \"more\"", "SHINGLED_MILTER__TIMEOUT": "",
                     "SHINGLED_PORT_11335_TCP": "tcp://10.0.0.1"}
        environment = {"PATH": f"{folder}:{os.environ['PATH']}", **variables}
        shown = subprocess.run([ENTRY, "config", "--effective", "-o", "milter.actions.add_header=3"], env=environment, check=True,
                               capture_output=True, text=True).stdout
        self.assertRegex(shown, r"milter\.actions\.reject=8\.5 ")
        self.assertRegex(shown, r"milter\.actions\.add_header=3 ")
        self.assertRegex(shown, r"storage\.listen=.*127\.0\.0\.1:1")
        wrong = subprocess.run([ENTRY, "configtest"], env={**environment, "SHINGLED_MILTER__TIMOUT": "1s"},
                               capture_output=True, text=True)
        self.assertEqual(wrong.returncode, os.EX_CONFIG)
        self.assertIn("timout", wrong.stderr)
        self.assertNotIn("hunter2", shown + wrong.stderr)
        self.assertEqual(self.called_with("run", **variables), ["run", "--environment"])


class FilesTest(unittest.TestCase):
    def test_the_image_runs_as_nobody_special_and_says_how_it_is(self):
        text = (PACKAGING / "Dockerfile").read_text()
        self.assertEqual(len(re.findall(r"^FROM ", text, re.M)), 2)
        self.assertLess(text.index("\nUSER _shingled"), text.index("\nENTRYPOINT"))
        self.assertIn('CMD ["shingled-entrypoint", "ping"]', text)
        for name in re.findall(r"^COPY (?!--)(packaging\S+)", text, re.M):
            self.assertTrue((PACKAGING.parent / name).exists(), name)

    def test_the_compose_file(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("python3-yaml is not here")
        services = yaml.safe_load((PACKAGING / "compose.yaml").read_text())["services"]
        self.assertEqual(set(services), {"shingled", "postfix"})
        files = [PACKAGING / build["context"] / build["dockerfile"] for build in (one["build"] for one in services.values())]
        self.assertEqual([file.resolve().name for file in files if file.exists()], ["Dockerfile", "postfix.Dockerfile"])
        self.assertIn("=inet:shingled:11339", files[1].read_text())
        self.assertEqual(services["postfix"]["depends_on"]["shingled"]["condition"], "service_healthy")

    def test_the_compose_file_uses_what_older_tools_know(self):
        # docker-compose 1.29 and podman-compose 1.0, which Debian 12 has, do not know it; they would build nothing.
        self.assertNotIn("dockerfile_inline", (PACKAGING / "compose.yaml").read_text())

    def test_no_setting_is_misspelt(self):
        text = (PACKAGING / "compose.yaml").read_text() + (PACKAGING / "Dockerfile").read_text()
        keys = {name[len("SHINGLED_"):].replace("__", ".").lower()
                for name in re.findall(r"SHINGLED_[A-Z_]+", text) if "__" in name and not name.startswith("SHINGLED_SECTION")}
        self.assertLessEqual({"milter.socket", "storage.listen", "milter.actions.reject", "milter.local_networks"}, keys)
        for key in keys:
            with self.subTest(key=key):
                subprocess.run([BINARY, "config", "explain", key], check=True, capture_output=True)


if __name__ == "__main__":
    unittest.main()
