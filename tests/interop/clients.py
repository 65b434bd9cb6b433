"""The asking sides of the matrix behind one interface: what a client finds, teaches, deletes and counts."""

import json

import peers  # noqa: F401  (finds the harness)
import harness


class Ours:
    """`shingled` against one server."""

    flag = 11

    def __init__(self, port, key=None, extra=()):
        self.where = ["--server", f"127.0.0.1:{port}", "-o", "rules.local.robust=false",
                      *(["--key", key] if key else []), *extra]

    def run(self, command, *arguments, stdin=b""):
        done = harness.run(command, *self.where, *arguments, stdin=stdin)
        if done.returncode != 0:
            raise AssertionError(done.stderr.strip() or f"{command} ended with {done.returncode}")
        return done.stdout

    def find(self, message):
        """The best probability, or None."""
        lookups = json.loads(self.run("check", "--json", stdin=message))["lookups"]
        return max((one["prob"] for one in lookups if one["result"] == "hit" and one["flag"] == self.flag), default=None)

    def add(self, message):
        self.run("add", "--flag", str(self.flag), "--weight", "20", stdin=message)

    def delete(self, message):
        self.run("del", "--flag", str(self.flag), "--all-lists", stdin=message)

    def count(self):
        return json.loads(self.run("stat", "--json"))["count"]

    def ping(self, times):
        """Statistics of so many pings."""
        return json.loads(self.run("ping", "--json", "--count", str(times)))


class Plugin:
    """The fuzzy_check plug-in of rspamd with one of its rules."""

    def __init__(self, rspamd, rule):
        self.rspamd, self.rule = rspamd, rule

    def find(self, message):
        options = self.rspamd.symbols(message).get(self.rule.symbol, [])
        return max((float(option.split(":")[2]) for option in options), default=None)

    def add(self, message):
        answer = self.rspamd.add(message, self.rule.flag, 20)
        if not answer.get("success"):
            raise AssertionError(str(answer))

    def delete(self, message):
        answer = self.rspamd.delete(message, self.rule.flag)
        if not answer.get("success"):
            raise AssertionError(str(answer))

    def count(self):
        return self.rspamd.fuzzy_count(self.rule.name)
