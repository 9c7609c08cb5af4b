"""Every explorable comes to life in the book, and answers mouse, keyboard and touch."""

import base64
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from follow_the_tensor import explorables
from tests.support.explorables import SHOWS, first, unanswered, use, write_page
from tests.support.notebook_guard import ROOT
from tools.browser import Visit

BOOK = ROOT / "_build" / "html"
PAGES = [page for page, modules in SHOWS.items() if modules]
SIZES = {"desk": {"width": 1280, "height": 900}, "phone": {"width": 360, "height": 740}}
WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.fixture
def visit(browser):
    """Open a page with the network off."""
    contexts = []

    def visit(page, size="desk", **options):
        contexts.append(browser.new_context(offline=True, viewport=SIZES[size], **options))
        return Visit(contexts[-1], page)

    yield visit
    for context in contexts:
        context.close()


@pytest.fixture
def show(visit, tmp_path):
    """Open a page of its own with one widget; gives its box."""

    def show(widget, **options):
        opened = visit(write_page(tmp_path, widget), **options)
        return opened, first(opened, widget.module)

    return show


def check_look(opened):
    """Nothing is too wide, and axe finds nothing wrong; in the dark only colours are others."""
    opened.page.evaluate(AXE_SCRIPT)
    for theme, rules in {"light": "{}", "dark": "{runOnly: ['color-contrast']}"}.items():
        script = "theme => void (document.documentElement.dataset.theme = theme)"
        opened.page.evaluate(script, theme)
        assert not opened.page.evaluate(WIDE)
        found = opened.page.evaluate(f"axe.run('.explorable', {rules})")["violations"]
        assert not [(theme, each["id"], each["nodes"][0]["html"]) for each in found]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_all_come_to_life(visit, page, size):
    """How they look: test_pages.py, where they stand; below, after a reader has used them."""
    opened = visit(page, size)
    assert opened.page.locator(".explorable.live").count() == len(SHOWS[page])
    assert not opened.errors
    assert all(url.startswith(BOOK.as_uri()) for url in opened.requests)
    assert not opened.page.evaluate(WIDE)


@pytest.mark.parametrize("touch", [False, True], ids=["mouse and keys", "touch"])
@pytest.mark.parametrize("explorable", explorables.ALL, ids=lambda each: each.module)
def test_each_answers_what_the_reader_does(show, explorable, touch):
    size = "phone" if touch else "desk"
    opened, box = show(unanswered(explorable), size=size, has_touch=touch)
    assert use(box, touch), f"{explorable.module}/view.js: expected something to click or to fill"
    check_look(opened)
    assert not opened.errors


def test_arrow_keys_move_in_the_mask_and_space_flips_a_cell(show):
    _, box = show(explorables.Masks())
    box.locator(".grid button").first.focus()
    for key in ("ArrowRight", "ArrowDown", "Space"):
        box.page.keyboard.press(key)
    cell = box.get_by_role("button", name="mask, query 1, key 1")
    assert cell.get_attribute("aria-pressed") == "true"
    assert cell.evaluate("cell => cell === document.activeElement")


def test_a_cell_that_causality_blocks_says_so_and_stays_as_it_is(show):
    _, box = show(explorables.Masks())
    cell = box.get_by_role("button", name="mask, query 0, key 2")
    assert (cell.inner_text(), cell.get_attribute("aria-disabled")) == ("1", "false")
    box.get_by_label("causal").check()
    cell.dispatch_event("click")
    assert (cell.inner_text(), cell.get_attribute("aria-disabled")) == ("0", "true")
    box.get_by_label("is blocked").dispatch_event("click")
    assert cell.inner_text() == "1"
    box.get_by_label("may attend").dispatch_event("click")
    box.get_by_label("causal").uncheck()
    assert cell.inner_text() == "1"


def test_scores_are_divided_by_the_root_that_is_picked(show):
    _, box = show(explorables.Softmax(scores=[[8.0, 0.0]]))
    roots = box.get_by_role("group", name="÷ √d_k")
    assert roots.get_by_role("radio").evaluate_all("all => all.map(each => each.value)") == [
        "1", "4", "16", "64",
    ]  # fmt: skip
    roots.get_by_label("64").dispatch_event("click")
    shown = box.locator("table", has_text="weights").locator("td").all_inner_texts()
    weights = explorables.Softmax(scores=[[8.0, 0.0]], d_k=64).result["weights"][0]
    assert shown[-2:] == [f"{weight:.4f}" for weight in weights]


def test_every_link_of_the_model_map_leads_to_its_section(visit):
    page = next(page for page, modules in SHOWS.items() if "model_map" in modules)
    box = first(visit(page), "model_map")
    links = box.locator("a").evaluate_all("links => links.map(link => link.href)")
    assert len(links) == 2 * box.locator(".box").count()
    for link in map(urlsplit, links):
        page = Path(unquote(link.path)).read_text(encoding="utf-8")
        assert not link.fragment or f'id="{link.fragment}"' in page, link.geturl()


def test_a_typed_shape_is_broadcast(show):
    _, box = show(explorables.Broadcasting())
    box.locator("input[type=text] >> nth=1").fill("(6,)")
    assert "axis −1, 12 meets 6" in box.inner_text()
    box.locator("input[type=text] >> nth=1").fill("6，1")
    assert "[2, 6, 12]" in box.inner_text()


def test_a_character_is_written_and_a_setting_changes_the_names(show):
    _, box = show(explorables.InventNames(text="Ma"))
    names, typed = box.locator("ol"), box.locator("input[type=text]")
    expected = names.inner_text()[:3]
    box.get_by_role("button", name="write one character").click()
    assert typed.input_value() == expected
    box.get_by_label("top-k").fill("1")
    result = explorables.InventNames(text=expected, top_k=1).result
    assert names.inner_text().split("\n") == result["names"]
    typed.fill("☃")
    assert "Unknown to the model, and all alike to it: ☃" in box.inner_text()


def test_an_answer_is_typed_judged_and_explained(show):
    _, box = show(explorables.Predict("?", 8256, reason="Because."))
    for answer, sign in [("no such answer", "✗"), ("\ud800", "✗"), ("８ ２５６", "✓")]:
        write = "(input, text) => { input.value = text; }"
        box.locator("input").evaluate(write, answer.encode("utf-8", "replace").decode())
        box.get_by_text("check").click()
        assert sign in box.inner_text()
    box.locator("input").fill("7")
    box.page.keyboard.press("Enter")
    assert "✗" in box.inner_text()
    box.get_by_text("show the answer").click()
    assert "✓ 8256. Because." in box.inner_text()


def test_an_answer_is_picked_and_judged(show):
    _, box = show(explorables.Predict("?", "b", options=["a", "b"]))
    for option, sign in {"a": "✗", "b": "✓"}.items():
        box.get_by_role("button", name=option, exact=True).click()
        assert sign in box.inner_text()


def test_the_numbers_in_the_page_are_those_of_the_package(show):
    """Click through a mask, and read the weights from the page after each click."""
    widget = explorables.Masks()
    _, box = show(widget)
    for row, key in [(0, 1), (1, 2), (0, 0), (0, 2), (0, 1), (1, 0)]:
        box.get_by_role("button", name=f"mask, query {row}, key {key}").click()
        cells = [list(line) for line in widget.cells]
        cells[row][key] = not cells[row][key]
        widget.cells = cells
        table = box.locator("table", has=box.page.locator("caption", has_text="weights"))
        shown = [float(text) for text in table.locator("td").all_inner_texts() if text]
        expected = [weight for line in widget.result["weights"] for weight in line]
        assert shown == pytest.approx(expected, abs=5e-5)


def places_of(number, state, *path):
    """Where in a state a number stands: the name, then the indices."""
    if isinstance(state, dict | list):
        parts = state.items() if isinstance(state, dict) else enumerate(state)
        return [place for key, part in parts for place in places_of(number, part, *path, key)]
    return [path] if state == number else []


class TestInANotebook:
    """The widget's own module, with a model that a kernel never answers, as anywidget passes it."""

    START = """async ([esm, state, weights]) => {
        const codes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
        if (weights) state.weights = new DataView(codes(weights).buffer);
        const listeners = {};
        globalThis.model = {
            sent: [],
            changed: {},
            get: (name) => state[name],
            set(name, value) {
                state[name] = model.changed[name] = value;
                for (const listen of listeners[`change:${name}`] ?? []) listen();
            },
            on: (event, listen) => void (listeners[event] ??= new Set()).add(listen),
            off: (event, listen) => void listeners[event].delete(listen),
            save_changes: () => { model.sent.push(model.changed); model.changed = {}; },
        };
        const file = new Blob([esm], { type: "text/javascript" });
        const widget = await import(URL.createObjectURL(file));
        const el = document.body.appendChild(document.createElement("div"));
        el.className = "explorable";
        globalThis.stop = widget.default.render({ model, el });
    }"""

    @pytest.fixture
    def start(self, browser):
        page = browser.new_page()

        def start(widget):
            weights = getattr(widget, "weights", b"")
            encoded = base64.b64encode(weights).decode()
            page.evaluate(self.START, [widget._esm, widget.state(), encoded])
            return page.locator(".explorable")

        yield start
        page.close()

    @pytest.mark.parametrize("explorable", explorables.ALL, ids=lambda each: each.module)
    def test_it_answers_at_once(self, start, explorable):
        box = start(unanswered(explorable))
        done = use(box)
        assert done
        nothing_to_send = done == ["spoil"]  # nonsense in a field stays in the view
        assert nothing_to_send or box.page.evaluate("model.sent.length") > 0

    @pytest.mark.parametrize("explorable", explorables.ALL, ids=lambda each: each.module)
    def test_each_field_changes_its_own_number(self, start, explorable):
        """In a grid, the first field the first number of the state, and so on."""
        widget = unanswered(explorable)
        box = start(widget)
        fields, places = box.locator(".grid input"), []
        for n in range(fields.count()):
            fields.nth(n).fill("7.5")
            state = widget.state() | box.page.evaluate("Object.assign({}, ...model.sent)")
            places += [place for place in places_of(7.5, state) if place not in places]
            assert len(places) == n + 1, f"{explorable.module}/view.js: field {n} set {places}"
        names = [place[0] for place in places]
        assert places == sorted(places, key=lambda place: (names.index(place[0]), place[1:]))

    def test_a_click_is_drawn_sent_and_not_waited_for(self, start):
        box = start(explorables.Masks())
        box.get_by_role("button", name="mask, query 1, key 1").click()
        sent = box.page.evaluate("model.sent")
        assert sent == [{"cells": [[True, False, True], [False, True, False]]}]
        assert "1" in box.locator("table", has_text="row sum").inner_text()

    def test_what_the_kernel_sends_in_parts_is_drawn_as_a_whole(self, start):
        box = start(explorables.Masks())
        box.page.evaluate("""() => {
            model.set("scores", [[0]]);
            model.set("cells", [[true]]);
        }""")
        assert box.locator(".grid button").count() == 1
        box.page.evaluate("stop(); model.set('causal', true)")  # the view is gone
