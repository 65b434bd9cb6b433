# Covers milter/api/system/overview_resource.cpp, milter/api/system/overview_advice.cpp, milter/api/messages/rule_resource.cpp,
# milter/api/messages/rule_request.cpp, milter/api/system/event_resource.cpp, milter/api/system/event_hub.cpp, milter/api/system/system_facts.cpp,
# milter/daemon/site_facts.cpp, milter/http/streamed_response.cpp, milter/desk/daemon_history.cpp.
"""What somebody sees who watches a running daemon: numbers, rules and what becomes of a decision, events as they happen,
facts; and the same from another machine."""

import http.client
import json
import pathlib
import signal
import socket
import struct
import sys
import time
import unittest

import harness

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "packaging"))

from milter_client import MilterClient  # noqa: E402 (needs the path above)

SECONDS = 30
RULES = """policy:
  live: []
  promote: ask
  rules:
    MANY_LINKS: {if: links >= 2, score: 4.5, group: marks, shadow: yes, reason: too many}
    FEW_BYTES: {if: bytes < 10M, score: 0.5}
"""


def letter(number, links=0):
    text = " ".join(f"https://l{number}x{i}.example.com/a/{i}" for i in range(links))
    return (f"From: a{number}@sender.example\r\nTo: b@example.org\r\nSubject: Letter {number}\r\n"
            f"Message-ID: <{number}@sender.example>\r\n\r\nGood day number {number}. {text}\r\n").encode()


class Watched(unittest.TestCase):
    overrides = ()

    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.config = self.tmp / "shingled.yaml"
        self.config.write_text(RULES)
        self.keys = self.tmp / "http.keys"
        self.users = self.tmp / "users"
        self.daemon = self.enterContext(harness.Daemon(self.tmp, config=self.config, overrides=(
            "history.names=subject", f"http.keys_file={self.keys}", f"http.users_file={self.users}", *self.overrides)))
        self.url = f"http://127.0.0.1:{self.daemon.status_port}"

    def ask(self, method, path, body=None, **fields):
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.status_port, timeout=60)
        fields = {"X-Shingled": "yes", **{name.replace("_", "-"): value for name, value in fields.items()}}
        if body is not None:
            fields["Content-Type"] = "application/json"
        connection.request(method, "/api/1/" + path, None if body is None else json.dumps(body), fields)
        reply = connection.getresponse()
        text = reply.read().decode()
        connection.close()
        return reply.status, json.loads(text) if text.startswith("{") else text

    def get(self, path):
        status, answer = self.ask("GET", path)
        self.assertEqual(200, status, answer)
        return answer

    def post(self, path, body=None, method="POST"):
        status, answer = self.ask(method, path, body)
        self.assertEqual(200, status, answer)
        return answer

    def send(self, *messages):
        client = MilterClient(f"127.0.0.1:{self.daemon.milter_port}")
        outcomes = [client.send(message, "a@sender.example", ["b@example.org"]) for message in messages]
        client.close()
        return [outcome.action if outcome.action != "accept" else
                "add_header" if dict(outcome.added).get("X-Spam", "").strip() == "Yes" else "pass" for outcome in outcomes]

    def rule(self, name="MANY_LINKS"):
        found, = [rule for rule in self.get("rules")["rules"] if rule["name"] == name]
        return found

    def run_ok(self, *arguments, **options):
        done = self.daemon.run(*arguments, **options)
        self.assertEqual(0, done.returncode, f"{arguments}: {done.stdout}{done.stderr}")
        return done.stdout


class Overview(Watched):
    def test_counts_messages_and_says_what_is_missing(self):
        before = self.get("overview")
        self.assertEqual((144, 600, 0), (len(before["minutes"]), before["step"], before["messages"]))
        steps = {step["step"]: step for step in before["setup"]}
        self.assertEqual((False, True, True), tuple(steps[name]["done"] for name in ("mail", "history", "live")))
        self.assertIn("shingled setup postfix", steps["mail"]["command"])
        self.send(*(letter(number) for number in range(3)))
        for span, count in (("1h", 60), ("24h", 144), ("14d", 168)):
            with self.subTest(span=span):
                after = self.get("overview?span=" + span)
                self.assertEqual((count, 3, True), (len(after["minutes"]), after["messages"], after["complete"]))
                self.assertEqual(3, sum(minute["actions"].get("pass", 0) for minute in after["minutes"]))
                self.assertEqual(3, sum(group["messages"] for group in after["scores"]))
        self.assertTrue({step["step"]: step["done"] for step in after["setup"]}["mail"])
        self.assertGreater(after["verdict_ms"]["p99"], 0)
        self.assertEqual(400, self.ask("GET", "overview?span=2h")[0])

    def test_is_read_from_the_history_after_a_restart(self):
        self.send(*(letter(number) for number in range(5)))
        self.daemon.restart()
        harness.wait_until(lambda: self.get("overview")["complete"], SECONDS, "all of it is counted")
        self.assertEqual(5, self.get("overview")["messages"])
        self.send(letter(9))
        self.assertEqual(6, self.get("overview")["messages"])

    def test_errors_need_attention(self):
        key = self.run_ok("key", "add", "numbers", "--role", "metrics").splitlines()[0]
        self.config.write_text(RULES + "nonsense: {}\n")
        self.daemon.signal(signal.SIGHUP)
        harness.wait_until(lambda: "settings" in [one["what"] for one in self.get("overview")["attention"]], SECONDS,
                           "the wrong settings are told")
        groups = {group["name"]: group["facts"] for group in self.get("system")["groups"]}
        self.assertIn("reload_failed", [fact["name"] for fact in groups["warnings"]])
        self.assertEqual("bad", {fact["name"]: fact["state"] for fact in groups["daemon"]}["settings"])
        for name in ("daemon", "mail", "storage", "counters", "history", "files", "disk", "versions"):
            self.assertTrue(groups[name], name)
        harness.wait_until(lambda: self.ask("GET", "system", X_Shingled_Key=key)[0] == 200, SECONDS, "it is known")
        self.assertEqual([], self.ask("GET", "system", X_Shingled_Key=key)[1]["groups"], "numbers alone")


class Rules(Watched):
    def test_a_decision_is_in_force_at_once_and_after_restarts(self):
        self.assertEqual(["pass"], self.send(letter(1, links=3)))
        rule = self.rule()
        self.assertEqual((True, False, 1, 1, None), (rule["shadow"], rule["live"], rule["fired"], rule["messages"],
                                                     rule["decision"]))
        effect = self.post("rules/MANY_LINKS/live?try=yes")
        self.assertEqual((1, [{"from": "pass", "to": "add_header", "count": 1}]),
                         (effect["would_change"], effect["changes"]))
        self.assertEqual("Letter 1", effect["examples"][0]["subject"])
        self.assertTrue(self.rule()["shadow"], "it was only tried")

        live = self.post("rules/MANY_LINKS/live")
        self.assertEqual((True, "live", "DELETE"), (live["live"], live["decision"]["to"], live["undo"]["method"]))
        self.assertEqual(["add_header"], self.send(letter(2, links=3)), "in force when it is answered")
        self.daemon.restart()
        self.assertEqual(["add_header"], self.send(letter(3, links=3)))
        self.daemon.signal(signal.SIGHUP)
        harness.wait_until(lambda: "reloaded" in self.daemon.log(), SECONDS, "a reload")
        self.assertEqual(["add_header"], self.send(letter(4, links=3)))
        self.assertIn("live since", json.dumps(json.loads(self.run_ok("policy", "status", "--json"))))
        self.assertIn("MANY_LINKS", self.run_ok("scan", stdin=letter(5, links=3)))

        shadow = self.post("rules/MANY_LINKS/shadow")
        self.assertEqual((False, {"method": "POST", "path": "/api/1/rules/MANY_LINKS/live"}),
                         (shadow["live"], shadow["undo"]))
        self.assertEqual(["pass"], self.send(letter(6, links=3)))
        self.assertIsNone(self.post(shadow["undo"]["path"].removeprefix("/api/1/"))["judgement"])
        self.assertEqual(["add_header"], self.send(letter(7, links=3)), "undone")
        self.assertIsNone(self.post("rules/MANY_LINKS/decision", method="DELETE")["decision"])
        self.assertEqual(["pass"], self.send(letter(8, links=3)))

    def test_a_rule_in_force_goes_into_shadow(self):
        self.assertTrue(self.rule("FEW_BYTES")["live"])
        self.assertFalse(self.post("rules/FEW_BYTES/shadow")["live"])
        self.daemon.restart()
        self.assertFalse(self.rule("FEW_BYTES")["live"])
        self.assertTrue(self.post("rules/FEW_BYTES/decision", method="DELETE")["live"])

    def test_what_the_settings_keep_stays(self):
        self.config.write_text(RULES.replace("live: []", "live: [-MANY_LINKS]"))
        self.daemon.restart()
        status, answer = self.ask("POST", "rules/MANY_LINKS/live")
        self.assertEqual(409, status)
        self.assertIn("-MANY_LINKS", answer["detail"])
        self.assertEqual(404, self.ask("POST", "rules/NOBODY/live")[0])

    def test_a_damaged_file_of_decisions_is_set_aside(self):
        self.post("rules/MANY_LINKS/live")
        self.daemon.stop()
        file = self.tmp / "history.db.decisions"
        file.write_text(file.read_text()[:-3])
        self.daemon.start()
        self.assertFalse(self.rule()["live"])
        self.assertIn("policy_decisions_unreadable", self.daemon.log())
        self.assertTrue((self.tmp / "history.db.decisions.unreadable").exists())

    def test_mistakes_have_a_place_and_a_hint(self):
        self.assertEqual({"ok": True, "mistakes": []}, self.post("rules/check", {"if": "links >= 2"}))
        answer = self.post("rules/check", {"if": "links => 2"})
        mistake, = answer["mistakes"]
        self.assertEqual((False, 7, 2, ">="), (answer["ok"], mistake["column"], mistake["length"], mistake["hint"]))
        umlaut, = self.post("rules/check", {"if": "header = \u00e4\u00f6 linkz"})["mistakes"][:1]
        self.assertLessEqual(umlaut["column"], 20, "characters, not bytes")
        self.assertEqual("links", self.post("rules/check", {"if": "linkz > 3"})["mistakes"][0]["hint"])
        for body in ({"if": 3}, {"when": "x"}, {"if": "local", "action": "destroy"}):
            self.assertEqual(400, self.ask("POST", "rules/check", body)[0], body)

    def test_a_rule_is_tried_on_the_history(self):
        self.send(*(letter(number, links=number % 4) for number in range(8)))
        tried = self.post("rules/try", {"name": "NEW", "if": "links >= 3", "score": 4.5})
        self.assertEqual((8, 2, 2, True), (tried["messages"]["all"], tried["hits"]["all"], tried["would_change"],
                                           tried["complete"]))
        self.assertEqual({"Letter 7", "Letter 3"}, {example["subject"] for example in tried["examples"]})
        status, wrong = self.ask("POST", "rules/try", {"name": "NEW", "if": "links >>", "score": 4.5})
        self.assertEqual(400, status)
        self.assertTrue(wrong["mistakes"])
        self.assertEqual(0, self.post("rules/try", {"if": "links >= 3", "score": 4.5, "since": "1h"})["unchecked"])


class Stream:
    """A reader of events."""

    def __init__(self, port, **fields):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
        self.socket.sendall(f"GET /api/1/events HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n".encode())
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        while self.file.readline().strip():
            pass
        self.text = b""
        if self.status != 200:
            self.close()

    def event(self):
        """The next event as (name, data); None at the end."""
        while b"\n\n" not in self.text:
            size = self.file.readline()
            if not size or int(size, 16) == 0:
                return None
            self.text += self.file.read(int(size, 16))
            self.file.readline()
        block, _, self.text = self.text.partition(b"\n\n")
        if not block.startswith(b"event: "):
            return self.event()
        name, data = block.decode().split("\n", 1)
        return name.removeprefix("event: "), json.loads(data.removeprefix("data: "))

    def message(self):
        """The next message."""
        while (event := self.event())[0] != "message":
            pass
        return event[1]

    def rest(self):
        """All events until the end."""
        out = []
        while (event := self.event()) is not None:
            out.append(event)
        return out

    def close(self):
        self.file.close()
        self.socket.close()


class Events(Watched):
    overrides = ("http.timeout=2s", "http.connections_max=600")

    def listen(self, **fields):
        stream = Stream(self.daemon.status_port, **fields)
        self.addCleanup(stream.close)
        self.assertEqual(200, stream.status)
        self.assertEqual("connected", stream.event()[1]["what"])
        return stream

    def test_messages_come_as_they_are_judged(self):
        first, second = self.listen(), self.listen()
        self.send(letter(1, links=3))
        for stream in (first, second):
            message = stream.message()
            self.assertEqual(("pass", "Letter 1"), (message["action"], message["subject"]))
        listed, = self.get("messages")["messages"]
        self.assertEqual(listed, message)

    def test_a_stream_outlives_the_time_of_a_connection(self):
        stream = self.listen()
        start = time.monotonic()
        # The heartbeat alone: several times http.timeout.
        while time.monotonic() - start < 6:
            harness.wait_until(lambda: self.get("system")["uptime"] > 0, SECONDS, "others are served meanwhile")
        self.send(letter(1))
        self.assertEqual("a@sender.example", stream.message()["sender"])

    def test_changes_of_the_state_are_told(self):
        stream = self.listen()

        def told(what):
            while (event := stream.event()) is not None and event[1].get("what") != what:
                pass
            self.assertIsNotNone(event)
            return event[1]

        self.daemon.signal(signal.SIGHUP)
        told("reload")
        self.post("rules/MANY_LINKS/live")
        self.assertEqual("rules", told("rule")["link"])
        self.config.write_text(RULES + "nonsense: {}\n")
        self.daemon.signal(signal.SIGHUP)
        self.assertIn("nonsense", told("error")["text"])

    def test_the_end_of_the_daemon_ends_it(self):
        stream = self.listen()
        self.assertEqual(0, self.daemon.stop())
        self.assertEqual("end", stream.rest()[-1][1]["what"])

    def test_a_session_that_ends_ends_it(self):
        self.run_ok("passwd", "ann", "--role", "read", stdin=b"correct horse battery\n")
        self.daemon.restart()
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.status_port, timeout=60)
        connection.request("POST", "/api/1/session", json.dumps({"name": "ann", "password": "correct horse battery"}),
                           {"Content-Type": "application/json", "X-Shingled": "yes"})
        reply = connection.getresponse()
        self.assertEqual(200, reply.status)
        token = json.loads(reply.read())["token"]
        cookie = reply.headers["Set-Cookie"].split(";")[0]
        connection.close()
        stream = self.listen(Cookie=cookie)
        self.send(letter(1))
        self.assertEqual("a@sender.example", stream.message()["sender"])
        self.assertEqual(200, self.ask("DELETE", "session", Cookie=cookie, X_Shingled_Token=token)[0])
        self.assertNotIn("message", [name for name, _ in stream.rest()], "signed out")

    def test_a_key_that_is_taken_away_ends_it(self):
        key = self.run_ok("key", "add", "watcher", "--role", "read").splitlines()[0]
        harness.wait_until(lambda: self.ask("GET", "rules", X_Shingled_Key=key)[0] == 200, SECONDS, "it is known")
        stream = self.listen(X_Shingled_Key=key)
        self.run_ok("key", "del", "watcher")
        self.assertNotIn("end", [data.get("what") for _, data in stream.rest()], "cut off")

    def test_there_are_at_most_64_readers(self):
        # An eighth of http.connections_max is for one address.
        streams = [self.listen() for _ in range(64)]
        self.assertEqual(503, Stream(self.daemon.status_port).status)
        for stream in streams[:10]:
            stream.close()
        self.send(*(letter(number) for number in range(20)))

        def free():
            self.send(letter(1))
            more = Stream(self.daemon.status_port)
            more.close()
            return more.status == 200

        harness.wait_until(free, SECONDS, "those who left are noticed")
        self.assertTrue(streams[-1].message())

    def test_who_does_not_read_is_cut_off_and_delays_nobody(self):
        slow = socket.socket()
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        self.addCleanup(slow.close)
        slow.connect(("127.0.0.1", self.daemon.status_port))
        slow.sendall(b"GET /api/1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        quick = self.listen()
        harness.wait_until(lambda: self.metric("shingled_events_readers") == 2, SECONDS, "both are known")
        # Of messages only a few are told at a time; of errors all.
        self.config.write_text(RULES + "".join(f"nonsense_{number}_{'x' * 200}: {{}}\n" for number in range(50)))

        def cut_off():
            self.daemon.signal(signal.SIGHUP)
            while quick.event()[1]["what"] != "error":
                pass
            return self.metric("shingled_events_readers") == 1

        # Because too much waits for it, or by http.timeout because it takes nothing: what comes first.
        harness.wait_until(cut_off, 2 * SECONDS, "the slow one is cut off")
        self.assertEqual(0, self.metric("shingled_events_dropped"))
        self.send(letter(1))
        self.assertEqual("a@sender.example", quick.message()["sender"])

    def metric(self, name):
        return self.get("system")["metrics"][name][0]["value"]

    def test_readers_that_come_and_go_do_no_harm(self):
        for number in range(150):
            stream = Stream(self.daemon.status_port)
            if number % 3 == 0:
                self.send(letter(number))
            if number % 5 == 0:  # without a goodbye
                stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            stream.close()
        harness.wait_until(lambda: self.send(letter(1)) and self.metric("shingled_events_readers") == 0, SECONDS,
                           "all have gone")
        self.listen()
        self.assertEqual(0, self.daemon.stop())


class FromElsewhere(Watched):
    """The commands on another machine say what they say here."""

    def test_they_are_the_same(self):
        self.send(*(letter(number, links=number) for number in range(4)))
        self.post("rules/MANY_LINKS/live")
        self.send(letter(5, links=3))
        names = [message["id"] for message in self.get("messages")["messages"]]
        queue_id = names[0].split("@")[0]
        key_file = self.tmp / "key"
        key_file.write_text(self.run_ok("key", "add", "elsewhere", "--role", "read").splitlines()[0] + "\n")
        key_file.chmod(0o600)
        harness.wait_until(lambda: self.ask("GET", "rules", X_Shingled_Key=key_file.read_text().strip())[0] == 200,
                           SECONDS, "the key is known")
        away = ("--server", self.url, "--key-file", str(key_file))
        empty = self.tmp / "elsewhere.yaml"
        empty.write_text("milter: {enabled: no}\n")
        for arguments in (["history"], ["history", "--json"], ["history", "--limit", "2", "--json"],
                          ["history", "--action", "pass"], ["history", "--symbol", "MANY_LINKS"],
                          ["history", "--subject", "letter 2"], ["history", "--from", "a@sender.example", "--json"],
                          ["history", "show", queue_id], ["history", "show", queue_id, "--json"],
                          ["history", "show", names[1]], ["history", "show", names[1], "--json"],
                          ["policy", "status"], ["policy", "status", "--json"]):
            with self.subTest(arguments=arguments):
                here = self.run_ok(*arguments)
                self.assertTrue(here.strip())
                there = harness.run(arguments[0], *arguments[1:], *away, "-c", empty, binary=self.daemon.binary)
                self.assertEqual((0, here), (there.returncode, there.stdout), there.stderr)
        none = harness.run("history", "show", "NOSUCHID", *away, "-c", empty, binary=self.daemon.binary)
        self.assertEqual((66, True), (none.returncode, "no such message" in none.stderr))

    def test_stat_asks_the_daemon(self):
        self.send(letter(1))
        empty = self.tmp / "elsewhere.yaml"
        empty.write_text("milter: {enabled: no}\n")
        there = harness.run("stat", "--server", self.url, "-c", empty, binary=self.daemon.binary)
        self.assertEqual(0, there.returncode, there.stderr)
        self.assertIn("serving", there.stdout)
        self.assertIn("messages: pass", there.stdout)
        page = json.loads(harness.run("stat", "--server", self.url, "--json", "-c", empty, binary=self.daemon.binary).stdout)
        self.assertTrue(page["ok"])
        self.assertEqual(set(json.loads(self.run_ok("stat", "--json"))["status"]), set(page["status"]))


if __name__ == "__main__":
    unittest.main()
