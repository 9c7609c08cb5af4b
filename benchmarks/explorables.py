"""How long an input takes in a page, and what all explorables weigh (make bench)."""

import gzip
import statistics

from browser import launch
from follow_the_tensor.explorables import Masks, bundle
from follow_the_tensor.palette import css

CLICKS = 200
FRAME = 1000 / 60  # milliseconds

# Click the cells one after the other; the layout is forced, as a frame would force it.
TIME_CLICKS = """clicks => {
    const cells = [...document.querySelectorAll('.explorable button[aria-pressed]')];
    return Array.from({length: clicks}, (_, n) => {
        const start = performance.now();
        cells[(n * 37) % cells.length].click();
        document.body.offsetHeight;
        return performance.now() - start;
    });
}"""


def click_times(size):
    """Milliseconds of script and layout for each click in a mask of size x size."""
    widget = Masks()
    with widget.hold_trait_notifications():
        widget.scores = [[float((row + key) % 4) for key in range(size)] for row in range(size)]
        widget.cells = [[True] * size for _ in range(size)]
        widget.real_keys = size
    data, _ = widget._repr_mimebundle_()
    style = f"<style>{css()}{bundle.stylesheet()}</style>"
    scripts = f"<script>{bundle.page_host()}{bundle.page_script('masks')}</script>"
    with launch() as browser:
        page = browser.new_page()
        page.set_content(style + data["text/html"] + scripts)
        return page.evaluate(TIME_CLICKS, CLICKS)


def weights():
    """Bytes of all explorables with kit, host and style: plain and gzipped."""
    parts = [bundle.page_host(), bundle.stylesheet(), *map(bundle.page_script, bundle.modules())]
    text = "".join(parts).encode()
    return len(text), len(gzip.compress(text))


def main():
    print(f"{'a click in a mask of':<24}{'median (ms)':>12}{'slowest (ms)':>14}{'of a frame':>12}")
    for size in (4, 8, 16):
        times = click_times(size)
        median = statistics.median(times)
        row = f"{median:>12.2f}{max(times):>14.2f}{median / FRAME:>12.2f}"
        print(f"{f'{size} x {size}':<24}{row}")
    plain, gzipped = weights()
    print(f"all explorables: {plain / 1000:.0f} KB, {gzipped / 1000:.0f} KB gzipped")


if __name__ == "__main__":
    main()
