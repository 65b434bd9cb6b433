"""Interoperability with the real rspamd, both ways, plain and encrypted: its plug-in learns and finds in our storage,
our commands learn and find in its storage."""

import json
import pathlib
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

        self.assertTrue(peer.delete(OFFER, 12)["success"])
        self.assertEqual({}, peer.symbols(OFFER))

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
        self.assertEqual(0, ours("del", "--flag", "denied").returncode)
        harness.wait_until(lambda: not found(OFFER), 30, "rspamd's storage to forget the digest")

    def test_we_use_the_storage_of_rspamd_in_the_clear(self):
        self.check_their_storage(key=False)

    def test_we_use_the_storage_of_rspamd_encrypted(self):
        self.check_their_storage(key=True)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
