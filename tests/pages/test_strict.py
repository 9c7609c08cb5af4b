"""Scripts and styles move out of a page, and nothing else changes in it."""

import re

import pytest

from book_pages.strict import FOLDER, without_inline

PAGE = '<html lang="en" data-content_root="../"><head></head><body>{}</body></html>'


@pytest.fixture
def move(tmp_path):
    """Returns the body of the page, and what its new files hold."""
    (tmp_path / FOLDER).mkdir(parents=True)

    def move(body):
        text = without_inline(PAGE.format(body), tmp_path)
        names = re.findall(rf'(?:src|href)="\.\./({FOLDER}/[^"]+)"', text)
        contents = [(tmp_path / name).read_text(encoding="utf-8") for name in names]
        return text.partition("<body>")[2].removesuffix("</body></html>"), contents

    return move


def test_a_script_moves_to_where_it_runs_at_the_same_time(move):
    body, contents = move("<p>1</p><script>\n  f('<b>', 2 > 1)\n</script><p>2</p>")
    assert re.fullmatch(r'<p>1</p><script src="[^"]+\.js"></script><p>2</p>', body)
    assert contents == ["\n  f('<b>', 2 > 1)\n"]


def test_a_style_moves(move):
    body, contents = move("<noscript><style>p { color: red; }</style></noscript>")
    assert re.fullmatch(r'<noscript><link rel="stylesheet" href="[^"]+\.css" /></noscript>', body)
    assert contents == ["p { color: red; }"]


def test_a_style_attribute_becomes_a_rule(move):
    body, contents = move('<p id="a" style="font: &quot;x&quot;">1</p><p style="top: 0">2</p>')
    assert body == '<p id="a" data-style="0">1</p><p data-style="1">2</p>'
    assert contents == ['[data-style="0"] { font: "x" }\n[data-style="1"] { top: 0 }\n']


def test_the_same_content_makes_one_file(move):
    _, contents = move("<script>1</script><script>1</script><script>2</script>")
    assert sorted(contents) == ["1", "1", "2"]


@pytest.mark.parametrize(
    "body",
    [
        '<script src="x.js"></script>',
        '<script type="application/json">{}</script>',  # data, which no policy refuses
        "<code>&lt;script&gt;1&lt;/script&gt;</code>",
        '<p>style="top: 0"</p>',
        '<div data-state="{&quot;a&quot;: &quot;&lt;p style=&quot;}"></div>',
    ],
)
def test_the_rest_stays(move, body):
    assert move(body) == (body, [])


def test_a_page_of_another_kind_stays(tmp_path):
    assert without_inline("<html><script>1</script></html>", tmp_path).count("<script>") == 1
