"""What several tests share: tolerances, masks of every kind, and PyTorch's layers with our weights.

The sizes are those of the running example of the book.
"""

from contextlib import contextmanager

import pytest
import torch
from torch import nn

B, LS, LT, D, H, D_K, D_FF = 2, 6, 4, 12, 3, 4, 24
DTYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16]


def draw(*shape, seed=0, dtype=torch.float32):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)


def draw_mask(*shape, seed=0):
    """Half of the entries may attend; the last key always may, so that no row is empty."""
    generator = torch.Generator().manual_seed(seed)
    mask = torch.rand(*shape, generator=generator) < 0.5
    mask[..., -1] = True
    return mask


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


def gradients(output, inputs):
    """Gradients of a sum of `output` in which every element has a weight of its own."""
    weights = draw(*output.shape, seed=9, dtype=output.dtype)
    return torch.autograd.grad((output * weights).sum(), inputs, retain_graph=True)


@contextmanager
def refuses(error, *parts):
    """The block raises exactly `error`, and each of `parts` stands in its message."""
    with pytest.raises(Exception) as caught:  # noqa: PT011  the type is compared below
        yield caught
    assert caught.type is error, repr(caught.value)
    for part in parts:
        assert part in str(caught.value)


def torch_attention(ours):
    """nn.MultiheadAttention with the weights of `ours`."""
    theirs = nn.MultiheadAttention(ours.d_model, ours.num_heads, batch_first=True)
    return _fill_attention(theirs, ours).to(ours.W_q.weight.dtype)


def torch_encoder_layer(ours):
    """nn.TransformerEncoderLayer with the weights of `ours`."""
    sizes = ours.d_model, ours.self_attn.num_heads, ours.feed_forward.linear1.out_features
    theirs = nn.TransformerEncoderLayer(*sizes, dropout=0.0, batch_first=True)
    _fill_attention(theirs.self_attn, ours.self_attn)
    return _fill_rest(theirs, ours, norms=("norm1", "norm2"))


def torch_decoder_layer(ours):
    """nn.TransformerDecoderLayer with the weights of `ours`."""
    sizes = ours.d_model, ours.self_attn.num_heads, ours.feed_forward.linear1.out_features
    theirs = nn.TransformerDecoderLayer(*sizes, dropout=0.0, batch_first=True)
    _fill_attention(theirs.self_attn, ours.self_attn)
    _fill_attention(theirs.multihead_attn, ours.cross_attn)
    return _fill_rest(theirs, ours, norms=("norm1", "norm2", "norm3"))


def _fill_attention(theirs, ours):
    parts = ours.W_q, ours.W_k, ours.W_v
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
    theirs.out_proj.load_state_dict(ours.W_out.state_dict())
    return theirs


def _fill_rest(theirs, ours, norms):
    for name in ("linear1", "linear2"):
        getattr(theirs, name).load_state_dict(getattr(ours.feed_forward, name).state_dict())
    for name in norms:
        getattr(theirs, name).load_state_dict(getattr(ours, name).state_dict())
    return theirs.to(ours.norm1.weight.dtype)


def shake(module, seed=3):
    """Give every parameter, norms and biases too, a value of its own, as after training."""
    for n, parameter in enumerate(module.parameters()):
        with torch.no_grad():
            parameter.add_(0.3 * draw(*parameter.shape, seed=seed + n, dtype=parameter.dtype))
    return module
