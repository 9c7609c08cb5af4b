"""Each fault of article-map §10 does what the chapter says, and the right code does not."""

import pytest
import torch

import follow_the_tensor
from follow_the_tensor import (
    EncoderLayer,
    MultiHeadAttention,
    PositionalEncoding,
    expand_mask,
    faults,
    scaled_dot_product_attention,
)
from follow_the_tensor.attention import masked_softmax
from helpers import LS, B, D, H, draw, draw_mask

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


def test_fault_2_is_no_fault_for_even_sizes():
    right = PositionalEncoding(D, max_len=40).pe
    assert torch.equal(faults.table_for_even_sizes(40, D), right[0])
    assert torch.equal(faults.PositionsForEvenSizes(D, max_len=40).pe, right)


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


def test_fault_6_raises_where_sentences_and_heads_differ():
    Q = draw(B, H, LS, 4)
    with pytest.raises(RuntimeError, match="size"):
        faults.attention_without_head_axis(Q, Q, Q, draw_mask(B, LS, LS))


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


def test_the_package_does_not_offer_the_faults():
    offered = [getattr(follow_the_tensor, name) for name in follow_the_tensor.__all__]
    assert not [thing for thing in offered if thing.__module__ == faults.__name__]
