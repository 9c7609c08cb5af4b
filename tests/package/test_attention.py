import copy
import math

import pytest
import torch
from torch import nn

from follow_the_tensor import (
    MultiHeadAttention,
    causal_mask,
    expand_mask,
    padding_mask,
    scaled_dot_product_attention,
)
from follow_the_tensor.attention import masked_softmax
from tests.support.helpers import (
    D_K,
    LS,
    LT,
    MASKS,
    B,
    D,
    H,
    assert_close,
    draw,
    draw_mask,
    every_dtype,
    every_mask,
    gradients,
    refuses,
    shake,
)

INF = float("inf")


def heads(dtype=torch.float32):
    shapes = (B, H, LT, D_K), (B, H, LS, D_K), (B, H, LS, D_K)
    return [draw(*shape, seed=n, dtype=dtype).requires_grad_() for n, shape in enumerate(shapes)]


def build(dtype=torch.float32):
    torch.manual_seed(0)
    return shake(MultiHeadAttention(D, H)).to(dtype)


def inputs(dtype=torch.float32):
    lengths = LT, LS, LS
    return [
        draw(B, length, D, seed=n, dtype=dtype).requires_grad_() for n, length in enumerate(lengths)
    ]


def as_four_axes(mask):
    return expand_mask(mask, (B, H, LT, LS))


def empty_rows(mask):
    """[B, H, LT, 1], True where a query may attend to nothing."""
    return ~as_four_axes(mask).any(dim=-1, keepdim=True).expand(B, H, LT, 1)


# The written-out function


def test_the_worked_example_of_the_article():  # article-map row 4.5
    scores = torch.tensor([[2.0, 1.0, 0.0], [3.0, 2.0, 1.0]])
    mask = torch.tensor([[True, False, True], [False, False, False]])
    weights = masked_softmax(scores, mask)
    share = math.exp(2) / (math.exp(2) + 1)  # 0.8808
    torch.testing.assert_close(weights, torch.tensor([[share, 0, 1 - share], [0, 0, 0]]))
    assert scores.tolist() == [[2, 1, 0], [3, 2, 1]]
    assert mask.tolist() == [[1, 0, 1], [0, 0, 0]]


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


def test_values_may_have_another_size():
    Q, K, _ = heads()
    context, weights = scaled_dot_product_attention(Q, K, draw(B, H, LS, 7))
    assert context.shape == (B, H, LT, 7)
    assert weights.shape == (B, H, LT, LS)


@every_dtype
@every_mask
def test_weights_sum_to_one_and_blocked_keys_get_none(mask, dtype):
    _, weights = scaled_dot_product_attention(*heads(dtype), mask)
    sums = weights.sum(dim=-1, keepdim=True)
    if mask is None:
        assert_close(sums, torch.ones_like(sums), factor=4)
    else:
        assert (weights[~as_four_axes(mask).expand_as(weights)] == 0).all()
        assert_close(sums, (~empty_rows(mask)).to(dtype), factor=4)


@every_dtype
@pytest.mark.parametrize("kind", ["one empty row", "all rows empty"])
def test_an_empty_row_gives_zeros_and_finite_gradients(kind, dtype):
    QKV, empty = heads(dtype), empty_rows(MASKS[kind])
    context, weights = scaled_dot_product_attention(*QKV, MASKS[kind])
    assert empty.any()
    assert (context[empty.expand_as(context)] == 0).all()
    assert (weights[empty.expand_as(weights)] == 0).all()
    grads = gradients(context, QKV)
    assert all(grad.isfinite().all() for grad in grads)
    assert (grads[0][empty.expand_as(grads[0])] == 0).all()


def test_no_nan_arises_on_the_way_back_either():
    QKV = heads()
    with torch.autograd.set_detect_anomaly(True):  # zeroing the weights alone would hide one
        context, _ = scaled_dot_product_attention(*QKV, MASKS["one empty row"])
        gradients(context, QKV)


def test_a_loss_on_the_other_rows_has_finite_gradients():  # reader question Q07
    QKV = heads()
    context, _ = scaled_dot_product_attention(*QKV, MASKS["one empty row"])
    loss = context[~empty_rows(MASKS["one empty row"]).expand_as(context)].sum()
    assert all(grad.isfinite().all() for grad in torch.autograd.grad(loss, QKV))


def test_masking_a_key_equals_deleting_it():
    Q, K, V = heads()
    mask = torch.tensor([True, True, False, True, True, False]).view(1, 1, 1, LS)
    keep = mask.flatten()
    masked, _ = scaled_dot_product_attention(Q, K, V, mask)
    deleted, _ = scaled_dot_product_attention(Q, K[:, :, keep], V[:, :, keep])
    assert_close(masked, deleted, factor=8)


def test_what_fits_float16_once_scaled_does_not_overflow():
    # q·k = 16 · 120² = 230400 is beyond float16 (65504); divided by √16 it is 57600.
    Q = torch.full((1, 1, 1, 16), 120.0, dtype=torch.float16)
    K = torch.cat([Q, -Q], dim=2)
    context, weights = scaled_dot_product_attention(Q, K, K)
    assert weights.flatten().tolist() == [1, 0]
    assert torch.equal(context, Q)


@pytest.mark.parametrize("lengths", [(0, 0), (LT, 0), (0, LS)])
@pytest.mark.parametrize("masked", [False, True])
def test_no_keys_at_all_is_an_empty_row_too(lengths, masked):
    Lq, Lk = lengths
    Q, K = draw(B, H, Lq, D_K), draw(B, H, Lk, D_K)
    mask = torch.ones(Lq, Lk, dtype=torch.bool) if masked else None
    context, weights = scaled_dot_product_attention(Q, K, K, mask)
    assert weights.shape == (B, H, Lq, Lk)
    assert torch.equal(context, torch.zeros(B, H, Lq, D_K))


# The layer: splitting and combining


def test_a_head_is_a_slice_of_the_features_at_all_positions():  # row 3.4, reader question Q13
    attention = MultiHeadAttention(4, 2)
    split = attention.split_heads(torch.arange(8.0).view(1, 2, 4))
    assert split[0].tolist() == [[[0, 1], [4, 5]], [[2, 3], [6, 7]]]


def test_split_heads_gives_the_shapes_of_the_running_example():
    assert build().split_heads(draw(B, LS, D)).shape == (B, H, LS, D_K)


def test_combining_undoes_splitting():  # row 5.3, reader question Q12
    attention = MultiHeadAttention(6, 2)
    x = torch.arange(24.0).view(1, 4, 6)
    combined = attention.combine_heads(attention.split_heads(x))
    assert torch.equal(combined, x)
    assert combined[0, 0].tolist() == [0, 1, 2, 3, 4, 5]


def test_splitting_takes_views_that_are_not_contiguous():
    x = draw(D, LS, B).permute(2, 1, 0)
    assert torch.equal(build().split_heads(x), build().split_heads(x.contiguous()))


# The layer: building it


def test_the_projections_have_the_names_and_sizes_of_the_article():
    attention = MultiHeadAttention(D, H)
    assert (attention.d_model, attention.num_heads, attention.d_k) == (D, H, D_K)
    assert {name: tuple(p.shape) for name, p in attention.named_parameters()} == {
        f"{layer}.{part}": shape
        for layer in ("W_q", "W_k", "W_v", "W_out")
        for part, shape in (("weight", (D, D)), ("bias", (D,)))
    }


# The layer: what it computes


def test_the_unrolled_lines_are_the_layer():  # row 3.8
    attention, (Q, K, V) = build(), inputs()
    q = attention.split_heads(attention.W_q(Q))
    k = attention.split_heads(attention.W_k(K))
    v = attention.split_heads(attention.W_v(V))
    context, weights = scaled_dot_product_attention(q, k, v)
    expected = attention.W_out(attention.combine_heads(context))
    output, given = attention(Q, K, V, need_weights=True)
    assert torch.equal(output, expected)
    assert torch.equal(given, weights)


@every_dtype
@every_mask
def test_both_paths_agree_in_value_and_gradient(mask, dtype):
    attention, QKV = build(dtype), inputs(dtype)
    fused = attention(*QKV, mask)
    written_out, weights = attention(*QKV, mask, need_weights=True)
    assert weights.shape == (B, H, LT, LS)
    assert_close(written_out, fused, factor=8)
    where = [*QKV, *attention.parameters()]
    for ours, theirs in zip(gradients(written_out, where), gradients(fused, where), strict=True):
        assert_close(ours, theirs, factor=32)


@pytest.mark.parametrize("need_weights", [False, True])
def test_an_integer_mask_counts_as_its_boolean(need_weights):
    attention, QKV, mask = build(), inputs(), draw_mask(LT, LS)
    expected = attention(*QKV, mask, need_weights)
    for numbers in (mask.int(), mask.to(torch.uint8), -mask.long()):
        given = attention(*QKV, numbers, need_weights)
        torch.testing.assert_close(given, expected, rtol=0, atol=0)


@pytest.mark.parametrize("need_weights", [False, True])
def test_after_an_empty_row_the_bias_of_the_output_remains(need_weights):  # row 4.4
    attention = build()
    output = attention(*inputs(), MASKS["all rows empty"], need_weights)
    output = output[0] if need_weights else output
    assert torch.equal(output, attention.W_out.bias.expand(B, LT, D))
    assert (attention.W_out.bias != 0).all()


@every_mask
@pytest.mark.parametrize("need_weights", [False, True])
def test_nothing_writes_into_what_the_caller_passed(mask, need_weights):
    attention = build()
    passed = [*(x.detach() for x in inputs()), *([] if mask is None else [mask])]
    before = [x.clone() for x in passed]
    attention(*passed, need_weights=need_weights)
    if mask is not None:
        attention(*passed[:3], mask.int(), need_weights=need_weights)
    assert all(torch.equal(now, then) for now, then in zip(passed, before, strict=True))


@pytest.mark.parametrize("need_weights", [False, True])
def test_attention_alone_is_blind_to_order(need_weights):  # row 2.1
    attention, x, order = build(), draw(B, LS, D), torch.tensor([5, 3, 1, 0, 2, 4])

    def attend(x):
        output = attention(x, x, x, need_weights=need_weights)
        return output[0] if need_weights else output

    assert_close(attend(x[:, order]), attend(x)[:, order], factor=8)


@pytest.mark.parametrize("need_weights", [False, True])
def test_the_future_does_not_leak_through_a_causal_mask(need_weights):
    attention, x = build(), draw(B, LS, D)
    changed = x.clone()
    changed[:, 3:] += 1
    pair = [attention(y, y, y, causal_mask(LS), need_weights) for y in (x, changed)]
    before, after = [output[0] if need_weights else output for output in pair]
    assert torch.equal(before[:, :3], after[:, :3])
    assert (before[:, 3:] != after[:, 3:]).any(dim=-1).all()


@pytest.mark.parametrize("need_weights", [False, True])
def test_the_sentences_of_a_batch_are_independent(need_weights):
    attention, x = build(), draw(B, LS, D)
    alone, both = x[1:], attention(x, x, x, need_weights=need_weights)
    both = both[0] if need_weights else both
    assert_close(attention(alone, alone, alone), both[1:], factor=8)


def test_a_square_two_axis_mask_is_never_a_padding_flag():  # reader question Q04
    attention = MultiHeadAttention(3, 1)
    flag = torch.tensor([[1, 1, 1], [1, 1, 0], [1, 0, 0]])  # B = L = 3 hides the mistake
    x = torch.zeros(3, 3, 3)
    _, weights = attention(x, x, x, flag, need_weights=True)
    rows = torch.tensor([[1, 1, 1], [1.5, 1.5, 0], [3, 0, 0]]) / 3
    torch.testing.assert_close(weights, rows.expand(3, 1, 3, 3))
    _, weights = attention(x, x, x, padding_mask(flag), need_weights=True)
    torch.testing.assert_close(weights, rows.view(3, 1, 1, 3).expand(3, 1, 3, 3))


@pytest.mark.parametrize("need_weights", [False, True])
def test_the_mode_changes_nothing(need_weights):  # reader questions Q15 and Q16
    attention, QKV = build(), inputs()
    training = attention(*QKV, need_weights=need_weights)
    torch.testing.assert_close(attention.eval()(*QKV, need_weights=need_weights), training)


@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("shape", [(0, LS, D), (B, 0, D)])
def test_empty_batches_and_sequences_stay_empty(shape, need_weights):
    x = torch.zeros(shape)
    output = build()(x, x, x, need_weights=need_weights)
    assert (output[0] if need_weights else output).shape == shape


def test_views_that_are_not_contiguous_give_the_same():
    attention, (Q, K, V) = build(), inputs()
    turned = [x.detach().transpose(0, 1).contiguous().transpose(0, 1) for x in (Q, K, V)]
    torch.testing.assert_close(attention(*turned), attention(Q, K, V))
    one = Q[:1].expand(B, LT, D)
    torch.testing.assert_close(attention(one, K, V), attention(one.contiguous(), K, V))


# The layer: devices, copies, autocast, compile


@pytest.mark.parametrize("need_weights", [False, True])
def test_a_mask_on_another_device_is_moved(need_weights):
    attention = build().to("meta")
    QKV = [x.to("meta") for x in inputs()]
    output = attention(*QKV, draw_mask(LT, LS), need_weights)
    output = output[0] if need_weights else output
    assert output.device.type == "meta"
    assert output.shape == (B, LT, D)


def test_copies_and_stored_states_give_the_same_numbers():
    attention, QKV = build(), inputs()
    fresh = MultiHeadAttention(D, H)
    fresh.load_state_dict(attention.state_dict())
    for twin in (copy.deepcopy(attention), fresh):
        assert torch.equal(twin(*QKV), attention(*QKV))


@pytest.mark.parametrize("need_weights", [False, True])
@every_mask
def test_autocast_computes_in_the_smaller_dtype(mask, need_weights):
    attention, QKV = build(), inputs()
    with torch.autocast("cpu", torch.bfloat16):
        low = attention(*QKV, mask, need_weights)
    low = low[0] if need_weights else low
    assert_close(low, attention(*QKV, mask).to(torch.bfloat16), factor=8)


@pytest.mark.parametrize("need_weights", [False, True])
def test_it_compiles_as_one_graph(need_weights):
    attention, QKV = build(), inputs()
    compiled = torch.compile(attention, backend="eager", fullgraph=True)
    mask = draw_mask(LT, LS)
    expected = attention(*QKV, mask, need_weights)
    torch.testing.assert_close(compiled(*QKV, mask, need_weights), expected)


def test_its_output_is_a_plain_tensor_unless_weights_are_asked_for():
    assert isinstance(build()(*inputs()), torch.Tensor)
    assert isinstance(build(), nn.Module)


def test_a_wrong_dtype_on_the_meta_device_is_refused_in_our_words():
    layer, x = MultiHeadAttention(D, H).to("meta"), torch.zeros(B, LS, D).half().to("meta")
    with refuses(TypeError, "Q: expected torch.float32", "got torch.float16"):
        layer(x, x, x)


def test_float64_under_autocast_is_refused_in_our_words():  # autocast does not convert float64
    x = draw(B, LS, D, dtype=torch.float64)
    with torch.autocast("cpu", torch.bfloat16):
        with refuses(TypeError, "Q: expected torch.float32", "got torch.float64"):
            MultiHeadAttention(D, H)(x, x, x)
