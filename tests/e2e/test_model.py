# Covers config/sections/model.cpp, milter/api/model_resource.cpp, milter/boosting/main.cpp, milter/boosting/training.cpp,
# milter/cli/commands/model_command.cpp, milter/cli/model/model_run.cpp, milter/cli/model/model_show.cpp,
# milter/learning/model_keeper.cpp, milter/learning/model_status.cpp, milter/learning/model_trial.cpp,
# milter/learning/training_process.cpp, milter/model/model_mode.cpp, milter/view/model_json.cpp.
"""Two weeks of mail with a moved clock: a training is refused while there is too little, then a model is trained, tried, put
in force, marks the first message of a campaign that nobody has reported and says why, and is taken back."""

import http.client
import json
import pathlib
import random
import sys
import time
import unittest

import harness

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "bench"), str(ROOT / "packaging")]

import dated_replay  # noqa: E402 (needs the path above)
from milter_client import MilterClient  # noqa: E402

SECONDS = 60
DAYS = 14
BAD_A_DAY = 32     # 448 in two weeks, 400 are needed
WANTED_A_DAY = 62  # 868, 800 are needed
EX_DATAERR = 65
TRAINER = pathlib.Path(harness.BINARY).with_name("shingled-train")


def words(dice, count):
    return " ".join("".join(dice.choice("bdfgklmnprstvw") + dice.choice("aeiou") for _ in range(dice.randint(2, 4)))
                    for _ in range(count))


def bad_mail(number):
    """Each is a campaign of its own: a new sender, a new text, many links."""
    dice = random.Random(f"bad {number}")
    name = words(dice, 1) + str(number)
    links = "\n".join(f"http://{words(dice, 1)}{number}.example/{words(dice, 1)}" for _ in range(4))
    text = words(dice, 40)
    return f"{name}@{name}.example", (
        f"From: <{name}@{name}.example>\nTo: someone@site.example\nSubject: {words(dice, 3)}\n"
        f"Message-ID: <{number}@{name}.example>\n\n{text}\n{links}\n").encode()


def wanted_mail(number):
    """From one of few people who write often."""
    dice = random.Random(f"wanted {number}")
    friend = f"friend{number % 12}@partner.example"
    return friend, (f"From: <{friend}>\nTo: someone@site.example\nSubject: {words(dice, 4)}\n"
                    f"Message-ID: <w{number}@partner.example>\n\n{words(dice, 60)}\n").encode()


@unittest.skipUnless(dated_replay.library(), "libfaketime is not here (Debian: faketime)")
@unittest.skipUnless(TRAINER.exists(), "built without XGBoost")
class Model(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        for name in ("etc/shingled.yaml", "policy.yaml", "policy-shingler.yaml"):
            source = ROOT / "packaging" / name
            (self.tmp / source.name).write_text(source.read_text())
        self.start = time.time() - DAYS * 86400 + 3600
        fixed = ("storage.queue_wait_max=0", "policy.model.score_max=6", "reports.domain=site.example")
        self.daemon = self.enterContext(dated_replay.DatedDaemon(self.tmp, fixed, self.tmp / "shingled.yaml", self.start))
        self.client = None
        self.count = 0

    def run_model(self, *arguments, code=0):
        done = self.daemon.run("model", *arguments)
        self.assertEqual(code, done.returncode, f"{arguments}: {done.stdout}{done.stderr}")
        return done.stdout

    def send(self, sender, message):
        self.count += 1
        client = MilterClient(f"127.0.0.1:{self.daemon.milter_port}")
        outcome = client.send(message, sender, ["someone@site.example"], f"Q{self.count}")
        client.close()
        return outcome

    def report(self, message, person):
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.status_port, timeout=60)
        connection.request("POST", f"/api/1/reports?kind=spam&reporter=person{person}%40site.example", message,
                           {"X-Shingled": "1", "Content-Type": "message/rfc822"})
        answer = connection.getresponse()
        self.assertEqual(200, answer.status, answer.read())
        connection.close()

    def call(self, method, path, status=200):
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.status_port, timeout=60)
        connection.request(method, path, headers={"X-Shingled": "1"})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        self.assertEqual(status, answer.status, body)
        return json.loads(body)

    def live_days(self, days):
        """All bad mail is reported after the last of its day: when it comes nobody has said anything of it."""
        for day in days:
            self.daemon.set(self.start + day * 86400)
            bad = [bad_mail(day * BAD_A_DAY + i) for i in range(BAD_A_DAY)]
            wanted = [wanted_mail(day * WANTED_A_DAY + i) for i in range(WANTED_A_DAY)]
            mails = bad + wanted
            random.Random(day).shuffle(mails)  # else the number of the mail of a day tells both apart
            for sender, message in mails:
                self.send(sender, message)
            for person, (_, message) in enumerate(bad):
                self.report(message, person)

    def wait_for_model(self, model_id):
        harness.wait_until(lambda: self.call("GET", "/api/1/model")["id"] == model_id, SECONDS, "the daemon takes it in")

    def test_a_model_is_trained_put_in_force_and_taken_back(self):
        with self.subTest("too few messages"):
            self.live_days(range(3))
            harness.wait_until(lambda: "of 400 bad messages" in self.daemon.run("model", "train").stdout, SECONDS, "refused")
            said = self.run_model("train", code=EX_DATAERR)
            self.assertRegex(said, r"refused: too few messages: 9\d of 400 bad messages, 1\d\d of 800 wanted ones; "
                                   r"the missing ones take about \d+\.\d days at the present rate")
            status = json.loads(self.run_model("show", "--json"))
            self.assertIn("there is no model yet", status["off"])
            self.assertEqual("refused", status["run"]["result"])
            self.call("POST", "/api/1/model/live", 409)
            self.call("POST", "/api/1/model/rollback", 409)

        self.live_days(range(3, DAYS))
        harness.wait_until(lambda: json.loads(self.run_model("show", "--json"))["needs"]["bad"] >= 440, SECONDS,
                           "the history has all messages and labels")
        with self.subTest("trained"):
            said = self.run_model("train")
            self.assertTrue(said.startswith("published: "), said)
            status = json.loads(self.run_model("show", "--json"))
            self.assertGreater(status["figures"]["both"]["recall_1000"], 0.9)
            self.assertGreaterEqual(status["figures"]["both"]["recall_1000"], status["figures"]["rules"]["recall_1000"])
            self.assertEqual([], [one["name"] for one in status["features"] if one["suspect"]])
            self.assertEqual("shadow", status["mode"])
            self.assertIsNotNone(status["drift"])
            tried = json.loads(self.run_model("try", "--json", "--since", "14d"))
            self.assertGreater(tried["spam"]["marked_with"], tried["spam"]["marked_before"])
            self.assertEqual(tried["ham"]["marked_with"], tried["ham"]["marked_before"])
        first = status["id"]
        self.wait_for_model(first)

        with self.subTest("in shadow it has no effect"):
            outcome = self.send(*bad_mail(100_001))
            self.assertNotIn("X-Spam", dict(outcome.added))
            self.assertRegex(self.daemon.log(), r"MODEL \+\d")

        with self.subTest("in force"):
            self.assertEqual("score", self.call("POST", "/api/1/model/live")["mode"])
            sender, message = bad_mail(100_002)
            outcome = self.send(sender, message)
            added = dict(outcome.added)
            self.assertEqual("Yes", added.get("X-Spam", "").strip(), outcome.added)
            self.assertRegex(" ".join(value for _, value in outcome.added), r"MODEL \+[2-6]\.\d\d: [a-z_. 0-9]+ \(\+")
            self.assertNotEqual("reject", outcome.action)
            scanned = json.loads(self.daemon.run("scan", "--json", "--sender", sender, "--recipient", "someone@site.example",
                                                 "--client", "198.51.100.9", stdin=bad_mail(100_003)[1]).stdout)
            word = scanned["model"]
            self.assertEqual(word["score"], sum(item["score"] for item in word["contributions"]))
            self.assertIn("MODEL", self.daemon.run("scan", stdin=message).stdout)
            explained = json.loads(self.daemon.run("explain", "--json", "--recipient", "someone@site.example", stdin=message).stdout)
            word = explained["model"]
            self.assertEqual(word["score"], sum(item["score"] for item in word["contributions"]))
            told = self.daemon.run("explain", "--recipient", "someone@site.example", stdin=message).stdout
            self.assertIn(word["contributions"][0]["feature"], told)
            shown = harness.wait_until(lambda: self.found(f"Q{self.count}"), SECONDS, "the row is there")
            self.assertAlmostEqual(shown["model"]["score"],
                                   next(item["score"] for item in shown["evidence"] if item["symbol"] == "MODEL"))
            wanted = self.send(*wanted_mail(100_000))
            self.assertNotIn("X-Spam", dict(wanted.added))

        with self.subTest("it stays so over a restart"):
            self.daemon.restart()
            self.assertEqual("score", self.call("GET", "/api/1/model")["mode"])

        with self.subTest("rolled back"):
            # They are bad, and whoever says nothing of a message calls it wanted.
            for number in (100_001, 100_002):
                self.report(bad_mail(number)[1], number % 30)
            harness.wait_until(lambda: len(self.daemon.run("history", "--json", "--label", "spam", "--limit", "1000")
                                           .stdout.splitlines()) >= DAYS * BAD_A_DAY + 2, SECONDS, "they are labelled")
            said = self.run_model("train")
            second = json.loads(self.run_model("show", "--json"))
            self.assertNotEqual(first, second["id"], said)
            self.assertEqual(first, second["before"]["id"])
            self.wait_for_model(second["id"])
            self.run_model("rollback")
            self.wait_for_model(first)
            self.assertEqual(second["id"], self.call("POST", "/api/1/model/rollback")["id"])

        with self.subTest("a file that cannot be used changes nothing"):
            file = self.tmp / "model.json"
            good = file.read_text()
            file.write_text(good.replace('"left":[1,', '"left":[0,', 1))
            harness.wait_until(lambda: "model_unreadable" in self.daemon.log(), SECONDS, "it is told")
            status = self.call("GET", "/api/1/model")
            self.assertEqual((second["id"], "score"), (status["id"], status["mode"]))
            self.assertIn("a child comes before its parent", status["off"])
            file.write_text(good)

        with self.subTest("a training that the daemon starts"):
            self.call("POST", "/api/1/model/train", 202)
            self.run_model("shadow")
            harness.wait_until(lambda: self.call("GET", "/api/1/model")["mode"] == "shadow", SECONDS, "in shadow again")
            harness.wait_until(lambda: self.call("GET", "/api/1/model")["run"]["state"] == "idle", SECONDS, "it has ended")

    def found(self, queue_id):
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.status_port, timeout=60)
        connection.request("GET", f"/api/1/messages/{queue_id}")
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return json.loads(body) if answer.status == 200 else None


if __name__ == "__main__":
    unittest.main()
