# Covers milter/daemon/other_daemons.cpp.
"""Two MX hosts with Postfix and a host of mailboxes with Dovecot but without a daemon, each in a network namespace. What the
users of the mailboxes report has its effect at both MX hosts, while the home of reports is killed again and again; and
what a daemon does whose home or peers are away, nonsense, or itself.

    SHINGLED_KILLS=50 tests/e2e/test_hosts.py

$SHINGLED_KILLS sets how often the home is killed (default 4; the long run is 50), $SHINGLED_SEED repeats a run.
"""

import collections
import contextlib
import http.client
import json
import os
import pathlib
import random
import shutil
import socket
import socketserver
import sqlite3
import ssl
import subprocess
import threading
import time
import unittest
import urllib.parse
import warnings

import harness
import hosts
from counted_mail import INCOMING
from dovecot import MAIL_USER, Dovecot, shared_files
from harness import wait_until
from mta import Postfix, SmtpSink, swaks
from test_reports import offer

KILLS = int(os.environ.get("SHINGLED_KILLS", "4"))
SEED = int(os.environ.get("SHINGLED_SEED", str(random.SystemRandom().randrange(1 << 32))))
SECONDS = 90
PORT = 11340
# Of a connection to a daemon that is killed during the handshake, nobody has the socket.
warnings.filterwarnings("ignore", "unclosed <ssl.SSLSocket", ResourceWarning)
KEY = "00112233445566778899aabbccddeeff\n"


def letter(number):
    """A message that is unlike all others."""
    words = " ".join(f"{word}{number * 31 + place}" for place, word in enumerate(
        "garden river window market candle mountain letter harbour village winter orchard lantern".split()))
    return (f"From: a{number}@example.org\nSubject: {words[:40]}\nMessage-ID: <{number}@letters.example.org>\n\n"
            f"{words}\n{words[::-1]}\n")


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a unix socket, which leads to a daemon on whatever host it is."""

    def __init__(self, path):
        super().__init__("localhost", timeout=SECONDS)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def request(connection, method, target, body=None, headers=()):
    """(status, text) of one request."""
    with contextlib.closing(connection):
        connection.request(method, target, body, dict(headers))
        reply = connection.getresponse()
        return reply.status, reply.read().decode()


class Mx:
    """A daemon whose API is at a unix socket, and at an address of its host."""

    def __init__(self, test, overrides, address=None, tls=()):
        self.tmp = harness.temporary_folder(test)
        self.socket = self.tmp / "http.sock"
        listen = f"unix:{self.socket}" + (f", {address}" if address else "")
        key = self.tmp / "counters.key"
        key.write_text(KEY)
        key.chmod(0o600)
        self.daemon = harness.Daemon(self.tmp, [
            f"http.listen={listen}", f"http.keys_file={self.tmp / 'http.keys'}", f"counters.key_file={key}",
            "reports.residents=all", "reports.domain=example.org", "reports.rate=off", INCOMING, *tls, *overrides])
        test.addCleanup(self.daemon.kill9)

    def api(self, method, target, body=None):
        headers = {"X-Shingled": "1", "Content-Type": "message/rfc822"} if body is not None else {"X-Shingled": "1"}
        return request(UnixConnection(self.socket), method, target, body, headers)

    def get(self, target):
        status, text = self.api("GET", target)
        if status != 200:
            raise AssertionError(f"{target}: {status} {text}")
        return json.loads(text)

    def report(self, kind, who, message):
        status, text = self.api("POST", f"/api/1/reports?kind={kind}&reporter={urllib.parse.quote(who)}", message.encode())
        return status, json.loads(text)

    def metrics(self):
        return hosts.metrics(self.api("GET", "/metrics")[1])

    def waiting(self):
        return self.metrics()["shingled_reports_forward_waiting"]

    def spooled(self):
        return len(list((self.tmp / "reports.db.spool").glob("*.report")))

    def labels(self, label="spam"):
        return {one["queue_id"] for one in self.get(f"/api/1/messages?label={label}&most=1000")["messages"]}

    def reporters(self):
        return self.get("/api/1/reporters?most=100000")["reporters"]

    def new_key(self, name, role):
        """A file with a key for this daemon."""
        done = self.daemon.run("key", "add", name, "--role", role)
        assert done.returncode == 0, done.stderr
        path = self.tmp / f"{name}.key"
        path.write_text(done.stdout.splitlines()[0] + "\n")
        path.chmod(0o600)
        return path


class Redis:
    def __init__(self, folder, address):
        self.folder = folder
        self.address = address

    def __enter__(self):
        host, _, port = self.address.partition(":")
        self.process = subprocess.Popen(["redis-server", "--port", port, "--bind", host, "--save", "", "--dir", self.folder,
                                         "--protected-mode", "no"], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        wait_until(self.answers, SECONDS, "redis-server answers")
        return self

    def answers(self):
        with socket.socket() as probe:
            host, _, port = self.address.partition(":")
            return probe.connect_ex((host, int(port))) == 0

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Senders:
    """People who report while the home is killed, each another message, and some the same by both ways. What was
    acknowledged must be there in the end; who got no answer says it again."""

    def __init__(self, site):
        self.site = site
        self.rng = random.Random(SEED)
        self.acknowledged = []
        self.tries = collections.Counter()
        self.allowed = 0
        self.stopped = threading.Event()
        self.lock = threading.Lock()
        self.failures = []
        self.threads = [threading.Thread(target=self.run, args=way, daemon=True)
                        for way in ((0, ("mx2",)), (1, ("mx1",)), (2, ("mx2", "mx1")), (3, ("mx1", "mx2")))]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        for thread in self.threads:
            thread.join()

    def run(self, way, through):
        try:
            with self.site.network["mail"].inside():
                number = way
                while not self.stopped.is_set():
                    if self.count() >= self.allowed:
                        self.stopped.wait(0.01)
                        continue
                    number += len(self.threads)
                    for name in through:
                        self.say(name, f"person{number}", letter(number))
                    with self.lock:
                        self.acknowledged.append(number)
        except Exception as failure:  # pylint: disable=broad-except
            self.failures.append(repr(failure))

    def say(self, name, who, message):
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            with self.lock:
                self.tries[name] += 1
            try:
                status, text = request(self.site.connection(name), "POST", f"/api/1/reports?kind=spam&reporter={who}",
                                       message.encode(), self.site.headers(name))
            except (OSError, http.client.HTTPException):
                continue  # it is dead, or was killed before it answered
            if status == 200:
                return
            if status != 503:
                raise AssertionError(f"{name}: {status} {text}")
        raise AssertionError(f"{who} got no answer of {name}")

    def count(self):
        with self.lock:
            return len(self.acknowledged)

    def some_more(self):
        """Waits until some more people have reported; a few go on meanwhile."""
        more = self.count() + self.rng.randrange(1, 10)
        self.allowed = more + 4
        wait_until(lambda: self.count() >= more or self.failures, SECONDS, "people report")


@unittest.skipIf(hosts.missing(), hosts.missing())
@unittest.skipIf(Postfix.missing(), Postfix.missing())
@unittest.skipIf(Dovecot.missing(), Dovecot.missing())
class Site(unittest.TestCase):
    """mx1 is the home of reports; the host of the mailboxes knows mx2 alone."""

    def setUp(self):
        print(f"SHINGLED_SEED={SEED} SHINGLED_KILLS={KILLS}", flush=True)
        self.tmp = harness.temporary_folder(self)
        self.network = self.enterContext(hosts.Network(("mx1", "mx2", "mail")))
        self.authority = hosts.Authority(self.tmp)
        self.authority.folder.chmod(0o755)
        shared = self.shared()
        self.mx = {}
        for name in ("mx1", "mx2"):
            certificate, key = self.authority.sign(name, self.network[name].address)
            self.mx[name] = Mx(self, shared[name], f"{self.network[name].address}:{PORT}",
                               (f"http.tls.certificate={certificate}", f"http.tls.key={key}"))
        home = self.mx["mx1"].new_key("mx2", "report")
        self.mx["mx2"].daemon.extra += [f"reports.home={self.url('mx1')}", f"reports.home_key_file={home}",
                                        f"reports.home_ca_file={self.authority.certificate}"]
        for name, other in (("mx1", "mx2"), ("mx2", "mx1")):
            key = self.mx[other].new_key("peer", "read")
            self.mx[name].daemon.extra += [f"history.peers=[\"{self.url(other)}\"]", f"history.peers_key_file={key}",
                                           f"history.peers_ca_file={self.authority.certificate}"]
        self.keys = {name: mx.new_key("mail", "report") for name, mx in self.mx.items()}
        self.post = {}
        self.sinks = {}
        for name, mx in self.mx.items():
            with self.network[name].inside():
                mx.daemon.start()
                self.sinks[name] = SmtpSink()
                self.addCleanup(self.sinks[name].close)
                postfix = Postfix(mx.tmp, mx.daemon.milter_port, self.sinks[name].port)
                postfix.__enter__()
                self.addCleanup(self.end_inside, self.network[name], postfix)
                self.post[name] = postfix
        self.addCleanup(self.show_logs)
        self.start_mailboxes()

    def show_logs(self):
        outcome = self._outcome
        if any(problem for _, problem in getattr(outcome, "errors", ())) or getattr(outcome, "result", None) and (
                outcome.result.failures or outcome.result.errors):
            for name, mx in self.mx.items():
                print(f"---- {name}", *mx.daemon.log().splitlines()[-40:], sep="\n", flush=True)

    @staticmethod
    def end_inside(host, program):
        with host.inside():
            program.__exit__()

    def start_mailboxes(self):
        self.spool = self.tmp / "spool"
        self.spool.mkdir()
        self.spool.chmod(0o1777)
        key = self.tmp / "client.key"
        shutil.copy(self.keys["mx2"], key)
        key.chmod(0o600)
        shutil.chown(key, MAIL_USER)
        self.client = self.tmp / "client.yaml"
        self.client.write_text(f"client: {{server: \"{self.url('mx2')}\", key_file: {key}, "
                               f"ca_file: {self.authority.certificate}}}\n")
        share = self.tmp / "share"
        shared_files(share, self.client, self.spool)
        with self.network["mail"].inside():
            self.dovecot = Dovecot(self.tmp)
            done = harness.run(*self.dovecot.setup(share), "--apply")
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)
            self.dovecot.__enter__()
            self.addCleanup(self.end_inside, self.network["mail"], self.dovecot)

    def url(self, name):
        return f"https://{self.network[name].address}:{PORT}"

    def connection(self, name):
        context = ssl.create_default_context(cafile=str(self.authority.certificate))
        return http.client.HTTPSConnection(self.network[name].address, PORT, timeout=SECONDS, context=context)

    def headers(self, name):
        return {"Authorization": "Bearer " + self.keys[name].read_text().strip(), "Content-Type": "message/rfc822"}

    def mail(self, name, number, recipient):
        """Sends a message of the campaign through a host. Returns it as it was delivered."""
        with self.network[name].inside():
            code, told = swaks(self.post[name].port, offer(number, name=recipient).replace("\n", "\r\n").encode(),
                               recipient=recipient)
        self.assertEqual(0, code, told)
        return self.sinks[name].wait_for(f"<{number}@example.org>".encode())

    def weights(self, number):
        out = []
        for name, mx in self.mx.items():
            with self.network[name].inside():
                out.append(mx.daemon.weight(offer(number)))
        return out

    def restart_home(self):
        home = self.mx["mx1"].daemon
        home.kill9()
        with self.network["mx1"].inside():
            home.start()

    def move_to_junk(self, user, message):
        with self.network["mail"].inside():
            self.dovecot.deliver(user, message)
            with self.dovecot.session(user) as session:
                session.move("INBOX", "Junk")

    def wait_for_one_row_each(self):
        """A row is coded when its message has been answered."""
        for name, mx in self.mx.items():
            wait_until(lambda mx=mx: len(mx.get("/api/1/messages?peers=no")["messages"]) == 1, SECONDS, f"{name} has its row")

    def flush_mailboxes(self):
        """What the timer of the mailbox host does."""
        with self.network["mail"].inside():
            harness.run("report", "-c", self.client, "--flush", self.spool)
        return not list(self.spool.glob("*.report"))

    def test_what_people_report_counts_everywhere_while_the_home_is_killed(self):
        first = self.mail("mx1", 1, "ann@example.org")
        second = self.mail("mx2", 2, "bob@example.org")
        self.assertNotIn(b"X-Spam: Yes", first + second)
        self.wait_for_one_row_each()
        began = time.monotonic()
        with Senders(self) as senders:
            for kill in range(KILLS):
                senders.some_more()
                if kill == KILLS // 3:
                    self.move_to_junk("ann", first)
                if kill == KILLS * 2 // 3:
                    self.move_to_junk("bob", second)
                self.restart_home()
        self.assertEqual([], senders.failures)
        load = time.monotonic() - began
        began = time.monotonic()
        wait_until(self.flush_mailboxes, SECONDS, "the mailbox host has delivered all")
        while waiting := self.mx["mx2"].spooled():
            wait_until(lambda waiting=waiting: self.mx["mx2"].spooled() < waiting, SECONDS, "fewer wait at mx2")
        wait_until(lambda: self.mx["mx2"].waiting() == 0, SECONDS, "nothing waits at mx2")
        rest = time.monotonic() - began
        self.each_is_there_once(senders)

        # Both mark the next one, and each has the label of what it judged itself.
        wait_until(lambda: min(self.weights(3)) > 0, SECONDS, "both know the campaign")
        for name, number in (("mx1", 3), ("mx2", 4)):
            self.assertIn(b"X-Spam: Yes", self.mail(name, number, "carl@example.org"), name)
            wait_until(lambda name=name: len(self.mx[name].labels()) == 1, SECONDS, f"the label is at {name}")
        figures = self.mx["mx2"].metrics()
        sent, aside = (figures[f"shingled_reports_{name}_total"] for name in ("forwarded", "set_aside"))
        print(f"{type(self).__name__}: {KILLS} kills in {load:.1f} s; {senders.count()} people acknowledged, tries "
              f"{dict(senders.tries)}; forwarded {sent:.0f}, set aside {aside:.0f}, the rest delivered in {rest:.1f} s; "
              "none lost, none doubled", flush=True)
        self.assertEqual(0, figures["shingled_reports_set_aside_total"])

    def each_is_there_once(self, senders):
        reporters = self.mx["mx1"].reporters()
        self.assertEqual([], [one for one in reporters if one["reports"] != 1])
        self.assertEqual(senders.count() + 2, len(reporters), "those who report letters, and ann and bob")
        self.assertEqual([], self.mx["mx2"].reporters(), "the home keeps them")
        path = self.mx["mx1"].tmp / "reports.db"
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as file:
            spam = file.execute("SELECT spam, ham, count(*) FROM messages GROUP BY spam, ham").fetchall()
        self.assertEqual([(1, 0, senders.count() + 2)], spam)

    def test_a_message_is_found_and_reported_wherever_it_was_judged(self):
        mx1, mx2 = self.mx["mx1"], self.mx["mx2"]
        self.mail("mx1", 1, "ann@example.org")
        self.mail("mx2", 2, "bob@example.org")
        self.wait_for_one_row_each()
        found = mx1.get("/api/1/messages?peers=yes")
        self.assertEqual([], found["missing"])
        other = f"{self.network['mx2'].address}:{PORT}"
        by_host = {one["host"]: one for one in found["messages"]}
        self.assertEqual({other, socket.gethostname()}, set(by_host))
        self.assertNotIn("missing", mx1.get("/api/1/messages"))
        self.assertEqual(1, len(mx1.get("/api/1/messages")["messages"]))
        theirs = by_host[other]
        whole = mx1.get(f"/api/1/messages/{theirs['queue_id']}")
        self.assertEqual(other, whole["host"])
        self.assertIn("features", whole)
        self.assertEqual(404, mx1.api("GET", f"/api/1/messages/{theirs['queue_id']}?peers=no")[0])

        # By its queue id, where it was judged; the home has never seen it.
        done = mx2.daemon.run("report", "--spam", "--reporter", "bob", "--message", theirs["queue_id"], "--json")
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertEqual("new", json.loads(done.stdout)["what"])
        self.assertEqual(1, len(mx1.reporters()))
        status, told = mx2.report("spam", "bob", offer(2, name="bob@example.org"))
        self.assertEqual((200, "same"), (status, told["what"]), "it is the same message")
        wait_until(lambda: mx2.labels() == {theirs["queue_id"]}, SECONDS, "the label comes back")

        self.network.cut(self.network["mx2"])
        began = time.monotonic()
        found = mx1.get("/api/1/messages?peers=yes")
        self.assertLess(time.monotonic() - began, 15)
        self.assertEqual([other], [one["host"] for one in found["missing"]])
        self.assertEqual(1, len(found["messages"]))
        status, text = mx1.api("GET", f"/api/1/messages/{theirs['queue_id']}")
        self.assertEqual(404, status)
        self.assertIn(other, text)
        self.network.cut(self.network["mx2"], on=False)

    def test_a_mailbox_host_with_a_wrong_clock_reports_as_others_do(self):
        first = self.mail("mx1", 1, "ann@example.org").decode().replace("\r\n", "\n")
        faketime = shutil.which("faketime")
        if not faketime:
            self.skipTest("faketime is not installed")
        with self.network["mail"].inside():
            for person, clock in (("ann", "-9 years"), ("bob", "+9 years")):
                if clock.startswith("-"):
                    self.network.cut(self.network["mx2"])
                command = [faketime, clock, harness.BINARY, "report", "-c", self.client, "--spam", "--reporter", person,
                           "--spool", self.spool, "--later", "-"]
                done = subprocess.run(list(map(str, command)), input=first.encode(), capture_output=True, timeout=SECONDS)
                self.assertEqual(0, done.returncode, done.stderr.decode())
                self.network.cut(self.network["mx2"], on=False)
        wait_until(self.flush_mailboxes, SECONDS, "both are delivered")
        wait_until(lambda: len(self.mx["mx1"].reporters()) == 2, SECONDS, "both are at home")
        wait_until(lambda: min(self.weights(3)) > 0, SECONDS, "both know the campaign")


@unittest.skipUnless(shutil.which("redis-server"), "redis-server is not installed")
class WithRedis(Site):
    """Storage and counters of both are on one Redis."""

    def shared(self):
        address = f"{self.network.switch.address}:6379"
        with self.network.switch.inside():
            redis = Redis(self.tmp, address)
            redis.__enter__()
        self.addCleanup(redis.__exit__)
        options = ["storage.backend=redis", f"storage.redis.servers={address}", "storage.redis.timeout=5s",
                   f"counters.servers={address}"]
        return {"mx1": options, "mx2": options}


class WithMirrors(Site):
    """Each has an embedded storage and mirrors the other."""

    def shared(self):
        keys = {}
        for name in ("mx1", "mx2"):
            words = harness.run("keypair").stdout
            keys[name] = [harness.re.search(rf"{part}\W+(\w+)", words)[1] for part in ("pubkey", "privkey")]
        out = {}
        for name, other in (("mx1", "mx2"), ("mx2", "mx1")):
            mine, theirs = self.network[name].address, self.network[other].address
            out[name] = [f"storage.sync_keypair={{pubkey: {keys[name][0]}, privkey: {keys[name][1]}}}",
                         f"storage.masters={theirs}/32", f"storage.master_key=[{keys[other][0]}]",
                         "storage.master_timeout=3s", f"storage.replication_listen={mine}:11336",
                         f"storage.mirror=[{{name: {other}, hosts: '{theirs}:11336', key: {keys[other][0]}}}]"]
        return out


del Site  # only its kinds are run


class Nonsense(socketserver.ThreadingTCPServer):
    """A server that answers each request with the same bytes; or a byte now and then, for ever."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, answer, drips=False):
        super().__init__(("127.0.0.1", 0), Nonsensical)
        self.answer = answer
        self.drips = drips
        self.stopped = threading.Event()

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.shutdown()
        self.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Nonsensical(socketserver.StreamRequestHandler):
    def handle(self):
        with contextlib.suppress(OSError):
            self.request.recv(65536)
            self.wfile.write(self.server.answer)
            while self.server.drips and not self.server.stopped.wait(0.2):
                self.wfile.write(b"X")


def answer(status, body, kind="application/json"):
    return (f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()


class Abused(unittest.TestCase):
    """A daemon and its home or peers, on one host."""

    def start(self, *overrides, address=None):
        mx = Mx(self, ["milter.dry_run=no", *overrides], address)
        mx.daemon.start()
        return mx

    def home(self):
        port = harness.free_port()
        return self.start(address=f"127.0.0.1:{port}"), f"http://127.0.0.1:{port}"

    def test_a_home_that_is_itself_or_in_a_circle_loses_nothing(self):
        ports = [harness.free_port() for _ in range(3)]
        urls = [f"http://127.0.0.1:{port}" for port in ports]
        alone, left, right = (self.start(f"reports.home={urls[to]}", address=f"127.0.0.1:{ports[own]}")
                              for own, to in ((0, 0), (1, 2), (2, 1)))
        for mx in (alone, left, right):
            began = time.monotonic()
            status, told = mx.report("spam", "ann", letter(1))
            self.assertEqual((200, "waiting"), (status, told["what"]))
            self.assertLess(time.monotonic() - began, 5, "it is seen at once")
            self.assertIn("is not the home of reports", mx.daemon.log())
            self.assertEqual(1, mx.waiting())
            self.assertIn(urls[0] if mx is alone else "http://", mx.get("/api/1/cases")["off"])
        # An operator mends it.
        left.daemon.stop()
        left.daemon.extra = [one for one in left.daemon.extra if not one.startswith("reports.home")]
        left.daemon.start()
        wait_until(lambda: right.waiting() == 0, SECONDS, "its home takes it")
        self.assertEqual(1, len(left.reporters()))

    def test_who_answers_nonsense_slowly_or_in_another_version_has_not_taken_it(self):
        receipt = '{"what": "new", "hashes": 1, "changed": 0, "counted": true}'
        for what, server in (
                ("a page", Nonsense(answer(200, "<h1>It works!</h1>", "text/html"))),
                ("no HTTP", Nonsense(b"220 smtp ready\r\n")),
                ("a cut answer", Nonsense(answer(200, receipt)[:-5])),
                ("another version", Nonsense(answer(404, '{"title": "Not Found", "status": 404, "detail": "no"}'))),
                ("slow", Nonsense(b"HTTP/1.1 200 OK\r\nA: ", drips=True))):
            with self.subTest(what), server:
                mx = self.start(f"reports.home={server.url}")
                began = time.monotonic()
                self.assertEqual("waiting", mx.report("spam", "ann", letter(1))[1]["what"], what)
                self.assertLess(time.monotonic() - began, 15)
                self.assertEqual("waiting", mx.report("spam", "bob", letter(2))[1]["what"], what)
                self.assertEqual((2, 0), (mx.waiting(), mx.metrics()["shingled_reports_set_aside_total"]))
                self.assertEqual(0, mx.daemon.stop(), "and it ends")

    def test_a_report_that_is_never_taken_holds_nothing_back(self):
        home, url = self.home()
        mx = self.start(f"reports.home={url}")
        home.daemon.stop()
        self.assertEqual("waiting", mx.report("spam", "ann", letter(1))[1]["what"])
        self.assertEqual(400, mx.report("spam", "x" * 5_000, letter(1))[0], "such a name is refused at once")
        spool = mx.tmp / "reports.db.spool"
        poison = spool / "0000000000000001-1-000000.report"
        poison.write_text(json.dumps({"kind": "spam", "reporter": "x" * 20_000}) + "\n" + letter(2))
        (spool / "0000000000000002-1-000000.report").write_text("no report at all\n")
        (spool / "0000000000000003-1-000000.report").write_text(json.dumps(
            {"kind": "spam", "reporter": "eve", "kept": True}) + "\nnot what a history keeps")
        home.daemon.start()
        wait_until(lambda: mx.waiting() == 0, SECONDS, "all have gone")
        self.assertEqual(1, len(home.reporters()), "ann's is there")
        self.assertEqual(3, mx.metrics()["shingled_reports_set_aside_total"])
        self.assertIn("report_set_aside", mx.daemon.log())
        self.assertIn(poison.name, mx.daemon.log())
        self.assertEqual(3, len(list(spool.glob("*.refused"))))

    def test_peers_that_are_away_slow_or_nonsense_are_named(self):
        gone = f"http://127.0.0.1:{harness.free_port()}"
        with Nonsense(answer(200, '{"messages": [{"id": 5}], "next": null}')) as wrong, \
                Nonsense(b"HTTP/1.1 200 OK\r\nA: ", drips=True) as slow, Nonsense(answer(200, "[]")) as list_only:
            peers = [gone, wrong.url, slow.url, list_only.url]
            mx = self.start(f"history.peers=[{', '.join(json.dumps(one) for one in peers)}]")
            began = time.monotonic()
            found = mx.get("/api/1/messages?peers=yes")
            self.assertLess(time.monotonic() - began, 10, "there is a deadline for all")
            self.assertEqual([one.removeprefix("http://") for one in peers], [one["host"] for one in found["missing"]])
            self.assertTrue(all(one["why"] for one in found["missing"]))
            status, text = mx.api("GET", "/api/1/messages/ABC")
            self.assertEqual(404, status)
            self.assertIn("could not be asked", text)

    def test_labels_and_withdrawn_hashes_come_from_the_home(self):
        home, url = self.home()
        mx = self.start(f"reports.home={url}")
        for who in ("ann", "bob"):
            self.assertEqual(200, mx.report("spam", who, offer(1))[0])
        self.assertGreater(home.daemon.weight(offer(1)), 0)
        # A storage of its own was taught by hand.
        self.assertEqual(0, mx.daemon.run("add", "--flag", "denied", stdin=offer(1)).returncode)
        self.assertGreater(mx.daemon.weight(offer(1)), 0)
        case = home.get("/api/1/cases")["cases"][0]["id"]
        self.assertEqual(200, home.api("POST", f"/api/1/cases/{case}/close")[0])
        wait_until(lambda: mx.daemon.weight(offer(1)) == 0, SECONDS, "what the home withdraws is forgotten here, too")
        self.assertIn("home_closed_case", mx.daemon.log())
        # The home starts anew: that is noticed, and nothing breaks.
        home.daemon.stop()
        for file in pathlib.Path(home.tmp).glob("reports.db*"):
            file.unlink()
        home.daemon.start()
        self.assertEqual(200, home.report("spam", "carl", letter(7))[0])
        wait_until(lambda: "home_is_another" in mx.daemon.log(), SECONDS, "another file is noticed")


if __name__ == "__main__":
    unittest.main()
