"""The numbers in the text: the chapters against the rule, and the rule against examples."""

import re
import tomllib

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.support.notebook_guard import CHAPTERS, ROOT
from tests.support.prose_numbers import UNCHECKED, message, missing, passages

EXCUSED = tomllib.loads((ROOT / UNCHECKED).read_text(encoding="utf-8"))


def chapters():
    for path in CHAPTERS:
        notebook = nbformat.read(path, as_version=4)
        if "course" not in notebook.cells[0].metadata.get("tags", []):  # its numbers are its own
            yield pytest.param([*passages(notebook, path.stem)], id=path.stem)


every_chapter = pytest.mark.parametrize("prose", [*chapters()])


@every_chapter
def test_a_cell_nearby_shows_the_numbers(prose):
    excused = EXCUSED.get(prose[0].chapter, {})
    found = [message(each, place) for each in prose for place in missing(each, excused)]
    if found:
        pytest.fail("\n\n".join(found), pytrace=False)


@every_chapter
def test_what_is_unchecked_has_to_be(prose):
    for words in EXCUSED.get(prose[0].chapter, {}):
        needed = any([*missing(each)] != [*missing(each, [words])] for each in prose)
        assert needed, (
            f"{words!r} excuses nothing in {prose[0].chapter}: take it out of {UNCHECKED}"
        )


# The rule itself.


def seen(*cells, **metadata):
    """What the rule misses in Markdown texts and code cells, given as (source, what it prints)."""
    made = [
        new_markdown_cell(cell)
        if isinstance(cell, str)
        else new_code_cell(cell[0], outputs=[new_output("stream", text=cell[1])], metadata=metadata)
        for cell in cells
    ]
    prose = passages(new_notebook(cells=made), "a")
    return [message(each, place) for each in prose for place in missing(each)]


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
    ("-10⁹, and 13 000, on 2021-03-07.", ("-1e9, 13_000, '2021-03-07'", "")),
    ("1·5 + 3·4 = 17, and (17 - 1)/2 = 8.", ("print(17, 8)", "17 8")),
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
    ("Within 2⁷.", ("print(table)", "| layer | 2⁶ |")),
    ("64·64·64 = 262145.", ("64", "")),
    (("f('Is it 5 or 6?')", ""),),
]


@pytest.mark.parametrize("cells", HELD, ids=lambda cells: str(cells[0]))
def test_rule_passes(cells):
    assert seen(*cells) == []


@pytest.mark.parametrize("cells", NOT_HELD, ids=lambda cells: str(cells[0]))
def test_rule_sees(cells):
    assert seen(*cells)


def test_rule_sees_what_a_page_does_not_show():
    hidden = '<style>td{margin:6px}</style><td width="8" style="color:#7a1">9</td>'
    cell = new_code_cell("draw()", outputs=[new_output("display_data", {"text/html": hidden})])
    prose = passages(new_notebook(cells=[cell, new_markdown_cell("6, then 8. Or 9.")]), "a")
    assert [each.text[slice(*place)] for each in prose for place in missing(each)] == ["6", "8"]


def test_rule_reads_alternative_texts():
    assert len(seen(("plot()", ""), mystnb={"image": {"alt": "A curve from 1 to 5."}})) == 2


def test_the_line_that_a_message_offers_excuses_the_number():
    (text,) = passages(new_notebook(cells=[new_markdown_cell("The `x` has *17 points* now.")]), "a")
    (place,) = missing(text)
    line = re.search(r"\n(.*)$", message(text, place))[1]
    assert [*missing(text, tomllib.loads(line))] == []
