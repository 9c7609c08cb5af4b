"""Explorables as widgets: traits, answers, stills, stored outputs. No browser is needed."""

import html
import json
import re

import pytest
import torch
import traitlets

from follow_the_tensor import explorables
from tests.support.explorables import draw, html_of
from tests.support.notebook_guard import ROOT

ATTRIBUTE = re.compile(r'data-state="([^"]*)"')
AWKWARD = [
    *[None, True, False, "abc", "\ud8007 mars", "", 7, -1, 2.5, 10**30, 10**400],
    *[float("nan"), float("inf"), 1e300, -1e300, -1.0, 0.0, {}],
]


@pytest.mark.parametrize("explorable", explorables.ALL, ids=lambda each: each.module)
class TestEach:
    def test_stored_output_is_the_same_every_time(self, explorable):
        first, second = (draw(explorable, 1)[0] for _ in range(2))
        assert html_of(first) == html_of(second)
        assert "0x" not in first._repr_mimebundle_()[0]["text/plain"]

    def test_stored_state_makes_the_same_widget(self, explorable):
        for widget in draw(explorable, 5):
            attribute = html.unescape(ATTRIBUTE.search(html_of(widget)).group(1))
            again = explorable(**json.loads(attribute))
            assert (again.state(), again.result) == (widget.state(), widget.result)

    def test_result_is_plain_json(self, explorable):
        for widget in draw(explorable, 20):
            json.dumps(widget.result, allow_nan=False)

    def test_setting_a_trait_is_observed_and_answered(self, explorable):
        before, after = draw(explorable, 2, seed=1)
        seen = []
        before.observe(lambda change: seen.append(change["name"]))
        with before.hold_trait_notifications():
            for name, value in after.state().items():
                setattr(before, name, value)
        assert (before.state(), before.result) == (after.state(), after.result)
        assert seen

    def test_every_trait_takes_a_value_or_refuses_it(self, explorable):
        """What is taken can be sent and stored; what is not leaves everything as it was."""
        widget = draw(explorable, 1)[0]
        for name in widget.trait_names(state=True):
            for value in (wrapped for each in AWKWARD for wrapped in (each, [each], [[each]])):
                before = widget.state()
                refusal = trial(widget, name, value)
                if refusal:
                    assert name in refusal
                    assert widget.state() == before
                else:
                    sent = json.dumps([widget.state(), widget.result], allow_nan=False)
                    assert (sent + html_of(widget)).encode()


def trial(widget, name, value):
    """Set a trait; returns why it was refused, if it was."""
    try:
        setattr(widget, name, value)
    except traitlets.TraitError as error:
        return str(error)


def test_what_a_reader_could_type_is_escaped():
    output = html_of(explorables.Predict("<img onerror=1>", "<b>", reason='"', given="<i>"))
    assert not re.search("<(img|b|i)[ >]", output)


class TestArticleExamples:
    """Article map, rows 3.7 and 4.5."""

    def test_softmax(self):
        for row in explorables.Softmax().result["weights"]:
            assert [round(weight, 4) for weight in row] == [0.0900, 0.2447, 0.6652]

    def test_masks(self):
        result = explorables.Masks().result
        assert result["filled"] == [[2.0, "-inf", 0.0], ["-inf"] * 3]
        weights = [[round(weight, 4) for weight in row] for row in result["weights"]]
        assert weights == [[0.8808, 0.0, 0.1192], [0.0, 0.0, 0.0]]

    @pytest.mark.parametrize(
        ("treatment", "row"),
        [
            ("masked_softmax", [0.0] * 3),
            ("-inf", ["nan"] * 3),
            ("-1e9", [1 / 3] * 3),
            ("finfo.min", [1 / 3] * 3),
        ],
    )
    def test_empty_row_under_each_treatment(self, treatment, row):
        weights = explorables.Masks(treatment=treatment).result["weights"][1]
        assert weights == (row if treatment == "-inf" else pytest.approx(row))

    def test_model_map_counts(self):
        counts = explorables.ModelMap().result["counts"]
        assert (counts["encoder_layer"], counts["decoder_layer"]) == (1284, 1932)


class TestBadInput:
    @pytest.mark.parametrize(
        ("explorable", "name", "value"),
        [
            (explorables.Softmax, "scores", [[1.0], [1.0, 2.0]]),
            (explorables.Softmax, "d_k", 0),
            (explorables.Softmax, "axis", 1),
            (explorables.Masks, "cells", [[1, 0, 1], [0, 0, 0]]),
            (explorables.Masks, "cells", [[True]]),
            (explorables.LayerNorm, "token", [1.0]),
            (explorables.LayerNorm, "token", [1.0, 2.0, 3.0]),
            (explorables.LayerNorm, "token", [1e300, -1e300]),
            (explorables.Broadcasting, "left", [1] * 7),
            (explorables.ModelMap, "D", 3 * 10**9),
            (explorables.ReadDates, "text", "\ud8007 mars"),
        ],
    )
    def test_a_bad_value_is_refused(self, explorable, name, value):
        with pytest.raises(traitlets.TraitError, match=name):
            setattr(explorable(), name, value)

    def test_predict_needs_its_answer_among_the_options(self):
        with pytest.raises(ValueError, match="options: expected the answer 'c'"):
            explorables.Predict("?", "c", options=["a", "b"])

    def test_model_map_says_what_is_wrong_with_the_heads(self):
        assert (
            explorables.ModelMap(D=10).result["error"]
            == "num_heads: expected a divisor of d_model=10, got 3"
        )


@pytest.mark.parametrize(
    ("given", "right", "verdict"),
    [
        ("[2, 3]", torch.Size([2, 3]), "right"),
        ("2 x 3", (2, 3), "right"),
        ("2,3", (2, 3), "right"),
        ("(3, 2)", (2, 3), "wrong"),
        ("0.667", "0.6667", "wrong"),
        ("0.66667", "0.6667", "right"),
        ("relu", "ReLU", "right"),
        ("linear2", "linear1", "wrong"),
        ("1", "linear1", "wrong"),
        ("", "1", ""),
        *[(minus + "1", "-1", "right") for minus in "-−–—－﹣‐‑"],
        *[(text, "8256", "right") for text in ("８２５６", "८२५६", "8٬256", "8'256", "8_256")],
        *[(text, "0.5", "right") for text in ("0,5", ",5", "0,50")],
        *[(text, "[0.5, 1.0]", "wrong") for text in ("0,5", "0,5, 1,0")],
        *[(f"8{space}256", "8256", "right") for space in " ,，\u00a0\u2009\u202f\u3000"],
        ("8,256", "(8, 256)", "right"),
        ("8, 256", "8256", "wrong"),
        ("82,56", "8256", "wrong"),
        ("8²256", "8256", "wrong"),
        ("2,3", "23", "wrong"),
        ("1,000,24", "(1000, 24)", "right"),
    ],
)
def test_predict_judges(given, right, verdict):
    assert explorables.Predict("?", right, given=given).result == {"verdict": verdict, "hint": ""}


def test_predict_answers_a_likely_mistake_with_its_hint():
    question = explorables.Predict("12 / 3?", 4, hints={"36": "That is 12 · 3.", 9: "12 − 3."})
    for given, hint in {
        "36": "That is 12 · 3.",
        "９": "12 − 3.",
        "5": "",
        "4": "",
        " ": "",
    }.items():
        question.given = given
        assert question.result["hint"] == hint


def test_the_front_page_starts_from_the_state_of_the_class():
    page = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    state = json.loads(re.search(r"data-state='([^']*)'", page).group(1))
    assert state == explorables.ModelMap(chapters="../notebooks/", suffix=".html").state()
