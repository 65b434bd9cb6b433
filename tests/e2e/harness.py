"""What the end-to-end tests share: a daemon of our own in a folder of its own, free ports, waiting for a condition.

Nothing here sleeps for luck: `wait_until` polls a condition up to a deadline and says what it waited for. Everything
stays on loopback. The program under test is $SHINGLED_BINARY.
"""

import atexit
import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time

BINARY = os.environ.get("SHINGLED_BINARY", "shingled")
if "/" in BINARY:
    BINARY = os.path.abspath(BINARY)  # daemons start in a folder of their own
UNIT = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "systemd" / "shingled.service.in"
# What the shipped unit gives the daemon: tests and benchmarks run what is installed.
UNIT_ENVIRONMENT = dict(re.findall(r"^Environment=(\w+)=(.*)$", UNIT.read_text(), re.MULTILINE))
START_SECONDS = 60  # a sanitizer build on a busy machine
RUN_SECONDS = 120
HELD_PORTS = contextlib.ExitStack()
atexit.register(HELD_PORTS.close)


def wait_until(condition, seconds, what):
    """Polls until `condition()` is true and returns its value; an AssertionError names `what` after the deadline."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.02)


def free_port():
    """A loopback port for TCP and UDP that is this process's until it ends, also while its server is not running.

    `tests/support/free_port.h` takes ports by the same rule: below those the kernel gives to connections, and held by
    the name of an abstract unix socket.
    """
    while True:
        port = random.randrange(20000, 32768)
        holder = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            holder.bind(f"\0shingled-test-port-{port}")
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                with socket.socket(socket.AF_INET, kind) as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            holder.close()
            continue
        HELD_PORTS.enter_context(holder)
        return port


def has_sanitizer():
    """AddressSanitizer has memory of its own, and keeps what was freed."""
    return b"__asan_init" in pathlib.Path(BINARY).read_bytes()


def temporary_folder(test):
    """A folder that goes with the test. Other users may pass through: mail servers change theirs."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="shingled-e2e-"))
    folder.chmod(0o755)
    test.addCleanup(shutil.rmtree, folder, ignore_errors=True)
    return folder


def run(*arguments, stdin=b"", binary=None, **options):
    """Runs one command to its end; output as text."""
    done = subprocess.run([binary or BINARY, *map(str, arguments)],
                          input=stdin.encode() if isinstance(stdin, str) else stdin,
                          capture_output=True, timeout=RUN_SECONDS, **options)
    done.stdout = done.stdout.decode(errors="replace")
    done.stderr = done.stderr.decode(errors="replace")
    return done


def answers_tcp(port):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def answers_check(port, seconds=0.5):
    """Whether the fuzzy service answers a CHECK of a random digest, the probe that is safe on every server."""
    tag = secrets.token_bytes(4)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.settimeout(seconds)
        try:
            probe.connect(("127.0.0.1", port))
            probe.send(bytes([4, 0, 0, 0]) + bytes(4) + tag + secrets.token_bytes(64))
            reply = probe.recv(1024)
        except OSError:
            return False
    return len(reply) >= 16 and reply[8:12] == tag


def flags_in(value):
    """All maps with the value of a list, wherever they are in JSON."""
    if isinstance(value, dict):
        if "value" in value and "flag" in value:
            yield value
        for inner in value.values():
            yield from flags_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from flags_in(inner)


class Daemon:
    """`shingled run` on free ports with its database in `tmp`, serving when the `with` block begins.

        with Daemon(tmp, overrides=["milter.dry_run=true"]) as daemon:
            daemon.run("add", "--flag", "denied", stdin=message)

    `overrides` are further -o values, `config` a file of settings, `http` further addresses of http.listen. Its ports
    stay the same over restarts.
    """

    def __init__(self, tmp, overrides=(), binary=None, config=None, http=()):
        self.tmp = pathlib.Path(tmp)
        self.binary = binary or BINARY
        self.extra = list(overrides)
        self.config = config
        self.http = list(http)
        self.hashfile = self.tmp / "fuzzy.db"
        self.log_path = self.tmp / "daemon.log"
        self.milter_port = free_port()
        self.fuzzy_port = free_port()
        self.status_port = free_port()
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def overrides(self):
        """The arguments by which a command finds this daemon."""
        values = [f"storage.listen=127.0.0.1:{self.fuzzy_port}", f"storage.hashfile={self.hashfile}",
                  f"milter.socket=inet:{self.milter_port}@127.0.0.1",
                  f"http.listen={', '.join([f'127.0.0.1:{self.status_port}', *self.http])}",
                  f"counters.directory={self.tmp / 'counters'}",
                  f"history.file={self.tmp / 'history.db'}",
                  f"model.file={self.tmp / 'model.json'}",
                  f"counters.journal_directory={self.tmp / 'counters'}",
                  f"policy.allow_file={self.tmp / 'allow.list'}",
                  f"policy.block_file={self.tmp / 'block.list'}",
                  f"reports.file={self.tmp / 'reports.db'}", *self.extra]
        arguments = [argument for value in values for argument in ("-o", value)]
        return arguments if self.config is None else ["-c", str(self.config), *arguments]

    def start(self):
        """Starts the daemon and waits until it serves mail and packets."""
        self.starts = self.log_starts()
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen([self.binary, "run", *self.overrides], stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=subprocess.STDOUT, cwd=self.tmp,
                                            env=UNIT_ENVIRONMENT | os.environ)
        try:
            wait_until(self.serves, START_SECONDS, "the daemon serves")
        except AssertionError as failure:
            self.kill9()
            raise AssertionError(f"{failure}\n{self.log()}") from None

    def serves(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the daemon ended with {self.process.returncode}")
        # With patience: a probe that is given up would be answered later, and counted while a test counts.
        has_port = not any(value.startswith("milter.socket=") for value in self.extra)
        return (answers_tcp(self.milter_port) or not has_port) and answers_check(self.fuzzy_port, START_SECONDS / 2) \
            and self.is_ready()

    def is_ready(self):
        """By its own word: its ports answer a moment before. If a test has another address, or none, by the log."""
        if any(value.startswith("http.listen") for value in self.extra):
            return self.log_starts() > self.starts
        connection = http.client.HTTPConnection("127.0.0.1", self.status_port, timeout=START_SECONDS)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def stop(self):
        """Asks the daemon to end (SIGTERM) and returns its exit code; a hanging one is killed and reported."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=START_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill9()
                raise AssertionError(f"the daemon did not end after SIGTERM\n{self.log()}") from None
        code = self.process.returncode
        self.process = None
        return code

    def kill9(self):
        """Ends the daemon at once, as a crash would."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process = None

    def restart(self):
        """Starts it again on the same ports and the same database, ending the old one first if it still runs."""
        self.stop()
        self.start()

    def signal(self, number):
        self.process.send_signal(number)

    def log_starts(self):
        """How often it has started, as its log says."""
        return len(re.findall(r'\bstarted version=|"started"', self.log()))

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def run(self, command, *arguments, stdin=b"", **options):
        """A command of the same program with this daemon's settings."""
        return run(command, *self.overrides, *arguments, stdin=stdin, binary=self.binary, **options)

    def weight(self, message):
        """Of the strongest hash of the message on any list; 0 without one."""
        done = self.run("check", "--json", stdin=message)
        values = [flag["value"] or 0 for line in done.stdout.splitlines() for flag in flags_in(json.loads(line))]
        return max(values, default=0)
