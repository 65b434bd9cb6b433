"""Real mail, all of ../shared/corpus, through the milter and through the command line: nothing crashes, nothing hangs,
every message gets its verdict and its one log line. Prints the five slowest messages. What is taught from files is found
in the same mail by SMTP: every SHINGLED_CORPUS_STEP-th message through a real Postfix (1: all of them)."""

import json
import os
import pathlib
import re
import socket
import sys
import time
import unittest

import harness
from mta import Postfix, SmtpSink

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"
sys.path.insert(0, str(ROOT / "packaging"))

from milter_client import MilterClient  # noqa: E402 (needs the path above)

EX_DATAERR = 65
STEP = int(os.environ.get("SHINGLED_CORPUS_STEP", "12"))


def bare_returns(content):
    """Carriage returns that end no line: every mail server has its own idea of them."""
    return re.search(rb"\r(?!\r*\n)", content) is not None


def send_as_it_is(port, content):
    """One message by SMTP: no byte is changed but that its lines end in CRLF. The reply to its end."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection, \
            connection.makefile("rb") as replies:
        def say(line):
            connection.sendall(line + b"\r\n")
            return reply()

        def reply():
            line = replies.readline()
            while line[3:4] == b"-":
                line = replies.readline()
            return line.decode(errors="replace")

        reply()
        for line in (b"HELO client.example.net", b"MAIL FROM:<sender@example.net>", b"RCPT TO:<user@example.org>", b"DATA"):
            answer = say(line)
            if answer[:1] not in "23":
                raise AssertionError(answer)
        lines = re.sub(rb"\r*\n", b"\r\n", content)
        if not lines.endswith(b"\r\n"):
            lines += b"\r\n"
        return say(re.sub(rb"(?m)^\.", b"..", lines) + b".")


@unittest.skipUnless(CORPUS.is_dir(), f"{CORPUS} is not here")
class Corpus(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.files = sorted(CORPUS.rglob("*.eml"))

    def test_every_message_gets_its_verdict_from_the_milter(self):
        daemon = self.enterContext(harness.Daemon(self.tmp))
        client = MilterClient(f"127.0.0.1:{daemon.milter_port}")
        self.addCleanup(client.socket.close)
        times = []
        for number, path in enumerate(self.files):
            begin = time.perf_counter()
            try:
                outcome = client.send(path.read_bytes(), queue_id=f"C{number}")
            except OSError as failure:
                self.fail(f"{path}: {failure}\n{daemon.log()[-4000:]}")
            times.append((time.perf_counter() - begin, path.relative_to(CORPUS)))
            self.assertEqual("accept", outcome.action, path)
        client.close()
        judged = re.findall(r"message queue_id=C\d+ action=pass", daemon.log())
        self.assertEqual(len(self.files), len(judged))
        for seconds, path in sorted(times, reverse=True)[:5]:
            print(f"slow: {seconds * 1000:.1f} ms  {path}", file=sys.stderr)
        self.assertEqual(0, daemon.stop(), daemon.log()[-4000:])

    def test_every_message_has_a_line_of_hashes(self):
        done = harness.run("hash", "--json", CORPUS)
        self.assertIn(done.returncode, (0, EX_DATAERR), done.stderr[-4000:])
        named = {json.loads(line)["file"] for line in done.stdout.splitlines()}
        self.assertLessEqual({str(path) for path in self.files}, named)

    @unittest.skipIf(Postfix.missing(), Postfix.missing())
    def test_what_is_taught_from_files_is_found_in_the_mail(self):
        daemon = self.enterContext(harness.Daemon(self.tmp))
        sink = SmtpSink()
        self.addCleanup(sink.close)
        postfix = self.enterContext(Postfix(self.tmp, daemon.milter_port, sink.port, main_cf=[
            "message_size_limit = 0", "mailbox_size_limit = 0", "header_size_limit = 10000000"]))
        taught = []
        for begin in range(0, len(self.files[::STEP]), 100):
            done = daemon.run("add", "--json", "--force", "--flag", "denied", "--weight", "20",
                              *self.files[::STEP][begin:begin + 100])
            self.assertIn(done.returncode, (0, EX_DATAERR), done.stderr)
            answers = [json.loads(line) for line in done.stdout.splitlines()]
            taught += [pathlib.Path(answer["file"]) for answer in answers if answer["result"] == "added"]
        refused, marked, passed, bare = 0, [], [], []
        for path in taught:
            content = path.read_bytes()
            reply = send_as_it_is(postfix.port, content)
            queued = re.search(r"queued as (\w+)", reply)
            if reply.startswith("550 5.7.1"):
                refused += 1
            elif queued and re.search(rf"queue_id={queued[1]} action=add_header", daemon.log()):
                marked.append(path.name)
            else:
                (bare if bare_returns(content) else passed).append(f"{path.name}: {reply.strip()}")
        print(f"taught from files: {len(taught)}, refused {refused}, marked {len(marked)} {marked}, "
              f"passed {len(passed)}, with bare CR {bare}", file=sys.stderr)
        self.assertEqual([], passed)
        self.assertGreater(refused, 0.95 * len(taught))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
