#!/usr/bin/env python3
"""What packaging/package_test.sh tries inside its Debian: the lines of the section "Install" of README.md, one shell for
all of them, then Debian's tests of the package, and then whether mail is filtered."""

import pathlib
import re
import subprocess
import sys
import time

from life import LETTER, OFFER, OFFER_AGAIN, answers, check, offer, run, show, wait_until

AUTOPKGTEST = pathlib.Path("/usr/local/share/autopkgtest")  # debian/ of the package's source
LINES = pathlib.Path("/usr/local/share/lines")


def main():
    run("useradd", "-m", "alice")
    begin = time.monotonic()
    done = subprocess.run(["bash", "-ex"], stdin=LINES.open("rb"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          cwd="/var/tmp", timeout=800, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/var/tmp",
                                                            "DEBIAN_FRONTEND": "noninteractive",
                                                            "SHINGLED_BINARY": "/usr/local/lib/shingled"})
    text = done.stdout.decode(errors="replace")
    check(done.returncode == 0, f"exit code {done.returncode}\n{text[-4000:]}")
    for line in text.splitlines():
        if line.startswith("+ "):
            print("        " + line)
    print(f"ok      the lines of README.md, {time.monotonic() - begin:.0f} s without compiling")
    wait_until(lambda: show("ActiveState") == "active" and answers(25), 60, "both serve")
    said = run("autopkgtest", "--no-built-binaries", str(AUTOPKGTEST), "--", "null")[1]
    check(re.search(r"^answers +PASS$", said, re.M), said)
    print("ok      autopkgtest")
    run("shingled", "del", "--flag", "denied", "--matching", stdin=OFFER)  # which it teaches
    run("postconf", "-e", "disable_dns_lookups = yes", "biff = no")
    run("systemctl", "restart", "postfix")
    wait_until(lambda: answers(25), 60, "Postfix answers")
    check(offer(OFFER_AGAIN) == 250, "an unknown message passes")
    run("shingled", "add", "--flag", "denied", "--weight", "20", stdin=OFFER)
    check(offer(OFFER_AGAIN) == 550, "what is like a taught one is rejected")
    check(offer(LETTER) == 250, "a letter passes")
    print("ok      a running, attached filter\nall steps are as they must be", flush=True)


if __name__ == "__main__":
    sys.exit(main())
