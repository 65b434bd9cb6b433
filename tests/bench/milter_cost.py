#!/usr/bin/env python3
"""What counters, rules and history add to a message in the milter: processor time of the daemon and time of the client
for each message, over the corpus, through the milter protocol. Both daemons run at once and get the messages in turns, so
that other work on the machine hits both.

    SHINGLED_BINARY=build/release/milter/shingled tests/bench/milter_cost.py [--passes N] [--corpus DIR]

With --against it compares another binary, such as one of an earlier version, everything at its default:

    ... --against BINARY [--unknown KEY...]     KEY: an option that the other binary does not have
"""

import argparse
import os
import pathlib
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(REPOSITORY / "tests" / "e2e"))
sys.path.insert(0, str(REPOSITORY / "packaging"))
import harness  # noqa: E402 (needs the path above)
import milter_client  # noqa: E402

WAYS = {
    "without": ["counters.enabled=no", "history.enabled=no"],
    "counters": ["history.enabled=no"],
    "counters, rules": ["history.enabled=no", f"policy.files=[{REPOSITORY}/packaging/policy.yaml]", "policy.live=[all]"],
    "counters, rules, history": [f"policy.files=[{REPOSITORY}/packaging/policy.yaml]", "policy.live=[all]"],
}


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class OtherDaemon(harness.Daemon):
    """One that does not have all options of the test harness."""

    unknown = ()

    @property
    def overrides(self):
        pairs = zip(*[iter(super().overrides)] * 2)
        return [word for pair in pairs if pair[1].partition("=")[0] not in self.unknown for word in pair]


class Way:
    together = False

    def __init__(self, folder, overrides, binary=None):
        folder.mkdir()
        kind = harness.Daemon if binary is None else OtherDaemon
        self.daemon = kind(folder, overrides=overrides, binary=binary)
        self.daemon.start()
        self.client = milter_client.MilterClient(f"127.0.0.1:{self.daemon.milter_port}", together=Way.together)
        self.waited = 0.0
        self.sent = 0

    def send(self, message, number):
        begun = time.monotonic()
        self.client.send(message, sender=f"sender{number % 97}@example.net", queue_id=f"Q{number}")
        self.waited += time.monotonic() - begun
        self.sent += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--corpus", type=pathlib.Path, default=REPOSITORY.parent / "shared" / "corpus")
    parser.add_argument("--together", action="store_true", help="write as Postfix does, not as Sendmail")
    parser.add_argument("--against", metavar="BINARY")
    parser.add_argument("--unknown", metavar="KEY", nargs="*", default=[])
    args = parser.parse_args()
    OtherDaemon.unknown = args.unknown
    Way.together = args.together
    files = sorted(path for path in args.corpus.rglob("*") if path.suffix == ".eml")
    if not files:
        sys.exit(f"milter_cost.py: no messages (*.eml) below {args.corpus}")
    messages = [path.read_bytes() for path in files]
    with tempfile.TemporaryDirectory(prefix="shingled-cost-") as folder:
        ways = {}
        try:
            compared = {name: (overrides, None) for name, overrides in WAYS.items()}
            if args.against:
                compared = {"the other binary": ([], args.against), "this binary": ([], None)}
            for name, (overrides, binary) in compared.items():
                ways[name] = Way(pathlib.Path(folder) / str(len(ways)), overrides, binary)
            for message in messages[:100]:  # what is done once
                for way in ways.values():
                    way.send(message, 0)
            before = {name: (processor_seconds(way.daemon.process.pid), way.waited, way.sent) for name, way in ways.items()}
            for turn in range(args.passes):
                for number, message in enumerate(messages):
                    for way in ways.values():
                        way.send(message, turn * len(messages) + number)
            print(f"{len(messages)} messages, {args.passes} times each")
            first = None
            for name, way in ways.items():
                seconds, waited, sent = before[name]
                used = (processor_seconds(way.daemon.process.pid) - seconds) / (way.sent - sent) * 1e6
                wait = (way.waited - waited) / (way.sent - sent) * 1e6
                first = first or (used, wait)
                print(f"{name:26} {used:7.0f} us of processor ({used / first[0]:.2f}), "
                      f"{wait:7.0f} us for the client ({wait / first[1]:.2f})")
        finally:
            for way in ways.values():
                way.daemon.stop()


if __name__ == "__main__":
    main()
