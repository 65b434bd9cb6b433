#!/usr/bin/env python3
"""Plays the mail server to a milter for whole messages, and tells what the milter did with each.

    milter_client.py [--socket HOST:PORT|/path] [--client IP] FILE...

One line a message: the action (accept, reject, tempfail, discard, quarantine), the reply text if any, and the
headers that were added. Exit code 0 unless the dialogue itself failed. Speaks milter protocol version 6 as
Postfix does (Sendmail's libmilter documentation, "mfdef.h"), with the standard library alone.
"""

import argparse
import dataclasses
import socket
import struct
import sys

VERSION = 6
# What we would do for the milter: add, change and insert headers, quarantine (SMFIF_*).
ACTIONS = 0x01 | 0x10 | 0x20
# What we can leave out if it asks: SMFIP_NO* of connect..data, and "no reply" forms, leading space in headers.
STEPS = 0x1FFFFF
NO_CONNECT, NO_HELO, NO_MAIL, NO_RCPT, NO_BODY, NO_HEADERS, NO_EOH, NR_HEADER = (1 << n for n in range(8))
NO_UNKNOWN, NO_DATA, SKIP, RCPT_REJ, NR_CONNECT, NR_HELO, NR_MAIL, NR_RCPT = (1 << n for n in range(8, 16))
NR_DATA, NR_UNKNOWN, NR_EOH, NR_BODY, LEADING_SPACE = (1 << n for n in range(16, 21))
BODY_CHUNK = 65535
WRITTEN_TOGETHER = 4096
SKIP_REST = (b"s", b"")


@dataclasses.dataclass
class Outcome:
    action: str = "accept"
    reply: str = ""
    added: list = dataclasses.field(default_factory=list)
    removed: list = dataclasses.field(default_factory=list)


class MilterClient:
    """One connection to a milter. send() runs one message through it."""

    def __init__(self, address, client_ip="192.0.2.25", together=False):
        """`together`: commands without an answer go out in blocks of 4 KB, as Postfix has them; Sendmail writes each."""
        if address.startswith("/"):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(60)
            self.socket.connect(address)
        else:
            host, port = address.rsplit(":", 1)
            self.socket = socket.create_connection((host.strip("[]"), int(port)), timeout=60)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.client_ip = client_ip
        self.together, self.waiting = together, b""
        _, body = self.command(b"O", struct.pack(">III", VERSION, ACTIONS, STEPS))
        _, _, self.steps = struct.unpack(">III", body[:12])

    def close(self):
        """Waits for the end of the other side, which has then done all that belongs to the messages."""
        try:
            self.write(b"Q")
            self.flush()
            while self.socket.recv(4096):
                pass
        except OSError:
            pass  # it is gone
        self.socket.close()

    def write(self, code, body=b""):
        self.waiting += struct.pack(">I", len(body) + 1) + code + body
        if not self.together or len(self.waiting) >= WRITTEN_TOGETHER:
            self.flush()

    def flush(self):
        if self.waiting:
            self.socket.sendall(self.waiting)
        self.waiting = b""

    def read(self):
        self.flush()
        size = struct.unpack(">I", self.exactly(4))[0]
        data = self.exactly(size)
        return data[:1], data[1:]

    def exactly(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise ConnectionError("the milter closed the connection")
            data += more
        return data

    def command(self, code, body=b""):
        self.write(code, body)
        while True:
            answer = self.read()
            if answer[0] != b"p":  # progress: it is still working
                return answer

    def step(self, code, body, skip, no_reply):
        """Sends one step unless the milter does not want it; returns a final answer or None to go on."""
        if self.steps & skip:
            return None
        if self.steps & no_reply:
            self.write(code, body)
            return None
        answer = self.command(code, body)
        return None if answer[0] == b"c" else answer

    def macros(self, code, **values):
        pairs = b"".join(k.encode() + b"\0" + v.encode() + b"\0" for k, v in values.items())
        self.write(b"D", code + pairs)

    def send(self, message, sender="sender@example.net", recipient="user@example.org", queue_id="DEMO"):
        """`recipient` is an address, or several of them."""
        outcome = Outcome()
        recipients = [recipient] if isinstance(recipient, str) else recipient
        answer = self.envelope(message, sender, recipients, queue_id)
        while answer is None or not self.finish(answer, outcome):
            answer = self.read()
        return outcome

    def envelope(self, message, sender, recipients, queue_id):
        head, _, body = message.replace(b"\0", b"").replace(b"\r\n", b"\n").partition(b"\n\n")
        family = b"6" if ":" in self.client_ip else b"4"
        connect = b"client.example.net\0" + family + struct.pack(">H", 2525) + self.client_ip.encode() + b"\0"
        self.macros(b"C", j="mx.example.org")
        steps = [(b"C", connect, NO_CONNECT, NR_CONNECT), (b"H", b"client.example.net\0", NO_HELO, NR_HELO),
                 (b"M", f"<{sender}>\0".encode(), NO_MAIL, NR_MAIL),
                 *((b"R", f"<{recipient}>\0".encode(), NO_RCPT, NR_RCPT) for recipient in recipients),
                 (b"T", b"", NO_DATA, NR_DATA)]
        for step in steps:
            if step[0] == b"M":
                self.macros(b"M", i=queue_id)
            answer = self.step(*step)
            if answer:
                return answer
        for field in head.replace(b"\n ", b"\0 ").replace(b"\n\t", b"\0\t").split(b"\n"):
            name, colon, value = field.partition(b":")
            if not colon or not name.strip():
                continue  # no header field: a mail server would not hand it over as one
            if not self.steps & LEADING_SPACE:
                value = value.lstrip(b" ")
            answer = self.step(b"L", name + b"\0" + value.replace(b"\0", b"\n") + b"\0", NO_HEADERS, NR_HEADER)
            if answer:
                return answer
        answer = self.step(b"N", b"", NO_EOH, NR_EOH)
        if answer:
            return answer
        body = body.replace(b"\n", b"\r\n")
        for at in range(0, len(body), BODY_CHUNK):
            answer = self.step(b"B", body[at:at + BODY_CHUNK], NO_BODY, NR_BODY)
            if answer == SKIP_REST:
                break
            if answer:
                return answer
        self.write(b"E")
        return None

    @staticmethod
    def finish(answer, outcome):
        """Takes one answer after the end of the message; true when it was the last one."""
        code, body = answer
        if code == b"h" or code == b"i":
            name, value = body[4 if code == b"i" else 0:].split(b"\0")[:2]
            outcome.added.append((name.decode(), value.decode()))
        elif code == b"m":
            name, value = body[4:].split(b"\0")[:2]
            if not value:
                outcome.removed.append(name.decode())
        elif code == b"q":
            outcome.action = "quarantine"
        elif code == b"y":
            outcome.reply = body.rstrip(b"\0").decode()
            outcome.action = "reject" if outcome.reply.startswith("5") else "tempfail"
        else:
            finals = {b"r": "reject", b"t": "tempfail", b"d": "discard"}
            outcome.action = finals.get(code, outcome.action)
        return code in b"acrtdy"


def main():
    parser = argparse.ArgumentParser(description="Sends messages through a milter and tells what it did with them.")
    parser.add_argument("--socket", default="127.0.0.1:11339", help="HOST:PORT or /path (default: %(default)s)")
    parser.add_argument("--client", default="192.0.2.25", help="address of the pretended sender (default: %(default)s)")
    parser.add_argument("files", nargs="+", metavar="FILE")
    args = parser.parse_args()
    for path in args.files:
        try:
            with open(path, "rb") as file:
                message = file.read()
            client = MilterClient(args.socket, args.client)
            outcome = client.send(message)
            client.close()
        except OSError as failure:
            sys.exit(f"milter_client: {path}: {failure}")
        print(f"  {path}: {outcome.action}" + (f"  [{outcome.reply}]" if outcome.reply else ""))
        for name, value in outcome.added:
            print(f"      + {name}: {value}")


if __name__ == "__main__":
    main()
