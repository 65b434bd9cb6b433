#!/usr/bin/env python3
"""Measures who suffers from a report of what his message only contains, and who can hide in a quote.

    SHINGLED_BINARY=build/release/milter/shingled tests/bench/quoted.py [--every N] [--corpus DIR]

Each Nth message of spam and phish in the corpus is reported by a trusted reporter to a daemon with all rules switched on. Then
answers, forwards, warnings and bounces that contain it are asked about (tests/e2e/quoting.py), and the same message dressed as
a quote, or forged as an answer. Exit code 1 if more than 5 % of a kind are marked or one is rejected; bodies that are dressed are only shown.
"""

import argparse
import email
import email.message
import email.policy
import html
import json
import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ["SHINGLED_BINARY"] = os.path.abspath(
    os.environ.get("SHINGLED_BINARY", ROOT / "build/release/milter/shingled"))
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import harness  # noqa: E402 (needs the path above)
import quoting  # noqa: E402

REPORTER = "corpus"
MARKED_MAX = 0.05
FILES_AT_ONCE = 200
BYTES_MAX = 200_000


def body(message, kind):
    part = message.get_body((kind,))
    return None if part is None else part.get_content()


def simple(raw):
    """The message with one plain text and one of HTML, as a mail program has it when it quotes; None without a text."""
    try:
        parsed = email.message_from_bytes(raw, policy=email.policy.default)
        plain, page = body(parsed, "plain"), body(parsed, "html")
        if not (plain or page or "").strip():
            return None
        out = email.message.EmailMessage(policy=email.policy.SMTP)
        for name, other in (("From", "a@example.com"), ("To", quoting.OTHER), ("Subject", "offer")):
            out[name] = re.sub(r"\s+", " ", str(parsed.get(name) or other))[:200]
        out["Message-ID"] = "<1.quoted@example.com>"
        page = page or "".join(f"<div>{html.escape(line) or '<br>'}</div>" for line in plain.split("\n"))
        shown = re.sub(r"<(style|title).*?</\1>|<[^>]*>", "", page, flags=re.S | re.I)
        # Programs quote what is in the document, not a document in a document.
        page = re.sub(r"<title.*?</title>|</?(html|head|body|meta|link|base|!doctype)\b[^>]*>", "", page, flags=re.S | re.I)
        out.set_content((plain or html.unescape(shown)).replace("\r\n", "\n") + "\n")
        out.add_alternative(page, subtype="html")
        out.as_bytes()
        return out
    except (LookupError, ValueError, AttributeError, UnicodeError, TypeError):
        return None


def ask(daemon, paths, *options):
    """The actions, by path."""
    actions = {}
    for begin in range(0, len(paths), FILES_AT_ONCE):
        done = daemon.run("scan", "--json", *options, *paths[begin:begin + FILES_AT_ONCE])
        for line in done.stdout.splitlines():
            answer = json.loads(line)
            if "file" in answer:
                actions[answer["file"]] = answer["action"]
    return actions


def write(folder, kind, messages):
    paths = []
    for number, message in enumerate(messages):
        try:
            text = kind(message)
        except (LookupError, ValueError, UnicodeError):
            continue
        paths.append(str(pathlib.Path(folder) / f"{kind.__name__}.{number}.eml"))
        pathlib.Path(paths[-1]).write_bytes(text)
    return paths


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", default=ROOT.parent / "shared" / "corpus", type=pathlib.Path)
    parser.add_argument("--policy", default=ROOT / "packaging" / "policy.yaml", type=pathlib.Path)
    parser.add_argument("--every", default=5, type=int, help="take each Nth message")
    return parser.parse_args()


def main():
    args = parse_arguments()
    files = sorted(path for kind in ("spam", "phish") for path in (args.corpus / kind).iterdir())[::args.every]
    pairs = [(path, simple(path.read_bytes())) for path in files if path.stat().st_size < BYTES_MAX]
    pairs = [(path, message) for path, message in pairs if message is not None]
    messages = [message for _, message in pairs]
    failed = False
    overrides = [f"policy.files=[{args.policy.resolve()}]", "policy.live=[all]", "reports.spam.weight=20",
                 f"reports.trusted_reporters=[{REPORTER}]"]
    with tempfile.TemporaryDirectory() as folder, harness.Daemon(folder, overrides=overrides) as daemon:
        reported = [str(path) for path, _ in pairs]
        for begin in range(0, len(reported), FILES_AT_ONCE):
            daemon.run("report", "--spam", "--reporter", REPORTER, *reported[begin:begin + FILES_AT_ONCE])
        print(f"{len(messages)} reported\n\n| kind | marked | rejected | of |\n|---|---|---|---|")
        groups = ((quoting.KINDS, ()), (quoting.BOUNCES, ("--sender", "<>")), ((simple_again, *quoting.DRESSED, quoting.forged_answer), ()))
        for kinds, options in groups:
            for kind in kinds:
                actions = ask(daemon, write(folder, kind, messages), *options).values()
                marked = sum(action != "pass" for action in actions)
                rejected = sum(action == "reject" for action in actions)
                print(f"| {kind.__name__} | {100 * marked / len(actions):.1f} % | {100 * rejected / len(actions):.1f} % "
                      f"| {len(actions)} |", flush=True)
                failed |= kinds[0] is not simple_again and (marked > MARKED_MAX * len(actions) or rejected > 0)
    return 1 if failed else 0


def simple_again(message):
    """The reported message itself, as it is put into the others."""
    return message.as_bytes()


if __name__ == "__main__":
    sys.exit(main())
