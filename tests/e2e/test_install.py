"""What `cmake --install` leaves where: paths by the prefix, an edited configuration that stays, the unit, and the Debian
packages the program needs. tests/systemd/run.sh starts what is installed."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

from harness import BINARY, has_sanitizer, run, temporary_folder, wait_until

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("SHINGLED_BUILD", "")
CMAKE = os.environ.get("SHINGLED_CMAKE", "cmake")
SHIPPED = (SOURCE / "packaging/etc/shingled.yaml").read_bytes()


def install(prefix, destination=""):
    done = run("--install", BUILD, "--prefix", prefix, binary=CMAKE, env={**os.environ, "DESTDIR": str(destination)})
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout


def settings_of(unit):
    """The values of each setting of a unit file, in their order."""
    out = {}
    for line in unit.read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            out.setdefault(name, []).append(value)
    return out


class HardeningTest(unittest.TestCase):
    def flags(self, processor, compiler="", linker=""):
        script = temporary_folder(self) / "ask.cmake"
        script.write_text(f"include({SOURCE}/packaging/hardening.cmake)\n"
                          f'shingled_hardening(h "{processor}" "{compiler}" "{linker}")\n'
                          'message("${h_compile}|${h_define}|${h_link}")\n')
        done = run("-P", script, binary=CMAKE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [part.split(";") if part else [] for part in done.stderr.strip().split("|")]

    def test_each_processor_gets_what_it_has(self):
        common = ["-fstack-protector-strong", "-fstack-clash-protection"]
        for processor, own in (("x86_64", ["-fcf-protection"]), ("i686", ["-fcf-protection"]),
                               ("aarch64", ["-mbranch-protection=standard"]), ("riscv64", []), ("armv7l", [])):
            with self.subTest(processor):
                compile, define, link = self.flags(processor)
                self.assertEqual(common + own, compile)
                self.assertEqual(["_FORTIFY_SOURCE=2"], define)
                self.assertEqual(["-Wl,-z,relro,-z,now,-z,noexecstack", "-pie"], link)

    def test_a_distributors_flags_are_left_alone(self):
        debian = "-g -O2 -fstack-protector-strong -Wformat -Werror=format-security -Wdate-time -D_FORTIFY_SOURCE=2"
        self.assertEqual([[], [], []], self.flags("x86_64", debian, "-Wl,-z,relro -Wl,-z,now"))
        compile, define, link = self.flags("x86_64", "-O2 -march=native", "-Wl,--as-needed")
        self.assertTrue(compile and define and link, "these are no hardening")
        self.assertEqual(["", "-Wl,-z,relro,-z,now,-z,noexecstack"],
                         ["".join(self.flags("x86_64", debian)[0]), self.flags("x86_64", debian)[2][0]], "each by itself")


@unittest.skipUnless(BUILD, "SHINGLED_BUILD names no build folder")
class InstallTest(unittest.TestCase):
    def setUp(self):
        self.folder = temporary_folder(self)

    def test_paths_follow_the_prefix(self):
        for why, prefix, configuration in (
                ("Debian's", "/usr", "/etc/shingled/shingled.yaml"),
                ("the same, spelt otherwise", "/usr/", "/etc/shingled/shingled.yaml"),
                ("the machine's own", "/usr/local", "/usr/local/etc/shingled/shingled.yaml"),
                ("a bundle's", "/opt/shingled", "/etc/opt/shingled/shingled/shingled.yaml")):
            with self.subTest(why=why):
                root = self.folder / prefix.strip("/").replace("/", "-")
                install(prefix, root)
                program = prefix.rstrip("/") + "/bin/shingled"
                self.assertTrue(os.access(f"{root}{program}", os.X_OK))
                self.assertEqual(os.readlink(f"{root}{prefix}/sbin/shingled"), "../bin/shingled", "the place of before")
                self.assertEqual(pathlib.Path(f"{root}{configuration}").read_bytes(), SHIPPED)
                self.assertFalse(pathlib.Path(f"{root}/usr/etc").exists())
                unit = settings_of(pathlib.Path(f"{root}{prefix}/lib/systemd/system/shingled.service"))
                self.assertEqual(unit["ExecStart"], [f"{program} run -c {configuration}"])
                self.assertEqual(unit["ExecReload"], [f"{program} configtest -c {configuration}",
                                                      "/bin/kill -HUP $MAINPID"])
                share = f"{root}{prefix.rstrip('/')}/share"
                self.assertEqual(pathlib.Path(f"{share}/doc/shingled/examples/shingled.yaml").read_bytes(),
                                 (SOURCE / "packaging/shingled.yaml").read_bytes(), "the long one is an example")
                self.assertTrue(pathlib.Path(f"{share}/man/man8/shingled.8").exists())
                etc = pathlib.Path(f"{root}{configuration}").parents[1]
                self.assertTrue((etc / "logrotate.d/shingled").exists())
                self.assertIn(f"{program} mrix,", (etc / "apparmor.d/shingled").read_text())
                self.assertNotIn("@SHINGLED", (etc / "apparmor.d/shingled").read_text())

    def test_what_belongs_to_other_programs(self):
        install("/usr", self.folder)
        share = self.folder / "usr/share"
        for file in ("man/man1/shingled.1", "man/man1/shingled-report.1", "man/man5/shingled-policy.5",
                     "man/man8/shingled.8", "bash-completion/completions/shingled", "zsh/site-functions/_shingled",
                     "shingled/dovecot/report-ham.sieve", "shingled/dovecot/report-spam.sieve",
                     "shingled/dovecot/marked-to-junk.sieve",
                     "shingled/postfix/master.cf.example"):
            self.assertTrue((share / file).stat().st_size > 0, file)
            self.assertNotRegex((share / file).read_text(), "@[A-Z_]+@", file)
        for program in ("shingled/dovecot/bin/shingled-report", "shingled/postfix/shingled-report-mail"):
            self.assertTrue(os.access(share / program, os.X_OK))
            self.assertIn("program=/usr/bin/shingled\nconfiguration=/etc/shingled/shingled.yaml\n"
                          "spool=/var/spool/shingled\n", (share / program).read_text())
        units = self.folder / "usr/lib/systemd/system"
        self.assertEqual(settings_of(units / "shingled-reports.service")["ExecStart"], [
            "/usr/bin/shingled report -c /etc/shingled/shingled.yaml --flush /var/spool/shingled"])
        self.assertTrue((units / "shingled-reports.timer").exists())

    def test_an_edited_configuration_stays(self):
        install("/usr", self.folder)
        folder = self.folder / "etc/shingled"
        install("/usr", self.folder)
        shipped = sorted(["shingled.yaml", *(file.name for file in (SOURCE / "packaging").glob("policy*.yaml"))])
        self.assertEqual(sorted(file.name for file in folder.iterdir()), shipped, "nobody edited it")
        (folder / "shingled.yaml").write_text("milter: {dry_run: yes}\n")
        for _ in range(2):
            said = install("/usr", self.folder)
            self.assertIn("shingled.yaml.new", said)
            self.assertEqual((folder / "shingled.yaml").read_text(), "milter: {dry_run: yes}\n")
            self.assertEqual((folder / "shingled.yaml.new").read_bytes(), SHIPPED)
        (folder / "policy-shingler.yaml").write_text("rules: {}\n")
        self.assertIn("policy-shingler.yaml.new", install("/usr", self.folder))
        self.assertEqual((folder / "policy-shingler.yaml").read_text(), "rules: {}\n")

    def test_an_installed_program_finds_its_configuration(self):
        install(self.folder)
        program = self.folder / "bin/shingled"
        for why, text, code in (("what is shipped is right", SHIPPED, 0), ("what is wrong there is", b"no_such_key: 1", 78)):
            with self.subTest(why=why):
                (self.folder / "etc/shingled/shingled.yaml").write_bytes(text)
                done = run("configtest", "-o", f"storage.hashfile={self.folder}/fuzzy.db", binary=program)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(f"{self.folder}/etc/shingled/shingled.yaml:", done.stdout + done.stderr)

    @unittest.skipIf(os.geteuid() != 0 or not shutil.which("unshare"), "makes a network of its own")
    def test_what_is_shipped_starts_without_ipv6(self):
        where = [f"-o{key}={self.folder}/{name}" for key, name in (
            ("storage.hashfile", "fuzzy.db"), ("counters.directory", "counters"), ("history.file", "history.db"),
            ("reports.file", "reports.db"))]
        for source in (SOURCE / "packaging/etc/shingled.yaml", SOURCE / "packaging/policy.yaml"):
            shutil.copy(source, self.folder)
        script = ("ip link set lo up && echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6 && "
                  "exec \"$0\" run -c \"$@\"")
        with open(self.folder / "log", "wb") as log:
            daemon = subprocess.Popen(["unshare", "--net", "sh", "-c", script, os.path.abspath(BINARY),
                                       self.folder / "shingled.yaml", *where], stderr=log)
        try:
            wait_until(lambda: " started " in (self.folder / "log").read_text() or daemon.poll() is not None, 60, "it starts")
        finally:
            daemon.terminate()
        self.assertEqual(daemon.wait(60), 0, (self.folder / "log").read_text())
        said = (self.folder / "log").read_text()
        self.assertIn("fuzzy_not_listening address=[::1]:11335", said)
        self.assertIn("fuzzy_listening address=127.0.0.1:11335", said)

    def test_the_unit(self):
        install(self.folder)
        unit = self.folder / "lib/systemd/system/shingled.service"
        settings = settings_of(unit)
        self.assertEqual(settings["SystemCallErrorNumber"], ["EPERM"], "milter.socket_group fails and says so")
        self.assertEqual(settings["RestartPreventExitStatus"], ["64 78"])
        self.assertIn("-/var/spool/postfix/shingled", settings["ReadWritePaths"])
        if not shutil.which("systemd-analyze"):
            self.skipTest("systemd-analyze is not here")
        done = run("verify", "--man=no", unit, binary="systemd-analyze")
        self.assertNotIn(str(unit), done.stdout + done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        # Exposure in tenths: what systemd itself calls "OK" ends at 4.9, "SAFE" at 1.9.
        done = run("security", "--offline=yes", "--threshold=14", "--no-pager", unit, binary="systemd-analyze")
        self.assertEqual(done.returncode, 0, done.stdout[-500:] + done.stderr)
        # The delivery of reports needs two capabilities for the files of all users, but is not root.
        reports = self.folder / "lib/systemd/system/shingled-reports.service"
        self.assertEqual(settings_of(reports)["User"], ["_shingled"])
        done = run("security", "--offline=yes", "--threshold=16", "--no-pager", reports, binary="systemd-analyze")
        self.assertEqual(done.returncode, 0, done.stdout[-500:] + done.stderr)

    def test_the_profile_of_apparmor(self):
        install("/usr", self.folder)
        if not shutil.which("apparmor_parser"):
            self.skipTest("apparmor_parser is not here")
        done = run("-Q", "-K", self.folder / "etc/apparmor.d/shingled", binary="apparmor_parser")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("AppArmor parser error", done.stderr)

    def test_versions_agree(self):
        cmake = re.search(r"^project\(shingled VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text(), re.M)[1]
        debian = re.match(r"shingled \(([^)]+)\)", (SOURCE / "packaging/debian/changelog").read_text())[1]
        self.assertEqual(re.split("[-+~]", debian)[0], cmake)
        self.assertIn(f"[{cmake}]", (SOURCE / "CHANGELOG.md").read_text())
        self.assertIn(cmake, run("--version").stdout)

    def test_the_packages_to_compile_are_listed_once_more_for_debian(self):
        control = (SOURCE / "packaging/debian/control").read_text()
        named = set(re.findall(r"^ ([a-z0-9.+-]+)", control.partition("Build-Depends:")[2].partition("\nStandards")[0], re.M))
        listed = {line.split()[1] for line in (SOURCE / "packaging/dependencies").read_text().splitlines()
                  if line.startswith("build ")}
        self.assertEqual(listed - named, {"build-essential", "ccache"})

    @unittest.skipIf(has_sanitizer(), "a sanitizer brings libraries of its own")
    def test_the_packages_at_run_time_are_listed(self):
        if not shutil.which("dpkg-query"):
            self.skipTest("no Debian")
        needed = re.findall(r"NEEDED\s+(\S+)", run("-p", BINARY, binary="objdump").stdout)
        paths = {line.split()[0]: line.split()[2] for line in run(BINARY, binary="ldd").stdout.splitlines()
                 if "=>" in line}
        listed = [name for line in (SOURCE / "packaging/dependencies").read_text().splitlines()
                  if line.startswith("run ") for name in line.split()[1:]]
        for library in needed:
            if library not in paths:
                continue  # the loader itself
            path = os.path.realpath(paths[library])
            owner = subprocess.run(["dpkg-query", "-S", f"*{path.removeprefix('/usr')}"], capture_output=True, text=True,
                                   check=False).stdout.split(":")[0]
            self.assertIn(owner, listed, f"of {library}")


if __name__ == "__main__":
    unittest.main()
