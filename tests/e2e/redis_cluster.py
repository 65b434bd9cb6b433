"""A Redis cluster of three masters on loopback, for tests."""

import pathlib
import subprocess

import harness

SECONDS = 60
SERVERS = 3  # the least a cluster has


class RedisCluster:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder) / "cluster"
        self.folder.mkdir()
        self.ports = [harness.free_port() for _ in range(SERVERS)]
        self.servers = []
        self.seeds = "[" + ", ".join(f"127.0.0.1:{port}" for port in self.ports[:2]) + "]"

    def __enter__(self):
        try:
            self.bring_up()
        except BaseException:
            self.__exit__()
            raise
        return self

    def bring_up(self):
        for port in self.ports:
            self.servers.append(subprocess.Popen(
                ["redis-server", "--port", str(port), "--cluster-port", str(harness.free_port()), "--bind",
                 "127.0.0.1", "--cluster-enabled", "yes", "--cluster-config-file", f"nodes-{port}.conf", "--dir",
                 self.folder, "--save", ""], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL))
        for port in self.ports:
            harness.wait_until(lambda port=port: harness.answers_tcp(port), SECONDS, f"redis-server on port {port}")
        subprocess.run(["redis-cli", "--cluster", "create", *(f"127.0.0.1:{port}" for port in self.ports),
                        "--cluster-yes"], check=True, capture_output=True, timeout=SECONDS)
        for port in self.ports:
            harness.wait_until(lambda port=port: "cluster_state:ok" in self.ask(port, "CLUSTER", "INFO"), SECONDS,
                               "all slots are served")

    def __exit__(self, *_):
        for server in self.servers:
            server.kill()
            server.wait()

    def ask(self, port, *words):
        return subprocess.run(["redis-cli", "-p", str(port), *words], capture_output=True, check=True,
                              timeout=SECONDS).stdout.decode()

    def holders(self):
        """The servers that have any key."""
        return [port for port in self.ports if int(self.ask(port, "DBSIZE")) > 0]
