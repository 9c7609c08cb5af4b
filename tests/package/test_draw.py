"""A picture says what is in the tensor, in HTML and in text, the same on every machine."""

import math
import re
import xml.etree.ElementTree as ElementTree

import pytest
import torch

from follow_the_tensor import PositionalEncoding, bars, causal_mask, cells, draw, wiring
from follow_the_tensor.drawing.numbers import settle, write
from tests.support.helpers import refuses

QUERY = torch.tensor([[1.0, 0.0]])  # [Lq, d_k]
KEYS = torch.tensor([[2.0, 5.0], [0.0, 3.0], [2.0, -1.0]])  # [Lk, d_k]
X = torch.arange(18).view(3, 6)  # [L, D]


def tree(*parts):
    """The body of a picture as elements: it is well-formed, so every element is closed."""
    return ElementTree.fromstring(draw(*parts)._repr_html_().partition("</style>")[2])


def texts(element, tag):
    return ["".join(each.itertext()) for each in element.iter(tag)]


def grid(*parts):
    """The texts of the cells of the first table, row by row."""
    return [texts(row, "td") for row in tree(*parts).find(".//tbody").iter("tr")]


def shares(*parts):
    """Percent of colour in each cell of a picture."""
    styles = [cell.get("style", "--share:0%") for cell in tree(*parts).iterfind(".//tbody/tr/td")]
    return [int(style.removeprefix("--share:").removesuffix("%")) for style in styles]


def classes(*parts):
    return [cell.get("class") for cell in tree(*parts).iterfind(".//tbody/tr/td")]


def test_the_hand_example_shows_names_numbers_shapes_and_operators():
    scores = QUERY @ KEYS.T
    picture = (
        cells("query", QUERY, axes="Lq _"), "·", ("keysᵀ", KEYS.T), "=", ("scores", scores),
        "→ softmax", ("weights", scores.softmax(-1)),
    )  # fmt: skip
    drawn = tree(*picture)
    assert texts(drawn, "caption") == ["query", "keysᵀ", "scores", "weights"]
    assert texts(drawn, "td") == "1 0 2 0 2 5 3 −1 2 0 2 0.47 0.06 0.47".split()
    divs = [div for div in drawn.iter("div") if div.get("class") in ("op", "shape")]
    assert ["".join(div.itertext()) for div in divs] == [
        "[Lq=1, 2]", "·", "[2, 3]", "=", "[1, 3]", "→ softmax", "[1, 3]",
    ]  # fmt: skip
    assert repr(draw(*picture)).splitlines() == [
        "  query       keysᵀ      scores              weights",
        "   1 0     ·  2 0  2  =  2 0 2      →     0.47 0.06 0.47",
        "[Lq=1, 2]     5 3 −1     [1, 3]  softmax      [1, 3]",
        "              [2, 3]",
    ]


@pytest.mark.parametrize(
    ("numbers", "digits", "expected"),
    [
        ([0.46831, -0.0004], None, ["0.47", "0.00"]),
        ([0.5, -2.0], None, ["0.5", "−2.0"]),
        ([2.0, -0.0], None, ["2", "0"]),
        ([2.0], 2, ["2.00"]),
        ([-0.04], 1, ["0.0"]),
        ([math.nan, math.inf, -math.inf, 0.25], None, ["NaN", "∞", "−∞", "0.25"]),
        ([1e9, -2.5e-3, 1234567.0], None, ["1e9", "0", "1.2e6"]),
    ],
)
def test_numbers_are_written_short_and_never_as_minus_zero(numbers, digits, expected):
    assert write(numbers, digits) == expected


@pytest.mark.parametrize("tie", [0.125, 0.375, -0.625, 2.5, 0.005, 0.045])
def test_a_tie_falls_the_same_way_whatever_a_processor_adds(tie):
    digits = 0 if tie == 2.5 else 2
    near = {settle(tie + error, digits) for error in (0.0, 3e-8, -3e-8, 3e-7, -3e-7)}
    assert len(near) == 1


def test_a_picture_is_the_same_for_numbers_that_differ_in_the_last_bits():
    x = torch.tensor([[0.125, 0.5], [0.3333333, 1.0]])
    noisy = x * (1 + 2 * torch.finfo(torch.float32).eps)
    assert draw(("x", x))._repr_html_() == draw(("x", noisy))._repr_html_()


def test_shading_follows_the_size_and_is_shared_by_tensors_of_one_role():
    assert shares(("x", torch.tensor([4.0, -2.0, 0.0]))) == [45, 22, 0]
    values, context = torch.tensor([50.0]), torch.tensor([25.0])
    assert shares(("values", values), ("context", context)) == [45, 22]
    assert shares(("x", values), ("y", context)) == [45, 45]  # these have nothing in common
    assert shares(("weights", torch.tensor([0.5, 0.5]))) == [22, 22]  # of 1
    assert shares(("ids", torch.tensor([7, 2]))) == [0, 0]  # names, not sizes


@pytest.mark.parametrize(
    ("name", "role"),
    [("query", "queries"), ("Q", "queries"), ("K", "keys"), ("keysᵀ", "keys"), ("x", None),
     ("values of head 0", "values"), ("weights", "weights"), ("vocabulary", None),
     ("quiet", None), ("kept", None)],
)  # fmt: skip
def test_a_name_chooses_its_role(name, role):
    piece = tree((name, QUERY))[0].get("class")
    assert piece == ("piece" if role is None else f"piece {role}")
    assert tree(cells(name, QUERY, role="wrong"))[0].get("class") == "piece wrong"
    assert tree(cells(name, QUERY, role="plain"))[0].get("class") == "piece"


def test_blocked_cells_are_hatched_struck_out_and_read_aloud():
    scores = cells("scores", torch.ones(2, 2), blocked=causal_mask(2))
    assert classes(scores) == [None, "blocked", None, None]
    blocked = tree(scores).find(".//td[@class='blocked']")
    assert blocked.get("aria-label") == "1, blocked"
    assert texts(blocked, "s") == ["1"]
    assert repr(draw(scores)).splitlines()[1] == "1 /1/"
    integers = cells("scores", torch.ones(2, 2), blocked=causal_mask(2).int())
    assert draw(integers)._repr_html_() == draw(scores)._repr_html_()


def test_a_boolean_tensor_is_a_mask():
    assert grid(("causal", causal_mask(2))) == [["1", "0"], ["1", "1"]]
    assert classes(("causal", causal_mask(2))) == [None, "blocked", None, None]


def test_what_is_not_marked_fades():
    table = cells("table", KEYS, mark=torch.tensor([0, 2]))
    assert classes(table) == [None, None, "faded", "faded", None, None]
    assert [line.count("*") for line in repr(draw(table)).splitlines()] == [0, 2, 0, 2, 0]
    assert classes(cells("x", KEYS, mark=(slice(None), 1))) == ["faded", None] * 3
    assert classes(cells("x", KEYS, mark=KEYS > 2)).count(None) == 2
    assert shares(cells("ids", torch.tensor([1, 2]), mark=[0])) == [26, 0]


def test_groups_colour_equal_parts_of_the_columns_or_each_cell():
    by_name = cells("x", X[:1], groups=["head 0", "head 1"])
    assert classes(by_name) == ["queries"] * 3 + ["keys"] * 3
    assert texts(tree(by_name).find(".//thead"), "th") == ["head 0", "head 1"]
    twice = cells("x", X[:1], groups=["a", "b", "a"])  # one name, one colour
    assert classes(twice) == [*["queries"] * 2, *["keys"] * 2, *["queries"] * 2]
    numbers = torch.tensor([[0, 1, 2, 3, 4, 0]])
    assert classes(cells("x", X[:1], groups=numbers)) == [
        "queries", "keys", "values", "weights", "queries", "queries",
    ]  # fmt: skip


def test_more_axes_are_sheets():
    drawn = tree(cells("scores", torch.arange(16).view(2, 2, 2, 2), axes="B H Lq Lk"))
    names = [f"sentence {b}, head {h}" for b in range(2) for h in range(2)]
    assert texts(drawn, "caption") == names
    assert "".join(drawn.find(".//div[@class='name']").itertext()) == "scores"
    grids = [each.get("class") or each.tag for each in drawn.find(".//div[@class='grids']")]
    assert grids == ["grid", "grid", "break", "grid", "grid"]  # a line for each sentence
    assert texts(tree(("x", X.view(2, 3, 3))), "caption") == ["0", "1"]
    assert "[B=2, H=2, Lq=2, Lk=2]" in texts(drawn, "div")


def test_words_and_labels_are_cells_and_headers_and_cannot_become_html():
    words = cells("<b>", ["<s>", "a & b"], down=True, rows=["<i>", '"'])
    drawn = tree(words)
    assert texts(drawn, "td") == ["<s>", "a & b"]
    assert [head.get("scope") for head in drawn.iter("th")] == ["row", "row"]
    assert texts(drawn, "th") == ["<i>", '"']
    assert texts(drawn, "caption") == ["<b>"]
    assert "".join(tree("<u>", "→ <i>").itertext()).split() == ["<u>", "→", "<i>"]
    columns = tree(cells("x", QUERY, columns=[0, "b"]))
    assert [(th.text, th.get("scope")) for th in columns.iter("th")] == [("0", "col"), ("b", "col")]
    gaps = tree(cells("x", QUERY, columns=[" ", ""]))  # a header without text says nothing
    assert (texts(gaps, "th"), texts(gaps.find(".//thead"), "td")) == (["␣"], [""])
    gaps = tree(cells("x", QUERY, columns=[" ", ""]))  # a header without text says nothing
    assert (texts(gaps, "th"), texts(gaps.find(".//thead"), "td")) == (["␣"], [""])


def test_one_axis_is_a_row_or_goes_down():
    ids = torch.tensor([2, 1])
    assert grid(("ids", ids)) == [["2", "1"]]
    assert grid(cells("ids", ids, down=True)) == [["2"], ["1"]]
    assert grid(("loss", torch.tensor(0.5))) == [["0.5"]]


def test_a_cut_is_shown():
    drawn = tree(cells("table", torch.zeros(1000, 2), cut=3))
    assert len(list(drawn.iterfind(".//tbody/tr"))) == 3
    assert texts(drawn.find(".//tfoot"), "td") == ["⋮ 997 more rows"]
    assert "⋮ 997 more rows" in repr(draw(cells("table", torch.zeros(1000, 2), cut=3)))
    assert not list(tree(cells("table", torch.zeros(3, 2), cut=3)).iter("tfoot"))


def test_a_large_tensor_is_a_map_with_a_word_for_those_who_do_not_see_it():
    table = PositionalEncoding(16, max_len=50).pe[0]
    drawn = tree(("positions", table)).find(".//table")
    assert (drawn.get("class"), drawn.get("role")) == ("grid small", "img")
    assert drawn.get("aria-label") == "positions map of 50 × 16, −1 to 1"
    assert set(texts(drawn, "td")) == {""}
    negative = [kind == "keys" for kind in classes(("positions", table))]
    rounded = [settle(number) for number in table.double().flatten().tolist()]
    assert negative == [round(45 * number) < 0 for number in rounded]
    assert texts(tree(("x", torch.zeros(70, 80))), "td")[-1] == "⋮ 6 more rows, 16 more columns"


def test_numbers_are_written_while_they_fit():
    assert grid(("strip", torch.arange(18))) == [[str(n) for n in range(18)]]
    assert "grid small" not in draw(("x", torch.zeros(16, 8)))._repr_html_()
    assert 'class="grid small"' in draw(("x", torch.zeros(17, 8)))._repr_html_()
    assert 'class="grid small"' in draw(("x", torch.full((2, 20), 0.25)))._repr_html_()


def test_bars_are_shares_of_one_or_of_the_largest():
    drawn = tree(bars("next word", ["a", "dog"], torch.tensor([0.25, 0.75]), mark=[1]))
    assert [bar.get("style") for bar in drawn.iter("span")] == ["--part:0.25", "--part:0.75"]
    assert texts(drawn, "td") == ["0.25", "0.75"]
    assert [row.get("class") for row in drawn.iter("tr")] == [None, "chosen"]
    counts = tree(bars("parameters", ["a", "b"], torch.tensor([300.0, 600.0])))
    assert [bar.get("style") for bar in counts.iter("span")] == ["--part:0.50", "--part:1.00"]
    assert "dog 0.75 ███" in repr(draw(bars("", ["a", "dog"], torch.tensor([0.25, 0.75]))))


POST = "x | • |        | + | [norm] | y\n  |   | [attn] |   |        |"


def test_wiring_places_boxes_and_leads_arrows_around_one_corner():
    drawn = tree(wiring("Post-LN", POST, "x → • → + → norm → y", "• ↓ attn → +",
                        roles={"attn": "queries"}, frames={"N×": ["attn", "norm"]}))  # fmt: skip
    picture = drawn.find(".//svg")
    assert picture.get("aria-label") == "Post-LN: x → • → + → norm → y; • ↓ attn → +"
    assert texts(picture, "text") == ["N×", "x", "+", "norm", "y", "attn"]
    place = {each.text: (int(each.get("x")), int(each.get("y"))) for each in picture.iter("text")}
    assert place["x"][1] == place["+"][1] == place["norm"][1] < place["attn"][1]
    assert place["x"][0] < place["attn"][0] < place["+"][0] < place["norm"][0] < place["y"][0]
    lines = picture.find("path").get("d").split("M")[1:]
    assert len(lines) == 6
    assert re.fullmatch(r"\d+,\d+V\d+H\d+", lines[4])  # down, then to the side of the box
    assert re.fullmatch(r"\d+,\d+H\d+V\d+", lines[5])  # aside, then up to the sum
    box = picture.find("g[@class='queries']/rect")
    assert lines[4].endswith(f"H{box.get('x')}")
    heads = picture.find("path[@class='heads']").get("d")
    assert heads.count("z") == 5  # none at the point where the line branches
    assert picture.find("g[@class='queries']/text").text == "attn"


def test_a_new_line_and_operators_that_stay_with_what_follows():
    drawn = tree(("a", QUERY), "·", ("b", QUERY), "\n", "=", ("c", QUERY), "a remark")
    kinds = [each.get("class") for each in drawn]
    assert kinds == ["piece", "step", "break", "step", "op"]
    assert [each.get("class") for each in drawn[1]] == ["op", "piece"]
    assert "\n\n" in repr(draw(("a", QUERY), "\n", ("b", QUERY)))


def test_text_breaks_before_it_is_wider_than_a_terminal():
    picture = repr(draw(*[("x", torch.zeros(2, 9))] * 6))
    assert max(map(len, picture.splitlines())) <= 80
    assert picture.count("[2, 9]") == 6


def test_a_picture_brings_no_more_style_than_it_needs():
    def style(*parts):
        return draw(*parts)._repr_html_().partition("</style>")[0]

    plain = style(("x", QUERY))
    assert len(plain) < 2100
    for word in ("svg", "table.bars", ".blocked", ".faded", ".small", "tfoot", ".keys{"):
        assert word not in plain
    assert "svg" in style(wiring("", "x"))
    assert ".blocked" in style(("", causal_mask(2)))
    assert ".keys{--tone:var(--ftt-keys,#" in style(("keys", KEYS))


def test_the_data_stay_as_they_were():
    x, mask = KEYS.clone(), causal_mask(2)
    draw(cells("x", x[:2], blocked=mask, mark=[0]))
    assert torch.equal(x, KEYS)
    assert torch.equal(mask, causal_mask(2))
    assert grid(("x", KEYS.clone().requires_grad_())) == grid(("x", KEYS))


def test_a_part_that_is_nothing_to_draw_is_refused():
    with refuses(TypeError, "parts: expected texts, pairs (name, tensor)", "got Tensor"):
        draw(QUERY)
