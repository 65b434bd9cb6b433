#!/usr/bin/env python3
"""What people who want to mislead it do to the model.

    SHINGLED_BINARY=build/release/milter/shingled tests/bench/model_abuse.py [NAME...]

Two weeks of the mail of tests/e2e/test_model.py (32 bad messages a day, each a campaign of its own, which one person reports in the
evening; 62 wanted ones a day), then a training; two more weeks of such mail with an attack among it, and another training on
these. Before and after: the word of the model, in points, on the attacker's next message to somebody else (mean of three), on the
next issue of a newsletter of an honest sender, on the first messages of campaigns (ten), on other wanted mail (the largest of
forty). `score_max` is 4, and from 4 points on a message is marked.
"""

import concurrent.futures
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ["SHINGLED_BINARY"] = os.path.abspath(os.environ.get("SHINGLED_BINARY", ROOT / "build/release/milter/shingled"))
sys.path[:0] = [str(ROOT / "tests" / "bench"), str(ROOT / "tests" / "e2e"), str(ROOT / "packaging")]

import dated_replay  # noqa: E402 (needs the path above)
import harness  # noqa: E402
import test_model as traffic  # noqa: E402
from milter_client import MilterClient  # noqa: E402

EX_SKIPPED = 77
DAYS = 14
SECONDS = 60
PROBES = 10
PEOPLE = 20
ISSUES = 10  # copies of the newsletter, a day

# name: (messages of the attacker to himself, a day; mailboxes of his that report them as wanted; people who report the newsletter)
ATTACKS = {
    "nobody": (0, 0, 0),
    "he sends himself 20 a day and says nothing": (20, 0, 0),
    "he sends himself 20 a day, and says they are wanted": (20, 1, 0),
    "the same, with ten mailboxes of his": (20, 10, 0),
    "60 a day, ten mailboxes": (60, 10, 0),
    "three people report each issue of a newsletter": (0, 0, 3),
    "ten people do": (0, 0, 10),
}


def attack_mail(number, name="mallory"):
    """His next campaign: as that of others, but from a host of his own."""
    _, message = traffic.bad_mail(f"{name}{number}")
    _, _, rest = message.partition(b"\nTo:")
    return f"offers@{name}.example", f"From: <offers@{name}.example>\nTo:".encode() + rest


def newsletter(day):
    dice = traffic.random.Random(f"issue {day}")
    links = "\n".join(f"http://news.honest.example/{traffic.words(dice, 1)}" for _ in range(6))
    return "news@honest.example", (
        f"From: The Honest News <news@honest.example>\nTo: someone@site.example\nSubject: {traffic.words(dice, 4)}\n"
        f"Message-ID: <n{day}@honest.example>\nList-Unsubscribe: <http://news.honest.example/off>\n\n{traffic.words(dice, 120)}\n"
        f"{links}\n").encode()


class Site:
    """A site with its mail, reports and trainings."""

    def __init__(self, daemon):
        self.daemon, self.count = daemon, 0

    def send(self, mail, box="someone"):
        self.count += 1
        client = MilterClient(f"127.0.0.1:{self.daemon.milter_port}")
        client.send(mail[1], mail[0], [f"{box}@site.example"], f"Q{self.count}")
        client.close()
        return f"Q{self.count}"

    def call(self, method, path, body=None):
        connection = traffic.http.client.HTTPConnection("127.0.0.1", self.daemon.status_port, timeout=60)
        connection.request(method, path, body, {"X-Shingled": "1", "Content-Type": "message/rfc822"})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return json.loads(text) if answer.status == 200 else None

    def report(self, mail, box, kind="spam"):
        self.call("POST", f"/api/1/reports?kind={kind}&reporter={box}%40site.example", mail[1])

    def day(self, day, attack=(0, 0, 0)):
        own, boxes, people = attack
        bad = [traffic.bad_mail(day * traffic.BAD_A_DAY + i) for i in range(traffic.BAD_A_DAY)]
        mails = [(mail, f"person{place % PEOPLE}") for place, mail in enumerate(bad)]
        mails += [(traffic.wanted_mail(day * traffic.WANTED_A_DAY + i), f"person{i % PEOPLE}") for i in range(traffic.WANTED_A_DAY)]
        issue = newsletter(day)
        mails += [(issue, f"person{reader}") for reader in range(ISSUES)]
        traffic.random.Random(day).shuffle(mails)
        for mail, box in mails:
            self.send(mail, box)
        for person, mail in enumerate(bad):
            self.report(mail, f"person{person % PEOPLE}")
        for i in range(own):
            mail, box = attack_mail(day * own + i), f"mallory{i % max(boxes, 1)}"
            self.send(mail, box)
            if boxes:
                self.report(mail, box, "ham")
        for person in range(people):
            self.report(issue, f"person{person}")

    def is_labelled(self, days):
        said = self.daemon.run("history", "--json", "--label", "spam", "--limit", "5000").stdout
        return len(said.splitlines()) >= (days - 1) * traffic.BAD_A_DAY

    def train(self, since):
        """`since`: the clock of the command is the real one."""
        said = self.daemon.run("model", "train", "--since", since).stdout.strip()
        model = json.loads(self.daemon.run("model", "show", "--json").stdout)["id"]
        if model:
            harness.wait_until(lambda: self.call("GET", "/api/1/model")["id"] == model, SECONDS, "the daemon takes it in")
        return said.partition(":")[0]

    def word(self, mail):
        queue_id = self.send(mail, f"person{PEOPLE - 1}")  # who does not read the newsletter
        found = harness.wait_until(lambda: self.call("GET", f"/api/1/messages/{queue_id}"), SECONDS, "the row is there")
        return found["model"]["score"] if found["model"] else float("nan")

    def probe(self, day, attacker):
        first = day * 10_000
        return (statistics.mean(self.word(attack_mail(first + i, attacker)) for i in range(3)), self.word(newsletter(first)),
                statistics.mean(self.word(traffic.bad_mail(first + i)) for i in range(PROBES)),
                max(self.word(traffic.wanted_mail(first + i)) for i in range(4 * PROBES)))


def measure(attack):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in ("shingled.yaml", "policy.yaml", "policy-shingler.yaml"):
            (folder / pathlib.Path(name).name).write_text((ROOT / "packaging" / name).read_text())
        start = time.time() - 2 * DAYS * dated_replay.DAY
        fixed = ("storage.queue_wait_max=0", "reports.domain=site.example", "history.keep=60d")
        with dated_replay.DatedDaemon(folder, fixed, folder / "shingled.yaml", start) as daemon:
            site = Site(daemon)
            answers = []
            for half in (0, 1):
                for day in range(half * DAYS, (half + 1) * DAYS):
                    daemon.set(start + day * dated_replay.DAY)
                    site.day(day, attack if half else (0, 0, 0))
                daemon.set(start + (half + 1) * DAYS * dated_replay.DAY - 3600)
                harness.wait_until(lambda days=(half + 1) * DAYS: site.is_labelled(days), SECONDS, "the history has the labels")
                # Before, somebody whom nobody knows sends what the attacker will send.
                answers.append((site.train("14d" if half else "40d"), site.probe(half + 1, "mallory" if half else "trudy")))
    return answers


def main():
    if not dated_replay.library() or not traffic.TRAINER.exists():
        print("skipped: libfaketime or shingled-train is not here")
        return EX_SKIPPED
    print("| attack | second training | his next message | newsletter | first messages of campaigns | wanted, largest |")
    print("|---|---|---|---|---|---|")
    wanted = {name: attack for name, attack in ATTACKS.items() if len(sys.argv) == 1 or any(part in name for part in sys.argv[1:])}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, answers in zip(wanted, pool.map(measure, wanted.values())):
            cells = [f"{before:+.2f} → {after:+.2f}" for before, after in zip(answers[0][1], answers[1][1])]
            print(f"| {name} | {answers[1][0]} | " + " | ".join(cells) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
