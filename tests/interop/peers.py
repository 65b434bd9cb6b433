"""The other sides of the interop matrix, all real and all on loopback: one rspamd that is both client (a rule of its
fuzzy_check plug-in for each server and mode) and server (a storage worker for each backend), and a Redis."""

import json
import pathlib
import shutil
import subprocess
import sys
import textwrap
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import harness  # noqa: E402
import rspamd  # noqa: E402

# Test-only keys, made by `rspamadm keypair`.
PUBLIC = "qeypz5xikdowe74odkwoyagxbhnekitbeb1x4krdmazbfuqzczcy"
PRIVATE = "auodnhq1bjwmecdrqk9axxu4788oj8zrm9tozkj6gxc57zemkg1y"


def missing():
    """Which program of the matrix is not installed, or None."""
    return next((name for name in ("rspamd", "redis-server") if not shutil.which(name)), None)


class Redis:
    """An empty Redis that keeps nothing, serving when the `with` block begins."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder) / "redis"
        self.folder.mkdir()
        self.port = harness.free_port()
        self.process = None

    def __enter__(self):
        log = open(self.folder / "log", "wb")
        self.process = subprocess.Popen(["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
                                         "--appendonly", "no", "--dir", self.folder], stdout=log, stderr=log)
        log.close()
        harness.wait_until(lambda: harness.answers_tcp(self.port), harness.START_SECONDS, "redis-server serves")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


class Rule:
    """One rule of the plug-in: a server in a mode, with a list and a symbol of its own, so that a lesson reaches this
    server alone."""

    def __init__(self, name, flag, port, key):
        self.name, self.flag, self.port, self.key = name, flag, port, key
        self.symbol = "INTEROP_" + name.upper()

    def text(self):
        key = f'encryption_key = "{self.key}";' if self.key else ""
        return textwrap.dedent(f"""\
            rule "{self.name}" {{
              algorithm = "mumhash"; servers = "127.0.0.1:{self.port}"; {key} mime_types = ["*"]; max_score = 20.0;
              symbol = "{self.symbol}_UNKNOWN"; read_only = no; skip_unknown = yes; no_share = yes;
              fuzzy_map = {{ {self.symbol} {{ max_score = 20.0; flag = {self.flag}; }} }}
            }}
            """)


class Rspamd(rspamd.Rspamd):
    """`normal` and `controller` workers with the given rules, and storages on `sqlite_port` and `redis_port`, both of
    which take plain and encrypted requests."""

    def __init__(self, folder, redis, sqlite_port, redis_port, rules):
        self.folder = pathlib.Path(folder) / "rspamd"
        self.folder.mkdir()
        self.scan_port, self.learn_port = harness.free_port(), harness.free_port()
        self.process = None
        keypair = f'keypair {{ pubkey = "{PUBLIC}"; privkey = "{PRIVATE}"; }}'
        storage = f'count = 1; sync = 0.1s; expire = 90d; allow_update = ["127.0.0.1"]; {keypair}'
        (self.folder / "rspamd.conf").write_text(textwrap.dedent(f"""\
            options {{
              filters = "fuzzy_check"; pidfile = "{self.folder}/pid"; control_socket = "{self.folder}/control mode=0600";
              dns {{ nameserver = ["127.0.0.1:1:1"]; timeout = 100ms; retransmits = 1; }}
              tempdir = "{self.folder}"; hs_cache_dir = "{self.folder}"; stats_file = "{self.folder}/stats";
              history_file = "{self.folder}/history"; local_addrs = [];
            }}
            logging {{ type = "file"; filename = "{self.folder}/log"; level = "info"; }}
            redis {{ servers = "127.0.0.1:{redis.port}"; }}
            worker "normal" {{ bind_socket = "127.0.0.1:{self.scan_port}"; count = 1; }}
            worker "controller" {{ bind_socket = "127.0.0.1:{self.learn_port}"; count = 1; secure_ip = "127.0.0.1"; }}
            worker "fuzzy" {{
              bind_socket = "127.0.0.1:{sqlite_port}"; backend = "sqlite"; hashfile = "{self.folder}/fuzzy.db"; {storage}
            }}
            worker "fuzzy" {{ bind_socket = "127.0.0.1:{redis_port}"; backend = "redis"; {storage} }}
            actions {{ reject = 15; add_header = 6; }}
            """) + "fuzzy_check {\n  retransmits = 3; timeout = 2s;\n" + "".join(rule.text() for rule in rules) + "}\n")
        self.storage_ports = sqlite_port, redis_port

    def __enter__(self):
        super().__enter__()
        try:
            for port in self.storage_ports:
                harness.wait_until(lambda port=port: harness.answers_check(port), rspamd.START_SECONDS,
                                   "rspamd's storage to answer")
        except AssertionError:
            self.stop()
            raise
        return self

    def get(self, port, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as reply:
            return json.load(reply)

    def fuzzy_count(self, rule):
        """What the plug-in's STAT told: hashes of the rule's servers, or None."""
        return self.get(self.learn_port, "/stat").get("fuzzy_hashes", {}).get(rule)
