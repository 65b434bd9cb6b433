#!/usr/bin/env python3
"""The effect of floods of sealed packets on a client with a known key, for one or more builds in one run. Prints a Markdown
table.

    tests/bench/sealed_floods.py --tool build/release/tests/bench/sealed_flood [--seconds 3] BINARY...

Each kind of flood (sealed_flood.cpp) lasts some seconds: 10 000 new keys per second from one source, 20 000 packets of noise
per second from 200 forged sources, one recorded PING as fast as possible. The server listens on an address that is not
exempt from its limits (--server, by default the machine's own); forged sources are in 127.0.0.0/8.
"""

import argparse
import json
import pathlib
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import harness  # noqa: E402

FLOODS = (("nothing", "none", 0, False), ("10 000 fresh keys a second, one source", "fresh", 10000, True),
          ("20 000 forged packets a second", "forged", 20000, False), ("one recorded PING", "repeat", 0, True))


def own_address():
    """The source address of this machine; sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("198.51.100.1", 9))
        return probe.getsockname()[0]


def keypair(binary):
    words = harness.run("keypair", binary=binary).stdout.split("# shingled.yaml")[1].split()
    return words[words.index("pubkey:") + 1], words[words.index("privkey:") + 1]


def measure(binary, args):
    public, private = keypair(binary)
    with tempfile.TemporaryDirectory() as folder:
        daemon = harness.Daemon(folder, binary=binary)
        daemon.extra = [f"storage.listen=[127.0.0.1:{daemon.fuzzy_port}, {args.server}:{daemon.fuzzy_port}]",
                        "storage.threads=1",  # so that the flood and the client reach the same thread
                        f"storage.keypair=[{{pubkey: {public}, privkey: {private}}}]"]
        with daemon:
            for what, kind, rate, outside in FLOODS:
                server = args.server if outside else "127.0.0.1"
                output = subprocess.run(
                    [args.tool, "--port", str(daemon.fuzzy_port), "--key", public, "--kind", kind, "--rate", str(rate),
                     "--seconds", str(args.seconds), "--server", server],
                    check=True, capture_output=True, text=True).stdout
                yield what, json.loads(output.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", nargs="+", metavar="BINARY")
    parser.add_argument("--tool", required=True)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--server", default=None)
    args = parser.parse_args()
    args.server = args.server or own_address()
    args.binaries = [str(pathlib.Path(binary).resolve()) for binary in args.binaries]
    print("| build | flood of | sent/s | replies/s | others' p50 µs | p99 µs | lost |\n|---|---|---:|---:|---:|---:|---:|")
    for binary in args.binaries:
        for what, run in measure(binary, args):
            print(f"| {binary} | {what} | {run['flood_sent_s']:.0f} "
                  f"| {run['flood_answers_s']:.0f} | {run['p50']:.0f} | {run['p99']:.0f} | {run['lost']} |", flush=True)


if __name__ == "__main__":
    main()
