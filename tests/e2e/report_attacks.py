"""Attacks on what people say: what one person, people who were made up, and people who conspire can do to mail that others
get. tests/bench/report_abuse.py prints all of them; test_attacks.py holds some of them to their goals.

Residents are mailboxes that got wanted mail on six days. A newcomer is any other name. The mail that is attacked is a
newsletter with all kinds of signs, of a sender whose server's proof is believed: its next copies, and another letter of
the same template. It comes to mailboxes of people who reported nothing.
"""

import collections
import dataclasses
import http.client
import json
import pathlib
import random
import sys
import tempfile
import time
import urllib.parse

import harness

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "packaging"))

from milter_client import MilterClient  # noqa: E402 (needs the path above)

SITE = "example.org"
SERVER = "mx.example.org"  # its Authentication-Results are believed
COPIES = 3                 # of each letter that is looked at
DAY = 86400
# Settings beside those of the package. There everybody who reports is a resident.
COLUMNS = {
    "all reside": [],
    "as installed": ["reports.residents=earned"],
    "all live": ["reports.residents=earned", "policy.live=[all]"],
}
Sight = collections.namedtuple("Sight", "points marked rejected of")


def text(seed, count=70):
    dice = random.Random(seed)
    return " ".join("".join(dice.choice("bdfgklmnprstvw") + dice.choice("aeiou") for _ in range(dice.randint(2, 4)))
                    for _ in range(count))


@dataclasses.dataclass
class Sender:
    """Whoever sends letters of one template."""
    name: str = "Garden Shop"
    domain: str = "garden-shop.example"
    client: str = "192.0.2.7"

    def letter(self, number, issue=1, proved=True):
        """A copy; all of one issue say the same."""
        domain = self.domain
        words = text(f"{domain} issue {issue}").split()
        page = "".join(f"<p>{' '.join(words[at:at + 14])} <a href='https://www.{domain}/offer/{issue}/{number}'>more</a></p>"
                       for at in range(0, 70, 14))
        lines = [f"Authentication-Results: {SERVER}; dkim=pass header.d={domain}"] if proved else []
        lines += [f"From: {self.name} <news@{domain}>", "To: someone@example.org", f"Subject: {' '.join(words[:5])}",
                  f"Message-ID: <{issue}.{number}@{domain}>", "Date: Fri, 27 Nov 2026 12:00:00 +0000", "MIME-Version: 1.0",
                  "Content-Type: text/html; charset=utf-8", "",
                  f"<html><body><table><tr><td><h1>{self.name}</h1>{page}</td></tr></table>",
                  f"<p>{self.name} Ltd, 12 Mill Road, telephone 020 7946 0123</p>",
                  "<p>You receive this letter because you asked for it on our pages. To unsubscribe from this list, "
                  f"<a href='https://www.{domain}/unsubscribe'>click here</a>.</p></body></html>", ""]
        return "\r\n".join(lines).encode()


SHOP = Sender()


class Site:
    """A daemon with the settings of the package, and what people do there."""

    def __init__(self, overrides=()):
        self.folder = tempfile.TemporaryDirectory(prefix="shingled-attack-")
        settings = pathlib.Path(self.folder.name) / "etc"
        settings.mkdir()
        for source in (ROOT / "packaging/etc/shingled.yaml", *(ROOT / "packaging").glob("policy*.yaml")):
            (settings / source.name).write_text(source.read_text())
        self.daemon = harness.Daemon(self.folder.name, config=settings / "shingled.yaml", overrides=[
            f"reports.domain={SITE}", f"counters.authserv_ids=[{SERVER}]", "reports.rate=off",
            f"reports.trusted_reporters=[judge@{SITE}, trap@{SITE}]", *overrides])

    def __enter__(self):
        self.daemon.start()
        self.connection = http.client.HTTPConnection("127.0.0.1", self.daemon.status_port, timeout=120)
        self.milter = MilterClient(f"127.0.0.1:{self.daemon.milter_port}")
        return self

    def __exit__(self, *_):
        self.milter.close()
        self.connection.close()
        self.daemon.stop()
        self.folder.cleanup()

    def post(self, target, body):
        self.connection.request("POST", target, body, {"X-Shingled": "1"})
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise AssertionError(f"{target}: {answer.status} {content}")
        return json.loads(content)

    def residents(self, count, name="resident"):
        """The names of so many mailboxes that got wanted mail on six days."""
        names = [f"{name}{i}@{SITE}" for i in range(count)]
        now = int(time.time())
        self.post("/counters/learn", json.dumps({"additions": [
            {"time": now - back * DAY, "space": "in", "pieces": [{"type": "recipient", "piece": who}], "add": {"mass": 1, "ham": 1}}
            for who in names for back in range(6)]}))
        return names

    def report(self, kind, people, letter):
        """Each says it of a copy of his own. `letter`: number -> message."""
        for number, who in enumerate(people):
            self.post(f"/report?kind={kind}&reporter={urllib.parse.quote(who)}", letter(1000 + number))

    def deliver(self, message, recipient, sender=SHOP):
        """"pass", "mark" or "reject"."""
        self.milter.client_ip = sender.client
        outcome = self.milter.send(message, f"bounce@{sender.domain}", recipient)
        if outcome.action != "accept":
            return outcome.action
        return "mark" if dict(outcome.added).get("X-Spam", "").strip() == "Yes" else "pass"

    def look(self, letter, sender=SHOP):
        """What becomes of copies of a letter in mailboxes whose owners said nothing."""
        scanned = self.daemon.run("scan", "--json", "--sender", f"bounce@{sender.domain}", "--recipient",
                                  f"bystander@{SITE}", "--client", sender.client, stdin=letter(1))
        if scanned.returncode != 0:
            raise AssertionError(scanned.stdout + scanned.stderr)
        actions = [self.deliver(letter(2 + i), f"bystander{i}@{SITE}", sender) for i in range(COPIES)]
        return Sight(round(json.loads(scanned.stdout)["score"], 1), sum(action != "pass" for action in actions),
                     sum(action not in ("pass", "mark") for action in actions), COPIES)


def made_up(count, name="sock"):
    return [f"{name}{i}@{SITE}" for i in range(count)]


def spam(people, **more):
    """The attack: so many people report the newsletter."""
    return lambda site: site.report("spam", people(site), lambda number: SHOP.letter(number, **more))


def newcomers(count, **more):
    return spam(lambda _: made_up(count), **more)


def residents(count, **more):
    return spam(lambda site: site.residents(count), **more)


def then(*steps):
    def run(site):
        for step in steps:
            step(site)
    return run


def wanted(people):
    return lambda site: site.report("ham", people(site), SHOP.letter)


def copies_first(count):
    """So many mailboxes get copies before anybody reports one."""
    return lambda site: [site.deliver(SHOP.letter(5000 + i), f"box{i}@{SITE}") for i in range(count)]


def everything(site):
    """One person reports a copy of each issue, many times."""
    for issue in (1, 2, 3):
        site.report("spam", ["eve@example.org"] * 60, lambda number, issue=issue: SHOP.letter(number, issue))


def trap_mail(site):
    """Somebody sends the text of the newsletter to a trap, which reports what it gets."""
    site.report("spam", [f"trap@{SITE}"], lambda number: SHOP.letter(number, proved=False))


def as_a_marked_sender(site):
    """Marks let the filter count the newsletter as spam, which other rules believe."""
    newcomers(50)(site)
    for i in range(150):
        site.deliver(SHOP.letter(6000 + i), f"box{i}@{SITE}")


@dataclasses.dataclass
class Attack:
    name: str
    # "nothing"; "marked" at most; "copies marked" at most, and no other letter; "caught": the attackers' own mail;
    # "rejected": that many people may, but another letter is not
    goal: str
    do: object
    # Whose name the settings of the package believe: then those who were made up are people.
    needs_earned: bool = False


ATTACKS = [
    Attack("one newcomer, one report", "nothing", newcomers(1), True),
    Attack("one newcomer, 180 reports of three issues", "nothing", everything, True),
    Attack("three newcomers", "copies marked", newcomers(3), True),
    Attack("five made-up people", "copies marked", newcomers(5), True),
    Attack("fifty made-up people", "copies marked", newcomers(50), True),
    Attack("fifty made-up people, forged", "copies marked", newcomers(50, proved=False), True),
    Attack("fifty made-up people, 150 copies later", "copies marked", as_a_marked_sender, True),
    Attack("fifty made-up people, then one resident wants it", "nothing",
           then(newcomers(50), wanted(lambda site: site.residents(1))), True),
    Attack("one resident wants it, then 1200 made-up people", "nothing",
           then(wanted(lambda site: site.residents(1)), newcomers(1200)), True),
    Attack("one resident", "nothing", residents(1)),
    Attack("one resident and fifty made-up people", "marked", then(residents(1), newcomers(50)), True),
    Attack("two residents", "marked", residents(2)),
    Attack("two residents and fifty made-up people", "marked", then(residents(2), newcomers(50)), True),
    Attack("thirty residents conspire", "rejected", residents(30)),
    Attack("thirty residents conspire, then a trusted person wants it", "nothing",
           then(residents(30), wanted(lambda _: [f"judge@{SITE}"]))),
    Attack("closed by a trusted person, then thirty residents", "nothing",
           then(residents(1), wanted(lambda _: [f"judge@{SITE}"]), spam(lambda site: site.residents(30, "other")))),
    Attack("five residents report forged copies", "nothing", residents(5, proved=False)),
    Attack("its text sent once to a trusted trap", "marked", trap_mail),
    # The newsletter is the spam here, and its sender attacks.
    Attack("spam: 19 copies before two residents report it", "caught", then(copies_first(19), residents(2))),
    Attack("spam: 20 copies before two residents report it", "caught", then(copies_first(20), residents(2))),
    Attack("spam: 200 copies before two residents report it", "caught", then(copies_first(200), residents(2))),
    Attack("spam: 100 residents, then three made-up people want it", "caught",
           then(residents(100), wanted(lambda _: made_up(3))), True),
    Attack("spam: 100 newcomers, then three made-up people want it", "caught",
           then(newcomers(100), wanted(lambda _: made_up(3, "friend"))), True),
]


def measure(attack, overrides):
    """What becomes of the next copies, and of another letter of the same template."""
    with Site(overrides) as site:
        attack.do(site)
        return site.look(SHOP.letter), site.look(lambda number: SHOP.letter(number, issue=9))


def misses(attack, sights):
    """Why a goal is not met; empty if it is."""
    copies, others = sights
    out = []
    if attack.goal == "caught" and copies.marked < copies.of:
        out.append(f"{copies.of - copies.marked} copies pass")
    if attack.goal in ("nothing", "marked", "copies marked") and copies.rejected:
        out.append("rejected")
    if attack.goal == "nothing" and copies.marked:
        out.append("marked")
    if attack.goal in ("nothing", "copies marked") and others.marked or others.rejected:
        out.append("another letter rejected" if others.rejected else "another letter marked")
    return out
