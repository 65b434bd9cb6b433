"""Rate limits shared through Redis: one that is killed, one that stands still, and a cluster."""

import shutil
import signal
import smtplib
import sys
import threading
import unittest

import harness
from limited_mail import SECONDS, LimitedMail
from redis_cluster import RedisCluster
from test_redis import Redis


class Senders:
    """Four of them, one message after the other to fresh recipients, until the end of the block."""

    def __init__(self, test):
        self.test = test
        self.stop, self.failures, self.sent = threading.Event(), [], []
        self.workers = [threading.Thread(target=self.send, args=(number,)) for number in range(4)]

    def __enter__(self):
        for worker in self.workers:
            worker.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for worker in self.workers:
            worker.join(SECONDS)

    def send(self, worker):
        number = 0
        while not self.stop.is_set():
            number += 1
            try:
                # The session's timeout is the longest that anything may take.
                if self.test.passes(f"w{worker}n{number}@example.org"):
                    self.sent.append((worker, number))
                else:
                    self.failures.append(f"put off: {worker} {number}")
            except (OSError, smtplib.SMTPException) as failure:
                self.failures.append(repr(failure))

    def wait_for_more(self, count):
        before = len(self.sent)
        harness.wait_until(lambda: len(self.sent) >= before + count, SECONDS, f"{count} more messages passed")


class RateLimitsInRedis(LimitedMail):
    def setUp(self):
        for program in ("redis-server", "redis-cli"):
            if not shutil.which(program):
                self.skipTest(f"{program} is not installed")
        super().setUp()

    def lines(self, event):
        return self.daemon.log().count(event)

    def test_with_redis_dead_and_back_under_load_no_mail_is_lost(self):
        redis = Redis(self.tmp)
        redis.__enter__()
        self.addCleanup(redis.__exit__)
        self.start(**{"rates.to": "[3, 1 / 1h]", "servers": redis.address, "redis.timeout": "200ms"})
        self.assertTrue(self.passes("full@example.org"))
        self.assertEqual(1, round(self.held("to:full@example.org")), "the command asks Redis itself")
        with Senders(self) as senders:
            senders.wait_for_more(20)
            redis.__exit__()
            senders.wait_for_more(20)  # it is dead
            self.assertEqual(0, self.metric("shingled_buckets_shared"))
            redis.__enter__()  # on its port, with what it had
            harness.wait_until(lambda: self.metric("shingled_buckets_shared") == 1, SECONDS, "Redis decides again")
            senders.wait_for_more(20)
        self.assertEqual([], senders.failures)
        harness.wait_until(lambda: len(self.sink.messages()) >= len(senders.sent) + 1, SECONDS, "all is delivered")
        self.assertTrue(self.passes("full@example.org"))
        self.assertTrue(self.passes("full@example.org"))
        self.assertFalse(self.passes("full@example.org"), "Redis kept the first drop")

    def test_while_redis_stands_still_nobody_waits_for_it(self):
        redis = self.enterContext(Redis(self.tmp))
        self.addCleanup(lambda: redis.process.send_signal(signal.SIGCONT))
        self.start(**{"rates.to": "[3, 1 / 1h]", "servers": redis.address, "redis.timeout": "1s"})
        self.assertTrue(self.passes("full@example.org"))
        with Senders(self) as senders:
            senders.wait_for_more(10)
            self.assertEqual(0, self.lines("ratelimit_redis_away"))
            redis.process.send_signal(signal.SIGSTOP)  # takes connections and says nothing
            harness.wait_until(lambda: self.metric("shingled_buckets_shared") == 0, SECONDS, "it counts as away")
            senders.wait_for_more(40)
            self.assertEqual(1, self.lines("ratelimit_redis_away"), "once for all of them")
            self.assertEqual(0, self.lines("ratelimit_redis_back"))
            self.assertGreaterEqual(self.metric("shingled_buckets_fallbacks"), 40)
            redis.process.send_signal(signal.SIGCONT)
            harness.wait_until(lambda: self.metric("shingled_buckets_shared") == 1, SECONDS, "Redis decides again")
            senders.wait_for_more(10)
        self.assertEqual([], senders.failures)
        self.assertEqual((1, 1), (self.lines("ratelimit_redis_away"), self.lines("ratelimit_redis_back")))
        self.assertTrue(self.passes("full@example.org"))
        self.assertTrue(self.passes("full@example.org"))
        self.assertFalse(self.passes("full@example.org"), "Redis kept the first drop")

    def test_a_cluster_holds_the_buckets_of_each_recipient_together(self):
        cluster = self.enterContext(RedisCluster(self.tmp))
        self.start(**{"rates.to": "[2, 1 / 1h]", "rates.to_ip": "[9, 1 / 1h]", "rates.ip": "[20, 1 / 1h]",
                      "servers": cluster.seeds, "redis.cluster": "yes", "redis.timeout": "5s"})
        names = [f"r{number}@example.org" for number in range(6)]
        for name in names:
            self.assertTrue(self.passes(name))
            self.assertTrue(self.passes(name))
            self.assertFalse(self.passes(name))
        with self.session() as smtp:
            (full, other), end = self.offer(smtp, names[0], "other@example.org")
            self.assert_put_off(full)
            self.assert_taken(other)
            self.assertEqual(250, end[0], end)
        # The refused ones gave back what their other buckets, on other servers, had taken.
        self.assertEqual(13, round(self.held("ip:127.0.0.1")))
        listed = self.daemon.run("buckets", "list").stdout
        for name in names:
            self.assertIn(f"to:{{{name}}} ", listed)
            self.assertIn(f"to_ip:{{{name}}}:127.0.0.1 ", listed)
        self.assertGreater(len(cluster.holders()), 1, "not all on one server")
        self.assertEqual(0, self.metric("shingled_buckets_fallbacks"))
        self.assertEqual(0, self.daemon.run("buckets", "reset", f"to:{{{names[0]}}}").returncode)
        self.assertTrue(self.passes(names[0]))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
