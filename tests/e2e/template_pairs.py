#!/usr/bin/env python3
"""Pairs of different messages of one template: what a sender writes again and again, to others and about other things.

    SHINGLED_BINARY=build/release/milter/shingled tests/e2e/template_pairs.py [--list] [--write FOLDER]

One of each pair is taught with weight 20, the other is asked about: it is another person's mail, so it must not be
refused. Prints what became of them. Every pair is there as plain text and as HTML; texts are in `templates/`.
"""

import argparse
import base64
import collections
import hashlib
import html
import json
import os
import pathlib
import re
import struct
import sys
import tempfile
import zlib

import harness
from templates import accounts, letters, orders, reports

FORMS = ("plain", "html")
EX_DATAERR = 65

Pair = collections.namedtuple("Pair", "name form first second")


def chosen(text, which):
    """The text of the first or the second message: of each {this|that} one."""
    return re.sub(r"\{([^{}|]*)\|([^{}]*)\}", lambda match: match.group(1 + which), text)


def noise(name, size):
    """Bytes that no text has, always the same."""
    blocks = (hashlib.sha256(f"{name}{i}".encode()).digest() for i in range(size // 32 + 1))
    return b"".join(blocks)[:size]


def png(width, height):
    """A logo."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    row = b"\0" + bytes((x * x // 97) & 0xFF for x in range(width))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(row * height)) + chunk(b"IEND", b""))


VCARD = ("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Nils Aaberg\r\nORG:Aaberg & Lie\r\nTEL:+47 55 01 02 03\r\nPHOTO;ENCODING=b:" +
         base64.b64encode(noise("photo", 1500)).decode() + "\r\nEND:VCARD\r\n").encode()
FILES = {
    "pdf": ("application/pdf", "terms.pdf", b"%PDF-1.4\n" + noise("terms", 24000) + b"\n%%EOF\n"),
    "vcard": ("text/vcard", "nils.vcf", VCARD),
    "logo": ("image/png", "logo.png", png(640, 520)),
    "form": ("application/vnd.oasis.opendocument.text", "form.odt", noise("form", 9000)),
}

SKIN = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{title}</title><style>body{{margin:0;background:{ground}}} .card{{background:#fff;\
border-radius:6px}} p{{font:15px/22px Arial,sans-serif;color:#333}} .small{{font-size:11px;color:#999}}</style></head>
<body><div style="display:none;max-height:0">{title}</div>
<table width="100%" role="presentation"><tr><td align="center"><table class="card" width="600"><tr><td>
<img src="https://img.example/{ground}/logo.png" alt="" width="120" height="40">
{paragraphs}
</td></tr></table></td></tr></table></body></html>
"""


def as_html(text, subject, name):
    """The page that a program makes of it: a paragraph a <p>, short lines below each other."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines = [html.escape(line) for line in paragraph.split("\n")]
        joint = "<br>\n" if max(map(len, lines)) < 90 else "\n"
        line = re.sub(r"(https://\S+)", r'<a href="\1">\1</a>', joint.join(lines))
        paragraphs.append(f"<p>{line}</p>")
    ground = "#" + hashlib.sha256(name.encode()).hexdigest()[:6]
    return SKIN.format(title=html.escape(subject), ground=ground, paragraphs="\n".join(paragraphs))


def part(kind, body, *fields):
    """A MIME part: text as quoted-printable would be longer, so 8bit; anything else as base64."""
    if isinstance(body, str):
        head, text = [f'Content-Type: {kind}; charset="utf-8"', "Content-Transfer-Encoding: 8bit"], body.encode()
    else:
        head, text = [f"Content-Type: {kind}", "Content-Transfer-Encoding: base64"], base64.encodebytes(body)
    return "\n".join([*head, *fields]).encode() + b"\n\n" + text


def multipart(kind, parts, name):
    boundary = hashlib.sha256(name.encode()).hexdigest()[:24]
    body = b"".join(f"--{boundary}\n".encode() + one + b"\n" for one in parts) + f"--{boundary}--\n".encode()
    return f'Content-Type: multipart/{kind}; boundary="{boundary}"\n\n'.encode() + body


def message(which, name, subject, entity):
    """With the fields that differ from message to message anyway."""
    sender = hashlib.sha256(name.encode()).hexdigest()[:8]
    to = ("first.reader@example.org", "second.reader@example.net")[which]
    head = (f"From: {sender} <no-reply@{sender}.example>\nTo: {to}\nSubject: {subject}\n"
            f"Date: {('Tue, 3 Mar 2026 10:11:12 +0100', 'Fri, 10 Jul 2026 07:00:01 +0000')[which]}\n"
            f"Message-ID: <{sender}.{which}@{sender}.example>\nMIME-Version: 1.0\n")
    if name.startswith("out of office"):
        head = f"Return-Path: <>\n{head}In-Reply-To: <{sender}@reader.example>\nAuto-Submitted: auto-replied\n"
    return (head.encode() + entity).replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def body_part(which, form, name, subject, text):
    plain = part("text/plain", text)
    if form == "plain":
        return plain
    page = part("text/html", as_html(text, subject, name))
    only_page = int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2
    return page if only_page else multipart("alternative", [plain, page], f"{name}{which}alternative")


def report(which, form, name, subject, status, text):
    body = body_part(which, form, name, subject, text)
    if status is None:
        return body
    kind = "disposition-notification" if "Disposition" in status else "delivery-status"
    parts = [body, f"Content-Type: message/{kind}\n\n".encode() + chosen(status, which).encode()]
    if kind == "delivery-status":
        parts.append(b"Content-Type: text/rfc822-headers\n\n" + chosen(reports.RETURNED, which).encode())
    return multipart(f'report; report-type="{kind}"', parts, f"{name}{which}report")


def make_pairs():
    """All of them, always the same bytes."""
    pairs = []

    def add(name, build):
        for form in FORMS:
            pairs.append(Pair(name, form, build(0, form), build(1, form)))

    for name, subject, text in (*accounts.TEMPLATES, *orders.TEMPLATES, *reports.TEMPLATES, *letters.TEMPLATES):
        add(name, lambda which, form, n=name, s=subject, t=text: message(
            which, n, chosen(s, which), body_part(which, form, n, chosen(s, which), chosen(t, which))))
    for name, subject, status, text in reports.REPORTS:
        add(name, lambda which, form, n=name, s=subject, r=status, t=text: message(
            which, n, chosen(s, which), report(which, form, n, chosen(s, which), r, chosen(t, which))))
    for name, file, subject, text in letters.ATTACHED:
        kind, file_name, content = FILES[file]
        attached = part(kind, content, f'Content-Disposition: attachment; filename="{file_name}"')
        add(name, lambda which, form, n=name, s=subject, t=text, a=attached: message(
            which, n, chosen(s, which), multipart("mixed", [
                body_part(which, form, n, chosen(s, which), chosen(t, which)), a], f"{n}{which}mixed")))
    return pairs


def write_pairs(pairs, folder):
    """The files of the first and of the second messages, in the order of the pairs."""
    files = ([], [])
    for which, side in enumerate(("first", "second")):
        for number, pair in enumerate(pairs):
            path = pathlib.Path(folder) / f"{number:03d}-{pair.form}-{side}.eml"
            path.write_bytes(pair[2 + which])
            files[which].append(path)
    return files


class Outcome:
    """What became of the pairs of one form: `actions` of the other messages, `again` of those taught."""

    def __init__(self, pairs, teach_all):
        with tempfile.TemporaryDirectory() as folder, harness.Daemon(folder) as daemon:
            taught, others = write_pairs(pairs, folder)
            done = daemon.run("add", "--json", "--flag", "denied", "--weight", "20", *teach_all, *taught)
            if done.returncode not in (0, EX_DATAERR):
                raise AssertionError(done.stderr)
            self.answers = [json.loads(line) for line in done.stdout.splitlines()]
            self.again = self.scan(daemon, taught)
            self.others = self.scan(daemon, others)

    @staticmethod
    def scan(daemon, files):
        done = daemon.run("scan", "--json", *files)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]


def measure(pairs, teach_all=("--force",)):
    """(pair, what `add` said, the scan of the taught message, the scan of the other), each form in a store of its own."""
    rows = []
    for form in FORMS:
        of_form = [pair for pair in pairs if pair.form == form]
        outcome = Outcome(of_form, teach_all)
        rows += zip(of_form, outcome.answers, outcome.again, outcome.others)
    return rows


def counts(rows):
    return collections.Counter(other["action"] for _, _, _, other in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="name the pairs that met an action, and by what")
    parser.add_argument("--plain-add", action="store_true", help="teach without --force")
    parser.add_argument("--write", metavar="FOLDER", help="only write the messages there")
    args = parser.parse_args()
    pairs = make_pairs()
    if args.write:
        os.makedirs(args.write, exist_ok=True)
        write_pairs(pairs, args.write)
        return
    rows = measure(pairs, () if args.plain_add else ("--force",))
    print(f"{len(rows)} pairs: {dict(counts(rows))}")
    print(f"taught: {dict(collections.Counter(answer['result'] for _, answer, _, _ in rows))}")
    print(f"the taught message again: {dict(collections.Counter(again['action'] for _, _, again, _ in rows))}")
    for pair, answer, again, other in rows:
        if args.list and (other["action"] != "pass" or again["action"] != "reject"):
            hits = [(look["part"], look["kind"], look["method"], round(look["prob"], 2)) for look in other["lookups"]
                    if look["result"] == "hit"]
            print(f"{pair.form:5}  {pair.name:32}  {answer['result']:8}  again {again['action']:10}  "
                  f"{other['action']:10} {other['score']:6.2f}  {hits}")


if __name__ == "__main__":
    sys.exit(main())
