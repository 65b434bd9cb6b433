"""Interoperability with the real rspamd, both ways, plain and encrypted: its plug-in learns and finds in our storage,
our commands learn and find in its storage."""

import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import unittest

import harness
import rspamd

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "samples"
OFFER = (SAMPLES / "1-offer.eml").read_bytes()
AGAIN = (SAMPLES / "2-offer-again.eml").read_bytes()
LETTER = (SAMPLES / "3-letter.eml").read_bytes()
# Test-only keys, made by `rspamadm keypair`.
PUBLIC = "qeypz5xikdowe74odkwoyagxbhnekitbeb1x4krdmazbfuqzczcy"
PRIVATE = "auodnhq1bjwmecdrqk9axxu4788oj8zrm9tozkj6gxc57zemkg1y"


class Interop(unittest.TestCase):
    def setUp(self):
        reason = rspamd.missing()
        if reason:
            self.skipTest(reason)
        self.tmp = harness.temporary_folder(self)

    def check_our_storage(self, overrides, key):
        daemon = self.enterContext(harness.Daemon(self.tmp, overrides=overrides))
        peer = self.enterContext(rspamd.Rspamd(self.tmp, servers=f"127.0.0.1:{daemon.fuzzy_port}", encryption_key=key))
        self.assertEqual({}, peer.symbols(OFFER), peer.log())

        answer = peer.add(OFFER, 11, 20)
        self.assertTrue(answer["success"], answer)
        # Durable before it acknowledges: the very next question must find it.
        exact = peer.symbols(OFFER)
        self.assertIn(":1.00:txt", exact["FUZZY_DENIED"][0], peer.log())
        near = peer.symbols(AGAIN)
        self.assertRegex(near["FUZZY_DENIED"][0], r"^11:[0-9a-f]{10}:0\.\d\d:txt$")
        self.assertEqual({}, peer.symbols(LETTER))

        # What rspamd taught is what our own eyes see, and the other way round.
        ours = json.loads(daemon.run("check", "--json", stdin=OFFER).stdout)
        self.assertIn(answer["hashes"][0], json.dumps(ours))
        self.assertEqual(0, daemon.run("del", "--flag", "denied", stdin=OFFER).returncode)
        self.assertEqual({}, peer.symbols(OFFER))
        self.assertEqual(0, daemon.run("add", "--flag", "prob", "--weight", "10", stdin=OFFER).returncode)
        self.assertIn("FUZZY_PROB", peer.symbols(AGAIN))

        # It knows no robust hash, but what it takes back is gone.
        self.assertTrue(peer.delete(OFFER, 12)["success"])
        self.assertEqual({}, peer.symbols(OFFER))
        self.assertNotIn('"hit"', daemon.run("check", "--json", stdin=AGAIN).stdout)

    def test_rspamd_uses_our_storage_in_the_clear(self):
        self.check_our_storage([], None)

    def test_rspamd_uses_our_storage_encrypted(self):
        keypair = f"storage.keypair={{pubkey: {PUBLIC}, privkey: {PRIVATE}}}"
        self.check_our_storage([keypair, "storage.encrypted_only=true"], PUBLIC)

    def test_rspamd_is_refused_where_updates_are_not_allowed(self):
        daemon = self.enterContext(harness.Daemon(self.tmp, overrides=["storage.allow_update=[192.0.2.1]"]))
        peer = self.enterContext(rspamd.Rspamd(self.tmp, servers=f"127.0.0.1:{daemon.fuzzy_port}"))
        peer.add(OFFER, 11, 20)
        self.assertEqual({}, peer.symbols(OFFER))

    def check_their_storage(self, key):
        keypair = (PUBLIC, PRIVATE) if key else None
        peer = self.enterContext(rspamd.Rspamd(self.tmp, keypair=keypair, encryption_key=PUBLIC if key else None))
        where = ["--server", f"127.0.0.1:{peer.fuzzy_port}"] + (["--key", PUBLIC] if key else [])

        def ours(command, *args, message=OFFER):
            return harness.run(command, *where, *args, stdin=message)

        def found(message):
            answer = json.loads(ours("check", "--json", message=message).stdout)
            return "FUZZY_DENIED" in json.dumps(answer)

        done = ours("add", "--flag", "denied", "--weight", "20")
        self.assertEqual(0, done.returncode, done.stderr)
        harness.wait_until(lambda: found(OFFER), 30, "rspamd's storage to flush our update")
        self.assertTrue(found(AGAIN))
        self.assertFalse(found(LETTER))
        self.assertIn("FUZZY_DENIED", peer.symbols(AGAIN))

        stat = ours("stat", "--json")
        self.assertEqual(0, stat.returncode, stat.stderr)
        # Its deletion knows no list: it would be one from all of them.
        refused = ours("del", "--flag", "denied")
        self.assertEqual(64, refused.returncode, refused.stderr)
        self.assertIn("is not shingled", refused.stderr)
        self.assertTrue(found(OFFER))
        done = ours("del", "--flag", "denied", "--all-lists")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"-: \d hash(es)? deleted: denied \(11\) weight 20\n")
        harness.wait_until(lambda: not found(OFFER), 30, "rspamd's storage to forget the digest")

    def test_we_use_the_storage_of_rspamd_in_the_clear(self):
        self.check_their_storage(key=False)

    def test_we_use_the_storage_of_rspamd_encrypted(self):
        self.check_their_storage(key=True)


class Readme(unittest.TestCase):
    """The rule that README has for rspamd, where its users put it: beside the distribution's own configuration."""

    def test_the_rule_works_in_local_d(self):
        if not shutil.which("rspamadm") or not pathlib.Path("/etc/rspamd/modules.d/fuzzy_check.conf").exists():
            self.skipTest("the package rspamd is not installed")
        readme = (SAMPLES.parents[1] / "README.md").read_text()
        place = re.search(r"`local\.d/fuzzy_check\.conf`:\n\n((?:    .*\n)+)", readme)
        folder = harness.temporary_folder(self) / "local.d"
        folder.mkdir()
        (folder / "fuzzy_check.conf").write_text(place.group(1))
        done = subprocess.run(["rspamadm", f"--var=LOCAL_CONFDIR={folder.parent}", "configdump", "--json", "fuzzy_check"],
                              capture_output=True, text=True, timeout=120, check=True)
        section = json.loads(done.stdout[done.stdout.index("{"):])
        self.assertNotIn("fuzzy_check", section, "the file is the inside of the section")
        self.assertEqual("127.0.0.1:11335", section["rule"]["local"]["servers"])
        self.assertEqual(11, section["rule"]["local"]["fuzzy_map"]["FUZZY_DENIED"]["flag"])


class Database(unittest.TestCase):
    """The database file of rspamd's storage (backend sqlite): what it wrote we take, what we write it takes."""

    def setUp(self):
        reason = rspamd.missing()
        if reason:
            self.skipTest(reason)
        self.tmp = harness.temporary_folder(self)

    def settings(self, hashfile):
        return ["-o", f"storage.hashfile={hashfile}", "-o", "storage.expire=0"]

    def check(self, peer, message):
        """The best answer of rspamd's own storage: (flag, value, prob)."""
        done = harness.run("check", "--json", "--server", f"127.0.0.1:{peer.fuzzy_port}", stdin=message)
        hits = [one for one in json.loads(done.stdout)["lookups"] if one["result"] == "hit"]
        return max(((one["flag"], one["value"], one["prob"]) for one in hits), key=lambda hit: hit[2], default=None)

    def test_rspamd_answers_from_a_database_that_we_exported(self):
        daemon = self.enterContext(harness.Daemon(self.tmp, overrides=["rules.local.robust=false"]))
        # The offer last: where likenesses meet, rspamd's backend sqlite answers with the newest row, not the best one.
        for flag, weight, message in (("12", "5", LETTER), ("11", "20", OFFER), ("12", "7", OFFER)):
            self.assertEqual(0, daemon.run("add", "--flag", flag, "--weight", weight, stdin=message).returncode)
        peer = rspamd.Rspamd(self.tmp)
        done = daemon.run("export", "--format", "rspamd", peer.folder / "fuzzy.db")  # of a running daemon
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("1 hash is on more than one list", done.stderr)
        with peer:
            self.assertEqual((11, 20, 1.0), self.check(peer, OFFER))
            flag, value, prob = self.check(peer, AGAIN)
            self.assertEqual((11, 20), (flag, value))
            self.assertTrue(0.5 < prob < 1, prob)
            self.assertEqual((12, 5, 1.0), self.check(peer, LETTER))
            self.assertIn("FUZZY_DENIED", peer.symbols(AGAIN))
            # And it goes on from there: it counts up, deletes with all shingles, adds.
            self.assertTrue(peer.add(LETTER, 12, 2)["success"])
            harness.wait_until(lambda: self.check(peer, LETTER) == (12, 7, 1.0), 30, "rspamd to add to our row")
            self.assertTrue(peer.delete(OFFER, 11)["success"])
            harness.wait_until(lambda: self.check(peer, AGAIN) is None, 30, "rspamd to delete our row")
            self.assertTrue(peer.add(OFFER, 11, 1)["success"])
            harness.wait_until(lambda: self.check(peer, AGAIN), 30, "rspamd to learn it anew")

    def test_we_answer_from_a_database_that_rspamd_wrote(self):
        peer = rspamd.Rspamd(self.tmp)
        hashfile = self.tmp / "fuzzy.db"
        with peer:
            for message, flag, weight in ((OFFER, 11, 20), (LETTER, 12, 5), (LETTER, 12, 3)):
                self.assertTrue(peer.add(message, flag, weight)["success"])
            harness.wait_until(lambda: self.check(peer, LETTER) == (12, 8, 1.0), 30, "rspamd to flush")
            done = harness.run("import", *self.settings(hashfile), peer.folder / "fuzzy.db")  # rspamd runs on
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("2 hashes added", done.stdout)
        self.assertEqual(0, harness.run("verify", *self.settings(hashfile)).returncode)
        daemon = self.enterContext(harness.Daemon(self.tmp, overrides=["rules.local.robust=false"]))
        for message, expected in ((OFFER, (11, 20)), (AGAIN, (11, 20)), (LETTER, (12, 8))):
            found, = json.loads(daemon.run("check", "--json", stdin=message).stdout)["lookups"]
            self.assertEqual(("hit", *expected), (found["result"], found["flag"], found["value"]))
        # The way back gives rspamd the tables it had.
        daemon.stop()
        back = self.tmp / "back.db"
        self.assertEqual(0, harness.run("export", *self.settings(hashfile), "--format", "rspamd", back).returncode)
        for query in ("SELECT flag, CAST(digest AS BLOB), typeof(digest), value, time FROM digests ORDER BY digest",
                      "SELECT s.value, number, CAST(digest AS BLOB) FROM shingles s JOIN digests d ON d.id = digest_id"
                      " ORDER BY s.value, number"):
            theirs, ours = (sqlite3.connect(path) for path in (peer.folder / "fuzzy.db", back))
            self.assertEqual(theirs.execute(query).fetchall(), ours.execute(query).fetchall())
            theirs.close()
            ours.close()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
