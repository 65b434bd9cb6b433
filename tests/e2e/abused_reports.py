"""People who misuse the junk button, and what becomes of the mail of an honest sender. test_reports.py runs it with a few
hundred reports, tests/bench/report_abuse.py with 10 000."""

import http.client
import json
import pathlib
import tempfile
import time

import harness

RULES = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "policy.yaml"
SENDER = "shop@honest.example.org"
TEXT = """\
Please look at our wonderful catalogue of garden furniture, ladders, hoses, lamps and fountains before
everything has gone. Our carpenters build each bench by hand from seasoned oak, our gardeners test every
hose for three summers, and our drivers bring it to your door within two days, whatever the weather does.
Order now and receive a bag of tulip bulbs with every bench, a watering can with every ladder, and the
friendly advice of people who have been gardening in the rain for more than twenty years. We look forward
to hearing from you at https://shop.honest-garden.com/{number} very soon indeed.
"""


def letter(number):
    """One message of a newsletter; all say the same."""
    return (f"From: Shop <{SENDER}>\r\nTo: all@example.org\r\nSubject: Offer of the week\r\n"
            f"Message-ID: <{number}@honest.example.org>\r\n\r\n{TEXT.format(number=number)}").encode()


def other(number):
    """Mail of somebody else, that has nothing in common with any other."""
    words = " ".join(f"{chr(97 + number // 26 ** i % 26)}{chr(97 + i)}word{number + i}" for i in range(60))
    return (f"From: <m{number}@m{number}.example.net>\r\nSubject: about {words[:40]}\r\n"
            f"Message-ID: <{number}@m{number}.example.net>\r\n\r\n{words}\r\n").encode()


class Site:
    """A daemon, and a connection for reports."""

    def __init__(self, overrides=()):
        self.folder = tempfile.TemporaryDirectory(prefix="shingled-abuse-")
        self.daemon = harness.Daemon(self.folder.name, [
            f"policy.files=[{RULES}]", "http.body_bytes_max=1M", *overrides])

    def __enter__(self):
        self.daemon.start()
        self.connection = http.client.HTTPConnection("127.0.0.1", self.daemon.status_port, timeout=120)
        return self

    def __exit__(self, *_):
        self.connection.close()
        self.daemon.stop()
        self.folder.cleanup()

    def page(self, method, target, body=None):
        self.connection.request(method, target, body, {"X-Shingled": "1"})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise AssertionError(f"{target}: {answer.status} {text}")
        return text

    def report(self, kind, who, message):
        return json.loads(self.page("POST", f"/report?kind={kind}&reporter={who}", message))

    def metric(self, name):
        text = self.page("GET", "/metrics").decode()
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name))

    def scan(self, message, live):
        rules = ["-o", "policy.live=[all]"] if live else []
        done = self.daemon.run("scan", "--json", "--sender", SENDER, "--recipient", "ann@example.org",
                               "--client", "192.0.2.7", *rules, stdin=message)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        return json.loads(done.stdout)

    def counted(self, kind, piece, measure):
        shown, = self.daemon.run("counters", "show", "--json", "--exact", "--space", "in", kind, piece).stdout.splitlines()
        return json.loads(shown)["sums"]["14d"].get(measure, 0)


# Each: what happens, and the reports as (reporter, message).
ABUSE = {
    "one person, one message": lambda n: (("eve", letter(0)) for _ in range(n)),
    "one person, a message each time": lambda n: (("eve", letter(i)) for i in range(n)),
    "one person, everything": lambda n: (("eve", letter(0) if i == n // 2 else other(i)) for i in range(n)),
    "throw-away reporters, one message": lambda n: ((f"sock{i}", letter(0)) for i in range(n)),
    "throw-away reporters, a message each": lambda n: ((f"sock{i}", letter(i)) for i in range(n)),
}


def measure(name, count, overrides=()):
    """What `count` reports of this kind do to the next message of the newsletter."""
    with Site(overrides) as site:
        begun = time.monotonic()
        slowest = 0
        for who, message in ABUSE[name](count):
            single = time.monotonic()
            site.report("spam", who, message)
            slowest = max(slowest, time.monotonic() - single)
        seconds = time.monotonic() - begun
        target = letter(10**6)
        by_default, live = site.scan(target, False), site.scan(target, True)
        return {"abuse": name, "reports": count, "per_second": round(count / seconds), "slowest_ms": round(slowest * 1000),
                "complaints": site.counted("subject", "offer of the week", "complaint"), "weight": site.daemon.weight(target),
                "score": round(by_default["score"], 2), "action": by_default["action"],
                "score_live": round(live["score"], 2), "action_live": live["action"],
                "bytes": sum(file.stat().st_size for file in pathlib.Path(site.folder.name).glob("reports.db*"))}
