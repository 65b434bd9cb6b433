"""kill -9 at any moment while programs count: every call with an answer is there once, one without an answer is there once
or not at all, and no unique pair counts twice.

    SHINGLED_BINARY=build/release/milter/shingled tests/e2e/test_counters_kill.py

$SHINGLED_KILLS sets how often (default 5; the long run is 500), $SHINGLED_SEED repeats its choices.
"""

import collections
import dataclasses
import http.client
import json
import os
import random
import socket
import threading
import time
import unittest

import harness

KILLS = int(os.environ.get("SHINGLED_KILLS", "5"))
SEED = int(os.environ.get("SHINGLED_SEED", str(random.SystemRandom().randrange(1 << 32))))
THREADS = 4
SHARED = 20            # pieces to which most calls add
SENDERS = 6            # of all time, besides those of one kill
RECIPIENTS = 40        # few, so that pairs come again and again
LEARN_EVERY = 40       # calls; these make sealed files at once
ASK_AT_ONCE = 1000
CHECK_ALL_EVERY = 50   # kills
LIVES = (0.0, 0.02, 0.1, 0.3, 1.0)  # seconds, from the ready daemon to the kill, at most
GIVE_UP_SECONDS = 120
SLOT_SECONDS, DAY_SECONDS = 600, 86400
MARGIN_SECONDS = 20    # no calls so near to the end of ten minutes, or it is not known where they count
WINDOWS = ["24h", "14d"]


class Connection(http.client.HTTPConnection):
    """HTTP on a unix socket, one connection for many calls."""

    def __init__(self, path):
        super().__init__("localhost", timeout=GIVE_UP_SECONDS)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)

    def post(self, page, body):
        self.request("POST", "/api/1" + page, json.dumps(body).encode(), {"X-Shingled": "1"})
        reply = self.getresponse()
        text = reply.read()
        if reply.status != 200:
            raise AssertionError(f"{page}: {reply.status} {text!r}")
        return json.loads(text)


@dataclasses.dataclass
class Call:
    """What one call adds. `own` pieces are of no other call."""

    time: int
    own: list
    shared: list
    pairs: list
    is_learnt: bool
    returned: bool = False

    def pieces(self):
        return [{"type": kind, "piece": piece} for kind, piece in [*self.own, *self.shared]] + \
            [{"type": "sender_recipient", "piece": list(pair)} for pair in self.pairs]

    def send(self, connection):
        body = {"pieces": self.pieces(), "add": {"mass": 1, "bytes": 100}}
        if self.is_learnt:
            connection.post("/counters/learn", {"additions": [{"time": self.time, **body}]})
        else:
            connection.post("/counters/add", body)
        self.returned = True


class Client(threading.Thread):
    """Makes calls one after the other until the daemon is gone."""

    def __init__(self, path, round_number, number, seed):
        super().__init__()
        self.path = path
        self.name = f"{round_number}-{number}"
        self.rng = random.Random(seed)
        self.calls = []
        self.failure = None

    def run(self):
        connection = Connection(self.path)
        try:
            while True:
                call = self.next_call()
                self.calls.append(call)
                call.send(connection)
        except (OSError, http.client.HTTPException):
            pass  # it was killed
        except Exception as failure:  # pylint: disable=broad-except
            self.failure = failure
        finally:
            connection.close()

    def next_call(self):
        number, rng = len(self.calls), self.rng
        senders = [f"r{self.name}@x", *(f"s{i}@x" for i in range(SENDERS))]
        pairs = {(rng.choice(senders), f"u{rng.randrange(RECIPIENTS)}@y") for _ in range(rng.randrange(4))}
        return Call(int(time.time()), [("link", f"{self.name}-{number}-{i}") for i in range(1 + rng.randrange(3))],
                    [("from", f"f{i}@x") for i in rng.sample(range(SHARED), rng.randrange(4))],
                    sorted(pairs), number % LEARN_EVERY == LEARN_EVERY - 1)


class Expected:
    """What the counters must say, by brute force."""

    def __init__(self):
        self.masses = collections.Counter()
        self.pairs_of_slots = set()
        self.pairs_of_days = set()
        self.own = []  # of all calls that are there

    def add(self, call):
        self.masses.update([*call.own, *call.shared])
        self.masses.update(("sender_recipient", pair) for pair in call.pairs)
        self.pairs_of_slots.update((call.time // SLOT_SECONDS, pair) for pair in call.pairs)
        self.pairs_of_days.update((call.time // DAY_SECONDS, pair) for pair in call.pairs)
        self.own.extend(call.own)

    def uniques(self, pairs):
        return collections.Counter(sender for _, (sender, _) in pairs)

    def shared(self):
        """Of everything but the own pieces: (type, piece) -> the masses of WINDOWS."""
        wanted = {key: [mass, mass] for key, mass in self.masses.items() if key[0] != "link"}
        by_slot, by_day = self.uniques(self.pairs_of_slots), self.uniques(self.pairs_of_days)
        wanted.update({("unique_recipients", sender): [by_slot[sender], by_day[sender]] for sender in by_day})
        return wanted


class Kill(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.socket = self.tmp / "counters.sock"
        self.daemon = harness.Daemon(self.tmp, overrides=["counters.sync=100ms"], http=[f"unix:{self.socket}"])
        self.addCleanup(self.daemon.kill9)
        self.expected = Expected()

    def ask(self, keys):
        """(type, piece) -> the masses of WINDOWS."""
        got = {}
        connection = Connection(self.socket)
        for at in range(0, len(keys), ASK_AT_ONCE):
            some = keys[at:at + ASK_AT_ONCE]
            answer = connection.post("/counters/ask", {"pieces": [{"type": kind, "piece": piece} for kind, piece in some],
                                                       "windows": WINDOWS})
            self.assertEqual(len(some), len(answer["counters"]))
            for key, counter in zip(some, answer["counters"]):
                self.assertTrue(counter["known"], key)
                got[key] = [sums.get("mass", 0) for sums in counter["sums"]]
        connection.close()
        return got

    def test_each_call_with_an_answer_is_there_once(self):
        print(f"SHINGLED_SEED={SEED} SHINGLED_KILLS={KILLS}", flush=True)
        rng = random.Random(SEED)
        begun = time.monotonic()
        counts = collections.Counter()
        self.daemon.start()
        for kill in range(1, KILLS + 1):
            calls = self.calls_until_a_kill(kill, rng)
            self.daemon.start()
            with self.subTest(kill=kill, seed=SEED):
                there = self.those_that_are_there(calls)
                for call in there:
                    self.expected.add(call)
                self.compare(self.expected.shared())
            unanswered = [call for call in calls if not call.returned]
            counts.update(calls=len(calls), unanswered=len(unanswered),
                          unanswered_there=sum(not call.returned for call in there))
            if kill % CHECK_ALL_EVERY == 0 or kill == KILLS:
                self.compare({key: [1, 1] for key in self.expected.own})
                self.assertNotRegex(self.daemon.log(), "counters_file_lost|counters_fail|counters_off|Sanitizer")
                print(f"{kill} kills in {time.monotonic() - begun:.0f} s, {dict(counts)}", flush=True)
        self.assertGreater(counts["calls"], counts["unanswered"])
        self.assertEqual(0, self.daemon.stop())

    def calls_until_a_kill(self, kill, rng):
        harness.wait_until(lambda: time.time() % SLOT_SECONDS < SLOT_SECONDS - MARGIN_SECONDS, 2 * MARGIN_SECONDS,
                           "the next ten minutes")
        clients = [Client(self.socket, kill, i, rng.randrange(1 << 32)) for i in range(THREADS)]
        life = rng.uniform(0, rng.choice(LIVES))
        for client in clients:
            client.start()
        clients[0].join(life)  # none ends before the daemon
        self.daemon.kill9()
        for client in clients:
            client.join()
            if client.failure:
                raise client.failure
        return [call for client in clients for call in client.calls]

    def those_that_are_there(self, calls):
        got = self.ask([key for call in calls for key in call.own])
        there = []
        for call in calls:
            own = [got[key] for key in call.own]
            self.assertIn(own, ([[1, 1]] * len(own), [[0, 0]] * len(own)), "a call is there once or not at all")
            if own[0] == [1, 1]:
                there.append(call)
            else:
                self.assertFalse(call.returned, f"{call} had an answer")
        return there

    def compare(self, wanted):
        if wanted:
            got = self.ask(list(wanted))
            self.assertEqual({}, {key: (value, got[key]) for key, value in wanted.items() if value != got[key]})


if __name__ == "__main__":
    unittest.main()
