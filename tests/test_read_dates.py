"""The date reader as an explorable: with a kernel, and computing in a page."""

import re
import subprocess
import sys
import unicodedata

import pytest
import torch
import traitlets

from browser import Visit, launch
from follow_the_tensor import load_date_reader
from follow_the_tensor.dates import KINDS, clean, date_pairs
from follow_the_tensor.explorables import ReadDates, bundle
from notebook_guard import ROOT

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
def browser():
    with launch() as browser:
        yield browser


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A page with the explorable, and its scripts in files beside it as in the book."""
    folder = tmp_path_factory.mktemp("book")
    scripts = {
        "host.js": bundle.page_host(),
        f"{MODULE}_weights.js": bundle.page_weights(MODULE),
        f"{MODULE}.js": bundle.page_script(MODULE),
    }
    for name, script in scripts.items():
        (folder / name).write_text(script, encoding="utf-8")
    tags = "".join(f'<script defer src="{name}"></script>' for name in scripts)
    data, _ = ReadDates(text="7. März 2021", step=6)._repr_mimebundle_()
    head = f'<meta charset="utf-8"><style>{ReadDates._css}</style>{tags}'
    (folder / "page.html").write_text(head + data["text/html"], encoding="utf-8")
    return folder / "page.html"


class TestComputedInAPage:
    """The parity test of all explorables compares every number. Here: many texts."""

    @pytest.fixture(scope="class")
    def page(self, browser):
        page = browser.new_page()
        page.add_script_tag(content=bundle.page_host())
        page.add_script_tag(content=bundle.page_weights(MODULE))
        page.evaluate("void (explorables.define = (name, make) => { window[name] = make(kit) })")
        page.add_script_tag(content=bundle.page_script(MODULE))
        page.evaluate(f"void (window.clean = {bundle._part('date_reader')}.clean)")
        return page

    def test_it_is_the_greedy_answer_of_pytorch(self, page, reader):
        _, held_out = date_pairs(0, 10 * len(KINDS))  # 540, ten of each language and style
        texts = [text for text, _ in held_out]
        script = """texts => texts.map(text => read_dates.compute(
            { text, kind: "cross", layer: 0, head: 0 }, explorables.weights.read_dates).answer)"""
        assert page.evaluate(script, texts) == reader.read(texts)

    def test_it_cleans_every_character_as_python_does(self, page):
        """In the middle of a word and at its end, where a Greek sigma is another letter."""
        assigned = [c for c in map(chr, range(sys.maxunicode + 1)) if known(c)]
        texts = [f"A{c}B Σ{c}" for c in assigned]
        cleaned = page.evaluate("texts => texts.map(clean)", texts)
        different = [c for c, text, got in zip(assigned, texts, cleaned, strict=True) if got != clean(text)]
        assert different == []


def known(character):
    """Whether a character has a meaning yet: not a surrogate, not private, not unassigned."""
    return unicodedata.category(character) not in ("Cs", "Co", "Cn")
