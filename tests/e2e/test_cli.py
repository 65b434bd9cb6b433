# Covers milter/main.cpp, milter/cli/cli.cpp, milter/desk/servers/asking.cpp,
# milter/desk/servers/asking_servers.cpp, milter/desk/servers/service_failure.cpp,
# milter/cli/access/settings_choice.cpp, milter/cli/commands/check_command.cpp,
# milter/cli/commands/counters_command.cpp, milter/cli/commands/daemon_commands.cpp,
# milter/cli/commands/explain_command.cpp,
# milter/cli/commands/hash_command.cpp, milter/cli/commands/keypair_command.cpp,
# milter/cli/commands/list_command.cpp, milter/cli/commands/scan_command.cpp,
# milter/cli/commands/train_commands.cpp, milter/input/message_file.cpp,
# milter/terminal/message_loop.cpp, milter/desk/explained_match.cpp,
# milter/cli/output/further_matches.cpp, milter/desk/further_matches.cpp,
# milter/cli/output/lookup_output.cpp,
# milter/transfer/record_filter.cpp, milter/process/interrupt.cpp,
# milter/training/list_eraser.cpp, milter/reports/message_shape.cpp,
# milter/training/retraction.cpp, milter/training/trainer.cpp,
# milter/cli/training/training_output.cpp, milter/transfer/hash_file.cpp, milter/cli/access/server_options.cpp.
"""Every command against a running daemon: what it prints, what it exits with, what is true afterwards."""

import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import unittest

import harness

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "samples"
VECTORS = pathlib.Path(__file__).resolve().parents[3] / "shared" / "vectors"
OFFER = SAMPLES / "1-offer.eml"
AGAIN = SAMPLES / "2-offer-again.eml"
LETTER = SAMPLES / "3-letter.eml"
SHORT = b"Subject: hi\n\nhi\n"
SHORT_OFFER = ("Subject: hi\nContent-Type: text/plain; charset=utf-8\n\nDear Mr Miller,\n\nour chemist offers "
               "medication without prescription from $3.50. Every order leaves the warehouse within hours, discreet "
               "packaging guaranteed, worldwide delivery included: https://one.example/?id=17\n").encode()
DRESSED_OFFER = ("Subject: re\nContent-Type: text/plain; charset=utf-8\n\nDear friend!\n\nour chem\u0456st off\u0435rs "
                 "medi\u200bcation without prescr\u00adiption from $4.99. Every \U0001d428rder le\u0430ves the "
                 "wareh\u00f6use within h\u043eurs, d i s c r e e t packaging guaranteed, worldwide delivery included: "
                 "http://two.example/x\n").encode()

EX_USAGE, EX_DATAERR, EX_NOINPUT, EX_UNAVAILABLE, EX_TEMPFAIL, EX_NOPERM, EX_CONFIG = 64, 65, 66, 69, 75, 77, 78


def objects(text):
    return [json.loads(line) for line in text.splitlines()]


class WithDaemon(unittest.TestCase):
    overrides = ()

    def setUp(self):
        self.tmp = harness.temporary_folder(self)
        self.daemon = self.enterContext(harness.Daemon(self.tmp, overrides=self.overrides))

    def ok(self, *arguments, **options):
        return self.ends_with(0, *arguments, **options)

    def ends_with(self, code, *arguments, **options):
        done = self.daemon.run(*arguments, **options)
        self.assertEqual(code, done.returncode, f"{done.stdout}\n{done.stderr}\n{self.daemon.log()}")
        return done


class Learning(WithDaemon):
    def test_what_is_added_is_found_and_what_is_deleted_is_not(self):
        self.assertFalse(objects(self.ok("check", "--json", OFFER).stdout)[0]["found"])
        added = self.ok("add", "--flag", "denied", "--weight", "20", stdin=OFFER.read_bytes())
        self.assertEqual("-: 2 hashes added to denied (11), weight 20, now 20: a header from 2, a reject from 5\n",
                         added.stdout)

        found, = objects(self.ok("check", "--json", OFFER).stdout)
        self.assertEqual((str(OFFER), True), (found["file"], found["found"]))
        hit = found["lookups"][0]
        self.assertEqual(("hit", 11, "FUZZY_DENIED", 20, 1.0, 32),
                         tuple(hit[key] for key in ("result", "flag", "symbol", "value", "prob", "slots")))
        self.assertEqual(hit["digest"], hit["matched"])
        self.assertEqual(f"127.0.0.1:{self.daemon.fuzzy_port}", hit["server"])

        near = objects(self.ok("check", "--json", AGAIN).stdout)[0]["lookups"]
        near = [lookup for lookup in near if lookup["result"] == "hit"]
        self.assertTrue(near)
        self.assertTrue(0.5 < near[0]["prob"] < 1, near)
        self.assertFalse(objects(self.ok("check", "--json", LETTER).stdout)[0]["found"])

        self.assertEqual(f"{OFFER}: 2 hashes deleted: denied (11) weight 20\n", self.ok("del", OFFER).stdout)
        self.assertFalse(objects(self.ok("check", "--json", OFFER).stdout)[0]["found"])

    def test_del_says_what_was_there(self):
        self.assertEqual("-: nothing deleted: none of its 2 hashes is stored\n",
                         self.ok("del", stdin=OFFER.read_bytes()).stdout)
        self.ok("add", "--flag", "denied", "--weight", "20", OFFER)
        self.ok("add", "--flag", "prob", "--weight", "3", OFFER)
        done, = objects(self.ok("del", "--json", OFFER).stdout)
        self.assertEqual(("deleted", 2, None, [], []),
                         tuple(done[key] for key in ("result", "hashes", "flag", "staying", "matching")))
        self.assertEqual(2, len(done["deleted"]))
        for one in done["deleted"]:
            self.assertEqual((True, [(11, 20), (12, 3)]),
                             (one["exact"], [(flag["flag"], flag["value"]) for flag in one["flags"]]))
        again, = objects(self.ok("del", "--json", OFFER).stdout)
        self.assertEqual(("not_stored", []), (again["result"], again["deleted"]))
        digest = "ab" * 64
        self.assertEqual(f"{digest}: nothing deleted: its hash is not stored\n", self.ok("del", "--digest", digest).stdout)

    def test_del_obeys_the_flag_exactly(self):
        self.ok("add", "--flag", "denied", "--weight", "20", OFFER)
        self.assertEqual("-: nothing deleted: none of its 2 hashes is on white (13); stays: denied (11) weight 20\n",
                         self.ok("del", "--flag", "white", stdin=OFFER.read_bytes()).stdout)
        self.ok("add", "--flag", "white", OFFER)
        self.assertEqual("-: 2 hashes deleted: denied (11) weight 20; stays: white (13) weight 1\n",
                         self.ok("del", "--flag", "denied", stdin=OFFER.read_bytes()).stdout)
        lookup = objects(self.ok("check", "--json", OFFER).stdout)[0]["lookups"][0]
        self.assertEqual([(13, 1)], [(flag["flag"], flag["value"]) for flag in lookup["flags"]])
        self.ok("add", "--flag", "denied", OFFER)
        self.assertEqual("-: 2 hashes deleted: denied (11) weight 1, white (13) weight 1\n",
                         self.ok("del", "--flag", "white", "--all-lists", stdin=OFFER.read_bytes()).stdout)

    def test_del_names_the_hash_that_a_message_is_only_like(self):
        self.ok("add", "--flag", "denied", "--weight", "20", OFFER)
        stored = [lookup["digest"] for lookup in objects(self.ok("check", "--json", OFFER).stdout)[0]["lookups"]]
        done = self.ends_with(EX_DATAERR, "del", AGAIN)
        self.assertEqual(f"{AGAIN}: nothing deleted: none of its 2 hashes is stored\n", done.stdout)
        named = re.findall(r"still like a stored hash, \d+ of 32 shingles, denied \(11\) weight 20; "
                           r"--matching deletes it, or: shingled (del --rule local --digest) ([0-9a-f]{128})$",
                           done.stderr, re.M)
        self.assertEqual(set(stored), {digest for _, digest in named}, done.stderr)
        self.ends_with(EX_DATAERR, "del", "--flag", "denied", AGAIN)
        self.ok("del", "--flag", "white", AGAIN)  # what it is like is not on that list

        text, robust = stored
        self.ok(*named[0][0].split(), robust)  # a text takes its robust hash with it, not the other way round
        left, = objects(self.ends_with(EX_DATAERR, "del", "--json", AGAIN).stdout)
        self.assertEqual([text], [one["digest"] for one in left["matching"]])
        self.assertIn("1 hash deleted: denied (11) weight 20", self.ok("del", "--matching", AGAIN).stdout)
        self.assertFalse(objects(self.ok("check", "--json", OFFER).stdout)[0]["found"])

    def test_who_knows_no_robust_hash_takes_the_whole_message_back(self):
        self.ok("add", "--flag", "denied", "--weight", "20", OFFER)
        self.ok("add", "--flag", "prob", OFFER)
        compatible = ["-o", "rules.local.robust=false"]
        self.ok("del", *compatible, "--flag", "prob", OFFER)
        lookups = objects(self.ok("check", "--json", OFFER).stdout)[0]["lookups"]
        self.assertEqual([("text", [11]), ("robust", [11])],
                         [(lookup["kind"], [flag["flag"] for flag in lookup["flags"]]) for lookup in lookups])
        self.assertIn("1 hash deleted", self.ok("del", *compatible, OFFER).stdout)
        self.assertFalse(objects(self.ok("check", "--json", OFFER).stdout)[0]["found"])
        self.assertFalse(objects(self.ok("check", "--json", AGAIN).stdout)[0]["found"])

    def test_add_says_what_the_weight_does(self):
        thresholds = ["-o", "milter.actions.reject=19", "-o", "milter.actions.add_header=off"]
        cases = [("one report does nothing", 0, ["--flag", "denied"], "now 1: a header from 2, a reject from 5"),
                 ("the next one marks", 1, ["--flag", "denied"], "now 2: a header from 2, a reject from 5"),
                 ("a list that cannot reject", 0, ["--flag", "prob"], "now 1: a header from 3, no reject from this list alone"),
                 ("what stands on another list counts", 1, ["--flag", "prob"], "now 1: a header from 1, a reject from 6"),
                 ("a good list", 0, ["--flag", "white"], "now 1"),
                 ("a list without a weight", 0, ["--flag", "99"], "now 1"),
                 ("other thresholds", 0, ["--flag", "denied", *thresholds], "now 1: a reject from 14")]
        for why, denied, arguments, weight in cases:
            with self.subTest(why):
                self.ok("del", OFFER)
                for _ in range(denied):
                    self.ok("add", "--flag", "denied", OFFER)
                self.assertIn(f", weight 1, {weight}\n", self.ok("add", *arguments, OFFER).stdout)
        self.ok("add", "--flag", "denied", "--weight", "2", OFFER)
        added, = objects(self.ok("add", "--json", "--flag", "denied", "--weight", "2", OFFER).stdout)
        self.assertEqual((2, 5, 2, 5), tuple(added[key] for key in ("weight", "weight_now", "header_from", "reject_from")))

    def test_add_counts_up_and_lists_are_apart(self):
        for _ in range(2):
            self.ok("add", "--flag", "11", "--weight", "3", OFFER)
        self.ok("add", "--flag", "FUZZY_WHITE", OFFER)
        self.assertEqual(6, objects(self.ok("check", "--json", OFFER).stdout)[0]["lookups"][0]["value"])
        self.assertFalse(objects(self.ok("check", "--json", "--flag", "prob", OFFER).stdout)[0]["found"])
        self.ok("del", OFFER)
        self.assertFalse(objects(self.ok("check", "--json", OFFER).stdout)[0]["found"])

    def test_a_short_offer_in_another_dress_is_found_by_the_robust_hash(self):
        self.ok("add", "--flag", "denied", "--weight", "20", stdin=SHORT_OFFER)
        found, = objects(self.ok("check", "--json", stdin=DRESSED_OFFER).stdout)
        self.assertEqual([("robust", "hit", "FUZZY_DENIED")],
                         [tuple(lookup[key] for key in ("kind", "result", "symbol")) for lookup in found["lookups"]])
        scan, = objects(self.ok("scan", "--json", stdin=DRESSED_OFFER).stdout)
        self.assertEqual("reject", scan["action"])
        self.assertIn("robust", self.ok("explain", "-", stdin=DRESSED_OFFER).stdout)
        self.ok("del", stdin=DRESSED_OFFER)
        self.assertFalse(objects(self.ok("check", "--json", stdin=SHORT_OFFER).stdout)[0]["found"])

    def test_without_robust_a_rule_has_the_compatible_hashes_only(self):
        compatible = objects(self.ok("check", "--json", "-o", "rules.local.robust=false", OFFER).stdout)[0]["lookups"]
        self.assertEqual({"text"}, {lookup["kind"] for lookup in compatible})
        robust = objects(self.ok("check", "--json", OFFER).stdout)[0]["lookups"]
        self.assertEqual(["text", "robust"], [lookup["kind"] for lookup in robust])

    def test_a_message_without_a_hash_is_said_and_the_others_are_learnt(self):
        done = self.ends_with(EX_DATAERR, "add", "-", OFFER, stdin=SHORT)
        self.assertIn("shingled: -: no hash", done.stderr)
        self.assertIn("2 messages: 1 added, 1 without a hash, 0 failed", done.stdout)
        self.ok("check", OFFER)

    def test_folders_mboxes_and_missing_files_in_one_call(self):
        maildir = self.tmp / "Maildir"
        for folder in ("cur", "new", "tmp"):
            (maildir / folder).mkdir(parents=True)
        (maildir / "cur" / "1.host:2,S").write_bytes(OFFER.read_bytes())
        (maildir / "cur" / "2.host:2,ST").write_bytes(b"trashed")
        mbox = self.tmp / "box"
        mbox.write_bytes(b"".join(b"From a@b Sat Nov 21 09:23:47 2026\n" + file.read_bytes() + b"\n"
                                  for file in (AGAIN, LETTER)))
        done = self.ends_with(EX_NOINPUT, "add", "--json", maildir, self.tmp / "missing", mbox)
        self.assertEqual([f"{maildir}/cur/1.host:2,S", f"{mbox}#1", f"{mbox}#2"],
                         [line["file"] for line in objects(done.stdout)])
        self.assertEqual(f"shingled: {self.tmp}/missing: No such file or directory\n", done.stderr)
        for file in (OFFER, AGAIN, LETTER):
            self.assertEqual(1.0, objects(self.ok("check", "--json", file).stdout)[0]["lookups"][0]["prob"])

    def test_many_messages_are_counted_by_stat(self):
        words = [f"word{number}" for number in range(4000)]
        folder = self.tmp / "many"
        folder.mkdir()
        for number in range(100):
            text = " ".join(words[number * 7:number * 7 + 200])
            (folder / f"{number:03}.eml").write_text(f"Subject: {number}\n\n{text}\n")
        self.assertIn("100 messages: 100 added", self.ok("add", folder).stdout)
        stat, = objects(self.ok("stat", "--json").stdout)
        self.assertEqual(100, stat["count"])
        self.daemon.kill9()
        self.daemon.restart()
        stat, = objects(self.ok("stat", "--json").stdout)
        self.assertEqual(100, stat["count"])

    def test_delete_by_digest_as_explain_says(self):
        self.ok("add", "--weight", "5", OFFER)
        explained, = objects(self.ok("explain", "--json", OFFER).stdout)
        match = explained["matches"][0]
        self.assertEqual([{"flag": 11, "symbol": "FUZZY_DENIED", "value": 5}], match["flags"])
        self.assertLess(match["age"], harness.START_SECONDS)
        for one in explained["matches"]:
            self.assertEqual("shingled del", one["undo"][:12])
            undone = harness.run(*shlex.split(one["undo"])[1:])  # as it stands, from any shell
            self.assertEqual(0, undone.returncode, undone.stderr)
        self.assertFalse(objects(self.ok("check", "--json", OFFER).stdout)[0]["found"])


    def test_what_is_no_mail_is_not_taught_without_a_word(self):
        folder = self.tmp / "mixed"
        folder.mkdir()
        (folder / "1.eml").write_bytes(OFFER.read_bytes())
        (folder / "2.jpg").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40)
        (folder / "3.txt").write_bytes(OFFER.read_bytes().partition(b"\n\n")[2])
        done = self.ends_with(EX_DATAERR, "add", "--json", folder)
        self.assertEqual({"1.eml": "added", "2.jpg": "no_message", "3.txt": "no_message"},
                         {pathlib.Path(line["file"]).name: line["result"] for line in objects(done.stdout)})
        self.assertIn("2.jpg: no message: it does not begin with a header (Name: value); --force adds it", done.stderr)
        self.assertEqual([False, True], [objects(self.ok("check", "--json", file).stdout)[0]["found"]
                                         for file in (folder / "2.jpg", folder / "1.eml")])
        self.ok("add", "--force", folder / "3.txt")

    def test_a_folder_without_a_message_is_said(self):
        empty = self.tmp / "empty"
        for folder in ("", "cur", "new", "tmp", ".Sent"):
            (empty / folder).mkdir(exist_ok=True)
        for command in ("add", "del", "check"):
            done = self.ends_with(EX_NOINPUT, command, empty)
            self.assertEqual(("", f"shingled: {empty}: this folder has no messages\n"), (done.stdout, done.stderr))
        both = self.ends_with(EX_NOINPUT, "add", empty, OFFER)
        self.assertIn("added to denied", both.stdout)


class Explaining(WithDaemon):
    def test_scan_shows_the_sum_and_the_action(self):
        self.ok("add", "--flag", "denied", "--weight", "20", OFFER)
        text = self.ok("scan", AGAIN).stdout
        self.assertRegex(text, r"2-offer-again\.eml: reject: score \d+\.\d\d reaches reject 10\.00\n")
        self.assertRegex(text, r"\d\d of 32 slots")
        self.assertRegex(text, r"FUZZY_DENIED  0\.99 \(20 of 20\) x 0\.\d\d certain x 20\.00 = \d+\.\d\d")
        self.assertIn("550 5.7.1", text)

        scan, = objects(self.ok("scan", "--json", AGAIN).stdout)
        self.assertEqual("reject", scan["action"])
        self.assertAlmostEqual(scan["score"], sum(symbol["score"] for symbol in scan["symbols"]))
        clean, = objects(self.ok("scan", "--json", LETTER).stdout)
        self.assertEqual(("pass", 0), (clean["action"], clean["score"]))

    def test_scan_changes_nothing_and_names_headers(self):
        self.ok("add", "--flag", "denied", "--weight", "4", OFFER)
        forged = b"x-shingled-score: -99\n" + OFFER.read_bytes()
        for _ in range(2):
            scan, = objects(self.ok("scan", "--json", stdin=forged).stdout)
            self.assertEqual(4, scan["hits"][0]["value"])
        self.assertIn("X-Shingled-Score", [header["name"] for header in scan["headers"]])
        self.assertEqual([1], [removed["index"] for removed in scan["removed"]])

    def test_explain_works_with_the_daemon_and_without(self):
        self.ok("add", "--flag", "prob", "--weight", "3", OFFER)
        with_daemon, = objects(self.ok("explain", "--json", AGAIN).stdout)
        self.assertTrue(17 <= with_daemon["matches"][0]["slots"] < 32, with_daemon)
        digest = with_daemon["matches"][0]["digest"]

        text = self.ok("explain", AGAIN).stdout
        for expected in (r"matched +\d\d of 32 shingles", rf"digest +{digest}", r"list +FUZZY_PROB \(12\), weight 3",
                         r"created +20\d\d-", r"undo +shingled del .*--digest " + digest):
            self.assertRegex(text, expected)

        by_prefix, = objects(self.ok("explain", "--json", digest[:12]).stdout)
        self.assertEqual(digest, by_prefix["digest"])
        self.assertTrue(by_prefix["matches"][0]["exact"])

        self.daemon.stop()
        offline, = objects(self.ok("explain", "--json", AGAIN).stdout)
        self.assertEqual("127.0.0.1", with_daemon["matches"][0]["address"])
        self.assertRegex(self.ok("explain", AGAIN).stdout, r"(?m)^  source +127\.0\.0\.1$")
        same = ("digest", "slots", "exact", "flags", "created", "source", "address", "undo")
        self.assertEqual([{key: match[key] for key in same} for match in with_daemon["matches"]],
                         [{key: match[key] for key in same} for match in offline["matches"]])

    def test_the_command_that_undoes_it_has_the_options_given(self):
        self.ok("add", OFFER)
        config = self.tmp / "my settings.yaml"
        config.write_text(f"storage: {{listen: [127.0.0.1:{self.daemon.fuzzy_port}], hashfile: {self.daemon.hashfile}}}\n")
        setting = "mime.parts_max=77"
        matches = objects(harness.run("-c", config, "-o", setting, "explain", "--json", OFFER).stdout)[0]["matches"]
        self.assertTrue(matches)
        for match in matches:
            self.assertEqual(["shingled", "del", "-c", str(config), "-o", setting, "--rule", "local", "--digest",
                              match["digest"]], shlex.split(match["undo"]))
        server = ["--server", f"127.0.0.1:{self.daemon.fuzzy_port}", "--tcp", "no"]
        match = objects(self.ok("explain", "--json", *server, OFFER).stdout)[0]["matches"][0]
        self.assertEqual(server, shlex.split(match["undo"])[-8:-4])

    def test_an_unknown_digest_is_said(self):
        done = self.ends_with(EX_NOINPUT, "explain", "0123456789abcdef")
        self.assertEqual("shingled: 0123456789abcdef: no stored digest begins like this\n", done.stderr)
        nothing, = objects(self.ok("explain", "--json", "0" * 128).stdout)
        self.assertEqual([], nothing["matches"])


class Status(WithDaemon):
    def test_ping_and_stat(self):
        server = f"127.0.0.1:{self.daemon.fuzzy_port}"
        ping, = objects(self.ok("ping", "--json").stdout)
        self.assertEqual((server, True), (ping["server"], ping["ok"]))
        self.assertGreater(ping["time"], 0)
        self.assertRegex(self.ok("ping").stdout, rf"^{re.escape(server)}  alive  \d+\.\d\d\d ms\n$")
        self.assertRegex(self.ok("stat", "--server", server).stdout, rf"^{re.escape(server)}  0 hashes  \d")

    def test_who_does_not_answer_has_no_times(self):
        server = f"127.0.0.1:{harness.free_port()}"
        done = self.ends_with(EX_UNAVAILABLE, "ping", "--count", "2", "--server", server)
        self.assertRegex(done.stdout, rf"^{re.escape(server)}  0 of 2 answered  \d+ repeats?\n$")
        told, = objects(self.ends_with(EX_UNAVAILABLE, "ping", "--json", "--count", "2", "--server", server).stdout)
        self.assertEqual((0, None, None), (told["answered"], told["time_mean"], told["time_max"]))

    def test_a_daemon_that_is_away_is_an_error_with_a_reason(self):
        self.daemon.stop()
        for command in (["add", OFFER], ["del", OFFER], ["check", OFFER], ["scan", OFFER], ["stat"], ["ping"]):
            with self.subTest(command=command[0]):
                done = self.daemon.run(*command)
                self.assertIn(done.returncode, (EX_UNAVAILABLE, EX_TEMPFAIL))
                self.assertRegex(done.stderr, r"(?m)^shingled: .*127\.0\.0\.1:\d+ (cannot be reached|did not answer)")


class Buckets(WithDaemon):
    overrides = ["ratelimit.rates.to=[10, 1 / 1h]", "ratelimit.rates.to_ip=[10, 1 / 1h]", "ratelimit.file=''"]

    def test_a_person_is_found_in_all_types(self):
        for key in ("to:bob@example.org", "to_ip:bob@example.org:192.0.2.1", "to:eve@example.org"):
            self.ok("buckets", "set", key, "5")
        shown = objects(self.ok("buckets", "show", "--json", "bob@example.org").stdout)
        self.assertEqual({"to:bob@example.org", "to_ip:bob@example.org:192.0.2.1"}, {one["key"] for one in shown})
        one, = objects(self.ok("buckets", "show", "--json", "to:bob@example.org").stdout)
        self.assertEqual("to:bob@example.org", one["key"])
        v6 = "to_ip:bob@example.org:2001%3Adb8%3A%3A1"
        self.ok("buckets", "set", v6, "5")
        self.assertEqual([v6], [one["key"] for one in objects(self.ok("buckets", "show", "--json", "2001:db8::1").stdout)])

        nobody = self.ends_with(EX_NOINPUT, "buckets", "show", "nobody@example.org")
        self.assertRegex(nobody.stderr, r"no bucket in use has this text in its name.*to:user@example\.org; types: to, to_ip\n$")
        self.assertIn("the bucket is empty", self.ends_with(EX_NOINPUT, "buckets", "show", "to:no@example.org").stderr)

    def test_what_changes_something_wants_the_whole_name(self):
        self.ok("buckets", "set", "to:bob@example.org", "5")
        for arguments in (["reset", "bob@example.org"], ["set", "bob@example.org", "3"]):
            done = self.ends_with(EX_USAGE, "buckets", *arguments)
            self.assertIn("give the full name of a bucket, such as to:bob@example.org", done.stderr)
        self.assertIn("types: to, to_ip", self.ends_with(EX_USAGE, "buckets", "reset", "nobody@example.org").stderr)
        self.ok("buckets", "reset", "to:bob@example.org")


class Refusing(WithDaemon):
    overrides = ["storage.allow_update=[192.0.2.1]"]

    def test_a_refused_update_is_an_error_with_a_reason(self):
        done = self.ends_with(EX_NOPERM, "add", OFFER)
        self.assertRegex(done.stderr, r"shingled: .*1-offer\.eml: 127\.0\.0\.1:\d+ refused: .*allow_update.*\(503\)")
        self.assertFalse(objects(self.ok("check", "--json", OFFER).stdout)[0]["found"])


class WithoutDaemon(unittest.TestCase):
    def setUp(self):
        self.tmp = harness.temporary_folder(self)

    def ends_with(self, code, *arguments, **options):
        done = harness.run(*arguments, **options)
        self.assertEqual(code, done.returncode, f"{done.stdout}\n{done.stderr}")
        return done

    def test_every_command_has_help_with_an_example(self):
        commands = re.findall(r"(?m)^  (\w+) ", self.ends_with(0, "--help").stdout.partition("Subcommands")[2])
        self.assertLessEqual({"run", "configtest", "config", "add", "del", "check", "scan", "hash", "explain", "list", "stat", "ping",
                              "backup", "verify", "stores", "export", "import", "keypair"}, set(commands))
        for command in commands:
            with self.subTest(command=command):
                text = self.ends_with(0, command, "--help").stdout
                self.assertIn(f"Example:\n  shingled {command}", text)
                for option in ("-c", "-o"):
                    self.assertIn(option, text)

    def test_the_manual_has_every_command_and_option(self):
        manual = (SAMPLES.parent / "man" / "shingled.8").read_text().replace("\\-", "-")
        said = {name for line in manual.splitlines() if re.match(r"\.[BIR]", line) for name in re.findall(r"[\w-]+", line)}

        def listed(text, heading, pattern):
            """What stands in the first column below a heading."""
            return re.findall(pattern, text.partition(f"{heading}:\n")[2].partition("\n\n")[0])

        def look_at(*command):
            text = self.ends_with(0, "help", *command).stdout
            names = listed(text, "Subcommands", r"(?m)^  (\w+) ")
            for word in listed(text, "Options", r"(?m)^  (?:-\w,)?(--[a-z-]+)") + names:
                if word not in said:
                    missing.append((*command, word))
            for name in names:
                look_at(*command, name)

        missing = []
        look_at()
        self.assertEqual([], missing)

    def test_a_server_whose_name_has_no_address_cannot_be_reached(self):
        nowhere = "a" * 64 + ".example"  # a label too long for the DNS: no resolver is asked
        for command in (["check", OFFER], ["add", OFFER], ["del", OFFER], ["explain", OFFER], ["stat"], ["ping"]):
            with self.subTest(command=command[0]):
                done = self.ends_with(EX_UNAVAILABLE, *command, "--server", nowhere)
                self.assertIn(nowhere, done.stderr)

    def test_who_lacks_permission_is_told_whose_it_is(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become somebody else")
        closed = self.tmp / "closed"
        closed.mkdir(mode=0o700)
        hashfile, library = closed / "fuzzy.db", closed / "similar.db"
        harness.run("import", "-o", f"storage.hashfile={hashfile}", "-",
                    stdin='{"format":"shingled-hashes","version":1}\n{"digest":"' + "ab" * 64 +
                    '","flags":[{"flag":11,"value":1}],"time":1,"created":1,"source":"0","shingles":null}\n')
        self.assertTrue(hashfile.exists())
        anyone = self.tmp / "anyone"
        anyone.mkdir()
        anyone.chmod(0o777)
        commands = [["list"], ["verify"], ["backup", anyone / "copy", "--without", "counters,reports,history,similar,buckets,settings"], ["export", anyone / "out"], ["stores"],
                    ["similar", "list", "--file", library], ["similar", "search", "--file", library, OFFER],
                    ["similar", "add", "--list", "bad", "--file", library, OFFER], ["import", "-"]]
        for command in commands:
            with self.subTest(command=command):
                try:
                    done = harness.run(*command, "-o", f"storage.hashfile={hashfile}", user=65534, group=65534,
                                       extra_groups=[], stdin='{"format":"shingled-hashes","version":1}\n{"digest":"' +
                                       "cd" * 64 + '","flags":[{"flag":11,"value":1}],"time":1,"created":1,"source":"0",'
                                       '"shingles":null}\n')
                except PermissionError as reason:
                    self.skipTest(f"nobody else may run the program: {reason}")
                self.assertEqual(EX_NOPERM, done.returncode, done.stderr)
                self.assertIn(f"permission denied: {closed} belongs to root, this runs as nobody; run it as that user: "
                              "sudo -u root", done.stderr)

    def test_version(self):
        self.assertRegex(self.ends_with(0, "--version").stdout, r"^shingled \d+\.\d+\.\d+\n$")

    def test_wrong_arguments_are_usage_errors(self):
        wrong = [[], ["nonsense"], ["add", "--weight", "many", OFFER], ["add", "--weight", "99999999999", OFFER],
                 ["add", "--flag", "nolist", OFFER], ["add", "--flag", "256", OFFER], ["add", "--nonsense"],
                 ["check", "--rule", "nowhere", OFFER], ["check", "--server", "127.0.0.1:99999", OFFER],
                 ["stat", "--key", "short"], ["hash", "--compat", "rspamd-2", OFFER], ["del", "--digest", "12"]]
        for arguments in wrong:
            with self.subTest(arguments=arguments):
                self.assertRegex(self.ends_with(EX_USAGE, *arguments).stderr, r"^shingled: \S")

    def test_counters_pieces_prints_each_piece_with_its_type(self):
        message = ("From: Ann <Ann+news@Example.ORG>\nTo: bob@example.com\nSubject: Re: [list] Invoice 4711\n"
                   "Authentication-Results: mx.example.com; dkim=pass header.d=example.org\n\n"
                   "Pay at https://www.shop.example.net/pay/now?x=1 or call +49 30 1234567.\n")
        envelope = ("--sender", "ann@example.org", "--recipient", "bob@example.com", "--recipient", "eve@example.com",
                    "--client", "192.0.2.7")

        def pieces(*arguments):
            done = self.ends_with(0, "counters", "pieces", "--json", *envelope, *arguments, stdin=message.encode())
            found, = objects(done.stdout)
            return {(piece["type"], *([piece["piece"]] if isinstance(piece["piece"], str) else piece["piece"]))
                    for piece in found["pieces"]}

        claimed = pieces()
        self.assertLessEqual({("sender", "ann@example.org"), ("recipient", "eve@example.com"),
                              ("sender_recipient", "ann@example.org", "bob@example.com"),
                              ("claimed_from", "ann@example.org"), ("client_network", "192.0.2.0/24"),
                              ("link_host", "www.shop.example.net"), ("link_domain", "example.net"),
                              ("phone", "49301234567")}, claimed)
        self.assertFalse([piece for piece in claimed if piece[0] in ("from", "from_domain", "dkim_domain")])
        proved = pieces("--authserv-id", "mx.example.com")
        self.assertLessEqual({("from", "ann@example.org"), ("from_domain", "example.org"),
                              ("dkim_domain", "example.org")}, proved)
        table = self.ends_with(0, "counters", "pieces", stdin=message.encode()).stdout
        self.assertRegex(table, r"(?m)^  52 +link_domain +example\.net$")
        wrong = self.ends_with(EX_USAGE, "counters", "pieces", "--client", "nowhere", stdin=b"")
        self.assertIn("--client: nowhere is not an IP address", wrong.stderr)

    def test_hash_prints_the_documented_object(self):
        hashed, = objects(self.ends_with(0, "hash", "--json", OFFER).stdout)
        self.assertEqual(["file", "parts"], list(hashed))
        part = hashed["parts"][0]
        self.assertEqual(["part", "kind", "method", "algorithm", "words", "bytes", "digest", "shingles"], list(part))
        self.assertRegex(part["digest"], "^[0-9a-f]{128}$")
        self.assertEqual(32, len(part["shingles"]))
        self.assertTrue(all(shingle.isdecimal() for shingle in part["shingles"]))
        self.assertEqual(["text"], [part["kind"] for part in hashed["parts"]])
        for arguments in (["--robust"], ["--rule", "local"]):
            ours, = objects(self.ends_with(0, "hash", "--json", *arguments, OFFER).stdout)
            self.assertEqual(["text", "robust"], [part["kind"] for part in ours["parts"]])
        text = self.ends_with(0, "hash", stdin=OFFER.read_bytes()).stdout
        self.assertIn(part["digest"], text)
        self.assertIn(part["shingles"][31], text)

    def test_hash_says_what_differs_in_mail(self):
        body = "\n".join(f"line {number} of the attachment" for number in range(40))
        lf = ("From: a@example.org\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
              "--b\nContent-Type: text/plain\n\nhello there my friend, this is the letter itself\n"
              "--b\nContent-Type: application/octet-stream\nContent-Disposition: attachment; filename=a.bin\n\n"
              f"{body}\n--b--\n").encode()
        crlf = lf.replace(b"\n", b"\r\n")

        def digests(*words, stdin):
            done = self.ends_with(0, "hash", "--json", "--robust", *words, stdin=stdin)
            return [part["digest"] for part in objects(done.stdout)[0]["parts"]], done.stderr
        stored, note = digests(stdin=lf)
        mailed, no_note = digests("--mailed", stdin=lf)
        self.assertNotEqual(stored, mailed)
        self.assertIn("1 of", note)
        self.assertIn("--mailed", note)
        self.assertEqual("", no_note)
        self.assertEqual((mailed, ""), digests(stdin=crlf))

    def test_hash_prints_the_stages_of_rspamd(self):
        if not VECTORS.is_dir():
            self.skipTest(f"{VECTORS} is not here")
        done = self.ends_with(0, "hash", "--stages", "--compat", "rspamd-3", VECTORS / "mail")
        ours = {pathlib.Path(line["file"]).name: line for line in objects(done.stdout)}
        theirs = json.loads((VECTORS / "words.json").read_text())["mails"]
        texts, words = 0, 0
        for file, mail in theirs.items():
            # A file that begins with "From " is an mbox to us.
            parts = (ours.get(file) or ours[f"{file}#1"])["parts"]
            if len(mail["parts"]) != 1 or len(parts) != 1:
                continue
            part, expected = parts[0], mail["parts"][0]
            keys = ["part", "path", "type", "is_html", "utf8", "oneline_bytes", "oneline_sha256", "tokens_count",
                    "hashed_words"]
            if part["language"] == expected["language"]:
                keys.append("hashed_words_sha256")
                words += 1
            for key in keys:
                self.assertEqual(expected[key], part[key], f"{file}: {key}")
            texts += 1
        self.assertGreater(texts, 200)
        self.assertGreater(words, 0.9 * texts)

    def test_configtest(self):
        good, bad = self.tmp / "good.yaml", self.tmp / "bad.yaml"
        good.write_text("milter:\n  dry_run: true\n")
        bad.write_text("milter:\n  dry_runn: true\n")
        here = ("-o", f"storage.hashfile={self.tmp}/fuzzy.db")
        self.assertIn("no problem found", self.ends_with(0, "configtest", "-c", good, *here).stdout)
        self.assertRegex(self.ends_with(EX_CONFIG, "configtest", "-c", bad).stderr, r"bad\.yaml:2:3: .*dry_run")
        self.assertIn("missing.yaml", self.ends_with(EX_CONFIG, "configtest", "-c", self.tmp / "missing.yaml").stderr)
        self.ends_with(EX_CONFIG, "configtest", "-c", good, "-o", "milter.nonsense=1")
        self.ends_with(EX_CONFIG, "check", "-c", bad, OFFER)

    def test_a_new_keypair_is_one_the_configuration_takes(self):
        text = self.ends_with(0, "keypair").stdout
        public = re.search(r'pubkey = "([a-z0-9]{52})"', text).group(1)
        yaml = text.partition("shingled.yaml")[2].partition("\n")[2]
        self.assertIn(public, yaml)
        config = self.tmp / "keys.yaml"
        config.write_text("storage:\n" + "".join(f"  {line}\n" for line in yaml.splitlines() if line))
        config.chmod(0o600)
        self.ends_with(0, "configtest", "-c", config, "-o", f"storage.hashfile={self.tmp}/fuzzy.db")
        self.assertNotEqual(text, self.ends_with(0, "keypair").stdout)

    def test_a_closed_pipe_and_ctrl_c_end_a_command_quietly(self):
        folder = self.tmp / "many"
        folder.mkdir()
        for number in range(2000):
            (folder / f"{number}").write_bytes(OFFER.read_bytes())
        pipe = subprocess.Popen([harness.BINARY, "hash", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        pipe.stdout.readline()
        pipe.stdout.close()
        self.assertEqual("", pipe.stderr.read().decode())
        pipe.stderr.close()
        self.assertEqual(-signal.SIGPIPE, pipe.wait(harness.RUN_SECONDS))

        waiting = subprocess.Popen([harness.BINARY, "hash", "--json", OFFER, "-"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertTrue(waiting.stdout.readline())  # it waits for standard input now
        waiting.send_signal(signal.SIGINT)
        _, errors = waiting.communicate(timeout=harness.RUN_SECONDS)
        self.assertEqual((130, b""), (waiting.returncode, errors))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
