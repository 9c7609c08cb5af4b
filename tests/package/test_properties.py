"""What holds for attention whatever the sizes, the mask and the dtype."""

import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from follow_the_tensor import scaled_dot_product_attention
from tests.support.helpers import assert_close, draw, gradients
from tests.support.strategies import allowed, attention_calls, calls, exactly, heads, seeds

ROUNDINGS = 64


def order_of(size, seed):
    return torch.randperm(size, generator=torch.Generator().manual_seed(seed))


def sizes_of(call):
    """B, H, Lq, Lk of a call of MultiHeadAttention."""
    Q, K, _ = call.inputs
    return len(Q), call.layer.num_heads, Q.size(1), K.size(1)


@given(heads())
def test_weights_sum_to_one_or_to_nothing(case):
    Q, K, V, mask = case
    context, weights = scaled_dot_product_attention(Q, K, V, mask)
    may = allowed(mask, weights.shape)
    any_key = may.any(dim=-1)  # [B, H, Lq]
    assert (weights >= 0).all()
    assert not weights[~may].any()
    assert_close(weights.sum(dim=-1), any_key.to(Q.dtype), factor=8)
    assert not context[~any_key].any()


@given(heads())
def test_the_function_is_that_of_torch_in_value_and_gradient(case):
    *QKV, mask = case
    QKV = [x.requires_grad_() for x in QKV]
    ours, weights = scaled_dot_product_attention(*QKV, mask)
    theirs = F.scaled_dot_product_attention(*QKV, attn_mask=allowed(mask, weights.shape))
    assert_close(ours, theirs, ROUNDINGS)
    for our, their in zip(gradients(ours, QKV), gradients(theirs, QKV), strict=True):
        assert_close(our, their, ROUNDINGS)


@given(calls("MultiHeadAttention"))
def test_both_paths_agree_in_value_and_gradient(call):
    inputs = [x.requires_grad_() for x in call.inputs]
    where = [*inputs, *call.layer.parameters()]
    fused = call.layer(*inputs, *call.masks)
    written_out, _ = call.layer(*inputs, *call.masks, need_weights=True)
    assert_close(written_out, fused, ROUNDINGS)
    for ours, theirs in zip(gradients(written_out, where), gradients(fused, where), strict=True):
        assert_close(ours, theirs, ROUNDINGS)


@given(attention_calls())
def test_every_form_of_a_mask_is_its_full_form(call):
    (mask,) = call.masks
    exactly(call.outputs(), call.outputs(masks=[allowed(mask, sizes_of(call))]))


@given(attention_calls(), seeds)
def test_masking_a_key_equals_deleting_it(call, seed):
    (mask,), (Q, K, V) = call.masks, call.inputs
    keep = draw(K.size(1), seed=seed) > 0  # [Lk], sometimes none at all
    mask = allowed(mask, sizes_of(call))  # [B, H, Lq, Lk]
    masked, *weights = call.outputs(masks=[mask & keep])
    deleted, *fewer = call.outputs(inputs=[Q, K[:, keep], V[:, keep]], masks=[mask[..., keep]])
    assert_close(masked, deleted, ROUNDINGS)
    for most, rest in zip(weights, fewer, strict=True):
        assert not most[..., ~keep].any()
        assert_close(most[..., keep].sum(dim=-1), rest.sum(dim=-1), factor=8)


@given(attention_calls(), st.data(), seeds)
def test_a_blocked_key_is_never_seen(call, data, seed):
    Q, K, V = call.inputs
    key = data.draw(st.integers(0, K.size(1) - 1))
    blind = ~allowed(call.masks[0], sizes_of(call))[..., key].any(dim=1)  # [B, Lq]
    changed = [x.clone() for x in (K, V)]
    for n, x in enumerate(changed):
        x[:, key] = 30 * draw(*x[:, key].shape, seed=seed + n, dtype=x.dtype)
    before, *_ = call.outputs()
    after, *_ = call.outputs(inputs=[Q, *changed])
    exactly(after[blind], before[blind])


@given(attention_calls(), st.data())
def test_no_gradient_reaches_a_blocked_key(call, data):
    inputs = [x.requires_grad_() for x in call.inputs]
    key = data.draw(st.integers(0, inputs[1].size(1) - 1))
    blind = ~allowed(call.masks[0], sizes_of(call))[..., key].any(dim=1)  # [B, Lq]
    output, *_ = call.outputs(inputs=inputs)
    for grad in gradients(output[blind], inputs[1:]):
        assert not grad[:, key].any()


@given(attention_calls(), seeds)
def test_the_order_of_the_keys_changes_nothing(call, seed):
    (mask,), (Q, K, V) = call.masks, call.inputs
    order = order_of(K.size(1), seed)
    mask = allowed(mask, sizes_of(call))[..., order]
    before, *weights = call.outputs()
    after, *turned = call.outputs(inputs=[Q, K[:, order], V[:, order]], masks=[mask])
    assert_close(after, before, ROUNDINGS)
    for our, their in zip(turned, weights, strict=True):
        assert_close(our, their[..., order], ROUNDINGS)


@given(attention_calls(), seeds)
def test_the_order_of_the_queries_is_that_of_the_outputs(call, seed):
    (mask,), (Q, K, V) = call.masks, call.inputs
    order = order_of(Q.size(1), seed)
    mask = allowed(mask, sizes_of(call))[:, :, order]
    before, *_ = call.outputs()
    after, *_ = call.outputs(inputs=[Q[:, order], K, V], masks=[mask])
    assert_close(after, before[:, order], ROUNDINGS)


@given(heads(), seeds)
def test_heads_do_not_see_one_another(case, seed):
    *QKV, mask = case
    context, weights = scaled_dot_product_attention(*QKV, mask)
    order = order_of(context.size(1), seed)
    mask = allowed(mask, weights.shape)[:, order]
    turned, _ = scaled_dot_product_attention(*(x[:, order] for x in QKV), mask)
    assert_close(turned, context[:, order], ROUNDINGS)


@given(heads(), st.sampled_from([0.0, 1e-4, 30.0, 1000.0]))
def test_small_and_large_scores_give_weights_and_finite_gradients(case, scale):
    *QKV, mask = case
    if QKV[0].dtype == torch.float16:
        scale = min(scale, 30.0)  # a score beyond 65504 does not fit
    QKV = [(x * scale).requires_grad_() for x in QKV]
    context, weights = scaled_dot_product_attention(*QKV, mask)
    may = allowed(mask, weights.shape)
    assert not weights[~may].any()
    assert_close(weights.sum(dim=-1), may.any(dim=-1).to(weights.dtype), factor=8)
    for x in (context, *gradients(context, QKV)):
        assert x.isfinite().all()


@given(calls("MultiHeadAttention"))
def test_splitting_and_combining_heads_undo_each_other(call):
    layer, x = call.layer, call.inputs[0]
    split = layer.split_heads(x)  # [B, H, L, d_k]
    exactly(layer.combine_heads(split), x)
    exactly(layer.split_heads(layer.combine_heads(split)), split)
    for head, features in enumerate(x.split(layer.d_k, dim=-1)):
        exactly(split[:, head], features)
