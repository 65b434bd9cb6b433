# Covers milter/cli/commands/status_commands.cpp, milter/desk/daemon_choice.cpp,
# milter/view/lines/status_lines.cpp.
"""The running daemon seen over HTTP: what it counts is what was sent, and nobody can make it say more."""

import http.client
import json
import math
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest

import harness
from test_cli import AGAIN, LETTER, OFFER, WithDaemon, objects

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packaging"))

from milter_client import MilterClient  # noqa: E402 (needs the path above)

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf'({NAME})(?:\{{((?:{NAME}="(?:[^"\\\n]|\\["\\n])*",?)*)\}})? (\S+)')
LABEL = re.compile(rf'({NAME})="((?:[^"\\\n]|\\["\\n])*)"')
OPENMETRICS = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.3,*/*;q=0.1"
SUFFIXES = {"counter": ["_total"], "gauge": [""], "histogram": ["_bucket", "_sum", "_count"]}


def parse_openmetrics(text):
    """Samples by name and labels; an AssertionError names the line that OpenMetrics 1.0 does not allow."""
    assert text.endswith("# EOF\n"), text[-100:]
    samples, kinds, family, closed = {}, {}, None, set()
    for line in text[:-len("# EOF\n")].splitlines():
        if line.startswith("# "):
            what, name, rest = line[2:].split(" ", 2)
            assert what in ("TYPE", "HELP", "UNIT"), line
            if name != family:
                assert what == "TYPE" and name not in closed, f"metrics stand together: {line}"
                closed.add(family)
                family = name
            if what == "TYPE":
                assert rest in SUFFIXES, line
                kinds[name] = rest
            if what == "UNIT":
                assert name.endswith("_" + rest), line
            continue
        match = SAMPLE.fullmatch(line)
        assert match, line
        name, labels, value = match.groups()
        assert any(name == family + suffix for suffix in SUFFIXES[kinds[family]]), line
        key = name, tuple(sorted(LABEL.findall(labels or "")))
        assert key not in samples, f"twice: {line}"
        samples[key] = float(value)
        if kinds[family] != "gauge":
            assert samples[key] >= 0 and not math.isnan(samples[key]), line
    check_histograms(samples)
    return samples


def check_histograms(samples):
    """Buckets rise up to the count of their histogram."""
    series = {}
    for (name, labels), value in samples.items():
        bound = dict(labels).get("le")
        if name.endswith("_bucket"):
            rest = tuple(label for label in labels if label[0] != "le")
            series.setdefault((name, rest), []).append((float(bound.replace("+Inf", "inf")), value))
    for (name, labels), buckets in series.items():
        buckets.sort()
        assert [count for _, count in buckets] == sorted(count for _, count in buckets), name
        assert buckets[-1][0] == math.inf, name
        assert buckets[-1][1] == samples[name[:-len("_bucket")] + "_count", labels], name


class Status(WithDaemon):
    def get(self, path, method="GET", headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.status_port, timeout=30)
        try:
            connection.request(method, path, headers=headers or {})
            reply = connection.getresponse()
            return reply.status, reply.read().decode()
        finally:
            connection.close()

    def metrics(self):
        status, text = self.get("/metrics", headers={"Accept": OPENMETRICS})
        self.assertEqual(200, status)
        return parse_openmetrics(text)

    def mail(self, message):
        client = MilterClient(f"127.0.0.1:{self.daemon.milter_port}")
        client.send(message.read_bytes())
        client.close()

    def value(self, name, **labels):
        return self.metrics().get((name, tuple(sorted(labels.items()))), 0)


class Counting(Status):
    overrides = ("storage.queue_wait_max=0",)  # on a busy machine packets wait; they are to be counted all the same

    def test_what_was_sent_is_what_is_counted(self):
        before = self.value("shingled_server_checks_total")
        self.ok("add", "--flag", "denied", "--weight", "20", OFFER)
        self.ok("add", "--flag", "white", LETTER)
        lookups = objects(self.ok("check", "--json", OFFER).stdout)[0]["lookups"]
        self.ok("del", LETTER)
        metrics = self.metrics()
        stored = sum(1 for lookup in lookups if lookup["result"] == "hit")
        # Each add asks what stands there now, check asks, del asks before and after; a letter has as many hashes.
        self.assertEqual(before + 5 * len(lookups), metrics["shingled_server_checks_total", ()])
        self.assertEqual(4 * stored, metrics["shingled_server_hits_total", ()])
        self.assertEqual(stored, metrics["shingled_storage_records", ()])
        self.assertEqual(stored, metrics["shingled_storage_flag_records", (("flag", "11"),)])
        self.assertEqual(20 * stored, metrics["shingled_storage_flag_value", (("flag", "11"),)])
        self.assertNotIn(("shingled_storage_flag_records", (("flag", "13"),)), metrics)
        self.assertEqual(metrics["shingled_server_adds_total", ()], metrics["shingled_storage_added_total", ()])
        self.assertEqual(metrics["shingled_server_deletes_total", ()], metrics["shingled_storage_deleted_total", ()])
        self.assertEqual(metrics["shingled_server_checks_total", ()],
                         metrics["shingled_storage_check_questions_sum", ()])
        self.assertEqual(metrics["shingled_storage_commits_total", ()],
                         metrics["shingled_storage_commit_seconds_count", ()])

    def test_packets_nobody_understands_are_counted(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for _ in range(5):
                sender.sendto(b"no command", ("127.0.0.1", self.daemon.fuzzy_port))
        harness.wait_until(lambda: self.value("shingled_server_drops_total", reason="invalid") == 5, 20,
                           "five packets are dropped")

    def test_requests_are_counted_by_protocol_version(self):
        before = {version: self.value("shingled_server_requests_total", version=version) for version in "34"}
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for version in (3, 3, 4):
                sender.sendto(bytes([version, 0, 0, 0]) + bytes(8) + bytes(64), ("127.0.0.1", self.daemon.fuzzy_port))
        harness.wait_until(lambda: [self.value("shingled_server_requests_total", version=version) - before[version]
                                    for version in "34"] == [2, 1], 20, "three requests of two versions are counted")

    def test_mail_is_counted_by_what_became_of_it(self):
        self.ok("add", "--flag", "denied", "--weight", "20", OFFER)
        for message in (OFFER, OFFER, LETTER):
            self.mail(message)
        metrics = self.metrics()
        by_action = {dict(labels)["action"]: value for (name, labels), value in metrics.items()
                     if name == "shingled_mail_messages_total" and value}
        self.assertEqual({"reject": 2, "pass": 1}, by_action)
        for stage in ("analysis", "hashing", "local_lookup", "total"):
            self.assertEqual(3, metrics["shingled_mail_stage_seconds_count", (("stage", stage),)], stage)
        self.assertEqual(0, metrics["shingled_mail_under_way", ()])

    def test_open_connections_and_the_servers_of_a_rule_are_there(self):
        other = harness.Daemon(harness.temporary_folder(self))
        other.start()
        self.addCleanup(other.stop)
        self.daemon.stop()
        self.daemon.extra.append(f"rules.local.servers=127.0.0.1:{other.fuzzy_port}")
        self.daemon.start()
        self.mail(OFFER)
        far = {"rule": "local", "server": f"127.0.0.1:{other.fuzzy_port}"}
        self.assertGreater(self.value("shingled_client_requests_total", **far), 0)
        self.assertEqual(self.value("shingled_client_requests_total", **far),
                         self.value("shingled_client_replies_total", **far))
        self.assertEqual(0, self.value("shingled_client_resting", **far))
        with socket.create_connection(("127.0.0.1", self.daemon.fuzzy_port)):
            harness.wait_until(lambda: self.value("shingled_server_tcp_open") == 1, 30, "the connection is counted")
        self.assertEqual(0, self.value("shingled_server_tcp_unsent_bytes"))

    def test_stat_has_the_same_numbers(self):
        self.ok("add", "--flag", "denied", OFFER)
        status, text = self.get("/stat")
        stat = json.loads(text)
        self.assertEqual((200, "serving"), (status, stat["state"]))
        self.assertGreater(stat["uptime"], 0)
        self.assertEqual(self.value("shingled_storage_records"), stat["metrics"]["shingled_storage_records"][0]["value"])
        self.assertEqual(self.value("shingled_storage_commit_seconds_count"),
                         stat["metrics"]["shingled_storage_commit_seconds"][0]["value"]["count"])


class Collectors(Status):
    def test_promtool_has_nothing_to_say(self):
        self.mail(OFFER)
        status, text = self.get("/metrics")
        self.assertEqual(200, status)
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
        self.assertEqual((0, "", ""), (checked.returncode, checked.stdout, checked.stderr))

    def test_the_process_and_its_settings_are_told(self):
        self.assertEqual(1, self.value("shingled_build_info", version=json.loads(self.get("/stat")[1])["version"]))
        status = pathlib.Path(f"/proc/{self.daemon.process.pid}/status").read_text()
        self.assertEqual(int(re.search(r"Threads:\s+(\d+)", status)[1]), self.value("process_threads"))
        self.assertGreater(self.value("process_cpu_seconds_total"), 0)
        self.assertGreater(self.value("process_resident_memory_bytes"), 1 << 20)
        self.assertGreater(self.value("process_max_fds"), self.value("process_open_fds"))
        age = time.time() - self.value("process_start_time_seconds")
        self.assertLess(abs(age - json.loads(self.get("/stat")[1])["uptime"]), 60)

    def test_a_reload_that_fails_is_seen(self):
        settings = self.tmp / "settings.yaml"
        settings.write_text("milter: {dry_run: yes}\n")
        self.daemon.stop()
        self.daemon.config = settings
        self.daemon.start()
        self.assertEqual(1, self.value("shingled_last_reload_success"))
        since = self.value("shingled_last_reload_success_timestamp_seconds")
        settings.write_text("milter: {dry_run: perhaps}\n")
        self.daemon.signal(signal.SIGHUP)
        harness.wait_until(lambda: self.value("shingled_last_reload_success") == 0, 30, "it failed")
        self.assertEqual(since, self.value("shingled_last_reload_success_timestamp_seconds"))
        settings.write_text("milter: {dry_run: no}\n")
        self.daemon.signal(signal.SIGHUP)
        harness.wait_until(lambda: self.value("shingled_last_reload_success") == 1, 30, "it is mended")


class Matches(Status):
    def test_every_further_match_is_there_best_first(self):
        self.ok("add", "--flag", "denied", OFFER)
        self.ok("add", "--flag", "white", AGAIN)
        asked = objects(self.ok("hash", "--json", OFFER).stdout)[0]["parts"][0]
        status, text = self.get(f"/matches?digest={asked['digest']}&shingles={','.join(map(str, asked['shingles']))}")
        self.assertEqual(200, status, text)
        matches = json.loads(text)["matches"]
        self.assertEqual([True, False], [match["exact"] for match in matches])
        self.assertEqual(asked["digest"], matches[0]["digest"])
        self.assertEqual([11, 13], [match["flags"][0]["flag"] for match in matches])
        self.assertGreater(matches[0]["prob"], matches[1]["prob"])

    def test_of_an_unknown_digest_there_is_none(self):
        self.assertEqual((200, {"matches": [], "more": False}),
                         (lambda status, text: (status, json.loads(text)))(*self.get(f"/matches?digest={'0' * 128}")))


class Life(Status):
    def test_it_is_ready_while_it_serves_and_alive_to_the_end(self):
        harness.wait_until(lambda: self.get("/readyz")[0] == 200, 30, "it is ready")
        self.assertEqual((200, "ok\n"), self.get("/healthz"))
        # A message under way keeps it draining.
        client = MilterClient(f"127.0.0.1:{self.daemon.milter_port}")
        client.write(b"C", b"client\0" + b"4" + struct.pack(">H", 25) + b"192.0.2.1\0")
        client.command(b"M", b"<a@b>\0")
        self.assertEqual(1, self.value("shingled_mail_under_way"))
        self.daemon.signal(signal.SIGTERM)
        harness.wait_until(lambda: self.get("/readyz") == (503, "draining\n"), 30, "it drains")
        self.assertEqual(200, self.get("/healthz")[0])
        client.close()
        self.assertEqual(0, self.daemon.stop())

    def test_it_can_be_off(self):
        self.daemon.stop()
        self.daemon.extra = ["http.listen=[]"]
        self.daemon.start()
        self.assertFalse(harness.answers_tcp(self.daemon.status_port))

    def test_a_second_daemon_does_not_take_its_place(self):
        other = harness.Daemon(harness.temporary_folder(self))
        other.status_port = self.daemon.status_port
        done = other.run("run")
        self.assertEqual(69, done.returncode)
        self.assertIn("http.listen", done.stderr)


class Strangers(Status):
    overrides = ("http.timeout=1s", "http.connections_max=16")

    def test_floods_and_nonsense_do_not_stop_it(self):
        for nonsense in (b"\0" * 1000, b"GET " + b"/" * 100_000, b"POST /stat HTTP/1.1\r\nHost: a\r\n"
                         b"Content-Length: 1000000000\r\n\r\n" + b"x" * 100_000):
            with socket.create_connection(("127.0.0.1", self.daemon.status_port)) as stranger:
                stranger.settimeout(30)
                try:
                    stranger.sendall(nonsense)
                    while stranger.recv(4096):
                        pass
                except ConnectionError:
                    pass
        silent = [socket.create_connection(("127.0.0.1", self.daemon.status_port)) for _ in range(8)]
        self.addCleanup(lambda: [connection.close() for connection in silent])

        # One request is refused while the connection of the one before still counts beside the silent ones.
        def served(path="/healthz", status=200, method="GET"):
            try:
                return self.get(path, method=method)[0] == status
            except (OSError, http.client.HTTPException):
                return False
        harness.wait_until(served, 30, "the silent ones are hung up on")
        harness.wait_until(lambda: served("/../../etc/shadow", 404), 30, "what is not there is said")
        harness.wait_until(lambda: served("/stat", 405, "DELETE"), 30, "what is not allowed is said")

    def test_every_path_is_in_the_documents(self):
        document = json.loads(self.get("/api/1/openapi.json")[1])
        described = (pathlib.Path(__file__).resolve().parents[2] / "milter" / "API.md").read_text()
        self.assertGreater(len(document["paths"]), 20)
        for path, methods in document["paths"].items():
            for method in methods:
                self.assertIn(f"{method.upper()} {path}", described)

    def test_no_key_and_no_path_is_told(self):
        self.ok("add", OFFER)
        text = self.get("/metrics")[1] + self.get("/stat")[1]
        self.assertNotIn(str(self.tmp), text)
        self.assertNotIn("privkey", text)

    def test_of_a_key_only_the_beginning_of_its_public_half_is_told(self):
        pair = self.ok("keypair").stdout
        public, secret = [re.search(rf"{half}\W+(\w+)", pair)[1] for half in ("pubkey", "privkey")]
        self.daemon.stop()
        self.daemon.extra.append(f"storage.keypair={{pubkey: {public}, privkey: {secret}, extensions: {{name: alice}}}}")
        self.daemon.start()
        self.ok("check", "--server", f"127.0.0.1:{self.daemon.fuzzy_port}", "--key", public, OFFER)
        text = self.get("/metrics")[1] + self.get("/stat")[1]
        self.assertRegex(text, rf'_key_requests_total\{{key="{public[:12]}.",name="alice",result="unmatched"\}} [1-9]')
        self.assertIn('network="127.0.0.0/24"', text)
        self.assertNotIn(public[:14], text)
        for i in range(len(secret) - 8):
            self.assertNotIn(secret[i:i + 8], text)
        stat = self.ok("stat").stdout
        self.assertRegex(stat, rf"(?m)^    alice \({public[:12]}.\)  \d+ requests?  unmatched \d+")
        self.assertRegex(stat, r"(?m)^    127\.0\.0\.0/24 +\d+ requests")


class Commands(Status):
    def test_stat_tells_what_the_page_tells(self):
        self.ok("add", "--flag", "denied", "--weight", "20", OFFER)
        text = self.ok("stat").stdout
        hashes = int(self.value("shingled_storage_records"))
        self.assertRegex(text, rf"^127\.0\.0\.1:\d+  {hashes} hashes  \d")
        self.assertRegex(text, rf"(?m)^    denied \(11\)  {hashes} hashes  value {20 * hashes}$")
        self.assertRegex(text, rf"(?m)^    added +{hashes}$")
        self.assertRegex(text, r"(?m)^    commit seconds +\d+ times, p50 ")
        stat, = objects(self.ok("stat", "--json").stdout)
        self.assertEqual((hashes, True), (stat["count"], stat["ok"]))
        self.assertEqual(hashes, stat["status"]["metrics"]["shingled_storage_added"][0]["value"])

    def test_stat_without_the_page_asks_by_packet(self):
        self.ok("add", "--flag", "denied", OFFER)
        hashes = int(self.value("shingled_storage_records"))
        for status in ("http.listen=[]", f"http.listen=127.0.0.1:{harness.free_port()}"):
            stat, = objects(self.ok("stat", "--json", "-o", status).stdout)
            self.assertEqual((hashes, True), (stat["count"], stat["ok"]))
            self.assertNotIn("status", stat)

    def test_check_and_scan_show_every_further_match(self):
        self.ok("add", "--flag", "denied", OFFER)
        self.ok("add", "--flag", "white", AGAIN)
        for command in ("check", "scan"):
            lookup = objects(self.ok(command, "--json", OFFER).stdout)[0]["lookups"][0]
            further, = lookup["further"]
            self.assertNotEqual(lookup["matched"], further["digest"])
            self.assertEqual([{"flag": 13, "symbol": "FUZZY_WHITE", "value": 1}], further["flags"])
            self.assertIn("also matches", self.ok(command, OFFER).stdout)
            miss = objects(self.ok(command, "--json", LETTER).stdout)[0]["lookups"][0]
            self.assertIsNone(miss["further"])
            without = objects(self.ok(command, "--json", "-o", "http.listen=[]", OFFER).stdout)[0]["lookups"][0]
            self.assertIsNone(without["further"], "nothing is known")

    def test_list_finds_by_flag_value_age_and_digest(self):
        self.ok("add", "--flag", "denied", "--weight", "20", OFFER)
        self.ok("add", "--flag", "white", "--weight", "3", LETTER)
        every = objects(self.ok("list", "--json").stdout)
        self.assertEqual(int(self.value("shingled_storage_records")), len(every))
        white = [row for row in every if row["flags"][0]["flag"] == 13]
        heavy = [row for row in every if row["flags"][0]["value"] == 20]
        self.assertTrue(white and heavy)
        self.assertEqual(white, objects(self.ok("list", "--json", "--flag", "white").stdout))
        self.assertEqual(heavy, objects(self.ok("list", "--json", "--min-value", "20").stdout))
        self.assertEqual([], objects(self.ok("list", "--json", "--flag", "white", "--min-value", "20").stdout))
        self.assertEqual(white[:1], objects(self.ok("list", "--json", "--digest", white[0]["digest"][:16]).stdout))
        self.assertEqual(every, objects(self.ok("list", "--json", "--newer", "1h").stdout))
        self.assertEqual([], objects(self.ok("list", "--json", "--older", "1h").stdout))
        self.assertEqual(every[:1], objects(self.ok("list", "--json", "--limit", "1").stdout))
        values = [row["flags"][0]["value"] for row in objects(self.ok("list", "--json", "--order", "value").stdout)]
        self.assertEqual(sorted(values, reverse=True), values)
        self.assertEqual(values[:2], [row["flags"][0]["value"] for row in objects(
            self.ok("list", "--json", "--order", "value", "--limit", "2").stdout)])
        self.assertIn(heavy[0]["digest"][:16], self.ok("list", "--flag", "denied").stdout)

    def test_list_finds_what_answers_most_questions(self):
        self.assertEqual([], objects(self.ok("list", "--json", "--order", "hits").stdout))
        self.ok("add", "--flag", "denied", "--weight", "20", OFFER)  # and asks what stands there now
        self.ok("add", "--flag", "white", LETTER)
        every = objects(self.ok("list", "--json").stdout)
        for message in (OFFER, OFFER, OFFER, LETTER):
            self.ok("check", message)
        top = objects(self.ok("list", "--json", "--order", "hits").stdout)
        self.assertEqual({row["digest"] for row in every}, {row["digest"] for row in top})
        self.assertEqual({(11, 4), (13, 2)}, {(row["flags"][0]["flag"], row["hits"]) for row in top})
        self.assertEqual(sorted((row["hits"] for row in top), reverse=True), [row["hits"] for row in top])
        self.assertIn("4 hits, ", self.ok("list", "--order", "hits", "--limit", "1").stdout)
        self.assertEqual(75, self.daemon.run("list", "--order", "hits", "-o", "http.listen=[]").returncode)

    def test_list_refuses_what_it_does_not_understand(self):
        for arguments in (["--flag", "nolist"], ["--older", "30"], ["--digest", "XYZ"], ["--order", "chaos"],
                          ["--order", "value", "--limit", "0"], ["--rule", "nowhere"]):
            with self.subTest(arguments=arguments):
                self.assertRegex(self.ends_with(64, "list", *arguments).stderr, r"^shingled: list: ")

    def test_del_list_counts_first_and_then_empties_it(self):
        self.ok("add", "--flag", "denied", "--weight", "20", OFFER)
        self.ok("add", "--flag", "white", "--weight", "3", OFFER)
        self.ok("add", "--flag", "denied", LETTER)
        both = len(objects(self.ok("list", "--json", "--flag", "white").stdout))
        only = len(objects(self.ok("list", "--json", "--flag", "denied").stdout)) - both
        counts = {"flag": 11, "dry_run": True, "deleted": only, "taken_off": both}
        self.assertEqual([counts], objects(self.ok("del", "--list", "denied", "--dry-run", "--json").stdout))
        self.assertEqual(only + both, self.value("shingled_storage_records"), "nothing was done")

        counts["dry_run"] = False
        self.assertEqual([counts], objects(self.ok("del", "--list", "denied", "--json").stdout))
        self.assertEqual(both, self.value("shingled_storage_records"))
        self.assertEqual(0, self.value("shingled_storage_flag_value", flag="11"))
        self.assertEqual(3 * both, self.value("shingled_storage_flag_value", flag="13"))
        self.assertEqual([], objects(self.ok("list", "--json", "--flag", "denied").stdout), "not even with value 0")
        self.assertEqual("list 11: 0 hashes deleted, 0 removed from this list only\n",
                         self.ok("del", "--list", "denied").stdout)

    def test_del_list_does_not_go_on_forever_with_the_file_of_another(self):
        self.ok("add", "--flag", "denied", OFFER)
        copies = harness.temporary_folder(self) / "copies"
        self.ok("backup", copies)
        other = copies / "hashes.db"
        done = self.daemon.run("del", "--list", "denied", "-o", f"storage.hashfile={other}")
        self.assertNotEqual(0, done.returncode)
        self.assertIn("not the file of the daemon", done.stderr)
        self.assertEqual(64, self.daemon.run("del", "--dry-run", OFFER).returncode)
        self.assertEqual(64, self.daemon.run("del", "--list", "nolist").returncode)


if __name__ == "__main__":
    unittest.main()
