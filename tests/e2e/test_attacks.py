# Covers milter/reports/support.cpp, storage/people/people_store.cpp, with their stores.
"""Made-up people, and what they can do to others' mail: a mark at most, nothing once a resident says no, and no
rejection, also with all rules live. tests/bench/report_abuse.py --attacks has all attacks and settings."""

import subprocess
import unittest

import harness
import report_attacks

# Those that take a second or two, and hold with all rules live.
LIVE = ["one newcomer, one report", "five made-up people", "fifty made-up people",
        "fifty made-up people, then one resident wants it", "one resident", "one resident and fifty made-up people",
        "spam: 20 copies before two residents report it", "spam: 100 residents, then three made-up people want it"]
# With the rules that are live by default.
INSTALLED = ["two residents and fifty made-up people", "closed by a trusted person, then thirty residents",
             "its text sent once to a trusted trap"]


class Attacks(unittest.TestCase):
    overrides = []

    def attacks(self, names):
        chosen = [attack for attack in report_attacks.ATTACKS if attack.name in names]
        self.assertEqual(len(names), len(chosen))
        return chosen

    def do_not_reach_what_they_want(self, names, column):
        for attack in self.attacks(names):
            with self.subTest(attack.name):
                sights = report_attacks.measure(attack, report_attacks.COLUMNS[column] + self.overrides)
                self.assertEqual([], report_attacks.misses(attack, sights), sights)

    def test_with_all_rules_live(self):
        self.do_not_reach_what_they_want(LIVE, "all live")

    def test_as_installed(self):
        self.do_not_reach_what_they_want(INSTALLED, "as installed")


class WithRedis(Attacks):
    """What people say is in Redis, which forgets all after each attack."""

    def setUp(self):
        tmp = harness.temporary_folder(self)
        port = harness.free_port()
        redis = subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "",
                                  "--dir", str(tmp)], stdout=subprocess.DEVNULL)
        self.addCleanup(redis.wait)
        self.addCleanup(redis.kill)
        harness.wait_until(lambda: harness.answers_tcp(port), 20, "redis-server answers")
        key = tmp / "key"
        key.write_text("00112233445566778899aabbccddeeff\n")
        key.chmod(0o600)
        self.port = port
        self.overrides = [f"counters.servers=127.0.0.1:{port}", f"counters.key_file={key}"]

    def attacks(self, names):
        for attack in super().attacks(names):
            yield attack
            subprocess.run(["redis-cli", "-p", str(self.port), "flushall"], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    unittest.main()
