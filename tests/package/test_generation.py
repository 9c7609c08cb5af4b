import inspect
from itertools import product

import pytest
import torch

from follow_the_tensor import Transformer, attention_maps, generate, padding_mask
from follow_the_tensor.generation import evaluating, trim
from tests.support.helpers import refuses

BOS, EOS = 1, 2
SRC = torch.tensor([[4, 5, 6, 2, 0, 0], [7, 8, 9, 10, 2, 0], [3, 2, 0, 0, 0, 0]])
both_ways = pytest.mark.parametrize("use_cache", [True, False], ids=["cache", "no cache"])


def build(seed=3, tgt_vocab=6):
    torch.manual_seed(seed)
    return Transformer(16, tgt_vocab, 12, 3, 24, 2, dropout=0.5, max_len=24)


@torch.no_grad()
def by_hand(model, src, max_len):
    """Greedy search of one row, as short as it can be written."""
    ids = [BOS]
    model.eval()
    while len(ids) < max_len and EOS not in ids:
        logits = model(src[None], torch.tensor([ids]))[0, -1]  # [V]
        logits[model.pad_id] = float("-inf")
        ids.append(logits.argmax().item())
    return ids


@torch.no_grad()
def log_probability(model, src, ids):
    """Logarithm of the probability that the model, which may not choose PAD, writes `ids`."""
    logits = model(src[None], torch.tensor([ids[:-1]]))[0]  # [L - 1, V]
    logits[:, model.pad_id] = float("-inf")
    log_p = torch.log_softmax(logits, dim=-1)
    return sum(log_p[n, i].item() for n, i in enumerate(ids[1:]))


def test_the_call_is_that_of_the_design():
    expected = "(model, src, bos_id, eos_id, max_len, beam_size=1, use_cache=True)"
    assert str(inspect.signature(generate)) == expected


@both_ways
def test_greedy_search_is_the_loop_by_hand(use_cache):
    model = build()
    ids = generate(model, SRC, BOS, EOS, 12, use_cache=use_cache)
    rows = [by_hand(model, src, 12) for src in SRC]
    # Worth something only if some rows end early and some at the limit.
    assert {len(row) for row in rows} == {8, 12}
    assert ids.tolist() == [row + [0] * (12 - len(row)) for row in rows]


@pytest.mark.parametrize("beam_size", [1, 2, 5])
@pytest.mark.parametrize("seed", [3, 5])
def test_the_cache_changes_no_id(seed, beam_size):
    model = build(seed)
    with_cache, without = (
        generate(model, SRC, BOS, EOS, 12, beam_size, use_cache) for use_cache in (True, False)
    )
    assert torch.equal(with_cache, without)


@pytest.mark.parametrize("seed", [1, 3])
def test_a_wide_beam_finds_the_most_probable_answer(seed):
    model, length, V = build(seed, tgt_vocab=5), 4, 5
    answers = []
    for rest in product(range(1, V), repeat=length - 1):
        end = rest.index(EOS) + 1 if EOS in rest else len(rest)
        answers.append((BOS, *rest[:end]))
    ids = generate(model, SRC, BOS, EOS, length, beam_size=V ** (length - 1))
    model.eval()
    for row, src in zip(ids, SRC, strict=True):
        best = max(set(answers), key=lambda answer: log_probability(model, src, answer))
        assert trim(row[None], 0)[0].tolist() == list(best)


def test_a_beam_finds_more_probable_answers_than_greedy_search():
    model = build()
    totals = []
    for beam_size in (1, 8):
        answers = [
            trim(row[None], 0)[0].tolist() for row in generate(model, SRC, 1, 2, 8, beam_size)
        ]
        with evaluating(model):
            pairs = zip(SRC, answers, strict=True)
            totals.append(sum(log_probability(model, src, answer) for src, answer in pairs))
    assert totals[1] > totals[0] + 0.1


@both_ways
def test_a_row_does_not_depend_on_its_neighbours(use_cache):
    model = build()
    together = generate(model, SRC, BOS, EOS, 12, beam_size=2, use_cache=use_cache)
    for n in range(len(SRC)):
        alone = generate(model, SRC[n : n + 1], BOS, EOS, 12, beam_size=2, use_cache=use_cache)
        assert torch.equal(trim(together[n : n + 1], 0), alone)


@both_ways
def test_pad_is_never_chosen(use_cache):
    model = build()
    with torch.no_grad():
        model.to_logits.bias[0], model.to_logits.bias[5] = 1000, 500
    assert generate(model, SRC, BOS, EOS, 4, use_cache=use_cache).tolist() == [[BOS, 5, 5, 5]] * 3


@both_ways
def test_rows_that_end_are_filled_with_pad(use_cache):
    model = build()
    with torch.no_grad():
        model.to_logits.bias[EOS] = 1000
    ids = generate(model, SRC, BOS, EOS, 6, use_cache=use_cache)
    assert ids.tolist() == [[BOS, EOS]] * 3


def test_a_start_that_is_also_the_end_token_still_starts():
    model = build()
    with torch.no_grad():
        model.to_logits.bias[5] = 1000
    assert generate(model, SRC[:1], EOS, EOS, 4).tolist() == [[EOS, 5, 5, 5]]


def test_max_len_counts_the_first_token():
    assert generate(build(), SRC, BOS, EOS, 1).tolist() == [[BOS]] * 3


@both_ways
def test_modes_are_put_back_one_by_one(use_cache):
    model = build().train()
    model.encoder[0].eval()
    before = [module.training for module in model.modules()]
    first = generate(model, SRC, BOS, EOS, 8, use_cache=use_cache)
    assert [module.training for module in model.modules()] == before
    # In training mode half of everything would be dropped at random.
    assert torch.equal(first, generate(model, SRC, BOS, EOS, 8, use_cache=use_cache))


def test_an_error_leaves_modes_and_hooks_as_they_were():
    model = build().train()
    with refuses(ValueError, "src: "):
        generate(model, SRC + 100, BOS, EOS, 8)
    assert model.training
    assert not any(module._forward_hooks for module in model.modules())
    assert not any(module._forward_pre_hooks for module in model.modules())


def test_evaluating_switches_everything_off_inside():
    model = build().train()
    with evaluating(model):
        assert not any(module.training for module in model.modules())


def test_no_gradients_are_recorded():
    model = build()
    memory = []
    model.encoder[1].register_forward_hook(lambda module, args, output: memory.append(output))
    generate(model, SRC, BOS, EOS, 4)
    assert not memory[0].requires_grad


def sizes_seen(module):
    seen = []
    module.register_forward_hook(lambda _, args, output: seen.append(args[0].size(1)))
    return seen


def test_with_the_cache_each_step_computes_one_position():
    model = build()
    feed_forward = sizes_seen(model.decoder[0].feed_forward.linear1)
    memory = sizes_seen(model.decoder[1].cross_attn.W_v)
    ids = generate(model, SRC, BOS, EOS, 10)
    steps = ids.size(1) - 1
    assert steps > 2
    assert feed_forward == [1] * steps
    assert memory == [SRC.size(1)] + [0] * (steps - 1)  # the memory is projected once


def test_without_the_cache_each_step_computes_all_positions():
    model = build()
    feed_forward = sizes_seen(model.decoder[0].feed_forward.linear1)
    steps = generate(model, SRC, BOS, EOS, 10, use_cache=False).size(1) - 1
    assert feed_forward == list(range(1, steps + 1))


def test_the_maps_of_the_pass_that_was_used():
    model = build()
    with attention_maps(model) as maps:
        ids = generate(model, SRC, BOS, EOS, 10)
    with attention_maps(model) as expected, evaluating(model):
        model(SRC, ids[:, :-1])
    for layer in range(2):
        (cross,) = expected[f"decoder.{layer}.cross_attn"]  # [B, H, Lt, Ls]
        (own,) = expected[f"decoder.{layer}.self_attn"]  # [B, H, Lt, Lt]
        for step in range(ids.size(1) - 1):
            real = ids[:, step] != 0  # a row that has ended goes on with PAD
            weights = maps[f"decoder.{layer}.cross_attn"][step]  # [B, H, 1, Ls]
            assert torch.allclose(weights[real, :, 0], cross[real, :, step], atol=1e-5)
            weights = maps[f"decoder.{layer}.self_attn"][step]  # [B, H, 1, step + 1]
            assert torch.allclose(weights[real, :, 0], own[real, :, step, : step + 1], atol=1e-5)


def test_the_caller_s_ids_are_left_alone():
    src = SRC.clone()
    generate(build(), src, BOS, EOS, 6, beam_size=3)
    assert torch.equal(src, SRC)


def test_trim_drops_only_what_is_padding_in_every_row():
    assert torch.equal(trim(SRC, 0), SRC[:, :5])
    assert torch.equal(trim(SRC[2:], 0), SRC[2:, :2])
    assert trim(SRC[:0], 0).shape == (0, 0)


def test_padding_on_the_source_changes_nothing():
    model = build()
    wider = torch.nn.functional.pad(SRC, (0, 3))
    assert (padding_mask(wider)[..., -3:] == 0).all()
    expected = generate(model, SRC, BOS, EOS, 10)
    assert torch.equal(generate(model, wider, BOS, EOS, 10), expected)
