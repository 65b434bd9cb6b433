"""What strangers may do to the fuzzy port of the running daemon: a flood of connections, clients that do not read, frames
that never end, 100 000 forged sources. Each time its memory stays bounded and others are served.

Everything stays on loopback, which is exempt from the limits for sources; forged packets need the right to send raw ones.
"""

import http.client
import pathlib
import resource
import socket
import struct
import time
import unittest

import harness
from test_tcp import CHECK, PING, Connection, packet

MANY = 600
PLACES = 100
FORGED = 100_000
GROWTH_BYTES = 48 << 20  # a sanitizer build keeps what was freed for a while


def resident(daemon):
    for line in pathlib.Path(f"/proc/{daemon.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) << 10
    return 0


def checksum(data):
    words = sum(struct.unpack(f">{len(data) // 2}H", data))
    while words >> 16:
        words = (words & 0xffff) + (words >> 16)
    return ~words & 0xffff


def datagram(source, port, payload):
    """An IPv4 packet to the daemon that claims to come from `source`."""
    length = 8 + len(payload)
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + length, 0, 0, 64, socket.IPPROTO_UDP, 0, source,
                       socket.inet_aton("127.0.0.1"))
    head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
    return head + struct.pack(">HHHH", 4000, port, length, 0) + payload


class Floods(unittest.TestCase):
    def start(self, *overrides):
        self.daemon = self.enterContext(harness.Daemon(harness.temporary_folder(self), overrides=overrides))
        self.before = resident(self.daemon)

    def setUp(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))

    def assert_others_are_served(self):
        harness.wait_until(lambda: harness.answers_check(self.daemon.fuzzy_port), 30, "a datagram is answered")
        self.assertLess(resident(self.daemon) - self.before, GROWTH_BYTES)

    def connect(self, number):
        """A connection from one of many loopback addresses."""
        stranger = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.addCleanup(stranger.close)
        stranger.settimeout(harness.START_SECONDS)
        stranger.bind((f"127.0.{1 + number // 200}.{1 + number % 200}", 0))
        stranger.connect(("127.0.0.1", self.daemon.fuzzy_port))
        return stranger

    def connection_is_served(self):
        with Connection(self.daemon.fuzzy_port) as client:
            try:
                client.send(packet(PING, 9, value=5))
                return client.reply() is not None
            except OSError:
                return False

    def test_idle_connections_leave_mail_and_status_their_descriptors(self):
        tmp = harness.temporary_folder(self)
        few = tmp / "few"
        few.write_text(f'#!/bin/sh\nulimit -S -n 1024\nulimit -H -n 1024\nexec {harness.BINARY} "$@"\n')
        few.chmod(0o755)
        self.daemon = self.enterContext(harness.Daemon(tmp, overrides=["storage.tcp_timeout=1h"], binary=str(few)))
        self.assertRegex(self.daemon.log(), r"warning file_limit descriptors=1024 reserved=704 tcp_connections_max=320 ")
        for number in range(1280):
            try:
                self.connect(number % 1000)
            except ConnectionError:
                pass
        page = http.client.HTTPConnection("127.0.0.1", self.daemon.status_port, timeout=harness.START_SECONDS)
        self.addCleanup(page.close)
        page.request("GET", "/stat")
        self.assertEqual(200, page.getresponse().status)
        with socket.create_connection(("127.0.0.1", self.daemon.milter_port), timeout=harness.START_SECONDS) as mail:
            mail.sendall(struct.pack(">IcIII", 13, b"O", 6, 0, 0))
            self.assertTrue(mail.recv(5), "the milter answers")

    def test_a_flood_of_connections_from_everywhere(self):
        self.start(f"storage.tcp_connections_max={PLACES}", "storage.tcp_timeout=1h")
        for number in range(MANY):
            self.connect(number)
        self.assert_others_are_served()
        harness.wait_until(self.connection_is_served, 30, "a quiet connection gives way to one that asks")
        self.daemon.stop()
        self.assertRegex(self.daemon.log(), r"tcp_refused=[1-9]\d\d")

    def test_frames_that_never_end(self):
        self.start(f"storage.tcp_connections_max={PLACES}", "storage.tcp_timeout=500ms")
        half = struct.pack("<H", 76) + bytes(40)
        for number in range(MANY):
            try:
                self.connect(number).sendall(half)
            except OSError:
                continue  # refused already
        self.assert_others_are_served()
        harness.wait_until(self.connection_is_served, 30, "half requests give their places back")

    def test_clients_that_do_not_read(self):
        self.start("storage.tcp_unsent_bytes_max=64K", "storage.tcp_timeout=1h")
        question = packet(CHECK, 1)
        questions = (struct.pack("<H", len(question)) + question) * 1000
        for number in range(20):
            deaf = self.connect(number)
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.settimeout(0.2)
            try:
                for _ in range(40):
                    deaf.sendall(questions)
            except OSError:
                continue  # nobody takes more of it, or it was cut off
        self.assert_others_are_served()
        self.assertTrue(self.connection_is_served())
        self.daemon.stop()
        self.assertRegex(self.daemon.log(), r"tcp_slow=[1-9]")

    def test_a_hundred_thousand_forged_sources(self):
        try:
            raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        except PermissionError:
            self.skipTest("needs the right to send raw packets")
        self.addCleanup(raw.close)
        self.start("storage.queue_wait_max=0")
        target = ("127.0.0.1", 0)
        ping = packet(PING, 7)
        sent = 0
        for number in range(FORGED):
            source = struct.pack(">I", 0x0b000001 + (number << 8))  # another /24 each
            raw.sendto(datagram(source, self.daemon.fuzzy_port, ping), target)
            sent += 1
            if sent % 10_000 == 0:
                harness.wait_until(lambda: harness.answers_check(self.daemon.fuzzy_port), 30, "an honest one is served")
        self.assert_others_are_served()
        abuser = datagram(socket.inet_aton("11.0.0.9"), self.daemon.fuzzy_port, ping)
        deadline = time.monotonic() + 60
        while "ratelimited" not in self.daemon.log() and time.monotonic() < deadline:
            for _ in range(1000):
                raw.sendto(abuser, target)
        self.assertIn("fuzzy_ratelimited network=11.0.0.0/24", self.daemon.log(), "who comes too often is refused")
        self.assert_others_are_served()


if __name__ == "__main__":
    unittest.main()
