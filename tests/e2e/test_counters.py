# Covers storage/open_store.cpp.
"""The daemon counts mail that comes through a real Postfix: pieces, recipients that were refused, retries."""

import http.client
import json
import shutil
import signal
import socket
import unittest

import harness
from counted_mail import FILES, INCOMING, LINKS, SECONDS, SENDER, Counted, checksum, letter
from test_redis import Redis

MESSAGES = 200
RECIPIENTS = 150
PEOPLE = [f"r{number}@example.org" for number in range(RECIPIENTS)]


class ThroughPostfix(Counted):
    def test_recipients_that_the_server_refuses_are_counted_without_a_message(self):
        self.start(main_cf=["smtpd_recipient_restrictions = check_recipient_access inline:{gone@example.org=REJECT}"])
        with self.session() as smtp:
            codes, end = self.offer(smtp, letter(1), ["gone@example.org", "here@example.org"])
            self.assertEqual(([554, 250], 250), (codes, end))
            codes, end = self.offer(smtp, letter(2), ["gone@example.org"] * 3)
            self.assertEqual([554] * 3, codes)
            self.assertEqual(250, smtp.mail(SENDER)[0])
            self.assertEqual(554, smtp.rcpt("gone@example.org")[0])  # and the client is gone
        self.wait_for("refused_recipients", 5)
        self.assertEqual(1, self.metric("messages"))

    def test_refused_recipients_take_no_drops(self):
        self.start(main_cf=["smtpd_recipient_restrictions = check_recipient_access inline:{gone@example.org=REJECT}"],
                   overrides=["ratelimit.rates.ip=[1, 1 / 1h]", f"ratelimit.file={self.tmp / 'ratelimit.db'}"])
        with self.session() as smtp:
            codes, end = self.offer(smtp, letter(1), ["gone@example.org"] * 2)
            self.assertEqual(([554, 554], None), (codes, end))
            codes, end = self.offer(smtp, letter(2), ["gone@example.org", "here@example.org"])
            self.assertEqual(([554, 250], 250), (codes, end))
            codes, end = self.offer(smtp, letter(3), ["here@example.org"])
            self.assertEqual([451], codes, "the limit is reached by what was accepted")
        self.wait_for("refused_recipients", 3)
        self.wait_for("messages", 1)

    def test_macros_set_for_another_milter_hide_nothing(self):
        """The filter asks for its own. Such settings hid logins, refused recipients and names of queue files."""
        self.start(overrides=["milter.local_networks=[192.0.2.0/24]"], main_cf=[
            "smtpd_recipient_restrictions = check_recipient_access inline:{gone@example.org=REJECT}",
            "smtpd_authorized_xclient_hosts = 127.0.0.1",
            *(f"milter_{step}_macros = j" for step in ("connect", "helo", "mail", "rcpt", "data", "end_of_data"))])
        with self.session() as smtp:
            smtp.ehlo("client.example.net")
            self.assertEqual(220, smtp.docmd("XCLIENT", "LOGIN=bob")[0])
            smtp.ehlo("client.example.net")
            codes, end = self.offer(smtp, letter(1), ["gone@example.org", "here@example.org"])
            self.assertEqual(([554, 250], 250), (codes, end))
        self.wait_for("refused_recipients", 1)
        self.wait_for("messages", 1)
        line = next(line for line in self.daemon.log().splitlines() if " info message " in line)
        self.assertIn("class=authenticated", line)
        self.assertRegex(line, r"queue_id=[0-9A-Za-z]{6,}")

    def test_a_retry_counts_once(self):
        self.start(overrides=["milter.actions.tempfail=5", "milter.actions.reject=null"])
        message = letter(7)
        done = self.daemon.run("add", "--flag", "denied", "--weight", "20", stdin=message)
        self.assertEqual(0, done.returncode, done.stderr)
        with self.session() as smtp:
            for _ in range(3):
                codes, end = self.offer(smtp, message, ["here@example.org"])
                self.assertEqual(([250], 451), (codes, end))
        self.wait_for("retries", 2)
        self.assertEqual(1, self.metric("messages"))

    def test_a_folder_that_cannot_be_used_leaves_the_mail_alone(self):
        (self.tmp / "counters").write_text("not a folder")
        self.start()
        self.assertIn("counters_off", self.daemon.log())
        with self.session() as smtp:
            self.assertEqual(([250], 250), self.offer(smtp, letter(1), ["here@example.org"]))
        self.assertEqual([], self.metrics("shingled_counting_messages"))

class AllNumbers(Counted):
    """What the commands say, beside a list of all messages."""

    def setUp(self):
        super().setUp()
        self.wait_for_a_long_day()

    def assert_masses(self):
        expected = self.tally.mass + self.tally.different()
        got = self.asked(list(expected))
        self.assertEqual({}, {piece: (mass, got[piece]) for piece, mass in expected.items() if got[piece] != mass})

    def assert_all_numbers(self):
        self.assert_masses()
        expected = self.tally.mass + self.tally.different()
        files = [("attachment", checksum(name)) for name in FILES] + [("attachment_name", name) for name in FILES]
        for piece in [("sender", SENDER), ("unique_recipients", SENDER), ("client", "127.0.0.1"),
                      ("subject", "offer 000"), ("recipient", PEOPLE[0]), ("recipient", PEOPLE[-1]),
                      ("sender_recipient", SENDER, PEOPLE[0]), ("sender_recipient", SENDER, PEOPLE[-1]),
                      ("unique_attachment_recipients", checksum("data.bin")), *files,
                      *(("link_host", host) for host in LINKS)]:
            with self.subTest(piece=piece):
                shown = self.shown(*piece)
                self.assertEqual(expected[piece], shown["mass"])
                if not piece[0].startswith("unique_"):
                    self.assertEqual(shown["mass"], shown["ham"])
                    self.assertEqual(shown["mass"], shown["recipients"])
        self.assertEqual({}, self.shown("sender", SENDER, space="out"))
        self.assertEqual([self.tally.mass["link_host", host] for host in LINKS], [n for _, n in self.top("link_host")])
        self.assertEqual([self.tally.mass["sender", SENDER]], [n for _, n in self.top("sender")])
        self.assertEqual([RECIPIENTS], [n for _, n in self.top("unique_recipients")])
        self.assertEqual([2, 2, 2], [n for _, n in self.top("recipient", "--limit", "3")])

    def test_each_message_counts_once_and_a_crash_loses_nothing(self):
        self.start(overrides=[INCOMING])
        self.send(range(MESSAGES), PEOPLE)
        self.wait_for("messages", MESSAGES)
        self.assertEqual(0, self.metric("failures"))
        self.assertEqual(0, self.metric("retries"))
        self.assertEqual(0, self.metric("pieces_dropped"))
        stages = {sample["labels"]["stage"]: sample["value"]["count"]
                  for sample in self.metrics("shingled_counting_stage_seconds")}
        # The history keeps the counters of each message, so they are asked.
        self.assertEqual({"pieces": MESSAGES, "ask": MESSAGES, "add": MESSAGES}, stages)
        self.assertRegex(self.daemon.log(), r"started .*counters=")
        self.assert_all_numbers()
        before = self.export()
        self.daemon.kill9()
        self.daemon.start()
        self.assertEqual(before, self.export())
        self.assert_all_numbers()
        self.daemon.restart()
        self.assertEqual(before, self.export())
        # What comes now is new in nothing but its numbers.
        self.send(range(MESSAGES, MESSAGES + 5), PEOPLE)
        self.wait_for("messages", 5)
        self.assert_masses()
        self.assertEqual(["counters: no problem found"], [line.partition(";")[0] for line in self.command("verify")])

    def test_in_redis(self):
        redis = self.redis()
        self.start(overrides=[INCOMING, f"counters.servers={redis.address}", "counters.redis.timeout=5s"])
        self.send(range(MESSAGES), PEOPLE)
        self.wait_for("messages", MESSAGES)
        self.assert_masses()
        self.daemon.kill9()  # a part is not sent yet
        self.daemon.start()
        self.wait_until_sent()
        self.assert_all_numbers()
        before = self.export()
        self.daemon.stop()
        # Without the daemon the commands ask Redis.
        self.assertEqual(before, self.export())
        self.assertEqual(MESSAGES, self.shown("sender", SENDER)["mass"])

    def test_what_came_while_redis_was_away_arrives_once(self):
        redis = self.redis()
        redis.__exit__()
        self.start(overrides=[INCOMING, f"counters.servers={redis.address}", "counters.redis.timeout=1s"])
        self.send(range(10), PEOPLE[:4])
        self.wait_for("messages", 10)
        self.daemon.kill9()
        self.daemon.start()
        self.send(range(10, 20), PEOPLE[:4])
        self.wait_for("messages", 10)
        self.assertEqual(0, self.metric("failures"))
        self.assertIsNone(self.asked([("sender", SENDER)])["sender", SENDER], "it is not known")
        redis.__enter__()
        self.wait_until_sent()
        self.assert_masses()
        self.assertEqual(20, self.shown("sender", SENDER)["mass"])
        self.assertEqual(4, self.shown("unique_recipients", SENDER)["mass"])

    def wait_until_sent(self):
        harness.wait_until(lambda: self.metrics("shingled_counters_journal_bytes")[0]["value"] == 0, SECONDS,
                           "nothing waits for Redis")

    def redis(self):
        for program in ("redis-server", "redis-cli"):
            if not shutil.which(program):
                self.skipTest(f"{program} is not installed")
        return self.enterContext(Redis(self.tmp, keeps=("--appendonly", "no")))


class HttpOverUnix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=SECONDS)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


class Settings(Counted):
    def test_names_show_the_pieces(self):
        self.start(overrides=[INCOMING, "counters.names=yes", "counters.names_mass=2"])
        self.send(range(5), ["often@example.org", "often@example.org", "seldom@example.org"])
        self.wait_for("messages", 5)
        self.assertEqual([(LINKS[0], 5), (LINKS[1], 3), (None, 1)], self.top("link_host"))
        self.assertEqual([("often@example.org", 4), (None, 1)], self.top("recipient"))
        self.assertEqual([(SENDER, 5)], self.top("sender"))
        self.assertEqual([(SENDER, 2)], self.top("unique_recipients"))
        self.assertEqual([("invoice.pdf", 5), ("data.bin", 2)], self.top("attachment_name"))
        self.assertRegex("\n".join(self.command("top", "--type", "link_host")), rf"(?m)^ *5 +in +link_host +{LINKS[0]}$")
        self.daemon.restart()
        self.assertEqual([("often@example.org", 4), (None, 1)], self.top("recipient"), "they are kept")

    def test_a_unix_socket_takes_and_answers(self):
        path = self.tmp / "counters.sock"
        port = harness.free_port()
        self.start(overrides=[INCOMING, f"http.listen=['127.0.0.1:{port}', 'unix:{path}']", "http.body_bytes_max=4K"])
        self.daemon.status_port = port
        self.send(range(3), ["here@example.org"])
        self.wait_for("messages", 3)
        self.assertEqual(0o660, path.stat().st_mode & 0o777)
        body = json.dumps({"space": "in", "pieces": [{"type": "link_host", "piece": LINKS[0]},
                                                     {"type": 30, "piece": [SENDER, "there@example.org"]}],
                           "windows": ["1h", "14d"], "add": {"mass": 2, "complaint": 1}})
        asked = '{"pieces": [{"type": "link_host", "piece": "example.org"}]}'
        for size, status in ((4096, 200), (4097, 413)):
            connection = HttpOverUnix(path)
            connection.request("POST", "/api/1/counters/ask", body=asked.ljust(size), headers={"X-Shingled": "1"})
            self.assertEqual(status, connection.getresponse().status)
            connection.close()
        for before in (3, 5):
            connection = HttpOverUnix(path)
            connection.request("POST", "/api/1/counters/take", body=body, headers={"X-Shingled": "1"})
            reply = connection.getresponse()
            answer = json.loads(reply.read())
            connection.close()
            self.assertEqual(200, reply.status, answer)
            self.assertEqual([before, before - 3], [one["sums"][1].get("mass", 0) for one in answer["counters"]])
        self.assertEqual((7, 2), tuple(self.shown("link_host", LINKS[0])[name] for name in ("mass", "complaint")))
        self.assertEqual(2, self.shown("unique_recipients", SENDER)["mass"])

    def test_a_second_daemon_on_the_folder_goes_on_with_mail(self):
        (self.tmp / "second").mkdir()
        first = self.enterContext(harness.Daemon(self.tmp))
        self.daemon = self.enterContext(harness.Daemon(
            self.tmp / "second", overrides=[INCOMING, f"counters.directory={self.tmp / 'counters'}"]))
        self.assertIn("counters_off", self.daemon.log())
        self.assertNotIn("counters_off", first.log())
        self.serve_mail(self.daemon)
        self.send(range(1), PEOPLE)
        self.assertEqual([], self.metrics("shingled_counting_messages"))
        first.stop()
        self.daemon.signal(signal.SIGHUP)
        harness.wait_until(lambda: self.metrics("shingled_counting_messages"), SECONDS, "a reload takes the folder")
        self.send(range(1, 2), PEOPLE)
        self.wait_for("messages", 1)


if __name__ == "__main__":
    unittest.main()
