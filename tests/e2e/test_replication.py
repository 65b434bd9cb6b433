# Covers milter/cli/commands/stores_command.cpp.
"""Two masters that mirror each other and two mirrors of both: connections cut at any byte, restarts and kill -9 under write
load. After each blow all four stores hold the same within seconds, and no weight is missing or there twice.

    SHINGLED_BINARY=build/release/milter/shingled tests/e2e/test_replication.py

$SHINGLED_CUTS sets how often (default 4; the long run is 100), $SHINGLED_SEED repeats a run.
"""

import json
import os
import random
import re
import select
import socket
import sqlite3
import threading
import time
import unittest

import harness
import test_kill

CUTS = int(os.environ.get("SHINGLED_CUTS", "4"))
SEED = int(os.environ.get("SHINGLED_SEED", str(random.SystemRandom().randrange(1 << 32))))
LAG_SECONDS = 5
TEXTS = 64
IN_FLIGHT = 32
UPDATES_MOST = 1500  # in a round, at each master


def keypair():
    """(public, secret) from the program itself."""
    text = harness.run("keypair").stdout
    return tuple(re.search(rf'{name}\W+(\w+)', text)[1] for name in ("pubkey", "privkey"))


class Proxy:
    """A port that leads to another one, and can cut what goes through it after so many bytes."""

    def __init__(self, target):
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.cut_after = None  # bytes that still pass
        self.closed = False
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while not self.closed:
            if not select.select([self.listener], [], [], 0.2)[0]:
                continue
            caller = self.listener.accept()[0]
            try:
                called = socket.create_connection(("127.0.0.1", self.target), 2)
            except OSError:
                caller.close()
                continue
            with caller, called:
                self.carry({caller: called, called: caller})

    def carry(self, other):
        while not self.closed:
            for source in select.select(list(other), [], [], 0.2)[0]:
                try:
                    data = source.recv(65536)
                    if not data:
                        return
                    if self.cut_after is not None:
                        data, self.cut_after = data[:self.cut_after], self.cut_after - len(data)
                    other[source].sendall(data)
                except OSError:
                    return
                if self.cut_after is not None and self.cut_after <= 0:
                    self.cut_after = None
                    return

    def close(self):
        self.closed = True
        self.thread.join()
        self.listener.close()


def contents(daemon):
    """Everything a store holds, without the numbers of its rows."""
    with sqlite3.connect(f"file:{daemon.hashfile}?mode=ro", uri=True, timeout=10) as file:
        flags = {}
        for row, flag, value in file.execute("SELECT digest_id, flag, value FROM extra_flags"):
            flags.setdefault(row, []).append((flag, value))
        rows = {digest: (time, created, source, shingles, sorted([(flag, value)] + flags.get(row, [])))
                for row, flag, value, digest, time, created, source, shingles in file.execute(
                    "SELECT id, flag, value, digest, time, created, source, shingle_set FROM digests")}
    file.close()
    return rows


def exported(daemon):
    """The same as the program itself tells it: the hashes of `export`, sorted."""
    done = daemon.run("export")
    assert done.returncode == 0, done.stderr
    return sorted(line for line in done.stdout.splitlines() if '"digest"' in line)


class Replication(unittest.TestCase):
    def setUp(self):
        print(f"SHINGLED_SEED={SEED} SHINGLED_CUTS={CUTS}", flush=True)
        self.rng = random.Random(SEED)
        keys = {name: keypair() for name in ("m1", "m2", "x1", "x2")}
        ports = {name: harness.free_port() for name in keys}
        self.proxies = []
        self.daemons = {}
        for name, (public, secret) in keys.items():
            masters = [other for other in ("m1", "m2") if other != name]
            mirrors = [other for other in keys if other != name] if name in ("m1", "m2") else []
            entries = []
            for mirror in mirrors:
                proxy = Proxy(ports[mirror])
                self.addCleanup(proxy.close)
                self.proxies.append(proxy)
                entries.append(f"{{name: {mirror}, hosts: '127.0.0.1:{proxy.port}', key: {keys[mirror][0]}}}")
            daemon = harness.Daemon(harness.temporary_folder(self), overrides=[
                f"storage.sync_keypair={{pubkey: {public}, privkey: {secret}}}",
                "storage.masters=127.0.0.0/8", "storage.master_timeout=3s", "storage.journal_max=2000",
                f"storage.master_key=[{', '.join(keys[other][0] for other in masters)}]",
                f"storage.replication_listen=127.0.0.1:{ports[name]}", f"storage.mirror=[{', '.join(entries)}]"])
            self.addCleanup(daemon.kill9)
            self.daemons[name] = daemon
        for daemon in self.daemons.values():
            daemon.start()
        self.masters = [self.daemons["m1"], self.daemons["m2"]]
        self.clients = [test_kill.Client(daemon.fuzzy_port, self.rng) for daemon in self.masters]
        for client in self.clients:
            self.addCleanup(client.socket.close)

    def load(self, texts, most):
        """Both masters are taught, the same texts and some of their own."""
        until = [client.answered + self.rng.randrange(most) for client in self.clients]
        while any(client.answered < end for client, end in zip(self.clients, until)):
            for client in self.clients:
                while len(client.waiting) < IN_FLIGHT:
                    client.update(self.rng.choice(texts))
                client.resend()
                client.receive(0.01)

    def blow(self):
        """Something happens to somebody."""
        victim = self.rng.choice(list(self.daemons.values()))
        kind = self.rng.choice(("cut", "cut all", "kill", "restart"))
        if kind == "cut":
            self.rng.choice(self.proxies).cut_after = self.rng.randrange(1, 30_000)
        elif kind == "cut all":
            for proxy in self.proxies:
                proxy.cut_after = self.rng.randrange(1, 1_000)
        elif kind == "kill":
            victim.kill9()
        else:
            victim.stop()
        return kind, victim

    def all_equal(self):
        try:
            first, *others = [contents(daemon) for daemon in self.daemons.values()]
        except sqlite3.OperationalError:
            return False
        return all(other == first for other in others)

    def test_all_stores_agree_after_every_blow(self):
        texts = [test_kill.Text(self.rng) for _ in range(TEXTS)]
        slowest = 0
        for cut in range(CUTS):
            texts += [test_kill.Text(self.rng) for _ in range(8)]
            self.load(texts, UPDATES_MOST)
            kind, victim = self.blow()
            if victim.process is not None:
                self.load(texts, UPDATES_MOST)
            elif victim not in self.masters:
                self.load(texts, 2 * UPDATES_MOST)
                victim.start()
            else:
                victim.start()
            for client in self.clients:
                client.settle()
            healed = time.monotonic()
            harness.wait_until(self.all_equal, LAG_SECONDS, f"all stores equal, cut {cut}, {kind}, seed {SEED}")
            slowest = max(slowest, time.monotonic() - healed)
        print(f"{CUTS} blows, {sum(client.answered for client in self.clients)} updates, "
              f"slowest heal {slowest:.2f} s", flush=True)
        stored = contents(self.masters[0])
        self.assertEqual({text.digest: text.value for text in texts if text.value},
                         {digest: row[4][0][1] for digest, row in stored.items()})
        first = exported(self.masters[0])
        self.assertEqual(len(first), len(stored))
        for daemon in self.daemons.values():
            self.assertEqual(exported(daemon), first)
            self.assertEqual(daemon.run("verify").returncode, 0)

    def test_a_delete_at_one_master_is_a_delete_everywhere(self):
        texts = [test_kill.Text(self.rng) for _ in range(8)]
        self.load(texts, 300)
        for client in self.clients:
            client.settle()
        harness.wait_until(self.all_equal, LAG_SECONDS, "all stores equal")
        client = self.clients[0]
        for text in texts[:4]:
            client.tag += 1
            client.waiting[client.tag] = [text.packet(test_kill.DEL, 0, client.tag), 0]
        client.settle()
        gone = {text.digest for text in texts[:4]}

        def followed():  # as of the last second
            stat = json.loads(self.daemons["m1"].run("stat", "--json").stdout)["status"]["metrics"]
            return {sample["labels"]["peer"] for sample in stat["shingled_replication_following"] if sample["value"]}

        harness.wait_until(lambda: {"m2", "x1", "x2"} <= followed(), LAG_SECONDS, "what the links do is measured")
        harness.wait_until(lambda: self.all_equal() and not gone & set(contents(self.daemons["x2"])), LAG_SECONDS,
                           "deleted everywhere")
        self.assertEqual({text.digest for text in texts[4:] if text.value}, set(contents(self.masters[1])))

    def stores(self, daemon, *arguments):
        """(exit code, what `shingled stores` says, its errors)"""
        done = daemon.run("stores", *arguments)
        return done.returncode, done.stdout, done.stderr

    def test_the_command_stores_lists_and_forgets(self):
        texts = [test_kill.Text(self.rng) for _ in range(8)]
        self.load(texts, 300)
        for client in self.clients:
            client.settle()
        harness.wait_until(self.all_equal, LAG_SECONDS, "all stores equal")
        mirror = self.daemons["x1"]
        hashes = len(contents(mirror))

        def listed(daemon=mirror):
            code, out, error = self.stores(daemon, "--json")
            self.assertEqual((0, ""), (code, error))
            return [json.loads(line) for line in out.splitlines()]

        harness.wait_until(lambda: all(store["complete"] for store in listed() if not store["self"]), LAG_SECONDS,
                           "both masters are known as a whole")
        known = listed()
        masters = [store for store in known if not store["self"]]
        self.assertEqual({"name", "self", "hashes", "key", "configured", "complete"}, set(known[0]))
        self.assertEqual(2, len(masters))
        own = next(store for store in listed(self.masters[1]) if store["self"])
        self.assertIn(own["name"], {store["name"] for store in masters})
        self.assertIn("this file itself", self.stores(self.masters[1])[1])
        self.assertTrue(all(store["configured"] and store["key"] for store in masters), known)
        self.assertEqual(hashes, max(store["hashes"] for store in masters))
        code, out, _ = self.stores(mirror)
        self.assertEqual(0, code)
        for word in ("in master_key", *(store["name"] for store in known)):
            self.assertIn(word, out)

        gone, stays = masters
        wrong = {("--forget", "zz"): "no store begins like this", ("--dry-run",): "needs --forget"}
        for arguments, reason in wrong.items():
            code, _, error = self.stores(mirror, *arguments)
            self.assertEqual(64, code, arguments)
            self.assertIn(reason, error)
        code, out, error = self.stores(mirror, "--forget", gone["name"][:8], "--dry-run")
        self.assertEqual(0, code, error)
        self.assertIn("would be forgotten", out)
        self.assertIn("the store comes back", error + out, "its key is in master_key")
        self.assertEqual(known, listed(), "nothing has changed")
        code, _, error = self.stores(mirror, "--forget", gone["name"])
        self.assertEqual(75, code, "the daemon runs")
        self.assertIn("another shingled has it open", error)

        mirror.stop()
        code, out, error = self.stores(mirror, "--forget", gone["name"])
        self.assertEqual(0, code, error)
        self.assertIn("forgotten", out)
        self.assertEqual({stays["name"]}, {store["name"] for store in listed() if not store["self"]})
        self.assertEqual(mirror.run("verify").returncode, 0)
        mirror.start()  # its key is in master_key: it comes again, with all it has
        harness.wait_until(self.all_equal, 2 * LAG_SECONDS, "all stores equal again")
        self.assertEqual({gone["name"], stays["name"]}, {store["name"] for store in listed() if not store["self"]})


if __name__ == "__main__":
    unittest.main()
