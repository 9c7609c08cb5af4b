"""How the recorder writes a value down: what fits on a page of it, however large it is."""

import json
import math
import weakref
from itertools import islice

import torch
from torch import nn

from .words import first_items, short

WHOLE = 64  # a tensor with more elements than this is shown by a corner
CORNER = (2, 6, 6)  # of each leading axis, of the rows, of the columns
LEADING = 3  # of more leading axes than this, the first ones are shown at one index
ITEMS = 12  # of a container
HELD = 24  # of the numbers, the tensors and the modules in a module
RANGED = 10_000_000  # of a tensor with more elements than this, nobody looks for the extremes


class Values:
    """A table in which each different value stands once; others refer to it by index.

    `axes` gives what to add to the index of a tensor inside a container: its axis names.
    """

    def __init__(self, axes):
        self.table = []
        self._axes = axes
        self._index = {}
        self._extents = {}  # id of a large tensor -> (weak reference, its state, min and max)

    def add(self, value, depth=0):
        """The index of `value`, which is encoded and added if it is new."""
        encoded = self._encode(value, depth)
        key = json.dumps(encoded)
        if key not in self._index:
            self._index[key] = len(self.table)
            self.table.append(encoded)
        return self._index[key]

    def _encode(self, value, depth):
        kind = type(value)
        try:
            if issubclass(kind, torch.Tensor) and not torch.jit.is_tracing():
                return self._tensor(value)
            if issubclass(kind, nn.Module):
                return encode_module(value)
            if depth < 3 and issubclass(kind, (list, tuple, dict)):
                items, length = first_items(value, ITEMS)
                if items := _named_items(kind, items):
                    return self._container(kind, items, length, depth)
            return {"kind": "text", "text": short(value)}
        except Exception:  # half-made values fail in many ways, and their program must not
            return {"kind": "text", "text": f"<{kind.__name__}>"}

    def _container(self, kind, items, length, depth):
        encoded = {
            "kind": "dict" if issubclass(kind, dict) else "sequence",
            "type": kind.__name__,
            "items": [[name, self.add(item, depth + 1), *self._axes(item)] for name, item in items],
        }
        return encoded | ({"more": length - len(items)} if length > len(items) else {})

    def _tensor(self, tensor):
        encoded = encode_layout(tensor)
        if "stride" not in encoded or not has_numbers(tensor):
            return encoded
        try:
            return encoded | self._numbers(tensor)
        except RuntimeError:  # on the meta device, or inside vmap, there are no numbers
            return encoded

    def _numbers(self, tensor):
        plain = tensor.detach()
        if tensor.numel() <= WHOLE:
            return {"values": _rounded(plain.tolist())}
        shown = _corner(tensor.shape, CORNER)
        numbers = plain[tuple(slice(size) for size in shown)].tolist()
        return {"values": _rounded(numbers), "shown": shown, **self._extent(tensor, plain, numbers)}

    def _extent(self, tensor, plain, corner):
        """Min and max, looked for once as long as neither version nor corner changes."""
        state = None if tensor.is_inference() else tensor._version, str(corner)
        reference, before, extent = self._extents.get(id(tensor), (lambda: None, None, None))
        if reference() is not tensor or before != state:
            extent = _min_and_max(plain)
            self._extents[id(tensor)] = (weakref.ref(tensor), state, extent)
        return extent


def encode_layout(tensor):
    """Shape, dtype and, if it has strides, the layout of a tensor."""
    encoded = {
        "kind": "tensor",
        "shape": [size if type(size) is int else str(size) for size in tensor.shape],
        "dtype": str(tensor.dtype).removeprefix("torch."),
    }
    if tensor.layout == torch.strided and has_plain_sizes(tensor):
        encoded["stride"] = list(tensor.stride())
        encoded["contiguous"] = tensor.is_contiguous()
    return encoded


def has_plain_sizes(tensor):
    """Whether its sizes are numbers: torch.export takes note of whoever asks for others."""
    return not torch.jit.is_tracing() and all(type(size) is int for size in tensor.shape)


def has_numbers(tensor):
    """Whether its numbers can be read without running, or being seen by, a reader's code."""
    own = type(tensor).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__
    return not own and not torch._C._len_torch_dispatch_stack()


def encode_module(module):
    """The class of a module, its numbers, and the shapes of what it holds itself."""
    # vars() also works before super().__init__() has run, where getattr does not.
    state = object.__getattribute__(module, "__dict__")
    numbers = [
        (name, short(value))
        for name, value in islice(state.items(), 200)
        if type(value) in (int, float, bool) and not name.startswith("_")
    ]
    held = [*_some(state.get("_parameters")), *_some(state.get("_buffers"))]
    tensors = [(name, list(value.shape)) for name, value in held if value is not None]
    children = [
        (name, type(child).__name__)
        for name, child in _some(state.get("_modules"))
        if child is not None
    ]
    more = len(state.get("_modules") or ()) - HELD
    if more > 0:
        children.append(("…", f"{more} more"))
    return {
        "kind": "module",
        "class": type(module).__name__,
        "numbers": dict(numbers[:HELD]),
        "tensors": dict(tensors),
        "children": dict(children),
    }


def _some(held):
    return islice((held or {}).items(), HELD)


def shrink(encoded, corner):
    """The same tensor with a smaller corner, in place. Other values stay as they are."""
    if not encoded.get("shape") or "values" not in encoded or encoded["dtype"].startswith("c"):
        return
    shown = _corner(encoded.get("shown", encoded["shape"]), corner)
    if shown == encoded.get("shown", encoded["shape"]):
        return
    if "shown" not in encoded:
        encoded |= _extent(_flat(encoded["values"]))
    encoded |= {"shown": shown, "values": _cut(encoded["values"], shown)}


def _named_items(kind, items):
    """The first items of a container with their names, if tensors or modules may be inside."""
    inside = (torch.Tensor, nn.Module, tuple, list, dict)
    if not any(issubclass(type(item), inside) for item in _values_of(kind, items)):
        return None
    if issubclass(kind, dict):
        return [(short(name), item) for name, item in items]
    return [(str(number), item) for number, item in enumerate(items)]


def _values_of(kind, items):
    return [item for _, item in items] if issubclass(kind, dict) else items


def _min_and_max(plain):
    # Along an axis of stride 0 all numbers are the same one.
    ones = tuple(slice(1) if step == 0 else slice(None) for step in plain.stride())
    part = plain[ones]
    if part.is_complex() or part.numel() > RANGED:
        return {}
    part = part.to(torch.uint8) if part.dtype == torch.bool else part
    return {"min": _rounded(part.min().item()), "max": _rounded(part.max().item())}


def _corner(shape, corner):
    leading, rows, columns = corner
    before = max(0, len(shape) - 2)
    limits = [1] * max(0, before - LEADING) + [leading] * min(before, LEADING) + [rows, columns]
    return [min(pair) for pair in zip(shape, limits[-len(shape) :], strict=True)]


def _cut(values, shown):
    if not shown:
        return values
    return [_cut(row, shown[1:]) for row in values[: shown[0]]]


def _flat(values):
    if not isinstance(values, list):
        return [values]
    return [number for row in values for number in _flat(row)]


def _extent(numbers):
    order = sorted(numbers, key=float)
    return {"min": order[0], "max": order[-1]}


def _rounded(value):
    """Round to four decimals; large numbers to six digits; JSON has no words for inf and nan."""
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(value)
        # The digits after these differ between processors. Adding 0.0 turns -0.0 into 0.0.
        return (round(value, 4) if abs(value) < 100 else float(f"{value:.6g}")) + 0.0
    return value if isinstance(value, int) else str(value)
