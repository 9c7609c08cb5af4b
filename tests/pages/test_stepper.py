"""The stepper: as a widget without a browser, and as a view in a real one."""

import re
import subprocess
import sys

import pytest
import torch
import traitlets

from follow_the_tensor import (
    EncoderLayer,
    MultiHeadAttention,
    Transformer,
    faults,
    step_through,
)
from follow_the_tensor.positional import sinusoid_table
from tests.support.explorables import html_of, stop_clock, write_page
from tests.support.helpers import D_FF, LS, LT, B, D, H, draw
from tests.support.page_checks import WIDE, accessibility, overflow
from tools.browser import Visit

ROW_OF_NOTHING = torch.tensor([[1, 0, 0], [1, 1, 0], [0, 0, 0]], dtype=torch.bool)


def attention():
    torch.manual_seed(0)
    layer, x = MultiHeadAttention(4, 2).double(), draw(1, 3, 4, dtype=torch.float64)
    stepper = step_through(layer, x, x, x, ROW_OF_NOTHING, need_weights=True)
    stepper.step = 0  # most tests count from the first step
    return stepper


def step_at(stepper, start):
    """The first step at a line that begins like this."""
    recording = stepper.recording
    functions = [recording["functions"][function] for function, _ in recording["frames"]]
    sources = [function["source"].split("\n") for function in functions]
    lines = [sources[frame][line - 1].strip() for frame, line, *_ in recording["steps"]]
    return next(number for number, line in enumerate(lines) if line.startswith(start))


def encoder():
    torch.manual_seed(0)
    layer = EncoderLayer(D, H, D_FF).double().eval()
    return step_through(layer, draw(B, LS, D, dtype=torch.float64))


def decoding():
    torch.manual_seed(0)
    model = Transformer(9, 9, D, H, D_FF, 1, 0.0).double()
    return step_through(model, torch.ones(B, LS, dtype=int), torch.ones(B, LT, dtype=int))


def fault():
    layer = faults.CombinesThreeAxes(4, 2).double()
    x = draw(1, 3, 4, dtype=torch.float64)
    return step_through(layer, x, x, x)


STEPPERS = {
    "attention": attention,
    "encoder": encoder,
    "decoding": decoding,
    "table": lambda: step_through(sinusoid_table, 6, 6),
    "constructor": lambda: step_through(MultiHeadAttention, 4, 2),
    "fault": fault,
}


@pytest.fixture(params=STEPPERS)
def stepper(request):
    return STEPPERS[request.param]()


# --- the widget


def test_traits(stepper):
    assert set(stepper.state()) == {"recording", "step"}
    stepper.step = len(stepper.recording["steps"]) - 1
    with pytest.raises(traitlets.TraitError, match="step: expected at most"):
        stepper.step += 1
    with pytest.raises(traitlets.TraitError):
        stepper.step = -1


def test_a_step_can_be_observed():
    widget, seen = attention(), []
    widget.observe(lambda change: seen.append(change["new"]), names="step")
    widget.step = 7
    assert seen == [7]


def test_a_new_recording_keeps_the_step_inside():
    widget = attention()
    widget.step = len(widget.recording["steps"]) - 1
    widget.recording = fault().recording
    assert widget.step == len(widget.recording["steps"]) - 1


def test_stored_output_fits_into_a_notebook(stepper):
    assert len(html_of(stepper)) < 100_000


def test_the_still_tells_what_each_line_makes():
    still = attention().still()
    row = "<tr><td><code>Q = self.split_heads(self.W_q(Q))</code></td>"
    assert row + "<td>Q [B=1, H=2, Lq=3, d_k=2]</td></tr>" in still
    assert "<td>B = 1, Lq = 3</td>" in still
    assert "<td>returns ([B=1, Lq=3, D=4], [B=1, H=2, Lq=3, Lk=3])</td>" in still


def test_the_still_ends_with_the_error():
    last = fault().still().splitlines()[-2]
    assert "<td>ValueError: too many values to unpack (expected 3" in last


def test_what_a_reader_writes_is_escaped():
    def f(text):
        more = text + "<b>&"
        return more

    output = html_of(step_through(f, "<img>"))
    assert "<img>" not in output
    assert "<b>" not in output


def test_importing_the_package_imports_no_widget():
    code = "import sys, follow_the_tensor; print({'anywidget', 'IPython'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


# --- the view


@pytest.fixture
def show(browser, tmp_path):
    """Open a stepper in a page over file://, with the network off."""
    contexts = []

    def show(widget, theme="light", skip_checks=False):
        contexts.append(browser.new_context(offline=True, viewport=WIDE))
        visit = Visit(contexts[-1], write_page(tmp_path, widget, theme=theme))
        visit.page.get_by_label("skip checks").set_checked(skip_checks)
        return visit

    yield show
    for context in contexts:
        context.close()


def position(page):
    return int(page.locator(".stepper output").inner_text().split(" of ")[0]) - 1


def current(page):
    """The line that is shown: its number and its code."""
    line = page.locator(".source [aria-current]")
    return line.locator("xpath=..").get_attribute("value"), line.inner_text().strip()


def press(page, *names):
    for name in names:
        page.get_by_role("button", name=name, exact=True).click()


def status(page):
    return page.locator(".stepper .status").inner_text()


def go(page, step):
    slider = page.get_by_role("slider", name="step")
    slider.fill(str(step))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["attention", "constructor", "fault"])
def test_the_view_is_clean(show, name, theme):
    stepper = STEPPERS[name]()
    visit = show(stepper, theme)
    count = len(stepper.recording["steps"])
    for step in (count * 2 // 3, count - 1):
        go(visit.page, step)
        found = accessibility(visit, None) + overflow(visit, None) + visit.errors
        assert not found, "\n".join(found)


@pytest.mark.parametrize("name", ["attention", "encoder", "constructor", "fault"])
def test_every_step_can_be_drawn(show, name):
    stepper = STEPPERS[name]()
    visit = show(stepper)
    for step, (_, line, *_) in enumerate(stepper.recording["steps"]):
        go(visit.page, step)
        assert current(visit.page)[0] == str(line)
    assert not visit.errors


def test_buttons(show):
    stepper = attention()
    page, last = show(stepper).page, len(stepper.recording["steps"]) - 1
    press(page, "forward", "forward", "back", "forward")
    assert position(page) == 2
    press(page, "last step")
    assert position(page) == last
    button = page.get_by_role("button", name="forward", exact=True)
    assert button.get_attribute("aria-disabled") == "true"
    button.click(force=True)  # goes nowhere
    assert position(page) == last
    press(page, "first step")
    assert position(page) == 0


def test_arrow_keys(show):
    stepper = attention()
    page, last = show(stepper).page, len(stepper.recording["steps"]) - 1
    page.get_by_role("button", name="forward", exact=True).focus()
    for key, expected in {"ArrowRight": 1, "End": last, "ArrowLeft": last - 1, "Home": 0}.items():
        page.keyboard.press(key)
        assert position(page) == expected


def test_steps_pass_by_the_checks(show):
    stepper = attention()
    page = show(stepper, skip_checks=True).page
    seen = [0]
    for _ in range(8):
        press(page, "forward")
        seen.append(position(page))
    assert seen == [n for n in range(seen[-1] + 1) if n not in stepper.recording["checks"] or not n]
    press(page, "back")
    assert position(page) == seen[-2]


def test_each_tensor_has_a_button_that_leads_to_the_line_which_made_it(show):
    stepper = attention()
    page = show(stepper).page
    stops = page.get_by_role("group", name="go to")
    for name in ("scores", "weights", "context"):
        stops.get_by_role("button", name=name, exact=True).click()
        assert position(page) == stepper.recording["stops"][name]
        assert f"changed {name}" in status(page)


def test_over_a_call(show):
    page = show(attention()).page
    go(page, 3)
    assert current(page)[1].startswith("Q = self.split_heads")
    press(page, "over the call")
    assert current(page)[1].startswith("K = self.split_heads")
    page.keyboard.press("Shift+ArrowLeft")
    assert current(page)[1].startswith("Q = self.split_heads")


def test_a_click_on_a_line_goes_to_its_next_step(show):
    page = show(attention()).page
    page.locator(".source button", has_text="output = self.W_out").click()
    assert current(page)[1].startswith("output = self.W_out")
    page.locator(".source button", has_text="context, weights =").focus()
    page.keyboard.press("Enter")  # it lies before this step, and has no other
    assert current(page)[1].startswith("context, weights =")


def test_lines_that_never_run_are_no_buttons(show):
    page = show(attention()).page
    assert page.locator(".source button", has_text="F.scaled_dot_product_attention").count() == 0


def test_up_and_down_move_between_lines(show):
    page = show(attention()).page
    page.locator(".source [aria-current]").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert position(page) == 1


def test_keys_go_on_working_when_the_function_changes(show):
    page = show(attention()).page
    page.locator(".source [aria-current]").focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    assert position(page) == 20


def test_it_opens_at_the_step_of_the_widget(show):
    stepper = attention()
    stepper.step = stepper.recording["stops"]["scores"]
    page = show(stepper).page
    assert position(page) == stepper.step
    assert "changed scores" in status(page)


def test_the_call_stack(show):
    stepper = attention()
    page, step = show(stepper).page, step_at(stepper, "blocked = ~mask")
    go(page, step)
    stack = page.get_by_role("list", name="call stack")
    assert stack.get_by_role("button").all_inner_texts() == [
        "MultiHeadAttention.forward",
        "scaled_dot_product_attention",
        "masked_softmax",
    ]
    stack.get_by_role("button", name="scaled_dot").click()
    assert current(page)[1].startswith("weights = masked_softmax")
    assert "waits in line" in status(page)
    assert position(page) == step


def test_play_and_pause(show):
    page = show(attention()).page
    stop_clock(page)
    press(page, "play")
    page.clock.run_for(3500)
    assert position(page) == 3
    press(page, "pause")
    page.clock.run_for(3500)
    assert position(page) == 3


def test_what_a_line_changed_is_told_and_marked(show):
    stepper = attention()
    page = show(stepper).page
    go(page, step_at(stepper, "all_masked ="))  # after what came before it
    assert "changed scores" in status(page)
    box = page.locator(".value.changed")
    assert box.locator(".head").inner_text().startswith("scores [B=1, H=2, Lq=3, Lk=3]")
    assert box.locator(".badge").inner_text() == "changed"
    assert box.locator("td.fresh").count() == 2 * 6  # what was not −∞ before
    assert box.locator("td.blocked").count() == 2 * 6


def test_numbers_are_those_of_the_package(show):
    page = show(attention()).page
    press(page, "last step")
    text = page.locator(".value.changed .grid tbody td").all_inner_texts()
    shown = [float(cell.replace("−", "-")) for cell in text]
    torch.manual_seed(0)
    layer, x = MultiHeadAttention(4, 2).double(), draw(1, 3, 4, dtype=torch.float64)
    output, weights = layer(x, x, x, ROW_OF_NOTHING, need_weights=True)
    expected = [*output.flatten().tolist(), *weights.flatten().tolist()]
    assert shown == pytest.approx(expected, abs=5.001e-5)


def test_a_corner_says_that_it_is_one(show):
    page = show(encoder()).page
    text = page.locator(".value", has_text="x [B=2, Ls=6, D=12]").inner_text()
    assert "B 2 of 2, Ls 6 of 6, D 6 of 12" in text
    assert "All values lie from" in text


def test_writing_in_place_marks_the_cells(show):
    page = show(STEPPERS["table"]()).page
    go(page, 9)
    fresh = page.locator(".value.changed td.fresh").all_inner_texts()
    assert len(fresh) == 5 * 3  # sin(0) is 0, as before


def test_what_the_reader_opens_or_closes_stays_so(show):
    page = show(attention()).page
    head = page.locator(".value .head", has_text="Q [")
    for expanded in ("true", "false", "true"):
        assert head.get_attribute("aria-expanded") == expanded
        press(page, "forward")
        assert head.get_attribute("aria-expanded") == expanded
        press(page, "back")
        head.click()


def test_the_error_stands_at_its_line(show):
    page = show(fault()).page
    press(page, "last step")
    line = page.locator(".source li", has=page.locator("[aria-current]"))
    assert line.locator(".message").inner_text().startswith("ValueError: too many values")
    assert "B, L, _ = check_shape" in line.inner_text()
    assert "raises ValueError" in status(page)


def test_the_docstring_unfolds(show):
    page = show(STEPPERS["table"]()).page
    assert "One row for each position" in page.locator(".source").inner_text()
    assert "returns: [length, D]" not in page.locator(".source").inner_text()
    page.locator(".source .fold button").click()
    assert "returns: [length, D]" in page.locator(".source").inner_text()


def test_a_recording_that_was_cut_says_so(show):
    def count(n):
        while n:
            n -= 1

    page = show(step_through(count, 3000)).page
    assert re.search(r"ends after \d+ steps", page.locator(".stepper").inner_text())
