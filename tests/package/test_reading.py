"""show_source and step_through: what they show is what runs, and a refusal says what to do."""

import asyncio
import contextlib
import dataclasses
import functools
import importlib
import inspect
import os
import py_compile
import sys
import zipfile
from collections import namedtuple

import pytest
import torch
from IPython.display import Markdown
from torch import nn

from follow_the_tensor import (
    EncoderLayer,
    MultiHeadAttention,
    causal_mask,
    scaled_dot_product_attention,
    show_source,
    step_through,
)
from follow_the_tensor.dates.training import Settings
from tests.support.cells import cell


def lines(markdown):
    return markdown.data.split("\n")


def body(thing):
    return "\n".join(lines(show_source(thing))[1:-1])


def test_it_is_markdown_that_fences_python():
    shown = show_source(causal_mask)
    assert isinstance(shown, Markdown)
    assert (lines(shown)[0], lines(shown)[-1]) == ("```python", "```")


READABLE = [causal_mask, scaled_dot_product_attention, MultiHeadAttention, EncoderLayer, Settings]


@pytest.mark.parametrize(
    "thing", [*READABLE, nn.Linear, inspect.getsource], ids=lambda thing: thing.__name__
)
def test_what_is_shown_is_what_runs(thing):  # reader question Q30
    assert body(thing) == inspect.getsource(thing).rstrip()


def test_several_objects_stand_two_lines_apart_and_at_the_left():
    shown = "\n".join(lines(show_source(causal_mask, MultiHeadAttention.combine_heads))[1:-1])
    first, second = shown.split("\n\n\n")
    assert first == inspect.getsource(causal_mask).rstrip()
    assert second.startswith("def combine_heads(self, x):\n    B, _, L, _ =")


def test_no_source_closes_the_fence_early():
    shown = show_source(show_source, MultiHeadAttention)
    assert [line for line in lines(shown) if line.startswith("```")] == ["```python", "```"]
    shown = show_source(with_code_block)
    assert (lines(shown)[0], lines(shown)[-1]) == ("````python", "````")


def with_code_block():
    """A docstring may hold an example.

    ```python
    with_code_block()
    ```
    """


@functools.lru_cache
def cached(x):
    return x + 1


class Whole:
    @property
    def half(self):
        return 0.5

    @staticmethod
    def third(x):
        return x / 3

    @functools.lru_cache  # noqa: B019
    def kept(self):
        return 1

    def __hidden(self):
        pass


INSIDE = {  # what holds a function, and the head of what is shown
    "a cache": (cached, "@functools.lru_cache\ndef cached(x):"),
    "a partial": (functools.partial(cached, 1), "@functools.lru_cache\ndef cached(x):"),
    "a method": (MultiHeadAttention(4, 2).split_heads, "def split_heads(self, x):"),
    "a property": (Whole.half, "@property\ndef half(self):"),
    "a static method": (vars(Whole)["third"], "@staticmethod\ndef third(x):"),
    "a class": (Whole, "class Whole:\n    @property"),
    "a lambda": (lambda x: x, '"a lambda": (lambda x: x, '),
}


@pytest.mark.parametrize(("thing", "head"), INSIDE.values(), ids=INSIDE)
def test_what_holds_a_function(thing, head):
    assert head in body(thing)


# --- source that is not what runs

TEXT = """import functools
def wrap(f):
    @functools.wraps(f)
    def wrapped(*inputs):
        return f(*inputs)
    return wrapped

def f(x):
    y = x + 1
    return y

class Layer:
    size = 1
    def go(self, x):
        return x + self.size

@wrap
def g(x):
    return f(x)

h = lambda x: x + 1
"""
EDITS = {  # what an editor does to the file after the import
    "another number": ("x + 1\n    return", "x + 1000\n    return"),
    "a comment above": ("def f", "# a comment\ndef f"),
    "a line inside": ("    y = x + 1\n", "\n    y = x + 1\n"),
    "another name": ("y", "z"),
    "another type of number": ("+ 1\n", "+ 1.0\n"),
    "the end is gone": (TEXT[TEXT.index("    return y") :], ""),
    "half-written": ("def f(x):", "def f(x:"),
    "emptied": (TEXT, ""),
}


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Import a text as a module of its own from a file."""
    monkeypatch.syspath_prepend(tmp_path)
    made = []

    def module(text=TEXT, name="tiny"):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        made.append(name)
        return importlib.import_module(name)

    yield module
    for name in made:
        sys.modules.pop(name, None)


def write(module, text):
    """Save a text as an editor does; the clock of the file goes on."""
    with open(module.__file__, "w", encoding="utf-8") as file:
        file.write(text)
    later = os.stat(module.__file__).st_mtime + 10
    os.utime(module.__file__, (later, later))


REFUSED = r"tiny\.py has changed since it was imported.*restart the kernel"


@pytest.mark.parametrize("looked", [False, True], ids=["new", "seen before"])
@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_a_file_that_was_edited_after_its_import(module, edit, looked):
    tiny = module()
    if looked:
        show_source(tiny.f)
        step_through(tiny.g, 1)
    write(tiny, TEXT.replace(*edit))
    refused = REFUSED if TEXT.replace(*edit) else "has changed|no tiny.py to be read"
    with pytest.raises(TypeError, match=refused):
        show_source(tiny.f)
    for call in (tiny.f, tiny.g, functools.partial(tiny.f)):
        with pytest.raises(ValueError, match=refused):
            step_through(call, 1)


CLASS_EDITS = {
    "a method": ("return x + self", "return x - self"),
    "a new method": ("\n@wrap", "    def new(self):\n        pass\n\n@wrap"),
    "the class is gone": ("class Layer:", "class Other:"),
    "it has moved": ("class Layer", "# above\nclass Layer"),
}


@pytest.mark.parametrize("edit", CLASS_EDITS.values(), ids=CLASS_EDITS)
def test_a_class_whose_file_was_edited(module, edit):
    tiny = module()
    assert body(tiny.Layer).startswith("class Layer:\n    size = 1")
    write(tiny, TEXT.replace(*edit))
    with pytest.raises(TypeError, match=REFUSED):
        show_source(tiny.Layer)


def test_an_edit_that_changes_nothing_that_runs(module):
    tiny = module()
    edited = TEXT.replace("    y = x + 1\n", "    y = x + 1  # [B]\n")
    write(tiny, edited)
    assert "# [B]" in body(tiny.f)
    assert step_through(tiny.f, torch.zeros(2)).recording["axes"] == [["B"]]


def test_a_module_that_was_reloaded(module):
    tiny = module()
    old = tiny.f
    write(tiny, TEXT.replace("x + 1\n    return", "x + 1000\n    return"))
    importlib.reload(tiny)
    assert "x + 1000" in body(tiny.f)
    assert "x + 1000" in step_through(tiny.f, 1).recording["functions"][0]["source"]
    with pytest.raises(TypeError, match=REFUSED):
        show_source(old)


def test_a_cell_that_imports_and_defines():
    """As part of one text with the import, Python would make another code of the call."""
    f = cell("import math\ndef f(x):\n    return math.sqrt(x)")["f"]
    assert body(f).endswith("math.sqrt(x)")
    assert step_through(f, 4.0).recording["functions"][0]["name"] == "f"


def test_a_cell_that_was_run_again():
    first = cell("def f(x):\n    return x + 1")["f"]
    second = cell("def f(x):\n    return x + 2\ndef f(x):\n    return x + 3")["f"]
    assert body(first).endswith("x + 1")
    assert body(second).endswith("x + 3")
    assert step_through(second, 1).recording["functions"][0]["source"].endswith("x + 3")


def test_cells_with_await_and_with_escapes_that_python_warns_of(recwarn):
    text = "import asyncio\nawait asyncio.sleep(0)\ndef f(x):\n    return '\\d'"
    shown = cell("def f(x):\n    return '\\d'")["f"]
    recwarn.clear()
    assert "\\d" in body(shown)
    assert not recwarn.list
    from follow_the_tensor.recording import text as texts

    _, codes = texts._compiled(text, 0)
    assert {"f", "<module>"} <= {key[1][0] for key in codes}


def test_a_module_in_an_archive(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "held.zip", "w") as archive:
        archive.writestr("zipped.py", TEXT)
    monkeypatch.syspath_prepend(tmp_path / "held.zip")
    zipped = importlib.import_module("zipped")
    assert body(zipped.f).startswith("def f(x):")
    assert body(zipped.Layer).startswith("class Layer:")
    assert len(step_through(zipped.f, 1).recording["steps"]) == 3


def test_a_module_without_its_source(module, tmp_path):
    (tmp_path / "bare.py").write_text(TEXT)
    py_compile.compile(tmp_path / "bare.py", cfile=tmp_path / "bare.pyc")
    (tmp_path / "bare.py").unlink()
    bare = importlib.import_module("bare")
    with pytest.raises(TypeError, match=r"no bare\.py to be read; put it back"):
        show_source(bare.f)
    with pytest.raises(ValueError, match=r"no bare\.py to be read; put it back"):
        step_through(bare.f, 1)


# --- what cannot be shown


@dataclasses.dataclass
class Point:
    x: int


Pair = namedtuple("Pair", "a b")
SPACE = {}
exec("def f(x):\n    return x\nclass A:\n    def go(self): pass", SPACE)
layer = MultiHeadAttention(4, 2)
NO_SOURCE = {
    "a function in C": (len, "it has no lines in Python"),
    "a number": (3, "it has no lines in Python"),
    "a text": ("causal_mask", "it has no lines in Python"),
    "a layer": (layer, "it is an object; show its class, MultiHeadAttention"),
    "a module": (torch, "it has no lines in Python"),
    "made by dataclass": (Point.__init__, "dataclass and namedtuple.*show the class"),
    "made by namedtuple": (Pair, "no class statement made it"),
    "made by type": (type("Made", (), {}), "no class statement made it"),
    "executed": (SPACE["f"], "made by exec.*write it into a file or a notebook cell"),
    "an executed class": (SPACE["A"], "made by exec.*write it into a file"),
    "a class in C": (int, "no method in Python"),
}


@pytest.mark.parametrize(("thing", "reason"), NO_SOURCE.values(), ids=NO_SOURCE)
def test_what_has_no_python_source_is_refused(thing, reason):
    with pytest.raises(TypeError, match=f"first: expected a class.*, got .*: .*{reason}"):
        show_source(thing)


def test_the_refusal_names_which_object_it_was():
    with pytest.raises(TypeError, match=r"others\[1\]: expected"):
        show_source(causal_mask, causal_mask, len)


def test_show_source_of_nothing_is_refused():
    with pytest.raises(TypeError, match="first"):
        show_source()


def numbers(n):
    yield from range(n)


async def fetch():
    return 1


async def stream():
    yield 1


@contextlib.contextmanager
def opened():
    yield 1


class Plain:
    half = property(lambda self: 0.5)


class Kept:
    @functools.cache  # noqa: B019
    def answer(self):
        return 1


kept = Kept()
kept.answer()
cached(1)
NOT_RECORDED = {  # a call, and what the refusal says to write instead
    "a generator": ([numbers, 3], r"lambda: list\(numbers\(\.\.\.\)\)"),
    "an iterator": ([map, cached, [1]], r"lambda: list\(map\(\.\.\.\)\)"),
    "a coroutine": ([fetch], r"lambda: asyncio\.run\(fetch\(\.\.\.\)\)$"),
    "an async generator": ([stream], r"async for item in stream\(\.\.\.\).*asyncio\.run\(items"),
    "a context": ([opened], r"inside `with opened\(\.\.\.\):`"),
    "an answered cache": ([cached, 1], r"cached\.cache_clear\(\).*cached\.__wrapped__"),
    "an answered cache of a method": ([kept.answer], r"Kept\(\)\.answer\.cache_clear\(\)"),
    "a function in C": ([len, [1]], r"lambda: len\(\.\.\.\)"),
    "a partial of it": ([functools.partial(len, [1])], r"lambda: len\(\.\.\.\)"),
    "a function of torch": ([torch.softmax, torch.ones(2), 0], r"lambda: softmax\(\.\.\.\)"),
    "a layer of torch": ([nn.Linear(2, 2), torch.ones(2)], r"<Linear>.*lambda: layer\(\.\.\.\)"),
    "of the standard library": ([inspect.cleandoc, ""], r"lambda: cleandoc\(\.\.\.\)"),
    "a class without __init__": ([Plain], "make an object, and step through one of its methods"),
    "a dataclass": ([Point, 1], "dataclass and namedtuple.*write it into a file"),
    "executed": ([SPACE["f"], 1], "typed into Python or made by exec.*a notebook cell"),
    "scripted": (
        [torch.jit.trace(nn.Linear(2, 2), torch.ones(2)), torch.ones(2)],
        "step through what was scripted or traced",
    ),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("call", "instead"), NOT_RECORDED.values(), ids=NOT_RECORDED)
def test_what_has_no_lines_to_step_through_is_refused_with_what_to_write(call, instead):
    with pytest.raises(ValueError, match=f"function: expected Python code.*{instead}"):
        step_through(*call)


def test_what_is_written_instead_works():
    for instead in (
        lambda: list(numbers(3)),
        lambda: asyncio.run(fetch()),
        lambda: len([1]),
        cached.__wrapped__,
    ):
        inputs = [1] if instead is cached.__wrapped__ else []
        assert step_through(instead, *inputs).recording["steps"]


def test_a_coroutine_where_a_loop_runs_already():
    async def in_a_notebook():
        with pytest.raises(ValueError, match="a notebook has a loop that runs already"):
            step_through(fetch)

    asyncio.run(in_a_notebook())


NOT_CALLABLE = {
    "a number": (7, "int|7"),
    "a property": (Plain.half, "lambda: thing.name"),
    "a result": (torch.ones(2), r"step_through\(f, x\), not f\(x\)"),
    "a generator that was called": (numbers(3), "leave out the brackets"),
}


@pytest.mark.parametrize(("thing", "instead"), NOT_CALLABLE.values(), ids=NOT_CALLABLE)
def test_what_cannot_be_called_is_refused(thing, instead):
    with pytest.raises(TypeError, match=f"function: expected a function.*{instead}"):
        step_through(thing)


def test_a_call_that_cannot_start_raises_as_it_would_alone():
    with pytest.raises(TypeError, match=r"forward\(\) missing 2 required positional arguments"):
        step_through(layer, torch.ones(1, 2, 4))


# --- where the stepper opens


def test_it_opens_at_the_first_line_that_is_no_check_or_where_it_is_told():
    x = torch.ones(1, 3, 4)
    stepper = step_through(layer, x, x, x)
    recording = stepper.recording
    assert list(range(stepper.step)) == recording["checks"][: stepper.step]
    told = step_through(layer, x, x, x, at="scores")
    assert told.step == recording["stops"]["scores"] > stepper.step
    with pytest.raises(ValueError, match=r"at: expected one of .*scores.*, got 'score'"):
        step_through(layer, x, x, x, at="score")
    with pytest.raises(TypeError, match="at: expected a string, got int"):
        step_through(layer, x, x, x, at=3)
