"""What holds whatever the sizes, the masks, the dtypes and the device.

test_parity.py compares each layer with PyTorch's; here it is compared with itself.
"""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from follow_the_tensor import attention_maps, causal_mask, expand_mask, generate, padding_mask
from follow_the_tensor.dates.vocabulary import BOS, EOS, UNKNOWN, Vocabulary
from follow_the_tensor.positional import PositionalEncoding, sinusoid_table
from tests.support.helpers import assert_close, draw, exactly, gradients, refuses
from tests.support.strategies import (
    ATTENTIONS,
    LAYERS,
    MAX_LEN,
    PAD,
    VOCAB,
    allowed,
    batches,
    calls,
    dtypes,
    lengths,
    masks,
    precise,
    seeds,
)

# Each LayerNorm may divide by a small number, and so multiply what was rounded before it.
ROUNDINGS = 10_000
every_layer = pytest.mark.parametrize("name", LAYERS)
every_attention = pytest.mark.parametrize("name", ATTENTIONS)


# Masks

sizes = st.tuples(*[st.integers(1, 4)] * 4)


@given(sizes, st.data())
def test_a_mask_means_what_the_rule_says(sizes, data):
    mask = data.draw(masks(*sizes))
    if mask is None:
        assert expand_mask(None, sizes) is None
    else:
        exactly(expand_mask(mask, sizes).expand(sizes), allowed(mask, sizes))


@given(sizes, st.lists(st.integers(1, 4), max_size=5), st.sampled_from(["cpu", "meta"]))
def test_a_shape_is_taken_exactly_if_the_rule_has_it(sizes, shape, device):
    B, _, Lq, Lk = sizes
    mask = torch.ones(shape, dtype=torch.bool, device=device)
    broadcasts = len(shape) == 4 and all(a in (1, b) for a, b in zip(shape, sizes, strict=True))
    if broadcasts or tuple(shape) in {(Lq, Lk), (B, Lq, Lk)}:
        expanded = expand_mask(mask, sizes)
        assert torch.broadcast_shapes(expanded.shape, sizes) == sizes
        assert expanded.device.type == device
    else:
        with refuses(ValueError, "mask: expected", f"got {shape}"):
            expand_mask(mask, sizes)


# Attention


def may_attend(call):
    """[B, H, Lq, Lk], what the mask of a call of MultiHeadAttention and is_causal allow."""
    (Q, K, _), (mask,) = call.inputs, call.masks
    may = allowed(mask, (len(Q), call.layer.num_heads, Q.size(1), K.size(1)))
    return may.tril() if call.options["is_causal"] else may


@every_attention
@given(data=st.data())
def test_every_form_of_a_mask_is_its_full_form(name, device, data):
    call = data.draw(calls(name))
    may, call = may_attend(call), call.to(device, masks_too=data.draw(st.booleans()))
    ours, *weights = call.outputs()
    full, *_ = call.outputs(masks=[may], is_causal=False)
    assert_close(ours, full, 64)  # is_causal alone is another way through the kernel
    for given_weights in weights:
        assert not given_weights[~may].any()
        assert_close(given_weights.sum(-1).cpu(), may.any(-1).to(ours.dtype), factor=8)


@every_attention
@given(data=st.data(), seed=seeds)
def test_a_blocked_key_is_never_seen_and_gets_no_gradient(name, device, data, seed):
    call = data.draw(calls(name))
    key = data.draw(st.integers(0, call.inputs[1].size(1) - 1))
    blind = ~may_attend(call)[..., key].any(dim=1)  # [B, Lq]
    call = call.to(device)
    Q, *KV = (x.requires_grad_() for x in call.inputs)
    before, *_ = call.outputs()
    for grad in gradients(before.cpu()[blind], KV):
        assert not grad[:, key].any()
    changed = [x.detach().clone() for x in KV]
    for n, x in enumerate(changed):
        x[:, key] = 30 * draw(*x[:, key].shape, seed=seed + n).to(x)
    after, *_ = call.outputs(inputs=[Q, *changed])
    exactly(after[blind], before[blind])


@given(calls("MultiHeadAttention"))
def test_splitting_and_combining_heads_undo_each_other(call):
    layer, x = call.layer, call.inputs[0]
    split = layer.split_heads(x)  # [B, H, L, d_k]
    exactly(layer.combine_heads(split), x)
    for head, features in enumerate(x.split(layer.d_k, dim=-1)):
        exactly(split[:, head], features)


# Every layer


@every_layer
@given(data=st.data())
def test_nothing_is_written_into_inputs_masks_or_parameters(name, device, data):
    call = data.draw(calls(name)).to(device)
    passed = [*call.tensors, *call.layer.parameters(), *call.layer.buffers()]
    versions = [x._version for x in passed]  # counts writes, of the same number too
    exactly(call.outputs(call.layer.train()), call.outputs(call.layer.eval()))  # dropout is 0
    assert [x._version for x in passed] == versions


@every_layer
@given(data=st.data())
def test_numbers_and_gradients_are_finite(name, device, data):
    call = data.draw(calls(name)).to(device)
    floats = [x.requires_grad_() for x in call.inputs if x.is_floating_point()]
    with torch.autograd.set_detect_anomaly(True):  # a NaN on the way may be hidden by a zero
        output, *_ = call.outputs()
        grads = gradients(output.cpu(), [*floats, *call.layer.parameters()])
    assert all(x.isfinite().all() for x in (output, *grads))


@every_layer
@given(data=st.data())
def test_the_items_of_a_batch_do_not_see_one_another(name, device, data):
    call = data.draw(calls(name, dtypes=precise)).to(device)
    together = call.outputs()
    for n in range(len(call.inputs[0])):
        whole = [m is None or m.dim() == 2 or len(m) == 1 for m in call.masks]
        masks = [m if w else m[n : n + 1] for m, w in zip(call.masks, whole, strict=True)]
        alone = call.outputs(inputs=[x[n : n + 1] for x in call.inputs], masks=masks)
        for ours, theirs in zip(alone, together, strict=True):
            assert_close(ours, theirs[n : n + 1], ROUNDINGS)


# What is masked does not leak


def other(x, where, seed):
    """`x` with quite other numbers, or other ids, where `where` is True."""
    if x.is_floating_point():
        return x.where(~where.unsqueeze(-1), 30 * draw(*x.shape, seed=seed).to(x))
    ids = torch.randint(0, VOCAB, x.shape, generator=torch.Generator().manual_seed(seed))
    return x.where(~where, ids.to(x))


@pytest.mark.parametrize("name", ["EncoderLayer", "DecoderLayer", "Transformer"])
@given(data=st.data(), seed=seeds)
def test_the_future_does_not_leak(name, device, data, seed):
    call = data.draw(calls(name)).to(device)
    own = 1 if name == "Transformer" else 0  # the input that is read in its own order
    x = call.inputs[own]
    if call.masks:  # the Transformer makes its own
        call.masks = (*call.masks[:-1], causal_mask(x.size(1)))
    now = data.draw(st.integers(0, x.size(1)))
    later = (torch.arange(x.size(1), device=device) >= now).expand(x.shape[:2])
    changed = list(call.inputs)
    changed[own] = other(x, later, seed)
    (before,), (after,) = call.outputs(), call.outputs(inputs=changed)
    exactly(after[:, :now], before[:, :now])


@pytest.mark.parametrize("name", ["EncoderLayer", "DecoderLayer"])
@given(data=st.data(), seed=seeds)
def test_padding_does_not_leak_through_a_layer(name, device, data, seed):
    call = data.draw(calls(name)).to(device)
    real = [draw(*x.shape[:2], seed=seed + n).to(device) > -0.3 for n, x in enumerate(call.inputs)]
    call.masks = [flags[:, None, None, :] for flags in reversed(real)]  # memory first
    changed = [other(x, ~r, seed) for x, r in zip(call.inputs, real, strict=True)]
    (before,), (after,) = call.outputs(), call.outputs(inputs=changed)
    exactly(after[real[0]], before[real[0]])


@given(call=calls("Transformer", dtypes=precise), more=st.tuples(lengths, lengths), seed=seeds)
def test_padding_does_not_leak_through_the_model(call, more, device, seed):
    call = call.to(device)
    model, (src, tgt) = call.layer, call.inputs
    with torch.no_grad():
        (before,) = call.outputs()
        both = zip(call.inputs, more, strict=True)
        wider = [torch.nn.functional.pad(x, (0, n), value=PAD) for x, n in both]
        (after,) = call.outputs(inputs=wider)
        assert_close(after[:, : tgt.size(1)], before, ROUNDINGS)
        memory = other(model.encode(src), src == PAD, seed)
        exactly(model.decode(tgt, memory, padding_mask(src, PAD)), before)
        for n, table in enumerate((model.src_embedding, model.tgt_embedding)):
            table.weight[PAD] = 30 * draw(table.weight.size(1), seed=seed + n).to(table.weight)
        (after,) = call.outputs()
    exactly(after[tgt != PAD], before[tgt != PAD])


@given(call=calls("Transformer", dtypes=precise))
def test_the_maps_of_a_model_sum_to_one_or_nothing_and_obey_its_masks(call, device):
    src, tgt = call.inputs
    call = call.to(device)
    with attention_maps(call.layer) as maps:
        written_out = call.outputs()
    assert_close(*written_out, *call.outputs(), ROUNDINGS)
    for name, (weights,) in maps.items():
        own_target = name.startswith("decoder") and name.endswith("self_attn")
        may = ((tgt if own_target else src) != PAD)[:, None, None, :].expand(weights.shape)
        may = may.tril() if own_target else may
        assert not weights.cpu()[~may].any()
        assert_close(weights.sum(-1).cpu(), may.any(-1).to(weights.dtype), factor=8)


# Generation


@torch.no_grad()
def best_beam(model, src, max_len, beam_size):
    """Beam search of one row, with lists: a beam that has ended stays as it is."""
    beams = [(0.0, [1])]
    while len(beams[0][1]) < max_len and EOS not in beams[0][1]:
        longer = [beam for beam in beams if EOS in beam[1]]
        for score, ids in beams:
            if EOS not in ids:
                log_p = model(src, torch.tensor([ids]).to(src))[0, -1].log_softmax(dim=-1)  # [V]
                longer += [(score + log_p[i].item(), [*ids, i]) for i in range(VOCAB) if i != PAD]
        beams = sorted(longer, reverse=True)[:beam_size]
    return beams[0][1]


@given(
    call=calls("Transformer", dtypes=st.just(torch.float64)),  # no two answers equally probable
    max_len=st.integers(1, MAX_LEN),
    beam_size=st.integers(1, 4),
)
def test_generation_is_the_search_by_hand_row_by_row_with_and_without_the_cache(
    call, device, max_len, beam_size
):
    call = call.to(device)
    model, src = call.layer.train(), call.inputs[0]
    rows = [best_beam(model, src[n : n + 1], max_len, beam_size) for n in range(len(src))]
    longest = max(len(row) for row in rows)
    for use_cache in (True, False):
        ids = generate(model, src, BOS, EOS, max_len, beam_size, use_cache)
        assert ids.tolist() == [row + [PAD] * (longest - len(row)) for row in rows]
    assert all(module.training for module in model.modules())


# Positions


@given(st.integers(1, 33), st.integers(1, 60), st.data())
def test_an_entry_is_the_sine_or_cosine_of_the_formula(d_model, length, data):
    position, column = (data.draw(st.integers(0, size - 1)) for size in (length, d_model))
    entry = sinusoid_table(length, d_model)[position, column].item()
    wave = math.cos if column % 2 else math.sin
    expected = wave(position / 10000 ** ((column - column % 2) / d_model))
    assert entry == pytest.approx(expected, abs=torch.finfo(torch.float32).eps)


@given(
    sizes=st.tuples(batches, lengths, st.integers(1, 33)),
    spare=st.integers(0, 3),
    dtype=dtypes,
)
def test_each_position_of_each_sentence_gets_its_own_row(sizes, spare, dtype, device):
    _, L, d_model = sizes
    encoding = PositionalEncoding(d_model, dropout=0.0, max_len=L + spare).to(device)
    dtype = torch.float32 if device == "mps" and dtype == torch.float64 else dtype
    x = draw(*sizes, dtype=dtype).to(device)
    rows = sinusoid_table(L, d_model).to(device, dtype)
    exactly(encoding(x), torch.stack([sentence + rows for sentence in x]))


# The vocabulary


@given(st.text(max_size=12), st.lists(st.text(max_size=12), min_size=1, max_size=4), st.booleans())
def test_decoding_undoes_encoding_but_for_unknown_characters(characters, texts, start):
    vocabulary = Vocabulary.from_texts([characters])
    for text, row in zip(texts, vocabulary.batch(texts, start), strict=True):
        ids = vocabulary.encode(text, start)
        assert ids == [i for i in row.tolist() if i != 0]  # and PAD behind them
        assert [i != UNKNOWN for i in ids[start:-1]] == [c in characters for c in text]
        known = "".join(c if c in characters else "\ufffd" for c in text)
        assert vocabulary.decode(row) == known
