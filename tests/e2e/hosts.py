"""Several hosts on one machine, for the end-to-end tests: network namespaces with one switch between them.

A thread that is `inside` a host opens its sockets and starts its programs there, so that all other helpers of these tests
work in it as they are: each host has a loopback of its own.

    with hosts.Network(("mx1", "mx2", "mail")) as network:
        with network["mx1"].inside():
            daemon.start()
"""

import contextlib
import ctypes
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile

CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)


def missing():
    """Why there are no such hosts here, or None."""
    if os.geteuid() != 0:
        return "network namespaces are made by root"
    if not shutil.which("ip", path="/usr/sbin:/sbin:/usr/bin:/bin"):
        return "the package iproute2 is not installed"
    name = f"shingled-probe-{os.getpid()}"
    made = ip("netns", "add", name, check=False)
    if made.returncode != 0:
        return "network namespaces cannot be made here: " + made.stderr.strip()
    bridge = ip("-n", name, "link", "add", "sw", "type", "bridge", check=False)
    ip("netns", "del", name)
    return None if bridge.returncode == 0 else "bridges cannot be made here: " + bridge.stderr.strip()


def ip(*words, check=True):
    done = subprocess.run(["ip", *map(str, words)], capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, "PATH": "/usr/sbin:/sbin:/usr/bin:/bin"})
    if check and done.returncode != 0:
        raise RuntimeError(f"ip {' '.join(map(str, words))}: {done.stderr}")
    return done


def enter(path):
    """Moves this thread into the network namespace of a file."""
    with open(path, "rb") as file:
        if LIBC.setns(file.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"setns {path}")


class Host:
    def __init__(self, name, space, address):
        self.name = name
        self.space = space
        self.address = address

    @contextlib.contextmanager
    def inside(self):
        """This thread, and what it starts, is on this host. May be nested."""
        before = open("/proc/thread-self/ns/net", "rb")
        try:
            enter(f"/run/netns/{self.space}")
            yield self
        finally:
            if LIBC.setns(before.fileno(), CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns back")
            before.close()


class Network:
    """Hosts by name, each with an address in one network; `switch` is one more, between them."""

    def __init__(self, names):
        tag = f"sh{os.getpid() % 100000}{random.randrange(1000)}"
        net = f"10.{random.randrange(64, 128)}.{random.randrange(256)}"
        self.switch = Host("switch", f"{tag}-switch", f"{net}.254")
        self.hosts = {name: Host(name, f"{tag}-{name}", f"{net}.{place}") for place, name in enumerate(names, 1)}

    def __getitem__(self, name):
        return self.hosts[name]

    def __enter__(self):
        try:
            self.make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def make(self):
        switch = self.switch.space
        ip("netns", "add", switch)
        ip("-n", switch, "link", "add", "sw", "type", "bridge")
        ip("-n", switch, "addr", "add", f"{self.switch.address}/24", "dev", "sw")
        for device in ("lo", "sw"):
            ip("-n", switch, "link", "set", device, "up")
        for place, host in enumerate(self.hosts.values()):
            ip("netns", "add", host.space)
            ip("-n", host.space, "link", "add", "eth0", "type", "veth", "peer", "name", f"port{place}", "netns", switch)
            ip("-n", host.space, "addr", "add", f"{host.address}/24", "dev", "eth0")
            for device in ("lo", "eth0"):
                ip("-n", host.space, "link", "set", device, "up")
            ip("-n", switch, "link", "set", f"port{place}", "master", "sw", "up")

    def __exit__(self, *_):
        for host in (*self.hosts.values(), self.switch):
            ip("netns", "del", host.space, check=False)

    def cut(self, host, on=True):
        """Takes the cable of a host out, or puts it in again."""
        place = list(self.hosts.values()).index(host)
        ip("-n", self.switch.space, "link", "set", f"port{place}", "down" if on else "up")


class Authority:
    """Certificates for addresses, signed by one that is made for the test."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder) / "certificates"
        self.folder.mkdir()
        self.certificate = self.folder / "ca.pem"
        self.key = self.folder / "ca.key"
        self.openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", self.key, "-out", self.certificate,
                     "-days", "3650", "-subj", "/CN=authority of a test")
        self.certificate.chmod(0o644)

    def openssl(self, *words):
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, timeout=60)

    def sign(self, name, address):
        """(certificate, key) of a host."""
        certificate, key, request = (self.folder / f"{name}.{end}" for end in ("pem", "key", "csr"))
        self.openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", request, "-subj", f"/CN={name}")
        with tempfile.NamedTemporaryFile("w", suffix=".cnf") as extensions:
            extensions.write(f"subjectAltName = IP:{address}, DNS:{name}\n")
            extensions.flush()
            self.openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial",
                         "-out", certificate, "-days", "3650", "-extfile", extensions.name)
        key.chmod(0o600)
        return certificate, key


def metrics(text):
    """The samples of /metrics, summed over their labels."""
    out = {}
    for name, value in re.findall(r"^(\w+)(?:\{[^}]*\})? ([-+.\deE]+)$", text, re.M):
        out[name] = out.get(name, 0) + float(value)
    return out
