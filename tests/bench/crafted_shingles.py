#!/usr/bin/env python3
"""The cost of shingles that an attacker with permission to write has chosen so that a fixed hash function puts them all into
one chain. Compares one or more builds in one run. Prints a Markdown table: a CHECK of such shingles, a CHECK of others,
and a restart.

    tests/bench/crafted_shingles.py [--hashes 14000] BINARY...

The chain is that of MurmurHash3's finaliser, which decided about the place of a shingle in the index earlier.
"""

import argparse
import pathlib
import random
import socket
import statistics
import struct
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import harness  # noqa: E402

HEADER = struct.Struct("<BBBBiI")
REPLY = struct.Struct("<iIIf64s")
SLOTS = 32
CHECK, WRITE = 0, 1
MASK = (1 << 64) - 1
IN_FLIGHT = 32


def unmixed(mixed):
    """The shingle that the finaliser maps to `mixed`."""
    mixed ^= mixed >> 33
    mixed = mixed * 0x9CB4B2F8129337DB & MASK
    mixed ^= mixed >> 33
    mixed = mixed * 0x4F74430C22A54005 & MASK
    return mixed ^ mixed >> 33


def packet(command, tag, rng, shingles):
    return (HEADER.pack(4, command, SLOTS, 1, 1, tag) + rng.randbytes(64) + struct.pack(f"<{SLOTS}Q", *shingles))


def exchange(port, packets):
    """Sends all requests, some in flight at a time. Returns the time for each answer."""
    took = {}
    sent = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.connect(("127.0.0.1", port))
        client.settimeout(60)
        left = iter(packets)
        while True:
            while len(sent) < IN_FLIGHT and (following := next(left, None)) is not None:
                tag = HEADER.unpack_from(following)[5]
                sent[tag] = time.monotonic()
                client.send(following)
            if not sent:
                return list(took.values())
            tag = REPLY.unpack_from(client.recv(2048))[2]
            if tag in sent:
                took[tag] = time.monotonic() - sent.pop(tag)


def alone(port, packets):
    return statistics.median(exchange(port, [one])[0] for one in packets) * 1e6


def measure(binary, hashes):
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder, harness.Daemon(folder, binary=binary) as daemon:
        exchange(daemon.fuzzy_port, [packet(WRITE, tag + 1, rng, [unmixed(tag)] * SLOTS) for tag in range(hashes)])
        crafted = alone(daemon.fuzzy_port, [packet(CHECK, tag + 1, rng, [unmixed(hashes + tag)] * SLOTS)
                                            for tag in range(50)])
        others = alone(daemon.fuzzy_port, [packet(CHECK, tag + 1, rng, [rng.getrandbits(64) for _ in range(SLOTS)])
                                           for tag in range(50)])
        begun = time.monotonic()
        daemon.restart()
        return crafted, others, time.monotonic() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", nargs="+", metavar="BINARY")
    parser.add_argument("--hashes", type=int, default=14_000)
    args = parser.parse_args()
    print("| build | CHECK of crafted shingles, median µs | of others | restart s |\n|---|---:|---:|---:|")
    for binary in args.binaries:
        crafted, others, restart = measure(pathlib.Path(binary).resolve(), args.hashes)
        print(f"| {binary} | {crafted:,.0f} | {others:,.0f} | {restart:.1f} |", flush=True)


if __name__ == "__main__":
    main()
