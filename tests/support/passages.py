"""The prose of a chapter, and the numbers that its cells show."""

import ast
import html
import re
from itertools import pairwise

from tests.support.function_index import EXAMPLE
from tests.support.notebook_guard import python
from tests.support.prose_numbers import Passage, reading, without_code

NUMBER = re.compile(  # -1, 20_000, 1e-9, 2⁶
    r"(?:(?<![\w)\]])-)?(?<![A-Za-z_\d.])\d[\d_]*(?:\.\d+)?(?:e[-+]?\d+)?[⁻⁰¹²³⁴-⁹]*"
)
AROUND = 2  # so many cells with numbers before a passage are near it, and so many after it
LINK = re.compile(r"notebooks/(\w+)\.ipynb")
RANGE = re.compile(r"range\((?:\d+, )?(\d+)")  # ends one before its number
ENTRY = re.compile(r"^(?=## |:::\{py:)", re.MULTILINE)  # of the function index


def sentences(cell):
    """Texts in the code that are prose: the questions and reasons of an exercise."""
    texts = [node.value for node in ast.walk(python(cell)) if isinstance(node, ast.Constant)]
    return [text for text in texts if isinstance(text, str) and re.search(r" .*[.?]$", text)]


def numbers_in(text):
    return [reading(hit.replace("_", ""))[0] for hit in NUMBER.findall(text)]


def shown_by(cell):
    """The numbers in the code of a cell and in each of its outputs, a row for each."""
    if cell.cell_type != "code":
        return
    texts = [cell.source]
    for output in cell.outputs:
        data = output.get("data", {}).items()
        texts += [output.get("text", ""), *(t for kind, t in data if not kind.startswith("image/"))]
    for text in map(html.unescape, texts):
        for sentence in sentences(cell):
            text = text.replace(sentence, "")
        yield numbers_in(text)
        yield from ([float(hit) - 1] for hit in RANGE.findall(text))


def prose_of(cell):
    """The prose of a cell: Markdown, or the alternative text and the exercises of a code cell."""
    if cell.cell_type == "markdown":
        return without_code(cell.source)
    alternative = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
    return "\n".join([alternative, *sentences(cell)])


def passages(notebook, name):
    """All prose of a chapter, with the numbers of the code cells around it."""
    shown = [[row for row in shown_by(cell) if row] for cell in notebook.cells]
    for i, cell in enumerate(notebook.cells):
        before = [rows for rows in shown[: i + 1] if rows][-AROUND:]
        after = [rows for rows in shown[i + 1 :] if rows][:AROUND]
        near = [row for rows in before + after for row in rows]
        chapter = [row for rows in shown for row in rows]
        yield Passage(f"{name}, cell {cell.id}", prose_of(cell), near, chapter)


def sections(page, name, shown_in):
    """The prose of a page, section by section.

    One with a heading of the third level may lean on the chapters that it links to;
    `shown_in` gives the rows of numbers of a chapter.
    """
    text = without_code(page)
    starts = [0, *(hit.start() for hit in re.finditer(r"^#{2,3} ", text, re.MULTILINE)), None]
    for start, end in pairwise(starts):
        chapters = set(LINK.findall(page[start:end])) if text.startswith("### ", start) else ()
        rows = [row for chapter in chapters for row in shown_in(chapter)]
        yield Passage(name, text[start:end], rows, rows)


def entries(page, name, shown_in):
    """The prose of the function index, entry by entry.

    Near an entry are its examples, which test_functions runs; its chapter is the one it links to.
    """
    for entry in ENTRY.split(page):
        near = [numbers_in(text) for example in EXAMPLE.findall(entry) for text in example]
        far = [row for chapter in LINK.findall(entry) for row in shown_in(chapter)]
        yield Passage(name, without_code(entry), near, near + far)
