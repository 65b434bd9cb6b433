#!/usr/bin/env python3
"""How long `shingled report` takes for one message from a pipe, from its start to its end, beside a running daemon: the
junk button of a mail program. Each message is another one, of a user of its own, so that each report is new.

    SHINGLED_BINARY=build/release/milter/shingled tests/bench/report_pipe.py [RUNS]
"""

import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import abused_reports  # noqa: E402 (needs the path above)


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    times = []
    with abused_reports.Site() as site:
        for number in range(runs):
            command = [site.daemon.binary, "report", *site.daemon.overrides, "--spam", "--reporter", f"user{number}"]
            begun = time.monotonic()
            subprocess.run(command, input=abused_reports.other(number), stdout=subprocess.DEVNULL, check=True)
            times.append((time.monotonic() - begun) * 1000)
    times.sort()
    print(f"{runs} reports from a pipe: median {statistics.median(times):.1f} ms, "
          f"p90 {times[runs * 9 // 10]:.1f} ms, longest {times[-1]:.1f} ms")


if __name__ == "__main__":
    main()
