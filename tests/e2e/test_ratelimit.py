# Covers milter/cli/commands/buckets_command.cpp, milter/desk/bucket_names.cpp, milter/desk/bucket_client.cpp.
"""Rate limits through a real Postfix: who is put off, who passes, and whose drops come back.

Buckets that must not drain while a test runs leak once an hour; the one that must drains in seconds.
"""

import pathlib
import signal
import socket
import sys
import unittest
import urllib.error
import urllib.request

import harness
from limited_mail import SECONDS, SENDER, LimitedMail, letter
from mta import SaslServer, Sendmail

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "samples"


class RateLimits(LimitedMail):
    def test_the_burst_passes_then_one_waits_while_others_pass(self):
        self.start(**{"rates.to": "[2, 0.1]"})
        with self.session() as smtp:
            self.fill_by_a_burst_of_two(smtp)
        self.assertRegex(self.daemon.log(), r"limit action=tempfail bucket=to:full@example.org .*again_in=\d+s")
        harness.wait_until(lambda: self.passes("full@example.org"), SECONDS, "the bucket has leaked")
        self.assertEqual({"to": 4}, self.drops("taken"))
        harness.wait_until(lambda: len(self.sink.messages()) == 4, SECONDS, "four messages are delivered")

    def test_pipelined_recipients_are_judged_one_by_one(self):
        self.start(**{"rates.to": "[1, 1 / 1h]"})
        self.assertTrue(self.passes("full@example.org"))
        with socket.create_connection(("127.0.0.1", self.mta.port), timeout=SECONDS) as raw, \
                raw.makefile("rb") as lines:
            def reply():
                while (line := lines.readline())[3:4] == b"-":
                    pass
                return line
            self.assertTrue(reply().startswith(b"220"))
            raw.sendall(b"EHLO client.example.net\r\n")
            self.assertTrue(reply().startswith(b"250"))
            raw.sendall(b"MAIL FROM:<sender@example.net>\r\nRCPT TO:<a@example.org>\r\n"
                        b"RCPT TO:<FULL@example.org>\r\nRCPT TO:<b@example.org>\r\nRCPT TO:<a@EXAMPLE.org>\r\nDATA\r\n")
            codes = [reply() for _ in range(6)]
            self.assertEqual([b"250", b"250", b"451", b"250", b"250", b"354"], [code[:3] for code in codes], codes)
            raw.sendall(letter("pipelined") + b".\r\nQUIT\r\n")
            self.assertTrue(reply().startswith(b"250"))
        self.sink.wait_for(b"Subject: pipelined")
        self.assertEqual({"to": 3}, self.drops("taken"), "a@ was named twice and is one drop")

    def test_what_is_not_sent_in_the_end_gives_its_drops_back(self):
        self.start(**{"rates.to": "[1, 1 / 1h]"})
        with self.session() as smtp:
            for _ in range(3):
                self.assertEqual(250, smtp.mail(SENDER)[0])
                self.assert_taken(smtp.rcpt("a@example.org"))
                smtp.rset()
            self.assertEqual(250, smtp.mail(SENDER)[0])
            self.assert_taken(smtp.rcpt("a@example.org"))  # and the client is gone
        harness.wait_until(lambda: self.held("to:a@example.org") == 0, SECONDS, "the drop comes back")
        self.assertTrue(self.passes("a@example.org"))
        self.assertEqual({"to": 4}, self.drops("given_back"))

    def test_a_refused_message_gives_its_drops_back(self):
        self.start(**{"rates.to": "[1, 1 / 1h]", "rates.ip": "[1, 1 / 1h]"})
        offer = (SAMPLES / "1-offer.eml").read_bytes()
        self.assertEqual(0, self.daemon.run("add", "--flag", "denied", "--weight", "20", stdin=offer).returncode)
        with self.session() as smtp:
            for _ in range(2):
                (reply,), end = self.offer(smtp, "a@example.org", message=offer)
                self.assert_taken(reply)
                self.assertEqual(550, end[0], end)
        self.assertEqual(0, self.held("to:a@example.org"))
        self.assertTrue(self.passes("a@example.org"))
        self.assertEqual({"to": 3, "ip": 3}, self.drops("taken"))
        self.assertEqual({"to": 2, "ip": 2}, self.drops("given_back"))

    def test_many_recipients_are_no_way_around_the_limit_of_a_client(self):
        self.start(**{"rates.ip": "[2, 1 / 1h]", "rates.to": "[1, 1 / 1h]", "max_rcpts": 3})
        many = [f"r{i}@example.org" for i in range(6)]
        self.assertTrue(self.passes(*many))
        self.assertEqual([1, 1, 1, 0], [round(self.held(f"to:r{i}@example.org")) for i in range(4)])
        with self.session() as smtp:
            replies, end = self.offer(smtp, *many)
            for reply in replies[:3]:
                self.assert_put_off(reply)
            for reply in replies[3:]:
                self.assert_taken(reply)
            self.assertEqual(250, end[0], end)
            replies, _ = self.offer(smtp, *[f"s{i}@example.org" for i in range(6)])
            for reply in replies:
                self.assert_put_off(reply)

    def test_of_many_recipients_none_counts_where_it_says_so(self):
        self.start(**{"rates.ip": "[4, 1 / 1h]", "rates.to": "[1, 1 / 1h]", "max_rcpts": 3, "above_max_rcpts": "none"})
        many = [f"r{i}@example.org" for i in range(5)]
        for _ in range(2):
            self.assertTrue(self.passes(*many))
        self.assertTrue(self.passes("r0@example.org"))
        self.assertFalse(self.passes("r0@example.org"))
        self.assertTrue(self.passes("r9@example.org"))
        self.assertFalse(self.passes(*many), "the client's limit")

    def test_at_the_end_all_recipients_wait_or_none(self):
        self.start(**{"rates.to": "[1, 1 / 1h]", "when": "end_of_message"})
        self.assertTrue(self.passes("a@example.org"))
        with self.session() as smtp:
            replies, end = self.offer(smtp, "a@example.org", "b@example.org")
            for reply in replies:
                self.assert_taken(reply)
            self.assert_put_off(end)
        self.assertTrue(self.passes("b@example.org"))

    def test_a_symbol_marks_instead(self):
        self.start(**{"rates.to": "[1, 1 / 1h]", "symbol": "RATELIMIT"})
        with self.session() as smtp:
            for number in range(3):
                (reply,), end = self.offer(smtp, "a@example.org", message=letter(f"number-{number}"))
                self.assert_taken(reply)
                self.assertEqual(250, end[0], end)
        first = self.sink.wait_for(b"Subject: number-0")
        third = self.sink.wait_for(b"Subject: number-2")
        self.assertNotIn(b"RATELIMIT", first)
        self.assertIn(b"RATELIMIT(1.81)", third, "2 tanh(3 / 2)")
        self.assertRegex(third, rb"X-Shingled-Result: RATELIMIT; type=to drops=3\.0 burst=1\s+again=\d+h")
        self.assertNotIn(b"to:a@", third)
        self.assertRegex(self.daemon.run("buckets", "list").stdout, r"(?m)^to:a@example\.org +3\.0 of 1 ")

    def test_buckets_are_seen_and_reset_on_this_machine_only(self):
        self.start(**{"rates.to": "[1, 1 / 1h]"})
        self.assertTrue(self.passes("a@example.org"))
        self.assertFalse(self.passes("a@example.org"))
        self.assertRegex(self.daemon.run("buckets", "list", "a@").stdout, r"(?m)^to:a@example\.org +1\.0 of 1 ")
        self.assertEqual(0, self.daemon.run("buckets", "reset", "to:a@example.org").returncode)
        self.assertTrue(self.passes("a@example.org"))
        self.assertEqual(0, self.daemon.run("buckets", "set", "to:b@example.org", "1").returncode)
        self.assertFalse(self.passes("b@example.org"))
        self.assertEqual(66, self.daemon.run("buckets", "show", "to:nobody@example.org").returncode)

        def status(path, method, **headers):
            request = urllib.request.Request(f"http://127.0.0.1:{self.daemon.status_port}{path}", method=method,
                                             headers={key.replace("_", "-"): text for key, text in headers.items()})
            try:
                return urllib.request.urlopen(request, timeout=SECONDS).status
            except urllib.error.HTTPError as refusal:
                return refusal.code
        bucket = "/api/1/buckets/to:b@example.org"
        for why, code, arguments in [
                ("no header: a page in a browser", 403, (bucket, "DELETE", {})),
                ("a browser without its token", 403, (bucket, "DELETE", {"X_Shingled": "1", "Origin": "http://localhost"})),
                ("a name made to point here", 421, (bucket, "DELETE", {"X_Shingled": "1", "Host": "evil.example"})),
                ("a proxy", 401, (bucket, "DELETE", {"X_Shingled": "1", "X_Forwarded_For": "192.0.2.1"})),
                ("a link only looks", 200, (bucket, "GET", {"X_Shingled": "1"})),
                ("a proxy may not look", 401, ("/api/1/buckets", "GET", {"X_Forwarded_For": "192.0.2.1"})),
                ("other pages take no POST", 405, ("/stat", "POST", {"X_Shingled": "1"}))]:
            path, method, headers = arguments
            self.assertEqual(code, status(path, method, **headers), why)
        self.assertFalse(self.passes("b@example.org"), "nothing of that has emptied it")

    def test_a_changed_list_is_in_force_without_a_reload(self):
        exempt = self.tmp / "exempt"
        exempt.write_text("# nobody\n")
        self.start(**{"rates.to": "[1, 1 / 1h]", "whitelisted_rcpts": str(exempt)})
        self.assertTrue(self.passes("a@example.org"))
        self.assertFalse(self.passes("a@example.org"))
        exempt.write_text("a@example.org\n")
        harness.wait_until(lambda: self.passes("a@example.org"), SECONDS, "the list is read again")

    def test_a_reload_keeps_the_buckets(self):
        self.start(**{"rates.to": "[1, 1 / 1h]"})
        self.assertTrue(self.passes("a@example.org"))
        self.daemon.signal(signal.SIGHUP)
        harness.wait_until(lambda: "reloaded" in self.daemon.log(), SECONDS, "the settings are read again")
        self.assertFalse(self.passes("a@example.org"))

    def test_a_restart_keeps_the_buckets_and_they_are_seen_without_a_daemon(self):
        self.start(**{"rates.to": "[1, 1 / 1h]"})
        self.assertTrue(self.passes("a@example.org", "b@example.org"))
        self.daemon.restart()
        self.assertFalse(self.passes("a@example.org"))
        self.daemon.stop()
        self.assertIn("to:b@example.org", self.daemon.run("buckets", "list").stdout)
        done = self.daemon.run("buckets", "reset", "to:b@example.org")
        self.assertEqual(0, done.returncode, done.stderr)
        self.daemon.start()
        self.assertTrue(self.passes("b@example.org"))
        self.assertFalse(self.passes("a@example.org"))

    def test_log_only_says_so_and_puts_nothing_off(self):
        self.start(**{"rates.to": "[1, 1 / 1h]", "log_only": "yes"})
        for _ in range(3):
            self.assertTrue(self.passes("a@example.org"))
        self.assertIn("limit action=pass bucket=to:a@example.org", self.daemon.log())
        self.assertEqual({"to": 2}, self.drops("refused"))

    def test_a_user_is_limited_by_his_login_whoever_he_says_he_is(self):
        with SaslServer({"bob": "secret", "eve": "other"}) as sasl:
            self.start({"main_cf": sasl.postfix_settings()}, **{"rates.user": "[2, 1 / 1h]"})
            with self.session() as smtp:
                for number in range(3):
                    (reply,), _ = self.offer(smtp, f"r{number}@example.org")
                    self.assert_taken(reply)  # no login, no bucket
            with self.session() as smtp:
                smtp.login("bob", "secret")
                for number in range(2):
                    (reply,), end = self.offer(smtp, f"r{number}@example.org")
                    self.assert_taken(reply)
                    self.assertEqual(250, end[0], end)
                (reply,), _ = self.offer(smtp, "r2@example.org")
                self.assert_put_off(reply)
            with self.session() as smtp:
                smtp.login("eve", "other")
                (reply,), end = self.offer(smtp, "r2@example.org")
                self.assert_taken(reply)
        self.assertEqual(2, round(self.held("user:bob")))
        self.assertEqual(1, round(self.held("user:eve")))

    def test_a_message_of_more_recipients_than_a_burst_passes_when_the_bucket_is_empty(self):
        self.start(**{"rates.to_domain": "[2, 1 / 1h]", "when": "end_of_message"})
        many = [f"r{i}@example.org" for i in range(4)]
        self.assertTrue(self.passes(*many))
        self.assertEqual(2, round(self.held("to_domain:example.org")))
        self.assertFalse(self.passes(*many))
        self.assertRegex(self.daemon.log(),
                         r'action=tempfail .*bucket to_domain:example.org holds 2.0 of 2, again in \d+h')


class RateLimitsThroughSendmail(LimitedMail):
    mta_class = Sendmail

    def test_the_burst_passes_then_one_waits_while_others_pass(self):
        self.start(**{"rates.to": "[2, 1 / 1h]"})
        with self.session() as smtp:
            self.fill_by_a_burst_of_two(smtp)
            self.assertEqual(250, smtp.mail(SENDER)[0])
            self.assert_taken(smtp.rcpt("given-up@example.org"))
            smtp.rset()
        harness.wait_until(lambda: self.held("to:given-up@example.org") == 0, SECONDS, "the drop comes back")
        self.assertEqual({"to": 4}, self.drops("taken"))
        self.assertEqual({"to": 1}, self.drops("refused"))
        harness.wait_until(lambda: len(self.sink.messages()) == 3, SECONDS, "three messages are delivered")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
