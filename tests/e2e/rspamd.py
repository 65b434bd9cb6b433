"""A private rspamd (the Debian package) for interoperability tests: its fuzzy_check plug-in as a client of ours, its
fuzzy storage worker as a server of ours."""

import json
import os
import pathlib
import shutil
import subprocess
import textwrap
import urllib.error
import urllib.request

from harness import free_port, wait_until

START_SECONDS = 300  # it compiles its patterns first: half a minute on an idle machine


def missing():
    """Why it cannot run here, or None."""
    return None if shutil.which("rspamd") else "the package rspamd is not installed"


class Rspamd:
    """Workers: `normal` (scans), `controller` (learns) and `fuzzy` (a storage), with one rule of the fuzzy_check plug-in.

    servers         where the plug-in looks, "127.0.0.1:PORT"; None = its own storage worker
    encryption_key  public key of that storage, z-base-32; None = in the clear
    keypair         (public, private) of its own storage worker, z-base-32; None = no encryption there
    redis           where that worker keeps its hashes, "127.0.0.1:PORT"; None = an SQLite file
    milter_workers  workers that are a milter and scan by themselves, at `milter_port`
    """

    def __init__(self, folder, servers=None, encryption_key=None, keypair=None, redis=None, milter_workers=0):
        self.folder = pathlib.Path(folder) / "rspamd"
        self.folder.mkdir()
        self.scan_port, self.learn_port, self.fuzzy_port = free_port(), free_port(), free_port()
        self.milter_port = free_port()
        proxy = (f'worker "rspamd_proxy" {{ bind_socket = "127.0.0.1:{self.milter_port}"; milter = yes; timeout = 120s; '
                 f'count = {milter_workers}; upstream "local" {{ default = yes; self_scan = yes; }} }}' if milter_workers else "")
        rule_key = f'encryption_key = "{encryption_key}";' if encryption_key else ""
        worker_key = f'keypair {{ pubkey = "{keypair[0]}"; privkey = "{keypair[1]}"; }}' if keypair else ""
        backend = (f'backend = "redis"; servers = "{redis}"; timeout = 10s;' if redis else
                   f'backend = "sqlite"; hashfile = "{self.folder}/fuzzy.db";')
        (self.folder / "rspamd.conf").write_text(textwrap.dedent(f"""\
            options {{
              filters = "fuzzy_check"; pidfile = "{self.folder}/pid"; control_socket = "{self.folder}/control mode=0600";
              dns {{ nameserver = ["127.0.0.1:1:1"]; timeout = 100ms; retransmits = 1; }}
              tempdir = "{self.folder}"; hs_cache_dir = "{self.folder}"; stats_file = "{self.folder}/stats";
              history_file = "{self.folder}/history"; local_addrs = [];
            }}
            logging {{ type = "file"; filename = "{self.folder}/log"; level = "info"; }}
            worker "normal" {{ bind_socket = "127.0.0.1:{self.scan_port}"; count = 1; }}
            worker "controller" {{ bind_socket = "127.0.0.1:{self.learn_port}"; count = 1; secure_ip = "127.0.0.1"; }}
            worker "fuzzy" {{
              bind_socket = "127.0.0.1:{self.fuzzy_port}"; count = 1; {backend} sync = 0.1s; expire = 90d;
              allow_update = ["127.0.0.1"]; {worker_key}
            }}
            {proxy}
            actions {{ reject = 15; add_header = 6; }}
            fuzzy_check {{
              retransmits = 2; timeout = 2s;
              rule "interop" {{
                algorithm = "mumhash"; servers = "{servers or f'127.0.0.1:{self.fuzzy_port}'}"; {rule_key}
                symbol = "FUZZY_UNKNOWN"; mime_types = ["*"]; max_score = 20.0; read_only = no; skip_unknown = yes;
                fuzzy_map = {{ FUZZY_DENIED {{ max_score = 20.0; flag = 11; }} FUZZY_PROB {{ max_score = 10.0; flag = 12; }} }}
              }}
            }}
            """))
        self.process = None

    def __enter__(self):
        environment = dict(os.environ, LANG="C.UTF-8", LC_ALL="C.UTF-8")
        self.output = open(self.folder / "output", "wb")
        self.process = subprocess.Popen(["rspamd", "-c", self.folder / "rspamd.conf", "-f", "-i"], env=environment,
                                        stdout=self.output, stderr=self.output)
        try:
            wait_until(lambda: self.answers(self.scan_port) and self.answers(self.learn_port), START_SECONDS,
                       "rspamd to be ready")
        except AssertionError:
            self.stop()
            raise
        return self

    def __exit__(self, *unused):
        self.stop()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.output.close()

    @staticmethod
    def answers(port):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/ping", timeout=2) as reply:
                return reply.status == 200
        except OSError:
            return False

    def post(self, port, path, message, **headers):
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=message, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as failure:
            return {"success": False, "error": failure.read().decode(errors="replace")}

    def symbols(self, message):
        """What the plug-in found in a message: symbol -> list of "flag:digest:prob:type"."""
        answer = self.post(self.scan_port, "/checkv2", message)
        return {name: symbol.get("options", []) for name, symbol in answer.get("symbols", {}).items()}

    def add(self, message, flag, weight):
        return self.post(self.learn_port, "/fuzzyadd", message, Flag=str(flag), Weight=str(weight))

    def delete(self, message, flag):
        return self.post(self.learn_port, "/fuzzydel", message, Flag=str(flag))

    def log(self):
        path = self.folder / "log"
        return path.read_text(errors="replace") if path.exists() else ""
