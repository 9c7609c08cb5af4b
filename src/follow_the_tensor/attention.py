"""Scaled dot-product attention, and several heads of it side by side."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from .masks import also_causal, expand_mask, ready_mask
from .shapes import check_floats, check_heads, check_shape


def scaled_dot_product_attention(Q, K, V, mask=None):
    """softmax(Q Kᵀ / √d_k) V, written out, for heads that are already split.

    A query that may attend to nothing gets zero weights and a zero context.
    From "Attention Is All You Need", section 3.2.1.

    Shapes:
        Q: [B, H, Lq, d_k]    K: [B, H, Lk, d_k]    V: [B, H, Lk, d_v]
        mask: None or what `expand_mask` takes; True may attend
        returns: context [B, H, Lq, d_v] and weights [B, H, Lq, Lk]

    Raises:
        ValueError: shapes disagree.
        TypeError: a dtype is wrong, or the mask is floating.
    """
    B, H, Lq, d_k = check_floats("Q", Q, "B", "H", "Lq", "d_k")
    _, _, Lk, _ = check_floats("K", K, B, H, "Lk", d_k, like=Q)
    check_floats("V", V, B, H, Lk, "d_v", like=Q)

    # Dividing Q rather than the product keeps float16 scores from overflowing.
    scores = torch.matmul(Q / math.sqrt(d_k), K.transpose(-2, -1))  # [B, H, Lq, Lk]
    mask = expand_mask(mask, (B, H, Lq, Lk))
    if mask is None:
        weights = torch.softmax(scores, dim=-1)  # [B, H, Lq, Lk]
    else:
        weights = masked_softmax(scores, mask.to(scores.device))  # [B, H, Lq, Lk]
    context = torch.matmul(weights, V)  # [B, H, Lq, d_v]
    return context, weights


def masked_softmax(scores, mask):
    """Softmax over the keys that `mask` allows; a row with none is all zeros.

    Shapes:
        scores: [..., Lq, Lk]
        mask: boolean, broadcasts to scores; True may attend
        returns: [..., Lq, Lk]
    """
    blocked = ~mask
    scores = scores.masked_fill(blocked, float("-inf"))  # [..., Lq, Lk]
    # Softmax over nothing but -inf is NaN, so an empty row is filled with 0 first.
    all_masked = blocked.all(dim=-1, keepdim=True)  # [..., Lq, 1]
    safe = scores.masked_fill(all_masked, 0.0)  # [..., Lq, Lk]
    return torch.softmax(safe, dim=-1).masked_fill(all_masked, 0.0)  # [..., Lq, Lk]


class MultiHeadAttention(nn.Module):
    """Attend H times in parallel, each head in its own d_k = D // H features.

    Q, K and V are the inputs before projection. Self-attention passes one tensor
    three times. They are finite: a mask keeps no NaN out, and what one gives depends on
    the kernel.
    From "Attention Is All You Need", section 3.2.2.

    Shapes:
        Q: [B, Lq, D]    K: [B, Lk, D]    V: [B, Lk, D]
        mask: None, [Lq, Lk], [B, Lq, Lk] or four axes that broadcast to
            [B, H, Lq, Lk]; True may attend
        is_causal: block later keys too, as torch's function does; alone it needs no mask
        returns: [B, Lq, D]; with need_weights=True also weights [B, H, Lq, Lk]

    Raises:
        ValueError: `d_model` is not divisible by `num_heads`, or shapes disagree.
        TypeError: a dtype is wrong, or the mask is floating.
    """

    def __init__(self, d_model, num_heads):
        super().__init__()
        check_heads(d_model, num_heads)
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_out = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        B, L, _ = check_shape("x", x, "B", "L", self.d_model)
        x = x.view(B, L, self.num_heads, self.d_k)  # [B, L, H, d_k]
        return x.transpose(1, 2)  # [B, H, L, d_k]

    def combine_heads(self, x):
        B, _, L, _ = check_shape("x", x, "B", self.num_heads, "L", self.d_k)
        x = x.transpose(1, 2).contiguous()  # [B, L, H, d_k]
        return x.view(B, L, self.d_model)  # [B, L, D]

    def forward(self, Q, K, V, mask=None, need_weights=False, is_causal=False):
        B, Lq, _ = check_floats("Q", Q, "B", "Lq", self.d_model, like=self.W_q)
        _, Lk, _ = check_floats("K", K, B, "Lk", self.d_model, like=self.W_k)
        check_floats("V", V, B, Lk, self.d_model, like=self.W_v)

        Q = self.split_heads(self.W_q(Q))  # [B, H, Lq, d_k]
        K = self.split_heads(self.W_k(K))  # [B, H, Lk, d_k]
        V = self.split_heads(self.W_v(V))  # [B, H, Lk, d_k]
        mask = ready_mask(mask, (B, self.num_heads, Lq, Lk), Q.device)
        if is_causal and (need_weights or mask is not None):
            mask, is_causal = also_causal(mask, Lq, Lk, Q.device), False
        if need_weights:
            context, weights = scaled_dot_product_attention(Q, K, V, mask)
        else:
            # The same answer from torch's fused kernel, which keeps no [Lq, Lk] weights.
            context = F.scaled_dot_product_attention(Q, K, V, mask, is_causal=is_causal)
        output = self.W_out(self.combine_heads(context))  # [B, Lq, D]
        return (output, weights) if need_weights else output
