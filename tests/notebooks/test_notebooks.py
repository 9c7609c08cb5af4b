"""The stored notebooks against the guard, and the guard against broken notebooks."""

import nbformat
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.support.notebook_guard import CHECKS, ROOT
from tools.notebooks import METADATA, name_cells, normalise

CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_chapter(path, check):
    complaints = check(nbformat.read(path, as_version=4))
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_chapter_is_stored_as_make_notebooks_writes_it(path):
    notebook = normalise(nbformat.read(path, as_version=4))
    assert path.read_text(encoding="utf-8") == nbformat.writes(notebook) + "\n"


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
    ("empty_cells", notebook(new_markdown_cell(" "))),
    ("stderr", notebook(printed("x", name="stderr"))),
    ("errors", notebook(code("f()", ERROR))),
    ("errors", notebook(code("f()", tags=["raises-exception"]))),
    ("machine_paths", notebook(printed("/home/ada/masks.py"))),
    ("machine_paths", notebook(code("open('C:\\\\data')"))),
    ("machine_paths", notebook(printed("lib/site-packages/torch"))),
    ("addresses", notebook(printed("<Net object at 0x7f3a2b4c5d6e>"))),
    ("warnings", notebook(printed("UserWarning: look out"))),
    ("timings", notebook(printed("took 12.5 ms"))),
    ("timings", notebook(printed("100%|##| 3/3 [00:00<00:00, 9.5it/s]"))),
    ("timings", notebook(printed("epoch 1: 3.2s"))),
    ("timings", notebook(code("%timeit f()"))),
    ("unchecked", notebook(code("# NBVAL_IGNORE_OUTPUT\nf()"))),
    ("unchecked", notebook(code(tags=["nbval-skip"]))),
    ("widgets", notebook(code("slider", VIEW))),
    ("alternatives", notebook(code("plot()", shown(image_png="iVBORw0KGgo=")))),
    ("alternatives", notebook(new_markdown_cell("![](picture.png)"))),
    ("alternatives", notebook(new_markdown_cell("<img src='picture.png'>"))),
    ("retyped", notebook(code("class EncoderLayer:\n    pass"))),
    ("retyped", notebook(code("%matplotlib inline\ndef causal_mask(n):\n    pass"))),
    ("metadata", notebook(code(collapsed=True))),
    ("metadata", notebook(code(tags=["my-own"]))),
    ("metadata", new_notebook(cells=[], metadata={"colab": {}})),
    ("directives", notebook(new_markdown_cell("```{note}\nx\n```"))),
    ("directives", notebook(new_markdown_cell("see {ref}`masks`"))),
    ("directives", notebook(new_markdown_cell("(masks)=\n# Masks"))),
    ("size", notebook(new_markdown_cell("x" * 400_001))),
]

CLEAN = notebook(
    new_markdown_cell("# Masks\n\n```python\nprint(1)\n```\n\n$x_{1}$ ![a grid](grid.png)"),
    code("mask.shape", result("(2, 3)", count=1)),
    code("f()", ERROR, count=2, tags=["raises-exception"]),
    code("plot()", shown(image_png="iVBORw0KGgo="), count=3, mystnb={"image": {"alt": "a grid"}}),
    code("class Tiny:\n    def forward(self, x):\n        return x", count=4),
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_guard_passes_a_clean_notebook(check):
    assert check(CLEAN) == []


@pytest.mark.parametrize(("name", "broken"), BROKEN)
def test_guard_sees(name, broken):
    check = next(check for check in CHECKS if check.__name__ == name)
    assert len(check(broken)) == 1


def test_every_check_has_a_broken_notebook():
    assert {name for name, _ in BROKEN} == {check.__name__ for check in CHECKS}


def test_guard_sees_a_copied_body(tmp_path, monkeypatch):
    source = "def f(x):\n    y = x + 1\n    return y\n"
    (tmp_path / "f.py").write_text(source)
    (tmp_path / "__init__.py").touch()
    monkeypatch.setattr("tests.support.notebook_guard.PACKAGE", tmp_path)
    retyped = next(check for check in CHECKS if check.__name__ == "retyped")
    copy = source.replace("def f", "def renamed")
    assert retyped(notebook(code(copy))) == ["cell 0: renamed copies the package's code"]


# How make notebooks stores what it ran.


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
