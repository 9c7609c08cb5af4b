"""The one mask rule of this package: a mask is boolean, and True may attend."""

import torch

from .shapes import check_ids, check_integer, check_size


def padding_mask(ids, pad_id=0):
    """Let every query attend to the real tokens and to no padding.

    Shapes:
        ids: [B, L], integers
        returns: [B, 1, 1, L], boolean, True where the key is a real token

    Raises:
        ValueError: `ids` does not have two axes.
        TypeError: `ids` or `pad_id` are not integers.
    """
    check_ids("ids", ids, "B", "L")
    check_integer("pad_id", pad_id)
    return (ids != pad_id)[:, None, None, :]  # [B, 1, 1, L]


def causal_mask(length):
    """Let position i attend to positions 0..i and to nothing later.

    Shapes:
        returns: [L, L], boolean, rows are queries and columns are keys

    Raises:
        ValueError, TypeError: `length` is not a positive integer.
    """
    check_size("length", length)
    return torch.ones(length, length, dtype=torch.bool).tril()  # [L, L]


def expand_mask(mask, sizes, name="mask"):
    """Give a mask the four axes that broadcast to [B, H, Lq, Lk].

    Integers become booleans by `mask != 0`. `None` stays `None`: nothing is blocked.
    An error calls the mask `name`, which is the caller's word for it.

    Shapes:
        mask: [Lq, Lk], [B, Lq, Lk], or four axes that broadcast to [B, H, Lq, Lk]
        sizes: (B, H, Lq, Lk)
        returns: four axes that broadcast to [B, H, Lq, Lk], boolean

    Raises:
        TypeError: the mask is not a tensor, or holds floating numbers.
        ValueError: the shape is none of the above.
    """
    if mask is None:
        return None
    _check_kind(mask, name)
    B, _, Lq, Lk = sizes
    if mask.shape == (Lq, Lk):
        mask = mask[None, None, :, :]  # [1, 1, Lq, Lk]
    elif mask.shape == (B, Lq, Lk):
        mask = mask[:, None, :, :]  # [B, 1, Lq, Lk]
    elif not _broadcasts(mask, sizes):
        raise ValueError(_shape_message(mask, sizes, name))
    return mask != 0


def ready_mask(mask, sizes, device, name="mask"):
    """What `expand_mask` gives, on `device`. A mask that is ready already goes on as it is.

    The layers use this one: on its way down through them a mask is expanded once, and
    never copied if it was boolean and had four axes from the start.
    """
    ready = isinstance(mask, torch.Tensor) and mask.dtype == torch.bool and _broadcasts(mask, sizes)
    mask = mask if ready else expand_mask(mask, sizes, name)
    return mask if mask is None else mask.to(device)


def also_causal(mask, Lq, Lk, device):
    """Block what is later, too: query i sees keys 0..i, counted from the top left corner.

    Shapes:
        mask: None or what `ready_mask` gives
        returns: [Lq, Lk], or four axes as `mask`
    """
    causal = torch.ones(Lq, Lk, dtype=torch.bool, device=device).tril()  # [Lq, Lk]
    return causal if mask is None else mask & causal


def _check_kind(mask, name):
    if not isinstance(mask, torch.Tensor):
        raise TypeError(f"{name}: expected a boolean tensor, got {type(mask).__name__}")
    if mask.is_floating_point() or mask.is_complex():
        raise TypeError(
            f"{name}: expected a boolean mask where True may attend, got {mask.dtype}. "
            f"Additive 0/-inf masks are not taken; write {name} == 0 for one of those"
        )


def _broadcasts(mask, sizes):
    return mask.dim() == 4 and all(
        # Not `axis in (1, size)`: torch.compile may miss a symbolic size in a tuple.
        axis == 1 or axis == size
        for axis, size in zip(mask.shape, sizes, strict=True)
    )


def _shape_message(mask, sizes, name):
    B, H, Lq, Lk = sizes
    message = (
        f"{name}: expected [Lq, Lk] = [{Lq}, {Lk}], [B, Lq, Lk] = [{B}, {Lq}, {Lk}] "
        f"or four axes that broadcast to [B, H, Lq, Lk] = [{B}, {H}, {Lq}, {Lk}], "
        f"got {list(mask.shape)}"
    )
    if mask.shape == (B, Lk):
        message += ". A padding flag [B, Lk] must be written valid[:, None, None, :]"
    return message
