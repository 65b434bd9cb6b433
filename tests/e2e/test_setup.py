# Covers milter/cli/commands/setup_command.cpp.
"""`shingled setup` on real Postfix, Sendmail sources and rspamd files; Dovecot's is in test_dovecot.py."""

import pathlib
import re
import shutil
import unittest

import harness
from harness import wait_until
from mta import Postfix, SmtpSink, swaks

EX_USAGE, EX_NOINPUT, EX_CONFIG = 64, 66, 78


class Files(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)

    def setup(self, program, *arguments, code=0, folder=None):
        done = harness.run("setup", program, "--config-dir", folder or self.tmp, *arguments)
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        return done.stdout

    def goes_right(self, program, path, others):
        """Printed, checked, applied once, and right from then on. `others`: text that stays."""
        before = path.read_bytes() if path.exists() else None
        printed = self.setup(program)
        self.setup(program, "--check", code=EX_CONFIG)
        self.assertEqual(path.read_bytes() if path.exists() else None, before, "nothing is changed yet")
        self.setup(program, "--apply")
        first = path.read_text()
        self.assertIn(others, first)
        copies = list(path.parent.glob(path.name + ".shingled-*"))
        self.assertEqual([copy.read_bytes() for copy in copies], [] if before is None else [before])
        self.assertIn("right", self.setup(program, "--check"))
        self.assertIn("right", self.setup(program, "--apply"))
        self.assertEqual(path.read_text(), first)
        self.assertEqual(list(path.parent.glob(path.name + ".shingled-*")), copies, "no further copy")
        self.assertIn("nothing to do", self.setup(program))
        return printed

    def test_sendmail(self):
        source = self.tmp / "sendmail.mc"
        source.write_text("OSTYPE(`linux')dnl\nINPUT_MAIL_FILTER(`other', `S=local:/run/o')dnl\nMAILER(`smtp')dnl\n")
        source.chmod(0o640)
        printed = self.goes_right("sendmail", source, "`other'")
        self.assertIn("INPUT_MAIL_FILTER(`shingled', `S=inet:11339@127.0.0.1, T=S:30s;R:30s')dnl\n", printed)
        self.assertEqual(source.stat().st_mode & 0o777, 0o640)

    def test_rspamd(self):
        (self.tmp / "local.d").mkdir()
        rules = self.tmp / "local.d/fuzzy_check.conf"
        self.goes_right("rspamd", rules, "rule \"shingled\"")
        rules.write_text("rule \"other\" { servers = \"192.0.2.1:11335\"; }\n")
        for copy in rules.parent.glob("*.shingled-*"):
            copy.unlink()
        self.goes_right("rspamd", rules, "rule \"other\" { servers = \"192.0.2.1:11335\"; }\n")
        if shutil.which("rspamadm"):
            (self.tmp / "rspamd.conf").write_text("fuzzy_check { .include \"local.d/fuzzy_check.conf\" }\n")
            done = harness.run("configdump", "-c", self.tmp / "rspamd.conf", "fuzzy_check", binary="rspamadm", cwd=self.tmp)
            self.assertIn("127.0.0.1:11335", done.stdout + done.stderr)

    def test_links_stay_links(self):
        (self.tmp / "mail").mkdir()
        source = self.tmp / "mail/real.mc"
        source.write_text("MAILER(`smtp')dnl\n")
        link = self.tmp / "sendmail.mc"
        link.symlink_to("mail/real.mc")
        self.goes_right("sendmail", link, "MAILER(`smtp')dnl\n")
        self.assertTrue(link.is_symlink())
        self.assertIn("`shingled'", source.read_text())

    def test_rspamd_with_a_storage_that_refuses_what_is_not_encrypted(self):
        (self.tmp / "local.d").mkdir()
        keys = harness.run("keypair").stdout
        public, private = (re.search(rf"^ +(?:- )?{name}: (\S+)$", keys, re.M)[1] for name in ("pubkey", "privkey"))
        said = self.setup("rspamd", "-o", "storage.encrypted_only=yes", "-o",
                          f"storage.keypair={{pubkey: {public}, privkey: {private}}}")
        self.assertIn(f'encryption_key = "{public}";', said)
        self.assertNotIn(private, said)

    def test_whose_reports_count(self):
        settings = self.tmp / "shingled.yaml"
        text = "# ours\nreports:\n  keep: 60d  # two months\n"
        settings.write_text(text)

        def setup(*arguments, code=0):
            done = harness.run("setup", "reports", "-c", settings, *arguments)
            self.assertEqual(code, done.returncode, done.stdout + done.stderr)
            return done.stdout + done.stderr
        self.assertIn("--residents all", setup())
        self.assertIn("whose reports count", setup("--check", code=EX_CONFIG))
        self.assertIn("whose reports count", setup("--apply", code=EX_CONFIG))
        self.assertIn("reports.residents = all", setup("--residents", "all"))
        self.assertEqual(text, settings.read_text(), "nothing is changed yet")
        self.assertIn("reports: right", setup("--residents", "all", "--apply"))
        self.assertEqual("# ours\nreports:\n  residents: all\n  keep: 60d  # two months\n", settings.read_text())
        self.assertIn("right", setup("--check"))
        self.assertIn("is all, should be earned", setup("--residents", "earned", "--check", code=EX_CONFIG))
        self.assertEqual(1, len(list(self.tmp.glob("shingled.yaml.shingled-*"))))
        self.assertEqual(EX_USAGE, harness.run("setup", "postfix", "--residents", "all").returncode)

    def test_what_is_not_there(self):
        self.setup("sendmail", code=EX_NOINPUT)
        self.setup("sendmail", "--print", "--apply", code=EX_USAGE)
        self.setup("exim", code=EX_USAGE)
        if shutil.which("postconf", path="/usr/sbin"):
            self.setup("postfix", "--apply", folder=self.tmp / "none", code=EX_CONFIG)


@unittest.skipIf(Postfix.missing(), Postfix.missing())
class RealPostfix(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.sink = SmtpSink()
        self.addCleanup(self.sink.close)

    def postfix(self, *main_cf):
        return Postfix(self.tmp, 1, self.sink.port, ("smtpd_milters =", "milter_default_action = reject", *main_cf))

    def attach(self, daemon, postfix):
        conf = postfix.folder / "conf"
        before = (conf / "main.cf").read_text()
        arguments = ("setup", "postfix", "--config-dir", conf)
        self.assertIn("smtpd_milters = ", daemon.run(*arguments).stdout)
        checked = daemon.run(*arguments, "--check")
        self.assertEqual(checked.returncode, EX_CONFIG)
        self.assertIn("postfix: smtpd_milters: is (nothing), should be ", checked.stdout)
        self.assertEqual((conf / "main.cf").read_text(), before)
        applied = daemon.run(*arguments, "--apply")
        self.assertEqual(applied.returncode, 0, applied.stdout + applied.stderr)
        copies = list(conf.glob("main.cf.shingled-*"))
        self.assertEqual([copy.read_text() for copy in copies], [before])
        after = (conf / "main.cf").read_text()
        again = daemon.run(*arguments, "--apply")
        self.assertEqual((again.returncode, again.stdout.splitlines()[-1]), (0, "postfix: right"))
        self.assertEqual((conf / "main.cf").read_text(), after)
        self.assertEqual(list(conf.glob("main.cf.shingled-*")), copies)
        return applied.stdout

    def passes(self, daemon, postfix):
        """A message goes through Postfix, and the daemon has seen it."""
        code, said = swaks(postfix.port, b"From: a@example.org\nSubject: a letter\nMessage-ID: <letter@example.org>\n\nhello\n")
        self.assertEqual(code, 0, said)
        self.sink.wait_for(b"<letter@example.org>")
        wait_until(lambda: " action=pass " in daemon.log(), 30, "the daemon judges it\n" + postfix.log())

    def test_over_tcp(self):
        with harness.Daemon(self.tmp) as daemon, self.postfix() as postfix:
            self.assertIn("postfix: reloaded", self.attach(daemon, postfix))
            self.passes(daemon, postfix)

    def test_another_milter_stays(self):
        with harness.Daemon(self.tmp) as daemon:
            port = harness.free_port()
            with self.postfix(f"smtpd_milters = {{ inet:127.0.0.1:{port}, default_action=accept, connect_timeout=1s }}") \
                    as postfix:
                arguments = ("setup", "postfix", "--config-dir", postfix.folder / "conf", "--apply")
                self.assertEqual(daemon.run(*arguments).returncode, 0)
                self.assertEqual(daemon.run(*arguments).stdout.splitlines()[-1], "postfix: right")
                text = (postfix.folder / "conf/main.cf").read_text()
                self.assertIn(f"inet:127.0.0.1:{port}, default_action=accept, connect_timeout=1s }}, {{ inet:127.0.0.1:"
                              f"{daemon.milter_port}, default_action=accept }}", text)
                self.passes(daemon, postfix)

    def test_names_in_values_and_values_of_several_lines(self):
        """$NAME in a value stands for what NAME has; what is there already is not added once more."""
        with harness.Daemon(self.tmp) as daemon:
            port = harness.free_port()
            postfix = self.postfix()
            main = postfix.folder / "conf/main.cf"
            arguments = ("setup", "postfix", "--config-dir", postfix.folder / "conf")
            text = main.read_text().replace("smtpd_milters =", "non_smtpd_milters = ${mine}")
            own = (f"mine = inet:127.0.0.1:{port},\n  # a comment\n"
                   f"   {{ inet:localhost:{daemon.milter_port},\n\tdefault_action=accept }}\n")
            main.write_text(text + own + "smtpd_milters = $mine\n")
            checked = daemon.run(*arguments, "--check")
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
            # Without ours, it goes behind the name, and the name stays.
            main.write_text(text + f"mine = inet:127.0.0.1:{port}\nsmtpd_milters = $mine\n")
            self.assertEqual(daemon.run(*arguments, "--apply").returncode, 0)
            entry = f"{{ inet:127.0.0.1:{daemon.milter_port}, default_action=accept }}"
            said = harness.run("-c", postfix.folder / "conf", "-h", "smtpd_milters", "non_smtpd_milters", binary="postconf")
            self.assertEqual(said.stdout, f"$mine, {entry}\n${{mine}}, {entry}\n")
            self.assertEqual(daemon.run(*arguments, "--check").returncode, 0)

    def test_a_link_is_not_replaced(self):
        with harness.Daemon(self.tmp) as daemon:
            postfix = self.postfix()
            main = postfix.folder / "conf/main.cf"
            main.rename(self.tmp / "real.cf")
            main.symlink_to(self.tmp / "real.cf")
            done = daemon.run("setup", "postfix", "--config-dir", postfix.folder / "conf", "--apply")
            self.assertEqual(done.returncode, EX_CONFIG)
            self.assertIn("symbolic link", done.stderr)
            self.assertTrue(main.is_symlink())

    def test_in_the_chroot(self):
        """A socket below the queue directory, from an smtpd that sees nothing else."""
        postfix = self.postfix()
        master = postfix.folder / "conf/master.cf"
        master.write_text(master.read_text().replace("inet n - n - - smtpd", "inet n - y - - smtpd"))
        place = postfix.folder / "queue/shingled"
        place.mkdir()
        place.chmod(0o755)
        for name in ("resolv.conf", "services", "hosts", "nsswitch.conf", "localtime"):
            if pathlib.Path("/etc", name).exists():
                (postfix.folder / "queue/etc").mkdir(exist_ok=True)
                shutil.copy(pathlib.Path("/etc", name), postfix.folder / "queue/etc")
        outside = harness.run("setup", "postfix", "--config-dir", postfix.folder / "conf", "--apply", "-o",
                              "milter.socket=unix:/run/shingled/milter.sock")
        self.assertEqual(outside.returncode, EX_CONFIG)
        self.assertIn("runs in a chroot", outside.stderr)
        self.assertNotIn("unix:", (postfix.folder / "conf/main.cf").read_text())
        overrides = [f"milter.socket=unix:{place}/milter.sock", "milter.socket_mode=0666"]
        with harness.Daemon(self.tmp, overrides) as daemon, postfix:
            self.attach(daemon, postfix)
            self.assertIn("smtpd_milters = unix:shingled/milter.sock\n", (postfix.folder / "conf/main.cf").read_text())
            self.passes(daemon, postfix)


if __name__ == "__main__":
    unittest.main()
