"""Weigh every page of the built book with all that it loads, and time it (make bench)."""

import statistics
import time
from pathlib import Path

from browser import Visit, launch

BOOK = Path(__file__).resolve().parent.parent / "_build" / "html"
KINDS = {
    "html": (".html",),
    "scripts": (".js",),
    "styles": (".css",),
    "fonts": (".woff", ".woff2"),
    "images": (".png", ".svg"),
}
ROW = "{:<36}" + "{:>9}" * 6 + "{:>10}"


def weights(files):
    """Kilobytes of each kind of file, and of all."""
    sizes = {path: path.stat().st_size / 1000 for path in files}
    kinds = [sum(sizes[f] for f in files if f.suffix in ends) for ends in KINDS.values()]
    return [*kinds, sum(sizes.values())]


def visit(browser, path):
    """Load a page three times, without a cache; return its files and the median time."""
    times = []
    for _ in range(3):
        context = browser.new_context(offline=True)
        start = time.perf_counter()
        files = Visit(context, path).files()
        times.append(time.perf_counter() - start)
        context.close()
    return files, statistics.median(times)


def main():
    print(ROW.format("page (KB)", *KINDS, "sum", "ready (s)"))
    with launch() as browser:
        for path in sorted([*BOOK.glob("book/*.html"), *BOOK.glob("notebooks/*.html")]):
            files, seconds = visit(browser, path)
            columns = [f"{kilobytes:.0f}" for kilobytes in weights(files)]
            print(ROW.format(str(path.relative_to(BOOK)), *columns, f"{seconds:.2f}"))


if __name__ == "__main__":
    main()
