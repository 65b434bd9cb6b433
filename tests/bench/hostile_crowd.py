#!/usr/bin/env python3
"""Many connections that send the worst hostile messages at once, and an honest small letter now and then beside them: how long
the letter waits for its verdict, and how many messages are deferred for lack of memory.

    tests/bench/hostile_crowd.py [--build build/release] [--connections 64] [--size 5M] [--rounds 11] [-o KEY=VALUE]...

Needs build/release (shingled, hostile_mail).
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import generators
from generators import ROOT

sys.path.insert(0, str(ROOT / "packaging"))
import harness  # noqa: E402 (needs the path above)
import milter_client  # noqa: E402

WORST = ("header-shortest-fields", "header-8bit", "nest-quoted-printable", "many-nest-quoted-printable", "parts-without-type",
         "parts-8bit-without-charset", "html-nested-links-text", "many-html-nested-links-text", "delimiter-own",
         "parameter-quotes-parts", "parts-texts-to-hash", "text-combining-run")
PAUSE = 0.02  # between letters, seconds
REFUSED = re.compile(r'^shingled_mail_memory_refused_total\{at="(\w+)"\} (\d+)', re.M)


def letter_waits(port, crowd):
    """Sends letters until the crowd has ended; their waits in seconds, sorted."""
    letter = (ROOT / "packaging" / "samples" / "1-offer.eml").read_bytes()
    waits = []
    while crowd.poll() is None:
        begun = time.monotonic()
        client = milter_client.MilterClient(f"127.0.0.1:{port}")
        outcome = client.send(letter, sender="sender@example.net", queue_id=f"Q{len(waits)}")
        client.close()
        if outcome.action != "accept":
            sys.exit(f"a letter was not accepted: {outcome}")
        waits.append(time.monotonic() - begun)
        threading.Event().wait(PAUSE)
    return sorted(waits)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build/release", type=pathlib.Path)
    parser.add_argument("--connections", default=64, type=int, help="(default: %(default)s)")
    parser.add_argument("--size", default="5M", help="of each message, in megabytes (default: %(default)s)")
    parser.add_argument("--rounds", default=11, type=int, help="over the twelve messages (default: %(default)s)")
    parser.add_argument("-o", dest="overrides", action="append", default=[], metavar="KEY=VALUE")
    args = parser.parse_args()
    size = int(args.size.removesuffix("M")) << 20
    with tempfile.TemporaryDirectory(prefix="shingled-crowd-") as name:
        folder = pathlib.Path(name)
        generators.build(folder)
        mail = folder / "mail"
        mail.mkdir()
        for kind in WORST:
            with open(mail / f"{kind}.eml", "wb") as out:
                subprocess.run([args.build / "tests/hostile/hostile_mail", kind, str(size)], stdout=out, check=True)
        (folder / "daemon").mkdir()
        with harness.Daemon(folder / "daemon", overrides=args.overrides, binary=args.build.resolve() / "milter/shingled") as daemon:
            crowd = subprocess.Popen([folder / "milterload", "--socket", f"127.0.0.1:{daemon.milter_port}", "--conns",
                                      str(args.connections), "--rounds", str(args.rounds), mail], stdout=subprocess.PIPE, text=True)
            waits = letter_waits(daemon.milter_port, crowd)
            with urllib.request.urlopen(f"http://127.0.0.1:{daemon.status_port}/metrics") as metrics:
                refused = dict(REFUSED.findall(metrics.read().decode()))
            print(crowd.stdout.read().strip())
    print(f"deferred for lack of memory: {refused}")
    print(f"{len(waits)} letters: median {statistics.median(waits):.3f} s, p99 {waits[len(waits) * 99 // 100]:.3f} s, "
          f"at most {waits[-1]:.3f} s")


if __name__ == "__main__":
    main()
