"""One checker and one wording for every wrong size, shape or dtype."""

import math
from collections.abc import Iterable
from numbers import Integral

import torch
from torch import nn


def check_integer(name, value):
    """Raise a TypeError unless `value` is an integer, numpy's and torch.export's included."""
    if torch.jit.is_tracing() and isinstance(value, torch.Tensor):
        return  # torch.jit.trace hands out sizes as tensors
    if not isinstance(value, (Integral, torch.SymInt)) or isinstance(value, bool):
        raise TypeError(f"{name}: expected an integer, got {type(value).__name__}")


def check_size(name, value):
    """Raise unless `value` is a positive integer: TypeError or ValueError."""
    check_integer(name, value)
    if value < 1:
        raise ValueError(f"{name}: expected a positive integer, got {value}")


def check_index(name, value, size):
    """Raise unless `value` is an integer in [0, size): TypeError or ValueError."""
    check_integer(name, value)
    if not 0 <= value < size:
        raise ValueError(f"{name}: expected an integer in [0, {size}), got {value}")


def check_heads(d_model, num_heads):
    """Raise unless `num_heads` heads of one size fill `d_model`: TypeError or ValueError."""
    check_size("d_model", d_model)
    check_size("num_heads", num_heads)
    if d_model % num_heads != 0:
        raise ValueError(f"num_heads: expected a divisor of d_model={d_model}, got {num_heads}")


def check_probability(name, value):
    """Raise unless `value` is a number in [0, 1]: TypeError or ValueError."""
    _check_number(name, value)
    if not 0 <= value <= 1:
        raise ValueError(f"{name}: expected a number in [0, 1], got {value}")


def check_positive(name, value):
    """Raise unless `value` is a positive number below infinity: TypeError or ValueError."""
    _check_number(name, value)
    if not 0 < value < math.inf:
        raise ValueError(f"{name}: expected a positive number, got {value}")


def _check_number(name, value):
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise TypeError(f"{name}: expected a number, got {type(value).__name__}")


def check_string(name, value):
    """Raise a TypeError unless `value` is a string."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a string, got {type(value).__name__}")


def check_strings(name, values):
    """Raise a TypeError if `values` is one string, or nothing that could hold several."""
    if isinstance(values, str):
        raise TypeError(f"{name}: expected a list of strings, got one string")
    if not isinstance(values, Iterable):
        raise TypeError(f"{name}: expected a list of strings, got {type(values).__name__}")


def check_shape(name, tensor, *axes):
    """Return the sizes of `tensor`, or raise an error that shows both shapes.

    Each of `axes` is the size that the axis must have, or a name for a free size:
    `check_shape("x", x, "B", "L", 12)`.

    Raises:
        TypeError: `tensor` is not a tensor.
        ValueError: the number of axes or one of the sizes differs.
    """
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{name}: expected a tensor, got {type(tensor).__name__}")
    same_rank = tensor.dim() == len(axes)
    if not same_rank or any(
        not isinstance(axis, str) and axis != size
        for axis, size in zip(axes, tensor.shape, strict=True)
    ):
        expected = ", ".join(str(axis) for axis in axes)
        given = list(tensor.shape)
        raise ValueError(f"{name}: expected shape [{expected}], got {given}")
    return tuple(tensor.shape)


def check_floats(name, tensor, *axes, like=None):
    """`check_shape` for a floating tensor, of the dtype and on the device of `like` if given.

    `like` is a tensor or a module. A quantised module says neither, so it takes what it takes.

    Raises:
        TypeError: the dtype is wrong, and no autocast is on that would convert it.
        ValueError: the device is another one.
    """
    sizes = check_shape(name, tensor, *axes)
    if not tensor.is_floating_point():
        raise TypeError(f"{name}: expected a floating dtype, got {tensor.dtype}")
    like = _first_floats(like)
    if like is not None:
        if tensor.dtype != like.dtype and not _autocast_converts(tensor):
            raise TypeError(f"{name}: expected {like.dtype}, got {tensor.dtype}")
        _check_device(name, tensor, like)
    return sizes


def _first_floats(like):
    """The tensor `like` itself, or the first floating parameter of a module, if it has one.

    Not `module.weight`: that is a method once PyTorch has quantised the module, and is
    computed anew by each look where PyTorch has parametrised it.
    """
    if not isinstance(like, nn.Module):
        return like
    for parameter in like.parameters():
        if parameter.is_floating_point():
            return parameter
    return None


def _autocast_converts(tensor):
    device = tensor.device.type
    available = torch.amp.is_autocast_available(device)
    # float64 is the one dtype that autocast leaves alone.
    return available and torch.is_autocast_enabled(device) and tensor.dtype != torch.float64


def check_ids(name, ids, *axes, table=None):
    """`check_shape` for a tensor of token ids, which the embedding `table` can look up if given.

    Raises:
        TypeError: the dtype is not int32 or int64, which torch.nn.Embedding takes.
        ValueError: an id is outside the vocabulary, or the device is another one.
    """
    sizes = check_shape(name, ids, *axes)
    if ids.dtype not in (torch.int32, torch.int64):
        raise TypeError(f"{name}: expected int32 or int64 ids, got {ids.dtype}")
    if table is not None:
        weight = _first_floats(table)
        if weight is not None:
            _check_device(name, ids, weight)
        _check_vocabulary(name, ids, table.num_embeddings)
    return sizes


def _check_vocabulary(name, ids, vocab_size):
    if torch.compiler.is_compiling() or not ids.numel():
        return
    try:
        low, high = ids.min().item(), ids.max().item()
    except RuntimeError:  # on the meta device, and inside vmap, there are no numbers to look at
        return
    if low < 0 or high >= vocab_size:
        bad = low if low < 0 else high
        raise ValueError(f"{name}: expected ids in [0, {vocab_size}), got {bad}")


def _check_device(name, tensor, like):
    # Not every operation looks: an embedding of ids on another device returned garbage.
    if tensor.device != like.device:
        raise ValueError(f"{name}: expected device {like.device}, got {tensor.device}")
