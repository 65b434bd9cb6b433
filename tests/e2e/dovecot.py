"""A private Dovecot 2.3 with Pigeonhole for the end-to-end tests, in a folder of its own on a high port."""

import base64
import contextlib
import imaplib
import os
import pathlib
import re
import shutil
import subprocess
import textwrap

from harness import BINARY, RUN_SECONDS, answers_tcp, free_port, has_sanitizer, wait_until

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MAIL_USER = "nobody"
FLUSH_SECONDS = 60


def shared_files(folder, configuration, spool):
    """What an installation puts below share/shingled, for this test's program, settings and spool."""
    values = {"@SHINGLED_PROGRAM@": os.path.abspath(BINARY), "@SHINGLED_CONFIGURATION@": str(configuration),
              "@SHINGLED_SPOOL@": str(spool), "@SHINGLED_SHARE@": str(folder), "@SHINGLED_USER@": MAIL_USER}

    def made(name, target):
        text = (SOURCE / "packaging" / name).read_text()
        for word, value in values.items():
            text = text.replace(word, value)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        target.chmod(0o755)

    made("dovecot/shingled-report.in", folder / "dovecot/bin/shingled-report")
    made("postfix/shingled-report-mail.in", folder / "postfix/shingled-report-mail")
    made("postfix/master.cf.example.in", folder / "postfix/master.cf.example")
    for script in (SOURCE / "packaging/dovecot").glob("*.sieve"):
        shutil.copy(script, folder / "dovecot")


class Dovecot:
    """Users of any name with the password `secret`, and the mailboxes INBOX, Junk, Trash and Archive; or others, each with
    its special use, after a prefix."""

    MAILBOXES = {"Junk": "\\Junk", "Trash": "\\Trash", "Archive": ""}

    @staticmethod
    def missing():
        """Why it cannot run here, or None."""
        if not shutil.which("dovecot", path="/usr/sbin"):
            return "the package dovecot-imapd is not installed"
        if not pathlib.Path("/usr/lib/dovecot/modules/lib95_imap_sieve_plugin.so").exists():
            return "the package dovecot-sieve is not installed"
        if os.geteuid() != 0:
            return "Dovecot's master starts as root here"
        version = subprocess.run(["/usr/sbin/dovecot", "--version"], capture_output=True, text=True, check=False).stdout
        return None if version.startswith("2.3.") else f"this is Dovecot {version}"

    def __init__(self, folder, mailboxes=None, prefix="", auto="create"):
        self.port = free_port()
        self.folder = pathlib.Path(folder) / "dovecot"
        self.conf = self.folder / "conf"
        (self.conf / "conf.d").mkdir(parents=True)
        self.mail = self.folder / "mail"
        self.mail.mkdir()
        shutil.chown(self.mail, MAIL_USER)
        self.log_file = self.folder / "log"
        self.master = None
        blocks = "".join(f"""mailbox "{name}" {{
                auto = {auto}
                {f"special_use = {use}" if use else ""}
              }}
              """ for name, use in (mailboxes or self.MAILBOXES).items())
        (self.conf / "dovecot.conf").write_text(textwrap.dedent(f"""\
            base_dir = {self.folder}/run
            state_dir = {self.folder}/state
            log_path = {self.log_file}
            protocols = imap
            listen = 127.0.0.1
            ssl = no
            disable_plaintext_auth = no
            auth_username_chars =
            mail_location = maildir:{self.mail}/%u
            first_valid_uid = 1
            first_valid_gid = 1
            default_vsz_limit = {0 if has_sanitizer() else "256M"}
            passdb {{
              driver = static
              args = password=secret
            }}
            userdb {{
              driver = static
              args = uid={MAIL_USER} gid=nogroup home={self.mail}/%u
            }}
            service imap-login {{
              inet_listener imap {{
                port = {self.port}
              }}
              inet_listener imaps {{
                port = 0
              }}
            }}
            namespace inbox {{
              inbox = yes
              separator = .
              prefix = {prefix}
              {blocks}
            }}
            !include conf.d/*.conf
            """))
        (self.conf / "conf.d/10-mail.conf").write_text("mail_fsync = never\n")

    def setup(self, share):
        """The arguments of shingled for the scripts below this folder. Nothing is written there."""
        return ("setup", "dovecot", "--config-dir", self.conf, "--share-dir", share / "dovecot",
                "--compiled-dir", self.folder / "compiled")

    def __enter__(self):
        with open(self.folder / "output", "wb") as output:
            self.master = subprocess.Popen(["/usr/sbin/dovecot", "-F", "-c", self.conf / "dovecot.conf"],
                                           stdout=output, stderr=output)
        wait_until(lambda: answers_tcp(self.port), 30, f"Dovecot on port {self.port}")
        return self

    def __exit__(self, *unused):
        self.master.terminate()
        self.master.wait(30)

    def log(self):
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    def deliver(self, user, message, mailbox="INBOX"):
        """Delivers a message as a mail server does."""
        done = subprocess.run(["/usr/lib/dovecot/dovecot-lda", "-c", self.conf / "dovecot.conf", "-d", user, "-m", mailbox],
                              input=message if isinstance(message, bytes) else message.encode(), capture_output=True,
                              timeout=RUN_SECONDS, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr.decode() + self.log())

    @contextlib.contextmanager
    def session(self, user):
        client = imaplib.IMAP4("127.0.0.1", self.port, timeout=60)
        try:
            client.authenticate("PLAIN", lambda _: f"\0{user}\0secret".encode())
            yield Session(client)
        finally:
            client.logout()


def encoded(mailbox):
    """The name of a mailbox in IMAP (RFC 3501, 5.1.3), quoted."""
    out = ""
    for printable, others in re.findall(r"([ -~]+)|([^ -~]+)", mailbox):
        out += printable.replace("&", "&-")
        if others:
            out += "&" + base64.b64encode(others.encode("utf-16-be")).decode().rstrip("=").replace("/", ",") + "-"
    return '"' + out.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Session:
    """An IMAP session of one user; each call fails with what the server said."""

    def __init__(self, client):
        self.client = client

    def done(self, answer):
        kind, data = answer
        if kind != "OK":
            raise AssertionError(data)
        return data

    def append(self, mailbox, message):
        self.done(self.client.append(encoded(mailbox), None, None, message.encode().replace(b"\n", b"\r\n")))

    def subjects(self, mailbox):
        if self.count(mailbox) == 0:
            return []
        parts = self.done(self.client.fetch("1:*", "(BODY.PEEK[HEADER.FIELDS (SUBJECT)])"))
        return [part[1].decode().partition(":")[2].strip() for part in parts if isinstance(part, tuple)]

    def count(self, mailbox):
        return int(self.done(self.client.select(encoded(mailbox)))[0])

    def move(self, origin, target, number="1"):
        """Moves a message as mail programs do."""
        self.done(self.client.select(encoded(origin)))
        self.done(self.client._simple_command("MOVE", str(number), encoded(target)))  # imaplib has only UID MOVE
