"""Find a Chromium for the tests and the screenshots; install one if there is none.

    python tools/browser.py

prints the browser that will be used. Set BROWSER_PATH to choose another.
"""

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
DEBIAN_PACKAGES = ("chromium", "fonts-noto-cjk")
# Without these a browser calls its maker at every start, and root cannot start it at all.
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
).split()


def installed(playwright):
    """The path of a browser on this machine, or None."""
    if chosen := os.environ.get("BROWSER_PATH"):
        return chosen
    for name in NAMES:
        if path := shutil.which(name):
            return path
    own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def install():
    """Install a browser the way that fits this machine."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], env=quiet)
        command = ["apt-get", "install", "-qq", "--no-install-recommends", *DEBIAN_PACKAGES]
        subprocess.run(command, env=quiet)
    else:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"])


@contextmanager
def launch():
    """A running headless browser that cannot reach any network."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed(playwright), args=FLAGS)
        yield browser
        browser.close()


class Visit:
    """A page, a file or an address, opened in a browser: what it asked for, what went wrong."""

    def __init__(self, context, place):
        self.requests, self.errors = [], []
        self.page = context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self.note)
        self.page.goto(place if isinstance(place, str) else place.as_uri())
        # MathJax is there only on pages with maths, and draws after the load event.
        self.page.evaluate("window.MathJax?.startup?.promise")

    def note(self, message):
        if message.type == "error":
            self.errors.append(message.text)

    def files(self):
        """The files that the page loaded."""
        local = (urlsplit(url) for url in set(self.requests) if url.startswith("file:"))
        return {Path(unquote(url.path)) for url in local}


def find():
    with sync_playwright() as playwright:
        return installed(playwright)


def main():
    if not find():
        install()
    path = find()
    if not path:
        return "No Chromium was found or could be installed: install one, or set BROWSER_PATH."
    print(f"Browser: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
