"""The last pass over each page: every change does what it says, and the rest stays."""

import pytest
from lxml import html

from book_pages import citations, finishing, mathematics, strict, whole_book

PAGE = '<html lang="en" data-content_root="../"><head></head><body>{}</body></html>'


@pytest.fixture
def changed(tmp_path):
    """Returns the body of a page after the pass."""

    def changed(body, changes=finishing.CHANGES):
        path = tmp_path / "page.html"
        path.write_text(PAGE.format(body), encoding="utf-8")
        finishing.change(finishing.read(path, tmp_path), changes)
        text = path.read_text(encoding="utf-8").strip()
        return text.partition("<body>")[2].removesuffix("</body></html>")

    return changed


def test_a_script_moves_to_where_it_runs_at_the_same_time(changed, tmp_path):
    code = "\n  f('<b>', 2 > 1)\n"
    script = f"<script>{code}</script>"
    body = changed(f"<p>1</p>{script}<p>2</p>{script}", [strict.scripts_in_files])
    (file,) = (tmp_path / strict.FOLDER).iterdir()  # the same script is one file
    assert file.read_text(encoding="utf-8") == code
    moved = f'<script src="../{strict.FOLDER}/{file.name}"></script>'
    assert body == f"<p>1</p>{moved}<p>2</p>{moved}"


def test_the_print_button_loses_its_script(changed):
    assert changed('<button onclick="window.print()">x</button>') == "<button>x</button>"


def test_works_are_list_items(changed):
    body = changed('<div role="doc-biblioentry">x</div>', [citations.as_list_items])
    assert body == '<div role="listitem">x</div>'


@pytest.mark.parametrize(
    ("formula", "loads"), [('<span class="math">x</span>', 2), ("<i>x</i>", 0)]
)
def test_mathjax_is_for_pages_with_formulas(changed, formula, loads):
    scripts = '<script>window.MathJax = {}</script><script src="mathjax/startup.js"></script>'
    other = '<script src="book.js"></script>'
    body = changed(formula + scripts + other, [mathematics.only_with_formulas])
    assert body.count("<script") == loads + 1
    assert body.endswith(other)


def test_chapters_link_to_the_pdf_once_it_is_there(changed, tmp_path):
    launch = '<p class="launch"><a href="x">x</a></p>'
    assert changed(launch) == launch
    (tmp_path / whole_book.PDF).touch()
    body = changed(changed(launch))
    assert html.fragment_fromstring(body).xpath("a/@href") == ["x", f"../{whole_book.PDF}"]


@pytest.mark.parametrize(
    "body",
    [
        '<script src="x.js"></script>',
        '<script type="application/json">{"a": "<p>"}</script>',  # data, which no policy refuses
        "<code>&lt;script&gt;1&lt;/script&gt;</code>",
        '<p style="top: 0">x<br>y</p><style>p > i { top: 0 }</style>',
        """<div data-state='{"a": "&lt;p style="\n}'></div>""",
        "<details open><summary>x</summary><p>“é” 0 &lt; 1</p></details>",
        '<svg viewbox="0 0 1 1"><path d="M0 0"></path></svg>',  # a browser reads it as viewBox
    ],
)
def test_the_rest_stays(changed, body):
    assert changed(body) == body
