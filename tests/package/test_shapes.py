"""What the rows of bad_input cannot show: what is taken, and what the checks hand back."""

import numpy as np
import pytest
import torch
from torch import nn

from follow_the_tensor.shapes import (
    check_floats,
    check_ids,
    check_index,
    check_positive,
    check_probability,
    check_shape,
    check_size,
    check_strings,
)
from tests.support.helpers import refuses


def test_what_is_right_is_taken():
    for size in (1, np.int64(12)):
        check_size("d_model", size)
    for share in (0, 1, 0.0, 1.0):
        check_probability("dropout", share)
    for index in (0, 6, np.int64(3)):
        check_index("pad_id", index, 7)
    for number in (1, 1e-300, 1e300):
        check_positive("rate", number)
    for texts in ([], ("a", "b"), (text for text in "ab")):
        check_strings("texts", texts)


def test_the_sizes_come_back_as_plain_integers():
    sizes = check_shape("x", torch.zeros(2, 0, 4), "B", "L", 4)
    assert sizes == (2, 0, 4)
    assert all(type(size) is int for size in sizes)


@pytest.mark.parametrize("like", [torch.zeros(1), nn.Linear(2, 2), nn.ReLU()])
def test_features_are_like_a_tensor_or_a_module_if_that_has_a_dtype(like):
    assert check_floats("x", torch.zeros(3), "L", like=like) == (3,)
    if not isinstance(like, nn.ReLU):
        with refuses(TypeError, "x: ", "expected torch.float32", "got torch.float64"):
            check_floats("x", torch.zeros(3).double(), "L", like=like)
        with refuses(ValueError, "x: expected device cpu, got meta"):
            check_floats("x", torch.zeros(3, device="meta"), "L", like=like)


def test_autocast_may_mix_all_dtypes_but_float64():
    x, weight = torch.zeros(3, dtype=torch.bfloat16), torch.zeros(1)
    with torch.autocast("cpu", torch.bfloat16):
        assert check_floats("x", x, "L", like=weight) == (3,)
        with refuses(TypeError, "x: expected torch.float32", "got torch.float64"):
            check_floats("x", x.double(), "L", like=weight)
    with refuses(TypeError, "x: expected torch.float32", "got torch.bfloat16"):
        check_floats("x", x, "L", like=weight)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_ids_that_a_table_can_look_up_are_taken(device, dtype):
    table = nn.Embedding(5, 2, device=device)
    ids = torch.tensor([[0, 4]], dtype=dtype, device=device)
    assert check_ids("src", ids, "B", "L", table=table) == (1, 2)
    assert check_ids("src", ids[:0], "B", "L", table=table) == (0, 2)


@pytest.mark.parametrize("bad", [-1, 5])
def test_ids_outside_the_table_are_refused(bad):
    with refuses(ValueError, "src: ", "expected ids in [0, 5)", f"got {bad}"):
        check_ids("src", torch.tensor([2, bad]), "L", table=nn.Embedding(5, 2))
