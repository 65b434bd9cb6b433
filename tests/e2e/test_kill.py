"""kill -9 at any moment under write load: the daemon loses no acknowledged update, counts none twice, and its memory and
its file agree.

    SHINGLED_BINARY=build/release/milter/shingled tests/e2e/test_kill.py

$SHINGLED_KILLS sets how often (default 10; the long run is 1000), $SHINGLED_SEED repeats a run.
"""

import os
import random
import select
import socket
import sqlite3
import struct
import time
import unittest

import harness

KILLS = int(os.environ.get("SHINGLED_KILLS", "10"))
SEED = int(os.environ.get("SHINGLED_SEED", str(random.SystemRandom().randrange(1 << 32))))
TEXTS = 64            # few, so that each is added to again and again
IN_FLIGHT = 64
UPDATES_MOST = 3000   # before a kill
RESEND_SECONDS = 0.25
GIVE_UP_SECONDS = 120
FLAG = 1

HEADER = struct.Struct("<BBBBiI")
REPLY = struct.Struct("<iIIf64s")
CHECK, WRITE, DEL = 0, 1, 2


class Text:
    """One digest with shingles, and what the storage must say of it."""

    def __init__(self, rng):
        self.digest = rng.randbytes(64)
        self.shingles = rng.randbytes(256)
        self.value = 0

    def packet(self, command, value, tag):
        shingles = self.shingles if command != DEL else b""
        return HEADER.pack(4, command, 32 if shingles else 0, FLAG, value, tag) + self.digest + shingles


class Client:
    """Sends updates, each with a tag of its own, and again until its answer comes, over restarts of the server: so what it
    sent at all counts, and counts once."""

    def __init__(self, port, rng):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setblocking(False)
        self.rng = rng
        self.tag = 0
        self.waiting = {}  # tag -> [packet, when sent last]
        self.answered = 0

    def send(self, packet):
        try:
            self.socket.send(packet)
        except (BlockingIOError, ConnectionRefusedError):
            pass  # it is sent again

    def update(self, text):
        value = self.rng.randrange(1, 8)
        self.tag += 1
        packet = text.packet(WRITE, value, self.tag)
        text.value += value
        self.waiting[self.tag] = [packet, time.monotonic()]
        self.send(packet)

    def resend(self):
        now = time.monotonic()
        for entry in self.waiting.values():
            if now - entry[1] > RESEND_SECONDS:
                entry[1] = now
                self.send(entry[0])

    def receive(self, seconds):
        """Takes the answers that are there, waiting so long for the first one."""
        if not select.select([self.socket], [], [], seconds)[0]:
            return
        while True:
            try:
                reply = self.socket.recv(1024)
            except BlockingIOError:
                return
            except ConnectionRefusedError:
                continue  # it stands for a packet sent to a server that was dead
            value, _, tag, probability, _ = REPLY.unpack(reply[:REPLY.size])
            if tag not in self.waiting:
                continue
            assert probability > 0.5, f"an update was refused: {value}"
            del self.waiting[tag]
            self.answered += 1

    def settle(self):
        deadline = time.monotonic() + GIVE_UP_SECONDS
        while self.waiting:
            assert time.monotonic() < deadline, f"{len(self.waiting)} updates without an answer"
            self.resend()
            self.receive(RESEND_SECONDS)

    def ask(self, text):
        """The value the service has for a text; 0 for none."""
        deadline = time.monotonic() + GIVE_UP_SECONDS
        self.tag += 1
        question = text.packet(CHECK, 0, self.tag)
        while time.monotonic() < deadline:
            self.send(question)
            if not select.select([self.socket], [], [], RESEND_SECONDS)[0]:
                continue
            try:
                value, _, tag, probability, digest = REPLY.unpack(self.socket.recv(1024)[:REPLY.size])
            except OSError:
                continue
            if tag == self.tag:
                assert digest == text.digest
                return value if probability == 1.0 else 0
        raise AssertionError("a CHECK without an answer")


class Kill(unittest.TestCase):
    def test_nothing_is_lost_and_nothing_counts_twice(self):
        print(f"SHINGLED_SEED={SEED} SHINGLED_KILLS={KILLS}", flush=True)
        rng = random.Random(SEED)
        texts = [Text(rng) for _ in range(TEXTS)]
        daemon = harness.Daemon(harness.temporary_folder(self))
        self.addCleanup(daemon.kill9)
        daemon.start()
        client = Client(daemon.fuzzy_port, rng)
        self.addCleanup(client.socket.close)
        acknowledged = 0
        for kill in range(1, KILLS + 1):
            until = client.answered + rng.randrange(UPDATES_MOST)
            while client.answered < until:
                while len(client.waiting) < IN_FLIGHT:
                    client.update(rng.choice(texts))
                client.resend()
                client.receive(RESEND_SECONDS)
            for _ in range(rng.randrange(IN_FLIGHT)):  # and some more that it may or may not read
                client.update(rng.choice(texts))
            daemon.kill9()
            daemon.start()
            client.settle()
            with self.subTest(kill=kill, seed=SEED):
                self.compare(daemon, client, texts)
            if client.answered // 100_000 != acknowledged // 100_000 or kill == KILLS:
                print(f"{kill} kills, {client.answered} updates", flush=True)
            acknowledged = client.answered
        self.assertEqual(0, daemon.stop())

    def compare(self, daemon, client, texts):
        expected = {text.digest: text.value for text in texts if text.value}
        served = {text.digest: value for text in texts if (value := client.ask(text))}
        self.assertEqual(expected, served)
        with sqlite3.connect(f"file:{daemon.hashfile}?mode=ro", uri=True) as file:
            rows = file.execute("SELECT digest, value, shingle_set FROM digests").fetchall()
        file.close()
        self.assertEqual(expected, {digest: value for digest, value, _ in rows})
        self.assertEqual(len(expected), len(rows), "a digest stands there twice")
        shingles = {text.digest: text.shingles for text in texts}
        self.assertTrue(all(shingles[digest] == stored for digest, _, stored in rows))


if __name__ == "__main__":
    unittest.main()
