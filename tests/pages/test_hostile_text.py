"""Text stays text: in the still of an explorable, in a page and in a notebook."""

import base64

import pytest
from torch import nn

from follow_the_tensor import explorables, step_through
from follow_the_tensor.explorables.shared import bundle
from tools.browser import Visit

# What would run if any of it were taken for HTML, with quotes that would end an attribute.
HOSTILE = "\"'><img class=hostile src=x onerror=hit()>&amp;"


def hostile(x):
    """<img class=hostile src=x onerror=hit()>

    More of it: <img class=hostile src=x onerror=hit()>
    """
    layer = type(HOSTILE, (nn.Module,), {})()  # <img class=hostile src=x onerror=hit()>
    table = {HOSTILE: layer, "text": HOSTILE}
    raise ValueError(HOSTILE, len(table), x)


def widgets():
    """Every explorable, with hostile text wherever its author may write some."""
    predict = explorables.Predict
    return [
        predict(HOSTILE, HOSTILE, reason=HOSTILE),
        predict(HOSTILE, HOSTILE, reason=HOSTILE, options=[HOSTILE, "another"]),
        explorables.ReadDates(text=HOSTILE, examples=[HOSTILE]),
        explorables.ModelMap(chapters=HOSTILE, suffix=HOSTILE),
        step_through(hostile, HOSTILE),
        explorables.Broadcasting(),
        explorables.LayerNorm(),
        explorables.Masks(),
        explorables.Memory(),
        explorables.Positions(),
        explorables.Softmax(),
    ]


TELLS = {"predict", "read_dates", "stepper"}  # these show a text of their author
HEAD = (
    '<!doctype html><meta charset="utf-8"><script>var hits = 0; const hit = () => hits++</script>'
)
# Move every slider through all its values, press every button, write into every field.
USE = """text => {
    const all = (selector) => document.querySelectorAll(selector);
    const give = (input, value) => {
        input.value = value;
        input.dispatchEvent(new Event("input", { bubbles: true }));
    };
    for (const button of all("button")) button.click();
    for (const slider of all("input[type=range]"))
        for (let n = Number(slider.min); n <= Number(slider.max); n++) give(slider, n);
    for (const field of all("input:is(:not([type]), [type=text])")) give(field, text);
}"""
# As a notebook does it: the widget's own module, and a model that holds what the kernel sends.
SHOW_WIDGET = """async ([esm, state, module, weights]) => {
    const codes = Uint8Array.from(atob(weights), (character) => character.charCodeAt(0));
    state.weights = new DataView(codes.buffer);
    const file = new Blob([esm], { type: "text/javascript" });
    const { default: widget } = await import(URL.createObjectURL(file));
    const el = document.body.appendChild(document.createElement("div"));
    el.dataset.module = module;
    const model = { get: (name) => state[name], set: (name, value) => { state[name] = value; },
                    on() {}, off() {}, save_changes() {} };
    widget.render({ model, el });
}"""


@pytest.fixture
def open_page(browser, tmp_path):
    """Open HTML from a file, with scripts or without."""
    contexts = []

    def open_page(html, **options):
        (tmp_path / "page.html").write_text(HEAD + html, encoding="utf-8")
        contexts.append(browser.new_context(offline=True, **options))
        return Visit(contexts[-1], tmp_path / "page.html")

    yield open_page
    for context in contexts:
        context.close()


def check(visit):
    """The hostile text is there to read; it has made no element and run no code."""
    visit.page.wait_for_timeout(100)  # an image that cannot be loaded says so a moment later
    shown = visit.page.eval_on_selector_all(
        "[data-module]",
        "(all, text) => all.filter(e => e.textContent.includes(text)).map(e => e.dataset.module)",
        HOSTILE,
    )
    assert visit.page.locator(".hostile").count() == 0
    assert visit.page.evaluate("globalThis.hits ?? 0") == 0
    assert set(shown) >= TELLS


def outputs():
    return "\n".join(widget._repr_mimebundle_()[0]["text/html"] for widget in widgets())


def test_hostile_text_in_the_stills(open_page):
    check(open_page(outputs(), java_script_enabled=False))


def test_hostile_text_in_a_page(open_page, tmp_path):
    scripts = bundle.page_scripts(bundle.modules())
    for name, script in scripts.items():
        (tmp_path / name).write_text(script, encoding="utf-8")
    tags = "".join(f'<script src="{name}"></script>' for name in scripts)
    visit = open_page(outputs() + tags)
    assert visit.page.locator(".explorable.live").count() == len(widgets())
    visit.page.evaluate(USE, HOSTILE)
    check(visit)
    assert not visit.errors


def test_hostile_text_in_a_notebook(open_page):
    visit = open_page("<body>")
    for widget in widgets():
        weights = base64.b64encode(getattr(widget, "weights", b"")).decode()
        visit.page.evaluate(SHOW_WIDGET, [widget._esm, widget.state(), widget.module, weights])
    visit.page.evaluate(USE, HOSTILE)
    check(visit)
    assert not visit.errors
