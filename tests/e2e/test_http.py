# Covers milter/cli/commands/account_commands.cpp, milter/api/session_resource.cpp.
"""The HTTP service as programs, people and browsers use it: over TLS, with keys, passwords and sessions. curl is the
client; the certificate is that of tests/data/tls."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import unittest

import harness
from test_cli import LETTER, OFFER

TLS = pathlib.Path(__file__).resolve().parents[1] / "data" / "tls"
PASSWORD = "correct horse battery"
SECONDS = 30


class Http(unittest.TestCase):
    local = "change"

    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.port = harness.free_port()
        self.keys = self.tmp / "http.keys"
        self.users = self.tmp / "users"
        self.certificate = self.tmp / "tls.pem"
        self.key = self.tmp / "tls.key"
        self.show("certificate.pem", "key.pem")
        self.daemon = self.enterContext(harness.Daemon(self.tmp, overrides=(
            f"http.listen=127.0.0.1:{self.port}", f"http.tls.certificate={self.certificate}",
            f"http.tls.key={self.key}", f"http.keys_file={self.keys}", f"http.users_file={self.users}",
            f"http.local={self.local}", "ratelimit.rates.ip=[100, 100 / 1h]", "ratelimit.file=''")))

    def show(self, certificate, key):
        """Gives the daemon a certificate and its key."""
        shutil.copyfile(TLS / certificate, self.certificate)
        self.key.write_bytes((TLS / key).read_bytes())
        os.chmod(self.key, 0o600)

    def ok(self, command, *arguments, **options):
        done = self.daemon.run(command, *arguments, **options)
        self.assertEqual(0, done.returncode, f"{done.stdout}\n{done.stderr}")
        return done.stdout

    def curl(self, path, *arguments, ca=None):
        """The status and the body of the answer; the fields of its header are in `self.fields`."""
        done = subprocess.run(["curl", "-sS", "-i", "--cacert", ca or self.certificate, "--resolve",
                               f"localhost:{self.port}:127.0.0.1", *arguments,
                               f"https://localhost:{self.port}{path}"], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        head, _, body = done.stdout.replace("\r\n", "\n").partition("\n\n")
        self.fields = dict(line.split(": ", 1) for line in head.splitlines()[1:])
        return int(head.split()[1]), body

    def status(self, path, *arguments):
        return self.curl(path, *arguments)[0]


class ThisMachine(Http):
    def test_commands_find_their_daemon_over_tls(self):
        self.ok("buckets", "list")
        self.ok("reporters")
        self.assertIn("same digest", self.ok("add", "--flag", "denied", OFFER) + self.ok("check", OFFER))

    def test_a_certificate_is_replaced_while_it_runs(self):
        self.assertEqual(200, self.status("/healthz"))
        self.show("other_certificate.pem", "other_key.pem")
        self.daemon.signal(signal.SIGHUP)
        harness.wait_until(lambda: "reloaded" in self.daemon.log(), SECONDS, "it is read")
        done = subprocess.run(["curl", "-sS", "--cacert", TLS / "certificate.pem",
                               f"https://localhost:{self.port}/healthz"], capture_output=True, text=True)
        self.assertNotEqual(0, done.returncode, "the certificate of before is shown no more")
        self.ok("buckets", "list")
        self.show("certificate.pem", "other_key.pem")
        self.daemon.signal(signal.SIGHUP)
        harness.wait_until(lambda: "is not the key of the certificate" in self.daemon.log(), SECONDS, "it is refused")
        self.certificate.write_bytes((TLS / "other_certificate.pem").read_bytes())
        self.ok("buckets", "list")

    def test_a_page_of_a_stranger_changes_nothing(self):
        page = ("-H", "Origin: https://evil.example", "-X", "DELETE")
        self.assertEqual(403, self.status("/api/1/buckets/x", *page))
        self.assertEqual(403, self.status("/api/1/buckets/x", "-X", "DELETE"), "a form cannot send the field")
        self.assertIn(self.status("/api/1/buckets/x", "-X", "DELETE", "-H", "X-Shingled: yes"), (200, 404))
        self.assertEqual(421, self.status("/metrics", "-H", "Host: evil.example"))


class Strangers(Http):
    local = "off"

    def test_a_key_is_shown_once_and_has_its_role(self):
        self.assertEqual(401, self.status("/metrics"))
        key = self.ok("key", "add", "collector", "--role", "metrics").splitlines()[0]
        self.assertNotIn(key, self.keys.read_text(), "the file has its digest")
        bearer = ("-H", f"Authorization: Bearer {key}")
        harness.wait_until(lambda: self.status("/metrics", *bearer) == 200, SECONDS, "the daemon knows it")
        self.assertEqual(403, self.status("/api/1/buckets", *bearer), "another role is needed")
        self.assertEqual(401, self.status("/metrics", "-H", f"Authorization: Bearer {key}x"))
        self.assertEqual([{"name": "collector", "role": "metrics"}],
                         [{part: one[part] for part in ("name", "role")}
                          for one in map(json.loads, self.ok("key", "list", "--json").splitlines())])
        again = self.daemon.run("key", "add", "collector")
        self.assertEqual((65, True), (again.returncode, "collector: there is such a key already" in again.stderr))
        self.ok("key", "del", "collector")
        harness.wait_until(lambda: self.status("/metrics", *bearer) == 401, SECONDS, "it is taken away")
        self.assertEqual(65, self.daemon.run("key", "del", "collector").returncode)

    def test_a_role_may_do_its_own_and_no_more(self):
        keys = {role: self.ok("key", "add", role, "--role", role).splitlines()[0]
                for role in ("metrics", "read", "count", "report", "change")}
        pieces = '{"space":"in","pieces":[{"type":"subject","shingle":"000000000000abcd"}],'
        asked = {
            "/metrics": (("metrics", "read", "change"), ()),
            "/api/1/buckets": (("read", "change"), ()),
            "/api/1/counters/ask": (("read", "count", "change"), ("-d", pieces + '"windows":["1d"]}')),
            "/api/1/counters/add": (("count", "change"), ("-d", pieces + '"add":{"mass":1}}')),
            "/api/1/counters/forget": (("change",), ("-d", pieces[:-1] + "}")),
            "/api/1/reports?kind=spam&reporter=ann@example.org": (
                ("report", "change"), ("-H", "Content-Type: message/rfc822", "--data-binary", f"@{LETTER}")),
        }
        harness.wait_until(lambda: self.status("/metrics", "-H", f"X-Shingled-Key: {keys['change']}") == 200, SECONDS,
                           "the daemon knows them")
        for path, (may, arguments) in asked.items():
            for role, key in keys.items():
                with self.subTest(path=path, role=role):
                    status, body = self.curl(path, "-H", f"X-Shingled-Key: {key}", *arguments)
                    self.assertEqual(role in may, status not in (401, 403), f"{status} {body}")

    def test_people_sign_in_and_out(self):
        self.ok("passwd", "ann", "--role", "change", stdin=PASSWORD.encode() + b"\n")
        self.daemon.restart()  # it would know her in a second, but each try before counts
        self.assertNotIn(PASSWORD, self.users.read_text())

        def sign_in(password):
            return self.curl("/api/1/session", "-H", "Content-Type: application/json", "-d",
                             json.dumps({"name": "ann", "password": password}))

        self.assertEqual(403, sign_in("wrong password")[0])
        status, body = sign_in(PASSWORD)
        self.assertEqual(200, status)
        cookie = self.fields["Set-Cookie"]
        for part in ("HttpOnly", "SameSite=Strict", "Secure"):
            self.assertIn(part, cookie)
        session = ("-H", "Cookie: " + cookie.split(";")[0])
        token = ("-H", "X-Shingled-Token: " + json.loads(body)["token"])
        self.assertEqual(200, self.status("/api/1/buckets", *session))
        self.assertEqual(403, self.status("/api/1/buckets/x", *session, "-X", "DELETE"), "without the token")
        self.assertIn(self.status("/api/1/buckets/x", *session, *token, "-X", "DELETE"), (200, 404))
        self.assertEqual(200, self.status("/api/1/session", *session, *token, "-X", "DELETE"))
        self.assertEqual(401, self.status("/api/1/buckets", *session), "she signed out")
        for _ in range(6):
            sign_in("wrong password")
        self.assertEqual(429, sign_in(PASSWORD)[0], "whoever guesses must wait")

    def test_a_person_who_is_taken_away_is_signed_out(self):
        self.ok("passwd", "ann", stdin=PASSWORD.encode() + b"\n")
        body = json.dumps({"name": "ann", "password": PASSWORD})
        sign_in = ("/api/1/session", "-H", "Content-Type: application/json", "-d", body)
        self.daemon.restart()
        self.assertEqual(200, self.status(*sign_in))
        session = ("-H", "Cookie: " + self.fields["Set-Cookie"].split(";")[0])
        self.assertEqual(200, self.status("/api/1/buckets", *session))
        self.ok("passwd", "ann", "--delete")
        harness.wait_until(lambda: self.status("/api/1/buckets", *session) == 401, SECONDS, "she is signed out")
        self.assertEqual(65, self.daemon.run("passwd", "bob", stdin=b"short\n").returncode)

    def far(self, command, *arguments, key=None, ca=TLS / "certificate.pem", **options):
        """A command of a host without a daemon and without settings."""
        more = () if key is None else ("--key-file", key)
        return harness.run(command, *arguments, "-c", "/dev/null", "--server", f"https://localhost:{self.port}",
                           "--ca-file", ca, *more, **options)

    def key_file(self, name, role):
        path = self.tmp / f"{name}.key"
        path.write_text(self.ok("key", "add", name, "--role", role))
        os.chmod(path, 0o600)
        return path

    def test_another_host_does_what_its_key_may(self):
        reporter, reader = self.key_file("mailboxes", "report"), self.key_file("office", "read")
        harness.wait_until(lambda: self.far("cases", key=reader).returncode == 0, SECONDS, "the daemon knows them")
        message = OFFER.read_bytes()
        done = self.far("report", "--spam", "--reporter", "ann@example.org", key=reporter, stdin=message)
        self.assertEqual(0, done.returncode, done.stderr)
        done = self.far("report", "--spam", "--reporter", "bob@example.org", key=reporter, stdin=message)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertGreater(self.daemon.weight(message), 0, "two people said so")
        self.assertEqual(1, len(self.far("cases", "--json", key=reader).stdout.splitlines()))
        for command in ("reporters", "buckets list", "counters top"):
            done = self.far(*command.split(), key=reader)
            self.assertEqual(0, done.returncode, f"{command}: {done.stderr}")
        done = self.far("reporters", key=reporter)
        self.assertEqual((77, True), (done.returncode, "read" in done.stderr), done.stderr)
        done = self.far("report", "--spam", "--reporter", "ann@example.org", stdin=message)
        self.assertEqual((77, True), (done.returncode, "shingled key add" in done.stderr), done.stderr)
        done = self.far("reporters", key=reader, ca=TLS / "other_certificate.pem")
        self.assertEqual((77, True), (done.returncode, "TLS: " in done.stderr), done.stderr)
        os.chmod(reader, 0o644)
        done = self.far("reporters", key=reader)
        self.assertEqual((77, True), (done.returncode, "everybody may read it" in done.stderr), done.stderr)

    def test_reports_of_another_host_wait_for_the_daemon(self):
        reporter = self.key_file("mailboxes", "report")
        spool = self.tmp / "spool"
        spool.mkdir()
        self.daemon.stop()
        done = self.far("report", "--spam", "--reporter", "ann@example.org", "--spool", spool, key=reporter,
                        stdin=OFFER.read_bytes())
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(1, len([path for path in spool.iterdir() if path.is_file()]))
        self.daemon.start()
        done = self.far("report", "--flush", spool, key=reporter)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual([], [path for path in spool.iterdir() if path.is_file()])

    def test_errors_are_problem_objects(self):
        status, body = self.curl("/api/1/buckets")
        problem = json.loads(body)
        self.assertEqual((401, 401, "application/problem+json"), (status, problem["status"], self.fields["Content-Type"]))
        self.assertIn("shingled key add", problem["detail"])
        self.assertEqual(404, self.status("/api/1/nothing"))


if __name__ == "__main__":
    unittest.main()
