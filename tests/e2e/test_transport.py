# Covers milter/mta/libmilter_overrides.cpp.
"""What the way between the mail server and the milter costs, counted rather than timed: a real Postfix in a network of
its own offers sixty messages of 4 KB by one SMTP connection, over a unix socket and over inet.

Postfix sends a message in several small writes that no answer follows. Where the kernel acknowledges each only when its
timer of 40 ms ends, the next one waits for it; the kernel counts how often that happens (DelayedACKs).
"""

import contextlib
import ctypes
import fcntl
import os
import pathlib
import random
import smtplib
import socket
import struct
import tempfile
import unittest

from harness import Daemon
from mta import Postfix

MESSAGES = 60
MESSAGE_BYTES = 4096
CLONE_NEWNET = 0x40000000
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def enter_own_network():
    """Makes this process, and what it starts from now on, see a loopback of their own and no other network."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        raise unittest.SkipTest(f"no network of our own: {os.strerror(ctypes.get_errno())}")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(any_socket, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | IFF_UP))


def setUpModule():
    if Postfix.missing():
        raise unittest.SkipTest(Postfix.missing())
    enter_own_network()


def delayed_acknowledgements():
    """How often, in this network, an acknowledgement was sent because its timer ended."""
    names, values = [line.split() for line in pathlib.Path("/proc/thread-self/net/netstat").read_text().splitlines()
                     if line.startswith("TcpExt:")]
    return int(values[names.index("DelayedACKs")])


def message(number, size):
    """So many bytes or a little more, others for each number: a dozen headers and a text of plain words."""
    words = random.Random(number)
    lines = [f"X-Trace-{i}: {words.getrandbits(64):x}" for i in range(10)]
    lines += [f"Subject: report {number}", f"Message-ID: <{number}@client.example.net>", ""]
    while sum(len(line) + 2 for line in lines) < size:
        lines.append(" ".join(f"{words.getrandbits(32):x}" for _ in range(7)))
    return "\r\n".join(lines) + "\r\n"


def send_messages(port, messages, size):
    """All of them by one SMTP connection."""
    with smtplib.SMTP("127.0.0.1", port, "client.example.net") as client:
        for number in range(messages):
            client.sendmail("sender@example.net", ["user@example.org"], message(number, size))


@contextlib.contextmanager
def milter_and_postfix(way, binary=None):
    """A new daemon and a new Postfix that asks it over "inet" or a "unix" socket, or with "none" asks nobody, and throws
    away what passes."""
    with tempfile.TemporaryDirectory(prefix="shingled-transport-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        main_cf = ["default_transport = discard:", "relayhost ="]
        overrides = []
        if way == "unix":
            main_cf.append(f"smtpd_milters = unix:{folder}/milter.sock")
            overrides = [f"milter.socket=unix:{folder}/milter.sock", "milter.socket_mode=0666"]
        if way == "none":
            main_cf.append("smtpd_milters =")
        with Daemon(folder, overrides, binary) as daemon, \
                Postfix(folder, daemon.milter_port, 0, main_cf) as postfix:
            yield daemon, postfix


class TransportTest(unittest.TestCase):
    def test_messages_over_inet_wait_for_no_delayed_acknowledgement(self):
        over_unix = self.delayed_while_mail_passes("unix")
        over_inet = self.delayed_while_mail_passes("inet")
        # Those that the SMTP connection itself has are in both. On a machine that lets our thread wait for 40 ms a few
        # come late all the same; without our doing it is one for each message and more.
        self.assertLess(over_inet, over_unix + MESSAGES / 4)

    def delayed_while_mail_passes(self, way):
        with milter_and_postfix(way) as (daemon, postfix):
            before = delayed_acknowledgements()
            send_messages(postfix.port, MESSAGES, MESSAGE_BYTES)
            late = delayed_acknowledgements() - before
            self.assertEqual(daemon.log().count("queue_id="), MESSAGES, "each message went through the milter")
            self.assertNotIn("milter_unacknowledged", daemon.log())
        return late


if __name__ == "__main__":
    unittest.main()
