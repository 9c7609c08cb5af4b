"""What a view computes is what the package computes, in a real browser."""

import math

import pytest
import torch

from follow_the_tensor import cells, explorables
from follow_the_tensor.explorables.shared import bundle
from tests.support.explorables import FOLDER, draw, modules_page

STATES_EACH = 100
COMPUTE = """([name, states]) => {
    const { compute } = explorables.modules[name];
    return states.map((state) => compute?.(state) ?? null);
}"""
# Draw each state into an element of its own; a model without a kernel has what it was given.
DRAW = """([name, states]) => states.map((state) => {
    const model = { get: (key) => state[key], set() {}, on() {}, off() {}, save_changes() {} };
    const root = document.createElement("div");
    try {
        shared_store.start(explorables.modules[name], model, root)();
        return root.textContent;
    } catch (error) {
        return error;
    }
})"""


@pytest.fixture(scope="module")
def page(browser):
    return modules_page(browser)


each = pytest.mark.parametrize("explorable", explorables.ALL, ids=lambda each: each.module)


@each
def test_view_and_package_give_the_same_result(page, explorable):
    widgets = draw(explorable, STATES_EACH)
    shown = page.evaluate(COMPUTE, [explorable.module, [widget.state() for widget in widgets]])
    for widget, result in zip(widgets, shown, strict=True):
        assert close(result, widget.result), (
            f"{explorable.module}: compute in view.js and result in __init__.py disagree "
            f"for the state {widget.state()}"
        )


@each
def test_the_view_starts_from_the_state_of_the_class(page, explorable):
    shown = page.evaluate(f"explorables.modules.{explorable.module}.defaults")
    traits = explorable.class_traits(state=True)
    expected = {name: trait.default(explorable) for name, trait in traits.items()}
    assert shown == expected, f"{explorable.module}: write into view.js const defaults = {expected}"


@each
def test_every_state_can_be_drawn(page, explorable):
    """The incomplete ones too: what is missing has its default."""
    states = [widget.state() for widget in draw(explorable, 20)]
    start = {
        name: trait.default(explorable)
        for name, trait in explorable.class_traits(state=True).items()
    }
    states += [{key: value for key, value in start.items() if key != name} for name in start]
    for state, text in zip(states, page.evaluate(DRAW, [explorable.module, states]), strict=True):
        assert isinstance(text, str), f"{explorable.module}/view.js: {text} for the state {state}"
        assert text or not state.get("recording", True)


def test_a_name_has_the_colour_that_draw_gives_it(page):
    """The words in grid.js are those of NAMED in drawing/cells.py."""
    names = "q Q query queries quiet k K keys keysᵀ key_0 kernel v V values valid context".split()
    names += "w W W_q weights weighted mask scores x memory self".split()
    expected = {name: cells(name, torch.zeros(2)).role for name in names}
    script = f"names => names.map({bundle.part('shared/grid.js')}.roleOf)"
    shown = dict(zip(names, page.evaluate(script, names), strict=True))
    assert {**shown, **{n: "plain" for n in names if shown[n] == "masked"}} == expected


def close(a, b):
    """Whether two JSON values are the same, their numbers to 1e-6, absolute or relative."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(close(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(close, a, b))
    if isinstance(b, float) and type(a) in (int, float):
        return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6)
    return a == b


class TestFields:
    """What every field of numbers takes, in `shared/typed.js`."""

    @pytest.fixture
    def read(self, page):
        """Call a function with a text; an error comes back as its message."""
        page.evaluate(f"void (globalThis.typed ??= {bundle.part('shared/typed.js')})")
        script = """([name, text, options]) => {
            try { return typed[name](text, options); } catch (error) { return error.message; }
        }"""
        return lambda *call: page.evaluate(script, call)

    @pytest.mark.parametrize(
        ("text", "number"),
        [
            *[("7", 7), (" 0.5 ", 0.5), ("-1e3", -1000), (".5", 0.5), ("+2", 2)],
            *[("８２５６", 8256), ("८२५६", 8256), ("𝟠𝟚𝟝𝟞", 8256), ("０．５", 0.5)],
            *[("8 256", 8256), ("8,256", 8256), ("8\u202f256", 8256), ("8\u00a0256", 8256)],
            *[("−1", -1), ("–1", -1), ("－1", -1), ("﹣1", -1), ("\u20111", -1)],
        ],
    )
    def test_a_number(self, read, text, number):
        assert read("parse", text, {}) == number

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            *[(text, "is not a number") for text in ("", "abc", "1 2", "8,25", "0x10", "nan", "²")],
            *[
                ("Infinity", "is not a number"),
                ("1e999", "is not between"),
                ("1e7", "is not between"),
            ],
        ],
    )
    def test_what_is_no_number(self, read, text, message):
        assert message in read("parse", text, {})

    @pytest.mark.parametrize(
        ("text", "shape"),
        [
            *[("2, 3", [2, 3]), ("(6,)", [6]), ("[2 3]", [2, 3]), ("torch.Size([2, 3])", [2, 3])],
            *[("6，1", [6, 1]), ("（6、1）", [6, 1]), ("٦، ١", [6, 1]), ("8,256", [8, 256])],
            *[("8\u3000256", [8, 256]), ("", []), ("()", []), ("0", [0])],
        ],
    )
    def test_a_shape(self, read, text, shape):
        assert read("parseShape", text, {"most": 6}) == shape

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("-1", "is not between 0"),
            ("2.5", "not a whole number"),
            ("1 1 1 1 1 1 1", "at most 6"),
            ("99999999", "is not between"),
        ],
    )
    def test_what_is_no_shape(self, read, text, message):
        assert message in read("parseShape", text, {"most": 6})


def test_every_folder_holds_an_explorable():
    """What is found is compared with the folders, so that nothing is left out in silence."""
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir()} - {"shared", "__pycache__"}
    assert sorted(each.module for each in explorables.ALL) == sorted(folders)
