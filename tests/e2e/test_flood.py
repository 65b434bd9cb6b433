"""A hundred of the worst messages at once through a real Postfix with its default time-outs, while ordinary mail goes
on: none of that passes unfiltered, and the daemon stays within its memory.

SHINGLED_FLOOD_BYTES: sizes of the hostile messages, mixed (default 64K,128K,256K; by name up to 10M, as Postfix takes
them). SHINGLED_FLOOD_SECONDS: for which ordinary mail is sent at least (default 20). Prints the delays of the ordinary
messages from connection to reply, and what the daemon took.
"""

import itertools
import os
import pathlib
import smtplib
import statistics
import subprocess
import sys
import threading
import time
import unittest

import harness
from mta import Postfix, SmtpSink

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "samples"
GENERATOR = os.environ.get("SHINGLED_HOSTILE_MAIL", "")
SECONDS = float(os.environ.get("SHINGLED_FLOOD_SECONDS", "20"))
SIZES = os.environ.get("SHINGLED_FLOOD_BYTES", "64K,128K,256K")
LONG_SECONDS = 1800  # for everything that was sent to be answered
HOSTILE = 100
RATE = 10  # ordinary messages a second
MEMORY_MAX = 512 << 20
WORST = ("html-nested-links-text", "html-nested-links-full", "html-nested-links-long-text", "html-nested-links-mailto",
         "many-html-nested-links-text", "nest-quoted-printable", "nest-quoted-printable-parts",
         "many-nest-quoted-printable", "delimiter-lines", "delimiter-own", "nest-multiparts-all-delimiters",
         "parameter-quotes-open", "parameter-names-charsets", "parts-without-type", "parts-8bit-without-charset",
         "parts-different-texts", "parts-many-fields", "parts-texts-to-hash", "charset-every", "charset-shift-jis-kana",
         "text-ligatures-run", "text-combining-run", "link-bare-names", "style-rules-classes", "container-gzips")


def parse_size(text):
    units = {"K": 1 << 10, "M": 1 << 20}
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


def status_bytes(pid, name):
    line = next(line for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024


class Senders:
    """Threads that each send one message; what became of it is kept."""

    def __init__(self, port):
        self.port = port
        self.threads = []
        self.lock = threading.Lock()
        self.outcomes = []  # (seconds, reply) of each

    def send(self, recipient, message):
        thread = threading.Thread(target=self.run, args=(recipient, message))
        self.threads.append(thread)
        thread.start()

    def run(self, recipient, message):
        begin = time.monotonic()
        try:
            with smtplib.SMTP("127.0.0.1", self.port, local_hostname="client.example.net", timeout=LONG_SECONDS) as smtp:
                smtp.sendmail("sender@example.net", [recipient], message)
            reply = "accepted"
        except (OSError, smtplib.SMTPException) as failure:
            reply = str(failure)
        with self.lock:
            self.outcomes.append((time.monotonic() - begin, reply))

    def all_are_done(self):
        return not any(thread.is_alive() for thread in self.threads)

    def join(self):
        for thread in self.threads:
            thread.join()


class Flood(unittest.TestCase):
    def setUp(self):
        reason = Postfix.missing() or (None if GENERATOR else "SHINGLED_HOSTILE_MAIL does not name the generator")
        if reason:
            self.skipTest(reason)
        self.tmp = harness.temporary_folder(self)
        overrides = [f"milter.memory_max={MEMORY_MAX}"]
        self.daemon = self.enterContext(harness.Daemon(self.tmp, overrides=overrides))
        self.sink = SmtpSink()
        self.addCleanup(self.sink.close)
        # Time-outs are Postfix's own. A process for each client; hostile mail that passes need not be kept.
        self.mta = self.enterContext(Postfix(
            self.tmp, self.daemon.milter_port, self.sink.port,
            main_cf=["default_process_limit = 300", "transport_maps = inline:{{hostile.example = discard:}}"]))

    def hostile_messages(self):
        pairs = itertools.islice(zip(itertools.cycle(WORST), itertools.cycle(SIZES.split(","))), HOSTILE)
        for kind, size in pairs:
            yield subprocess.run([GENERATOR, kind, str(parse_size(size))], capture_output=True, check=True).stdout

    def test_ordinary_mail_passes_filtered_among_a_hundred_hostile_messages(self):
        offer = (SAMPLES / "1-offer.eml").read_bytes()
        # Mail of which nothing is known passes without a header of ours; this is known, and marked.
        learnt = self.daemon.run("add", "--flag", "denied", "--weight", "4", stdin=offer)
        self.assertEqual(0, learnt.returncode, learnt.stderr)
        hostile, ordinary = Senders(self.mta.port), Senders(self.mta.port)
        for message in list(self.hostile_messages()):
            hostile.send("user@hostile.example", message)
        begin = time.monotonic()
        sent = 0
        while time.monotonic() < begin + SECONDS or not hostile.all_are_done():
            self.assertLess(time.monotonic(), begin + LONG_SECONDS, "the hostile messages are not answered")
            ordinary.send("user@example.org", offer.replace(b"Subject: ", b"Subject: ordinary-%05d " % sent, 1))
            sent += 1
            threading.Event().wait(max(0.0, begin + sent / RATE - time.monotonic()))  # the rate
        hostile.join()
        ordinary.join()
        refused = [reply for _, reply in ordinary.outcomes if reply != "accepted"]
        self.assertEqual([], refused, f"{self.mta.log()[-2000:]}\n{self.daemon.log()[-2000:]}")
        harness.wait_until(lambda: len(self.sink.messages()) >= sent, 120, "ordinary mail is delivered")
        self.report(ordinary, hostile)
        unfiltered = [message for message in self.sink.messages() if b"\nX-Shingled-Status: Yes" not in message]
        self.assertEqual(0, len(unfiltered), f"of {sent} ordinary messages passed unfiltered\n{self.mta.log()[-3000:]}")
        peak = status_bytes(self.daemon.process.pid, "VmHWM")
        if not harness.has_sanitizer():  # which has a memory of its own
            self.assertLess(peak, MEMORY_MAX, "bytes of memory")

    def report(self, ordinary, hostile):
        delays = sorted(seconds for seconds, _ in ordinary.outcomes)
        pid = self.daemon.process.pid
        accepted = sum(reply == "accepted" for _, reply in hostile.outcomes)
        print(f"{len(delays)} ordinary messages: median {statistics.median(delays):.2f} s, "
              f"p99 {delays[int(0.99 * (len(delays) - 1))]:.2f} s, longest {delays[-1]:.2f} s; "
              f"{HOSTILE} hostile of {SIZES}: {accepted} accepted, longest {max(s for s, _ in hostile.outcomes):.1f} s; "
              f"the daemon: peak {status_bytes(pid, 'VmHWM') >> 20} MB, now {status_bytes(pid, 'VmRSS') >> 20} MB, "
              f"{time.clock_gettime((~pid << 3) | 2):.1f} s of processor time", file=sys.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
