"""What several tests share: tolerances, and masks of every kind.

The sizes are those of the running example of the book.
"""

from contextlib import contextmanager

import pytest
import torch

from follow_the_tensor.parity.comparison import gradients as gradients
from follow_the_tensor.parity.inputs import DTYPES
from follow_the_tensor.parity.inputs import draw as draw
from follow_the_tensor.parity.inputs import draw_mask as draw_mask

B, LS, LT, D, H, D_K, D_FF = 2, 6, 4, 12, 3, 4, 24


def one_empty_row():
    mask = draw_mask(B, H, LT, LS)
    mask[0, :, 1] = False  # query 1 of the first sentence may attend to nothing
    return mask


# For scores [B, H, LT, LS].
MASKS = {
    "no mask": None,
    "2 axes": draw_mask(LT, LS),
    "3 axes": draw_mask(B, LT, LS),
    "4 axes, padding": draw_mask(B, 1, 1, LS),
    "4 axes, per head": draw_mask(B, H, LT, LS),
    "one empty row": one_empty_row(),
    "all rows empty": torch.zeros(LT, LS, dtype=torch.bool),
}
every_mask = pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
every_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=str)


def assert_close(actual, expected, factor):
    """Hold |actual - expected| to `factor` roundings of the largest expected number.

    One operation rounds by at most eps / 2 of its result. The factor stands for the
    number of roundings on the way: the terms of the sums and the steps one after another.
    """
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    scale = max(1.0, expected.abs().max().item())
    tolerance = factor * torch.finfo(expected.dtype).eps * scale
    torch.testing.assert_close(actual, expected, rtol=0, atol=tolerance)


@contextmanager
def refuses(error, *parts):
    """The block raises exactly `error`, and each of `parts` stands in its message."""
    with pytest.raises(Exception) as caught:  # noqa: PT011  the type is compared below
        yield caught
    assert caught.type is error, repr(caught.value)
    for part in parts:
        assert part in str(caught.value)


def shake(module, seed=3):
    """Give every parameter, norms and biases too, a value of its own, as after training."""
    for n, parameter in enumerate(module.parameters()):
        with torch.no_grad():
            parameter.add_(0.3 * draw(*parameter.shape, seed=seed + n, dtype=parameter.dtype))
    return module
