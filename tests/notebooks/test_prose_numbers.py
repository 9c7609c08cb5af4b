"""The numbers in prose: the chapters and pages against the rule, and the rule against examples."""

import json
import re
import tomllib
from functools import cache

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.support.helpers import D_FF, LS, LT, B, D, H
from tests.support.notebook_guard import ROOT
from tests.support.passages import entries, passages, sections, shown_by
from tests.support.prose_facts import FACTS, V
from tests.support.prose_numbers import complaints, without_code

UNCHECKED_FILE = ROOT / "tests" / "notebooks" / "unchecked_prose.toml"
UNCHECKED = tomllib.loads(UNCHECKED_FILE.read_text(encoding="utf-8"))
CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))
HELD_ELSEWHERE = {
    "bad-input": "written from a table, whose rows test_bad_input runs",
    "benchmarks": "written from the results of make bench, as test_benchmarks asks",
}
PAGES = [path for path in (ROOT / "book").glob("*.md") if path.stem not in HELD_ELSEWHERE]
PAGES = [*sorted(PAGES), ROOT / "README.md"]


def name_of(path):
    page = path.relative_to(ROOT).with_suffix("").as_posix()
    return page.removeprefix("notebooks/")


@cache
def shown_in(chapter):
    notebook = nbformat.read(ROOT / "notebooks" / f"{chapter}.ipynb", as_version=4)
    return [row for cell in notebook.cells for row in shown_by(cell)]


def prose_of(path):
    if path.suffix == ".ipynb":
        return list(passages(nbformat.read(path, as_version=4), path.stem))
    pieces = entries if path.stem == "functions" else sections
    return list(pieces(path.read_text(encoding="utf-8"), name_of(path), shown_in))


def sentences_for(path):
    name = name_of(path)
    return [*FACTS.get(name, []), *UNCHECKED.get(name, {})]


def places(sentence, text):
    return [hit.span() for hit in re.finditer(re.escape(without_code(sentence)), text)]


every_page = pytest.mark.parametrize("path", [*CHAPTERS, *PAGES], ids=name_of)


@every_page
def test_cells_or_facts_show_the_numbers(path):
    """If it fails: print the number in a cell, work it out in prose_facts, or give a reason."""
    found = []
    for passage in prose_of(path):
        known = [place for text in sentences_for(path) for place in places(text, passage.text)]
        found += complaints(passage, known)
    assert not found, "\n".join(found)


@every_page
def test_facts_and_exceptions_are_needed(path):
    """Each stands in the page, and without it a number would have nothing that holds it."""
    pieces = prose_of(path)
    for sentence in sentences_for(path):
        held = [(passage, places(sentence, passage.text)) for passage in pieces]
        assert any(
            len([*complaints(passage, spans)]) < len([*complaints(passage)])
            for passage, spans in held
            if spans
        ), f"{sentence!r} is not there, or holds nothing"


def test_facts_and_exceptions_name_pages():
    assert {*FACTS, *UNCHECKED} <= {name_of(path) for path in [*CHAPTERS, *PAGES]}


def test_the_map_on_the_front_page_shows_the_running_example():
    page = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    (state,) = re.findall(r"data-module=\"model_map\" data-state='(.*?)'", page)
    sizes = {"B": B, "Ls": LS, "Lt": LT, "D": D, "H": H, "d_ff": D_FF, "V": V}
    assert json.loads(state).items() >= sizes.items()


# The rule itself.


def chapter(*cells):
    """A chapter of Markdown texts and of code cells, given as (source, what it prints)."""
    made = [
        new_markdown_cell(cell)
        if isinstance(cell, str)
        else new_code_cell(cell[0], outputs=[new_output("stream", text=cell[1])])
        for cell in cells
    ]
    return [*passages(new_notebook(cells=made), "chapter")]


def seen(*cells):
    return [text for passage in chapter(*cells) for text in complaints(passage)]


SHAPE = "print(tuple(x.shape))", "(2, 6, 12)"
WEIGHT = "print(round(weight, 4))", "0.1353"
FAR = [("print(7)", "7"), ("print(8)", "8")]

HELD = [
    ("It is [2, 6, 12].", SHAPE),
    ("It is 6 and 12.", SHAPE),
    ("It is about 0.14.", WEIGHT),
    ("It is 0.1353.", WEIGHT, *FAR, "Still 0.1353."),
    ("Up to 23.", ("torch.arange(24)", "")),
    ("Within 2⁶, which is 64.", ("print(table)", "| layer | 2⁶ |")),
    ("More than 95 of 100.", ("print(share > 0.95)", "True")),
    ("A third, 1/3.", ("print(round(x, 4))", "0.3333")),
    ("-10⁹, and 13 000.", ("-1e9, 13_000", "")),
    ("2·624 + 612 + 3·24 = 1932, ln 5 = 1.6094; 0.75/0.5 is 1.5 and 1 + 2 + … + 11 = 66.",),
    ("# 9 · Sizes\n\n1. `f(5)` of [chapter 5](05_x.ipynb) with [B, 1, 1, L], 4·D and $x^2$.",),
]
NOT_HELD = [
    ("It is [2, 6, 13].", SHAPE),
    ("It is [6, 2, 12].", SHAPE),
    ("It is 7.", SHAPE),
    ("It is -6.", SHAPE),
    ("It is 0.15.", WEIGHT),
    ("It is 0.1354.", WEIGHT),
    ("It is 6.", *FAR, SHAPE),
    ("Up to 25.", ("torch.arange(24)", "")),
    ("Within 2⁷, which is 128.", ("print(table)", "| layer | 2⁶ |")),
    ("More than 96 of 100.", ("print(share > 0.95)", "True")),
    ("A quarter, 1/4.", ("print(round(x, 4))", "0.3333")),
    ("64·64·64 = 262145.", ("64", "")),
    (("f('Is it 5 or 6?')", ""),),
]


@pytest.mark.parametrize("cells", HELD, ids=lambda cells: str(cells[0]))
def test_rule_passes(cells):
    assert seen(*cells) == []


@pytest.mark.parametrize("cells", NOT_HELD, ids=lambda cells: str(cells[0]))
def test_rule_sees(cells):
    assert seen(*cells)


def test_rule_for_pages_asks_the_chapters_that_an_answer_links_to():
    page = "Row 5.\n\n### Five\n\nRow 5, [there](notebooks/a.ipynb).\n\n### Six\n\nRow 5."
    pieces = sections(page, "page", {"a": [[5.0]]}.get)
    assert [len([*complaints(piece)]) for piece in pieces] == [1, 0, 1]


def test_rule_for_the_function_index_asks_the_examples_of_an_entry():
    entry = ":::{{py:function}} f()\nGives {}. `f()` → `5`\n:::\n"
    _, *pieces = entries("".join(map(entry.format, [5, 6])), "page", {}.get)
    assert [len([*complaints(piece)]) for piece in pieces] == [0, 1]


def test_rule_reads_alternative_texts():
    cell = new_code_cell("plot()", metadata={"mystnb": {"image": {"alt": "A curve from 1 to 5."}}})
    (passage,) = passages(new_notebook(cells=[cell]), "chapter")
    assert len([*complaints(passage)]) == 2
