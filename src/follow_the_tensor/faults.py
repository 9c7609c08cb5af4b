"""Eight faults that implementations of the Transformer really have, each one runnable.

Each differs from the right version, which its docstring names, by the fault alone.
Chapter 10 runs them, shows what they raise or get wrong, and puts the fix beside them.
Use none of this elsewhere.
"""
# ruff: noqa: F841 (fault 1 is a table that nobody uses)

import math

import torch
from torch import nn

from .attention import MultiHeadAttention, masked_softmax
from .encoder import EncoderLayer
from .feed_forward import PositionWiseFeedForward
from .positional import PositionalEncoding, sinusoid_table
from .shapes import check_positive, check_probability, check_shape, check_size


class PositionsNeverRegistered(nn.Module):
    """Fault 1: the table is built, and only a comment stands where it should be kept.

    Right: PositionalEncoding.
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

    forward = PositionalEncoding.forward


def table_for_even_sizes(length, d_model, base=10000.0):
    """Fault 2: as many cosine as sine columns are written, which an odd D does not have.

    Right: sinusoid_table.
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
    pe[:, 1::2] = torch.cos(angles)
    return pe


class PositionsForEvenSizes(nn.Module):
    """Fault 2 in its place: the constructor builds the table.

    Right: PositionalEncoding.
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
        pe = table_for_even_sizes(max_len, d_model)  # [max_len, D]
        self.register_buffer("pe", pe.unsqueeze(0))  # [1, max_len, D]

    forward = PositionalEncoding.forward


def scores_with_bmm(Q, K):
    """Fault 3: bmm multiplies three axes, and split heads have four.

    Right: the line `scores = …` of scaled_dot_product_attention.
    """
    return torch.bmm(Q / math.sqrt(Q.size(-1)), K.transpose(-2, -1))  # [B, H, Lq, Lk]


class CombinesThreeAxes(MultiHeadAttention):
    """Fault 4: combine_heads unpacks three sizes from a tensor of four axes.

    Right: MultiHeadAttention.
    """

    def combine_heads(self, x):
        B, L, _ = check_shape("x", x, "B", self.num_heads, "L", self.d_k)
        x = x.transpose(1, 2).contiguous()  # [B, L, H, d_k]
        return x.view(B, L, self.d_model)  # [B, L, D]


class SublayersWithoutSizes(nn.Module):
    """Fault 5: the sublayers are built without the sizes that they need.

    Right: EncoderLayer.
    """

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        check_probability("dropout", dropout)
        self.self_attn = MultiHeadAttention()
        self.feed_forward = PositionWiseFeedForward()
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.d_model = d_model

    forward = EncoderLayer.forward


def attention_without_head_axis(Q, K, V, mask):
    """Fault 6: a mask [B, Lq, Lk] meets scores [B, H, Lq, Lk] without a head axis.

    Broadcasting aligns from the right, so the batch axis of the mask meets the heads.
    Right: scaled_dot_product_attention, which calls expand_mask first.
    """
    scores = torch.matmul(Q / math.sqrt(Q.size(-1)), K.transpose(-2, -1))  # [B, H, Lq, Lk]
    weights = masked_softmax(scores, mask)  # [B, H, Lq, Lk]
    context = torch.matmul(weights, V)  # [B, H, Lq, d_v]
    return context, weights


def fill_with_large_negative(scores, mask):
    """Fault 7: -1e9 stands for "blocked", and float16 ends at -65504.

    Right: the line `scores = scores.masked_fill(…)` of masked_softmax.
    """
    return scores.masked_fill(~mask, -1e9)


def softmax_of_empty_rows(scores, mask, blocked_score):
    """Fault 8: a fully masked row goes into the softmax as it is.

    With -inf as the blocked score the row becomes NaN. With a large finite number it
    becomes a plain average over the keys that nobody may attend to.
    Right: masked_softmax.
    """
    return torch.softmax(scores.masked_fill(~mask, blocked_score), dim=-1)
