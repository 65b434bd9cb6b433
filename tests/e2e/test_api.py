# Covers milter/api/scan_resource.cpp, milter/api/messages/hash_resource.cpp, milter/api/messages/list_resource.cpp,
# milter/api/file_resource.cpp, milter/api/hash_list_resource.cpp, milter/cli/commands/elsewhere.cpp.
"""What the page and programs do over the API: try a message, forget a hash and put it back, allow and block senders,
look at known files. The mail comes through a real Postfix."""

import json
import threading
import unittest
import urllib.error
import urllib.parse
import urllib.request

import harness
from counted_mail import INCOMING, SECONDS, SENDER, Counted, letter

HASHES, UNDO, SCAN = "/api/1/hashes", "/api/1/hashes/undo", "/api/1/scan"


def call(daemon, method, path, body=None, **arguments):
    """The status and the object of an answer."""
    query = "?" + urllib.parse.urlencode(arguments) if arguments else ""
    request = urllib.request.Request(f"http://127.0.0.1:{daemon.status_port}{path}{query}", data=body, method=method,
                                     headers={"X-Shingled": "test", "Content-Type": "message/rfc822"})
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as answer:
        with answer:
            return answer.code, json.load(answer)


class Api(Counted):
    def ask(self, method, path, body=None, **arguments):
        status, answer = call(self.daemon, method, path, body, **arguments)
        self.assertEqual(200, status, answer)
        return answer

    def refused(self, status, detail, method, path, body=None, **arguments):
        code, answer = call(self.daemon, method, path, body, **arguments)
        self.assertEqual(status, code, answer)
        self.assertIn(detail, answer["detail"])

    def teach(self, message, weight="20"):
        done = self.daemon.run("add", "--flag", "denied", "--weight", weight, stdin=message)
        self.assertEqual(0, done.returncode, done.stderr)

    def deliver(self, numbers, **options):
        """The answers. What follows an answer, the counting and the row of the history, is done, too."""
        before = len(self.rows())
        with self.session() as smtp:
            answers = [self.offer(smtp, letter(number), ["a@example.org"], **options)[1] for number in numbers]
        harness.wait_until(lambda: len(self.rows()) == before + len(numbers), SECONDS, "the messages are in the history")
        return answers

    def rows(self):
        return self.ask("GET", "/api/1/messages", most="100")["messages"]


class Scan(Api):
    def test_a_scan_says_what_the_milter_does_and_leaves_no_trace(self):
        self.start(overrides=[INCOMING])
        self.teach(letter(7))
        self.deliver([1, 7])
        rows = self.rows()
        counted, fired = self.metric("shingled_counting_messages"), self.metric("shingled_counting_pieces")
        top = self.ask("GET", HASHES + "/top")
        for _ in range(3):
            scanned = self.ask("POST", SCAN, letter(7), ip="127.0.0.1", to="a@example.org", helo="x",
                               **{"from": SENDER})
        self.assertEqual(rows[0]["action"], scanned["action"])
        self.assertAlmostEqual(rows[0]["score"], scanned["score"], places=2)
        self.assertEqual({item["symbol"] for item in rows[0]["evidence"]}, {item["symbol"] for item in scanned["symbols"]})
        match = scanned["matches"][0]
        self.assertEqual(match["matched"], next(item["hash"] for item in scanned["symbols"] if item["hash"]))
        known = [piece for piece in scanned["counters"] if piece["type"] == "sender"]
        self.assertEqual(2, known[0]["sums"]["1d"]["mass"], "before it, and not of itself")
        self.assertEqual(rows, self.rows())
        self.assertEqual(top, self.ask("GET", HASHES + "/top"), "a scan is no hit")
        self.assertEqual((counted, fired), (self.metric("shingled_counting_messages"),
                                            self.metric("shingled_counting_pieces")))
        shown = json.loads(self.daemon.run("scan", "--json", stdin=letter(7)).stdout)
        self.assertEqual(shown["action"], scanned["action"])
        self.assertEqual([one["digest"] for one in shown["lookups"]], [one["digest"] for one in scanned["hashes"]])

    def test_many_scans_at_once_and_hostile_ones(self):
        self.start(overrides=["http.timeout=10min"])  # requests stand aside for all else on this machine
        nested = b"Content-Type: multipart/mixed; boundary=a\r\n\r\n" + \
            b"--a\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n" * 4000
        bodies = [letter(1), nested, b"\0" * 100000, b"\xff" * 500_000, b"Subject: " + b"=?utf-8?q?" * 50000,
                  b"Content-Type: text/html\r\n\r\n" + b"<div>" * 40000, b"\r\n"]
        answers = []
        threads = [threading.Thread(target=lambda body=body: answers.append(call(self.daemon, "POST", SCAN, body)))
                   for body in bodies * 2]
        for thread in threads:
            thread.start()
        self.assertEqual(200, urllib.request.urlopen(f"http://127.0.0.1:{self.daemon.status_port}/healthz").status)
        for thread in threads:
            thread.join()
        self.assertEqual(len(threads), len(answers))
        self.assertLessEqual({status for status, _ in answers}, {200, 429, 503}, answers)
        self.assertIn(200, {status for status, _ in answers})
        self.refused(400, "the body is empty", "POST", SCAN, b"")
        self.refused(400, "ip: is not an address", "POST", SCAN, letter(1), ip="x")

    def test_a_stop_does_not_wait_for_scans(self):
        self.start()
        threads = [threading.Thread(target=self.give_up) for _ in range(6)]
        for thread in threads:
            thread.start()
        self.assertEqual(0, self.daemon.stop())
        for thread in threads:
            thread.join()

    def give_up(self):
        try:
            call(self.daemon, "POST", SCAN, letter(3) * 200)
        except (OSError, ValueError):
            pass  # the server has ended


class Hashes(Api):
    def test_a_hash_is_forgotten_and_put_back(self):
        self.start(overrides=[INCOMING])
        self.teach(letter(7))
        self.deliver([7])
        total = self.ask("GET", HASHES)
        self.assertEqual("denied", total["lists"][0]["name"])
        scanned = self.ask("POST", SCAN, letter(7))
        text = next(match for match in scanned["matches"] if match["kind"] in ("text", "robust_text"))
        one = self.ask("GET", f"{HASHES}/{text['matched']}")
        self.assertEqual(20, one["flags"][0]["value"])
        self.assertIsNone(one["taught_by"])
        effect = self.ask("DELETE", f"{HASHES}/{text['matched']}", **{"try": "yes"})
        self.assertEqual((1, 1), (effect["messages"], effect["matched"]))
        self.assertEqual(total, self.ask("GET", HASHES))

        gone = self.ask("DELETE", f"{HASHES}/{text['matched']}")
        self.assertIn(text["matched"], [hash["digest"] for hash in gone["forgotten"]])
        self.refused(404, "not stored", "GET", f"{HASHES}/{text['matched']}")
        self.assertLess(self.ask("GET", HASHES)["total"], total["total"])
        back = self.ask("POST", UNDO, b"", token=gone["undo"])
        self.assertEqual(gone["forgotten"], back["restored"])
        self.assertEqual(total, self.ask("GET", HASHES))
        again = self.ask("POST", SCAN, letter(7))
        self.assertEqual([match["matched"] for match in scanned["matches"]],
                         [match["matched"] for match in again["matches"]], "near copies are found as before")
        self.daemon.restart()
        self.assertEqual(total["total"], self.ask("GET", HASHES)["total"])
        self.refused(404, "nothing was forgotten", "POST", UNDO, b"", token=gone["undo"])

    def test_people_who_reported_it_are_named(self):
        self.start(overrides=[INCOMING, "reports.trusted_reporters=[postmaster@example.org]"])
        self.ask("POST", "/api/1/reports", letter(7), kind="spam", reporter="postmaster@example.org")
        scanned = self.ask("POST", SCAN, letter(7))
        one = self.ask("GET", f"{HASHES}/{scanned['matches'][0]['matched']}")
        self.assertEqual(1, one["taught_by"]["spam"])
        self.assertEqual("spam", one["taught_by"]["people"][0]["says"])
        self.refused(400, "128 hexadecimal digits", "GET", f"{HASHES}/{one['digest'][:20]}")


class Elsewhere(Api):
    """Commands of a host that has no daemon, with a key of one that has."""

    def ask_there(self, command, *arguments, code=0, **options):
        key = self.tmp / "there.key"
        if not key.exists():
            key.write_text(self.daemon.run("key", "add", "there", "--role", "read").stdout.splitlines()[0])
            key.chmod(0o600)
        there = f"http://127.0.0.1:{self.daemon.status_port}"
        harness.wait_until(lambda: self.is_known(there, key.read_text()), SECONDS, "the key is known")
        done = harness.run(command, "--server", there, "--key-file", key, *arguments, **options)
        self.assertEqual(code, done.returncode, done.stderr)
        return done

    def is_known(self, there, key):
        request = urllib.request.Request(there + HASHES, headers={"Authorization": f"Bearer {key}"})
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:
                return answer.status == 200
        except urllib.error.HTTPError as answer:
            answer.close()
            return False

    def start_there(self):
        self.start(overrides=[INCOMING, "http.local=off", f"http.keys_file={self.tmp / 'http.keys'}"])
        self.teach(letter(7))

    def ask(self, method, path, body=None, **arguments):
        raise NotImplementedError("nobody may ask without a key")

    def test_check_asks_the_daemon_of_another_machine(self):
        self.start_there()
        here = json.loads(self.daemon.run("check", "--json", stdin=letter(7)).stdout)
        there = json.loads(self.ask_there("check", "--json", stdin=letter(7)).stdout)
        self.assertTrue(there["found"])
        self.assertEqual(set(here), set(there))
        for mine, its in zip(here["lookups"], there["lookups"], strict=True):
            self.assertEqual(set(mine), set(its))
            self.assertEqual([mine[name] for name in ("digest", "result", "flags", "matched")],
                             [its[name] for name in ("digest", "result", "flags", "matched")])
        self.assertIn("look-ups found", self.ask_there("check", stdin=letter(7)).stdout)
        self.assertFalse(json.loads(self.ask_there("check", "--json", "--flag", "white", stdin=letter(7)).stdout)["found"])
        self.ask_there("check", "--flag", "unheard-of", stdin=letter(7), code=64)

    def test_list_asks_it_too(self):
        self.start_there()
        here = [json.loads(line) for line in self.daemon.run("list", "--json", "--order", "value").stdout.splitlines()]
        there = [json.loads(line) for line in self.ask_there("list", "--json", "--order", "value").stdout.splitlines()]
        self.assertEqual({one["digest"] for one in here}, {one["digest"] for one in there})
        self.assertEqual(1, len(self.ask_there("list", "--limit", "1").stdout.splitlines()) - 1)
        self.assertEqual("", self.ask_there("list", "--flag", "white", "--json").stdout)
        digest = here[0]["digest"]
        found = self.ask_there("list", "--json", "--digest", digest[:12]).stdout
        self.assertEqual([digest], [json.loads(line)["digest"] for line in found.splitlines()])
        self.ask_there("list", "--limit", "0", code=64)

    def test_nobody_there_is_told(self):
        done = harness.run("list", "--server", f"http://127.0.0.1:{harness.free_port()}")
        self.assertIn(done.returncode, (69, 75), done.stderr)


class Lists(Api):
    def test_an_entry_is_tried_added_and_taken_away(self):
        self.start(overrides=[INCOMING])
        self.teach(letter(7))
        self.assertEqual([550], [code for code in self.deliver([7])])
        entry = "client 127.0.0.1"
        effect = self.ask("POST", "/api/1/lists/allow", b"", entry=entry, **{"try": "yes"})
        self.assertEqual((1, 1), (effect["matched"], effect["would_change"]), effect)
        self.assertEqual(("reject", "pass"), (effect["examples"][0]["action"], effect["examples"][0]["would_be"]))
        self.assertEqual([], self.ask("GET", "/api/1/lists/allow")["entries"])

        added = self.ask("POST", "/api/1/lists/allow", b"", entry=entry, reason="ours")
        self.assertTrue(added["added"])
        harness.wait_until(lambda: self.ask("POST", SCAN, letter(7), ip="127.0.0.1")["action"] == "pass", SECONDS,
                           "it is in force")
        self.assertEqual([250], self.deliver([7]))
        self.assertEqual(entry, self.ask("GET", "/api/1/lists/allow", part="OURS")["entries"][0]["entry"])
        self.assertIn("ours", self.daemon.run("allow", "list").stdout)
        undo = added["undo"]
        self.ask(undo["method"], undo["path"])
        harness.wait_until(lambda: self.ask("POST", SCAN, letter(7), ip="127.0.0.1")["action"] == "reject", SECONDS,
                           "it is gone")

    def test_a_sender_is_blocked(self):
        self.start(overrides=[INCOMING])
        self.assertEqual([250], self.deliver([1]))
        effect = self.ask("POST", "/api/1/lists/block", b"", entry=f"sender {SENDER}", **{"try": "yes"})
        self.assertEqual((1, "reject"), (effect["would_change"], effect["examples"][0]["would_be"]), effect)
        self.ask("POST", "/api/1/lists/block", b"", entry=f"sender {SENDER}")
        harness.wait_until(lambda: self.deliver([2]) == [550], SECONDS, "its mail is refused")
        self.refused(400, "an entry begins with", "POST", "/api/1/lists/block", b"", entry=SENDER)
        self.refused(404, "has no entry", "DELETE", "/api/1/lists/block", entry="sender nobody@example.org")


class Files(Api):
    def test_known_files_are_listed(self):
        self.start(overrides=["similar.enabled=yes", f"similar.file={self.tmp / 'similar.db'}",
                              "similar.lists=[{name: bad, score: 8}]"])
        self.assertEqual([], self.ask("GET", "/api/1/files")["files"])
        for number in range(3):
            sample = self.tmp / f"sample{number}.bin"
            sample.write_bytes(bytes((i * (number + 3)) % 251 for i in range(20000)))
            done = self.daemon.run("similar", "add", "--list", "bad", str(sample))
            self.assertEqual(0, done.returncode, done.stderr)
        first = self.ask("GET", "/api/1/files", most="2")
        self.assertEqual(2, len(first["files"]))
        rest = self.ask("GET", "/api/1/files", cursor=first["next"])
        self.assertEqual((1, None), (len(rest["files"]), rest["next"]))
        self.assertEqual("bad", first["lists"][0]["list"])

    def test_what_is_off_says_so(self):
        self.start()
        self.assertIn("similar.enabled", self.ask("GET", "/api/1/files")["off"])


if __name__ == "__main__":
    unittest.main()
