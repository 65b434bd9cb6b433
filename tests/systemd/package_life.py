#!/usr/bin/env python3
"""What packaging/package_test.sh tries inside its Debian: the life of the Debian package, from apt install to purge, with
Postfix and Dovecot as Debian ships them. Each step is a function, said with "ok" or "FAILED" and why; a step needs the
ones before it."""

import contextlib
import grp
import imaplib
import json
import os
import pathlib
import pwd
import re
import shutil
import smtplib
import stat
import subprocess
import sys
import time
import traceback

from life import (CONFIGURATION, LETTER, OFFER, OFFER_AGAIN, MAILBOX, STATE, answers, check, delivered, offer, run, show,
                  wait_until)

PACKAGES = pathlib.Path("/usr/local/share/packages")
DOVECOT = pathlib.Path("/etc/dovecot/conf.d/95-shingled.conf")  # made by `shingled setup dovecot --apply`
SCRIPTS = pathlib.Path("/var/cache/shingled/dovecot")
SPOOL = pathlib.Path("/var/spool/shingled")
APT = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "-qq", "--no-install-recommends",
       "-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold")


def apt(*arguments):
    return run(*APT, *arguments)[1]


def version():
    return run("dpkg-query", "-W", "-f", "${Version}", "shingled")[1]


def ours():
    """Every path of this system that has our name, but for what the test brought, what dpkg and the journal keep, and the
    administrator's copies of settings of Postfix."""
    found = run("find", "/", "-xdev", "-iname", "*shingled*", "-not", "-path", "/proc/*", "-not", "-path", "/sys/*",
                succeed=False)[1].split()
    others = ("/var/cache/apt/", "/var/log/apt/", "/usr/local/", "/etc/postfix/main.cf.shingled-")
    return sorted(path for path in found if not path.startswith(others))


def rights(path, owner, group, mode):
    info = pathlib.Path(path).stat()
    found = (pwd.getpwuid(info.st_uid).pw_name, grp.getgrgid(info.st_gid).gr_name, f"{stat.S_IMODE(info.st_mode):o}")
    check(found == (owner, group, f"{mode:o}"), f"{path} is {found}")


@contextlib.contextmanager
def imap():
    client = imaplib.IMAP4("127.0.0.1", timeout=60)
    try:
        done(client.login("alice", "secret"))
        yield client
    finally:
        client.logout()


def done(answer):
    check(answer[0] == "OK", f"the IMAP server: {answer}")
    return answer[1]


def move_newest(origin, target):
    """Moves the newest message of a mailbox, as mail programs do."""
    with imap() as client:
        count = done(client.select(origin))[0].decode()
        done(client._simple_command("MOVE", count, target))  # imaplib has only UID MOVE


def forget(message):
    run("shingled", "del", "--flag", "denied", "--matching", stdin=message)


def timer_fired():
    return run("systemctl", "show", "-P", "LastTriggerUSec", "shingled-reports.timer")[1]


def waiting():
    return sorted(SPOOL.glob("*.report"))


# ---- the steps, in this order ------------------------------------------------------------------------------

def a_debian_without_compiler_and_without_us():
    check(not any(shutil.which(name) for name in ("cc", "gcc", "g++", "clang", "make", "cmake")), "there is no compiler")
    check(not ours(), f"nothing of ours is here: {ours()}")
    run("useradd", "-m", "alice")
    run("chpasswd", stdin=b"alice:secret")


def apt_installs_it_and_it_serves():
    apt("install", str(PACKAGES / "new.deb"))
    wait_until(lambda: show("ActiveState") == "active", 60, "the service starts by itself")
    check(show("User") == "_shingled" and show("Type") == "notify", "as its user, with readiness")
    check(run("systemctl", "is-enabled", "shingled")[1].strip() == "enabled", "also after the next boot")
    run("shingled", "ping")
    check("failed" not in run("systemctl", "--failed", "--no-legend", "--plain")[1], "no unit failed")


def the_rights_of_files():
    rights("/usr/bin/shingled", "root", "root", 0o755)
    rights("/etc/shingled", "root", "root", 0o755)
    rights("/etc/shingled/shingled.yaml", "root", "_shingled", 0o640)
    rights("/etc/shingled/policy.yaml", "root", "root", 0o644)
    rights("/var/lib/shingled", "_shingled", "_shingled", 0o750)
    rights("/var/log/shingled", "_shingled", "_shingled", 0o750)
    rights("/var/lib/shingled/counters/key", "_shingled", "_shingled", 0o600)
    rights("/var/spool/postfix/shingled", "_shingled", "postfix", 0o2710)
    for path in STATE.rglob("*"):
        check(path.stat().st_mode & 0o007 == 0, f"{path} is nobody else's")
    account = pwd.getpwnam("_shingled")
    check(account.pw_uid < 1000 and account.pw_shell.endswith("nologin"), str(account))


def what_tools_of_systemd_and_logrotate_say():
    said = run("systemd-analyze", "security", "--no-pager", "--threshold=14", "shingled")[1]
    print("        " + re.search(r"Overall exposure level.*?: ([0-9.]+)", said)[0])
    said = run("systemd-analyze", "verify", "--man=no", "shingled.service")[1]
    check("shingled" not in said, said)


def the_profile_of_apparmor():
    check(pathlib.Path("/etc/apparmor.d/shingled").exists(), "it is installed")
    if pathlib.Path("/sys/module/apparmor/parameters/enabled").exists():
        attached = pathlib.Path(f"/proc/{show('MainPID')}/attr/current").read_text().strip()
        check(attached == "/usr/bin/shingled (enforce)" or attached == "shingled (enforce)", f"enforced: '{attached}'")
    else:
        print("        not enforced: this kernel has no AppArmor; e2e.install has its parser read it")


def entries(*which):
    """What the journal has, with the fields of each line."""
    run("journalctl", "--sync")
    said = run("journalctl", "-b", "-o", "json", "--no-pager", *which)[1]
    return [json.loads(line) for line in said.splitlines() if line.startswith("{")]


def lines_have_levels_and_the_facility_mail():
    def started(found):
        return {(one.get("SYSLOG_FACILITY"), one["PRIORITY"]) for one in found if "started " in str(one["MESSAGE"])
                and "milter=" in str(one["MESSAGE"])}

    check(started(entries("-u", "shingled")) == {("2", "6")}, "in the journal")
    settings = CONFIGURATION.read_text()
    CONFIGURATION.write_text(settings + "daemon: {syslog: local3}\n")
    run("systemctl", "restart", "shingled")
    sent = entries("_TRANSPORT=syslog", "SYSLOG_IDENTIFIER=shingled")
    check(started(sent) == {("19", "6")}, f"as syslog: {sent}")
    check({one["SYSLOG_PID"] for one in sent} == {show("MainPID")}, "with its number")
    CONFIGURATION.write_text(settings)
    run("systemctl", "restart", "shingled")


def a_deleted_configuration_stays_deleted_until_it_is_wanted():
    CONFIGURATION.unlink()
    check(run("systemctl", "restart", "shingled", succeed=False)[0] != 0, "nobody chose other settings")
    check(any(str(CONFIGURATION) in str(one["MESSAGE"]) for one in entries("-u", "shingled", "-p", "err")), "it says why")
    apt("install", "--reinstall", "-o", "Dpkg::Options::=--force-confmiss", str(PACKAGES / "new.deb"))
    rights(CONFIGURATION, "root", "_shingled", 0o640)
    wait_until(lambda: show("ActiveState") == "active", 60, "it serves again")
    run("dpkg-reconfigure", "shingled")
    wait_until(lambda: show("ActiveState") == "active", 60, "it serves still")
    check(run("dpkg", "--verify", "shingled")[1] == "", "each file is as in the package")


def data_in_another_place():
    place = pathlib.Path("/srv/fuzzy")
    place.mkdir()
    shutil.chown(place, "_shingled", "_shingled")
    dropin = pathlib.Path("/etc/systemd/system/shingled.service.d/place.conf")
    dropin.parent.mkdir()
    dropin.write_text(f"[Service]\nReadWritePaths={place}\n")
    settings = CONFIGURATION.read_text()
    CONFIGURATION.write_text(settings.replace("\nstorage:\n", f"\nstorage:\n  hashfile: {place}/fuzzy.db\n"))
    run("systemctl", "daemon-reload")
    run("systemctl", "restart", "shingled")
    run("shingled", "ping")
    check((place / "fuzzy.db").exists(), "the database is there")
    CONFIGURATION.write_text(settings)
    shutil.rmtree(dropin.parent)
    run("systemctl", "daemon-reload")
    run("systemctl", "restart", "shingled")


def attach_postfix():
    print("        " + run("shingled", "setup", "postfix", "--apply")[1].strip().replace("\n", "\n        "))
    check("11339" in run("postconf", "-h", "smtpd_milters")[1], "Postfix has the milter")
    run("postconf", "-e", "disable_dns_lookups = yes", "biff = no")
    run("systemctl", "restart", "postfix")
    wait_until(lambda: answers(25), 60, "Postfix answers")


def postfix_and_dovecot_attached():
    attach_postfix()
    print("        " + run("shingled", "setup", "dovecot", "--apply")[1].strip().replace("\n", "\n        "))
    run("doveadm", "reload")
    check(run("shingled", "setup", "dovecot", "--check", succeed=False)[0] == 0, "nothing is left to do")
    run("systemctl", "enable", "--now", "shingled-reports.timer")
    with imap() as client:
        for mailbox in ("Junk", "Trash"):
            done(client.create(mailbox))


def a_message_passes_and_a_move_into_junk_has_what_is_like_it_rejected():
    settings = CONFIGURATION.read_text()
    for ours, theirs in (("add_header: 4", "add_header: -100"),  # every message has the headers
                         ("  # trusted_reporters: [postmaster@example.org]\n  # trusted_weight: 2",
                          "  trusted_reporters: [alice]\n  trusted_weight: 5")):  # as those who reject together
        check(ours in settings, f"the shipped settings have '{ours}'")
        settings = settings.replace(ours, theirs)
    CONFIGURATION.write_text(settings)
    run("systemctl", "reload", "shingled")
    before = delivered()
    check(offer(OFFER_AGAIN) == 250, "an unknown message passes")
    wait_until(lambda: delivered() == before + 1, 60, "it is delivered")
    check(b"\nX-Spam: Yes" in MAILBOX.read_bytes(), "with a header:\n" + MAILBOX.read_text()[:1000])
    begin = time.monotonic()
    move_newest("INBOX", "Junk")
    wait_until(lambda: offer(OFFER) == 550, 60, "what is like it is rejected")
    print(f"        from the move in Dovecot to the rejection by Postfix: {time.monotonic() - begin:.2f} s")
    check(offer(LETTER) == 250, "a letter passes")


def a_move_out_of_junk_takes_it_back():
    move_newest("Junk", "INBOX")
    wait_until(lambda: offer(OFFER) == 250, 60, "what is like it passes again")


def reports_wait_for_the_daemon_and_the_timer_delivers_them():
    often = pathlib.Path("/etc/systemd/system/shingled-reports.timer.d/often.conf")
    often.parent.mkdir()
    often.write_text("[Timer]\nOnCalendar=\nOnCalendar=*:*:*\nAccuracySec=1ms\n")
    run("systemctl", "daemon-reload")
    run("systemctl", "restart", "shingled-reports.timer")
    triggered = timer_fired()
    wait_until(lambda: timer_fired() != triggered, 60, "it comes again though it had nothing to do")
    check("shingled-reports.service" not in run("journalctl", "-b", "--no-pager")[1], "and the journal has nothing of it")
    run("systemctl", "stop", "shingled")
    move_newest("INBOX", "Junk")
    check(len(waiting()) == 1 and waiting()[0].owner() == "alice", f"it waits in the spool: {waiting()}")
    run("systemctl", "start", "shingled")
    wait_until(lambda: not waiting(), 60, "the timer delivers it")
    check(offer(OFFER) == 550, "it counts")
    check("shingled-reports" not in run("systemctl", "--failed", "--no-legend", "--plain")[1], "it never failed")
    forget(OFFER_AGAIN)


def mail_in_progress_outlives_a_restart():
    before = delivered()
    with smtplib.SMTP("127.0.0.1", 25, "client.example.net", timeout=60) as client:
        client.ehlo()
        client.mail("sender@example.net")
        client.rcpt("alice@localhost")
        check(client.docmd("DATA")[0] == 354, "the message may come")
        with subprocess.Popen(("systemctl", "restart", "shingled")) as restart:
            wait_until(lambda: show("ActiveState") == "deactivating", 30, "it is told to end")
            client.send(LETTER.replace(b"\n", b"\r\n") + b"\r\n.\r\n")
            check(client.getreply()[0] == 250, "the message is taken")
        check(restart.returncode == 0, "and the daemon is new")
    wait_until(lambda: delivered() == before + 1, 60, "the message is delivered")


def what_is_taught_by_hand_is_rejected():
    check(offer(OFFER_AGAIN) == 250, "nothing is known of it any more")
    run("shingled", "add", "--flag", "denied", "--weight", "20", stdin=OFFER)
    check(offer(OFFER_AGAIN) == 550, "what is like a taught one is rejected")
    check(offer(LETTER) == 250, "a letter passes")


def removal_keeps_data_and_mail_passes():
    apt("remove", "shingled")
    check(not any(os.path.lexists(f"/usr/{folder}/shingled") for folder in ("bin", "sbin")), "the program is gone")
    check((STATE / "fuzzy.db").exists() and CONFIGURATION.exists(), "data and settings are not")
    check(offer(OFFER_AGAIN) == 250, "without the daemon mail passes (milter_default_action)")
    move_newest("INBOX", "Trash")
    move_newest("Trash", "Junk")  # without the scripts that its settings name, Dovecot moves mail
    apt("install", str(PACKAGES / "new.deb"))
    wait_until(lambda: show("ActiveState") == "active", 60, "installed again, it starts")
    check(offer(OFFER_AGAIN) == 550, "and knows what it knew")
    check(len(list(SCRIPTS.glob("*.svbin"))) == 3, "Dovecot's scripts are compiled again")
    check("right" in run("shingled", "setup", "dovecot", "--check")[1], "and nothing is left to do")


def purge():
    run("postconf", "-X", "smtpd_milters", "non_smtpd_milters")
    run("systemctl", "reload", "postfix")
    apt("purge", "shingled")
    check(not ours(), "left behind: " + " ".join(ours()))
    check(run("dpkg-query", "-W", "shingled", succeed=False)[0] != 0, "dpkg has forgotten it")
    check(pwd.getpwnam("_shingled").pw_dir == str(STATE), "the account stays, as Debian's accounts do")
    check("shingled" not in run("systemctl", "--failed", "--no-legend", "--plain")[1], "no unit failed")


def purge_leaves_nothing():
    DOVECOT.unlink()
    run("doveadm", "reload")
    shutil.rmtree("/etc/systemd/system/shingled-reports.timer.d")
    purge()


def an_upgrade_keeps_data_and_changed_settings():
    apt("install", str(PACKAGES / "old.deb"))
    check(version() == "0.0.9", version())
    attach_postfix()
    CONFIGURATION.write_text(CONFIGURATION.read_text().replace("add_header: 4", "add_header: 3"))
    CONFIGURATION.chmod(0o600)
    shutil.chown(CONFIGURATION, "_shingled", "root")
    settings = CONFIGURATION.read_text()
    check("0.0.9" in settings and "add_header: 3" in settings, "the settings of the older version, changed")
    run("systemctl", "reload", "shingled")
    run("shingled", "add", "--flag", "denied", "--weight", "20", stdin=OFFER)
    before = show("MainPID")
    apt("install", str(PACKAGES / "new.deb"))
    check(version() != "0.0.9", version())
    check(CONFIGURATION.read_text() == settings, "the settings stay")
    rights(CONFIGURATION, "_shingled", "root", 0o600)
    wait_until(lambda: show("ActiveState") == "active" and show("MainPID") not in ("0", before), 60, "it was started anew")
    check(offer(OFFER_AGAIN) == 550, "what it knew it knows")
    check(offer(LETTER) == 250, "a letter passes")
    purge()


STEPS = (a_debian_without_compiler_and_without_us, apt_installs_it_and_it_serves, the_rights_of_files,
         what_tools_of_systemd_and_logrotate_say, the_profile_of_apparmor,
         lines_have_levels_and_the_facility_mail, a_deleted_configuration_stays_deleted_until_it_is_wanted,
         data_in_another_place, postfix_and_dovecot_attached, a_message_passes_and_a_move_into_junk_has_what_is_like_it_rejected,
         a_move_out_of_junk_takes_it_back, reports_wait_for_the_daemon_and_the_timer_delivers_them,
         mail_in_progress_outlives_a_restart, what_is_taught_by_hand_is_rejected,
         removal_keeps_data_and_mail_passes, purge_leaves_nothing, an_upgrade_keeps_data_and_changed_settings)


def main():
    for step in STEPS:
        name = step.__name__.replace("_", " ")
        try:
            step()
            print(f"ok      {name}", flush=True)
        except (Exception, subprocess.TimeoutExpired, smtplib.SMTPException):  # said, then the end
            print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
            print(run("journalctl", "-b", "-n", "60", "--no-pager", succeed=False)[1], flush=True)
            return 1
    print("all steps are as they must be", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
