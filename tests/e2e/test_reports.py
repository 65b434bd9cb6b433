# Covers milter/cli/commands/report_command.cpp, milter/cli/reports/report_client.cpp,
# milter/cli/reports/report_run.cpp, milter/cli/reports/reporters_run.cpp, milter/status/report_pages.cpp.
"""Reports of people, with the real daemon: what two report is found again, what is taken back is not."""

import http.client
import json
import subprocess
import unittest

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

    def found(self, message):
        """The weight of the best hash of the message, 0 without one."""
        done = self.daemon.run("check", "--json", stdin=message)
        values = [flag["value"] or 0 for line in done.stdout.splitlines() for flag in weights(json.loads(line))]
        return max(values, default=0)

    def metric(self, name):
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.status_port, timeout=30)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name))


def weights(value):
    """All maps with a value of a list, wherever they are in JSON."""
    if isinstance(value, dict):
        if "value" in value and "flag" in value:
            yield value
        for inner in value.values():
            yield from weights(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from weights(inner)


class Daily(Reports):
    def test_two_report_it_and_a_similar_message_is_found(self):
        first = self.report("spam", "ann", offer(1))
        self.assertEqual("new", first["what"])
        self.assertTrue(first["counted"])
        self.assertEqual(0, self.found(offer(1)), "one alone teaches nothing")
        self.assertEqual("same", self.report("spam", "ann", offer(1))["what"])
        self.assertEqual(0, self.found(offer(1)))
        self.assertGreater(self.report("spam", "bob", offer(1))["changed"], 0)
        self.assertEqual(2, self.found(offer(1)))
        self.assertEqual(2, self.found(offer(2, name="Sir")), "a near-duplicate")
        # The same one, the other way.
        turned = self.report("ham", "bob", offer(1))
        self.assertEqual("turned", turned["what"])
        self.assertEqual(0, self.found(offer(1)))
        self.assertEqual(0, self.found(offer(2, name="Sir")))
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
        self.assertEqual(2, self.found(offer(1)))
        self.assertEqual("same", self.report("spam", "bob", offer(1))["what"])
        self.assertEqual(2, self.found(offer(1)))

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
        self.assertGreaterEqual(self.found(offer(1)), 2)
        done = self.daemon.run("report", "--flush", spool)
        self.assertEqual((0, "0 reports delivered, 0 refused, 0 waiting\n"), (done.returncode, done.stdout))

    def test_two_processes_at_once(self):
        begun = [subprocess.Popen([self.daemon.binary, "report", *self.daemon.overrides, "--spam", "--reporter",
                                   f"r{i}"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) for i in range(4)]
        for process in begun:
            process.stdin.write(offer(1).encode())
            process.stdin.close()
        self.assertEqual([0] * 4, [process.wait(harness.RUN_SECONDS) for process in begun])
        self.assertEqual(3, self.found(offer(1)), "three newcomers at most")

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
    overrides = ("reports.bytes_max=64K", "counters.body_bytes_max=64K")

    def test_what_is_no_report(self):
        self.report("spam", "ann", "no mail at all", code=EX_DATAERR)
        self.report("spam", "ann", "", code=EX_DATAERR)
        self.report("spam", "a" * 300, offer(1), code=EX_DATAERR)
        long = self.daemon.run("report", "--spam", "--reporter", "ann", stdin=offer(1) + "x" * 70000)
        self.assertEqual(EX_DATAERR, long.returncode)
        self.assertIn("reports.bytes_max", long.stderr)
        self.assertEqual(EX_USAGE, self.daemon.run("report", stdin=offer(1)).returncode)
        self.assertEqual(EX_USAGE, self.daemon.run("report", "--spam", "--ham", stdin=offer(1)).returncode)
        missing = self.daemon.run("report", "--spam", "--spool", self.tmp / "none", stdin=offer(1))
        self.assertEqual(EX_CANTCREAT, missing.returncode, missing.stderr)

    def test_a_web_page_or_a_stranger_reports_nothing(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.status_port, timeout=30)
        connection.request("POST", "/report?kind=spam&reporter=ann", body=offer(1))
        self.assertIn(connection.getresponse().status, (403, 413))
        connection.close()

    def test_a_broken_file_stops_reports_and_no_mail(self):
        (self.tmp / "reports.db").write_text("this is no database, but a text that is long enough for one")
        done = self.daemon.run("report", "--spam", "--reporter", "ann", stdin=offer(1))
        self.assertNotEqual(0, done.returncode)
        self.assertIn("reports.db", done.stderr)
        self.assertEqual(0, self.daemon.run("add", stdin=offer(1)).returncode)


class Trusted(Reports):
    overrides = ("reports.trusted_reporters=[postmaster]", "reports.ham_also=white")

    def test_counts_at_once(self):
        self.report("spam", "postmaster", offer(1))
        self.assertEqual(1, self.found(offer(1)))
        self.report("ham", "postmaster", offer(1))
        done = self.daemon.run("check", "--json", stdin=offer(1)).stdout
        self.assertIn("white", done.lower())
        self.assertIn("postmaster", self.daemon.run("reporters").stdout)


if __name__ == "__main__":
    unittest.main()
