"""Pages that obey a strict Content-Security-Policy: no script inside the HTML.

A host may send such a policy with every page, so that no text that slips into a page can
turn into code. The theme and Sphinx write scripts into their pages. Here each of them moves
into a file, named after what it holds. Styles may stay: they run nothing.
"""

import hashlib

FOLDER = "_static/moved"


def without_print_handler(page):
    """The theme's button for printing says what it does in an attribute; book.js does it."""
    for button in page.tree.iterfind(".//button[@onclick='window.print()']"):
        del button.attrib["onclick"]


def scripts_in_files(page):
    for script in page.tree.iter("script"):
        if script.get("src") is None and script.get("type") is None:  # a type means: data
            code = script.text or ""
            name = f"{FOLDER}/{hashlib.sha256(code.encode()).hexdigest()[:12]}.js"
            (page.book / FOLDER).mkdir(parents=True, exist_ok=True)
            (page.book / name).write_text(code, encoding="utf-8")
            script.set("src", page.root + name)
            script.text = None
