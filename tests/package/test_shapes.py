import numpy as np
import pytest
import torch

from follow_the_tensor.shapes import (
    check_floats,
    check_ids,
    check_index,
    check_positive,
    check_probability,
    check_shape,
    check_size,
    check_string,
    check_strings,
)
from tests.support.helpers import refuses


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


@pytest.mark.parametrize("value", [0, 6, np.int64(3)])
def test_an_index_is_in_range_at_both_ends(value):
    check_index("pad_id", value, 7)


@pytest.mark.parametrize("value", [-1, 7])
def test_an_index_outside_its_range_is_refused(value):
    with refuses(ValueError, "pad_id: expected an integer in [0, 7)", f"got {value}"):
        check_index("pad_id", value, 7)


@pytest.mark.parametrize(("value", "kind"), [(1.0, "float"), (True, "bool"), (None, "NoneType")])
def test_an_index_is_an_integer(value, kind):
    with refuses(TypeError, "pad_id: expected an integer", f"got {kind}"):
        check_index("pad_id", value, 7)


@pytest.mark.parametrize("value", [1, 1e-300, 1e300])
def test_every_finite_number_above_zero_is_positive(value):
    check_positive("rate", value)


@pytest.mark.parametrize("value", [0, -1.0, float("nan"), float("inf")])
def test_what_is_not_positive_and_finite_is_refused(value):
    with refuses(ValueError, "rate: expected a positive number", f"got {value}"):
        check_positive("rate", value)


@pytest.mark.parametrize(("value", "kind"), [("1", "str"), (None, "NoneType"), (True, "bool")])
def test_a_positive_number_is_a_number(value, kind):
    with refuses(TypeError, "rate: expected a number", f"got {kind}"):
        check_positive("rate", value)


@pytest.mark.parametrize(("value", "kind"), [(b"a", "bytes"), (None, "NoneType"), (["a"], "list")])
def test_a_string_is_a_string(value, kind):
    check_string("text", "")
    with refuses(TypeError, "text: expected a string", f"got {kind}"):
        check_string("text", value)


def test_one_string_is_no_list_of_strings():
    for texts in ([], ("a", "b"), (text for text in "ab")):
        check_strings("texts", texts)
    with refuses(TypeError, "texts: expected a list of strings", "got one string"):
        check_strings("texts", "ab")
    with refuses(TypeError, "texts: expected a list of strings", "got NoneType"):
        check_strings("texts", None)


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


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_ids_that_a_table_can_look_up_are_taken(device):
    table = torch.nn.Embedding(5, 2, device=device)
    ids = torch.tensor([[0, 4]], device=device)
    assert check_ids("src", ids, "B", "L", table=table) == (1, 2)
    assert check_ids("src", ids[:0], "B", "L", table=table) == (0, 2)


@pytest.mark.parametrize("bad", [-1, 5])
def test_ids_outside_the_table_are_refused(bad):
    with refuses(ValueError, "src: ", "expected ids in [0, 5)", f"got {bad}"):
        check_ids("src", torch.tensor([2, bad]), "L", table=torch.nn.Embedding(5, 2))


def test_ids_on_another_device_are_refused():  # the look-up alone returned garbage
    ids = torch.zeros(1, 2, dtype=torch.long, device="meta")
    with refuses(ValueError, "src: expected device cpu", "got meta"):
        check_ids("src", ids, "B", "L", table=torch.nn.Embedding(5, 2))


def test_numpy_integers_are_integers():
    check_size("d_model", np.int64(12))
