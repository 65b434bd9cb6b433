# Covers milter/cli/commands/report_command.cpp, milter/cli/reports/cases_run.cpp,
# milter/desk/report_client.cpp, milter/cli/reports/report_run.cpp, milter/cli/reports/reporters_run.cpp,
# milter/api/messages/report_resource.cpp.
"""Reports of people, with the real daemon: what two report is found again, what is taken back is not."""

import contextlib
import http.client
import json
import resource
import shutil
import sqlite3
import subprocess
import sys
import unittest

import abused_reports
import harness

EX_USAGE, EX_DATAERR, EX_UNAVAILABLE, EX_CANTCREAT = 64, 65, 69, 73

OFFER = """From: Shop <shop@example.org>
Subject: {subject}
Message-ID: <{number}@example.org>

Please look at our wonderful catalogue of garden furniture, ladders, hoses, lamps and fountains before
everything has gone. Our carpenters build each bench by hand from seasoned oak, our gardeners test every
hose for three summers, and our drivers bring it to your door within two days, whatever the weather does.
Order now and receive a bag of tulip bulbs with every bench, a watering can with every ladder, and the
friendly advice of people who have been gardening in the rain for more than twenty years. Dear {name},
we look forward to hearing from you at https://shop.example.org/{number} very soon indeed.
"""


def offer(number, name="customer", subject="Offer"):
    return OFFER.format(number=number, name=name, subject=subject)


class Reports(unittest.TestCase):
    overrides = ()

    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.daemon = self.enterContext(harness.Daemon(self.tmp, self.overrides))

    def report(self, kind, who, message, *arguments, code=0):
        done = self.daemon.run("report", f"--{kind}", "--reporter", who, "--json", *arguments, stdin=message)
        self.assertEqual(code, done.returncode, f"{done.stdout}\n{done.stderr}")
        return json.loads(done.stdout) if done.stdout else None

    def metric(self, name):
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.status_port, timeout=30)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name))


class Daily(Reports):
    def test_two_report_it_and_a_similar_message_is_found(self):
        first = self.report("spam", "ann", offer(1))
        self.assertEqual("new", first["what"])
        self.assertTrue(first["counted"])
        self.assertEqual(0, self.daemon.weight(offer(1)), "one alone teaches nothing")
        self.assertEqual("same", self.report("spam", "ann", offer(1))["what"])
        self.assertEqual(0, self.daemon.weight(offer(1)))
        self.assertGreater(self.report("spam", "bob", offer(1))["changed"], 0)
        self.assertEqual(3, self.daemon.weight(offer(1)))
        self.assertEqual(3, self.daemon.weight(offer(2, name="Sir")), "a near-duplicate")
        # The same one, the other way.
        turned = self.report("ham", "bob", offer(1))
        self.assertEqual("turned", turned["what"])
        self.assertEqual(0, self.daemon.weight(offer(1)))
        self.assertEqual(0, self.daemon.weight(offer(2, name="Sir")))
        self.assertEqual(4, self.metric("shingled_reports_received_total"))
        self.assertIn("report kind=spam reporter=", self.daemon.log())
        self.assertNotIn("reporter=ann", self.daemon.log())

    def test_pieces_have_complaints_and_rescues(self):
        self.report("spam", "ann", offer(1))
        self.report("ham", "bob", offer(1))
        shown = self.daemon.run("counters", "show", "--json", "link_host", "shop.example.org").stdout
        self.assertIn('"complaint"', shown)
        self.assertRegex(shown, r'"complaint":\s*\[?\{?[^\]}]*1')
        self.assertRegex(shown, r'"rescue":\s*\[?\{?[^\]}]*1')

    def test_reports_survive_a_crash(self):
        self.report("spam", "ann", offer(1))
        self.daemon.kill9()
        self.daemon.start()
        self.report("spam", "bob", offer(1))
        self.daemon.kill9()
        self.daemon.start()
        self.assertEqual(3, self.daemon.weight(offer(1)))
        self.assertEqual("same", self.report("spam", "bob", offer(1))["what"])
        self.assertEqual(3, self.daemon.weight(offer(1)))

    def test_what_waits_in_a_spool_is_delivered(self):
        spool = self.tmp / "spool"
        spool.mkdir()
        self.daemon.kill9()
        for who in ("ann", "bob"):
            self.assertEqual("kept", self.report("spam", who, offer(1), "--spool", spool)["what"])
        self.assertEqual(2, len(list(spool.glob("*.report"))))
        done = self.daemon.run("report", "--flush", spool)
        self.assertEqual(EX_UNAVAILABLE, done.returncode, done.stderr)
        self.daemon.start()
        # The next call delivers all of them, in their order.
        self.report("spam", "joe", offer(2), "--spool", spool)
        self.assertEqual([], list(spool.iterdir()))
        self.assertGreaterEqual(self.daemon.weight(offer(1)), 2)
        done = self.daemon.run("report", "--flush", spool)
        self.assertEqual((0, "0 reports delivered, 0 refused, 0 waiting\n"), (done.returncode, done.stdout))

    def test_two_processes_at_once(self):
        begun = [subprocess.Popen([self.daemon.binary, "report", *self.daemon.overrides, "--spam", "--reporter",
                                   f"r{i}"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) for i in range(4)]
        for process in begun:
            process.stdin.write(offer(1).encode())
            process.stdin.close()
        self.assertEqual([0] * 4, [process.wait(harness.RUN_SECONDS) for process in begun])
        self.assertEqual(3, self.daemon.weight(offer(1)), "three newcomers at most")

    def test_a_folder(self):
        folder = self.tmp / "mail"
        folder.mkdir()
        for i in range(5):
            (folder / f"{i}.eml").write_text(offer(i))
        (folder / "x.gif").write_bytes(b"GIF89a")
        done = self.daemon.run("report", "--spam", "--reporter", "ann", folder)
        self.assertEqual(EX_DATAERR, done.returncode, done.stderr)
        self.assertEqual(5, done.stdout.count(": reported, "))
        self.assertIn("no message: ", done.stderr)
        listed = json.loads(self.daemon.run("reporters", "--json").stdout)
        self.assertEqual((5, "newcomer", None), (listed["reports"], listed["standing"], listed["name"]))
        self.assertIn("0.50", self.daemon.run("reporters").stdout)


class Refused(Reports):
    overrides = ("reports.bytes_max=64K", "http.body_bytes_max=64K")

    def test_what_is_no_report(self):
        self.report("spam", "ann", "no mail at all", code=EX_DATAERR)
        self.report("spam", "ann", "", code=EX_DATAERR)
        self.report("spam", "a" * 300, offer(1), code=64)  # EX_USAGE
        long = self.daemon.run("report", "--spam", "--reporter", "ann", stdin=offer(1) + "x" * 70000)
        self.assertEqual(EX_DATAERR, long.returncode)
        self.assertIn("reports.bytes_max", long.stderr)
        self.assertEqual(EX_USAGE, self.daemon.run("report", stdin=offer(1)).returncode)
        self.assertEqual(EX_USAGE, self.daemon.run("report", "--spam", "--ham", stdin=offer(1)).returncode)
        missing = self.daemon.run("report", "--spam", "--spool", self.tmp / "none", stdin=offer(1))
        self.assertEqual(EX_CANTCREAT, missing.returncode, missing.stderr)

    def test_a_web_page_or_a_stranger_reports_nothing(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.status_port, timeout=30)
        page = {"Origin": "https://evil.example", "Content-Type": "message/rfc822"}
        connection.request("POST", "/report?kind=spam&reporter=ann", body=offer(1), headers=page)
        self.assertEqual(403, connection.getresponse().status)
        connection.close()

    def test_a_broken_file_stops_reports_and_no_mail(self):
        (self.tmp / "reports.db").write_text("this is no database, but a text that is long enough for one")
        done = self.daemon.run("report", "--spam", "--reporter", "ann", stdin=offer(1))
        self.assertNotEqual(0, done.returncode)
        self.assertIn("reports.db", done.stderr)
        self.assertEqual(0, self.daemon.run("add", stdin=offer(1)).returncode)


class Abuse(unittest.TestCase):
    """tests/bench/report_abuse.py has the same with 10 000 reports."""

    REPORTS = 40
    COMPLAINTS = {"one person, one message": 1, "one person, a message each time": REPORTS, "one person, everything": 1,
                  "throw-away reporters, one message": 3, "throw-away reporters, a message each": REPORTS}

    def test_nobody_rejects_the_mail_of_an_honest_sender(self):
        self.assertEqual(set(abused_reports.ABUSE), set(self.COMPLAINTS))
        for name, complaints in self.COMPLAINTS.items():
            with self.subTest(name):
                found = abused_reports.measure(name, self.REPORTS)
                print(f"reports: {found}", file=sys.stderr)
                self.assertEqual(complaints, found["complaints"])
                alone = name.startswith("one person")
                self.assertEqual(0 if alone else 3, found["weight"], "at most three newcomers count")
                self.assertEqual("pass" if alone else "add_header", found["action"])
                if alone:
                    self.assertEqual(0, found["score"])

    def test_a_reporter_whom_others_contradict_is_seen(self):
        with abused_reports.Site() as site:
            for number in range(8):
                site.report("spam", "eve", abused_reports.other(number))
                for who in ("ann", "bob", "cat"):
                    site.report("ham", who, abused_reports.other(number))
            listed = json.loads(site.page("GET", "/reporters"))["reporters"]
            reputations = sorted(round(one["reputation"], 2) for one in listed)
            self.assertEqual([0.1, 0.9, 0.9, 0.9], reputations, "(0 + 1) / (8 + 2), (8 + 1) / (8 + 2)")

    def test_a_message_that_nobody_has_seen(self):
        with abused_reports.Site() as site:
            self.assertEqual({"what": "new", "counted": True}.items(),
                             {key: site.report("spam", "ann", abused_reports.letter(1))[key]
                              for key in ("what", "counted")}.items())
            # A complaint about nothing is a share of nothing.
            self.assertEqual((1, 0), tuple(site.counted("subject", "offer of the week", measure)
                                           for measure in ("complaint", "mass")))
            live = site.scan(abused_reports.letter(1), live=True)
            self.assertNotIn("LINK_COMPLAINED", {symbol["symbol"] for symbol in live["symbols"]})

    def test_what_is_taken_back_leaves_nothing(self):
        with abused_reports.Site() as site:
            site.daemon.run("add", "--flag", "denied", "--weight", "7", stdin=abused_reports.other(1))
            before = self.hashes(site)
            people = [f"person{i}" for i in range(6)]
            for message in (abused_reports.letter(1), abused_reports.other(1)):
                for who in people:
                    site.report("spam", who, message)
            self.assertNotEqual(before, self.hashes(site))
            for message in (abused_reports.letter(1), abused_reports.other(1)):
                for who in reversed(people):
                    self.assertEqual("turned", site.report("ham", who, message)["what"])
            self.assertEqual(before, self.hashes(site))

    @staticmethod
    def hashes(site):
        """All hashes with their weights, without times."""
        lines = site.daemon.run("export").stdout.splitlines()
        rows = [json.loads(line) for line in lines]
        return sorted(json.dumps({key: value for key, value in row.items() if "time" not in key}) for row in rows)


class Trouble(Reports):
    """The file of reports in trouble: a report fails, says why, and may come again."""

    def edit(self, script):
        self.daemon.stop()
        with contextlib.closing(sqlite3.connect(self.tmp / "reports.db")) as file:
            file.executescript(script)
        self.daemon.start()

    def test_a_full_disk(self):
        self.report("spam", "ann", offer(1))
        before = resource.prlimit(self.daemon.process.pid, resource.RLIMIT_FSIZE)
        # No file of the process may grow: what a full disk is to SQLite.
        size = min(path.stat().st_size for path in self.tmp.glob("reports.db*") if path.stat().st_size > 0)
        resource.prlimit(self.daemon.process.pid, resource.RLIMIT_FSIZE, (max(4096, size), before[1]))
        failed = self.daemon.run("report", "--spam", "--reporter", "bob", stdin=offer(1))
        spool = self.tmp / "spool"
        spool.mkdir()
        kept = self.report("spam", "joe", offer(1), "--spool", spool)
        resource.prlimit(self.daemon.process.pid, resource.RLIMIT_FSIZE, before)
        self.assertNotEqual(0, failed.returncode, failed.stdout)
        self.assertIn("reports.db", failed.stderr)
        self.assertEqual("kept", kept["what"])
        self.assertEqual(0, self.daemon.weight(offer(1)))
        self.assertTrue(self.report("spam", "bob", offer(1))["counted"])
        self.assertEqual(3, self.daemon.weight(offer(1)))
        self.assertEqual(0, self.daemon.run("report", "--flush", spool).returncode)
        self.assertEqual(3, self.daemon.weight(offer(1)))

    def test_another_key(self):
        self.report("spam", "ann", offer(1))
        self.daemon.stop()
        key = self.tmp / "counters" / "key"
        ours = key.read_bytes()
        shutil.rmtree(self.tmp / "counters")
        self.daemon.start()
        done = self.daemon.run("report", "--spam", "--reporter", "ann", stdin=offer(1))
        self.assertNotEqual(0, done.returncode, done.stdout)
        self.assertIn("another key", done.stderr)
        self.daemon.stop()
        shutil.rmtree(self.tmp / "counters")
        key.parent.mkdir()
        key.write_bytes(ours)
        key.chmod(0o600)
        self.daemon.start()
        self.assertEqual("same", self.report("spam", "ann", offer(1))["what"])

    def test_a_newer_version_keeps_the_spool(self):
        self.report("spam", "ann", offer(1))
        self.edit("PRAGMA user_version = 99")
        spool = self.tmp / "spool"
        spool.mkdir()
        self.assertEqual("kept", self.report("spam", "bob", offer(1), "--spool", spool)["what"])
        self.assertEqual(1, len(list(spool.glob("*.report"))))
        self.edit("PRAGMA user_version = 3")
        self.assertEqual(0, self.daemon.run("report", "--flush", spool).returncode)
        self.assertEqual(3, self.daemon.weight(offer(1)))

    def test_a_broken_row(self):
        self.report("spam", "ann", offer(1))
        self.edit("UPDATE hashes SET shingle_set = x'01' WHERE shingle_set IS NOT NULL")
        done = self.daemon.run("report", "--spam", "--reporter", "bob", stdin=offer(1))
        self.assertNotEqual(0, done.returncode, done.stdout)
        self.assertIn("has a wrong length", done.stderr)
        self.assertEqual("new", self.report("spam", "bob", abused_reports.other(5).decode())["what"], "others go on")

    def test_a_hundred_megabytes(self):
        done = self.daemon.run("report", "--spam", "--reporter", "ann", stdin=offer(1).encode() + b"x" * 100 * (1 << 20))
        self.assertEqual(EX_DATAERR, done.returncode)
        self.assertIn("reports.bytes_max", done.stderr)
        self.assertEqual("new", self.report("spam", "ann", offer(1))["what"])


class OneRate(Reports):
    overrides = ("reports.rate=2 / 1h",)

    def test_too_many_reports_wait_in_a_spool(self):
        spool = self.tmp / "spool"
        spool.mkdir()
        for number in range(2):
            self.report("spam", "ann", offer(number))
        done = self.daemon.run("report", "--spam", "--reporter", "ann", stdin=offer(3))
        self.assertEqual(EX_UNAVAILABLE, done.returncode, done.stderr)
        self.assertIn("too many reports of this person", done.stderr)
        self.assertEqual("kept", self.report("spam", "ann", offer(3), "--spool", spool)["what"])
        self.assertEqual(1, len(list(spool.glob("*.report"))))
        self.assertEqual("new", self.report("spam", "bob", offer(3))["what"], "others are not bounded by it")


class Cases(Reports):
    overrides = ("reports.residents=all", "reports.trusted_reporters=[postmaster@example.org]",
                 "reports.domain=example.org")

    def scan(self, message):
        return json.loads(self.daemon.run("scan", "--json", stdin=message).stdout)

    def test_two_mark_and_five_reject(self):
        for people in range(1, 6):
            told = self.report("spam", f"r{people}", offer(people, name=f"name{people}"))
            found = self.scan(offer(people, name=f"name{people}"))
            with self.subTest(people=people):
                self.assertEqual({"spam": people, "ham": 0}, told["people"])
                self.assertEqual((2, 5), (told["marked_at"], told["rejected_at"]))
                wanted = {1: ("noted", "pass"), 5: ("rejected", "reject")}.get(people, ("marked", "add_header"))
                self.assertEqual(wanted, (told["effect"], found["action"]), found["score"])
        done = self.daemon.run("report", "--spam", "--reporter", "r1", stdin=offer(9))
        self.assertIn("5 people say spam: rejected from now on", done.stdout)

    def test_del_withdraws_what_people_said(self):
        for who in ("ann", "bob", "joe"):
            self.report("spam", who, offer(who))
        done = self.daemon.run("del", stdin=offer("ann"))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("; reports of 3 people withdrawn", done.stdout)
        self.assertEqual(0, self.daemon.weight(offer("ann")))
        self.report("spam", "eve", offer(5))
        self.assertEqual(0, self.daemon.weight(offer("ann")), "what was said before does not come back")
        self.report("spam", "zoe", offer(6))
        self.assertEqual(3, self.daemon.weight(offer("ann")))
        deleted = json.loads(self.daemon.run("del", "--json", stdin=offer("ann")).stdout)
        self.assertEqual(2, deleted["withdrawn"])

    def test_cases_are_listed_closed_and_opened(self):
        self.assertEqual("", self.daemon.run("cases", "--json").stdout)
        self.assertFalse((self.tmp / "reports.db").exists(), "a question makes no file")
        for who in ("ann", "bob", "postmaster"):
            self.report("spam", who, offer(who))
        self.report("ham", "joe", offer("joe"))
        listed = json.loads(self.daemon.run("cases", "--since", "1d", "--json").stdout)
        self.assertEqual((3, 1, 4, "marked", ["denied"]),
                         tuple(listed[key] for key in ("spam", "ham", "messages", "effect", "lists")))
        case = listed["id"]
        shown = self.daemon.run("cases", "show", case).stdout
        self.assertIn("postmaster@example.org", shown)
        self.assertIn(f"{case}", self.daemon.run("cases", "--names").stdout)
        explained = self.daemon.run("explain", stdin=offer("ann")).stdout
        self.assertRegex(explained, f"case +{case}: 3 people say spam, 1 wanted, marked")
        self.assertRegex(explained, "source +reports of people")
        checked = self.daemon.run("check", stdin=offer("new")).stdout
        self.assertIn(f" is in case {case}: 3 people say spam, 1 wanted, marked", checked)
        looked_up = json.loads(self.daemon.run("check", "--json", stdin=offer("new")).stdout)["lookups"]
        self.assertIn(case, [one["case"] for one in looked_up])
        closed = json.loads(self.daemon.run("cases", "close", "--json", case).stdout)
        self.assertEqual("closed", closed["effect"])
        self.assertEqual("pass", self.scan(offer("ann"))["action"])
        told = self.report("spam", "eve", offer("eve"))
        self.assertIn("closed, until somebody trusted says spam", told["text"])
        self.assertEqual("pass", self.scan(offer("eve"))["action"])
        self.assertEqual(0, self.daemon.run("cases", "reopen", case).returncode)
        self.assertEqual("add_header", self.scan(offer("ann"))["action"])
        for arguments in (["show", "12345678"], ["show", "xyz"], ["--since", "yesterday"]):
            self.assertIn(self.daemon.run("cases", *arguments).returncode, (EX_USAGE, EX_DATAERR), arguments)
        for method, page in (("POST", "/api/1/reports/withdraw"), ("POST", f"/api/1/cases/{case}/close")):
            connection = http.client.HTTPConnection("127.0.0.1", self.daemon.status_port, timeout=30)
            connection.request(method, page, body=b"" if method == "POST" else None)
            self.assertEqual(403, connection.getresponse().status, "not for web pages")
            connection.close()

    def test_a_trusted_word_lasts(self):
        for who in ("ann", "bob"):
            self.report("spam", who, offer(who))
        self.report("ham", "postmaster", offer("postmaster"))
        for who in ("joe", "eve", "zoe"):
            self.report("spam", who, offer(who))
        self.assertEqual("pass", self.scan(offer("zoe"))["action"])
        self.report("spam", "postmaster", offer(7))
        self.assertEqual("reject", self.scan(offer("zoe"))["action"])


class Trusted(Reports):
    overrides = ("reports.trusted_reporters=[postmaster]", "reports.ham_also=white")

    def test_counts_at_once(self):
        self.report("spam", "postmaster", offer(1))
        self.assertEqual(3, self.daemon.weight(offer(1)), "as two people")
        self.report("ham", "postmaster", offer(1))
        done = self.daemon.run("check", "--json", stdin=offer(1)).stdout
        self.assertIn("white", done.lower())
        self.assertIn("postmaster", self.daemon.run("reporters").stdout)


if __name__ == "__main__":
    unittest.main()
