"""What several tests share: the sizes of the running example, tolerances, and refusals."""

from contextlib import contextmanager

import pytest
import torch

from follow_the_tensor.parity.comparison import gradients as gradients
from follow_the_tensor.parity.inputs import DTYPES
from follow_the_tensor.parity.inputs import draw as draw
from follow_the_tensor.parity.inputs import draw_mask as draw_mask
from follow_the_tensor.parity.twins import fill as fill

B, LS, LT, D, H, D_K, D_FF = 2, 6, 4, 12, 3, 4, 24
every_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=str)


def assert_close(actual, expected, factor):
    """Hold |actual - expected| to `factor` roundings of the largest expected number.

    One operation rounds by at most eps / 2 of its result. The factor stands for the
    number of roundings on the way: the terms of the sums and the steps one after another.
    """
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    scale = max(1.0, expected.abs().max().item()) if expected.numel() else 1.0
    tolerance = factor * torch.finfo(expected.dtype).eps * scale
    torch.testing.assert_close(actual, expected, rtol=0, atol=tolerance)


def exactly(actual, expected):
    """Every number is the same, and so are dtype and shape."""
    torch.testing.assert_close(actual, expected, rtol=0, atol=0, equal_nan=False)


@contextmanager
def refuses(error, *parts):
    """The block raises exactly `error`, and each of `parts` stands in its message."""
    with pytest.raises(Exception) as caught:  # noqa: PT011  the type is compared below
        yield caught
    assert caught.type is error, repr(caught.value)
    for part in parts:
        assert part in str(caught.value)
