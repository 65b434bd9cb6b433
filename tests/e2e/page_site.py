"""What the tests of the page share: a site with mail of many kinds behind it, strange texts among it, people who report,
and a browser."""

import base64
import pathlib
import random
import sqlite3
import sys
import time

import harness

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "packaging"))

from milter_client import MilterClient  # noqa: E402 (needs the path above)

PASSWORD = "correct horse battery"
RULES = """rules:
  MANY_FROM_SENDER: {if: sender.mass >= 20 in 1d, score: 1}
  NEW_AND_MANY_LINKS: {if: links >= 3, score: 1.5}
  FILE_FROM_MANY: {if: attachment.unique_senders >= 3 in 1h, score: 4, shadow: yes}
  SHORT_NOTE: {if: words < 12, score: 0.4}
"""
SCRIPT = "<script>window.stolen=1</script><img src=x onerror=window.stolen=1>"
STRANGE = {
    "markup": SCRIPT,
    "turned": "invoice \u202excod.exe\u202c for \u2066you\u2069",
    "long": "x" * 10_000,
    "one long word": "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft" * 2,
    "arabic": "\u0627\u0644\u0633\u0644\u0627\u0645 \u0639\u0644\u064a\u0643\u0645",
    "controls": "bell\x07 and\x1b[31m red",
}
OFFER = (ROOT / "packaging" / "samples" / "1-offer.eml").read_bytes()
OFFER_AGAIN = (ROOT / "packaging" / "samples" / "2-offer-again.eml").read_bytes()
LETTER = (ROOT / "packaging" / "samples" / "3-letter.eml").read_bytes()
WORDS = ("garden minutes harbour weather letter meeting copper violin autumn report station bridge window orange council "
         "paper market signal forest valley library engine candle summer planet museum coffee island mirror pencil").split()
PEOPLE = ("ann", "bob", "carol", "dave", "erin")
SENDERS = (("Mira Kolb", "mira@orchestra.example"), ("Council Office", "office@council.example"),
           ("Tomas Reyes", "tomas@harbour.example"), ("Garden News", "news@garden.example"),
           ("Station Desk", "desk@station.example"), ("Ines Falk", "ines@library.example"))


def sentence(random_, count):
    return " ".join(random_.choice(WORDS) for _ in range(count))


def encoded(text):
    return "=?utf-8?b?" + base64.b64encode(text.encode()).decode() + "?="


def letter(number, subject=None, sender=None, links=0, words=60):
    """A message of its own."""
    random_ = random.Random(number)
    name, address = sender or SENDERS[number % len(SENDERS)]
    subject = subject if subject is not None else sentence(random_, 4).capitalize()
    lines = [f"From: {name} <{address}>", "To: ann@example.org", f"Subject: {encoded(subject)}",
             f"Message-ID: <{number}@mail.example.net>", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8", "",
             sentence(random_, words), *(f"https://www.{random_.choice(WORDS)}.example.com/{at}" for at in range(links)), ""]
    return address, "\r\n".join(lines).encode()


class Site:
    """A daemon whose page is looked at, with mail behind it: `with Site(tmp) as site: site.fill()`."""

    def __init__(self, tmp, overrides=()):
        self.tmp = pathlib.Path(tmp)
        (self.tmp / "rules.yaml").write_text(RULES)
        self.users = self.tmp / "users"
        self.daemon = harness.Daemon(tmp, overrides=[
            "reports.domain=example.org", "reports.residents=all", "reports.trusted_reporters=[postmaster]",
            "history.names=subject", f"policy.files=[{self.tmp / 'rules.yaml'}]", f"http.users_file={self.users}",
            f"http.keys_file={self.tmp / 'http.keys'}", "ratelimit.rates.from=[100, 100 / 14d]", "ratelimit.file=''",
            "milter.local_networks=[192.0.2.0/24]", *overrides])
        self.count = 0
        self.key = None

    def __enter__(self):
        self.daemon.start()
        return self

    def __exit__(self, *_):
        self.daemon.stop()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.daemon.status_port}/"

    def command(self, *arguments, **options):
        done = self.daemon.run(*arguments, **options)
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def add_person(self, name, role):
        self.command("passwd", name, "--role", role, stdin=f"{PASSWORD}\n{PASSWORD}\n")

    def use_key(self):
        """Reports come with a key from now on: this machine may do nothing without one."""
        key = self.command("key", "add", "desk", "--role", "report").splitlines()[0]
        path = self.tmp / "desk.key"
        path.write_text(key + "\n")
        path.chmod(0o600)
        self.daemon.restart()  # it knows the key at once
        self.key = path

    def send(self, message, sender, recipients=("ann@example.org",)):
        """What the milter does with it."""
        self.count += 1
        client = MilterClient(f"127.0.0.1:{self.daemon.milter_port}", f"198.51.100.{1 + self.count % 200}")
        try:
            return client.send(message, sender, list(recipients), f"4Page{self.count:04}")
        finally:
            client.close()

    def report(self, who, kind, message):
        arguments = ("report", f"--{kind}", "--reporter", f"{who}@example.org")
        if self.key is None:
            return self.command(*arguments, stdin=message)
        done = harness.run(*arguments, "-c", "/dev/null", "--server", self.address, "--key-file", self.key, stdin=message)
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def fill(self, letters=40):
        """Wanted mail, a campaign that people report until it is refused, and strange texts."""
        for number in range(letters):
            address, text = letter(number, links=number % 5)
            self.send(text, address, [f"{PEOPLE[number % 5]}@example.org"])
        self.send(OFFER, "desk@harbour-savings.example", ["ann@example.org", "bob@example.org"])
        for who in PEOPLE:
            self.report(who, "spam", OFFER)
            self.send(OFFER_AGAIN.replace(b"offer-2", f"offer-{who}".encode()), "desk@harbour-savings.example",
                      [f"{who}@example.org"])
        self.send(LETTER, "marten@vale.example")
        for at, text in enumerate(STRANGE.values()):
            self.send(letter(900 + at, subject=text, sender=("Strange", "strange@odd.example"))[1], "strange@odd.example")
        for at, text in enumerate((SCRIPT, "\u202efdp")):
            self.send(letter(950 + at, sender=("Strange", "strange@odd.example"))[1], f'"{text}"@odd.example')
        self.send(b"From: a@odd.example\r\nSubject: \xff\xfe broken \xc3\x28\r\n\r\nshort\r\n", "a@odd.example")

    def spread(self, minutes=58):
        """Moves the messages of the history over the last minutes, so that plots have a shape. The daemon starts anew."""
        self.daemon.stop()
        random_ = random.Random(7)
        now = int(time.time() * 1e6)
        with sqlite3.connect(self.daemon.hashfile.with_name("history.db")) as history:
            old = [row[0] for row in history.execute("SELECT time FROM messages ORDER BY time")]
            new = sorted(now - int(random_.random() ** 1.2 * minutes * 60e6) - 2_000_000 for _ in old)
            for table in ("messages", "names", "acts"):
                # First out of the way: a time may be that of another message.
                history.executemany(f"UPDATE {table} SET time = -? WHERE time = ?", zip(old, old))
                history.executemany(f"UPDATE {table} SET time = ? WHERE time = -?", zip(new, old))
        history.close()
        self.daemon.start()
