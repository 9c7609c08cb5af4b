"""Attention on numbers that can be checked by hand; test_properties.py has it for all sizes."""

import math

import pytest
import torch

from follow_the_tensor import (
    MultiHeadAttention,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
)
from follow_the_tensor.attention import masked_softmax
from tests.support.helpers import (
    D_K,
    LS,
    LT,
    B,
    D,
    H,
    assert_close,
    draw,
    draw_mask,
    every_dtype,
    exactly,
    fill,
    gradients,
)

EMPTY_ROW = draw_mask(B, H, LT, LS)
EMPTY_ROW[0, :, 1] = False  # query 1 of the first sentence may attend to nothing
both_paths = pytest.mark.parametrize("need_weights", [False, True])


def heads(dtype=torch.float32):
    shapes = (B, H, LT, D_K), (B, H, LS, D_K), (B, H, LS, D_K)
    return [draw(*shape, seed=n, dtype=dtype).requires_grad_() for n, shape in enumerate(shapes)]


def build():
    return fill(MultiHeadAttention(D, H))


def inputs():
    return [draw(B, length, D, seed=n) for n, length in enumerate((LT, LS, LS))]


def output(result):
    return result[0] if isinstance(result, tuple) else result


# The written-out function


def test_the_worked_example_of_the_article():  # article-map row 4.5
    scores = torch.tensor([[2.0, 1.0, 0.0], [3.0, 2.0, 1.0]])
    mask = torch.tensor([[True, False, True], [False, False, False]])
    weights = masked_softmax(scores, mask)
    share = math.exp(2) / (math.exp(2) + 1)  # 0.8808
    torch.testing.assert_close(weights, torch.tensor([[share, 0, 1 - share], [0, 0, 0]]))


@every_dtype
def test_a_blocked_key_gets_nothing_however_low_the_others_score(dtype):
    scores = torch.tensor([[-60000.0, 0.0]], dtype=dtype)
    assert masked_softmax(scores, torch.tensor([[True, False]])).tolist() == [[1, 0]]


def test_true_may_attend():  # reader question Q01
    zeros = torch.zeros(1, 1, 3, 2)
    values = torch.arange(6.0).view(1, 1, 3, 2)
    context, _ = scaled_dot_product_attention(zeros, zeros, values, causal_mask(3))
    torch.testing.assert_close(context[0, 0], torch.tensor([[0.0, 1], [1, 2], [2, 3]]))


def test_softmax_runs_over_the_keys():  # reader question Q14
    K = torch.tensor([[math.log(3), 0.0], [0.0, 0.0]]).view(1, 1, 2, 2)
    Q = torch.tensor([[0.0, 0.0], [math.sqrt(2), 0.0]]).view(1, 1, 2, 2)
    _, weights = scaled_dot_product_attention(Q, K, K)
    torch.testing.assert_close(weights[0, 0], torch.tensor([[0.5, 0.5], [0.75, 0.25]]))


def test_scores_are_divided_by_the_root_of_d_k():
    Q = torch.tensor([1.0, 1, 1, 1]).view(1, 1, 1, 4)
    K = torch.stack([torch.full((4,), math.log(3) / 2), torch.zeros(4)]).view(1, 1, 2, 4)
    _, weights = scaled_dot_product_attention(Q, K, K)  # scores 4 · ln 3 / 2 / 2 = ln 3, and 0
    torch.testing.assert_close(weights.flatten(), torch.tensor([0.75, 0.25]))


def test_weights_sum_to_one_and_blocked_keys_get_none():
    mask = draw_mask(LT, LS)
    _, weights = scaled_dot_product_attention(*heads(), mask)
    assert (weights[..., ~mask] == 0).all()
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(B, H, LT))


@every_dtype
def test_an_empty_row_gives_zeros_and_finite_gradients(dtype):
    QKV = heads(dtype)
    context, weights = scaled_dot_product_attention(*QKV, EMPTY_ROW)
    assert not context[0, :, 1].any()
    assert not weights[0, :, 1].any()
    grads = gradients(context, QKV)
    assert all(grad.isfinite().all() for grad in grads)
    assert not grads[0][0, :, 1].any()


def test_a_loss_on_the_other_rows_has_finite_gradients():  # reader question Q07
    QKV = heads()
    with torch.autograd.set_detect_anomaly(True):  # zeroing the weights alone would hide a NaN
        context, _ = scaled_dot_product_attention(*QKV, EMPTY_ROW)
        grads = torch.autograd.grad(context[:, :, 2:].sum(), QKV)
    assert all(grad.isfinite().all() for grad in grads)


def test_what_fits_float16_once_scaled_does_not_overflow():
    # q·k = 16 · 120² = 230400 is beyond float16 (65504); divided by √16 it is 57600.
    Q = torch.full((1, 1, 1, 16), 120.0, dtype=torch.float16)
    K = torch.cat([Q, -Q], dim=2)
    context, weights = scaled_dot_product_attention(Q, K, K)
    assert weights.flatten().tolist() == [1, 0]
    assert torch.equal(context, Q)


# The layer


def test_a_head_is_a_slice_of_the_features_at_all_positions():  # row 3.4, reader question Q13
    split = MultiHeadAttention(4, 2).split_heads(torch.arange(8.0).view(1, 2, 4))
    assert split[0].tolist() == [[[0, 1], [4, 5]], [[2, 3], [6, 7]]]


def test_combining_undoes_splitting():  # row 5.3, reader question Q12
    attention, x = MultiHeadAttention(6, 2), torch.arange(24.0).view(1, 4, 6)
    assert torch.equal(attention.combine_heads(attention.split_heads(x)), x)


def test_splitting_takes_views_that_are_not_contiguous():
    x = draw(D, LS, B).permute(2, 1, 0)
    assert torch.equal(build().split_heads(x), build().split_heads(x.contiguous()))


def test_the_projections_have_the_names_and_sizes_of_the_article():
    attention = MultiHeadAttention(D, H)
    assert (attention.d_model, attention.num_heads, attention.d_k) == (D, H, D_K)
    assert {name: tuple(p.shape) for name, p in attention.named_parameters()} == {
        f"{layer}.{part}": shape
        for layer in ("W_q", "W_k", "W_v", "W_out")
        for part, shape in (("weight", (D, D)), ("bias", (D,)))
    }


def test_an_integer_mask_counts_as_its_boolean():
    attention, QKV, mask = build(), inputs(), draw_mask(LT, LS)
    for numbers in (mask.int(), mask.to(torch.uint8), -mask.long()):
        exactly(attention(*QKV, numbers), attention(*QKV, mask))


@pytest.mark.parametrize(("Lq", "Lk"), [(4, 6), (6, 4), (5, 5), (3, 0), (0, 3)])
@pytest.mark.parametrize("padded", [False, True])
def test_is_causal_is_what_torch_means_by_it(Lq, Lk, padded):
    attention, Q, K = build(), draw(B, Lq, D), draw(B, Lk, D, seed=1)
    mask = (draw(B, Lk) > 0)[:, None, None, :] if padded else None
    tril = torch.ones(Lq, Lk, dtype=torch.bool).tril()
    expected, weights = attention(Q, K, K, tril if mask is None else mask & tril, True)
    assert_close(attention(Q, K, K, mask, is_causal=True), expected, factor=16)
    exactly(attention(Q, K, K, mask, True, True), (expected, weights))


def test_is_causal_alone_builds_no_mask(monkeypatch):  # the kernel skips what is above
    kernel, seen = torch.nn.functional.scaled_dot_product_attention, []

    def spy(Q, K, V, attn_mask=None, **options):
        seen.append((attn_mask, options))
        return kernel(Q, K, V, attn_mask, **options)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", spy)
    build()(*inputs(), is_causal=True)
    assert seen == [(None, {"is_causal": True})]


@both_paths
def test_after_an_empty_row_the_bias_of_the_output_remains(need_weights):  # row 4.4
    attention, nothing = build(), torch.zeros(LT, LS, dtype=torch.bool)
    given = output(attention(*inputs(), nothing, need_weights))
    assert torch.equal(given, attention.W_out.bias.expand(B, LT, D))


@both_paths
@pytest.mark.parametrize("kind", [torch.bool, torch.int32])
def test_nothing_writes_into_what_the_caller_passed(need_weights, kind):
    passed = [*inputs(), EMPTY_ROW.to(kind)]
    before = [x.clone() for x in passed]
    build()(*passed, need_weights, True)
    exactly(passed, before)


@both_paths
def test_attention_alone_is_blind_to_order(need_weights):  # row 2.1
    attention, x, order = build(), draw(B, LS, D), torch.tensor([5, 3, 1, 0, 2, 4])
    turned = x[:, order]
    after = output(attention(turned, turned, turned, need_weights=need_weights))
    assert_close(after, output(attention(x, x, x, need_weights=need_weights))[:, order], factor=8)


@both_paths
def test_the_sentences_of_a_batch_are_independent(need_weights):
    attention, x = build(), draw(B, LS, D)
    both = output(attention(x, x, x, need_weights=need_weights))
    assert_close(attention(x[1:], x[1:], x[1:]), both[1:], factor=8)


def test_a_square_two_axis_mask_is_never_a_padding_flag():  # reader question Q04
    attention = MultiHeadAttention(3, 1)
    flag = torch.tensor([[1, 1, 1], [1, 1, 0], [1, 0, 0]])  # B = L = 3 hides the mistake
    x = torch.zeros(3, 3, 3)
    _, weights = attention(x, x, x, flag, need_weights=True)
    rows = torch.tensor([[1, 1, 1], [1.5, 1.5, 0], [3, 0, 0]]) / 3
    torch.testing.assert_close(weights, rows.expand(3, 1, 3, 3))
    _, weights = attention(x, x, x, padding_mask(flag), need_weights=True)
    torch.testing.assert_close(weights, rows.view(3, 1, 1, 3).expand(3, 1, 3, 3))


@both_paths
def test_the_mode_changes_nothing(need_weights):  # reader questions Q15 and Q16
    attention, QKV = build(), inputs()
    training = attention(*QKV, need_weights=need_weights)
    torch.testing.assert_close(attention.eval()(*QKV, need_weights=need_weights), training)


def test_a_mask_on_another_device_is_moved():  # test_devices.py has it for every device
    output = build().to("meta")(*(x.to("meta") for x in inputs()), draw_mask(LT, LS))
    assert output.is_meta


def test_its_output_is_a_plain_tensor_unless_weights_are_asked_for():
    assert isinstance(build()(*inputs()), torch.Tensor)
    assert len(build()(*inputs(), need_weights=True)) == 2
