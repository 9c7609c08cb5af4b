"""What the comparison with PyTorch runs on: sizes, dtypes, numbers and masks of every kind."""

from typing import NamedTuple

import torch

from ..masks import causal_mask, padding_mask


class Sizes(NamedTuple):
    B: int
    Lq: int
    Lk: int
    D: int
    H: int


SIZES = {
    "Lq < Lk, B ≠ L": Sizes(B=2, Lq=4, Lk=6, D=12, H=3),
    "Lq > Lk": Sizes(B=2, Lq=6, Lk=4, D=12, H=3),
    "B = L": Sizes(B=4, Lq=4, Lk=4, D=12, H=3),
    "B = 1": Sizes(B=1, Lq=4, Lk=6, D=12, H=3),
    "H = 1": Sizes(B=2, Lq=4, Lk=6, D=12, H=1),
    "odd D": Sizes(B=2, Lq=4, Lk=6, D=15, H=3),
    "odd D, d_k = 1": Sizes(B=2, Lq=4, Lk=6, D=5, H=5),
}
DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
KINDS = (
    "none",
    "padding",
    "causal",
    "padding and causal",
    "one empty row",
    "all rows empty",
    "per batch",
    "four axes",
)
VOCABULARY = 11


def draw(*shape, seed=0, dtype=torch.float32):
    """Normal random numbers, the same in every dtype up to rounding."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)


def draw_mask(*shape, seed=0):
    """Half of the entries may attend; the last key always may, so that no row is empty."""
    generator = torch.Generator().manual_seed(seed)
    mask = torch.rand(*shape, generator=generator) < 0.5
    mask[..., -1] = True
    return mask


def token_ids(kind, B, L):
    """Ids [B, L] with the padding that a kind of mask is about; PAD is 0."""
    ids = 1 + torch.arange(B * L).view(B, L) % (VOCABULARY - 1)  # [B, L]
    if kind == "all rows empty":
        ids[:] = 0
    elif kind == "one empty row":
        ids[0, 0] = 0  # under a causal mask, query 0 may see key 0 alone
    elif kind in ("padding", "padding and causal"):
        for b in range(B):
            ids[b, L - 1 - b % (L - 1) :] = 0  # one PAD, two, ...; token 0 stays
    return ids


def make_mask(kind, B, H, Lq, Lk):
    """A mask of one kind for scores [B, H, Lq, Lk]; True may attend."""
    causal = causal_mask(max(Lq, Lk))[:Lq, :Lk]  # [Lq, Lk]
    padding = padding_mask(token_ids(kind, B, Lk))  # [B, 1, 1, Lk]
    return {
        "none": None,
        "padding": padding,  # [B, 1, 1, Lk]
        "causal": causal,  # [Lq, Lk]
        "padding and causal": padding & causal,  # [B, 1, Lq, Lk]
        "one empty row": padding & causal,  # [B, 1, Lq, Lk]
        "all rows empty": padding,  # [B, 1, 1, Lk]
        "per batch": draw_mask(B, Lq, Lk),  # [B, Lq, Lk]
        "four axes": draw_mask(B, H, Lq, Lk),  # [B, H, Lq, Lk]
    }[kind]


def full_mask(mask, B, H, Lq, Lk):
    """A mask with all four axes, made without our `expand_mask`, which is under test too."""
    mask = mask[:, None] if mask.dim() == 3 else mask
    return mask.expand(B, H, Lq, Lk)  # [B, H, Lq, Lk]


def two_masks(kind, B, H, Lq, Lk):
    """One mask for our layers, and the same for PyTorch's: [B·H, Lq, Lk], and True blocks."""
    mask = make_mask(kind, B, H, Lq, Lk)
    if mask is None:
        return None, None
    return mask, ~full_mask(mask, B, H, Lq, Lk).reshape(B * H, Lq, Lk)
