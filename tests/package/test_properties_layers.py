"""What holds for every layer, and for the whole model, whatever the sizes, masks and dtypes."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from follow_the_tensor import attention_maps, causal_mask, generate, padding_mask
from follow_the_tensor.generation import extend
from tests.support.helpers import assert_close, draw, gradients
from tests.support.strategies import (
    LAYERS,
    MAX_LEN,
    PAD,
    VOCAB,
    batches,
    calls,
    exactly,
    fewer,
    lengths,
    precise,
    seeds,
)

# Each LayerNorm may divide by a small number, and so multiply what was rounded before it.
ROUNDINGS = 10_000
every_layer = pytest.mark.parametrize("name", LAYERS)


def valid_flags(B, L, seed):
    """[B, L], True where a token is real; the first always is."""
    generator = torch.Generator().manual_seed(seed)
    flags = torch.rand(B, L, generator=generator) < 0.6
    flags[:, 0] = True
    return flags


def other_numbers(x, where, seed):
    """`x` with quite other numbers where `where` is True."""
    return x.where(~where.unsqueeze(-1), 30 * draw(*x.shape, seed=seed, dtype=x.dtype))


def other_ids(ids, where, seed):
    generator = torch.Generator().manual_seed(seed)
    return ids.where(~where, torch.randint(0, VOCAB, ids.shape, generator=generator))


@every_layer
@given(data=st.data())
def test_nothing_is_written_into_inputs_masks_or_parameters(name, data):
    call = data.draw(calls(name))
    passed = [*call.tensors, *call.layer.parameters(), *call.layer.buffers()]
    before = [x.detach().clone() for x in passed]
    versions = [x._version for x in passed]  # counts writes, of the same number too
    call.outputs()
    for now, then in zip(passed, before, strict=True):
        exactly(now.detach(), then)
    assert [x._version for x in passed] == versions


@every_layer
@given(data=st.data())
def test_the_same_call_gives_the_same_in_training_and_evaluation(name, data):
    call = data.draw(calls(name))  # dropout is 0
    exactly(call.outputs(call.layer.eval()), call.outputs(call.layer.train()))


@every_layer
@given(data=st.data())
def test_numbers_and_gradients_are_finite(name, data):
    call = data.draw(calls(name))
    inputs = [x.requires_grad_() if x.is_floating_point() else x for x in call.inputs]
    where = [*(x for x in inputs if x.requires_grad), *call.layer.parameters()]
    with torch.autograd.set_detect_anomaly(True):  # a NaN on the way may be hidden by a zero
        output, *_ = call.outputs(inputs=inputs)
        grads = gradients(output, where)
    for x in (output, *grads):
        assert x.isfinite().all()


@every_layer
@given(data=st.data())
def test_the_items_of_a_batch_do_not_see_one_another(name, data):
    call = data.draw(calls(name, dtypes=precise))
    together = call.outputs()
    for n in range(len(call.inputs[0])):
        alone = call.outputs(
            inputs=[x[n : n + 1] for x in call.inputs], masks=[item(m, n) for m in call.masks]
        )
        for ours, theirs in zip(alone, together, strict=True):
            assert_close(ours, theirs[n : n + 1], ROUNDINGS)


def item(mask, n):
    """What a mask says about the n-th item of the batch."""
    if mask is None or mask.dim() == 2 or len(mask) == 1:
        return mask
    return mask[n : n + 1]


# What is masked does not leak


@given(calls("EncoderLayer"), st.data(), seeds)
def test_the_future_does_not_leak_through_an_encoder_layer(call, data, seed):
    (x,) = call.inputs
    now = data.draw(st.integers(0, x.size(1)))
    later = (torch.arange(x.size(1)) >= now).expand(x.shape[:2])
    causal = [causal_mask(x.size(1))]
    (before,) = call.outputs(masks=causal)
    (after,) = call.outputs(inputs=[other_numbers(x, later, seed)], masks=causal)
    exactly(after[:, :now], before[:, :now])


@given(calls("DecoderLayer"), st.data(), seeds)
def test_the_future_does_not_leak_through_a_decoder_layer(call, data, seed):
    (x, memory), (src_mask, _) = call.inputs, call.masks
    now = data.draw(st.integers(0, x.size(1)))
    later = (torch.arange(x.size(1)) >= now).expand(x.shape[:2])
    both = [src_mask, causal_mask(x.size(1))]
    (before,) = call.outputs(masks=both)
    (after,) = call.outputs(inputs=[other_numbers(x, later, seed), memory], masks=both)
    exactly(after[:, :now], before[:, :now])


@given(calls("EncoderLayer"), seeds)
def test_padding_does_not_leak_through_an_encoder_layer(call, seed):
    (x,) = call.inputs
    real = valid_flags(*x.shape[:2], seed)
    masks = [real[:, None, None, :]]
    (before,) = call.outputs(masks=masks)
    (after,) = call.outputs(inputs=[other_numbers(x, ~real, seed)], masks=masks)
    exactly(after[real], before[real])


@given(calls("DecoderLayer"), seeds)
def test_padding_does_not_leak_through_a_decoder_layer(call, seed):
    x, memory = call.inputs
    real, real_memory = (valid_flags(*y.shape[:2], seed + n) for n, y in enumerate(call.inputs))
    masks = [real_memory[:, None, None, :], real[:, None, None, :]]
    changed = [other_numbers(x, ~real, seed), other_numbers(memory, ~real_memory, seed + 1)]
    (before,) = call.outputs(masks=masks)
    (after,) = call.outputs(inputs=changed, masks=masks)
    exactly(after[real], before[real])


@given(calls("Transformer"), st.data(), seeds)
def test_later_targets_do_not_leak_through_the_model(call, data, seed):
    src, tgt = call.inputs
    now = data.draw(st.integers(0, tgt.size(1)))
    later = (torch.arange(tgt.size(1)) >= now).expand(tgt.shape)
    (before,) = call.outputs()
    (after,) = call.outputs(inputs=[src, other_ids(tgt, later, seed)])
    exactly(after[:, :now], before[:, :now])


@given(calls("Transformer"), seeds)
def test_what_padding_holds_does_not_leak_through_the_model(call, seed):
    model, (src, tgt) = call.layer, call.inputs
    with torch.no_grad():
        before = call.layer(src, tgt)
        for n, table in enumerate((model.src_embedding, model.tgt_embedding)):
            row = table.weight[PAD]
            row.copy_(30 * draw(*row.shape, seed=seed + n, dtype=row.dtype))
        after = model(src, tgt)
    exactly(after[tgt != PAD], before[tgt != PAD])


@given(calls("Transformer"), seeds)
def test_the_memory_of_padding_does_not_leak_into_the_target(call, seed):
    model, (src, tgt) = call.layer, call.inputs
    memory, mask = model.encode(src), padding_mask(src, PAD)
    changed = other_numbers(memory, src == PAD, seed)
    exactly(model.decode(tgt, changed, mask), model.decode(tgt, memory, mask))


@given(calls("Transformer", dtypes=precise), st.integers(1, 3), st.integers(1, 3))
def test_more_padding_changes_nothing(call, more_src, more_tgt):
    (src, tgt), pad = call.inputs, torch.nn.functional.pad
    wider = [pad(src, (0, more_src), value=PAD), pad(tgt, (0, more_tgt), value=PAD)]
    (before,), (after,) = call.outputs(), call.outputs(inputs=wider)
    assert_close(after[:, : tgt.size(1)], before, ROUNDINGS)


# The whole model


@given(calls("Transformer", dtypes=precise))
def test_the_maps_of_a_model_sum_to_one_or_nothing_and_obey_its_masks(call):
    src, tgt = call.inputs
    causal = torch.ones(tgt.size(1), tgt.size(1)).tril().bool()
    with attention_maps(call.layer) as maps:
        written_out = call.layer(src, tgt)
    assert_close(written_out, call.layer(src, tgt), ROUNDINGS)
    for name, (weights,) in maps.items():
        own_target = name.startswith("decoder") and name.endswith("self_attn")
        keys = ((tgt if own_target else src) != PAD)[:, None, None, :]
        may = (keys & causal if own_target else keys).expand_as(weights)
        assert not weights[~may].any()
        assert_close(weights.sum(dim=-1), may.any(dim=-1).to(weights.dtype), factor=8)


BOS, EOS = 1, 2
beams = st.integers(1, 4)


@st.composite
def questions(draw_from):
    """A tiny model in float64, in which no two answers are equally probable, and its source."""
    call = draw_from(calls("Transformer", dtypes=st.just(torch.float64)))
    return call.layer, call.inputs[0], draw_from(st.integers(1, MAX_LEN))


@torch.no_grad()
def greedy(model, src, max_len):
    """Greedy search of one row, as short as it can be written."""
    ids = [BOS]
    while len(ids) < max_len and EOS not in ids:
        logits = model(src, torch.tensor([ids]))[0, -1]  # [V]
        logits[PAD] = float("-inf")
        ids.append(logits.argmax().item())
    return ids


def without_padding(ids):
    return [row[row != PAD].tolist() for row in ids]


@given(questions())
def test_one_beam_is_greedy_search(question):
    model, src, max_len = question
    ids = generate(model, src, BOS, EOS, max_len)
    rows = [greedy(model, src[n : n + 1], max_len) for n in range(len(src))]
    longest = max(len(row) for row in rows)
    assert ids.tolist() == [row + [PAD] * (longest - len(row)) for row in rows]


@torch.no_grad()
def best_beam(model, src, max_len, beam_size):
    """Beam search of one row, with lists: a beam that has ended stays as it is."""
    beams = [(0.0, [BOS])]
    while len(beams[0][1]) < max_len and EOS not in beams[0][1]:
        longer = [beam for beam in beams if EOS in beam[1]]
        for score, ids in beams:
            if EOS not in ids:
                log_p = model(src, torch.tensor([ids]))[0, -1].log_softmax(dim=-1)  # [V]
                longer += [(score + log_p[i].item(), [*ids, i]) for i in range(VOCAB) if i != PAD]
        beams = sorted(longer, reverse=True)[:beam_size]
    return beams[0][1]


@fewer(2)
@given(questions(), beams)
def test_several_beams_are_the_search_by_hand(question, beam_size):
    model, src, max_len = question
    ids = generate(model, src, BOS, EOS, max_len, beam_size)
    rows = [best_beam(model, src[n : n + 1], max_len, beam_size) for n in range(len(src))]
    assert without_padding(ids) == rows


@given(batches, beams, lengths, seeds)
def test_a_step_keeps_the_best_continuations_and_one_of_a_beam_that_ended(B, K, L, seed):
    ids = torch.randint(0, VOCAB, (B * K, L), generator=torch.Generator().manual_seed(seed))
    logits = draw(B * K, VOCAB, seed=seed, dtype=torch.float64)
    scores = draw(B, K, seed=seed + 1, dtype=torch.float64)
    rows, tokens, best = extend(ids, logits, scores, EOS, PAD)
    for b in range(B):
        continuations = []
        for row in range(b * K, (b + 1) * K):
            score = scores.flatten()[row]
            if EOS in ids[row, 1:]:  # the first token only starts
                continuations.append((score, row, PAD))
            else:
                totals = score + logits[row].log_softmax(dim=-1)  # [V]
                continuations += [(totals[i], row, i) for i in range(VOCAB) if i != PAD]
        expected = sorted(continuations, reverse=True)[:K]
        kept = slice(b * K, (b + 1) * K)
        assert rows[kept].tolist() == [row for _, row, _ in expected]
        assert tokens[kept, 0].tolist() == [token for _, _, token in expected]
        assert_close(best[b], torch.stack([score for score, _, _ in expected]), factor=8)


@given(questions(), beams)
def test_the_cache_changes_no_answer(question, beam_size):
    with_cache, without = (
        generate(*question[:2], BOS, EOS, question[2], beam_size, use_cache)
        for use_cache in (True, False)
    )
    exactly(with_cache, without)


@given(questions(), beams, st.booleans())
def test_an_answer_does_not_depend_on_its_neighbours(question, beam_size, use_cache):
    model, src, max_len = question
    together = generate(model, src, BOS, EOS, max_len, beam_size, use_cache)
    alone = [
        generate(model, src[n : n + 1], BOS, EOS, max_len, beam_size, use_cache)
        for n in range(len(src))
    ]
    assert without_padding(together) == [row for ids in alone for row in ids.tolist()]


@given(questions(), beams, st.booleans())
def test_an_answer_is_well_formed_and_nothing_else_changes(question, beam_size, use_cache):
    model, src, max_len = question
    passed = [src, *model.parameters()]
    versions = [x._version for x in passed]
    ids = generate(model.train(), src, BOS, EOS, max_len, beam_size, use_cache)
    assert [x._version for x in passed] == versions
    assert all(module.training for module in model.modules())
    assert ids.dtype == torch.int64
    assert (ids[:, 0] == BOS).all()
    for row, answer in zip(ids.tolist(), without_padding(ids), strict=True):
        assert row == answer + [PAD] * (len(row) - len(answer))
        assert EOS not in answer[:-1]
        assert len(answer) == max_len or answer[-1] == EOS
