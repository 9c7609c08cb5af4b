"""The stored notebooks against the guard, and the guard against broken notebooks."""

import re

import nbformat
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.support.notebook_guard import CHAPTERS, CHECKS, PACKAGE, ROOT, problems, retyped
from tests.support.prose_numbers import missing, passages
from tools import chapter
from tools.notebooks import METADATA, execute, name_cells, normalise

by_check = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_chapter(path):
    notebook = nbformat.read(path, as_version=4)
    found = [text for check in CHECKS for text in problems(check, notebook, path.relative_to(ROOT))]
    if found:
        pytest.fail("\n".join(found), pytrace=False)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_chapter_is_stored_as_make_notebooks_writes_it(path):
    notebook = normalise(nbformat.read(path, as_version=4))
    same = path.read_text(encoding="utf-8") == nbformat.writes(notebook) + "\n"
    assert same, f"run make notebooks ONLY={path.relative_to(ROOT)}"


def in_contents():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return [toc["root"], *(page["file"] for part in toc["parts"] for page in part["chapters"])]


def on_disk():
    pages = [*CHAPTERS, *(ROOT / "book").glob("*.md")]
    return [page.relative_to(ROOT).with_suffix("").as_posix() for page in pages]


def test_every_page_of_the_contents_is_there():
    """A page that is there may be left out: the build says what linked to it."""
    assert CHAPTERS
    missing = {*in_contents()} - {*on_disk()}
    assert not missing, f"_toc.yml names {sorted(missing)}: write them, or take the lines out"


# The guard itself: a clean notebook passes, and each check sees what it is there for.


def notebook(*cells):
    return new_notebook(cells=list(cells), metadata=METADATA)


def code(source="1 + 1", *outputs, count=1, **metadata):
    return new_code_cell(source, outputs=list(outputs), execution_count=count, metadata=metadata)


def printed(text, name="stdout"):
    return code("print(x)", new_output("stream", name=name, text=text))


def shown(**data):
    kinds = {kind.replace("_", "/", 1): value for kind, value in data.items()}
    return new_output("display_data", data=kinds)


def result(text, count):
    return new_output("execute_result", data={"text/plain": text}, execution_count=count)


ERROR = new_output("error", ename="ValueError", evalue="no", traceback=[])
VIEW = new_output("display_data", data={"application/vnd.jupyter.widget-view+json": {}})

BROKEN = [
    ("counts", notebook(code(count=None))),
    ("counts", notebook(code(count=2), code(count=1))),
    ("counts", notebook(code("1 + 1", result("2", count=7)))),
    ("opening", notebook(new_markdown_cell("# Masks"))),
    ("empty_cells", notebook(new_markdown_cell(" "))),
    ("errors", notebook(code("f()", ERROR))),
    ("errors", notebook(code("f()", tags=["raises-exception"]))),
    ("repeatable", notebook(printed("x", name="stderr"))),
    ("repeatable", notebook(printed("/home/ada/masks.py"))),
    ("repeatable", notebook(code("open('C:\\\\data')"))),
    ("repeatable", notebook(printed("lib/site-packages/torch"))),
    ("repeatable", notebook(printed("<Net object at 0x7f3a2b4c5d6e>"))),
    ("repeatable", notebook(printed("UserWarning: look out"))),
    ("repeatable", notebook(printed("took 12.5 ms"))),
    ("repeatable", notebook(printed("100%|##| 3/3 [00:00<00:00, 9.5it/s]"))),
    ("repeatable", notebook(printed("epoch 1: 3.2s"))),
    ("repeatable", notebook(code("%timeit f()"))),
    ("unchecked", notebook(code("# NBVAL_IGNORE_OUTPUT\nf()"))),
    ("unchecked", notebook(code(tags=["nbval-skip"]))),
    ("widgets", notebook(code("slider", VIEW))),
    ("alternatives", notebook(code("plot()", shown(image_png="iVBORw0KGgo=")))),
    ("alternatives", notebook(new_markdown_cell("![](picture.png)"))),
    ("alternatives", notebook(new_markdown_cell("<img src='picture.png'>"))),
    ("retyped", notebook(code("class EncoderLayer:\n    pass"))),
    ("retyped", notebook(code("%matplotlib inline\ndef causal_mask(n):\n    pass"))),
    ("metadata", notebook(code(collapsed=True))),
    ("metadata", new_notebook(cells=[], metadata={"colab": {}})),
    ("known_tags", notebook(code(tags=["my-own"]))),
    ("directives", notebook(new_markdown_cell("```{note}\nx\n```"))),
    ("directives", notebook(new_markdown_cell("see {ref}`masks`"))),
    ("directives", notebook(new_markdown_cell("(masks)=\n# Masks"))),
    ("size", notebook(new_markdown_cell("x" * 400_001))),
]

CLEAN = notebook(
    new_markdown_cell("# Masks\n\nWho sees whom?\n\n```python\nprint(1)\n```\n"),
    new_markdown_cell("$x_{1}$ ![a grid](grid.png)"),
    code("mask.shape", result("(2, 3)", count=1)),
    code("f()", ERROR, count=2, tags=["raises-exception"]),
    code("plot()", shown(image_png="iVBORw0KGgo="), count=3, mystnb={"image": {"alt": "a grid"}}),
    code("class Tiny:\n    def forward(self, x):\n        return x", count=4),
)


@by_check
def test_guard_passes_a_clean_notebook(check):
    assert check(CLEAN) == []


@pytest.mark.parametrize(("name", "broken"), BROKEN)
def test_guard_sees(name, broken):
    (check,) = (check for check in CHECKS if check.__name__ == name)
    (complaint,) = problems(check, broken, "notebooks/18_mine.ipynb")
    assert re.fullmatch(r"notebooks/18_mine\.ipynb: .+: .+", complaint)


def test_every_check_has_a_broken_notebook():
    assert {name for name, _ in BROKEN} == {check.__name__ for check in CHECKS}


def test_guard_sees_a_copied_body():
    source = (PACKAGE / "masks.py").read_text(encoding="utf-8")
    copy = source[source.index("def causal_mask(") : source.index("def expand_mask(")]
    copy = copy.replace("causal_mask", "renamed")
    assert retyped(notebook(code(copy))) == ["cell 0: renamed copies a function of the package"]


# How make notebooks stores what it ran, and what make chapter begins with.


def test_the_template_becomes_a_chapter_that_passes(tmp_path):
    path = tmp_path / "18_mine.ipynb"
    path.write_bytes(chapter.TEMPLATE.read_bytes())
    assert execute(path) is None
    stored = nbformat.read(path, as_version=4)
    assert [text for check in CHECKS for text in problems(check, stored, path)] == []
    assert [text for prose in passages(stored, "18_mine") for text in missing(prose)] == []


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_nothing_of_the_template_is_left(path):
    left = [text for text in paragraphs(path) & paragraphs(chapter.TEMPLATE) if text.endswith(".")]
    assert not left, f"{path.relative_to(ROOT)}: write your own words instead of {sorted(left)}"


def paragraphs(path):
    cells = nbformat.read(path, as_version=4).cells
    return {text for cell in cells for text in cell.source.split("\n\n")}


def test_a_new_chapter_stands_behind_the_last_one_of_the_text():
    contents = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    before, after = (yaml.safe_load(text)["parts"] for text in
                     (contents, chapter.add_to_contents(contents, "18_mine")))  # fmt: skip
    added = [part["chapters"][-1]["file"] for part in after if part not in before]
    assert added == ["notebooks/18_mine"]


def test_cells_without_an_id_get_the_same_one_each_time():
    def named():
        cells = [{"source": "x"}, {"id": "kept", "source": "y"}, {"source": ["x"]}]
        name_cells(cells, "01_syntax")
        return [cell["id"] for cell in cells]

    assert named() == named()
    assert named()[1] == "kept"
    assert len(set(named())) == 3


def test_normalise_keeps_no_traceback_and_no_editor_metadata():
    error = new_output("error", ename="ValueError", evalue="no", traceback=["/home/ada/x.py", "no"])
    cell = code("f()", error, tags=["raises-exception"], collapsed=True)
    stored = normalise(new_notebook(cells=[cell], metadata={"colab": {}}))
    assert stored.metadata == METADATA
    assert stored.cells[0].metadata == {"tags": ["raises-exception"]}
    assert stored.cells[0].outputs[0].traceback == ["ValueError: no"]
