"""Sinusoidal positional encoding."""

import math

import torch
from torch import nn

from .shapes import check_floats, check_positive, check_probability, check_size


def sinusoid_table(length, d_model, base=10000.0):
    """One row for each position: sines in the even columns, cosines in the odd.

    PE(pos, 2i) = sin(pos / base^(2i/D)) and PE(pos, 2i+1) = cos(pos / base^(2i/D)).
    From "Attention Is All You Need", section 3.5. Works for odd D too.

    Shapes:
        returns: [length, D]

    Raises:
        ValueError, TypeError: a size is not a positive integer, or `base` not a
            positive number.
    """
    check_size("length", length)
    check_size("d_model", d_model)
    check_positive("base", base)
    # In float32 the angle of position 5000 would be off in its fourth decimal.
    position = torch.arange(length, dtype=torch.float64).unsqueeze(1)  # [length, 1]
    even_dims = torch.arange(0, d_model, 2, dtype=torch.float64)  # [ceil(D/2)]
    div_term = torch.exp(even_dims * (-math.log(base) / d_model))  # [ceil(D/2)]
    angles = position * div_term  # [length, ceil(D/2)]

    pe = torch.zeros(length, d_model)  # [length, D]
    pe[:, 0::2] = torch.sin(angles)
    # An odd D has one cosine column fewer than sine columns.
    pe[:, 1::2] = torch.cos(angles[:, : d_model // 2])
    return pe


class PositionalEncoding(nn.Module):
    """Add to each position a vector that says which position it is.

    The vectors are the rows of `sinusoid_table`.
    From "Attention Is All You Need", section 3.5.

    Shapes:
        x: [B, L, D] with L <= max_len
        returns: [B, L, D]

    Raises:
        ValueError: a size is wrong, or L > max_len.
        TypeError: `x` is not floating.
    """

    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        check_size("d_model", d_model)
        check_probability("dropout", dropout)
        check_size("max_len", max_len)
        self.d_model = d_model
        self.max_len = max_len
        self.dropout = nn.Dropout(dropout)
        # A buffer follows the module to its device and dtype, and is not trained.
        pe = sinusoid_table(max_len, d_model)  # [max_len, D]
        self.register_buffer("pe", pe.unsqueeze(0))  # [1, max_len, D]

    def forward(self, x):
        _, L, _ = check_floats("x", x, "B", "L", self.d_model)
        if L > self.max_len:
            longest = f"max_len={self.max_len}"
            raise ValueError(f"x: expected a length of at most {longest}, got {L}")
        x = x + self.pe[:, :L].to(x.dtype)  # [B, L, D] + [1, L, D]
        return self.dropout(x)  # [B, L, D]
