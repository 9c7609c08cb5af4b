"""What must hold on every page of the book. Each check takes a visit, returns complaints."""

import re

from axe_playwright_python.base import AXE_SCRIPT

WIDE = {"width": 1280, "height": 900}
HEAVIEST = 2_000_000  # bytes: a page with everything that it loads
RAW_MATHS = re.compile(r"\\[(\[]|\$[^$\n]+\$")


def run(visit, script):
    return visit.page.evaluate(script)


def network(visit, book):
    """The page loads from the book's own folder, and from nowhere else."""
    inside = (book.as_uri(), "data:", "blob:")
    return [f"asks for {url}" for url in visit.requests if not url.startswith(inside)]


def missing_files(visit, book):
    return [f"loads {path}, which is not there" for path in visit.files() if not path.exists()]


def script_errors(visit, book):
    return visit.errors


def maths(visit, book):
    bare = run(visit, "document.querySelectorAll('.math:not(:has(mjx-container))').length")
    wrong = run(visit, "document.querySelectorAll('mjx-merror').length")
    text = run(
        visit,
        """() => {
            const copy = document.querySelector('main').cloneNode(true);
            copy.querySelectorAll('pre, code, mjx-container, script').forEach(e => e.remove());
            return copy.textContent;
        }""",
    )
    raw = RAW_MATHS.findall(text)
    return [
        *[f"{bare} formulas were not drawn"] * bool(bare),
        *[f"{wrong} formulas are wrong"] * bool(wrong),
        *[f"raw maths: {hit}" for hit in raw],
    ]


def images(visit, book):
    shown = run(visit, "[...document.images].map(i => [i.src, i.alt.trim(), i.naturalWidth])")
    no_text = [f"no alternative text: {source}" for source, alt, _ in shown if not alt]
    return no_text + [f"not shown: {source}" for source, _, width in shown if not width]


def icons(visit, book):
    """Each icon has its shape (icons.py finds them by name)."""
    script = """[...document.querySelectorAll('i, span')]
        .filter(e => /\\bfa[srb]? fa-|\\bfa-(solid|brands|regular)\\b/.test(e.className))
        .filter(e => getComputedStyle(e).maskImage === 'none').map(e => e.className)"""
    return [f"icon without a shape: {name}" for name in run(visit, script)]


def weight(visit, book):
    total = sum(path.stat().st_size for path in visit.files() if path.exists())
    return [f"weighs {total} bytes, more than {HEAVIEST}"] if total > HEAVIEST else []


def overflow(visit, book):
    """On a phone the page scrolls down only; what is wide scrolls inside its own box."""
    visit.page.set_viewport_size({"width": 360, "height": 740})
    width = run(visit, "document.documentElement.scrollWidth")
    visit.page.set_viewport_size(WIDE)
    return [f"the page is {width} px wide on a screen of 360"] if width > 360 else []


# axe measures the contrast of every word; of thousands of coloured words in code blocks,
# one of each colour and surrounding is enough, and of the entries of the function index
# nine of each kind. That takes a tenth of the time.
THIN_OUT = """() => {
    const seen = new Set();
    for (const pre of document.querySelectorAll('pre'))
        for (const word of pre.querySelectorAll('span:not(:has(span))')) {
            const kind = `${word.className} in ${pre.parentElement.parentElement.className}`;
            if (seen.has(kind)) word.replaceWith(word.textContent); else seen.add(kind);
        }
    const counts = {};
    for (const entry of document.querySelectorAll('dl.py')) {
        counts[entry.className] = (counts[entry.className] ?? 0) + 1;
        if (counts[entry.className] > 9) entry.remove();
    }
}"""


def accessibility(visit, book):
    """All rules of axe-core."""
    run(visit, THIN_OUT)
    run(visit, AXE_SCRIPT)
    violations = run(visit, "axe.run({resultTypes: ['violations']}).then(r => r.violations)")
    return [
        f"{found['id']} ({found['impact']}): {node['html'][:200]}\n    {node['failureSummary']}"
        for found in violations
        for node in found["nodes"]
    ]


CHECKS = [
    network, missing_files, script_errors, maths, images, icons, weight, overflow, accessibility,
]  # fmt: skip


def complaints(visit, book):
    return [f"{check.__name__}: {text}" for check in CHECKS for text in check(visit, book)]
