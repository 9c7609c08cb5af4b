"""How long the script of each explorable takes for one input in its page."""

import gzip
import statistics

from follow_the_tensor.explorables.shared import bundle
from tools.browser import Visit, launch

from .pages import BOOK
from .table import Row

TITLE = "An input in an explorable"
ROUNDS = 100
FRAME = 1000 / 60  # milliseconds
SLIDER = "input[type=range]"
FIELD = "input[type=text]"
DATES = ["7. März 2021", "July 20, 1969"]
# For each explorable: its page, what the reader does, to which elements, and what is typed.
INPUTS = {
    "broadcasting": ("notebooks/01_syntax", "a typed shape", FIELD, ["2, 3", "4, 3"]),
    "layer_norm": ("notebooks/07_encoder", "a move of a slider", SLIDER, []),
    "masks": ("notebooks/04_masks", "a click in a mask of 16 × 16", ".grid button", []),
    "memory": ("notebooks/05_heads_and_memory", "a move of a slider", SLIDER, []),
    "model_map": ("book/index", "a move of a slider", SLIDER, []),
    "positions": ("notebooks/02_positional_encoding", "a move of a slider", SLIDER, []),
    "predict": ("notebooks/01_syntax", "a click", "button", []),
    "read_dates": ("notebooks/14_generation", "a typed date, read by the model", FIELD, DATES),
    "softmax": ("notebooks/03_attention", "a move of a slider", SLIDER, []),
    "stepper": ("notebooks/09_full_example", "next step", "button[aria-label=forward]", []),
}

# Give each element two inputs: a slider goes down by a step and back, a cell flips and flips
# back. Layout is forced, as a frame would force it.
TIME_INPUTS = """(box, [selector, texts, rounds]) => {
    const targets = [...box.querySelectorAll(selector)];
    const next = ({value, max, step}) => (value === max ? max - step : max);
    const give = (target, n) => {
        if (target.matches('button')) return target.click();
        target.value = texts.length ? texts[n % texts.length] : next(target);
        target.dispatchEvent(new Event('input'));
    };
    return Array.from({length: rounds}, (_, n) => {
        const target = targets[(Math.floor(n / 2) * 37) % targets.length];
        const start = performance.now();
        give(target, n);
        document.body.offsetHeight;
        return performance.now() - start;
    });
}"""


def input_times(browser, module):
    """Milliseconds of script and layout for each input, with all sliders at their right end."""
    page, _, selector, texts = INPUTS[module]
    context = browser.new_context(offline=True)
    opened = Visit(context, BOOK / f"{page}.html").page
    box = opened.locator(f".explorable.live[data-module={module}]").first
    if module != "stepper":  # which would be at its last step
        for slider in box.locator(SLIDER).all():
            slider.fill(slider.get_attribute("max"))
    times = box.evaluate(TIME_INPUTS, [selector, texts, ROUNDS])
    context.close()
    return times


def weights():
    """Kilobytes of all explorables with kit, host and style: plain and gzipped."""
    parts = [bundle.page_host(), bundle.stylesheet(), *map(bundle.page_script, bundle.modules())]
    text = "".join(parts).encode()
    return len(text) / 1000, len(gzip.compress(text)) / 1000


def rows():
    with launch() as browser:
        for module in bundle.modules():
            times = input_times(browser, module)
            how = f"{ROUNDS} inputs, slowest {max(times):.1f} ms"
            median = statistics.median(times)
            what = f"{module}, {INPUTS[module][1]}"
            yield Row(what, median, "ms", how, "a frame at 60 Hz", FRAME)
    plain, gzipped = weights()
    yield Row("all their scripts and styles, gzipped", gzipped, "KB", "counted", "plain", plain)
