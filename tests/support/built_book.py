"""The built book: where it is, its pages in reading order, and what their links and ids are."""

from html.parser import HTMLParser

import yaml

from tests.support.notebook_guard import ROOT

BOOK = ROOT / "_build" / "html"
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
PAGES = [TOC["root"], *(page["file"] for part in TOC["parts"] for page in part["chapters"])]


class Places(HTMLParser):
    """The links of a page, and the places that a link may lead to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])


def broken_links(book):
    """Links between pages, and to the places inside them, that lead nowhere."""
    pages = {path.resolve(): Places(path) for path in book.rglob("*.html")}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            if ":" in target:  # https:, mailto:
                continue
            file = (path.parent / target).resolve() if target else path
            known = not anchor or file not in pages or anchor in pages[file].ids
            if not file.exists() or not known:
                broken.append(f"{path.relative_to(book.resolve())}: {link}")
    return broken
