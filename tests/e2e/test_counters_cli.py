# Covers milter/desk/counters/counter_client.cpp, milter/desk/counters/counter_desk.cpp,
# milter/desk/counters/counter_folder.cpp, milter/cli/commands/counters_command.cpp,
# milter/cli/counters/envelope_arguments.cpp, milter/cli/counters/counter_backup.cpp,
# milter/cli/counters/counter_change.cpp,
# milter/desk/counters/counter_file.cpp, milter/cli/counters/counter_learn.cpp,
# milter/cli/counters/counter_pieces.cpp, milter/cli/counters/counter_run.cpp,
# milter/cli/counters/counter_show.cpp, milter/cli/counters/counter_stat.cpp,
# milter/cli/counters/counter_top.cpp, milter/cli/counters/counter_transfer.cpp,
# milter/http/http_call.cpp.
"""The commands of `shingled counters`: against a stand-in that can answer badly, and against a daemon."""

import email.utils
import gzip
import json
import subprocess
import time
import unittest

import harness
from counter_desk import CounterDesk, shingle_of

EX_USAGE, EX_DATAERR, EX_NOINPUT, EX_UNAVAILABLE, EX_CANTCREAT, EX_IOERR = 64, 65, 66, 69, 73, 74

MESSAGE = """Received: from mail.example.org (mail.example.org [192.0.2.7])
\tby mx.example.net (Postfix) with ESMTP id 4711 for <bob@example.net>; {date}
Return-Path: <ann@example.org>
Delivered-To: bob@example.net
From: Ann <ann@example.org>
Date: Thu, 1 Jan 1998 00:00:00 +0000
Subject: Invoice

Pay at https://www.shop.example.net/pay/now?x=1
"""


def objects(text):
    return [json.loads(line) for line in text.splitlines()]


def message(age=0):
    return MESSAGE.format(date=email.utils.formatdate(time.time() - age))


class WithDesk(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.desk = self.enterContext(CounterDesk())
        self.where = ["-o", f"http.listen=127.0.0.1:{self.desk.port}", "-o",
                      f"counters.directory={self.tmp}/counters"]

    def ends_with(self, code, *arguments, **options):
        done = harness.run("counters", *arguments, *self.where, **options)
        self.assertEqual(code, done.returncode, f"{done.stdout}\n{done.stderr}")
        return done

    def ok(self, *arguments, **options):
        return self.ends_with(0, *arguments, **options).stdout

    def fails(self, code, *arguments, **options):
        done = self.ends_with(code, *arguments, **options)
        self.assertRegex(done.stderr, r"(?m)^shingled: \S")
        return done.stderr


class Show(WithDesk):
    def test_a_piece_has_its_windows_and_its_history(self):
        self.ok("add", "--mass", "3", "--spam", "1", "link_host", "www.example.org")
        text = self.ok("show", "link_host", "www.example.org")
        shingle = shingle_of({"type": "link_host", "piece": "www.example.org"})
        self.assertRegex(text, rf"(?m)^link_host www\.example\.org \({shingle}\), in$")
        self.assertRegex(text, r"(?m)^ +10m +1h +24h +1d +14d$")
        self.assertRegex(text, r"(?m)^  mass +3 +3 +3 +3 +3$")
        self.assertRegex(text, r"(?m)^  spam +1 +1 +1 +1 +1$")
        self.assertRegex(text, r"(?m)^  mass by hour:( 0){23} 3$")
        self.assertRegex(text, r"(?m)^  mass by day:( 0){13} 3$")
        self.assertNotIn(", out", text)
        names = self.ok("show", "--names", "link_host", "www.example.org")
        self.assertIn(f"mass_in_{shingle}_51_10m_{self.desk.slot} 3\n", names)
        self.assertIn(f"mass_in_{shingle}_51_1d_{self.desk.slot // 144} 3\n", names)

    def test_json_has_the_same(self):
        self.ok("add", "--space", "out", "--mass", "2", "51", "www.example.org")
        inside, outside = objects(self.ok("show", "--json", "51", "www.example.org"))
        self.assertEqual(("in", {}), (inside["space"], inside["sums"]["1h"]))
        self.assertEqual(("out", {"mass": 2}), (outside["space"], outside["sums"]["1h"]))
        self.assertEqual([0] * 143 + [2], outside["slots"]["mass"])
        self.assertEqual([0] * 13 + [2], outside["days"]["mass"])
        self.assertEqual("www.example.org", outside["piece"])

    def test_a_piece_is_counted_in_its_normal_form(self):
        for kind, typed, form in (("sender", "<Ann+news@Example.ORG>", "ann@example.org"),
                                  ("link_domain", "www.shop.example.co.uk", "example.co.uk"),
                                  ("link_domain", "https://a@www.example.org/x", "example.org"),
                                  ("foreign_host", "WWW.Example.org", "www.example.org"),
                                  ("client_network", "192.0.2.77", "192.0.2.0/24"),
                                  ("subject", "Re: [list] Invoice 4711", "lnvolce 0000")):
            with self.subTest(kind=kind):
                done = self.ends_with(0, "show", kind, typed)
                self.assertIn(f"'{typed}' is counted as '{form}'", done.stderr)
                self.assertEqual(form, json.loads(self.desk.bodies("/counters/ask")[-1])["pieces"][0]["piece"])
        done = self.ends_with(0, "show", "--exact", "sender", "Ann@Example.ORG")
        self.assertEqual("", done.stderr)
        self.assertEqual("sender Ann@Example.ORG: nothing was counted\n", done.stdout)

    def test_pairs_and_shingles(self):
        self.ok("show", "sender_recipient", "A@example.org", "b@example.net")
        self.assertEqual({"type": "sender_recipient", "piece": ["a@example.org", "b@example.net"]},
                         json.loads(self.desk.bodies("/counters/ask")[-1])["pieces"][0])
        self.ok("show", "from", "--shingle", "5791F8CAC2B7D8DD")
        self.assertEqual({"type": "from", "shingle": "5791f8cac2b7d8dd"},
                         json.loads(self.desk.bodies("/counters/ask")[-1])["pieces"][0])

    def test_a_message_has_all_its_pieces_in_a_table(self):
        file = self.tmp / "one.eml"
        file.write_text(message())
        self.ok("add", "--mass", "7", "link_host", "www.shop.example.net")
        text = self.ok("show", "--sender", "ann@example.org", "--recipient", "bob@example.net", file)
        self.assertRegex(text, r"(?m)^  link_host www\.shop\.example\.net\n    in +mass +7 +7 +7 +7 +7$")
        self.assertRegex(text, r"pieces without a count")
        asked = {piece["type"] for piece in json.loads(self.desk.bodies("/counters/ask")[-1])["pieces"]}
        self.assertLessEqual({"sender", "sender_recipient", "unique_recipients", "link_domain"}, asked)
        shown, = objects(self.ok("show", "--json", file))
        self.assertEqual([("link_host", {"mass": 7})],
                         [(one["type"], one["sums"]["1h"]) for one in shown["counters"]])

    def test_what_is_not_known_is_not_zero(self):
        self.desk.unknown.add("link_host")
        text = self.ends_with(EX_UNAVAILABLE, "show", "link_host", "www.example.org").stdout
        self.assertRegex(text, r"(?m)^link_host www\.example\.org .*, in: unknown$")


class Change(WithDesk):
    def test_add_and_forget(self):
        self.assertEqual("from ann@example.org: added to 1 counter\n",
                         self.ok("add", "--mass", "1", "--complaint", "2", "from", "ann@example.org"))
        self.assertEqual({"space": "in", "pieces": [{"type": "from", "piece": "ann@example.org"}],
                          "add": {"mass": 1, "complaint": 2}}, json.loads(self.desk.bodies("/counters/add")[0]))
        self.assertEqual("from ann@example.org: 1 counter forgotten\n", self.ok("forget", "from", "ann@example.org"))
        self.assertEqual({}, self.desk.counts)
        file = self.tmp / "one.eml"
        file.write_text(message())
        added, = objects(self.ok("add", "--json", "--mass", "1", file))
        self.assertEqual((str(file), len(self.desk.counts)), (added["file"], added["added"]))
        listed = self.ok("forget", "--dry-run", file)
        self.assertIn("link_host www.shop.example.net\n", listed)
        self.assertTrue(self.desk.counts)

    def test_wrong_words(self):
        wrong = [(EX_USAGE, ["add", "from", "a@example.org"], "give an amount"),
                 (EX_USAGE, ["add", "--mass", "-1", "from", "a@example.org"], "--mass"),
                 (EX_USAGE, ["add", "--mass", "9223372036854775808", "from", "a@example.org"], "--mass"),
                 (EX_USAGE, ["add", "--mass", "1", "unique_recipients", "a@example.org"], "grows by its pair"),
                 (EX_USAGE, ["show", "sender_recipient", "a@example.org"], "is a pair and takes two pieces"),
                 (EX_USAGE, ["show", "from"], "needs a piece"),
                 (EX_USAGE, ["show", "client", "nowhere"], "client cannot be 'nowhere'"),
                 (EX_USAGE, ["show", "from", "--shingle", "12"], "16 hexadecimal digits"),
                 (EX_USAGE, ["show", "from", "--space", "up", "a@b"], "--space"),
                 (EX_NOINPUT, ["show", "link_hots", "x"],
                  "neither a type of pieces nor a file; did you mean link_host?"),
                 (EX_USAGE, ["top", "--type", "sendr"], "did you mean sender?"),
                 (EX_USAGE, ["top", "--window", "7m"], "--window"),
                 (EX_USAGE, ["top", "--measure", "weight"], "--measure"),
                 (EX_USAGE, ["learn"], "give --spam DIR, --ham DIR"),
                 (EX_USAGE, ["learn", "--ham", "x", "--since", "20d"], "--since")]
        for code, arguments, why in wrong:
            with self.subTest(arguments=arguments):
                self.assertIn(why, self.fails(code, *arguments))
        self.assertEqual([], self.desk.requests)

    def test_every_command_has_an_example(self):
        for verb in ("pieces", "show", "top", "add", "forget", "export", "import", "learn", "verify", "stat"):
            with self.subTest(verb=verb):
                self.assertIn(f"Example:\n  shingled counters {verb}", harness.run("counters", verb, "--help").stdout)


class Top(WithDesk):
    def test_the_largest_come_first(self):
        self.ok("add", "--mass", "3", "link_host", "a.example.org")
        self.ok("add", "--mass", "40", "from", "b@example.org")
        text = self.ok("top")
        self.assertRegex(text, r"\A +40  in  from +shingle [0-9a-f]{16}\n +3  in  link_host +shingle [0-9a-f]{16}\n\Z")
        self.assertRegex(self.ok("top", "--rising", "--limit", "1"), r"\A +1 →  40  in  from ")
        first = objects(self.ok("top", "--json"))[0]
        self.assertEqual(("in", "from", None, 40), tuple(first[key] for key in ("space", "type", "piece", "count")))
        self.ok("top", "--type", "from", "--space", "out", "--measure", "spam", "--window", "1h")
        self.assertEqual({"measure": "spam", "window": "1h", "rising": False, "most": 20, "space": "out", "type": 14},
                         json.loads(self.desk.bodies("/counters/top")[-1]))


class Transfer(WithDesk):
    def test_an_export_can_be_imported(self):
        for number in range(50):
            self.desk.counts["in", "link_host", f"{number:016x}"] = {"mass": number}
        file = self.tmp / "counters.jsonl"
        self.assertEqual(f"{file}: 50 numbers\n", self.ok("export", file))
        self.assertEqual(50, len(objects(file.read_text())))
        self.assertEqual(file.read_text(), self.ok("export"))
        self.assertIn("exists", self.fails(EX_CANTCREAT, "export", file))
        self.ok("export", "--force", file)
        told, = objects(self.ok("import", "--json", file))
        self.assertEqual((50, 50, 0), (told["lines"], told["counters"], told["broken"]))
        self.assertEqual(file.read_text(), "".join(self.desk.bodies("/counters/import")))

    def test_the_fault_of_the_file_is_told(self):
        self.desk.counts["in", "link_host", f"{1:016x}"] = {"mass": 1}
        with harness.Daemon(self.tmp):  # its lock would be the fault of asking in its folder
            self.assertEqual("shingled: counters: /dev/full: No space left on device\n",
                             self.fails(EX_UNAVAILABLE, "export", "/dev/full"))
            with open("/dev/full", "wb") as full:
                done = subprocess.run([harness.BINARY, "counters", "export", *self.where], stdout=full,
                                      stderr=subprocess.PIPE, timeout=harness.RUN_SECONDS)
            self.assertEqual((EX_IOERR, b"shingled: standard output: cannot be written\n"),
                             (done.returncode, done.stderr))

    def test_a_file_that_is_no_export_is_named(self):
        self.assertIn("No such file", self.fails(EX_NOINPUT, "import", self.tmp / "nowhere"))
        self.assertIn("is a directory", self.fails(EX_DATAERR, "import", self.tmp))
        packed = self.tmp / "counters.jsonl.gz"
        packed.write_bytes(gzip.compress(b'{"name":"mass_in_5791f8cac2b7d8dd_14_10m_2831519","count":12}\n'))
        self.assertIn("zcat", self.fails(EX_DATAERR, "import", packed))
        self.assertEqual([], self.desk.requests)

    def test_a_cut_off_export_makes_no_file(self):
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        line = b'{"name":"mass_in_5791f8cac2b7d8dd_14_10m_2831519","count":12}\n'
        self.desk.replies["/counters/export"] = [head + f"{len(line):x}\r\n".encode() + line + b"\r\n"]
        file = self.tmp / "counters.jsonl"
        self.assertIn("cut off", self.fails(EX_DATAERR, "export", file))
        self.assertEqual([], list(self.tmp.iterdir()))

    def test_broken_lines_are_named_and_left_out(self):
        good = '{"name":"mass_in_5791f8cac2b7d8dd_14_10m_2831519","count":12}'
        bad = ["nonsense", '{"name":"mass","count":1}', good.replace("12}", "-1}"), good.replace("12}", "1e3}"),
               "{" * 100_000]
        done = self.ends_with(EX_DATAERR, "import", stdin="\n".join([good, *bad, good, ""]))
        self.assertEqual("-: 2 numbers of 1 counter imported, 5 broken\n", done.stdout)
        for number in range(2, 7):
            self.assertIn(f"shingled: -:{number}: ", done.stderr)

    def test_an_import_says_where_it_stopped(self):
        name = "mass_in_{:016x}_14_10m_2831519"
        lines = [json.dumps({"name": name.format(number), "count": 1}) for number in range(9000)]
        self.desk.replies["/counters/import"] = [(200, '{"imported":1}'), (503, '{"detail":"the store is away"}')]
        errors = self.fails(EX_UNAVAILABLE, "import", stdin="\n".join(lines) + "\n")
        self.assertIn("the store is away", errors)
        self.assertRegex(errors, r"go on with --from-line \d+\.")
        begin = int(errors.rpartition("--from-line ")[2].rstrip(".\n"))
        done = self.desk.bodies("/counters/import")[0].splitlines()
        self.assertEqual(lines[:begin - 1], done)
        self.desk.requests.clear()
        self.ok("import", "--from-line", begin, stdin="\n".join(lines) + "\n")
        self.assertEqual(lines[begin - 1:], "".join(self.desk.bodies("/counters/import")).splitlines())

    def test_the_lines_of_a_counter_stay_together(self):
        name = "mass_in_{:016x}_14_10m_{}"
        lines = [json.dumps({"name": name.format(counter, 2831519 + slot), "count": 1})
                 for counter in range(60) for slot in range(140)]
        self.ok("import", stdin="\n".join(lines) + "\n")
        bodies = self.desk.bodies("/counters/import")
        self.assertGreater(len(bodies), 1)
        for body in bodies:
            self.assertEqual(0, len(body.splitlines()) % 140)


class Learn(WithDesk):
    def test_messages_count_at_their_time(self):
        for folder in ("spam/cur", "spam/new", "ham/cur", "ham/new"):
            (self.tmp / folder).mkdir(parents=True)
        (self.tmp / "spam/new/1").write_text(message(age=3600))
        (self.tmp / "spam/new/2").write_text(message(age=20 * 86400))
        (self.tmp / "ham/new/1").write_text(message(age=7200))
        (self.tmp / "ham/new/2").write_text(message(age=-86400))
        (self.tmp / "ham/new/3").write_text("Subject: hi\n\nhello\n")
        text = self.ok("learn", "--spam", self.tmp / "spam", "--ham", self.tmp / "ham")
        self.assertEqual("2 messages learnt: 1 spam, 1 ham\n"
                         "left out: 1 older than 14d, 1 from the future, 1 without a date\n", text)
        ham, spam = json.loads(self.desk.bodies("/counters/learn")[0])["additions"]
        self.assertLess(ham["time"], spam["time"])
        self.assertEqual((1, 1, len(message().encode().replace(b"\n", b"\r\n"))),
                         (ham["add"]["ham"], ham["add"]["mass"], ham["add"]["bytes"]))
        self.assertEqual((1, 1), (spam["add"]["spam"], spam["add"]["recipients"]))
        pieces = [(piece["type"], piece["piece"]) for piece in spam["pieces"]]
        for piece in (("sender", "ann@example.org"), ("recipient", "bob@example.net"), ("client", "192.0.2.7"),
                      ("client_domain", "example.org"), ("helo", "mail.example.org"),
                      ("sender_recipient", ["ann@example.org", "bob@example.net"])):
            self.assertIn(piece, pieces)

    def test_a_dry_run_changes_nothing(self):
        file = self.tmp / "one.eml"
        file.write_text(message())
        told, = objects(self.ok("learn", "--dry-run", "--json", "--ham", file))
        self.assertEqual((1, 0), (told["ham"], told["learnt"]))
        self.assertEqual([], self.desk.requests)

    def test_what_was_not_learnt_is_told(self):
        file = self.tmp / "one.eml"
        file.write_text(message())
        self.desk.replies["/counters/learn"] = [(503, '{"detail":"the disk is full"}')]
        errors = self.fails(EX_UNAVAILABLE, "learn", "--ham", file)
        self.assertIn("the disk is full", errors)
        self.assertIn("1 message not learnt", errors)
        self.fails(EX_NOINPUT, "learn", "--ham", self.tmp / "nowhere")


class BadAnswers(WithDesk):
    def test_each_is_an_error(self):
        answers = [((400, '{"detail":"pieces[0].type: unknown type"}'), "pieces[0].type: unknown type"),
                   ((503, "nothing is counted\n"), "nothing is counted"), ((404, ""), "HTTP status 404"),
                   ((200, "nonsense"), "makes no sense"), ((200, "[]"), "makes no sense"),
                   ((200, '{"counters":[]}'), "makes no sense"), ((200, '{"counters":[7]}'), "makes no sense"),
                   ((200, '{"counters":[{"known":true,"sums":[]}]}'), "makes no sense"),
                   (b"SSH-2.0\r\n\r\n\r\n", "not HTTP"), (b"", "not HTTP"),
                   (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", "cut off")]
        for answer, why in answers:
            with self.subTest(answer=answer):
                self.desk.replies["/counters/ask"] = [answer]
                done = harness.run("counters", "show", "from", "a@example.org", *self.where)
                self.assertNotIn(done.returncode, (0, 70), done.stderr)
                self.assertIn(why, done.stderr)

    def test_what_may_have_been_done_is_not_done_again(self):
        # Its folder is free, as after kill -9: asking there would count twice.
        with harness.Daemon(self.tmp):
            pass
        self.assertTrue((self.tmp / "counters/counters.db").exists())
        for verb, arguments in (("add", ["--mass", "1", "from", "a@example.org"]), ("import", []), ("export", [])):
            with self.subTest(verb=verb):
                self.desk.replies[f"/counters/{verb}"] = [None]
                line = '{"name":"mass_in_5791f8cac2b7d8dd_14_10m_2831519","count":12}'
                errors = self.fails(EX_DATAERR, verb, *arguments, stdin=line)
                self.assertIn("reset", errors)
                self.assertEqual("", harness.run("counters", "export", *self.where[2:], "-o", "http.listen=[]").stdout)
                if verb == "import":
                    self.assertIn("the next ones perhaps", errors)

    def test_nobody_there(self):
        port = harness.free_port()
        done = harness.run("counters", "top", "-o", f"http.listen=127.0.0.1:{port}",
                           "-o", f"counters.directory={self.tmp}/none")
        self.assertEqual(EX_UNAVAILABLE, done.returncode, done.stderr)
        self.assertIn("refused", done.stderr)

    def test_what_redis_does_not_have_was_not_added(self):
        # As beside a daemon, which has the journal.
        done = harness.run("counters", "add", "--mass", "1", "link_host", "www.example.org", "-o",
                           f"http.listen=127.0.0.1:{harness.free_port()}", "-o", "counters.journal_max=0", "-o",
                           f"counters.directory={self.tmp}/counters", "-o",
                           f"counters.servers=unix:{self.tmp}/none")
        self.assertEqual(EX_UNAVAILABLE, done.returncode, done.stdout)
        self.assertIn("Redis is away", done.stderr)

    def test_damage_is_an_exit_code(self):
        self.assertEqual("counters: no problem found; files 3, rows 120\n", self.ok("verify"))
        self.desk.replies["/counters/verify"] = [(200, '{"ok":false,"error":"3.counts: block 7"}')]
        self.assertEqual("counters: damaged: 3.counts: block 7\n", self.ends_with(EX_DATAERR, "verify").stdout)


class WithDaemon(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.daemon = self.enterContext(
            harness.Daemon(self.tmp, overrides=[f"counters.directory={self.tmp}/counters"]))

    def ok(self, *arguments, code=0, **options):
        done = self.daemon.run(*arguments, **options)
        self.assertEqual(code, done.returncode, f"{done.stdout}\n{done.stderr}\n{self.daemon.log()}")
        return done.stdout

    def sums(self, *piece, window="24h", space="in"):
        for one in objects(self.ok("counters", "show", "--json", "--space", space, *piece)):
            return one["sums"][window]

    def test_a_person_changes_and_reads_counters(self):
        self.ok("counters", "add", "--mass", "3", "--spam", "2", "link_host", "www.example.org")
        self.ok("counters", "add", "--space", "out", "--mass", "1", "link_host", "www.example.org")
        for window in ("24h", "14d"):
            self.assertEqual({"mass": 3, "spam": 2}, self.sums("link_host", "www.example.org", window=window))
        self.assertEqual({"mass": 1}, self.sums("link_host", "www.example.org", space="out"))
        top = objects(self.ok("counters", "top", "--json", "--window", "24h", "--type", "link_host"))
        self.assertEqual([("in", 3), ("out", 1)], [(one["space"], one["count"]) for one in top])
        self.ok("counters", "forget", "--space", "in", "link_host", "www.example.org")
        self.assertEqual({}, self.sums("link_host", "www.example.org"))
        self.assertEqual({"mass": 1}, self.sums("link_host", "www.example.org", space="out"))

    def test_different_recipients_count_once(self):
        for recipient in ("a@example.net", "a@example.net", "b@example.net"):
            self.ok("counters", "add", "--mass", "1", "sender_recipient", "71@example.org", recipient)
        self.assertEqual({"mass": 2}, self.sums("sender_recipient", "71@example.org", "a@example.net", window="14d"))
        self.assertEqual({"mass": 2}, self.sums("unique_recipients", "71@example.org", window="14d"))

    def test_an_import_adds_what_an_export_has(self):
        for number in range(20):
            self.ok("counters", "add", "--mass", number + 1, "link_host", f"h{number}.example.org")
        file = self.tmp / "counters.jsonl"
        self.ok("counters", "export", file)
        mark, *lines = objects(file.read_text())
        self.assertRegex(mark["key"], "^[0-9a-f]{16}$")
        self.assertTrue(all(line["name"].startswith("mass_in_") for line in lines))
        self.ok("counters", "import", file)
        self.assertEqual({"mass": 14}, self.sums("link_host", "h6.example.org"))
        self.assertEqual({"mass": 14}, self.sums("link_host", "h6.example.org", window="14d"))

    def test_another_key_is_an_error_and_mail_goes_on(self):
        key = self.tmp / "counters" / "key"
        self.ok("counters", "add", "--mass", "3", "link_host", "www.example.org")
        file = self.tmp / "counters.jsonl"
        self.ok("counters", "export", file)
        kept = key.read_text()
        for text, why in ((None, "the key is gone"), ("5" * 32 + "\n", "another key"), ("damaged\n", "is not a key")):
            with self.subTest(why):
                self.daemon.stop()
                key.unlink(missing_ok=True)
                if text is not None:
                    key.touch(0o600)
                    key.write_text(text)
                self.daemon.start()
                self.assertRegex(self.daemon.log(), f"counters_off why=.*{why}")
                for words in (["counters", "verify"], ["counters", "show", "link_host", "www.example.org"],
                              ["counters", "import", file]):
                    done = self.daemon.run(*words)
                    self.assertNotEqual(0, done.returncode, done.stdout)
                    self.assertIn(why, done.stderr)
                self.assertIn(why, self.daemon.run("configtest").stderr)
                self.assertEqual(text is not None, key.exists())
        self.daemon.stop()
        key.write_text(kept)
        self.daemon.start()
        self.assertEqual({"mass": 3}, self.sums("link_host", "www.example.org"))

    def test_an_export_of_another_site_is_refused(self):
        (self.tmp / "other").mkdir()
        with harness.Daemon(self.tmp / "other", overrides=[f"counters.directory={self.tmp}/others"]) as other:
            other.run("counters", "add", "--mass", "3", "link_host", "www.example.org")
            exported = other.run("counters", "export").stdout
        done = self.daemon.run("counters", "import", "-", stdin=exported)
        self.assertEqual(EX_DATAERR, done.returncode, done.stderr)
        self.assertIn("another key", done.stderr)
        without = "".join(exported.splitlines(keepends=True)[1:])
        done = self.daemon.run("counters", "import", "-", stdin=without)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("No line says with which key", done.stderr)

    def test_top_says_how_to_get_names(self):
        self.ok("counters", "add", "--mass", "3", "link_host", "www.example.org")
        self.assertIn("names: yes", self.daemon.run("counters", "top", "--window", "24h").stderr)

    def test_a_file_that_is_gone_is_given_up_by_repair(self):
        self.daemon.stop()
        folder = self.tmp / "counters"
        old = self.tmp / "old"
        old.mkdir()
        (old / "1.eml").write_text(message(age=3 * 3600))
        self.ok("counters", "learn", "--spam", old)  # becomes a sealed file
        sealed = sorted(folder.glob("*.counts"))
        self.assertTrue(sealed)
        for file in sealed:
            file.unlink()
        self.assertIn("not there", self.ok("counters", "verify", code=EX_DATAERR))
        self.assertRegex(self.ok("counters", "verify", "--repair"), r"lost files \d+, unknown until 20")
        self.assertRegex(self.ok("counters", "verify"), r"no problem found; lost files \d+")
        self.daemon.start()
        self.assertIn("unknown", self.ok("counters", "show", "link_host", "www.shop.example.net", code=EX_UNAVAILABLE))

    def test_old_mail_counts_at_its_time(self):
        folder = self.tmp / "spam"
        folder.mkdir()
        for number in range(5):
            (folder / f"{number}.eml").write_text(message(age=3 * 3600))
        self.assertIn("5 messages learnt", self.ok("counters", "learn", "--spam", folder))
        self.assertEqual({}, self.sums("link_host", "www.shop.example.net", window="1h"))
        self.assertEqual((5, 5), tuple(self.sums("link_host", "www.shop.example.net")[key] for key in ("mass", "spam")))

    def test_without_the_daemon_its_folder_is_read(self):
        self.ok("counters", "add", "--mass", "3", "link_host", "www.example.org")
        locked = harness.run("counters", "show", "link_host", "www.example.org", *self.daemon.overrides,
                             "-o", f"http.listen=127.0.0.1:{harness.free_port()}")
        self.assertEqual(EX_UNAVAILABLE, locked.returncode, locked.stderr)
        self.daemon.kill9()
        self.ok("counters", "add", "--mass", "1", "link_host", "www.example.org")
        self.assertEqual({"mass": 4}, self.sums("link_host", "www.example.org"))
        self.assertIn("no problem found", self.ok("counters", "verify"))
        file = self.tmp / "counters.jsonl"
        self.ok("counters", "export", file)
        self.daemon.start()
        self.assertEqual({"mass": 4}, self.sums("link_host", "www.example.org"))
        self.assertEqual(file.read_text(), self.ok("counters", "export"))

    def test_backup_and_verify_know_the_counters(self):
        self.ok("counters", "add", "--mass", "3", "link_host", "www.example.org")
        self.assertIn("counters", self.ok("counters", "stat"))
        copies = self.tmp / "copies"
        self.assertRegex(self.ok("backup", copies), r"(?m)^counters +counters\.jsonl +\d+ B ")
        self.assertTrue(objects((copies / "counters.jsonl").read_text()))
        self.ok("backup", "--without", "counters", self.tmp / "others")
        self.assertFalse((self.tmp / "others" / "counters.jsonl").exists())
        self.assertTrue(json.loads(self.ok("verify", "--json"))["counters"]["ok"])
        self.assertNotIn("counters", json.loads(self.ok("verify", "--json", "--without-counters")))
        self.assertNotIn("counters", json.loads(self.ok("verify", "--json", copies / "hashes.db")))


if __name__ == "__main__":
    unittest.main()
