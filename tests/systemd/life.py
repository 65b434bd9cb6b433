#!/usr/bin/env python3
"""What tests/systemd/run.sh tries inside its Debian: every step is a function, said with "ok" or "FAILED" and why. A
step that fails does not keep the others from being tried."""

import grp
import pathlib
import pwd
import shutil
import smtplib
import socket
import stat
import subprocess
import sys
import time
import traceback

STATE = pathlib.Path("/var/lib/shingled")
CONFIGURATION = pathlib.Path("/etc/shingled/shingled.yaml")
SAMPLES = pathlib.Path("/usr/local/share/samples")
SOCKET = pathlib.Path("/var/spool/postfix/shingled/milter.sock")
DROP_IN = pathlib.Path("/etc/systemd/system/shingled.service.d/socket-group.conf")
EXAMPLES = pathlib.Path("/usr/share/doc/shingled/examples")
MAILBOX = pathlib.Path("/var/mail/alice")
OFFER = (SAMPLES / "1-offer.eml").read_bytes()
OFFER_AGAIN = (SAMPLES / "2-offer-again.eml").read_bytes()
LETTER = (SAMPLES / "3-letter.eml").read_bytes()

FEED = "rules: {feed: {servers: fuzzy.nowhere.example}, local: {}}\n"
UNIX = f"milter: {{socket: 'unix:{SOCKET}'}}\n"
INET = "milter: {socket: 'inet:11339@127.0.0.1'}\n"
GROUP = "milter: {socket: 'unix:/run/shingled/milter.sock', socket_group: postfix}\n"


def run(*command, stdin=b"", succeed=True):
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=120)
    text = done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")
    if succeed and done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: exit code {done.returncode}\n{text}")
    return done.returncode, text


def check(holds, what):
    if not holds:
        raise AssertionError(what)


def wait_until(condition, seconds, what):
    deadline = time.monotonic() + seconds
    while not condition():
        check(time.monotonic() < deadline, f"not within {seconds} s: {what}")
        time.sleep(0.05)


def show(name):
    return run("systemctl", "show", "-P", name, "shingled")[1].strip()


def journal(*arguments):
    return run("journalctl", "-b", "-o", "cat", "--no-pager", "-u", "shingled", *arguments, succeed=False)[1]


def now():
    """Where the journal is. (A cursor would be exact, but with it journalctl 252 leaves out the first line of a unit.)"""
    return f"@{time.time():.6f}"


def since(mark, *arguments):
    run("journalctl", "--sync")
    return journal(f"--since={mark}", *arguments)


def configure(text):
    """Settings of ours for the daemon, started anew; Postfix has it where it then listens."""
    CONFIGURATION.write_text(text)
    run("systemctl", "reset-failed", "shingled", succeed=False)
    run("systemctl", "restart", "shingled")


def attach(milter):
    for name in ("smtpd_milters", "non_smtpd_milters"):
        run("postconf", "-e", f"{name} = {milter}")
    # Without the milter mail is put off, so that what passes went through it.
    run("postconf", "-e", "milter_default_action = tempfail", "disable_dns_lookups = yes", "biff = no")
    run("systemctl", "restart", "postfix")
    wait_until(lambda: answers(25), 60, "Postfix answers")


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def offer(message):
    """The SMTP code a message ends with."""
    with smtplib.SMTP("127.0.0.1", 25, "client.example.net", timeout=60) as client:
        try:
            client.sendmail("sender@example.net", ["alice@localhost"], message)
        except smtplib.SMTPDataError as refused:
            return refused.smtp_code
    return 250


def delivered():
    return MAILBOX.read_bytes().count(b"\nMessage-ID:") if MAILBOX.exists() else 0


def passes_is_taught_rejected_and_taken_back():
    mark = now()
    before = delivered()
    check(offer(OFFER_AGAIN) == 250, "an unknown message passes")
    check(offer(LETTER) == 250, "a letter passes")
    wait_until(lambda: delivered() == before + 2, 60, "both are delivered")
    check(since(mark).count("queue_id=") == 2, "both went through the milter:\n" + since(mark))
    run("shingled", "add", "--rule", "local", "--flag", "denied", "--weight", "20", stdin=OFFER)
    check(offer(OFFER_AGAIN) == 550, "what is like a taught one is rejected")
    check(offer(LETTER) == 250, "the letter passes")
    run("shingled", "del", "--rule", "local", "--flag", "denied", stdin=OFFER)
    check(offer(OFFER_AGAIN) == 250, "taken back, it passes again")


# ---- the steps, in this order ------------------------------------------------------------------------------

def started_without_network_and_with_a_server_that_does_not_resolve():
    wait_until(lambda: show("ActiveState") == "active", 60, "the shipped configuration starts")
    check([name for _, name in socket.if_nameindex()] == ["lo"], "there is no network")
    CONFIGURATION.write_text(UNIX + FEED)
    mark = now()
    run("systemctl", "restart", "--no-block", "shingled")
    wait_until(lambda: "Starting" in since(mark), 60, "it starts anew")
    wait_until(lambda: show("SubState") not in ("start-pre", "start"), 60, "the first start is over")
    check(show("ActiveState") == "active", "the daemon serves:\n" + since(mark))


def unix_socket_in_the_chroot():
    info = SOCKET.stat()
    check(stat.S_ISSOCK(info.st_mode) and stat.S_IMODE(info.st_mode) == 0o660, f"mode {info.st_mode:o}")
    check(grp.getgrgid(info.st_gid).gr_name == "postfix", "the group of the socket is Postfix's")
    check(pwd.getpwuid(info.st_uid).pw_name == "_shingled", "its owner is the daemon")
    service = [line.split() for line in run("postconf", "-M", "smtp/inet")[1].splitlines()][0]
    check(service[4] == "y", "Debian's smtpd is in a chroot")
    attach("unix:shingled/milter.sock")
    passes_is_taught_rejected_and_taken_back()


def mail_of_local_programs_goes_through_it():
    mark = now()
    run("sendmail", "-f", "bob@localhost", "alice@localhost", stdin=LETTER)
    wait_until(lambda: "queue_id=" in since(mark), 60, "non_smtpd_milters asks the milter")


def a_broken_file_fails_the_reload_and_the_old_goes_on():
    configure(UNIX)
    before = show("MainPID")
    right = CONFIGURATION.read_text()
    mark = now()
    CONFIGURATION.write_text(right + "storage: {no_such_key: 1}\n")
    code, _ = run("systemctl", "reload", "shingled", succeed=False)
    check(code != 0, "the reload fails")
    check("no_such_key" in since(mark, "-p", "warning"), "the journal says why, as an error:\n" + since(mark))
    check(show("MainPID") == before and show("ActiveState") == "active", "the daemon goes on")
    check(offer(LETTER) == 250, "mail passes")
    CONFIGURATION.write_text(right + "# changed\n")
    mark = now()
    run("systemctl", "reload", "shingled")
    wait_until(lambda: "reloaded" in since(mark), 30, "a right file is taken")
    check(since(mark, "-p", "warning") == "", "and nothing warns:\n" + since(mark, "-p", "warning"))


def the_journal_has_each_time_once():
    lines = [line for line in journal().splitlines() if " queue_id=" in line]
    check(lines and all(line.startswith("info ") for line in lines), "the level and no time:\n" + "\n".join(lines[:3]))
    check(journal("-p", "err").count("queue_id=") == 0, "messages are no errors")


def inet():
    configure(INET)
    attach("inet:127.0.0.1:11339")
    passes_is_taught_rejected_and_taken_back()


def socket_group_under_the_unit():
    run("usermod", "-a", "-G", "postfix", "_shingled")
    CONFIGURATION.write_text(GROUP)
    mark = now()
    check(run("systemctl", "restart", "shingled", succeed=False)[0] != 0, "the unit alone does not let it")
    check("Operation not permitted" in since(mark, "-p", "err"), "the journal says why:\n" + since(mark))
    DROP_IN.parent.mkdir(exist_ok=True)
    shutil.copy(EXAMPLES / "socket-group.conf", DROP_IN)
    run("systemctl", "daemon-reload")
    configure(GROUP)
    info = pathlib.Path("/run/shingled/milter.sock").stat()
    check(grp.getgrgid(info.st_gid).gr_name == "postfix", "milter.socket_group is obeyed")


def a_port_in_use_is_tried_again_and_a_wrong_file_is_not():
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", 11339))
        other.listen()
        CONFIGURATION.write_text(INET)
        mark = now()
        check(run("systemctl", "restart", "shingled", succeed=False)[0] != 0, "the start fails")
        check("11339" in since(mark, "-p", "err"), "the journal says why:\n" + since(mark))
        check(show("SubState") == "auto-restart", "and it will be tried again: " + show("SubState"))
    wait_until(lambda: show("ActiveState") == "active", 60, "as soon as the port is free")
    CONFIGURATION.write_text("milter: {no_such_key: 1}\n")
    mark = now()
    check(run("systemctl", "restart", "shingled", succeed=False)[0] != 0, "the start fails")
    check(show("ActiveState") == "failed", "and stays so: " + show("ActiveState"))
    check("no_such_key" in since(mark, "-p", "err"), "the journal says why:\n" + since(mark))


def what_root_imports_the_daemon_can_open():
    configure(INET)
    run("shingled", "add", "--flag", "denied", "--weight", "20", stdin=OFFER)
    run("shingled", "export", "/var/tmp/hashes.jsonl")
    run("systemctl", "stop", "shingled")
    for file in STATE.iterdir():
        shutil.rmtree(file) if file.is_dir() else file.unlink()
    run("shingled", "import", "/var/tmp/hashes.jsonl")
    run("systemctl", "start", "shingled")
    check(offer(OFFER_AGAIN) == 550, "what was imported is known")
    run("shingled", "del", "--flag", "denied", stdin=OFFER)
    check(offer(OFFER_AGAIN) == 250, "and can be changed")
    for file in STATE.rglob("*"):
        check(file.stat().st_mode & 0o007 == 0, f"{file} is nobody else's")


def counts_in_its_state_directory():
    configure(INET)
    check(offer(LETTER) == 250, "the letter passes")
    folder = STATE / "counters"
    check(pwd.getpwuid(folder.stat().st_uid).pw_name == "_shingled", "the daemon made the folder")
    check(stat.S_IMODE((folder / "key").stat().st_mode) == 0o600, "the key is the daemon's alone")
    check("counters_off" not in journal(), "it could always count")


def stops():
    mark = now()
    run("systemctl", "stop", "shingled")
    check(show("Result") == "success", "the stop succeeds: " + show("Result"))
    check("stopped" in since(mark), "it says so:\n" + since(mark))
    check(since(mark, "-p", "warning") == "", "nothing warns:\n" + since(mark, "-p", "warning"))
    check(not answers(11339), "nobody listens any more")


STEPS = (
    started_without_network_and_with_a_server_that_does_not_resolve, unix_socket_in_the_chroot,
    mail_of_local_programs_goes_through_it, the_journal_has_each_time_once,
    a_broken_file_fails_the_reload_and_the_old_goes_on, inet, socket_group_under_the_unit,
    a_port_in_use_is_tried_again_and_a_wrong_file_is_not, what_root_imports_the_daemon_can_open,
    counts_in_its_state_directory, stops)


def main():
    run("useradd", "-m", "alice")
    failed = 0
    for step in STEPS:
        name = step.__name__.replace("_", " ")
        try:
            step()
            print(f"ok      {name}", flush=True)
        except Exception:  # each step is tried
            failed += 1
            print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
            if step is STEPS[0]:
                configure(UNIX)  # the others without that server
    print(run("systemd-analyze", "security", "--no-pager", "shingled", succeed=False)[1].strip().splitlines()[-1])
    print(f"{failed} steps failed" if failed else "all steps are as they must be", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
