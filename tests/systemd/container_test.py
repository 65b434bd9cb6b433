#!/usr/bin/env python3
"""Builds packaging/Dockerfile and packaging/compose.yaml with podman, runs them, and says of each step "ok" or "FAILED" and
why. Called by packaging/package_test.sh.

    container_test.py [--compile] PACKAGE DEBIAN.tar

DEBIAN.tar is used as debian:bookworm and debian:bookworm-slim. It has the packages that the builds install in apt's cache,
because nothing here has a network: all containers are in a network of their own that leads nowhere else. The first stage
packs the program that is in PACKAGE; --compile: it compiles. The image made of DEBIAN.tar is kept beside it, nothing else.
Exit code 0 when everything is as it must be, 77 when containers cannot be run here, with the reason. Needs root, and podman
with netavark and aardvark-dns, podman-compose, runc and iptables."""

import argparse
import contextlib
import fcntl
import json
import os
import pathlib
import resource
import shutil
import smtplib
import socket
import subprocess
import sys
import tempfile
import time
import traceback

SOURCE = pathlib.Path(__file__).resolve().parents[2]
COMPOSE = SOURCE / "packaging/compose.yaml"
SAMPLES = SOURCE / "packaging/samples"
OFFER, OFFER_AGAIN, LETTER = ((SAMPLES / name).read_bytes() for name in ("1-offer.eml", "2-offer-again.eml", "3-letter.eml"))
TOOLS = ("podman", "podman-compose", "runc", "iptables", "unshare")
UNAVAILABLE = 77
CGROUPS = pathlib.Path("/sys/fs/cgroup")
ENTRY = "shingled-entrypoint"
# As compose.yaml has it. podman alone would also make /run and /var/tmp writable.
LOCKED = ("--read-only", "--read-only-tmpfs=false", "--tmpfs=/tmp", "--cap-drop=all", "--security-opt=no-new-privileges",
          "--volume=data:/var/lib/shingled", "--network=none")
BASES = ("docker.io/library/debian:bookworm", "docker.io/library/debian:bookworm-slim")
BUILD = ("--network=none", "--no-cache", "--layers=false", "--force-rm")


def run(*command, stdin=b"", succeed=True, seconds=300):
    done = subprocess.run([str(word) for word in command], input=stdin, capture_output=True, timeout=seconds)
    text = done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")
    if succeed and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{text[-6000:]}")
    return done.returncode, text


def podman(*arguments, **options):
    return run("podman", *arguments, **options)[1].strip()


def compose(*arguments, **options):
    return run("podman-compose", "-p", "life", "-f", COMPOSE, *arguments, **options)[1]


def check(holds, what):
    if not holds:
        raise AssertionError(what)


def wait_until(condition, seconds, what):
    deadline = time.monotonic() + seconds
    while not condition():
        check(time.monotonic() < deadline, f"not within {seconds} s: {what}")
        time.sleep(0.1)


def inspect(kind, name, path):
    value = json.loads(podman(kind, "inspect", name))[0]
    for key in path.split("."):
        value = value[key]
    return value


def logs(name):
    return podman("logs", name)


def start(name, *options, command=()):
    podman("run", "--detach", "--name", name, *options, "shingled", *command)


def healthy(name):
    """podman's timers are systemd's, which is not here, so the test is the timer."""
    podman("healthcheck", "run", name, succeed=False)
    return inspect("container", name, "State.Health.Status" if "Health" in inspect("container", name, "State") else
                   "State.Healthcheck.Status") == "healthy"


def stop(name):
    podman("stop", "--time=60", name)
    code = inspect("container", name, "State.ExitCode")
    check(code == 0, f"SIGTERM ends it with exit code {code}\n{logs(name)}")
    check("stopped" in logs(name), f"it says that it stops\n{logs(name)}")


def teach(message, into, *options):
    return podman("exec", "--interactive", into, ENTRY, "add", "--flag", "denied", *options, stdin=message)


def found(name, message):
    answers = podman("exec", "--interactive", name, ENTRY, "check", "--json", "-", stdin=message)
    return '"found":true' in answers.replace(" ", "")


def offer(message, address):
    """The SMTP code a message ends with."""
    with smtplib.SMTP(address, 25, "client.example.net", timeout=60) as client:
        try:
            client.sendmail("sender@example.net", ["root@mx.example.org"], message)
        except smtplib.SMTPDataError as refused:
            return refused.smtp_code
    return 250


# ---- the steps, in this order ------------------------------------------------------------------------------

def both_stages_are_built(given):
    options = () if given.compile else (f"--volume={given.program.parent}:/built:ro",
                                        "--build-arg=SHINGLED_BINARY=/built/shingled")
    podman("build", *BUILD, *options, "--file", SOURCE / "packaging/Dockerfile", "--tag", "shingled", SOURCE,
           seconds=3600 if given.compile else 600)
    size, base_size = (inspect("image", name, "Size") >> 20 for name in ("shingled", BASES[1]))
    print(f"        the image has {size - base_size} MiB more than its base")


def the_image_says_how_it_is_to_be_run(_):
    image = json.loads(podman("image", "inspect", "shingled"))[0]
    settings = image["Config"]
    check(settings["User"] == "_shingled", settings["User"])
    check(settings["Entrypoint"] == [ENTRY] and settings["Cmd"] == ["run"], str(settings))
    check(set(settings["ExposedPorts"]) == {"11339/tcp", "11335/tcp", "11335/udp"}, str(settings["ExposedPorts"]))
    check(list(settings["Volumes"]) == ["/var/lib/shingled"] and settings["StopSignal"] == "SIGTERM", str(settings))
    check(image["Healthcheck"]["Test"] == ["CMD", ENTRY, "ping"], str(image["Healthcheck"]))
    left = podman("run", "--rm", "--network=none", "--entrypoint=sh", "shingled", "-c",
                  "ls -d /package /source /var/lib/apt/lists/* /usr/bin/systemctl /usr/bin/gcc 2>/dev/null; true")
    check(left == "", f"nothing of the build is in it: {left}")


def it_runs_locked_up_and_becomes_healthy(_):
    start("one", *LOCKED, "--env=SHINGLED_MILTER__ACTIONS__REJECT=9", "--env=SHINGLED_PORT=tcp://x")
    wait_until(lambda: healthy("one"), 60, "the health check succeeds")
    pid = inspect("container", "one", "State.Pid")
    status = dict(line.split(":\t", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    check(status["Name"] == "shingled", f"the first process is the daemon itself: {status['Name']}")
    check(status["Uid"].split()[0] != "0" and status["Gid"].split()[0] != "0", f"not root: {status['Uid']}")
    check(int(status["CapEff"], 16) == 0 and status["NoNewPrivs"] == "1", "no capabilities")
    check("milter=inet:11339@0.0.0.0" in logs("one") and "storage=0.0.0.0:11335" in logs("one"), logs("one"))
    said = podman("exec", "one", ENTRY, "config", "explain", "milter.actions.reject")
    check("milter.actions.reject=9 " in said, f"the variable is a setting: {said}")


def a_daemon_that_does_not_answer_is_unhealthy(_):
    start("idle", "--network=none", "--entrypoint=sleep", command=("1000",))
    check(not healthy("idle"), "nobody answers")
    podman("rm", "--force", "--time=0", "idle")


def what_was_taught_is_known_to_a_new_container(_):
    check(not found("one", OFFER_AGAIN), "it is not known before")
    teach(OFFER, "one", "--weight=20")
    check(found("one", OFFER_AGAIN), "it is known")
    stop("one")
    podman("rm", "one")
    start("two", *LOCKED)
    wait_until(lambda: healthy("two"), 60, "the health check succeeds")
    check(found("two", OFFER_AGAIN) and not found("two", LETTER), "the volume keeps it")
    stop("two")


def a_wrong_setting_ends_it_with_the_reason(_):
    code, said = run("podman", "run", "--rm", "--network=none", "--env=SHINGLED_MILTER__NO_SUCH_KEY=1", "shingled",
                     succeed=False)
    check(code == 78 and "no_such_key" in said, f"exit code {code}\n{said}")


def a_file_instead_of_variables(given):
    file = given.work / "shingled.yaml"
    file.write_text("milter: {actions: {reject: 7}}\n")
    file.chmod(0o644)
    mounted = ("podman", "run", "--rm", "--network=none", f"--volume={file}:/etc/shingled/shingled.yaml:ro")
    said = run(*mounted, "shingled", "config", "explain", "milter.actions.reject")[1]
    check("milter.actions.reject=7 " in said, said)
    said = run(*mounted, "--env=SHINGLED_MILTER__ACTIONS__REJECT=8", "shingled", "config", "explain",
               "milter.actions.reject")[1]
    check("milter.actions.reject=8 " in said, f"a variable is stronger: {said}")
    run(*mounted, "shingled", "shingled", "--version")


def compose_builds_and_starts_both(given):
    run("podman", "rm", "--all", "--force", "--time=0")
    podman("tag", "shingled", "localhost/life_shingled")
    compose("--podman-build-args", " ".join(BUILD), "build", "postfix", seconds=600)
    compose("up", "--detach", "--no-build")
    wait_until(lambda: healthy("life_shingled_1"), 60, "the filter is healthy")
    given.address = "127.0.0.1"
    wait_until(lambda: answers(given.address), 60, "Postfix answers at the published port")


def answers(address):
    with socket.socket() as probe:
        if probe.connect_ex((address, 25)) != 0:
            return False
        probe.settimeout(30)
        return probe.recv(4) == b"220 "


def mail_through_postfix_is_rejected_once_taught(given):
    with smtplib.SMTP(given.address, 25, "client.example.net", timeout=60) as client:
        name = client.docmd("noop") and client.ehlo()[1].split()[0].decode()
    check(name == "mx.example.org", f"Postfix has the name of its container: {name}")
    check(offer(OFFER_AGAIN, given.address) == 250, "an unknown message passes")
    check(offer(LETTER, given.address) == 250, "a letter passes")
    wait_until(lambda: logs("life_shingled_1").count("queue_id=") == 2, 30, "both went through the filter")
    # The line of the comment of compose.yaml, for another tool.
    line = next(line for line in COMPOSE.read_text().splitlines() if " exec -T shingled " in line)
    words = line.split(" exec ", 1)[1].split(" < ")[0].split()
    compose("exec", *words, stdin=OFFER)
    check(offer(OFFER_AGAIN, given.address) == 550, "what is like a taught one is rejected")
    check(offer(LETTER, given.address) == 250, "the letter passes")
    logged = logs("life_postfix_1")
    check("status=sent (delivered to mailbox)" in logged, logged)
    for word in ("warning:", "error:", "fatal:"):
        check(word not in logged, logged)


def mail_passes_while_the_filter_is_away_and_it_comes_back(given):
    compose("stop", "--timeout=60", "shingled")
    check(offer(OFFER_AGAIN, given.address) == 250, "mail passes without the filter")
    compose("start", "shingled")
    wait_until(lambda: healthy("life_shingled_1"), 60, "the filter is healthy")
    wait_until(lambda: offer(OFFER_AGAIN, given.address) == 550, 30, "it knows what it knew")


def compose_down_ends_both_and_keeps_the_volumes(given):
    pids = [inspect("container", f"life_{name}_1", "State.Pid") for name in ("shingled", "postfix")]
    check(all(pids), str(pids))
    compose("stop", "--timeout=60")
    for name in ("shingled", "postfix"):
        code = inspect("container", f"life_{name}_1", "State.ExitCode")
        check(code == 0, f"{name} ends with exit code {code}\n{logs(f'life_{name}_1')}")
    compose("down")
    check(podman("ps", "--all", "--quiet") == "", podman("ps", "--all"))
    volumes = podman("volume", "ls", "--quiet").split()
    check({"life_shingled", "life_queue", "life_mail"} <= set(volumes), str(volumes))


STEPS = (
    both_stages_are_built, the_image_says_how_it_is_to_be_run, it_runs_locked_up_and_becomes_healthy,
    a_daemon_that_does_not_answer_is_unhealthy, what_was_taught_is_known_to_a_new_container,
    a_wrong_setting_ends_it_with_the_reason, a_file_instead_of_variables, compose_builds_and_starts_both,
    mail_through_postfix_is_rejected_once_taught, mail_passes_while_the_filter_is_away_and_it_comes_back,
    compose_down_ends_both_and_keeps_the_volumes)


# ---- a podman of our own -----------------------------------------------------------------------------------

def unavailable(reason):
    print(f"container_test.py: {reason}", file=sys.stderr)
    sys.exit(UNAVAILABLE)


def own_namespaces():
    """Starts this script once more where mounts, networks, filter rules and processes are its own, and end with it."""
    if os.environ.get("SHINGLED_INSIDE") == "yes":
        return
    missing = [tool for tool in TOOLS if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    if os.geteuid() != 0 or missing:
        unavailable("needs " + (", ".join(missing) or "root"))
    inside = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if subprocess.run([*inside, "true"], capture_output=True).returncode != 0:
        unavailable("unshare: no namespaces can be made here")
    os.environ["SHINGLED_INSIDE"] = "yes"
    os.execvp("unshare", [*inside, sys.executable, __file__, *sys.argv[1:]])


def own_podman(work, store):
    """Its files are in `store`, what is true only while it runs in a /run that is ours."""
    for folder in ("/run", "/dev/shm"):
        run("mount", "-t", "tmpfs", "tmpfs", folder)
    run("ip", "link", "set", "lo", "up")
    resolver = work / "resolv.conf"
    resolver.write_text("# Nobody is asked.\n")
    run("mount", "--bind", resolver, "/etc/resolv.conf")
    # Without CAP_SYS_RESOURCE podman's own limits would be too high to be set.
    files, processes = (resource.getrlimit(which)[1] for which in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC))
    limit = lambda most, value: most if value == resource.RLIM_INFINITY else min(most, value)
    files, processes = limit(65536, files), limit(4096, processes)
    (work / "containers.conf").write_text(
        f'[containers]\ndefault_ulimits = ["nofile=1024:{files}", "nproc={processes}:{processes}"]\n'
        '[network]\nnetwork_backend = "netavark"\nnetwork_config_dir = "/run/networks"\n'
        '[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n')
    (work / "storage.conf").write_text(
        f'[storage]\ndriver = "overlay"\ngraphroot = "{store}"\nrunroot = "/run/containers"\n')
    os.environ.update(CONTAINERS_CONF=str(work / "containers.conf"), CONTAINERS_STORAGE_CONF=str(work / "storage.conf"),
                      TMPDIR=str(work), BUILDAH_FORMAT="docker", DISABLE_HC_SYSTEMD="true",
                      PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")


def clean():
    """No container, volume, network and image but the base is left, also after a run that was killed."""
    podman("rm", "--all", "--force", "--time=0")
    podman("volume", "rm", "--all", "--force")
    podman("network", "prune", "--force")
    others = [image["Id"] for image in json.loads(podman("images", "--all", "--format=json"))
              if not set(image.get("Names") or ()) & set(BASES)]
    if others:
        podman("rmi", "--force", *others, succeed=False)
    for folder in (*CGROUPS.glob("*/libpod_parent/conmon"), *CGROUPS.glob("*/libpod_parent")):
        with contextlib.suppress(OSError):  # somebody else's containers
            folder.rmdir()


def base(tar, store):
    """Imports the Debian, unless it was kept."""
    made = store.parent / f"{store.name}.made"
    if not made.exists() or made.read_text() != tar.name:
        made.unlink(missing_ok=True)
        shutil.rmtree(store, ignore_errors=True)
        podman("import", tar, BASES[0])
        podman("tag", *BASES)
        made.write_text(tar.name)


def trial():
    """Whether containers run here; podman's own words if not."""
    podman("network", "create", "trial")
    podman("run", "--rm", "--network=trial", "--publish=2525:25", "debian:bookworm-slim", "true")
    podman("network", "rm", "trial")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("package", type=pathlib.Path)
    parser.add_argument("debian", type=pathlib.Path)
    given = parser.parse_args()
    own_namespaces()
    store = given.debian.resolve().parent / "containers"
    with open(f"{store}.lock", "w") as lock, tempfile.TemporaryDirectory(prefix="shingled-container-", dir="/var/tmp") as work:
        fcntl.flock(lock, fcntl.LOCK_EX)
        given.work = pathlib.Path(work)
        given.program = given.work / "built/shingled"
        given.program.parent.mkdir()
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", given.package], stdout=subprocess.PIPE) as unpacked:
            given.program.write_bytes(subprocess.check_output(["tar", "-xO", "./usr/bin/shingled"], stdin=unpacked.stdout))
        given.program.chmod(0o755)
        own_podman(given.work, store)
        try:
            base(given.debian, store)
            clean()
            trial()
        except AssertionError as reason:
            unavailable(f"podman cannot run containers here: {reason}")
        return steps(given)


def steps(given):
    try:
        for step in STEPS:
            name, begin = step.__name__.replace("_", " "), time.monotonic()
            try:
                step(given)
            except Exception:  # the next ones need it
                print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
                return 1
            print(f"ok      {name} ({time.monotonic() - begin:.0f} s)", flush=True)
        print("all steps are as they must be", flush=True)
        return 0
    finally:
        clean()


if __name__ == "__main__":
    sys.exit(main())
