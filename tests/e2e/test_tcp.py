"""The fuzzy service on TCP, with nothing but sockets: framing, both transports on one port, a crowd of one source, and the
end of the daemon."""

import secrets
import socket
import struct
import unittest

import harness

HEADER = struct.Struct("<BBBBiI")
CHECK, WRITE, STAT, PING = 0, 1, 3, 4
FLAG = 11


def packet(command, tag, digest=bytes(64), value=0, version=4):
    return HEADER.pack(version, command, 0, FLAG, value, tag) + digest


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=harness.START_SECONDS)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, *packets):
        self.socket.sendall(b"".join(struct.pack("<H", len(one)) + one for one in packets))

    def read(self, count):
        """So many bytes, or fewer at the end."""
        data = b""
        while len(data) < count:
            try:
                more = self.socket.recv(count - len(data))
            except ConnectionResetError:
                break
            if not more:
                break
            data += more
        return data

    def reply(self):
        """The next reply as (value, flag, tag, probability, length); None when the server has closed."""
        head = self.read(2)
        if len(head) < 2:
            return None
        body = self.read(struct.unpack("<H", head)[0])
        return *struct.unpack_from("<iIIf", body), len(body)


class Tcp(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)

    def test_a_hash_taught_on_one_transport_is_found_on_the_other(self):
        digest = secrets.token_bytes(64)
        with harness.Daemon(self.tmp) as daemon, Connection(daemon.fuzzy_port) as tcp:
            tcp.send(packet(CHECK, 1, digest), packet(WRITE, 2, digest, value=7), packet(PING, 3, value=-5))
            replies = {reply[2]: reply for reply in (tcp.reply() for _ in range(3))}
            self.assertEqual((0, 0, 1, 0.0, 96), replies[1], "before it was taught")
            self.assertEqual((0, FLAG, 2, 1.0, 96), replies[2])
            self.assertEqual((-5, FLAG, 3, 1.0, 96), replies[3])
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
                udp.settimeout(harness.START_SECONDS)
                udp.sendto(packet(CHECK, 4, digest), ("127.0.0.1", daemon.fuzzy_port))
                self.assertEqual((7, FLAG, 4, 1.0), struct.unpack_from("<iIIf", udp.recv(1024)))
            tcp.send(packet(STAT, 5, version=5))
            self.assertEqual((0, 1, 5, 1.0, 144), tcp.reply())
            with Connection(daemon.fuzzy_port) as other:
                other.socket.sendall(b"\x00\x00")
                self.assertIsNone(other.reply(), "an empty frame ends the connection")
            daemon.stop()
            self.assertIsNone(tcp.reply(), "the daemon has gone")
            self.assertIn("tcp_bad_frames=1", daemon.log())

    def test_a_crowd_of_one_source_leaves_datagrams_alone(self):
        overrides = ["storage.tcp_source_connections_max=20", "storage.tcp_timeout=1h"]
        with harness.Daemon(self.tmp, overrides=overrides) as daemon:
            crowd = [Connection(daemon.fuzzy_port) for _ in range(100)]
            served = 0
            for tag, one in enumerate(crowd):
                try:
                    one.send(packet(PING, tag))
                except OSError:
                    continue
                served += one.reply() is not None
            self.assertEqual(20, served)
            self.assertTrue(harness.answers_check(daemon.fuzzy_port))
            for one in crowd:
                one.socket.close()
            daemon.stop()
            self.assertIn("tcp_refused=80", daemon.log())


if __name__ == "__main__":
    unittest.main()
