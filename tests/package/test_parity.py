"""Every layer against PyTorch's own; notebooks/parity.ipynb shows the same comparison."""

import math

import pytest
import torch

from follow_the_tensor.parity.comparison import (
    TOLERANCE,
    compare,
    difference,
    distance,
    largest,
    rounded_up,
)
from follow_the_tensor.parity.inputs import KINDS, SIZES, make_mask
from follow_the_tensor.parity.twins import ROWS
from tests.support.helpers import every_dtype

EMPTY = ("one empty row", "all rows empty")
NAN = [("MultiHeadAttention and weights", kind) for kind in EMPTY]  # in PyTorch's layer
CASES = [(name, kind) for name, row in ROWS.items() for kind in row.kinds]
PLAIN = SIZES["Lq < Lk, B ≠ L"]


@every_dtype
@pytest.mark.parametrize(("name", "kind"), [case for case in CASES if case not in NAN])
def test_value_and_gradients_are_those_of_torch(name, kind, dtype):
    found = compare(name, kind, dtype)
    assert {sizes for sizes, _ in found} == SIZES.keys()
    # `not <=` catches NaN too.
    far = {case: eps for case, eps in found.items() if not eps <= TOLERANCE[dtype]}
    assert not far


@every_dtype
@pytest.mark.parametrize("kind", EMPTY)
@pytest.mark.parametrize("sizes", SIZES)
def test_with_weights_torch_gives_nan_for_an_empty_row_and_agrees_on_the_others(kind, sizes, dtype):
    B, Lq, Lk, _, H = SIZES[sizes]
    pair = ROWS["MultiHeadAttention and weights"].make_pair(kind, SIZES[sizes], dtype)
    ours = pair.ours(*pair.inputs, **pair.our_options)
    theirs = pair.theirs(*pair.inputs, **pair.their_options)
    full = make_mask(kind, B, H, Lq, Lk).expand(B, H, Lq, Lk)
    of_weights = full.any(dim=-1)  # [B, H, Lq]
    for our, their, kept in zip(ours, theirs, (of_weights[:, 0], of_weights), strict=True):
        assert our.isfinite().all()
        assert their[~kept].isnan().all()
        if kept.any():
            assert distance(our[kept], their[kept]) <= TOLERANCE[dtype]


def test_the_kinds_of_mask_are_what_their_names_say():
    B, Lq, Lk, _, H = PLAIN
    masks = {kind: make_mask(kind, B, H, Lq, Lk) for kind in KINDS}
    empty = {
        kind: int((~mask.expand(B, 1, Lq, Lk).any(dim=-1)).sum())
        for kind, mask in masks.items()
        if mask is not None and mask.dim() != 3 and kind != "four axes"
    }
    assert empty.pop("one empty row") == 1
    assert empty.pop("all rows empty") == B * Lq
    assert empty.keys() == {"padding", "causal", "padding and causal"}
    assert not any(empty.values())
    assert masks["per batch"].shape == (B, Lq, Lk)
    assert masks["four axes"].shape == (B, H, Lq, Lk)
    assert not masks["padding"].all()


# The comparison sees what is wrong.


def swap_queries_and_keys(pair):
    attention = pair.ours.self_attn
    attention.W_q, attention.W_k = attention.W_k, attention.W_q


def let_padding_in(pair):
    pair.our_options["mask"] = None


def leave_the_mask_as_it_is(pair):
    pair.their_options["src_mask"] = ~pair.their_options["src_mask"]


def take_another_eps(pair):
    pair.ours.norm1.eps = 1e-6


def stop_one_gradient(pair):
    def hook(layer, inputs, output):
        return output.detach() + 0 * output

    pair.ours.self_attn.W_v.register_forward_hook(hook)


FAULTS = [
    swap_queries_and_keys, let_padding_in, leave_the_mask_as_it_is, take_another_eps,
    stop_one_gradient,
]  # fmt: skip


@pytest.mark.parametrize("written_out", [False, True])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_it_sees(fault, written_out):
    pair = ROWS["EncoderLayer"].make_pair("padding", PLAIN, torch.float64)
    assert difference(pair, written_out) <= TOLERANCE[torch.float64]
    fault(pair)
    assert difference(pair, written_out) > 1000 * TOLERANCE[torch.float64]


@every_dtype
def test_one_step_from_one_is_one_eps(dtype):
    ones = torch.ones(3, dtype=dtype)
    assert distance(ones + torch.finfo(dtype).eps, ones) == 1
    assert distance(16 * ones + 16 * torch.finfo(dtype).eps, 16 * ones) == 1
    assert math.isnan(distance(ones * math.nan, ones))


def test_nan_is_the_largest_wherever_it_stands():
    assert largest([1.0, 3.0, 2.0]) == 3
    for numbers in ([math.nan, 1.0], [1.0, math.nan], [1.0, math.nan, 2.0]):
        assert math.isnan(largest(numbers))


@pytest.mark.parametrize(
    ("eps", "power"), [(0, 6), (1.5, 6), (64, 6), (64.1, 12), (2.0**12, 12), (2.0**51, 54)]
)
def test_rounding_up_takes_wide_steps(eps, power):
    assert rounded_up(eps, torch.float64) == power
    assert math.isnan(rounded_up(math.nan, torch.float64))
