"""Generation on models made for the case; test_properties.py has the search by hand."""

from itertools import product

import pytest
import torch

from follow_the_tensor import Transformer, attention_maps, generate
from follow_the_tensor.generation import evaluating, trim
from tests.support.helpers import refuses

BOS, EOS = 1, 2
INF, NAN = float("inf"), float("nan")
SRC = torch.tensor([[4, 5, 6, 2, 0, 0], [7, 8, 9, 10, 2, 0], [3, 2, 0, 0, 0, 0]])
both_ways = pytest.mark.parametrize("use_cache", [True, False], ids=["cache", "no cache"])


def build(seed=3, tgt_vocab=6, **bias):
    """A model; `bias` says what is added to logits, such as _5=500 for token 5."""
    torch.manual_seed(seed)
    model = Transformer(16, tgt_vocab, 12, 3, 24, 2, dropout=0.5, max_len=24)
    with torch.no_grad():
        for name, value in bias.items():
            model.to_logits.bias[int(name[1:])] = value
    return model


@torch.no_grad()
def by_hand(model, src, max_len):
    """Greedy search of one row, as short as it can be written."""
    ids = [BOS]
    while len(ids) < max_len and EOS not in ids:
        logits = model(src[None], torch.tensor([ids]))[0, -1]  # [V]
        logits[model.pad_id] = -INF
        ids.append(logits.argmax().item())
    return ids


@both_ways
def test_greedy_search_is_the_loop_by_hand(use_cache):
    model = build()
    ids = generate(model, SRC, BOS, EOS, 12, use_cache=use_cache)
    with evaluating(model):
        rows = [by_hand(model, src, 12) for src in SRC]
    # Worth something only if some rows end early and some at the limit.
    assert {len(row) for row in rows} == {8, 12}
    assert ids.tolist() == [row + [0] * (12 - len(row)) for row in rows]


@torch.no_grad()
def log_probability(model, src, ids):
    """Logarithm of the probability that the model, which may not choose PAD, writes `ids`."""
    logits = model(src[None], torch.tensor([ids[:-1]]))[0]  # [L - 1, V]
    logits[:, model.pad_id] = -INF
    log_p = torch.log_softmax(logits, dim=-1)
    return sum(log_p[n, i].item() for n, i in enumerate(ids[1:]))


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


@both_ways
@pytest.mark.parametrize(
    ("bias", "answer"),
    [
        ({"_0": 1000, "_5": 500}, [BOS, 5, 5, 5]),  # PAD is never chosen
        ({"_2": 1000}, [BOS, EOS]),
        ({"_3": -INF, "_4": -INF, "_2": -1000, "_5": 9}, [BOS, 5, 5, 5]),  # some may be forbidden
    ],
)
def test_an_answer_is_what_the_logits_say(use_cache, bias, answer):
    ids = generate(build(**bias), SRC, BOS, EOS, 4, use_cache=use_cache)
    assert ids.tolist() == [answer] * 3


def test_a_start_that_is_also_the_end_token_still_starts():
    assert generate(build(_5=1000), SRC[:1], EOS, EOS, 4).tolist() == [[EOS, 5, 5, 5]]


def test_max_len_counts_the_first_token():
    assert generate(build(), SRC, BOS, EOS, 1).tolist() == [[BOS]] * 3


# A model that gives nonsense


@both_ways
@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize(("value", "word"), [(NAN, "NaN"), (INF, "inf"), (-INF, "-inf alone")])
def test_logits_that_leave_no_choice_are_refused(use_cache, beam_size, value, word):
    model = build()
    torch.nn.init.constant_(model.to_logits.bias, value)
    with refuses(ValueError, "logits: expected finite numbers", f"got {word}", "isfinite()"):
        generate(model, SRC, BOS, EOS, 8, beam_size, use_cache)


def test_a_nan_that_comes_with_one_token_is_refused_when_that_is_written():
    model = build(_5=1000)
    torch.nn.init.constant_(model.tgt_embedding.weight[5], NAN)
    with refuses(ValueError, "logits: ", "got NaN"):
        generate(model, SRC, BOS, EOS, 8)


@both_ways
@pytest.mark.parametrize("beam_size", [1, 2, 4])
def test_of_equal_logits_the_lowest_id_wins(use_cache, beam_size):
    model = build(tgt_vocab=70, _2=-INF)
    torch.nn.init.zeros_(model.to_logits.weight)
    torch.nn.init.zeros_(model.to_logits.bias[:2])
    torch.nn.init.zeros_(model.to_logits.bias[3:])
    ids = generate(model, SRC, BOS, EOS, 5, beam_size, use_cache)
    assert ids.tolist() == [[BOS, 1, 1, 1, 1]] * 3


# What it leaves alone, and what it costs


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
    assert not any(m._forward_hooks or m._forward_pre_hooks for m in model.modules())


def test_no_gradients_are_recorded():
    model, memory = build(), []
    model.encoder[1].register_forward_hook(lambda module, args, output: memory.append(output))
    generate(model, SRC, BOS, EOS, 4)
    assert not memory[0].requires_grad


def sizes_seen(module):
    seen = []
    module.register_forward_hook(lambda _, args, output: seen.append(args[0].size(1)))
    return seen


def test_with_the_cache_each_step_computes_one_position_and_else_all():
    model = build()
    feed_forward = sizes_seen(model.decoder[0].feed_forward.linear1)
    memory = sizes_seen(model.decoder[1].cross_attn.W_v)
    steps = generate(model, SRC, BOS, EOS, 10).size(1) - 1
    assert steps > 2
    assert feed_forward == [1] * steps
    assert memory == [SRC.size(1)] + [0] * (steps - 1)  # the memory is projected once
    feed_forward.clear()
    generate(model, SRC, BOS, EOS, 10, use_cache=False)
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


def test_trim_drops_only_what_is_padding_in_every_row():
    assert torch.equal(trim(SRC, 0), SRC[:, :5])
    assert torch.equal(trim(SRC[2:], 0), SRC[2:, :2])
    assert trim(SRC[:0], 0).shape == (0, 0)
