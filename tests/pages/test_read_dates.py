"""The date reader as an explorable: with a kernel, and computing in a page."""

import re
import subprocess
import sys
import unicodedata

import pytest
import torch
import traitlets
from axe_playwright_python.base import AXE_SCRIPT
from safetensors import safe_open

from follow_the_tensor import attention_maps, generate, load_date_reader
from follow_the_tensor.dates.reader import WEIGHTS, metadata_of
from follow_the_tensor.dates.task import KINDS, REPLACEMENTS, clean, date_pairs
from follow_the_tensor.dates.vocabulary import BOS, EOS
from follow_the_tensor.explorables import ReadDates, bundle
from tests.support.explorables import modules_page, stop_clock, write_page
from tests.support.notebook_guard import ROOT
from tools.browser import Visit

MODULE = "read_dates"
TEXTS = ["7. März 2021", "☃", "see you tomorrow", "x" * 63]


@pytest.fixture(scope="module")
def reader():
    return load_date_reader()


class TestWithAKernel:
    @pytest.mark.parametrize("text", TEXTS)
    def test_it_writes_what_the_reader_reads(self, reader, text):
        result = ReadDates(text=text).result
        assert [result["answer"]] == reader.read([text])
        assert result["source"] == list(text.lower())
        for row, name in zip(result["probabilities"], result["written"], strict=True):
            assert sum(row) == pytest.approx(1)
            assert row[result["target"].index(name)] == max(row)

    @pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
    def test_weights_are_those_of_one_head(self, kind):
        widget = ReadDates(text="7. März 2021", kind=kind)
        queries, keys = {"encoder": (13, 13), "decoder": (11, 11), "cross": (11, 13)}[kind]
        seen = []
        for widget.layer in range(2):
            for widget.head in range(4):
                weights = torch.tensor(widget.result["weights"])
                assert weights.shape == (queries, keys)
                assert torch.allclose(weights.sum(dim=-1), torch.ones(queries))
                assert kind != "decoder" or torch.equal(weights, weights.tril())
                seen.append(weights)
        assert not any(torch.equal(a, b) for n, a in enumerate(seen) for b in seen[:n])

    @pytest.mark.parametrize("text", TEXTS)
    def test_it_has_the_numbers_of_the_model_in_float32(self, reader, text):
        """It computes in float64 as a page does, so the two differ by what float32 rounds."""
        src = reader.encode([text])
        ids = generate(reader.model, src, BOS, EOS, 12)
        with torch.no_grad(), attention_maps(reader.model) as maps:
            logits = reader.model(src, ids[:, :-1])[0]
        result = ReadDates(text=text, layer=1, head=2).result
        close = {"atol": 1e-4, "rtol": 0}
        assert torch.allclose(torch.tensor(result["probabilities"]), logits.softmax(-1), **close)
        weights = maps["decoder.1.cross_attn"][0][0, 2]
        assert torch.allclose(torch.tensor(result["weights"]), weights, **close)

    def test_the_examples_are_read_right_but_for_those_that_are_none(self, reader):
        dates = """2021-03-07 1969-07-20 1789-07-14 1492-10-12 1473-02-19 1896-04-05 1961-04-12
            1991-08-24 1950-01-26 2008-08-08 1964-10-10 2002-05-31""".split()
        assert reader.read(ReadDates().examples)[: len(dates)] == dates

    def test_unknown_characters_are_told_from_known_ones(self):
        assert ReadDates(text="1☃").result["known"] == [True, False]

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("text", ""),
            ("text", " \u3000"),
            ("text", "x" * 64),
            ("examples", ["7. März 2021", ""]),
            ("kind", "self"),
            ("layer", 2),
            ("head", -1),
            ("step", 11),
        ],
    )
    def test_a_bad_value_is_refused_and_the_last_good_state_stays(self, name, value):
        widget = ReadDates()
        state, result = widget.state(), widget.result
        with pytest.raises(traitlets.TraitError, match=name):
            setattr(widget, name, value)
        assert (widget.state(), widget.result) == (state, result)

    def test_what_a_reader_types_is_escaped(self):
        data, _ = ReadDates(text="<img onerror>")._repr_mimebundle_()
        assert "<img" not in data["text/html"]

    def test_importing_it_loads_no_weights(self):
        code = "import sys, follow_the_tensor.explorables; print('safetensors' in sys.modules)"
        run = [sys.executable, "-c", code]
        assert subprocess.run(run, capture_output=True, text=True).stdout.strip() == "False"


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A page with the explorable, and its scripts in files beside it as in the book."""
    return write_page(tmp_path_factory.mktemp("book"), ReadDates(text="7. März 2021", step=6))


@pytest.fixture
def visit(browser, book):
    """Open the page over file://, with the network off."""
    contexts = []

    def visit(**options):
        contexts.append(browser.new_context(offline=True, **options))
        return Visit(contexts[-1], book)

    yield visit
    for context in contexts:
        context.close()


def verdict(page):
    return page.locator(".verdict").inner_text()


def tiles(page, group):
    return page.get_by_role("group", name=group).get_by_role("button")


def test_a_typed_date_is_read_and_can_be_watched(visit):
    opened = visit()
    page = opened.page
    stop_clock(page)
    page.get_by_label("a date").fill("Τρίτη, 5 Μαΐου 1821")
    assert "1821-05-05: probability 9" in verdict(page)
    page.get_by_role("button", name="run").click()
    assert "so far" in verdict(page)
    assert tiles(page, "answer").all_inner_texts()[2:4] == ["·", "·"]
    page.get_by_role("button", name="pause").wait_for()
    page.clock.run_for(20 * 600)
    assert "1821-05-05: probability 9" in verdict(page)
    page.get_by_role("button", name="run").wait_for()
    assert not opened.errors


def test_a_picked_date_is_read(visit):
    page = visit().page
    page.get_by_label("or pick one").select_option("1964年10月10日土曜日")
    assert "1964-10-10" in verdict(page)
    assert page.get_by_label("a date").input_value() == "1964年10月10日土曜日"


def test_nonsense_is_read_too_with_its_probability(visit, reader):
    opened = visit()
    page = opened.page
    for text in ("see you tomorrow", "<img src=x onerror=alert(1)>", "☃"):
        page.get_by_label("a date").fill(text)
        assert verdict(page).startswith(f"{reader.read([text])[0]}: probability")
    assert "guessing" in verdict(page)
    assert "all alike to it: ☃" in page.locator(".read-dates").inner_text()
    page.get_by_label("a date").fill("30 February 2021")
    assert "The calendar has no such day" in verdict(page)
    assert page.locator("img").count() == 0
    assert not opened.errors


@pytest.mark.parametrize(
    ("text", "message"), [("", "at least one"), ("  ", "at least one"), ("x" * 64, "64 characters")]
)
def test_a_text_that_the_model_cannot_take_gets_a_message(visit, text, message):
    page = visit().page
    before = tiles(page, "text").all_inner_texts()
    field = page.get_by_label("a date")
    field.fill(text)
    assert message in page.locator(".message", has_text="character").inner_text()
    assert field.get_attribute("aria-invalid") == "true"
    assert tiles(page, "text").all_inner_texts() == before
    page.get_by_role("checkbox", name="whole map").focus()
    assert field.input_value() == "7. März 2021"
    assert field.get_attribute("aria-invalid") == "false"


def test_the_shade_follows_the_chosen_attention(visit):
    page = visit().page
    page.get_by_role("group", name="head").get_by_role("radio", name="3").check()
    for kind in ("encoder", "decoder", "cross"):
        page.get_by_role("radio", name=kind).check()
        weights = ReadDates(kind=kind, head=3).result["weights"][0 if kind == "encoder" else 6]
        group = "answer" if kind == "decoder" else "text"
        shown = page.locator(f".tiles[aria-label={group}] .weight").all_inner_texts()
        expected = [f"{weight:.2f}" if weight >= 0.005 else "" for weight in weights]
        assert (
            shown[: len(expected)] == expected if kind != "decoder" else shown[:7] == expected[:7]
        )


def test_a_character_is_a_query_that_the_arrow_keys_move(visit):
    page = visit().page
    tiles(page, "text").nth(4).click()
    page.keyboard.press("ArrowRight")
    assert "where “r” looks" in page.locator(".read-dates").inner_text()
    assert tiles(page, "text").nth(5).get_attribute("aria-pressed") == "true"
    assert tiles(page, "text").nth(5).evaluate("tile => tile === document.activeElement")
    tiles(page, "answer").nth(3).click()
    assert "the step that writes “2” looks" in page.locator(".read-dates").inner_text()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone(visit, theme):
    opened = visit(viewport={"width": 360, "height": 740}, color_scheme=theme, has_touch=True)
    page = opened.page
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    page.get_by_label("a date").fill("ponedělí 28. října 1918 " + "x☃" * 15)
    page.get_by_role("checkbox", name="whole map").tap()
    assert page.locator(".map-frame table").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.evaluate(AXE_SCRIPT)
    found = page.evaluate("axe.run('.explorable')")["violations"]
    assert not [(each["id"], each["nodes"][0]["html"]) for each in found]
    assert not opened.errors


@pytest.fixture(scope="module")
def compute_page(browser):
    """A page with the module in reach, and `dates`, which has the functions beside it."""
    page = modules_page(browser)
    page.evaluate(f"void (globalThis.dates = {bundle.part('shared/date_reader.js')})")
    return page


def test_the_file_has_all_that_a_page_needs_to_know(reader):
    with safe_open(WEIGHTS, "pt") as file:
        written = file.metadata()
    assert written == metadata_of(reader), "write the file again as dates/reader.py says"


# The parity test of all explorables compares every number, here it is the words of many texts.
def test_the_page_writes_the_greedy_answers_of_pytorch(compute_page, reader):
    _, held_out = date_pairs(0, 10 * len(KINDS))  # ten of each language and style, 540 in all
    texts = [text for text, _ in held_out]
    script = """texts => texts.map((text) => {
        const state = { text, kind: "cross", layer: 0, head: 0 };
        return explorables.modules.read_dates.compute(state).answer;
    })"""
    assert len(texts) >= 500
    assert compute_page.evaluate(script, texts) == reader.read(texts)


def test_the_page_cleans_every_character_as_python_does(compute_page):
    """Also behind a Σ, which is σ in the middle of a word and ς at its end."""
    characters = [c for c in map(chr, range(sys.maxunicode + 1)) if assigned(c)]
    texts = [f"A{c}B Σ{c}" for c in characters]
    script = "([texts, replacements]) => texts.map((text) => dates.clean(text, { replacements }))"
    cleaned = compute_page.evaluate(script, [texts, REPLACEMENTS])
    assert [
        c for c, t, got in zip(characters, texts, cleaned, strict=True) if got != clean(t)
    ] == []


def assigned(character):
    """Whether a character has a meaning: no surrogate, not private, not left for later."""
    return unicodedata.category(character) not in ("Cs", "Co", "Cn")


def test_pages_of_the_book_load_the_weights_only_where_they_are_needed():
    for page in (ROOT / "_build" / "html").rglob("*.html"):
        content = page.read_text(encoding="utf-8")
        scripts = re.findall(rf'src="[^"]*/{MODULE}(_weights)?\.js', content)
        assert scripts == ["_weights", ""] * (f'data-module="{MODULE}"' in content), page
