"""What the pages of the built book weigh with all that they load, and when they are live."""

import statistics
from pathlib import Path

from tools.browser import Visit, launch

from .table import Row

TITLE = "Pages"
BOOK = Path(__file__).resolve().parent.parent / "_build" / "html"
LIVE = ("04_masks", "14_generation")
ROUNDS = 9
KINDS = {
    "HTML": (".html",),
    "scripts": (".js",),
    "styles": (".css",),
    "fonts": (".woff", ".woff2"),
    "images": (".png", ".svg"),
}

# Note the time of the frame in which the last explorable came to life, and of the first paint.
NOTE_LIVE = """new MutationObserver((changes) => {
    if (changes.some((change) => change.target.matches('.explorable.live')))
        requestAnimationFrame(() => (window.lastLive = performance.now()));
}).observe(document, {subtree: true, attributeFilter: ['class']});"""
ALL_LIVE = "window.lastLive && !document.querySelector('.explorable:not(.live)')"
TIMES = """() => [
    window.lastLive, performance.getEntriesByName('first-contentful-paint')[0].startTime,
]"""


def weights(browser):
    """The files of each page of the book: page -> {path: kilobytes}, HTML included."""
    found = {}
    for page in sorted([*BOOK.glob("book/*.html"), *BOOK.glob("notebooks/*.html")]):
        context = browser.new_context(offline=True)
        files = Visit(context, page).files()
        found[page] = {path: path.stat().st_size / 1000 for path in files}
        context.close()
    return found


def by_kind(files):
    sums = {
        kind: sum(size for path, size in files.items() if path.suffix in ends)
        for kind, ends in KINDS.items()
    }
    return ", ".join(f"{kind} {size:.0f}" for kind, size in sums.items())


def time_until_live(browser, page):
    """Milliseconds from the start of navigation: the last explorable drawn, the first paint."""
    context = browser.new_context(offline=True)  # its cache is empty
    context.add_init_script(NOTE_LIVE)
    opened = context.new_page()
    opened.goto(page.as_uri())
    opened.wait_for_function(ALL_LIVE)
    times = opened.evaluate(TIMES)
    context.close()
    return times


def rows():
    with launch() as browser:
        found = weights(browser)
        sums = {page: sum(files.values()) for page, files in found.items()}
        heaviest = max(sums, key=sums.get)
        median = statistics.median(sums.values())
        requests = [len(files) for files in found.values()]
        name, how = heaviest.stem, f"KB by kind: {by_kind(found[heaviest])}"
        yield Row(f"heaviest page, {name}", sums[heaviest], "KB", how, "median of pages", median)
        how = f"{len(found)} pages, each with an empty cache"
        usual = statistics.median_high(requests)
        yield Row("most files of a page", max(requests), "files", how, "median of pages", usual)
        for chapter in LIVE:
            page = BOOK / "notebooks" / f"{chapter}.html"
            times = [time_until_live(browser, page) for _ in range(ROUNDS)]
            live, paint = map(statistics.median, zip(*times, strict=True))
            how = f"{ROUNDS} visits, each with an empty cache"
            yield Row(f"all explorables drawn, {chapter}", live, "ms", how, "first paint", paint)
