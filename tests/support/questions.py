"""The page of reader questions taken apart, and what its links lead to."""

import re
from dataclasses import dataclass
from functools import cache

import nbformat

from tests.support.notebook_guard import ROOT

PAGE = ROOT / "book" / "questions.md"
BLOCK = re.compile(r"^```text\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)


@dataclass
class Entry:
    title: str
    body: str
    messages: list[str]
    links: list[str]


def read_entries():
    """Each ### of the page: its messages in the order of the text, and where it links to."""
    sections = re.split(r"^### ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    parts = [section.split("\n## ")[0].split("\n", maxsplit=1) for section in sections]
    return [Entry(title, body, messages(body), LINK.findall(body)) for title, body in parts]


def messages(body):
    """The messages of an entry: one block, with an empty line between two of them."""
    return [message for block in BLOCK.findall(body) for message in block.split("\n\n")]


ENTRIES = read_entries()


def slug(title):
    """The name that MyST and Jupyter give to a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


@cache
def sections_with_code(name):
    """The headings of a chapter, by slug, under which a code cell stands."""
    above, found = [], set()  # `above`: the headings around the current place, (level, slug)
    for cell in nbformat.read(ROOT / "notebooks" / name, as_version=4).cells:
        if cell.cell_type == "code":
            found.update(place for _, place in above)
            continue
        for marks, title in HEADING.findall(cell.source):
            above = [place for place in above if place[0] < len(marks)]
            above.append((len(marks), slug(title)))
    return found
