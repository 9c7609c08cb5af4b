import re
from itertools import combinations
from pathlib import Path

import pytest

from follow_the_tensor.drawing.grid import MOST as FULLEST
from follow_the_tensor.drawing.palette import BOTH, GROUNDS, ROLES, css, light
from tests.support.helpers import refuses

WHITE = "#ffffff"
DARK = "#121212"  # --pst-color-background of sphinx-book-theme in the dark
BOOK = Path(__file__).parents[2] / "book"
STYLES = BOOK / "_static" / "book.css"


def channels(colour):
    return [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]


def luminance(colour):
    """Relative luminance, as WCAG 2.2 defines it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels(colour)]
    return sum(share * c for share, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_runs_from_1_to_21():
    assert contrast(WHITE, WHITE) == 1
    assert round(contrast("#000000", WHITE), 3) == 21
    assert round(contrast("#777777", WHITE), 2) == 4.48  # the best known near miss


@pytest.mark.parametrize("name", [*ROLES, "ink", "quiet"])
def test_every_colour_is_legible_as_text(name):
    on_white, on_dark = (ROLES | GROUNDS)[name]
    for ground in (WHITE, GROUNDS["paper"][0], GROUNDS["panel"][0]):
        assert contrast(on_white, ground) >= 4.5
    for ground in (DARK, GROUNDS["paper"][1], GROUNDS["panel"][1]):
        assert contrast(on_dark, ground) >= 4.5


@pytest.mark.parametrize("theme", [0, 1])
@pytest.mark.parametrize("role", ROLES)
def test_numbers_stay_readable_on_the_fullest_colour_of_a_cell(role, theme):
    share = FULLEST / 100
    mixed = [
        share * tone + (1 - share) * paper
        for tone, paper in zip(
            channels(ROLES[role][theme]), channels(GROUNDS["paper"][theme]), strict=True
        )
    ]
    cell = "#" + "".join(f"{round(255 * channel):02x}" for channel in mixed)
    assert contrast(GROUNDS["ink"][theme], cell) >= 4.5


@pytest.mark.parametrize("colour", BOTH.values(), ids=BOTH)
def test_the_colours_of_figures_stand_on_both_grounds_alike(colour):
    on_white, on_dark = (contrast(colour, paper) for paper in GROUNDS["paper"])
    assert abs(on_white - on_dark) < 0.1
    assert round(min(on_white, on_dark), 1) >= 4.2


def test_figures_have_the_roles_they_draw():
    assert {"queries", "keys", "values", "weights", "masked"} <= set(ROLES)


def test_every_colour_is_six_lower_case_digits():
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for pair in ROLES.values() for colour in pair)


@pytest.mark.parametrize("theme", [0, 1])
def test_roles_differ_to_the_eye(theme):
    for one, other in combinations([pair[theme] for pair in ROLES.values()], 2):
        apart = [abs(a - b) for a, b in zip(channels(one), channels(other), strict=True)]
        assert max(apart) > 0.15, (one, other)


def test_light_is_the_colour_on_white():
    assert light("queries") == ROLES["queries"][0]
    with refuses(KeyError, "query"):
        light("query")


def variables(block):
    return dict(re.findall(r"--ftt-(\w+): (#\w+);", block))


def test_the_variables_are_the_colours():
    light_theme, dark_theme = re.findall(r"\{(.*?)\}", css(), re.DOTALL)
    for number, block in enumerate((light_theme, dark_theme)):
        assert variables(block) == {name: pair[number] for name, pair in (ROLES | GROUNDS).items()}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_pages_do_not_disagree(theme):
    number = ["light", "dark"].index(theme)
    on_pages = {}
    for block in re.findall(rf'data-theme="{theme}"\] \{{(.*?)\}}', STYLES.read_text(), re.DOTALL):
        on_pages |= variables(block)
    ours = {name: pair[number] for name, pair in (ROLES | GROUNDS).items()}
    assert {name: ours.get(name, colour) for name, colour in on_pages.items()} == on_pages
