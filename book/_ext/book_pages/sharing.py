"""What a search engine or a chat shows of a page: its title, a description and a card.

The description is how the page begins, for a chapter the question that it answers.
"""

import re
from html import escape, unescape

from docutils import nodes

LONGEST = 200  # characters: about what is shown of a description
SENTENCE = re.compile(r"(?<=[.!?]) ")
TAGS = re.compile(r"<[^>]+>")
CARD = "_static/card.png"  # made by tools/screenshots.py
CARD_TEXT = "A tensor [B, L, D], drawn as two sheets of coloured cells."


def setup(app):
    app.connect("html-page-context", add_tags)


def add_tags(app, pagename, templatename, context, doctree):
    if doctree is None:  # the search, for one
        return
    text = description(doctree)
    named = {"description": text, "twitter:card": "summary"}
    shared = {
        "og:site_name": app.config.html_title,
        "og:title": unescape(TAGS.sub("", context["title"])),
        "og:description": text,
        "og:type": "website" if pagename == app.config.root_doc else "article",
    }
    if address := app.config.html_baseurl:  # both must be absolute
        shared["og:url"] = context["pageurl"]
        shared |= {"og:image": address + CARD, "og:image:alt": CARD_TEXT}
        named["twitter:card"] = "summary_large_image"
    context["metatags"] += meta("name", named) + meta("property", shared)


def meta(kind, tags):
    return "".join(
        f'\n<meta {kind}="{key}" content="{escape(text)}" />' for key, text in tags.items()
    )


def description(doctree):
    """The first sentences of a page, as many as fit; words in bold that lead in are left out."""
    for paragraph in doctree.findall(nodes.paragraph):
        lead_in = paragraph.next_node(nodes.strong)
        start = lead_in.astext() if lead_in else ""
        text = " ".join(paragraph.astext().removeprefix(start).split())
        if text and isinstance(paragraph.parent, nodes.section):
            return shortened(text)
    return ""


def shortened(text):
    first, *others = SENTENCE.split(text)
    for sentence in others:
        if len(first) + 1 + len(sentence) > LONGEST:
            break
        first += f" {sentence}"
    return first
