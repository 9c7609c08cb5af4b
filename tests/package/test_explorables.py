"""Explorables as widgets: traits, answers, stills, stored outputs. No browser is needed."""

import html
import json
import re

import pytest
import torch
import traitlets

from follow_the_tensor import explorables
from follow_the_tensor.explorables.shared import bundle
from tests.support.explorable_states import STATES, draw
from tests.support.notebook_guard import ROOT

ATTRIBUTE = re.compile(r'data-state="([^"]*)"')


def html_of(widget):
    data, _ = widget._repr_mimebundle_()
    return data["text/html"]


def test_every_explorable_has_a_module_and_every_module_an_explorable():
    classes = [getattr(explorables, name) for name in explorables.__all__]
    assert sorted(each.module for each in classes) == bundle.modules()


@pytest.mark.parametrize("explorable", STATES, ids=lambda each: each.module)
class TestEach:
    def test_stored_output_is_the_same_every_time(self, explorable):
        first, second = (draw(explorable, 1)[0] for _ in range(2))
        assert html_of(first) == html_of(second)
        assert "0x" not in first._repr_mimebundle_()[0]["text/plain"]

    def test_stored_state_makes_the_same_widget(self, explorable):
        for widget in draw(explorable, 5):
            attribute = html.unescape(ATTRIBUTE.search(html_of(widget)).group(1))
            assert explorable(**json.loads(attribute)).result == widget.result

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
        assert before.result == after.result
        assert seen


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
            ("ours", [0.0] * 3),
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
            (explorables.Softmax, "scores", []),
            (explorables.Softmax, "scores", [[float("nan")]]),
            (explorables.Softmax, "scores", [["one"]]),
            (explorables.Softmax, "d_k", 0),
            (explorables.Softmax, "axis", 1),
            (explorables.Masks, "cells", [[1, 0, 1], [0, 0, 0]]),
            (explorables.Masks, "cells", [[True]]),
            (explorables.Masks, "treatment", "zero"),
            (explorables.LayerNorm, "token", [1.0]),
            (explorables.LayerNorm, "token", [1.0, 2.0, 3.0]),
            (explorables.Positions, "d_model", 0),
            (explorables.Memory, "step", "fly"),
            (explorables.Broadcasting, "left", [-1]),
            (explorables.ModelMap, "B", 0),
        ],
    )
    def test_a_bad_value_is_refused_and_the_last_good_state_stays(self, explorable, name, value):
        widget = explorable()
        state, result = widget.state(), widget.result
        with pytest.raises(traitlets.TraitError, match=name):
            setattr(widget, name, value)
        assert (widget.state(), widget.result) == (state, result)

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
        ("(3, 2)", (2, 3), "wrong"),
        ("0.667", "0.6667", "wrong"),
        ("0.66667", "0.6667", "right"),
        ("relu", "ReLU", "right"),
        ("linear2", "linear1", "wrong"),
        ("1", "linear1", "wrong"),
        ("−1", "-1", "right"),
        ("", "1", ""),
    ],
)
def test_predict_judges(given, right, verdict):
    assert explorables.Predict("?", right, given=given).result == {"verdict": verdict}


def test_the_front_page_starts_from_the_state_of_the_class():
    page = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    state = json.loads(re.search(r"data-state='([^']*)'", page).group(1))
    assert state == explorables.ModelMap(chapters="../notebooks/", suffix=".html").state()
