"""Each fault of article-map §10 does what the chapter says, and the right code does not."""

import ast
import difflib
import inspect
import textwrap

import pytest
import torch

from follow_the_tensor import (
    EncoderLayer,
    MultiHeadAttention,
    PositionalEncoding,
    expand_mask,
    faults,
    scaled_dot_product_attention,
)
from follow_the_tensor.attention import masked_softmax
from follow_the_tensor.positional import sinusoid_table
from tests.support.helpers import LS, B, D, H, draw, draw_mask

INF = float("inf")


def test_fault_1_the_table_is_missing_when_it_is_needed():
    x = torch.zeros(1, 3, 4)
    with pytest.raises(AttributeError, match="pe"):
        faults.PositionsNeverRegistered(4)(x)
    assert torch.equal(PositionalEncoding(4, dropout=0.0)(x)[0], PositionalEncoding(4).pe[0, :3])


def test_fault_2_odd_sizes_do_not_fit():  # reader question Q11
    for build in (
        lambda: faults.table_for_even_sizes(4, 5),
        lambda: faults.PositionsForEvenSizes(5),
    ):
        with pytest.raises(RuntimeError, match="expanded size"):
            build()
    assert PositionalEncoding(5, max_len=4).pe.shape == (1, 4, 5)


def test_fault_3_bmm_refuses_four_axes():
    Q = draw(B, H, LS, 4)
    with pytest.raises(RuntimeError, match="3D"):
        faults.scores_with_bmm(Q, Q)
    scores = faults.scores_with_bmm(Q[0], Q[0])  # with three axes it is right
    _, weights = scaled_dot_product_attention(Q, Q, Q)
    torch.testing.assert_close(torch.softmax(scores, dim=-1), weights[0])


def test_fault_4_four_axes_are_not_three():
    x = draw(B, LS, D)
    with pytest.raises(ValueError, match="too many values to unpack"):
        faults.CombinesThreeAxes(D, H)(x, x, x)
    assert MultiHeadAttention(D, H)(x, x, x).shape == (B, LS, D)


def test_fault_5_sublayers_need_their_sizes():
    with pytest.raises(TypeError, match="d_model"):
        faults.SublayersWithoutSizes(D, H, 24)
    assert isinstance(EncoderLayer(D, H, 24).self_attn, MultiHeadAttention)


def test_fault_6_is_silently_wrong_where_they_are_as_many():
    Q, mask = draw(2, 2, LS, 4), draw_mask(2, LS, LS)
    _, wrong = faults.attention_without_head_axis(Q, Q, Q, mask)
    _, right = scaled_dot_product_attention(Q, Q, Q, mask)
    assert (right[~expand_mask(mask, (2, 2, LS, LS)).expand_as(right)] == 0).all()
    for sentence in range(2):  # head h of every sentence got the mask of sentence h
        assert (wrong[sentence][~mask] == 0).all()
    assert not torch.allclose(wrong, right)


def test_fault_7_float16_has_no_such_number():  # reader question Q09
    scores, mask = torch.zeros(1, 2, dtype=torch.float16), torch.tensor([[True, False]])
    with pytest.raises(RuntimeError, match="overflow"):
        faults.fill_with_large_negative(scores, mask)
    assert faults.fill_with_large_negative(scores.float(), mask).tolist() == [[0, -1e9]]
    assert masked_softmax(scores, mask).tolist() == [[1, 0]]


@pytest.mark.parametrize(("blocked_score", "first"), [(-INF, "nan"), (-1e9, "0.25")])
def test_fault_8_an_empty_row_is_nan_or_an_average(blocked_score, first):  # reader question Q06
    scores, mask = draw(2, 4), torch.tensor([[False] * 4, [True] * 4])
    wrong = faults.softmax_of_empty_rows(scores, mask, blocked_score)
    assert [str(weight) for weight in wrong[0].tolist()] == [first] * 4
    right = masked_softmax(scores, mask)
    assert right[0].tolist() == [0, 0, 0, 0]
    assert torch.equal(wrong[1], right[1])


# Each faulty source differs from its right one by the fault alone.


def code(function):
    """The statements of a function without docstring and comments, in one spelling."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    return tree.body[1:] if ast.get_docstring(tree) else tree.body


def lines(function):
    text = "\n".join(ast.unparse(statement) for statement in code(function))
    return [line.strip() for line in text.splitlines()]


def expression(function, name=None):
    """What a function returns, or what it first assigns to `name`."""
    for node in code(function):
        if isinstance(node, ast.Return if name is None else ast.Assign):
            if name is None or ast.unparse(node.targets[0]) == name:
                return ast.unparse(node.value)
    raise AssertionError(f"{function.__name__} has no such statement")


SAID_BY_DIFF = [
    (
        "1",
        faults.PositionsNeverRegistered.__init__,
        PositionalEncoding.__init__,
        [],
        ["self.register_buffer('pe', pe.unsqueeze(0))"],
    ),
    (
        "2",
        faults.table_for_even_sizes,
        sinusoid_table,
        ["pe[:, 1::2] = torch.cos(angles)"],
        ["pe[:, 1::2] = torch.cos(angles[:, :d_model // 2])"],
    ),
    (
        "2 in its place",
        faults.PositionsForEvenSizes.__init__,
        PositionalEncoding.__init__,
        ["pe = table_for_even_sizes(max_len, d_model)"],
        ["pe = sinusoid_table(max_len, d_model)"],
    ),
    (
        "4",
        faults.CombinesThreeAxes.combine_heads,
        MultiHeadAttention.combine_heads,
        ["B, L, _ = check_shape('x', x, 'B', self.num_heads, 'L', self.d_k)"],
        ["B, _, L, _ = check_shape('x', x, 'B', self.num_heads, 'L', self.d_k)"],
    ),
    (
        "5",
        faults.SublayersWithoutSizes.__init__,
        EncoderLayer.__init__,
        [
            "self.self_attn = MultiHeadAttention()",
            "self.feed_forward = PositionWiseFeedForward()",
        ],
        [
            "self.self_attn = MultiHeadAttention(d_model, num_heads)",
            "self.feed_forward = PositionWiseFeedForward(d_model, d_ff, dropout)",
        ],
    ),
]


@pytest.mark.parametrize(
    ("faulty", "right", "wrong_lines", "right_lines"),
    [case[1:] for case in SAID_BY_DIFF],
    ids=[f"fault {case[0]}" for case in SAID_BY_DIFF],
)
def test_the_fault_is_all_that_differs(faulty, right, wrong_lines, right_lines):
    diff = list(difflib.ndiff(lines(faulty), lines(right)))
    assert [line[2:] for line in diff if line[0] == "-"] == wrong_lines
    assert [line[2:] for line in diff if line[0] == "+"] == right_lines


@pytest.mark.parametrize(
    ("faulty", "right", "own"),
    [
        (faults.PositionsNeverRegistered, PositionalEncoding, "__init__"),
        (faults.PositionsForEvenSizes, PositionalEncoding, "__init__"),
        (faults.CombinesThreeAxes, MultiHeadAttention, "combine_heads"),
        (faults.SublayersWithoutSizes, EncoderLayer, "__init__"),
    ],
)
def test_a_faulty_class_has_nothing_else_of_its_own(faulty, right, own):
    def methods(cls):
        return {name: value for name, value in vars(cls).items() if inspect.isfunction(value)}

    inherited = {} if faulty.__mro__[1] is torch.nn.Module else methods(faulty.__mro__[1])
    assert {**inherited, **methods(faulty)} == {**methods(right), own: vars(faulty)[own]}


def test_faults_3_and_6_score_as_the_right_code_does():
    right = expression(scaled_dot_product_attention, "scores").replace("d_k", "Q.size(-1)")
    assert expression(faults.scores_with_bmm) == right.replace("torch.matmul", "torch.bmm")
    assert expression(faults.attention_without_head_axis, "scores") == right


def test_fault_6_only_leaves_out():
    """The checks, the case of no mask, the move to a device, and expand_mask: the fault."""
    wrong = lines(faults.attention_without_head_axis)[1:]  # the scores: the test above
    right = "\n".join(lines(scaled_dot_product_attention)).replace(".to(scores.device)", "")
    assert wrong == [line for line in right.splitlines() if line in wrong]
    assert "expand_mask" in right


def test_faults_7_and_8_are_what_is_left_of_masked_softmax():
    filled = expression(masked_softmax, "scores").replace("blocked", "~mask")
    assert expression(faults.fill_with_large_negative) == filled.replace(
        "float('-inf')", "-1000000000.0"
    )
    filled = filled.replace("float('-inf')", "blocked_score")
    untreated = expression(masked_softmax).removesuffix(".masked_fill(all_masked, 0.0)")
    assert expression(faults.softmax_of_empty_rows) == untreated.replace("safe", filled)
