"""What a page computes without a kernel is what the package computes, in a real browser."""

import math

import pytest

from follow_the_tensor.explorables.shared import bundle
from tests.support.explorable_states import STATES, draw

STATES_EACH = 150


@pytest.fixture(scope="module")
def page(browser):
    page = browser.new_page()
    page.add_script_tag(content=bundle.page_host())
    for module in bundle.WEIGHTS:
        page.add_script_tag(content=bundle.page_weights(module))
    page.evaluate("void (explorables.define = (name, make) => { window[name] = make(kit) })")
    for explorable in STATES:
        page.add_script_tag(content=bundle.page_script(explorable.module))
    return page


@pytest.mark.parametrize("explorable", STATES, ids=lambda each: each.module)
def test_page_and_package_give_the_same_result(page, explorable):
    widgets = draw(explorable, STATES_EACH)
    states = [widget.state() for widget in widgets]
    script = """([name, states]) =>
        states.map((state) => window[name].compute(state, explorables.weights[name]))"""
    shown = page.evaluate(script, [explorable.module, states])
    for state, widget, result in zip(states, widgets, shown, strict=True):
        assert result == close_to(widget.result), state


def close_to(value):
    """Any JSON value, with its numbers compared to 1e-6, absolute or relative."""
    if isinstance(value, dict):
        return {name: close_to(each) for name, each in value.items()}
    if isinstance(value, list):
        return [close_to(each) for each in value]
    if isinstance(value, float) and math.isfinite(value):
        return pytest.approx(value, rel=1e-6, abs=1e-6)
    return value
