"""A headless Chromium that looks at the page: what it complains of, what it asks other hosts, what it looks like."""

import base64
import json
import os
import pathlib
import shutil

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import harness

DRIVER = shutil.which("chromedriver") or "/usr/bin/chromedriver"
SECONDS = 30
WATCH = """
window.reports = [];
addEventListener('securitypolicyviolation', (event) => window.reports.push(`${event.violatedDirective} ${event.blockedURI}`));
"""


def missing():
    """Why there is no browser; None if there is one."""
    return None if os.path.exists(DRIVER) else "no chromedriver (package chromium-driver)"


def axe_script():
    """The text of axe-core, which is not part of this tree; None without it."""
    path = os.environ.get("SHINGLED_AXE", "")
    return pathlib.Path(path).read_text(encoding="utf-8") if path else None


class Browser:
    """with Browser(site.address) as browser: browser.open('#/now')"""

    def __init__(self, address, script=True):
        self.address = address
        options = Options()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-extensions",
                         "--disable-background-networking", "--no-first-run"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        if not script:
            options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        self.driver.set_script_timeout(120)
        self.command("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        self.size(1440)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def command(self, name, **arguments):
        return self.driver.execute_cdp_cmd(name, arguments)

    def size(self, width, height=900):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def theme(self, name):
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def open(self, view):
        """A view, as if its address were typed: loaded anew, and waited for."""
        self.driver.get("about:blank")
        self.driver.get(self.address + view)
        self.settled()

    def settled(self):
        harness.wait_until(lambda: self.run(
            "return document.querySelector('main h1') !== null && !document.querySelector('[aria-busy=true]')"), SECONDS,
            "the view is complete")

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector, what=None):
        return harness.wait_until(lambda: next(iter(self.all(selector)), None), SECONDS, what or f"there is {selector}")

    def text(self, selector="main"):
        # An element may be replaced while it is read.
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def wait_for_text(self, text, selector="body"):
        harness.wait_until(lambda: text in self.text(selector), SECONDS, f"'{text}' is shown in {self.text(selector)[:2000]}")

    def button(self, name, within="body"):
        """A button by its text."""
        def found():
            for one in self.all(f"{within} button, {within} a"):
                try:
                    if one.is_displayed() and one.text.strip() == name:
                        return one
                except WebDriverException:  # replaced meanwhile
                    continue
            return None
        return harness.wait_until(found, SECONDS, f"there is a button '{name}' in {self.text(within)[:1000]}")

    def press(self, name, within="body"):
        """Presses it; what is drawn anew meanwhile is looked for again."""
        def pressed():
            try:
                self.button(name, within).click()
                return True
            except WebDriverException:
                return False
        harness.wait_until(pressed, SECONDS, f"'{name}' can be pressed")

    def keys(self, *keys):
        chain = webdriver.ActionChains(self.driver)
        chain.send_keys(*keys).perform()

    def tab_to(self, wanted, most=120):
        """Presses Tab until the element with the focus is wanted by a condition on its text and name."""
        for _ in range(most):
            self.keys(Keys.TAB)
            active = self.driver.switch_to.active_element
            name = (active.get_attribute("aria-label") or active.text or "").strip()
            if wanted(name):
                return active
        raise AssertionError(f"Tab does not reach it; the last was {name!r}")

    def complaints(self):
        """What the console and the policy of the page complained of since the last call."""
        lines = [f"{line['level']} {line['message']}" for line in self.driver.get_log("browser")
                 if line["level"] in ("SEVERE", "WARNING")]
        return lines + self.run("const all = window.reports || []; window.reports = []; return all")

    def foreign(self):
        """Addresses that were asked for since the last call, but those of the page."""
        out = []
        for line in self.driver.get_log("performance"):
            message = json.loads(line["message"])["message"]
            if message["method"] != "Network.requestWillBeSent":
                continue
            url = message["params"]["request"]["url"]
            if not url.startswith((self.address, "about:", "data:", "chrome:")):
                out.append(url)
        return out

    def shot(self, path, whole=True, form="png"):
        """A picture of the whole page, or of what fits the window."""
        quality = {} if form == "png" else {"quality": 70}
        if whole:
            metrics = self.command("Page.getLayoutMetrics")["cssContentSize"]
            width = self.run("return innerWidth")
            self.size(width, min(max(int(metrics["height"]), 600), 4000))
        data = self.command("Page.captureScreenshot", format=form, **quality)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
        if whole:
            self.size(width)
