"""How long the script of each explorable takes for one input in its page."""

import gzip
import re
import statistics
from importlib import import_module

from follow_the_tensor.explorables.shared import bundle
from tools.browser import Visit, launch

from .pages import BOOK
from .table import Row

TITLE = "An input in an explorable"
ROUNDS = 100
FRAME = 1000 / 60  # milliseconds
SLIDER = "input[type=range]"
STATE = re.compile(r"""class="explorable" data-module="(\w+)" data-state=(["'])(.*?)\2""")

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


def input_times(browser, page, place, selector, texts):
    """Milliseconds of script and layout for each input, with all sliders at their right end."""
    context = browser.new_context(offline=True)
    box = Visit(context, page).page.locator(".explorable.live").nth(place)
    if "forward" not in selector:  # which would have nowhere to go
        for slider in box.locator(SLIDER).all():
            slider.fill(slider.get_attribute("max"))
    times = box.evaluate(TIME_INPUTS, [selector, texts, ROUNDS])
    context.close()
    return times


def largest():
    """For each explorable the page, and the place in it, where most is shown."""
    found = {}
    for page in sorted(BOOK.rglob("*.html")):
        for place, (module, _, state) in enumerate(STATE.findall(page.read_text(encoding="utf-8"))):
            found[module] = max(found.get(module, (0,)), (len(state), page, place))
    return {module: (page, place) for module, (_, page, place) in sorted(found.items())}


def use_of(module):
    """What the reader does: in words, to which elements, and what is typed."""
    samples = import_module(f"follow_the_tensor.explorables.{module}.samples")
    return getattr(samples, "INPUT", ("a move of a slider", SLIDER, []))


def weights():
    """Kilobytes of all explorables with kit, host and style: plain and gzipped."""
    parts = [bundle.page_host(), bundle.stylesheet(), *map(bundle.page_script, bundle.modules())]
    text = "".join(parts).encode()
    return len(text) / 1000, len(gzip.compress(text)) / 1000


def rows():
    with launch() as browser:
        for module, where in largest().items():
            what, selector, texts = use_of(module)
            times = input_times(browser, *where, selector, texts)
            how = f"{ROUNDS} inputs, slowest {max(times):.1f} ms"
            median = statistics.median(times)
            yield Row(f"{module}, {what}", median, "ms", how, "a frame at 60 Hz", FRAME)
    plain, gzipped = weights()
    yield Row("all their scripts and styles, gzipped", gzipped, "KB", "counted", "plain", plain)
