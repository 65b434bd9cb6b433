#!/usr/bin/env python3
"""Mail at a fixed rate with and without requests to the API beside it: what a message waits for its verdict. The requests are
of all routes that only read and need no argument, by the OpenAPI document (without the export of all counters), of single
messages and of scans, on connections that stay open; with --pages also readers of the event stream, as an open page has one.
The rounds with and without take turns, so that other work on the machine hits both.

    tests/bench/http_load.py [--mail 1000] [--requests 500] [--pages 0] [--seconds 20] [--rounds 3] [--corpus DIR]

Needs build/release (shingled, mail_rate). One line a round, and the medians with their ratio.
"""

import argparse
import collections
import http.client
import itertools
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))
import harness  # noqa: E402 (needs the path above)

CLIENTS = 4
DIRECT = {"X-Shingled": "1"}
STREAM = "/api/1/events"
NOT_ASKED = (STREAM, "/api/1/counters/export")  # of other kinds: the one lasts, the other is all counters


def reading_routes(connection):
    connection.request("GET", "/api/1/openapi.json")
    document = json.load(connection.getresponse())
    out = []
    for path, methods in document["paths"].items():
        needed = any(one.get("required") for one in methods.get("get", {}).get("parameters", []))
        if "get" in methods and not needed and "{" not in path and path not in NOT_ASKED:
            out.append(path)
    return out


def stand_aside():
    """The thread stands for another machine, so it only takes what the daemon leaves of this one."""
    os.sched_setscheduler(threading.get_native_id(), os.SCHED_IDLE, os.sched_param(0))


class Client(threading.Thread):
    """One connection that asks at its share of the rate until it is told to stop."""

    def __init__(self, load, number):
        super().__init__(daemon=True)
        self.load, self.random = load, random.Random(number)
        self.waits, self.statuses = [], collections.Counter()

    def run(self):
        stand_aside()
        connection = self.load.connect()
        pause = CLIENTS / self.load.rate
        due = time.monotonic() + self.random.random() * pause
        while not self.load.stop.wait(max(0, due - time.monotonic())):
            method, target, body, fields = self.random.choice(self.load.requests)
            connection.request(method, target, body=body, headers=fields)
            answer = connection.getresponse()
            answer.read()
            self.waits.append(time.monotonic() - due)
            self.statuses[answer.status] += 1
            due += pause


class Page(threading.Thread):
    """Reads the events, as a browser does."""

    def __init__(self, load):
        super().__init__(daemon=True)
        self.load, self.bytes = load, 0

    def run(self):
        stand_aside()
        connection = self.load.connect()
        connection.request("GET", STREAM, headers=DIRECT)
        answer = connection.getresponse()
        while not self.load.stop.is_set() and (piece := answer.read1(65536)):
            self.bytes += len(piece)


class Load:
    def __init__(self, daemon, args, mails):
        self.daemon, self.rate, self.pages = daemon, args.requests, args.pages
        self.stop = threading.Event()
        connection = self.connect()
        self.requests = [("GET", path, None, DIRECT) for path in reading_routes(connection)]
        connection.request("GET", "/api/1/messages?most=20", headers=DIRECT)
        for message in json.load(connection.getresponse())["messages"]:
            self.requests.append(("GET", f"/api/1/messages/{message['id']}", None, DIRECT))
        for mail in mails[:5]:
            self.requests.append(("POST", "/api/1/scan", mail.read_bytes(), {**DIRECT, "Content-Type": "message/rfc822"}))

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.daemon.status_port, timeout=30)

    def __enter__(self):
        self.clients = [Client(self, number) for number in range(CLIENTS if self.rate else 0)]
        self.readers = [Page(self) for _ in range(self.pages)]
        for thread in itertools.chain(self.clients, self.readers):
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for client in self.clients:
            client.join()

    def told(self):
        waits = sorted(itertools.chain.from_iterable(client.waits for client in self.clients))
        statuses = sum((client.statuses for client in self.clients), collections.Counter())
        if not waits:
            return f"events {sum(page.bytes for page in self.readers) >> 10} KB"
        return (f"{len(waits)} requests, p50 {1e3 * waits[len(waits) // 2]:.1f} ms, p99 {1e3 * waits[len(waits) * 99 // 100]:.1f} ms, "
                f"{dict(sorted(statuses.items()))}, events {sum(page.bytes for page in self.readers) >> 10} KB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build/release", type=pathlib.Path)
    parser.add_argument("--mail", default=1000, type=int, help="messages a second (default: %(default)s)")
    parser.add_argument("--requests", default=500, type=int, help="a second, 0 for none (default: %(default)s)")
    parser.add_argument("--pages", default=0, type=int, help="readers of the events (default: %(default)s)")
    parser.add_argument("--seconds", default=20, type=int, help="of each round (default: %(default)s)")
    parser.add_argument("--rounds", default=3, type=int, help="with and without (default: %(default)s)")
    parser.add_argument("--corpus", default=ROOT.parent / "shared/corpus", type=pathlib.Path)
    args = parser.parse_args()
    mails = sorted(args.corpus.rglob("*.eml"))[:2000]
    if not mails:
        sys.exit(f"http_load.py: no mail in {args.corpus}")
    with tempfile.TemporaryDirectory(prefix="shingled-http-") as name:
        folder = pathlib.Path(name)
        socket = folder / "milter.sock"
        daemon = harness.Daemon(folder, binary=args.build.resolve() / "milter/shingled",
                                overrides=[f"milter.socket=unix:{socket}"])
        daemon.start()
        try:
            run(daemon, socket, mails, args)
        finally:
            daemon.stop()


def mail(args, socket, mails, seconds):
    done = subprocess.run([args.build.resolve() / "tests/bench/mail_rate", socket, str(args.mail), str(seconds), "8", *mails],
                          capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(f"mail_rate: {done.stderr}")
    return json.loads(done.stdout)


def run(daemon, socket, mails, args):
    mail(args, socket, mails, 3)  # warms up, and fills the history
    rounds = {"without": [], "with": []}
    for number, kind in itertools.product(range(args.rounds), rounds):
        if kind == "with":
            with Load(daemon, args, mails) as load:
                result = mail(args, socket, mails, args.seconds)
            print(f"{number + 1}  with     {result}\n   {load.told()}", flush=True)
        else:
            result = mail(args, socket, mails, args.seconds)
            print(f"{number + 1}  without  {result}", flush=True)
        rounds[kind].append(result)
    for key in ("p50_us", "p99_us"):
        without, with_load = ([one[key] for one in rounds[kind]] for kind in rounds)
        pairs = [b / a for a, b in zip(without, with_load)]
        print(f"{key}: {statistics.median(without):.0f} without, {statistics.median(with_load):.0f} with: "
              f"{statistics.median(with_load) / statistics.median(without):.2f}; pairs of rounds {min(pairs):.2f} to "
              f"{max(pairs):.2f}, median {statistics.median(pairs):.2f}")


if __name__ == "__main__":
    main()
