"""The search's index: the words of every section, as one script that only search.html loads.

A page opened from a file may not fetch, so the index is a classic script that sets
`searchIndex`. It holds plain text: what a word is, search.js alone decides.
"""

import json
import tomllib
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.util import logging

WORDS = Path(__file__).parents[2] / "search_words.toml"
# Pages that name a thing come after those that explain it.
WEIGHTS = {"book/functions": 0.8, "book/bad-input": 0.3}
INDEX = "_static/search_index.js"
SILENT = (
    nodes.title, nodes.section, nodes.raw, nodes.comment, nodes.math_block, nodes.image,
    addnodes.index, addnodes.desc,
)  # fmt: skip
UNUSED = ("searchtools.js", "language_data.js")

logger = logging.getLogger(__name__)


def setup(app):
    app.connect("builder-inited", without_sphinx_search)
    app.connect("html-collect-pages", lambda app: [("search", {}, "search.html")])
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", write_index)


def without_sphinx_search(app):
    app.builder.search = False


def add_scripts(app, pagename, templatename, context, doctree):
    if pagename == "search":
        for name in ("search_index.js", "search_page.js"):
            app.add_js_file(name, loading_method="defer", priority=900)  # after search.js


def write_index(app, error):
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    for name in UNUSED:
        static.joinpath(name).unlink(missing_ok=True)
    index = json.dumps(book_index(app.env), ensure_ascii=False, separators=(",", ":"))
    Path(app.outdir, INDEX).write_text(f"globalThis.searchIndex={index};\n", encoding="utf-8")


def book_index(env):
    """Pages as [name, title, weight]; sections as [page, anchor, title, text, other names]."""
    pages = sorted(env.titles)
    places = {}  # (page, name of the heading as links write it): the section
    names = other_words()
    for number, page in enumerate(pages):
        for anchor, heading, title, node in sections(env.get_doctree(page)):
            if text := spoken(node):
                places[page, heading] = [number, anchor, title, text, []]
            if is_entry(node):  # the section that it leads to explains this function
                names += [(title, *place) for place in targets(node)]
    for name, page, heading in names:
        if section := places.get((page, heading)):
            section[4].append(name)
        elif page in pages:
            logger.warning(
                f"no section {page}#{heading}; give {name!r} another one in book/{WORDS.name}"
            )
    return {"pages": [[page, env.titles[page].astext(), WEIGHTS.get(page, 1)] for page in pages],
            "sections": list(places.values())}  # fmt: skip


def other_words():
    """What readers call things that the book calls otherwise, and where it speaks of them."""
    table = tomllib.loads(WORDS.read_text(encoding="utf-8"))
    return [(word, *place.split("#")) for place, words in table.items() for word in words]


def is_entry(node):
    return isinstance(node, addnodes.desc)


def sections(doctree):
    """Each heading, and each entry of the function index: its anchor, name, title and node."""
    for node in doctree.findall(lambda node: isinstance(node, nodes.section | addnodes.desc)):
        if is_entry(node):
            anchor = node[0]["ids"][0]
            yield anchor, anchor, anchor, node
        else:
            first = isinstance(node.parent, nodes.document)
            anchor = "" if first else node["ids"][0]
            yield anchor, node.get("slug", anchor), node[0].astext(), node


def targets(node):
    for link in node.findall(addnodes.pending_xref):
        if isinstance(heading := link.get("reftargetid"), str):
            yield link["reftarget"], heading


def spoken(node):
    """The text of a section without what belongs to the sections inside it."""
    parts = [text for child in node.children for text in texts(child)]
    return " ".join(" ".join(parts).split())


def texts(node):
    if isinstance(node, (*SILENT, nodes.Text)) or "tag_setup" in node["classes"]:
        return
    if node.get("nb_element") == "mime_bundle":
        kinds = {child["mime_type"]: child for child in node.children}
        if "text/html" not in kinds:
            yield from texts(kinds.get("text/markdown") or kinds["text/plain"])
    elif "output" in node["classes"]:
        yield from filter(has_words, node.astext().splitlines())
    elif isinstance(node, nodes.TextElement):
        yield "".join(child.astext().replace("\\", "") for child in node.children)
    else:
        for child in node.children:
            yield from texts(child)


def has_words(line):
    """Whether a printed line says something: numbers are not searched for."""
    return sum(map(str.isalpha, line)) > len(line) / 2
