"""Private mail servers for the end-to-end tests: real Postfix and Sendmail, each in a folder of its own on high
ports, and the place they deliver to."""

import base64
import os
import pathlib
import shutil
import socketserver
import subprocess
import textwrap
import threading

from harness import answers_tcp, free_port, wait_until


class SmtpSink(socketserver.ThreadingTCPServer):
    """Takes every message by SMTP and keeps it: the next hop of the mail servers under test."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), SinkSession)
        self.port = self.server_address[1]
        self.lock = threading.Lock()
        self.kept = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()

    def messages(self):
        with self.lock:
            return list(self.kept)

    def wait_for(self, marker, seconds=60):
        """The first message that holds the bytes `marker`, as soon as it is here."""
        found = []

        def arrived():
            found[:] = [message for message in self.messages() if marker in message]
            return bool(found)

        wait_until(arrived, seconds, f"delivery of the message with {marker!r}")
        return found[0]


class SinkSession(socketserver.StreamRequestHandler):
    def handle(self):
        self.say("220 sink")
        while line := self.rfile.readline():
            verb = line[:4].upper()
            if verb == b"DATA":
                self.say("354 go on")
                body = b""
                while (line := self.rfile.readline()) not in (b".\r\n", b""):
                    body += line[1:] if line.startswith(b".") else line
                with self.server.lock:
                    self.server.kept.append(body)
                self.say("250 kept")
            elif verb == b"QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 ok")

    def say(self, text):
        self.wfile.write(text.encode() + b"\r\n")


class SaslServer(socketserver.ThreadingTCPServer):
    """Says who may log in, in the protocol of Dovecot's auth daemon, which Postfix speaks: one mechanism, PLAIN."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, passwords):
        super().__init__(("127.0.0.1", 0), SaslSession)
        self.passwords = passwords

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def postfix_settings(self):
        return ["smtpd_sasl_auth_enable = yes", "smtpd_sasl_type = dovecot",
                f"smtpd_sasl_path = inet:127.0.0.1:{self.server_address[1]}"]


class SaslSession(socketserver.StreamRequestHandler):
    def handle(self):
        self.say("VERSION", "1", "1")
        self.say("MECH", "PLAIN", "plaintext")
        self.say("SPID", "1")
        self.say("CUID", "1")
        self.say("COOKIE", "0" * 32)
        self.say("DONE")
        while line := self.rfile.readline():
            words = line.decode().rstrip("\n").split("\t")
            if words[0] != "AUTH":
                continue
            answer = next(word for word in words if word.startswith("resp="))
            _, user, password = base64.b64decode(answer.removeprefix("resp=")).decode().split("\0")
            if self.server.passwords.get(user) == password:
                self.say("OK", words[1], f"user={user}")
            else:
                self.say("FAIL", words[1], f"user={user}")

    def say(self, *words):
        self.wfile.write("\t".join(words).encode() + b"\n")


class Postfix:
    """A Postfix with its own configuration, queue and log, that offers each message to one milter and relays what
    passes to the sink."""

    name = "postfix"

    @staticmethod
    def missing():
        """Why it cannot run here, or None."""
        if not shutil.which("postfix", path="/usr/sbin"):
            return "the package postfix is not installed"
        if os.geteuid() != 0:
            return "Postfix's master starts as root only"
        return None

    def __init__(self, folder, milter_port, sink_port, main_cf=()):
        """`main_cf`: lines of main.cf, each in the place of ours for the same parameter. Postfix would warn of a
        repeated one in each of its processes, also in postlogd, which takes the warnings: ten of them fill its socket,
        and then it waits for itself."""
        self.port = free_port()
        self.folder = pathlib.Path(folder) / "postfix"
        self.log_file = self.folder / "log" / "mail.log"
        for name in ("conf", "queue", "data", "log"):
            (self.folder / name).mkdir(parents=True)
        # The daemons run as `postfix` and must get through to their queue.
        for above in (self.folder, *self.folder.parents):
            if above == pathlib.Path("/tmp") or above == pathlib.Path("/"):
                break
            above.chmod(0o755)
        shutil.chown(self.folder / "data", "postfix")
        ours = textwrap.dedent(f"""\
            compatibility_level = 3.6
            queue_directory = {self.folder}/queue
            data_directory = {self.folder}/data
            maillog_file = {self.log_file}
            maillog_file_prefixes = {self.folder}
            myhostname = mx.example.org
            mydestination =
            inet_interfaces = 127.0.0.1
            inet_protocols = ipv4
            mynetworks = 127.0.0.0/8
            alias_maps =
            alias_database =
            relayhost = [127.0.0.1]:{sink_port}
            smtpd_relay_restrictions = permit_mynetworks, reject
            disable_dns_lookups = yes
            smtpd_peername_lookup = no
            smtpd_milters = inet:127.0.0.1:{milter_port}
            milter_default_action = accept
            """)
        by_parameter = {line.split("=")[0].strip(): line for line in [*ours.splitlines(), *main_cf]}
        (self.folder / "conf" / "main.cf").write_text("".join(line + "\n" for line in by_parameter.values()))
        (self.folder / "conf" / "master.cf").write_text(textwrap.dedent(f"""\
            127.0.0.1:{self.port} inet n - n - - smtpd
            pickup    unix n - n 60 1 pickup
            cleanup   unix n - n - 0 cleanup
            qmgr      unix n - n 300 1 qmgr
            rewrite   unix - - n - - trivial-rewrite
            bounce    unix - - n - 0 bounce
            defer     unix - - n - 0 bounce
            trace     unix - - n - 0 bounce
            verify    unix - - n - 1 verify
            flush     unix n - n 1000? 0 flush
            proxymap  unix - - n - - proxymap
            smtp      unix - - n - - smtp
            relay     unix - - n - - smtp
            error     unix - - n - - error
            retry     unix - - n - - error
            discard   unix - - n - - discard
            anvil     unix - - n - 1 anvil
            scache    unix - - n - 1 scache
            postlog   unix-dgram n - n - 1 postlogd
            """))

    def __enter__(self):
        self.control("start")
        wait_until(lambda: answers_tcp(self.port), 30, f"Postfix on port {self.port}")
        return self

    def __exit__(self, *unused):
        self.control("stop")

    def control(self, verb):
        done = subprocess.run(["/usr/sbin/postfix", "-c", self.folder / "conf", verb],
                              capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"postfix {verb}: {done.stdout}{done.stderr}\n{self.log()}")

    def log(self):
        return self.log_file.read_text() if self.log_file.exists() else ""


class Sendmail:
    """A Sendmail unpacked from its packages (they cannot be installed beside Postfix), with a configuration made
    from its own m4 files, that offers each message to one milter and relays what passes to the sink."""

    name = "sendmail"
    PACKAGES = ("sendmail-bin", "sendmail-cf")

    @classmethod
    def missing(cls):
        if not shutil.which("m4") or not shutil.which("apt-get"):
            return "m4 or apt-get is not here to unpack Sendmail with"
        if os.geteuid() != 0:
            return "Sendmail's daemon starts as root only"
        return None

    def __init__(self, folder, milter_port, sink_port):
        self.port = free_port()
        self.folder = pathlib.Path(folder) / "sendmail"
        self.root = self.folder / "root"
        self.queue = self.folder / "queue"
        self.queue.mkdir(parents=True)
        self.queue.chmod(0o700)
        self.folder.chmod(0o755)
        self.unpack()
        self.daemon = None
        cf = self.root / "usr/share/sendmail/cf"
        source = self.folder / "sendmail.mc"
        source.write_text(textwrap.dedent(f"""\
            divert(-1)
            define(`_CF_DIR_', `{cf}/')dnl
            include(`{cf}/m4/cf.m4')dnl
            OSTYPE(`linux')dnl
            define(`confDOMAIN_NAME', `mx.example.org')dnl
            define(`confPID_FILE', `{self.folder}/sendmail.pid')dnl
            define(`QUEUE_DIR', `{self.queue}')dnl
            define(`STATUS_FILE', `{self.folder}/statistics')dnl
            define(`ALIAS_FILE', `')dnl
            define(`HELP_FILE', `')dnl
            define(`confDONT_PROBE_INTERFACES', `True')dnl
            define(`confDONT_BLAME_SENDMAIL', `GroupWritableDirPathSafe')dnl
            define(`confTO_IDENT', `0')dnl
            define(`confREFUSE_LA', `1000')dnl
            define(`confQUEUE_LA', `1000')dnl
            define(`confSERVICE_SWITCH_FILE', `{self.folder}/service.switch')dnl
            define(`SMART_HOST', `relay:[127.0.0.1]')dnl
            define(`RELAY_MAILER_ARGS', `TCP $h {sink_port}')dnl
            FEATURE(`no_default_msa')dnl
            FEATURE(`nocanonify')dnl
            FEATURE(`accept_unresolvable_domains')dnl
            DAEMON_OPTIONS(`Name=MTA, Addr=127.0.0.1, Port={self.port}')dnl
            INPUT_MAIL_FILTER(`shingled', `S=inet:{milter_port}@127.0.0.1, T=S:30s;R:30s')dnl
            MAILER(`smtp')dnl
            """))
        (self.folder / "service.switch").write_text("hosts files\naliases files\n")
        with open(self.folder / "sendmail.cf", "wb") as out:
            subprocess.run(["m4", source], stdout=out, check=True, timeout=60)

    def unpack(self):
        subprocess.run(["apt-get", "download", "-qq", *self.PACKAGES], cwd=self.folder, check=True, timeout=120,
                       stderr=subprocess.DEVNULL)
        for package in self.folder.glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, self.root], check=True, timeout=60)

    def __enter__(self):
        binary = self.root / "usr/libexec/sendmail/sendmail"
        self.log_file = open(self.folder / "log", "wb")
        # Sendmail waits a minute for DNS when the machine's name has no dot: give it one that has, of its own.
        self.daemon = subprocess.Popen(
            ["unshare", "--uts", "sh", "-c", 'echo mx.example.org > /proc/sys/kernel/hostname && exec "$0" "$@"',
             binary, f"-C{self.folder}/sendmail.cf", "-bD", "-q1s"],
            stdout=self.log_file, stderr=self.log_file)
        try:
            wait_until(lambda: answers_tcp(self.port), 30, f"Sendmail on port {self.port}")
        except AssertionError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *unused):
        self.daemon.terminate()
        self.daemon.wait(30)
        self.log_file.close()

    def log(self):
        return (self.folder / "log").read_text(errors="replace")


def swaks(port, message, sender="sender@example.net", recipient="user@example.org"):
    """Sends the bytes of a message; gives swaks's exit code and the whole dialogue."""
    done = subprocess.run(["swaks", "--server", f"127.0.0.1:{port}", "--from", sender, "--to", recipient,
                           "--helo", "client.example.net", "--data", "-"],
                          input=message, capture_output=True, timeout=120, check=False)
    return done.returncode, done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")
