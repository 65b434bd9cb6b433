# Covers milter/page/page_routes.cpp, milter/api/messages/message_hashes.cpp.
"""The page in a real browser: every view at three widths, dark and light; every action, also by keyboard alone; what
strangers write and what attackers try; a daemon that restarts, errors of the API, a proxy with a prefix.

SHINGLED_PICTURES=FOLDER writes a picture of each view, and those of the README (packaging/pictures). SHINGLED_AXE=axe.min.js (npm pack axe-core) checks each view for
people who cannot see it well.
"""

import contextlib
import http.client
import http.server
import importlib.util
import json
import os
import pathlib
import re
import socket
import sys
import threading
import time
import unittest
import urllib.error
import urllib.request

if importlib.util.find_spec("selenium") is None and sys.executable != "/usr/bin/python3":
    os.execv("/usr/bin/python3", ["/usr/bin/python3", "-B", *sys.argv])  # Debian's has python3-selenium

import harness
import page_site
from page_site import OFFER_AGAIN, PASSWORD, SCRIPT, Site

HAS_SELENIUM = importlib.util.find_spec("selenium") is not None
if HAS_SELENIUM:
    import page_browser
    from page_browser import Browser
    from selenium.webdriver.common.keys import Keys

SECONDS = 30
PICTURES = os.environ.get("SHINGLED_PICTURES")
WIDTHS = (360, 768, 1440)
# Every width in both themes, instead of the narrowest in the light and the widest in the dark one.
THOROUGH = bool(PICTURES or os.environ.get("SHINGLED_AXE"))
VIEWS = ("now", "messages", "try", "cases", "counters", "rules", "hashes", "files", "limits", "model", "system")
# What a site cannot help: the canvas of a plot has its table beside it, and axe cannot see that.
AXE = """const [script, done] = arguments; (0, eval)(script);
axe.run(document, {resultTypes: ['violations']}).then((found) => done(found.violations.map((one) =>
  `${one.id} (${one.impact}): ${one.help}: ${one.nodes.slice(0, 3).map((node) => node.target.join(' ')).join('; ')}`)));"""


def ask(address, path, method="GET", headers=None, body=None):
    """The status, the header and the body of an answer."""
    request = urllib.request.Request(address + path, method=method, headers=headers or {}, data=body)
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as reply:
            return reply.status, reply.headers, reply.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


class Page(unittest.TestCase):
    overrides = ()
    letters = 40

    @classmethod
    def setUpClass(cls):
        reason = "no python3-selenium" if not HAS_SELENIUM else page_browser.missing()
        if reason:
            raise unittest.SkipTest(reason)
        cls.tmp = harness.temporary_folder(cls)
        cls.site = Site(cls.tmp, cls.overrides)
        cls.enterClassContext(cls.site)
        cls.prepare()
        cls.browser = cls.enterClassContext(Browser(cls.site.address))

    @classmethod
    def addCleanup(cls, *arguments, **options):
        cls.addClassCleanup(*arguments, **options)

    @classmethod
    def prepare(cls):
        cls.site.fill(cls.letters)

    def setUp(self):
        self.browser.size(1440)
        self.browser.theme("light")
        self.browser.complaints()
        self.browser.foreign()

    def is_clean(self, what=""):
        self.assertEqual([], self.browser.complaints(), what)
        self.assertEqual([], self.browser.foreign(), what)

    def api(self, path):
        status, _, body = ask(self.site.address, "api/1/" + path)
        self.assertEqual(200, status, body)
        return json.loads(body)

    def refused(self):
        return self.api("messages?action=reject&most=1")["messages"][0]

    def open_message(self, message):
        self.browser.open("#/messages/" + urllib.request.quote(message["id"], safe=""))


class Views(Page):
    letters = 150

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.site.spread()
        for number in range(600, 608):
            address, text = page_site.letter(number, links=number % 5)
            cls.site.send(text, address, [f"{page_site.PEOPLE[number % 5]}@example.org"])

    def views(self):
        message = urllib.request.quote(self.refused()["id"], safe="")
        case = self.api("cases")["cases"][0]["id"]
        more = [f"messages/{message}", "messages?sender=odd.example", f"cases/{case}", "rules/FILE_FROM_MANY", "rules?new",
                "counters?type=sender&piece=news@garden.example&space=in"]
        return [*VIEWS, *more]

    def test_every_view_at_every_width_in_both_themes(self):
        self.axe = page_browser.axe_script()
        for theme in ("light", "dark"):
            self.browser.theme(theme)
            for view in self.views():
                widths = WIDTHS if THOROUGH else WIDTHS[:1] if theme == "light" else WIDTHS[-1:]
                self.browser.size(widths[0])
                self.browser.open("#/" + view)
                for width in widths:
                    with self.subTest(view=view, theme=theme, width=width):
                        self.browser.size(width)
                        self.browser.settled()
                        self.looks_right(view, theme, width)
        if not self.axe:
            print("without axe-core: SHINGLED_AXE does not name it", file=sys.stderr)

    def looks_right(self, view, theme, width):
        self.is_clean(view)
        wide = self.browser.run("return document.documentElement.scrollWidth")
        self.assertLessEqual(wide, width, "nothing is wider than the window")
        for word in ("undefined", "[object", "NaN"):
            self.assertNotIn(word, self.browser.text())
        if PICTURES:
            name = re.sub(r"[^a-z]+", "-", view.split("?")[0].split("%40")[0].lower()).strip("-")
            name += "-of" if "?" in view or "/" in view else ""
            self.browser.shot(pathlib.Path(PICTURES) / f"{name}-{width}-{theme}.png")
        if self.axe and width != 768:
            self.assertEqual([], self.browser.driver.execute_async_script(AXE, self.axe))

    @unittest.skipUnless(PICTURES, "SHINGLED_PICTURES names no folder")
    def test_the_pictures_of_the_readme_are_made(self):
        self.browser.size(1080, 760)
        for name, view in (("now", "now"), ("message", "messages/" + urllib.request.quote(self.refused()["id"], safe=""))):
            self.browser.open("#/" + view)
            path = pathlib.Path(PICTURES) / f"{name}.webp"
            self.browser.shot(path, whole=False, form="webp")
            self.assertLess(path.stat().st_size, 80_000)

    def test_what_strangers_write_is_text(self):
        self.browser.open("#/messages?sender=odd.example")
        text = self.browser.text()
        self.assertIn(SCRIPT.lower(), text.lower())
        self.assertIn("U+202E", text, "a mark that turns the direction is shown as one")
        self.assertIn("more characters", text, "long texts are cut")
        for message in self.api("messages?sender=odd.example")["messages"]:
            self.open_message(message)
            self.assertIsNone(self.browser.run("return window.stolen ?? null"))
        self.is_clean()

    def test_a_search_finds_by_each_field(self):
        refused = self.refused()
        for field, part in (("sender", "harbour-savings"), ("recipient", "erin@"), ("subject", "instalments"),
                            ("symbol", "FUZZY_DENIED"), ("id", refused["queue_id"])):
            with self.subTest(field=field):
                self.browser.open("#/messages")
                self.browser.run("""const [field, part] = arguments; const form = document.querySelector('main form');
                    form.querySelector('select').value = field; form.querySelector('input').value = part;""", field, part)
                self.browser.press("Search", "main")
                self.browser.wait_for_text("lower instalments", "main table")
                other = "ann@example.org" if field == "recipient" else "garden.example"
                self.assertNotIn(other, self.browser.text("main table"))
        self.browser.open("#/messages?action=reject")
        self.assertIn("rejected", self.browser.text("main table"))
        self.assertNotIn("\npass", self.browser.text("main table"))
        self.is_clean()

    def test_a_table_stands_for_each_plot(self):
        self.browser.open("#/now")
        harness.wait_until(lambda: len(self.browser.all("main figure")) == 2, SECONDS, "both plots are there")
        for figure in self.browser.all("main figure"):
            figure.find_element("css selector", "summary").click()
        harness.wait_until(lambda: len(self.browser.all("main figure table tbody tr")) > 20, SECONDS, "the tables are there")

    def test_new_mail_appears_by_itself(self):
        self.browser.open("#/now")
        self.browser.wait_for_text("live", "#live")
        self.site.send(page_site.letter(5000, subject="Fresh from the press")[1], "ann@garden.example")
        self.browser.wait_for_text("Fresh from the press", "main table")
        self.browser.open("#/messages")
        self.browser.wait_for_text("live", "#live")
        self.site.send(page_site.letter(5001, subject="The second edition")[1], "ann@garden.example")
        self.browser.press("Show 1 new message")
        self.browser.wait_for_text("The second edition", "main table")
        self.is_clean()

    def test_it_is_small_and_quick(self):
        sizes = {}
        for name in re.findall(r'(?:href|src)="(page/[^"]+)"', self.served("")) + ["page/chart.js"]:
            sizes[name] = len(ask(self.site.address, name)[2])
        self.assertLess(sum(sizes.values()), 120 * 1024)
        self.browser.open("#/now")
        paint = self.browser.run("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
        print(f"first paint after {paint:.0f} ms", file=sys.stderr)
        self.assertLess(paint, 300 if not harness.has_sanitizer() else 3000)

    def served(self, path):
        import gzip
        return gzip.decompress(ask(self.site.address, path)[2]).decode()

    def test_without_javascript_it_says_so(self):
        with Browser(self.site.address, script=False) as browser:
            browser.driver.get(self.site.address)
            self.assertIn("This page needs JavaScript", browser.driver.page_source)
            self.assertIn('href="stat"', browser.driver.page_source)


class Actions(Page):
    """Every button. Each test finds its own message, as actions last."""

    def undo_line(self):
        return self.browser.text("#undo")

    def test_a_refused_message_is_rescued(self):
        """What a person does who has never seen the page: 1 Messages, 2 action: rejected, 3 Search, 4 the message, where
        it stands why, and who reported it; 5 Not spam, 6 Not spam."""
        self.browser.open("#/now")
        self.browser.press("Messages", "nav")
        self.browser.settled()
        self.browser.run("document.querySelectorAll('main form select')[1].value = 'reject'")
        self.browser.press("Search", "main")
        self.browser.wait_for_text("rejected", "main table")
        self.browser.run("""[...document.querySelectorAll('main tbody tr')].find((row) =>
            row.textContent.includes('harbour-savings')).querySelector('a').click()""")
        self.browser.wait_for_text("How the score came about")
        self.browser.settled()
        self.assertIn("FUZZY_DENIED", self.browser.text())
        self.assertIn("5 people said spam", self.browser.text())
        self.browser.press("Not spam", "main")
        self.browser.wait_for_text("of the last 7 days", "dialog .effect")
        self.browser.press("Not spam", "dialog")
        self.browser.wait_for_text("Reported as not spam", "#undo")
        outcome = self.site.send(OFFER_AGAIN.replace(b"offer-2", b"offer-again"), "desk@harbour-savings.example")
        self.assertEqual("accept", outcome.action)
        self.assertEqual("closed", self.api("cases")["cases"][0]["effect"])
        # And back.
        self.browser.press("Undo", "#undo")
        self.browser.wait_for_text("Reported as spam", "#undo")
        self.browser.open("#/cases")
        self.browser.one("main tbody tr td a").click()
        self.browser.wait_for_text("Hashes of this case")
        if self.api("cases")["cases"][0]["effect"] == "closed":
            self.browser.press("Reopen", "main")
            self.browser.press("Reopen", "dialog")
            self.browser.wait_for_text("Case reopened.", "#undo")
        self.browser.press("Close", "main")
        self.browser.wait_for_text("taken off the storage", "dialog .effect")
        self.browser.press("Close", "dialog")
        self.browser.wait_for_text("Case closed.", "#undo")
        self.browser.press("Undo", "#undo")
        self.browser.wait_for_text("Case reopened.", "#undo")
        self.is_clean()

    def test_a_hash_is_forgotten_and_put_back(self):
        self.site.command("add", "--flag", "denied", "--weight", "9", stdin=page_site.LETTER)
        self.site.send(page_site.LETTER, "marten@vale.example")
        message, = self.api("messages?sender=marten@vale.example&most=1")["messages"]
        self.open_message(message)
        self.assertIn("not by a report of this site", self.browser.text())
        before = self.site.daemon.weight(page_site.LETTER)
        self.browser.press("Forget", "main")
        self.browser.wait_for_text("would go", "dialog .effect")
        self.assertIn("in the last 7 days", self.browser.text("dialog .effect"))
        self.browser.press("Forget", "dialog")
        self.browser.wait_for_text("forgotten.", "#undo")
        self.assertLess(self.site.daemon.weight(page_site.LETTER), before)
        while self.browser.settled() or "Undo" in self.undo_line():
            self.browser.press("Undo", "#undo")
            self.browser.wait_for_text("put back", "#undo")
        self.assertEqual(before, self.site.daemon.weight(page_site.LETTER))
        self.is_clean()

    def test_a_sender_is_allowed_and_not_any_more(self):
        message, = self.api("messages?sender=mira@orchestra.example&most=1")["messages"]
        self.open_message(message)
        for press, file, done in (("Allow sender", "allow.list", "is allowed"), ("Block sender", "block.list", "is blocked")):
            self.browser.press(press, "main")
            self.browser.wait_for_text("in the last 7 days", "dialog .effect")
            self.browser.press(press, "dialog")
            self.browser.wait_for_text(done, "#undo")
            self.assertIn("from mira@orchestra.example", (self.tmp / file).read_text())
            self.browser.press("Undo", "#undo")
            self.browser.wait_for_text("Undone.", "#undo")
            self.assertNotIn("from mira@orchestra.example", (self.tmp / file).read_text())
        self.is_clean()

    def test_a_message_is_tried(self):
        self.browser.open("#/try")
        path = self.tmp / "tried.eml"
        path.write_bytes(OFFER_AGAIN)
        rows = len(self.api("messages?most=1000")["messages"])
        self.browser.one("main input[type=file]").send_keys(str(path))
        self.browser.wait_for_text("Verdict", "main")
        self.browser.wait_for_text("FUZZY_DENIED", "main .fall")
        self.assertEqual(rows, len(self.api("messages?most=1000")["messages"]), "nothing is stored")
        self.browser.open("#/try")
        self.browser.run("document.querySelector('main details').open = true")
        self.browser.one("main textarea").send_keys("From: a@b.example\nSubject: hello\n\nshort note")
        self.browser.press("Try it", "main")
        self.browser.wait_for_text("SHORT_NOTE", "main .fall")
        self.is_clean()

    def test_a_counter_is_found(self):
        self.browser.open("#/counters")
        self.browser.one("main form input").send_keys("news@garden.example")
        self.browser.press("Show", "main")
        self.browser.wait_for_text("Last 24 hours", "main")
        self.assertNotIn("was not seen", self.browser.text())
        self.browser.wait_for_text("Most and rising")
        self.is_clean()

    def test_a_rule_is_edited_and_tried(self):
        self.browser.open("#/rules?new")
        area = self.browser.one("#condition")
        area.send_keys("links >= 2 and sender.mess >= 3 in 1d")
        harness.wait_until(lambda: [mark.get_attribute("textContent") for mark in self.browser.all(".under mark")], SECONDS,
                           "the mistake is underlined")
        self.assertIn("mess", self.browser.run("return document.querySelector('.under mark').textContent"))
        self.assertIn("Column ", self.browser.text("#mistakes"))
        self.assertIn("mass", self.browser.text("#mistakes"))
        area.clear()
        area.send_keys("links >= 2")
        self.browser.wait_for_text("The condition is right.", "#mistakes")
        self.browser.run("""const input = document.querySelectorAll('main .form input')[1]; input.value = '9';
            input.dispatchEvent(new Event('input'))""")
        self.browser.press("Try on the last 7 days", "main")
        self.browser.wait_for_text("would get another action", "main")
        self.assertRegex(self.browser.text(), r"[1-9]\d* messages? would get another action")
        self.is_clean()

    def test_a_rule_is_taken_live_and_back(self):
        self.browser.open("#/rules/FILE_FROM_MANY")
        self.browser.press("Take live", "main")
        self.browser.wait_for_text("in the last 7 days", "dialog .effect")
        self.browser.press("Take live", "dialog")
        self.browser.wait_for_text("FILE_FROM_MANY is live.", "#undo")
        self.assertTrue(self.api("rules/FILE_FROM_MANY")["live"])
        self.browser.press("Undo", "#undo")
        self.browser.wait_for_text("Undone.", "#undo")
        self.assertFalse(self.api("rules/FILE_FROM_MANY")["live"])
        self.is_clean()

    def test_a_bucket_is_emptied_and_filled_again(self):
        self.browser.open("#/limits")
        before = len(self.api("buckets")["buckets"])
        self.browser.press("Empty", "main")
        self.browser.wait_for_text("It holds", "dialog .effect")
        self.browser.press("Empty", "dialog")
        self.browser.wait_for_text("Bucket emptied.", "#undo")
        self.assertEqual(before - 1, len(self.api("buckets")["buckets"]))
        self.browser.press("Undo", "#undo")
        self.browser.wait_for_text("Bucket filled as before.", "#undo")
        self.assertEqual(before, len(self.api("buckets")["buckets"]))
        self.is_clean()

    def test_everything_by_keyboard_alone(self):
        self.browser.open("#/now")
        self.browser.tab_to(lambda name: name == "Skip to the content")
        self.browser.tab_to(lambda name: name == "Cases")
        self.browser.keys(Keys.ENTER)
        self.browser.wait_for_text("What people report")
        self.browser.settled()
        case = self.api("cases")["cases"][0]["id"]
        self.browser.tab_to(lambda name: name == case[:8])
        self.browser.keys(Keys.ENTER)
        self.browser.wait_for_text("Hashes of this case")
        press = "Reopen" if self.api(f"cases/{case}")["effect"] == "closed" else "Close"
        self.browser.tab_to(lambda name: name == press)
        self.browser.keys(Keys.ENTER)
        self.browser.one("dialog[open]")
        self.browser.keys(Keys.ESCAPE)
        harness.wait_until(lambda: not self.browser.all("dialog"), SECONDS, "Escape changes nothing")
        self.browser.tab_to(lambda name: name == press)
        self.browser.keys(Keys.ENTER)
        self.browser.one("dialog[open]")
        self.browser.keys(Keys.ENTER)
        self.browser.wait_for_text("Undo", "#undo")
        self.browser.tab_to(lambda name: name == "Undo")
        self.browser.keys(Keys.ENTER)
        harness.wait_until(lambda: "Undo" not in self.browser.text("#undo"), SECONDS, "it is undone")

    def test_a_daemon_that_restarts_is_found_again(self):
        self.browser.open("#/limits")
        self.site.daemon.stop()
        self.browser.press("Empty", "main")
        self.browser.wait_for_text("does not answer", "#banner")
        self.site.daemon.start()
        harness.wait_until(lambda: not self.browser.text("#banner"), SECONDS, "the page has found it")
        self.browser.open("#/limits")
        self.browser.complaints()  # of requests while it was away
        self.site.daemon.restart()
        self.browser.run("location.hash = '#/cases'")
        self.browser.settled()
        self.browser.one("main tbody a").click()
        self.browser.wait_for_text("Hashes of this case")
        press = "Reopen" if "closed" in self.browser.text("main .facts") else "Close"
        self.browser.press(press, "main")
        self.browser.press(press, "dialog")
        self.browser.wait_for_text("Undo", "#undo")  # with the token of the new daemon
        self.browser.press("Undo", "#undo")
        self.browser.wait_for_text("Case reopened." if press == "Close" else "Case closed.", "#undo")


class People(Page):
    overrides = ("http.local=off",)
    letters = 5

    @classmethod
    def prepare(cls):
        cls.site.add_person("ann", "read")
        cls.site.add_person("boss", "change")
        cls.site.use_key()
        super().prepare()

    def setUp(self):
        super().setUp()
        self.browser.driver.delete_all_cookies()

    def sign_in(self, name, password=PASSWORD):
        self.browser.one("main input[name=name]").send_keys(name)
        self.browser.one("main input[name=password]").send_keys(password)
        self.browser.press("Sign in", "main")

    def test_somebody_signs_in_and_out(self):
        self.browser.open("#/cases")
        self.is_clean("nothing is asked for that would be refused")
        self.sign_in("ann", "a wrong one")
        self.browser.wait_for_text("the name or the password is wrong", "main")
        self.browser.complaints()
        self.browser.one("main input[name=name]").clear()
        self.sign_in("ann")
        self.browser.wait_for_text("ann · read", "header")
        self.browser.wait_for_text("What people report")
        self.browser.one("main tbody a").click()
        self.browser.wait_for_text("Hashes of this case")
        self.assertNotIn("\nClose\n", self.browser.text(), "a button that would be refused is not there")
        cookie, = self.browser.driver.get_cookies()
        self.assertTrue(cookie["httpOnly"])
        self.assertEqual("Strict", cookie["sameSite"])
        session = {"Cookie": f"shingled={cookie['value']}"}
        self.assertEqual(200, ask(self.site.address, "api/1/cases", headers=session)[0])
        self.browser.press("Sign out", "header")
        self.browser.wait_for_text("Signed out.", "#undo")
        self.browser.one("main input[name=password]")
        self.assertEqual(401, ask(self.site.address, "api/1/cases", headers=session)[0], "a session that has ended")
        self.is_clean()

    def test_a_change_of_another_page_is_refused(self):
        self.browser.open("#/cases")
        self.sign_in("boss")
        self.browser.wait_for_text("boss · change", "header")
        cookie, = self.browser.driver.get_cookies()
        case = json.loads(ask(self.site.address, "api/1/cases", headers={"Cookie": f"shingled={cookie['value']}"})[2])
        path = f"api/1/cases/{case['cases'][0]['id']}/close"
        stolen = {"Cookie": f"shingled={cookie['value']}", "Origin": "https://evil.example"}
        self.assertEqual(403, ask(self.site.address, path, "POST", stolen)[0], "the token is missing")
        self.assertEqual(403, ask(self.site.address, path, "POST", {**stolen, "X-Shingled-Token": "guessed"})[0])
        self.assertEqual(403, ask(self.site.address, path, "POST", {**stolen, "X-Shingled": "yes"})[0])
        status, headers, _ = ask(self.site.address, path, "OPTIONS", {"Origin": "https://evil.example"})
        self.assertNotEqual(200, status)
        self.assertNotIn("Access-Control-Allow-Origin", headers)

    def test_wrong_passwords_slow_down(self):
        port = self.site.daemon.status_port
        statuses = []
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        begin = time.monotonic()
        for number in range(1000):
            try:
                connection.request("POST", "/api/1/session", json.dumps({"name": "mallory", "password": str(number)}),
                                   {"Content-Type": "application/json"})
                reply = connection.getresponse()
                reply.read()
                statuses.append(reply.status)
            except (http.client.HTTPException, OSError):
                connection.close()
        connection.close()
        tried = statuses.count(403)
        self.assertLess(tried, 30, "few of 1000 were tried")
        self.assertGreater(statuses.count(429), 900)
        print(f"1000 wrong passwords: {tried} tried in {time.monotonic() - begin:.1f} s", file=sys.stderr)
        # Somebody with a key is not in the way; the page and mail go on.
        self.assertEqual(200, ask(self.site.address, "")[0])
        self.assertEqual("accept", self.site.send(page_site.letter(7000)[1], "ann@garden.example").action)


class Attacks(Page):
    letters = 5
    overrides = ("http.connections_max=1000",)

    def test_a_name_of_somebody_else_gets_nothing(self):
        for path in ("", "page/app.js", "api/1/messages", "api/1/events"):
            with self.subTest(path=path):
                self.assertEqual(421, ask(self.site.address, path, headers={"Host": "evil.example"})[0])

    def test_no_page_may_frame_it_or_read_its_answers(self):
        for path in ("", "page/style.css"):
            header = ask(self.site.address, path)[1]
            policy = header["Content-Security-Policy"]
            self.assertIn("frame-ancestors 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertEqual(("nosniff", "no-referrer"), (header["X-Content-Type-Options"], header["Referrer-Policy"]))
        header = ask(self.site.address, "api/1/messages")[1]
        self.assertEqual("no-store", header["Cache-Control"])
        self.assertNotIn("Access-Control-Allow-Origin", header)
        tag = ask(self.site.address, "page/style.css")[1]["ETag"]
        self.assertEqual(304, ask(self.site.address, "page/style.css", headers={"If-None-Match": tag})[0])

    def test_200_readers_of_events_that_do_not_read(self):
        streams = contextlib.ExitStack()
        self.addClassCleanup(streams.close)
        answers = []
        for _ in range(200):
            line = streams.enter_context(socket.socket())
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            line.settimeout(SECONDS)
            try:
                line.connect(("127.0.0.1", self.site.daemon.status_port))
                line.sendall(b"GET /api/1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                answers.append(line.recv(12))
            except OSError:
                answers.append(b"")
        taken = sum(answer.endswith(b"200") for answer in answers)
        self.assertLessEqual(taken, 64)
        self.assertGreater(taken, 0)
        begin = time.monotonic()
        for number in range(300):
            address, text = page_site.letter(8000 + number, words=200)
            self.site.send(text, address)
        print(f"{taken} streams; 300 messages in {time.monotonic() - begin:.1f} s", file=sys.stderr)
        streams.close()
        self.browser.open("#/now")
        self.browser.wait_for_text("live", "#live")


class Faults(Page):
    """A server in front of the daemon that answers as it is told, and has a prefix."""

    letters = 5

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.fault = None
        address = cls.site.address

        class Proxy(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def relay(self):
                if not self.path.startswith("/filter/"):
                    return self.answer(404, {}, b"")
                path = self.path.removeprefix("/filter/")
                length = int(self.headers.get("Content-Length") or 0)
                sent = self.rfile.read(length) if length else None
                if cls.fault and path.startswith("api/1/") and not path.endswith(("session", "openapi.json", "events")):
                    body = json.dumps({"title": "x", "status": cls.fault, "detail": f"told to fail <b>{cls.fault}</b>"})
                    return self.answer(cls.fault, {"Content-Type": "application/problem+json", "Retry-After": "7"}, body.encode())
                if path.startswith("api/1/events"):
                    return self.answer(503, {}, b"{}")
                wanted = {name: value for name, value in self.headers.items()
                          if name.lower() in ("cookie", "content-type", "x-shingled-token", "sec-fetch-site", "origin")}
                status, headers, body = ask(address, path, self.command, wanted, sent)
                keep = ("Content-Type", "Content-Security-Policy", "Content-Encoding", "Set-Cookie", "ETag", "Cache-Control")
                return self.answer(status, {name: headers[name] for name in keep if headers[name]}, body)

            def answer(self, status, headers, body):
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_DELETE = relay

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        cls.proxy = f"http://127.0.0.1:{server.server_address[1]}/filter/"

    def setUp(self):
        super().setUp()
        type(self).fault = None
        self.browser.address = self.proxy

    def tearDown(self):
        self.browser.address = self.site.address

    def test_it_works_below_a_prefix(self):
        for view in VIEWS:
            with self.subTest(view=view):
                self.browser.open("#/" + view)
                self.assertEqual("", self.browser.text("main .notice.bad"))
                self.assertEqual([], self.browser.foreign())
        self.browser.open("#/limits")
        self.browser.press("Empty", "main")
        self.browser.press("Empty", "dialog")
        self.browser.wait_for_text("Bucket emptied.", "#undo")

    def test_errors_of_the_api_are_said_in_place(self):
        for fault in (401, 403, 404, 429, 500, 503):
            type(self).fault = fault
            for view in VIEWS:
                if view == "try":
                    continue  # it asks for nothing by itself
                with self.subTest(fault=fault, view=view):
                    self.browser.open("#/" + view)
                    text = self.browser.text()
                    said = "Sign in to see this." if fault == 401 else f"told to fail <b>{fault}</b>"
                    self.assertIn(said, text)
                    self.assertEqual([], self.browser.run("return window.reports"))


if __name__ == "__main__":
    unittest.main()
