"""Pages that obey a strict Content-Security-Policy: no script and no style inside the HTML.

A host may send such a policy with every page, so that no text that slips into a page can
turn into code. The theme, Sphinx and the notebooks write scripts and styles into their
pages. Here each of them moves into a file, named after what it holds.
"""

import hashlib
import re
from html import unescape
from pathlib import Path

FOLDER = "_static/moved"
SCRIPT = re.compile(r"<script(?![^>]*\s(?:src|type)=)[^>]*>(.*?)</script>", re.DOTALL)
STYLE = re.compile(r"<style[^>]*>(.*?)</style>", re.DOTALL)
ROOT = re.compile(r'<html[^>]*\sdata-content_root="([^"]*)"')  # Sphinx: from the page to the book
ATTRIBUTE = re.compile(r'(<\w[^<>]*)\sstyle="([^"]*)"')
PRINT = ' onclick="window.print()"'  # book.js does it


def setup(app):
    app.connect("build-finished", move)


def move(app, error):
    if error or app.builder.format != "html":
        return
    book = Path(app.outdir)
    (book / FOLDER).mkdir(parents=True, exist_ok=True)
    for page in book.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(without_inline(text, book), encoding="utf-8")


def without_inline(text, book):
    """The HTML of a page with links to files in place of its scripts and styles."""
    root = ROOT.search(text)
    if not root:  # not a page of Sphinx: the one that leads on to the first page
        return text

    def link(content, suffix):
        name = f"{hashlib.sha256(content.encode()).hexdigest()[:12]}.{suffix}"
        (book / FOLDER / name).write_text(content, encoding="utf-8")
        return f"{root[1]}{FOLDER}/{name}"

    def script(found):
        return f'<script src="{link(found[1], "js")}"></script>'

    def stylesheet(content):
        return f'<link rel="stylesheet" href="{link(content, "css")}" />'

    rules = {}  # what stood in style attributes

    def attribute(found):
        declarations = unescape(found[2])
        number = rules.setdefault(declarations, len(rules))
        return f'{found[1]} data-style="{number}"'

    text = SCRIPT.sub(script, text.replace(PRINT, ""))
    text = STYLE.sub(lambda found: stylesheet(found[1]), text)
    text = ATTRIBUTE.sub(attribute, text)
    css = "".join(f'[data-style="{number}"] {{ {rule} }}\n' for rule, number in rules.items())
    return text.replace("</head>", f"{stylesheet(css)}\n</head>", 1) if css else text
