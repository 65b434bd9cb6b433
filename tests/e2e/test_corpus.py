"""Real mail, all of ../shared/corpus, through the milter and through the command line: nothing crashes, nothing hangs,
every message gets its verdict and its one log line. Prints the five slowest messages."""

import json
import pathlib
import re
import sys
import time
import unittest

import harness

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"
sys.path.insert(0, str(ROOT / "packaging"))

from milter_client import MilterClient  # noqa: E402 (needs the path above)

EX_DATAERR = 65


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


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
