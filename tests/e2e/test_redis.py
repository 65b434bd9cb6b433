# Covers storage/open_store.cpp, milter/desk/servers/storage_choice.cpp,
# milter/cli/commands/import_command.cpp, milter/cli/commands/export_command.cpp,
# milter/transfer/hash_source.cpp.
"""One Redis database for the real rspamd and for us at the same time: each finds what the other one stored, nobody leaves
anything behind; hashes go out of it and into it."""

import json
import pathlib
import shutil
import subprocess
import sys
import unittest

import harness
import rspamd

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "samples"
OFFER = (SAMPLES / "1-offer.eml").read_bytes()
AGAIN = (SAMPLES / "2-offer-again.eml").read_bytes()
LETTER = (SAMPLES / "3-letter.eml").read_bytes()
SECONDS = 60

# Slots whose owner has no record.
ORPHANS = """local orphans = 0
for _, key in ipairs(redis.call('KEYS', '*')) do
  if string.find(key, '^fuzzy_%d+_%d+$') then
    if redis.call('EXISTS', 'fuzzy' .. redis.call('GET', key)) == 0 then orphans = orphans + 1 end
  end
end
return orphans"""
# Records and slots.
STORED = """local stored = 0
for _, key in ipairs(redis.call('KEYS', '*')) do
  if string.find(key, '^fuzzy_%d+_%d+$') or #key == 5 + 64 then stored = stored + 1 end
end
return stored"""


class Redis:
    """A redis-server of the test's own; `keeps` says what it writes to its disk: what is written outlives
    a kill without being synced."""

    def __init__(self, folder, keeps=("--appendonly", "yes", "--appendfsync", "no")):
        self.folder, self.port, self.keeps = folder, harness.free_port(), keeps
        self.process = None
        self.address = f"127.0.0.1:{self.port}"

    def __enter__(self):
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--save", "",
             *self.keeps], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        harness.wait_until(lambda: harness.answers_tcp(self.port), SECONDS, "redis-server answers")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def ask(self, *words):
        return subprocess.run(["redis-cli", "-p", str(self.port), *words], capture_output=True, check=True,
                              timeout=SECONDS).stdout.decode().strip()

    def count(self, script):
        return int(self.ask("EVAL", script, "0"))


def found(daemon, message):
    """What our storage has for a message: the probabilities of its hits."""
    answer = json.loads(daemon.run("check", "--json", stdin=message).stdout)
    return [lookup["prob"] for lookup in answer["lookups"] if lookup["result"] == "hit"]


class SharedDatabase(unittest.TestCase):
    def setUp(self):
        for program in ("redis-server", "redis-cli"):
            if not shutil.which(program):
                self.skipTest(f"{program} is not installed")
        self.tmp = harness.temporary_folder(self)
        self.redis = self.enterContext(Redis(self.tmp))
        # robust=false: one hash a message, as rspamd has it. 5s: a busy machine.
        self.daemon = self.enterContext(harness.Daemon(self.tmp, overrides=[
            "storage.backend=redis", f"storage.redis.servers={self.redis.address}", "storage.redis.timeout=5s",
            "rules.local.robust=false"]))

    def ours(self, code, *arguments, **options):
        done = self.daemon.run(*arguments, **options)
        self.assertEqual(code, done.returncode, f"{arguments}\n{done.stdout}\n{done.stderr}\n{self.daemon.log()}")
        return done.stdout

    def test_rspamd_and_we_share_it(self):
        reason = rspamd.missing()
        if reason:
            self.skipTest(reason)
        peer = self.enterContext(rspamd.Rspamd(self.tmp, redis=self.redis.address))

        self.ours(0, "add", "--flag", "denied", "--weight", "20", stdin=OFFER)
        self.assertIn(":1.00:txt", peer.symbols(OFFER)["FUZZY_DENIED"][0], peer.log())
        self.assertRegex(peer.symbols(AGAIN)["FUZZY_DENIED"][0], r"^11:[0-9a-f]{10}:0\.\d\d:txt$")

        self.assertEqual([], found(self.daemon, LETTER))
        self.assertTrue(peer.add(LETTER, 12, 10)["success"])
        harness.wait_until(lambda: found(self.daemon, LETTER) == [1.0], SECONDS, "we find what rspamd stored")

        # Both add to one list of one hash.
        self.assertTrue(peer.add(OFFER, 11, 5)["success"])
        harness.wait_until(lambda: '"value":25' in self.daemon.run("check", "--json", stdin=OFFER).stdout.replace(" ", ""),
                           SECONDS, "the weights add up")

        # We delete what both stored, by digest alone too: nothing stays behind.
        self.ours(0, "del", "--flag", "white", stdin=OFFER)
        self.ours(0, "del", "--flag", "denied", stdin=OFFER)
        self.assertEqual({}, peer.symbols(OFFER))
        self.assertEqual({}, peer.symbols(AGAIN))
        self.assertEqual(0, self.redis.count(ORPHANS))

        self.assertTrue(peer.delete(LETTER, 12)["success"])
        harness.wait_until(lambda: found(self.daemon, LETTER) == [], SECONDS, "rspamd deletes for us, too")
        self.assertEqual(0, self.redis.count(STORED))

    def test_updates_wait_while_redis_is_away(self):
        self.ours(0, "add", "--flag", "denied", stdin=OFFER)
        for flag in ("prob", "white"):
            self.ours(0, "add", "--flag", flag, stdin=OFFER)
        self.assertIn("1 hash deleted: white (13) weight 1; stays: denied (11) weight 1, prob (12) weight 1",
                      self.ours(0, "del", "--flag", "white", stdin=OFFER))
        self.redis.__exit__()
        self.ours(0, "add", "--flag", "denied", "--weight", "7", stdin=LETTER)
        # Nobody knows, which is no miss; and it is said at once.
        for command in ("check", "scan"):
            done = self.daemon.run(command, "--json", stdin=OFFER)
            self.assertEqual(69, done.returncode, done.stderr)
            answer = json.loads(done.stdout)
            self.assertEqual({"unreachable"}, {lookup["result"] for lookup in answer["lookups"]})
            self.assertRegex(done.stderr, "cannot tell: the storage behind it does not answer")
        self.assertIsNone(json.loads(self.daemon.run("check", "--json", stdin=OFFER).stdout)["found"])
        self.assertRegex(self.daemon.run("check", stdin=OFFER).stdout, r"0 of (\d+) look-ups found, \1 unknown\n")
        self.assertIn("failed", json.loads(self.daemon.run("scan", "--json", stdin=OFFER).stdout)["reason"])
        self.ours(0, "del", "--flag", "prob", stdin=OFFER)
        self.daemon.kill9()
        self.redis.__enter__()
        self.daemon.start()
        harness.wait_until(lambda: found(self.daemon, LETTER) == [1.0], SECONDS, "the journal is delivered")
        self.assertEqual([1.0], found(self.daemon, OFFER))
        offer, = json.loads(self.daemon.run("check", "--json", stdin=OFFER).stdout)["lookups"]
        self.assertEqual([11], [flag["flag"] for flag in offer["flags"]], "a deletion of one list waits as well")

    def test_hashes_go_out_and_in(self):
        self.ours(0, "add", "--flag", "denied", "--weight", "20", stdin=OFFER)
        self.ours(0, "add", "--flag", "prob", stdin=LETTER)
        out = self.tmp / "hashes.jsonl"
        self.ours(0, "export", out)  # backend redis: out of storage.redis
        rows = [json.loads(line) for line in out.read_text().splitlines()]
        self.assertEqual({"format": "shingled-hashes", "version": 1}, rows[0])
        self.assertEqual(2, len(rows) - 1)

        # Into a file of rspamd's SQLite backend, whose shingles are signed, and back: every slot is where it was.
        before = self.redis.count(STORED)
        self.ours(0, "export", "--format", "rspamd", self.tmp / "rspamd.db")
        self.redis.ask("FLUSHALL")
        self.assertEqual([], found(self.daemon, AGAIN))
        self.ours(0, "import", "--to-redis", f"redis://{self.redis.address}", self.tmp / "rspamd.db")
        self.assertEqual(before, self.redis.count(STORED))
        self.assertEqual(1, len(found(self.daemon, AGAIN)))
        self.assertEqual([1.0], found(self.daemon, LETTER))
        self.ours(0, "import", "--existing", "larger", out)
        self.assertEqual(before, self.redis.count(STORED))
        self.ours(64, "import", "--to-redis", "http://127.0.0.1", out)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
