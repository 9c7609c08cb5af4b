import numpy as np
import pytest
import torch

from follow_the_tensor.shapes import (
    check_floats,
    check_ids,
    check_probability,
    check_shape,
    check_size,
)
from helpers import refuses


def test_a_size_of_one_is_enough():
    check_size("d_model", 1)


@pytest.mark.parametrize("value", [0, -1])
def test_a_size_is_positive(value):
    with refuses(ValueError, "d_model", "expected a positive integer", f"got {value}"):
        check_size("d_model", value)


@pytest.mark.parametrize(
    ("value", "kind"),
    [(2.0, "float"), (True, "bool"), ("3", "str"), (None, "NoneType"), (torch.tensor(3), "Tensor")],
)
def test_a_size_is_an_integer_and_no_bool(value, kind):
    with refuses(TypeError, "d_model", "expected an integer", f"got {kind}"):
        check_size("d_model", value)


@pytest.mark.parametrize("value", [0, 1, 0.0, 0.1, 1.0])
def test_both_ends_are_probabilities(value):
    check_probability("dropout", value)


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan"), float("inf")])
def test_a_probability_lies_between_0_and_1(value):
    with refuses(ValueError, "dropout", "expected a number in [0, 1]", f"got {value}"):
        check_probability("dropout", value)


@pytest.mark.parametrize(("value", "kind"), [("0.1", "str"), (None, "NoneType"), (True, "bool")])
def test_a_probability_is_a_number(value, kind):
    with refuses(TypeError, "dropout", "expected a number", f"got {kind}"):
        check_probability("dropout", value)


def test_the_sizes_come_back_as_plain_integers():
    sizes = check_shape("x", torch.zeros(2, 0, 4), "B", "L", 4)
    assert sizes == (2, 0, 4)
    assert all(type(size) is int for size in sizes)


@pytest.mark.parametrize("shape", [(), (12,), (6, 12), (1, 2, 6, 12), (2, 6, 11), (2, 12, 6)])
def test_a_wrong_shape_shows_what_was_expected_and_what_came(shape):
    with refuses(ValueError, "x: ", "expected shape [B, L, 12]", f"got {list(shape)}"):
        check_shape("x", torch.zeros(shape), "B", "L", 12)


@pytest.mark.parametrize("value", [[[1.0]], 1.0, None])
@pytest.mark.parametrize("check", [check_shape, check_floats, check_ids])
def test_only_tensors_have_a_shape(check, value):
    with refuses(TypeError, "x: ", "expected a tensor", f"got {type(value).__name__}"):
        check("x", value, "L")


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.complex64])
def test_features_are_floating(dtype):
    with refuses(TypeError, "x: ", "expected a floating dtype", f"got {dtype}"):
        check_floats("x", torch.zeros(3, dtype=dtype), "L")


def test_features_have_the_dtype_of_the_weights():
    x = torch.zeros(3)
    assert check_floats("x", x, "L", like=torch.zeros(1)) == (3,)
    with refuses(TypeError, "x: ", "expected torch.float64", "got torch.float32"):
        check_floats("x", x, "L", like=torch.zeros(1, dtype=torch.float64))


def test_autocast_may_mix_dtypes_and_nothing_else_may():
    x, weight = torch.zeros(3, dtype=torch.bfloat16), torch.zeros(1)
    with torch.autocast("cpu", torch.bfloat16):
        assert check_floats("x", x, "L", like=weight) == (3,)
    with refuses(TypeError, "x: "):
        check_floats("x", x, "L", like=weight)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_ids_are_integers_that_an_embedding_takes(dtype):
    assert check_ids("ids", torch.zeros(2, 3, dtype=dtype), "B", "L") == (2, 3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bool, torch.complex64])
def test_ids_are_neither_floating_nor_boolean(dtype):
    with refuses(TypeError, "ids: ", "expected int32 or int64 ids", f"got {dtype}"):
        check_ids("ids", torch.zeros(2, 3, dtype=dtype), "B", "L")


def test_numpy_integers_are_integers():
    check_size("d_model", np.int64(12))
