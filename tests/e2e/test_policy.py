# Covers milter/desk/counters/counted_policy.cpp.
"""Rules on counters judge mail that comes through a real Postfix: log, headers and `scan` name the numbers."""

import json
import pathlib
import re
import signal
import time
import unittest
import urllib.request

import harness
from counted_mail import INCOMING, SECONDS, Counted

SHINGLER = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "policy-shingler.yaml"
SERVER = "mx.example.org"  # its Authentication-Results are believed
TEXT = " ".join(f"word{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(80))
PLAIN = " ".join(f"other{chr(97 + i % 26)}{chr(98 + i // 26)}" for i in range(80))

# The twelve rules of the specification.
RULES = """
rules:
  SENDER_SPAMMY:   {if: from.spam >= 99% of 100 in 14d, score: 1.5}
  LINK_COMPLAINED: {if: link_domain.complaint >= 0.3% of 1000 in 1d, score: 3, reason: more complaints than Google lets pass}
  LINK_RESCUED:    {if: link_domain.rescue >= 50% of 20 in 14d, score: -3}
  SUBJECT_FLOOD:   {if: subject.mass >= 1000 in 10m and not local, score: 2}
  USER_SPRAYS:     {if: user.unique_recipients >= 500 in 1d, action: tempfail, remedy: change the password}
  USER_SPIKE:      {if: user.mass >= 10x usual in 1h and user.mass >= 200 in 1h, action: quarantine}
  FILE_FROM_MANY:  {if: attachment.unique_senders >= 20 in 1h, score: 4}
  FIRST_CONTACT:   {if: sender_recipient.mass = 0 in 14d and sender.mass < 3 in 14d, score: 0.5}
  WELL_KNOWN:      {if: sender_recipient.ham >= 5 in 14d and sender_recipient.spam = 0 in 14d, score: -2}
  OUR_TEMPLATE:    {if: stored_hash.ham >= 90% of 20 in 14d, score: -10, reason: local ham looks the same}
  MANY_REPORTERS:  {if: stored_hash.unique_reporters >= 5 in 1d, score: 5}
  SPRAY_AND_FUZZY: {if: SENDER_SPAMMY and (FUZZY_PROB or SUBJECT_FLOOD), score: 4}
"""


def letter(number, sender, subject="Hello", link=None, text=None, file=None):
    """A message whose From is proved. Its text is in no storage unless it is `text`."""
    lines = [f"Authentication-Results: {SERVER}; dkim=pass header.d={sender.partition('@')[2]}",
             f"From: Somebody <{sender}>", "To: list@example.org", f"Subject: {subject}",
             f"Message-ID: <{number}@policy.example.net>", "MIME-Version: 1.0",
             "Content-Type: multipart/mixed; boundary=xx", "", "--xx", "Content-Type: text/plain", "",
             text or f"{PLAIN} number{number}"]
    lines += [f"See https://{link}/a"] if link else []
    if file:
        lines += ["--xx", "Content-Type: application/octet-stream; name=a.bin", "", file]
    return "\r\n".join([*lines, "--xx--", ""]).encode()


class Policy(Counted):
    def setUp(self):
        super().setUp()
        self.numbers = iter(range(10**6))
        self.rules = self.tmp / "rules.yaml"
        self.config = self.tmp / "shingled.yaml"
        self.config.write_text(f"policy: {{files: [{self.rules}]}}\n")

    def start_with(self, rules, overrides=()):
        self.rules.write_text(rules)
        self.daemon = self.enterContext(harness.Daemon(self.tmp, config=self.config, overrides=[
            INCOMING, f"counters.authserv_ids=[{SERVER}]", *overrides]))
        self.serve_mail(self.daemon, ["smtpd_authorized_xclient_hosts = 127.0.0.1"])

    def post(self, page, body):
        request = urllib.request.Request(f"http://127.0.0.1:{self.daemon.status_port}/counters/{page}",
                                         data=json.dumps(body).encode(), headers={"X-Shingled": "1"})
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return json.load(answer)

    def count(self, amounts, *pieces, space="in"):
        for begin in range(0, len(pieces), 100):
            self.post("add", {"space": space, "add": amounts, "pieces": [
                {"type": kind, "piece": texts[0] if len(texts) == 1 else texts}
                for kind, *texts in pieces[begin:begin + 100]]})

    def scan(self, message, sender, recipient, user=None, *options):
        login = ["--user", user] if user else []
        done = self.daemon.run("scan", "--json", "-v", "--features", "--sender", sender, "--recipient", recipient,
                               "--client", "127.0.0.1", "--authserv-id", SERVER, *login, *options, stdin=message)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def send_one(self, message, sender, recipient, user=None):
        """The reply to the message, and its line in the log."""
        lines = len(self.message_lines())
        with self.session() as smtp:
            if user:
                self.assertEqual(220, smtp.docmd("XCLIENT", f"LOGIN={user}")[0])
                smtp.ehlo("client.example.net")
            codes, end = self.offer(smtp, message, [recipient], sender)
        self.assertEqual([250], codes)
        harness.wait_until(lambda: len(self.message_lines()) > lines, SECONDS, "the message is in the log")
        return end, self.message_lines()[-1]

    def message_lines(self):
        return [line for line in self.daemon.log().splitlines() if " info message " in line]

    def symbols(self, scanned):
        return {symbol["symbol"] for symbol in scanned["symbols"]}

    def explained(self, scanned):
        """By symbol what its rule says."""
        return {hit["symbol"]: hit["why"] for source in ("policy", "counter_policy")
                for hit in (scanned[source] or {"hits": []})["hits"]}

    def fires(self, rule, why, code=250, user=None, recipient="here@example.org", header=None, log=None, **content):
        """A message meets the rule: `scan`, log and header say the same numbers. `why` is a text or a pattern; `header`
        and `log` are what those say if they say less."""
        sender = content.pop("sender", f"{rule.lower().replace('_', '-')}@{rule.lower().replace('_', '')}.example")
        number = next(self.numbers)
        message = letter(number, sender, **content)
        scanned = self.scan(message, sender, recipient, user)
        why = why if isinstance(why, re.Pattern) else re.compile(re.escape(why))
        self.assertRegex(self.explained(scanned).get(rule, "it does not fire"), rf"^(?:{why.pattern})$")
        end, line = self.send_one(message, sender, recipient, user)
        self.assertEqual(code, end)
        self.assertRegex(line, re.escape(rule) + r" [^|\"]*: " + (re.escape(log) if log else why.pattern))
        if code == 250 and "action=quarantine" not in line:
            kept = self.sink.wait_for(f"<{number}@policy".encode()).decode()
            self.assertRegex(re.sub(r"\s+", " ", kept), re.escape(header) if header else why.pattern)
        return line

    def fires_not(self, rule, user=None, recipient="here@example.org", sender="nobody@quiet.example", **content):
        message = letter(next(self.numbers), sender, **content)
        self.assertNotIn(rule, self.explained(self.scan(message, sender, recipient, user)))
        _, line = self.send_one(message, sender, recipient, user)
        self.assertNotIn(rule, line)


class TwelveRules(Policy):
    def test_each(self):
        self.wait_for_a_long_day()
        harness.wait_until(lambda: time.time() % 600 < 480, SECONDS + 10, "ten minutes are not about to end")
        self.start_with(RULES, ["milter.actions.reject=100", "milter.actions.add_header=50"])
        with self.subTest("SENDER_SPAMMY"):
            self.count({"mass": 188, "spam": 187}, ("from", "sender-spammy@senderspammy.example"))
            self.fires("SENDER_SPAMMY", "from.spam 187 of 188 (99.5 %) in 14d; rule: 99% of 100")
            self.count({"mass": 99, "spam": 99}, ("from", "few@few.example"))
            self.fires_not("SENDER_SPAMMY", sender="few@few.example")
        with self.subTest("LINK_COMPLAINED"):
            self.count({"mass": 2000, "complaint": 9}, ("link_domain", "complained-links.com"))
            self.fires("LINK_COMPLAINED", "link_domain.complaint 9 of 2000 (0.45 %) in 1d [complained-links.com]; "
                       "rule: 0.3% of 1000", link="www.complained-links.com")
            self.fires_not("LINK_COMPLAINED", link="www.harmless-links.com")
        with self.subTest("LINK_RESCUED"):
            self.count({"mass": 40, "spam": 30, "rescue": 20}, ("link_domain", "rescued-links.com"))
            self.fires("LINK_RESCUED", "link_domain.rescue 20 of 30 (66.7 %) in 14d [rescued-links.com]; "
                       "rule: 50% of 20", link="www.rescued-links.com")
            self.fires_not("LINK_RESCUED", link="www.harmless-links.com")
        with self.subTest("SUBJECT_FLOOD"):
            self.count({"mass": 1000}, ("subject", "cheap watches for everybody here"))
            self.fires("SUBJECT_FLOOD", "subject.mass 1000 in 10m; rule: 1000, not local", subject="Cheap watches for everybody here")
            self.fires_not("SUBJECT_FLOOD", subject="something else")
        with self.subTest("USER_SPRAYS"):
            self.count({"mass": 1}, *(("user_recipient", "bob", f"r{i}@example.org") for i in range(500)), space="out")
            line = self.fires("USER_SPRAYS", "user.unique_recipients 500 in 1d; rule: 500", code=451, user="bob")
            self.assertIn("change the password", line)
            self.fires_not("USER_SPRAYS", user="ann")
        with self.subTest("USER_SPIKE"):
            day = 86400
            self.post("learn", {"additions": [
                {"time": int(time.time()) - n * day, "space": "out", "add": {"mass": 24},
                 "pieces": [{"type": "user", "piece": "eve"}]} for n in range(13, 0, -1)]})
            self.count({"mass": 250}, ("user", "eve"), space="out")
            line = self.fires("USER_SPIKE", "user.mass 250 in 1h (usual 1.0); rule: 10x usual, user.mass 250 in 1h; "
                              "rule: 200", user="eve")
            self.assertIn("action=quarantine", line)
            self.fires_not("USER_SPIKE", user="ann")
        with self.subTest("FILE_FROM_MANY"):
            file = "the same file " * 100
            senders = [f"s{i}@many{i}.example" for i in range(20)]
            for sender in senders:
                self.send_one(letter(next(self.numbers), sender, file=file), sender, "here@example.org")
            self.fires("FILE_FROM_MANY", re.compile(r"attachment\.unique_senders 20 in 1h \[[0-9a-f]{60}\]; rule: 20"),
                       file=file)
            self.fires_not("FILE_FROM_MANY", file="another file " * 100)
        with self.subTest("FIRST_CONTACT"):
            self.count({"mass": 1}, ("sender_recipient", "old@old.example", "here@example.org"))
            self.fires_not("FIRST_CONTACT", sender="old@old.example")
            self.fires("FIRST_CONTACT", "sender_recipient.mass 0 in 14d [first@first.example + here@example.org]; rule: = 0, "
                       "sender.mass 0 in 14d; rule: < 3", header="sender_recipient.mass 0 in 14d; rule: = 0",
                       log="sender_recipient.mass 0 in 14d; rule: = 0, sender.mass 0 in 14d; rule: < 3", sender="first@first.example")
        with self.subTest("WELL_KNOWN"):
            self.count({"mass": 6, "ham": 5}, ("sender_recipient", "ann@known.example", "here@example.org"))
            pair = "in 14d [ann@known.example + here@example.org]; rule:"
            self.fires("WELL_KNOWN", f"sender_recipient.ham 5 {pair} 5, sender_recipient.spam 0 {pair} = 0",
                       header="sender_recipient.ham 5 in 14d; rule: 5",
                       log="sender_recipient.ham 5 in 14d; rule: 5, sender_recipient.spam 0 in 14d; rule: = 0", sender="ann@known.example")
            self.fires_not("WELL_KNOWN")
        learnt = letter(next(self.numbers), "x@x.example", text=TEXT)
        done = self.daemon.run("add", "--flag", "denied", "--weight", "20", stdin=learnt)
        self.assertEqual(0, done.returncode, done.stderr)
        digests = {lookup["matched"] for lookup in self.scan(learnt, "x@x.example", "here@example.org")["lookups"]
                   if lookup["result"] == "hit"}
        with self.subTest("OUR_TEMPLATE"):
            self.fires_not("OUR_TEMPLATE", text=TEXT)
            self.count({"mass": 40, "ham": 39}, *(("stored_hash", digest) for digest in digests))
            line = self.fires("OUR_TEMPLATE", re.compile(
                r"stored_hash\.ham 39 of 4[0-9] \(9[0-9]\.[0-9] %\) in 14d \[[0-9a-f]{60}\]; rule: 90% of 20"), text=TEXT)
            self.assertIn("OUR_TEMPLATE -10.00: ", line)
            self.assertIn("local ham looks the same", line)
        with self.subTest("MANY_REPORTERS"):
            self.fires_not("MANY_REPORTERS", text=TEXT)
            self.count({"mass": 1}, *(("hash_reporter", digest, f"reporter{i}") for digest in digests
                                      for i in range(5)))
            self.fires("MANY_REPORTERS", re.compile(
                r"stored_hash\.unique_reporters 5 in 1d \[[0-9a-f]{60}\]; rule: 5"), text=TEXT)
        with self.subTest("SPRAY_AND_FUZZY"):
            self.count({"mass": 188, "spam": 187}, ("from", "spray@spray.example"))
            self.fires("SPRAY_AND_FUZZY", "SENDER_SPAMMY, SUBJECT_FLOOD", sender="spray@spray.example",
                       subject="Cheap watches for everybody here")
            self.fires_not("SPRAY_AND_FUZZY", subject="Cheap watches for everybody here")


class NoTextInTheLog(Policy):
    TYPES = ("subject exact_subject display_name phrase hidden_phrase short_text address phone wallet link link_path "
             "recipient sender_recipient attachment_name").split()

    def test_no_word_of_a_mail_is_in_the_log(self):
        rules = "".join(f"  SEEN_{kind.upper()}: {{score: 0.1, if: {kind}.mass < 1000 in 1d}}\n" for kind in self.TYPES)
        self.start_with("rules:\n" + rules)
        marker = "Quixotic"
        text = (f"{marker} words stand here in a long line of prose which has enough words to make phrases of them all today. "
                f"Write to {marker}.person@mail.example or call +49 30 55571234 and look at https://www.shop.example.com/{marker}/page. ") * 3
        message = letter(next(self.numbers), "a@sender.example", subject=f"{marker} subject", text=text)
        end, line = self.send_one(message, "a@sender.example", "here@example.org")
        self.assertEqual(250, end)
        self.assertIn("SEEN_PHRASE", line)
        self.assertNotIn(marker.lower(), self.daemon.log().lower())
        self.assertNotIn("5557", self.daemon.log())


class TheScaleOfTheDocument(Policy):
    """A sum by hand: each rule adds, and over 100 it is spam."""

    def test_the_sum_decides(self):
        self.start_with("""
rules:
  SENDER_SPAMMY: {if: from.spam >= 99% of 100 in 14d, score: 1.5}
  LINK_SPAMMY:   {if: link_domain.spam >= 99% of 100 in 14d, score: 40}
  SUBJECT_FLOOD: {if: subject.mass >= 1000 in 10m, score: 60}
""", ["milter.actions.reject=100", "milter.actions.add_header=null"])
        sender = "spammer@spam.example"
        self.count({"mass": 1880, "spam": 1870}, ("from", sender), ("link_domain", "bad-links.com"))
        self.count({"mass": 1200}, ("subject", "cheap watches for everybody here"))
        end, line = self.send_one(letter(1, sender, link="bad-links.com"), sender, "here@example.org")
        self.assertEqual(250, end)
        self.assertIn("score=41.50", line)
        end, line = self.send_one(letter(2, sender, link="bad-links.com", subject="cheap watches for everybody here"), sender,
                                  "here@example.org")
        self.assertEqual(550, end)
        self.assertIn("score=101.50", line)
        self.assertIn("score 101.50 reaches reject 100.00", line)


    def test_the_shipped_rules_add_up_to_a_hundred(self):
        """packaging/policy-shingler.yaml as it is."""
        self.wait_for_a_long_day()
        flood = "cheap watches for everybody here"
        sender = "spammer@spam.example"
        self.start_with(SHINGLER.read_text(), ["milter.actions={reject: 100, add_header: 50}", "reports.residents=all"])
        self.count({"mass": 10}, ("sender", sender))  # no stranger, so FIRST_CONTACT does not fire
        self.count({"mass": 1880, "spam": 1870}, ("from", sender))
        self.count({"mass": 5000, "spam": 5000}, ("link_domain", "bad-links.com"), ("client", "127.0.0.1"))
        self.count({"mass": 900, "spam": 900}, ("subject", flood))
        # SENDER_SPAMMY 1.5 + SENDER_DOUBTFUL 1.5 + LINK_SPAMMY 15 + CLIENT_SPAMMY 10 + SUBJECT_SPAMMY 10
        self.assert_ends(1, 250, "score=38.00", sender, flood)
        # + LINK_COMPLAINED 30, which three people make, however many complaints there are
        self.count({"complaint": 20}, ("link_domain", "bad-links.com"))
        self.assert_ends(4, 250, "score=38.00", sender, flood)
        for who in ("ann", "bob", "joe"):
            other = letter(who, "other@elsewhere.example", link="bad-links.com", subject=f"hello {who}", text=f"{TEXT} {who}")
            self.assertEqual(0, self.daemon.run("report", "--spam", "--reporter", who, stdin=other).returncode)
        line = self.assert_ends(2, 250, "score=68.00", sender, flood)
        self.assertIn("action=add_header", line)
        self.assertRegex(line, r"LINK_COMPLAINED \+30\.00: link_domain\.complaint 23 of 500\d \(0\.46 %\) in 1d")
        # + SUBJECT_FLOOD 20 + SPAMMER_IN_A_WAVE 60
        self.count({"mass": 100, "spam": 100}, ("subject", flood))
        self.assertIn("score 148.00 reaches reject 100.00", self.assert_ends(3, 550, "score=148.00", sender, flood))

    def assert_ends(self, number, code, score, sender, subject):
        end, line = self.send_one(letter(number, sender, link="bad-links.com", subject=subject), sender, "here@example.org")
        self.assertEqual(code, end, line)
        self.assertIn(score, line)
        return line


class KnownFiles(Policy):
    def test_scan_asks_for_a_known_file_as_the_milter_does(self):
        content = " ".join(f"part{chr(97 + i % 26)}{i * 7919 % 10007}" for i in range(2000))
        file, library = self.tmp / "bad.bin", self.tmp / "similar.db"
        file.write_text(content)
        done = harness.run("similar", "add", "--file", library, "--list", "bad", file)
        self.assertEqual(0, done.returncode, done.stderr)
        self.start_with("rules: {FILE_SEEN: {if: known_file.mass >= 5 in 14d, score: 1}}\n", [
            "similar.enabled=yes", f"similar.file={library}", "similar.lists=[{name: bad, score: 0}]"])
        scanned = self.scan(letter(0, "a@a.example", file=content), "a@a.example", "here@example.org")
        hit, = scanned["similar"]["hits"]
        self.count({"mass": 5}, ("known_file", f"bad/{hit['sample']}"))
        self.fires("FILE_SEEN", re.compile(r"known_file\.mass 5 in 14d \[bad/\S+\]; rule: 5"), log="known_file.mass 5 in 14d", file=content)


class Reload(Policy):
    def test_a_new_file_of_rules_counts_after_sighup(self):
        self.start_with("rules:\n  BIG: {if: bytes > 100, score: 1, shadow: yes}\n")
        sender = "a@a.example"
        _, line = self.send_one(letter(1, sender), sender, "here@example.org")
        self.assertRegex(line, r"BIG \+1.00 \(shadow\): bytes \d+; rule: > 100")
        self.assertIn("score=0.00", line)
        self.assertNotIn("BIG", self.sink.wait_for(b"<1@policy").decode())
        self.rules.write_text("rules:\n  BIG: {if: bytes > 100, score: 2}\n")
        self.daemon.signal(signal.SIGHUP)
        harness.wait_until(lambda: " reloaded " in self.daemon.log(), SECONDS, "the settings are reloaded")
        _, line = self.send_one(letter(2, sender), sender, "here@example.org")
        self.assertRegex(line, r"BIG \+2.00: bytes \d+; rule: > 100")
        self.assertIn("score=2.00", line)
        self.assertIn("BIG", self.sink.wait_for(b"<2@policy").decode())
        self.rules.write_text("rules:\n  BIG: {if: bites > 100, score: 3}\n")
        self.daemon.signal(signal.SIGHUP)
        harness.wait_until(lambda: "reload_failed" in self.daemon.log(), SECONDS, "the mistake is told")
        _, line = self.send_one(letter(3, sender), sender, "here@example.org")
        self.assertIn("score=2.00", line)
        self.assertEqual({("BIG", "no"): 2}, self.hits())
        # The rules are right, but something else is not: what counts is what is in force.
        self.rules.write_text("rules:\n  OTHER: {if: bytes > 100, score: 3}\n")
        self.config.write_text(self.config.read_text() + "ratelimit: {whitelisted_ip: [/nonexistent/list]}\n")
        failed = self.daemon.log().count("reload_failed")
        self.daemon.signal(signal.SIGHUP)
        harness.wait_until(lambda: self.daemon.log().count("reload_failed") > failed, SECONDS, "the mistake is told")
        self.send_one(letter(4, sender), sender, "here@example.org")
        self.assertEqual({("BIG", "no"): 3}, self.hits())

    def hits(self):
        return {(one["labels"]["rule"], one["labels"]["shadow"]): one["value"]
                for one in self.metrics("shingled_policy_rule_hits")}


if __name__ == "__main__":
    unittest.main()
