"""Every explorable of the built book comes to life, and answers mouse, keyboard and touch."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from follow_the_tensor import explorables
from follow_the_tensor.explorables.shared import bundle
from tests.support.notebook_guard import ROOT
from tools.browser import Visit

BOOK = ROOT / "_build" / "html"
MODULE = re.compile(r'class="explorable" data-module="(\w+)"')
SHOWS = {
    page: MODULE.findall(page.read_text(encoding="utf-8")) for page in sorted(BOOK.rglob("*.html"))
}
PAGES = [page for page, modules in SHOWS.items() if modules]
SIZES = {"desk": {"width": 1280, "height": 900}, "phone": {"width": 360, "height": 740}}

# For each explorable: what to click or tap, and a control that the keyboard moves.
CONTROLS = {
    "softmax": ('input[value="0"]', "input[type=range] >> nth=0"),
    "masks": (".grid button >> nth=0", "input[type=range] >> nth=2"),
    "positions": ("", "input[type=range] >> nth=0"),
    "layer_norm": ("input[value=pre]", "input[type=range] >> nth=0"),
    "memory": ("input[value=reshape]", "input[type=range] >> nth=0"),
    "broadcasting": ("", ""),
    "predict": ("", ""),
    "model_map": ("", "input[type=range] >> nth=0"),
    "read_dates": ("text=next step", "input[type=range] >> nth=0"),
    "stepper": ("button[aria-label=forward]", "input[type=range] >> nth=0"),
}
# For each explorable with fields: the field, and what the page says to nonsense.
FIELDS = {
    "softmax": (".grid input >> nth=0", "“abc” is not a number"),
    "positions": ("input[type=text]", "“abc” is not a number"),
    "layer_norm": (".grid input >> nth=0", "“abc” is not a number"),
    "broadcasting": ("input[type=text] >> nth=0", "“abc” is not a number"),
}


def having(controls):
    return [name for name in sorted(controls) if controls[name]]


@pytest.fixture
def visit(browser):
    """Open a page, or the first page that shows an explorable, with the network off."""
    contexts = []

    def visit(target, theme="light", size="desk", **options):
        page = target if target in SHOWS else next(p for p in PAGES if target in SHOWS[p])
        context = browser.new_context(
            offline=True, color_scheme=theme, viewport=SIZES[size], **options
        )
        contexts.append(context)
        return Visit(context, page)

    yield visit
    for context in contexts:
        context.close()


def first(visited, module):
    box = visited.page.locator(f".explorable.live[data-module={module}]").first
    box.scroll_into_view_if_needed()
    return box


def test_every_explorable_is_shown_somewhere():
    assert {module for modules in SHOWS.values() for module in modules} == set(bundle.modules())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_all_come_to_life(visit, page, theme, size):
    opened = visit(page, theme, size)
    assert opened.page.locator(".explorable.live").count() == len(SHOWS[page])
    assert not opened.errors
    assert all(url.startswith(BOOK.as_uri()) for url in opened.requests)
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not opened.page.evaluate(wide)
    opened.page.evaluate(AXE_SCRIPT)
    found = opened.page.evaluate("axe.run('.explorable')")["violations"]
    assert not [(each["id"], each["nodes"][0]["html"]) for each in found]


@pytest.mark.parametrize("module", having({name: pair[0] for name, pair in CONTROLS.items()}))
def test_a_click_and_a_tap_change_it(visit, module):
    for touch in (False, True):
        box = first(visit(module, has_touch=touch), module)
        before = box.inner_html()
        target = box.locator(CONTROLS[module][0]).first
        target.tap() if touch else target.click()
        assert box.inner_html() != before


@pytest.mark.parametrize("module", having({name: pair[1] for name, pair in CONTROLS.items()}))
def test_the_keyboard_changes_it(visit, module):
    box = first(visit(module), module)
    before = box.inner_text()
    box.locator(CONTROLS[module][1]).focus()
    box.page.keyboard.press("ArrowRight")
    box.page.keyboard.press("ArrowLeft" if box.inner_text() == before else "ArrowRight")
    assert box.inner_text() != before


def test_arrow_keys_move_in_the_mask_and_space_flips_a_cell(visit):
    box = first(visit("masks"), "masks")
    box.locator(".grid button").first.focus()
    for key in ("ArrowRight", "ArrowDown", "Space"):
        box.page.keyboard.press(key)
    cell = box.get_by_role("button", name="mask, query 1, key 1")
    assert cell.get_attribute("aria-pressed") == "true"
    assert cell.evaluate("cell => cell === document.activeElement")


@pytest.mark.parametrize("module", FIELDS)
def test_nonsense_gets_a_message_and_keeps_the_last_good_state(visit, module):
    selector, message = FIELDS[module]
    opened = visit(module)
    box = first(opened, module)
    before = box.inner_text()
    box.locator(selector).fill("abc")
    assert box.inner_text().replace(message, "").split() == before.split()
    assert message in box.inner_text()
    assert box.locator(selector).get_attribute("aria-invalid") == "true"
    assert not opened.errors


def test_every_link_of_the_model_map_leads_to_its_section(visit):
    box = first(visit("model_map"), "model_map")
    links = box.locator("a").evaluate_all("links => links.map(link => link.href)")
    assert len(links) == 2 * box.locator(".box").count()
    for link in map(urlsplit, links):
        page = Path(unquote(link.path)).read_text(encoding="utf-8")
        assert not link.fragment or f'id="{link.fragment}"' in page, link.geturl()


def test_a_typed_shape_is_broadcast(visit):
    box = first(visit("broadcasting"), "broadcasting")
    box.locator("input[type=text] >> nth=1").fill("(6,)")
    assert "axis −1, 12 meets 6" in box.inner_text()
    box.locator("input[type=text] >> nth=1").fill("6, 1")
    assert "[2, 6, 12]" in box.inner_text()


def test_a_prediction_is_judged_and_explained(visit):
    box = first(visit("predict"), "predict")
    state = box.get_attribute("data-state")
    if box.locator("input").count():
        box.locator("input").fill("no such answer")
        box.page.keyboard.press("Enter")
        assert "✗" in box.inner_text()
        box.get_by_text("show the answer").click()
    else:
        for option in box.locator("button").all():
            option.click()
            if "✓" in box.inner_text():
                break
    assert "✓" in box.inner_text()
    assert state


def test_the_numbers_in_the_page_are_those_of_the_package(visit):
    """Click through a mask, and read the weights from the page after each click."""
    box = first(visit("masks"), "masks")
    widget = explorables.Masks()
    for row, key in [(0, 1), (1, 2), (0, 0), (0, 2), (0, 1), (1, 0)]:
        box.get_by_role("button", name=f"mask, query {row}, key {key}").click()
        cells = [list(line) for line in widget.cells]
        cells[row][key] = not cells[row][key]
        widget.cells = cells
        table = box.locator("table", has=box.page.locator("caption", has_text="weights"))
        shown = [float(text) for text in table.locator("td").all_inner_texts() if text]
        expected = [weight for line in widget.result["weights"] for weight in line]
        assert shown == pytest.approx(expected, abs=5e-5)
