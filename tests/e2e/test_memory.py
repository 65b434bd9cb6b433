"""A hundred messages of 10 MB that are sent but for their end: the daemon stays within milter.memory_max, ordinary mail
passes meanwhile, what found no memory is put off, and afterwards the memory is given back.
"""

import pathlib
import resource
import sys
import unittest

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packaging"))
from milter_client import MilterClient, Outcome  # noqa: E402 (needs the path above)

SENDERS = 100
MESSAGE_BYTES = 10 << 20
MEMORY_MAX = 400 << 20
BESIDE = (64 << 20) + (MEMORY_MAX if harness.has_sanitizer() else 0)


def peak(process, name):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) << 10
    return 0


class HalfSent(MilterClient):
    """Keeps the end of its message back."""

    def write(self, code, body=b""):
        if code != b"E":
            super().write(code, body)

    def end(self):
        super().write(b"E")
        outcome = Outcome()
        while not self.finish(self.read(), outcome):
            pass
        return outcome


class Memory(unittest.TestCase):
    def setUp(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))

    def test_half_sent_messages_are_bounded_and_ordinary_mail_passes(self):
        daemon = self.enterContext(harness.Daemon(
            harness.temporary_folder(self), overrides=[f"milter.memory_max={MEMORY_MAX >> 20}M"]))
        address = f"127.0.0.1:{daemon.milter_port}"
        line = b"the quick brown fox jumps over the lazy dog and runs away\n"
        large = b"Subject: large\n\n" + line * (MESSAGE_BYTES // (len(line) + 1))
        small = b"Subject: small\n\n" + line * 50
        before = peak(daemon.process, "VmRSS")
        senders = []
        for _ in range(SENDERS):
            sender = HalfSent(address)
            self.addCleanup(sender.socket.close)
            sender.envelope(large, "a@example.net", ["b@example.org"], "LARGE")
            senders.append(sender)
            if len(senders) % 10 == 0:
                ordinary = MilterClient(address)
                self.assertEqual("accept", ordinary.send(small).action)
                ordinary.close()
        outcomes = [sender.end() for sender in senders]
        self.assertLess(peak(daemon.process, "VmHWM") - before, MEMORY_MAX + BESIDE)
        put_off = [outcome for outcome in outcomes if outcome.action != "accept"]
        self.assertTrue(0 < len(put_off) < SENDERS, len(put_off))
        for outcome in put_off:
            self.assertTrue(outcome.reply.startswith("451 4.3.1 "), outcome)
        harness.wait_until(lambda: peak(daemon.process, "VmRSS") - before < BESIDE, 30, "memory is given back")
        self.assertEqual(0, daemon.stop())


if __name__ == "__main__":
    unittest.main()
