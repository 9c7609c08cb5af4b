"""The explorables for the tests: in random states, in a page of their own, in a notebook."""

import random
import re
from importlib import import_module

from follow_the_tensor import explorables
from follow_the_tensor.explorables.shared import bundle
from tests.support.notebook_guard import ROOT

FOLDER = bundle.EXPLORABLES
HEAD = """<!doctype html><html lang="en" data-theme="{theme}"><head><meta charset="utf-8">
<title>Page</title><meta name="viewport" content="width=device-width"><style>{style}
body {{ background: var(--ftt-paper); color: var(--ftt-ink); font-family: sans-serif }}</style>
{scripts}</head><body><main><h1>Page</h1>{content}</main></body></html>"""
# Give every module of a page a name of its own, instead of drawing it where the page shows it.
CATCH = """() => {
    const codes = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    explorables.modules = {};
    explorables.define = (name, make) => {
        const weights = explorables.weights[name];
        explorables.modules[name] = make(weights && new DataView(codes(weights).buffer));
    };
}"""


def draw(explorable, count, seed=0):
    """`count` widgets of the class `explorable` in random states."""
    sample = import_module(f"{explorables.__name__}.{explorable.module}.samples").sample
    rng = random.Random(seed)
    return [explorable(**sample(rng)) for _ in range(count)]


def html_of(widget):
    data, _ = widget._repr_mimebundle_()
    return data["text/html"]


def write_page(folder, *widgets, theme="light"):
    """A page that shows the widgets as the book does; returns its path."""
    names = dict.fromkeys(widget.module for widget in widgets)
    scripts = bundle.page_scripts(names)
    for name, text in scripts.items():
        (folder / name).write_text(text, encoding="utf-8")
    tags = "".join(f'<script defer src="{name}"></script>' for name in scripts)
    content = "\n".join(map(html_of, widgets))
    text = HEAD.format(theme=theme, style=widgets[0]._css, scripts=tags, content=content)
    (folder / "page.html").write_text(text, encoding="utf-8")
    return folder / "page.html"


def modules_page(browser):
    """A page with the modules of all explorables in `explorables.modules`, and none drawn."""
    page = browser.new_page()
    for name, script in bundle.page_scripts(bundle.modules()).items():
        page.add_script_tag(content=script)
        if name == "host.js":
            page.evaluate(CATCH)
    return page


# --- the explorables of the built book

MODULE = re.compile(r'class="explorable" data-module="(\w+)"')
SHOWS = {
    page: MODULE.findall(page.read_text(encoding="utf-8"))
    for page in sorted((ROOT / "_build" / "html").rglob("*.html"))
}


def first(visited, module):
    """The first explorable of a kind on a page that is open."""
    box = visited.page.locator(f".explorable.live[data-module={module}]").first
    box.scroll_into_view_if_needed()
    return box


def stop_clock(page):
    """From now on time passes only by `page.clock.run_for`; install alone lets it go on."""
    page.clock.install(time="2026-01-01T00:00:00")
    page.clock.pause_at("2026-01-01T01:00:00")


# --- what a reader can do with any explorable


def unanswered(explorable):
    """A random widget; a question has not got its answer yet, so that there is something to do."""
    return next(
        each for each in draw(explorable, 20) if (each.result or {}).get("verdict") != "right"
    )


# The last of them: the first is often there already, or has nowhere to go.
TO_CLICK = (
    "input[type=radio]:not(:checked), input[type=checkbox], "
    "button:not(.reset, [type=submit], :disabled, [aria-disabled=true])"
)
TO_MOVE = "input[type=range]"
TO_FILL = ":not(form) > input[type=text], .grid input"
# Half of a character: no field takes it, and no driver of a browser can type it.
SPOIL = """input => {
    input.focus();
    input.value = String.fromCharCode(0xd800);
    input.dispatchEvent(new Event("input"));
}"""


def use(box, touch=False):
    """Click, press a key, type nonsense: what this explorable has. Returns what was done."""
    done = []
    for kind, act in {TO_CLICK: click, TO_MOVE: move, TO_FILL: spoil}.items():
        if box.locator(kind).count():
            act(box, touch)
            done.append(act.__name__)
    return done


def click(box, touch):
    before, target = box.inner_html(), box.locator(TO_CLICK).last
    target.tap() if touch else target.click()
    assert box.inner_html() != before


def move(box, touch):
    box.locator(TO_MOVE).first.focus()
    before = box.inner_text()
    box.page.keyboard.press("ArrowRight")
    box.page.keyboard.press("ArrowLeft" if box.inner_text() == before else "ArrowRight")
    assert box.inner_text() != before


def spoil(box, touch):
    field = box.locator(TO_FILL).first
    before, good = box.inner_text(), field.input_value()
    field.evaluate(SPOIL)
    assert field.get_attribute("aria-invalid") == "true"
    message = "".join(box.locator(".message").all_inner_texts()).strip()
    assert message
    assert box.inner_text().replace(message, "").split() == before.split()
    field.blur()
    assert (field.input_value(), box.inner_text()) == (good, before)
