# Covers milter/mta/command_reader.cpp and milter/mta/libmilter_overrides.cpp.
"""The dialogue with the mail server does not depend on how the bytes come: a recorded connection of several messages is
played again, cut at each byte, in pieces of any size, over a unix socket and over TCP; and a server that dies anywhere
leaves nothing behind. And mail is judged with a libmilter that does not let us read, too.
"""

import array
import fcntl
import os
import pathlib
import random
import resource
import socket
import struct
import subprocess
import sys
import termios
import time
import unittest
import unittest.mock
import urllib.request

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packaging"))
from milter_client import MilterClient  # noqa: E402 (needs the path above)

SPAM = b"From: a@example.net\nSubject: offer\nMessage-ID: <1@example.net>\n\n" + b"cheap pills for everybody today\n" * 8
PLAIN = b"From: b@example.net\nSubject: hello\n\nhello\n"
IDLE = 400
IDLE_BYTES = 16384
PATIENCE = 30


class Recording(MilterClient):
    """Remembers what it sent and what was answered."""

    def __init__(self, address):
        self.sent, self.answered = b"", b""
        super().__init__(address)

    def flush(self):
        self.sent += self.waiting
        super().flush()

    def exactly(self, count):
        data = super().exactly(count)
        self.answered += data
        return data


def connect(address):
    if isinstance(address, str):
        connection = socket.socket(socket.AF_UNIX)
    else:
        connection = socket.socket()
    connection.connect(address)  # without a limit: a unix socket whose queue is full would refuse at once
    connection.settimeout(PATIENCE)
    if not isinstance(address, str):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def unread(connection):
    """Bytes of a unix socket that its peer has not read."""
    count = array.array("i", [0])
    fcntl.ioctl(connection, termios.TIOCOUTQ, count)
    return count[0]


def await_reader(connection):
    """Until nothing is unread. Thousands of times, and for some microseconds each."""
    deadline = time.monotonic() + PATIENCE
    while unread(connection) > 0:
        if time.monotonic() > deadline:
            raise AssertionError("the piece is not read")
        os.sched_yield()


def play(address, pieces):
    """Sends them one by one and returns all answers. On a unix socket each piece waits until the last was read."""
    with connect(address) as connection:
        for piece in pieces:
            connection.sendall(piece)
            if isinstance(address, str):
                await_reader(connection)
        answers = b""
        while more := connection.recv(65536):
            answers += more
        return answers


def in_pieces(stream, rng, most):
    at = 0
    while at < len(stream):
        size = rng.randint(1, most)
        yield stream[at:at + size]
        at += size


def descriptors(daemon):
    return len(os.listdir(f"/proc/{daemon.process.pid}/fd"))


def resident(daemon):
    text = pathlib.Path(f"/proc/{daemon.process.pid}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0]) << 10


def record(address, lines=4000):
    """The bytes of a connection with a message that is refused, one that passes, and a long one; and the answers."""
    client = Recording(address)
    long_body = b"Subject: long\n\n" + b"".join(b"line %d of a long text\n" % number for number in range(lines))
    outcomes = [client.send(message, queue_id=f"Q{number}").action
                for number, message in enumerate((SPAM, PLAIN, long_body))]
    client.close()
    return client.sent, client.answered, outcomes


class Wire(unittest.TestCase):
    def daemon_of(self, way, *overrides):
        folder = harness.temporary_folder(self)
        unix = [f"milter.socket=unix:{folder}/milter.sock"] if way == "unix" else []
        # Nothing but the bytes may change from one connection to the next.
        daemon = self.enterContext(harness.Daemon(
            folder, ["counters.enabled=no", "history.enabled=no", "milter.actions.reject=1", *unix,
                     *(override.format(folder=folder) for override in overrides)]))
        done = daemon.run("add", "--flag", "denied", "--weight", "30", stdin=SPAM)
        self.assertEqual(0, done.returncode, done.stderr)
        client_address = f"{folder}/milter.sock" if unix else f"127.0.0.1:{daemon.milter_port}"
        return daemon, client_address, client_address if unix else ("127.0.0.1", daemon.milter_port)

    def test_a_connection_may_be_cut_at_each_byte(self):
        daemon, client_address, address = self.daemon_of("unix")
        # More than is read at once, and little to judge a thousand times.
        stream, answers, outcomes = record(client_address, lines=800)
        self.assertEqual(["reject", "accept", "accept"], outcomes)
        self.assertEqual(answers, play(address, [stream]), "in one piece")
        end_of_kinds = stream.index(b"line 10 of")
        for cut in [*range(1, end_of_kinds), *range(end_of_kinds, len(stream), 1001), *range(len(stream) - 40, len(stream))]:
            self.assertEqual(answers, play(address, [stream[:cut], stream[cut:]]), cut)
        self.assertEqual(0, daemon.stop())

    def test_a_connection_may_come_in_any_pieces(self):
        for way in ("unix", "inet"):
            daemon, client_address, address = self.daemon_of(way)
            stream, answers, _ = record(client_address)
            for seed in range(20):
                rng = random.Random(seed)
                pieces = list(in_pieces(stream, rng, rng.choice((400, 4000, 30000))))
                self.assertEqual(answers, play(address, pieces), (way, seed))
            short = stream[:stream.index(b"line 10 of")]
            slow = [short[at:at + 1] for at in range(len(short))] + [stream[len(short):]]
            self.assertEqual(answers, play(address, slow), way)
            self.assertEqual(0, daemon.stop())

    def test_recipients_that_are_answered_may_come_in_any_pieces(self):
        _, client_address, address = self.daemon_of("unix", "ratelimit.rates.to=[1000000, 1000]",
                                                    "ratelimit.file={folder}/ratelimit.db")
        stream, answers, _ = record(client_address)
        for seed in range(10):
            self.assertEqual(answers, play(address, in_pieces(stream, random.Random(seed), 300)), seed)

    def test_a_server_that_dies_anywhere_leaves_nothing(self):
        for way in ("unix", "inet"):
            daemon, client_address, address = self.daemon_of(way)
            stream, answers, _ = record(client_address)
            before = descriptors(daemon)
            for cut in [*range(stream.index(b"line 10 of")), *range(2000, len(stream), 9001)]:
                with connect(address) as connection:
                    connection.sendall(stream[:cut])
                    if cut % 3 == 0:  # a reset instead of an end
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            harness.wait_until(lambda: descriptors(daemon) <= before, PATIENCE, "all connections are closed")
            self.assertEqual(answers, play(address, [stream]), way)
            with urllib.request.urlopen(f"http://127.0.0.1:{daemon.status_port}/metrics") as reply:
                self.assertIn("\nshingled_mail_memory_bytes 0\n", reply.read().decode())
            self.assertEqual(0, daemon.stop())

    def test_an_impossible_length_ends_the_connection(self):
        daemon, client_address, address = self.daemon_of("inet")
        stream, _, _ = record(client_address)
        negotiated = stream[:17]
        for head in (b"\0\0\0\0B", b"\xff\xff\xff\xffB", b"\x80\0\0\1B", b"\0\x20\0\0B"):
            with connect(address) as connection:
                connection.sendall(negotiated + head + b"x" * 100)
                answers = b""
                try:
                    while more := connection.recv(65536):
                        answers += more
                except ConnectionResetError:
                    pass  # bytes of ours were left
                self.assertEqual(b"O", answers[4:5])
        self.assertEqual(0, daemon.stop())

    def test_idle_connections_cost_little(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4 * IDLE), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        daemon, client_address, address = self.daemon_of("inet")
        stream, answers, _ = record(client_address)
        before = resident(daemon)
        clients = [MilterClient(client_address) for _ in range(IDLE)]
        for client in clients:
            self.addCleanup(client.socket.close)
        if not harness.has_sanitizer():
            self.assertLess(resident(daemon) - before, IDLE * IDLE_BYTES)
        self.assertEqual(answers, play(address, [stream]))
        self.assertEqual(0, daemon.stop())


class ForeignLibrary(unittest.TestCase):
    """A libmilter that calls its own functions where ours should take their place, as one of -Bsymbolic does."""

    def foreign_folder(self):
        folder = harness.temporary_folder(self)
        made = subprocess.run(["g++", "-shared", "-Wl,-Bsymbolic", "-Wl,--whole-archive", "-l:libmilter.a",
                               "-Wl,--no-whole-archive", "-Wl,-soname,libmilter.so.1.0.1", "-pthread",
                               "-o", folder / "libmilter.so.1.0.1"], capture_output=True, text=True)
        self.assertEqual(0, made.returncode, made.stderr)
        return folder

    def test_it_serves_mail_and_the_log_says_what_is_missing(self):
        with unittest.mock.patch.dict(os.environ, LD_LIBRARY_PATH=str(self.foreign_folder())):
            daemon = self.enterContext(harness.Daemon(harness.temporary_folder(self), ["milter.actions.reject=1"]))
        done = daemon.run("add", "--flag", "denied", "--weight", "30", stdin=SPAM)
        self.assertEqual(0, done.returncode, done.stderr)
        for _ in range(2):
            _, _, outcomes = record(f"127.0.0.1:{daemon.milter_port}")
            self.assertEqual(["reject", "accept", "accept"], outcomes)
        self.assertEqual(1, daemon.log().count("libmilter does not call our mi_rd_cmd"), daemon.log())
        # What is done after an answer is done all the same.
        harness.wait_until(lambda: daemon.run("history", "--json").stdout.count("\n") == 6, PATIENCE,
                           "the history has six rows")
        self.assertEqual(0, daemon.stop())


if __name__ == "__main__":
    unittest.main()
