"""What must hold on every page of the book. Each check takes a visit, returns complaints.

The first line of a check says what holds; what follows it is what to do, for whoever is stopped.
"""

import inspect
import re

from axe_playwright_python.base import AXE_SCRIPT

WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 360, "height": 740}
HEAVIEST = 2_000_000  # bytes: a page with everything that it loads
RAW_MATHS = re.compile(r"\\[(\[]|\$[^$\n]+\$")


def run(visit, script):
    return visit.page.evaluate(script)


def network(visit, book):
    """The page loads from the book's own folder, and from nowhere else.

    Put what it needs into book/_static, and name it in _config.yml.
    """
    inside = (book.as_uri(), "data:", "blob:")
    return [f"asks for {url}" for url in visit.requests if not url.startswith(inside)]


def missing_files(visit, book):
    """Every file that the page loads is there.

    Correct the name where it is loaded, or take the file out of UNUSED in slimming.py.
    """
    return [f"loads {path}, which is not there" for path in visit.files() if not path.exists()]


def script_errors(visit, book):
    """No script fails and nothing is refused.

    Open the page in a browser and read its console.
    """
    return visit.errors


def maths(visit, book):
    """Every formula is drawn.

    Correct its TeX; a package of TeX that it needs is named in PARTS of mathematics.py.
    """
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
    """Every picture is shown, and says in words what it shows.

    Write the words into the brackets of ![...](...), `:alt:`, or the `alt` of mystnb in a cell.
    """
    shown = run(visit, "[...document.images].map(i => [i.src, i.alt.trim(), i.naturalWidth])")
    no_text = [f"no alternative text: {source}" for source, alt, _ in shown if not alt]
    return no_text + [f"not shown: {source}" for source, _, width in shown if not width]


def icons(visit, book):
    """Each icon has its shape.

    icons.py finds the icons in the built pages by their names: see `shapes` there.
    """
    script = """[...document.querySelectorAll('i, span')]
        .filter(e => /\\bfa[srb]? fa-|\\bfa-(solid|brands|regular)\\b/.test(e.className))
        .filter(e => getComputedStyle(e).maskImage === 'none').map(e => e.className)"""
    return [f"icon without a shape: {name}" for name in run(visit, script)]


def weight(visit, book):
    """A page with all that it loads stays under HEAVIEST.

    Print less, make pictures smaller, or divide the chapter.
    """
    total = sum(path.stat().st_size for path in visit.files() if path.exists())
    return [f"weighs {total} bytes, more than {HEAVIEST}"] if total > HEAVIEST else []


# The width of the page, and what reaches furthest out of the screen without a box that scrolls.
TOO_WIDE = """() => {
    const inBox = (e) => e && e !== document.body &&
        (getComputedStyle(e).overflowX !== 'visible' || inBox(e.parentElement));
    const reach = (e) => Math.round(e.getBoundingClientRect().right);
    const wide = [...document.querySelectorAll('main *')]
        .filter((e) => reach(e) > innerWidth && !inBox(e.parentElement))
        .sort((a, b) => reach(b) - reach(a));
    return [document.documentElement.scrollWidth,
        wide.slice(0, 1).map((e) => e.outerHTML.slice(0, 120)).join()];
}"""


def overflow(visit, book):
    """On a phone the page scrolls down only; what is wide scrolls inside its own box.

    Break the long word, or give what is wide a box with `overflow: auto` in book.css.
    """
    visit.page.set_viewport_size(NARROW)
    width, widest = run(visit, TOO_WIDE)
    visit.page.set_viewport_size(WIDE)
    limit = NARROW["width"]
    return [f"{width} px wide on a screen of {limit}: {widest}"] if width > limit else []


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
    """All rules of axe-core.

    The complaint names the rule and what would satisfy it.
    """
    run(visit, THIN_OUT)
    run(visit, AXE_SCRIPT)
    return axe(visit, "{}")


# A button fades from one theme's colour to the other's.
END_TRANSITIONS = (
    "document.getAnimations().forEach((a) => a instanceof CSSTransition && a.finish())"
)
IS_DARK = "(document.documentElement.dataset.theme ?? 'dark') === 'dark'"


def dark(visit, book):
    """Words can be read in the dark theme too. Runs after `accessibility`.

    Take a colour of drawing/palette.py, or give the rule a value for html[data-theme="dark"].
    """
    visit.page.emulate_media(color_scheme="dark")
    visit.page.wait_for_function(IS_DARK)  # the theme's script hears of it a moment later
    run(visit, END_TRANSITIONS)
    found = axe(visit, "{runOnly: ['color-contrast']}")
    visit.page.emulate_media(color_scheme="light")
    return found


def axe(visit, options):
    found = run(visit, f"axe.run({{resultTypes: ['violations'], ...{options}}})")["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {node['html'][:200]}\n    {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]


# Folded blocks count too. Of boxes inside each other the innermost counts.
SIDEWAYS = """() => {
    const folded = [...document.querySelectorAll('article details:not([open])')];
    for (const details of folded) details.open = true;
    const wide = [...document.querySelectorAll('article :is(pre, div, table)')].filter((e) =>
        e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX));
    const inner = wide.filter((e) => !wide.some((other) => other !== e && e.contains(other)));
    const found = inner.map((e) => {
        const lines = e.innerText.split('\\n');
        const longest = lines.reduce((a, b) => (b.length > a.length ? b : a), '');
        return [e.scrollWidth - e.clientWidth, longest.trim()];
    });
    for (const details of folded) details.open = false;
    return found;
}"""


def sideways(visit, book):
    """No block of code, output or table scrolls sideways on a screen of 1280.

    Break its longest line: about 84 characters fit.
    """
    found = sorted(run(visit, SIDEWAYS), reverse=True)
    return [f"{pixels} px too wide: {line[:100]}" for pixels, line in found]


CHECKS = [
    network, missing_files, script_errors, maths, images, icons, weight, overflow, sideways,
    accessibility, dark,
]  # fmt: skip


def complaints(visit, book):
    return [
        f"{check.__name__}: {text}\n    {what_to_do(check)}"
        for check in CHECKS
        for text in check(visit, book)
    ]


def what_to_do(check):
    return inspect.cleandoc(check.__doc__).partition("\n\n")[2]
