"""The built book, served with a strict Content-Security-Policy, does all that it does without."""

import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.support.explorables import SHOWS, first, use
from tests.support.notebook_guard import ROOT
from tests.support.page_checks import icons, maths
from tools.browser import Visit

BOOK = ROOT / "_build" / "html"
PAGES = [page.relative_to(BOOK).as_posix() for page in SHOWS]
PAGES.remove("index.html")  # it leads on to another page
PAGES.remove("404.html")  # its links may be whole addresses; test_book_pages opens it there
# The page for teachers names the policy. Icons are pictures inside the CSS, hence data:.
TEXT = (ROOT / "book" / "publishing.md").read_text(encoding="utf-8")
POLICY = re.search(r"^Content-Security-Policy: (.*)$", TEXT, re.MULTILINE)[1]
RECORD = """
    globalThis.violations = [];
    addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, target }) =>
        violations.push(`${effectiveDirective}: ${blockedURI} ${target.outerHTML ?? ""}`));
"""


class Handler(SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def do_GET(self):
        if self.path == "/favicon.ico":  # what a browser asks for by itself
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, *arguments):
        """Say nothing."""


@pytest.fixture(scope="module")
def serve():
    """Serve a folder; returns its address."""
    servers = []

    def serve(folder):
        handler = partial(Handler, directory=str(folder))
        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), handler))
        threading.Thread(target=servers[-1].serve_forever).start()
        return "http://{}:{}".format(*servers[-1].server_address)

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def address(serve):
    return serve(BOOK)


@pytest.fixture
def visit(browser):
    """Open an address; in the end nothing may have been refused and nothing gone wrong."""
    visits = []

    def visit(place):
        context = browser.new_context(color_scheme="light")
        context.add_init_script(RECORD)
        visits.append(Visit(context, place))
        return visits[-1]

    yield visit
    for each in visits:
        found = refused(each)
        each.page.context.close()
        assert not found
        assert not each.errors


def test_the_policy_is_strict():
    directives = dict(part.split(" ", 1) for part in POLICY.split("; "))
    assert directives.pop("default-src") == "'none'"
    assert directives.pop("script-src") == "'self'"
    assert directives.pop("style-src") == "'self' 'unsafe-inline'"  # pictures need it; runs nothing
    assert set(" ".join(directives.values()).split()) == {"'self'", "'none'", "data:"}


def refused(visit):
    return visit.page.evaluate("violations")


@pytest.mark.parametrize("page", PAGES)
def test_every_page_and_every_explorable(visit, address, page):
    opened = visit(f"{address}/{page}")
    shown = SHOWS[BOOK / page]
    assert opened.page.locator(".explorable.live").count() == len(shown)
    assert not maths(opened, BOOK) + icons(opened, BOOK)
    for module in sorted(set(shown)):
        if page == next(each for each in PAGES if module in SHOWS[BOOK / each]):
            box = first(opened, module)
            use(box)
            if module == "read_dates":
                box.get_by_label("a date").fill("5 avril 1896")
                assert "1896-04-05" in box.inner_text()


def test_search(visit, address):
    page = visit(f"{address}/search.html?q=softmax").page
    page.wait_for_selector("#search-results li a")


def test_the_theme_changes_and_stays(visit, address):
    page = visit(f"{address}/book/notation.html").page
    theme = "document.documentElement.dataset.theme"
    while page.evaluate(theme) != "dark":
        page.locator(".theme-switch-button").first.click()
    page.reload()
    assert page.evaluate(theme) == "dark"


def test_the_print_button_prints(visit, address):
    page = visit(f"{address}/book/notation.html").page
    page.evaluate("globalThis.print = () => { globalThis.printed = true; }")
    page.get_by_label("Download this page").click()
    page.locator(".btn-download-pdf-button").click()
    assert page.evaluate("printed")


BROKEN = {
    "script-src-elem": "<script>1</script>",
    "script-src-attr": "<p onclick='1'>x</p>",
    "script-src": "<script src='evil.js'></script>",
    "style-src-elem": "<link rel='stylesheet' href='http://127.0.0.2/x.css'>",
    "img-src": "<img src='http://127.0.0.2/x.png' alt='x'>",
}


def test_the_policy_is_at_work(browser, serve, tmp_path):
    (tmp_path / "evil.js").write_text("try { eval('1'); } catch {}")
    (tmp_path / "page.html").write_text("<!doctype html><body>" + "".join(BROKEN.values()))
    context = browser.new_context()
    context.add_init_script(RECORD)
    found = refused(Visit(context, f"{serve(tmp_path)}/page.html"))
    assert sorted(each.split(":")[0] for each in found) == sorted(BROKEN)
    context.close()
