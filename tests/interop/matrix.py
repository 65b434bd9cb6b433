"""Who understands whom: {our client, the plug-in of rspamd} x {our server, rspamd on SQLite, rspamd on Redis} x {plain,
encrypted}, then our client in every version of the protocol, over UDP and TCP. Every cell is a real exchange between
real processes; the matrix is printed, and any cell that is not as expected fails the test.

    SHINGLED_BINARY=build/release/milter/shingled python3 tests/interop/matrix.py
"""

import contextlib
import pathlib
import shutil
import sys
import tempfile

import clients
import harness
import peers

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "samples"
OFFER = (SAMPLES / "1-offer.eml").read_bytes()
AGAIN = (SAMPLES / "2-offer-again.eml").read_bytes()
LETTER = (SAMPLES / "3-letter.eml").read_bytes()

FLUSH_SECONDS = 30  # rspamd answers first and stores at its next sync
SKIPPED = 77
STEPS = ("check", "near-duplicate", "add", "delete", "stat")


def exercise(client):
    """One cell: step -> None, or what went wrong. It begins and ends with an empty storage."""
    found = {}

    def step(name, function):
        try:
            function()
            found[name] = None
        except Exception as failure:  # whatever it is, it is this cell's result
            found[name] = f"{type(failure).__name__}: {failure}".splitlines()[0]

    def expect(condition, what):
        harness.wait_until(condition, FLUSH_SECONDS, what)

    before = 0

    def add():
        nonlocal before
        assert client.find(OFFER) is None, "known before"
        before = client.count() or 0
        client.add(OFFER)

    def near_duplicate():
        probability = client.find(AGAIN)
        assert probability is not None and 0.5 < probability < 1, f"probability {probability}"
        assert client.find(LETTER) is None, "another message matches"

    def delete():
        client.delete(OFFER)
        expect(lambda: client.find(OFFER) is None and client.find(AGAIN) is None, "the hashes to go")

    step("add", add)
    step("check", lambda: expect(lambda: client.find(OFFER) == 1, "an exact match"))
    step("near-duplicate", near_duplicate)
    step("stat", lambda: expect(lambda: (client.count() or 0) > before, "a larger count"))
    step("delete", delete)
    return found


class Matrix:
    """Rows of cells, printed at the end."""

    def __init__(self):
        self.rows = []
        self.failures = []

    def add(self, names, cells):
        """`cells`: column -> None, or what went wrong."""
        self.rows.append([*names, *("ok" if why is None else "FAILED" for why in cells.values())])
        self.failures += [f"{' / '.join([*names, column])}: {why}" for column, why in cells.items() if why is not None]

    def print(self, head):
        table = [head, *self.rows]
        widths = [max(len(row[i]) for row in table) for i in range(len(head))]
        for row in table:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        print(flush=True)
        self.rows = []


PINGS = 3


def speak(client, understood, over_tcp):
    """One cell of the versions: pings in the version and an exact match; or silence, where it is not understood. Over
    TCP go as many pings as should."""
    try:
        if not understood:
            try:
                client.ping(1)
            except AssertionError as failure:
                return None if "did not answer" in str(failure) else str(failure)
            return "answered"
        pings = client.ping(PINGS)
        expected = PINGS if over_tcp else 0
        assert (pings["answered"], pings["over_tcp"]) == (PINGS, expected), str(pings)
        client.add(OFFER)
        harness.wait_until(lambda: client.find(OFFER) == 1, FLUSH_SECONDS, "an exact match")
        client.delete(OFFER)
        harness.wait_until(lambda: client.find(OFFER) is None, FLUSH_SECONDS, "the hash to go")
        return None
    except Exception as failure:  # the cell's result, too
        return str(failure).splitlines()[0]


def run(tmp, stack):
    redis = stack.enter_context(peers.Redis(tmp))
    keypair = f"storage.keypair={{pubkey: {peers.PUBLIC}, privkey: {peers.PRIVATE}}}"
    daemon = stack.enter_context(harness.Daemon(tmp, overrides=[keypair, "rules.local.robust=false"]))
    ports = {"shingled": daemon.fuzzy_port, "rspamd SQLite": harness.free_port(), "rspamd Redis": harness.free_port()}
    modes = {"plain": None, "encrypted": peers.PUBLIC}
    rules = {}
    for server, port in ports.items():
        for mode, key in modes.items():
            name = f"{server}_{mode}".replace(" ", "_").lower()
            rules[server, mode] = peers.Rule(name, 21 + len(rules), port, key)
    rspamd = stack.enter_context(peers.Rspamd(tmp, redis, ports["rspamd SQLite"], ports["rspamd Redis"], rules.values()))

    matrix = Matrix()
    for server, port in ports.items():
        for mode, key in modes.items():
            for name, client in (("shingled", clients.Ours(port, key)),
                                 ("rspamd 3.4", clients.Plugin(rspamd, rules[server, mode]))):
                found = exercise(client)
                matrix.add([name, server, mode], {step: found[step] for step in STEPS})
    matrix.print(["client", "server", "mode", *STEPS])

    # What a server does not understand it drops, so the right answer is silence.
    # rspamd 3.4 takes no connections: there TCP is asked for and UDP is used.
    versions = ("3", "4", "0x14", "5")
    old = ("3", "4")
    for server, port in ports.items():
        for mode, key in modes.items():
            for transport, arguments in (("udp", ["--tcp", "no"]), ("tcp", ["--tcp", "yes"])):
                streams = transport == "tcp" and server == "shingled"
                name = transport if transport == "udp" or streams else "tcp, then udp"
                matrix.add([name, server, mode], {
                    version: speak(clients.Ours(port, key, ["--protocol", version, *arguments]),
                                   server == "shingled" or version in old, streams) for version in versions})
    matrix.print(["shingled over", "server", "mode", *(f"version {version}" for version in versions)])
    for line in matrix.failures:
        print(line)
    if matrix.failures:
        print(rspamd.log()[-4000:], daemon.log()[-4000:], sep="\n")
    return 1 if matrix.failures else 0


def main():
    reason = peers.missing()
    if reason:
        print(f"skipped: {reason} is not installed")
        return SKIPPED
    tmp = tempfile.mkdtemp(prefix="shingled-interop-")
    try:
        with contextlib.ExitStack() as stack:
            return run(pathlib.Path(tmp), stack)
    finally:
        shutil.rmtree(tmp, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
