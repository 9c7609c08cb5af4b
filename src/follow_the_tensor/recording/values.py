"""How the recorder writes a value down: short, and the same text on every machine."""

import json
import math
import re
import reprlib
import types

import torch
from torch import nn

WHOLE = 64  # a tensor with more elements than this is shown by a corner
CORNER = (2, 6, 6)  # of each leading axis, of the rows, of the columns


class Values:
    """A table in which each different value stands once; others refer to it by index.

    `axes` gives what to add to the index of a tensor inside a container: its axis names.
    """

    def __init__(self, axes):
        self.table = []
        self._axes = axes
        self._index = {}

    def add(self, value, depth=0):
        """The index of `value`, which is encoded and added if it is new."""
        encoded = self._encode(value, depth)
        key = json.dumps(encoded)
        if key not in self._index:
            self._index[key] = len(self.table)
            self.table.append(encoded)
        return self._index[key]

    def _encode(self, value, depth):
        try:
            if isinstance(value, torch.Tensor):
                return encode_tensor(value)
            if isinstance(value, nn.Module):
                return encode_module(value)
            if depth < 3 and (items := _items(value)) is not None:
                kind = "dict" if isinstance(value, dict) else "sequence"
                entries = [
                    [name, self.add(item, depth + 1), *self._axes(item)] for name, item in items
                ]
                return {"kind": kind, "type": type(value).__name__, "items": entries}
            return {"kind": "text", "text": short(value)}
        except Exception:  # a reader's own __repr__ may fail, and its program must not
            return {"kind": "text", "text": type(value).__name__}


def encode_tensor(tensor):
    """Shape, dtype, layout and numbers of a tensor; of a large one only a corner."""
    encoded = {
        "kind": "tensor",
        "shape": list(tensor.shape),
        "dtype": str(tensor.dtype).removeprefix("torch."),
    }
    if tensor.layout != torch.strided:
        return encoded
    encoded["stride"] = list(tensor.stride())
    encoded["contiguous"] = tensor.is_contiguous()
    try:
        return encoded | _numbers(tensor.detach())
    except RuntimeError:  # on the meta device, or inside vmap, there are no numbers
        return encoded


def encode_module(module):
    """The class of a module, its numbers, and the shapes of what it holds itself."""
    # vars() also works before super().__init__() has run, where getattr does not.
    state = vars(module)
    numbers = {
        name: short(value)
        for name, value in state.items()
        if isinstance(value, (int, float)) and not name.startswith("_")
    }
    held = {**state.get("_parameters", {}), **state.get("_buffers", {})}
    tensors = {name: list(value.shape) for name, value in held.items() if value is not None}
    children = {
        name: type(child).__name__
        for name, child in state.get("_modules", {}).items()
        if child is not None
    }
    return {
        "kind": "module",
        "class": type(module).__name__,
        "numbers": numbers,
        "tensors": tensors,
        "children": children,
    }


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


def short(value):
    """A repr of one short line, without addresses."""
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__}"
    if isinstance(value, type):
        return f"class {value.__name__}"
    if isinstance(value, types.FunctionType):
        return f"function {value.__name__}"
    return without_addresses(" ".join(_reprs.repr(value).split()))


def without_addresses(text):
    """The text without what differs on every run."""
    text = re.sub(r"<(?:[\w<>]+\.)*([\w. ]+?)(?: object)? at 0x[0-9a-fA-F]+>", r"<\1>", text)
    return re.sub(r"0x[0-9a-fA-F]{6,}", "0x…", text)


class _Reprs(reprlib.Repr):
    def __init__(self):
        super().__init__()
        self.maxstring = self.maxother = 80

    def repr_float(self, value, level):
        return f"{value:.6g}"


_reprs = _Reprs()


def _items(value):
    """The named items of a container that holds tensors or modules, else None."""
    if isinstance(value, dict):
        items = [(short(name), item) for name, item in value.items()]
    elif isinstance(value, (tuple, list)):
        items = [(str(n), item) for n, item in enumerate(value)]
    else:
        return None
    inside = (torch.Tensor, nn.Module, tuple, list, dict)
    return items[:12] if any(isinstance(item, inside) for _, item in items) else None


def _numbers(tensor):
    if tensor.numel() <= WHOLE:
        return {"values": _rounded(tensor.tolist())}
    shown = _corner(tensor.shape, CORNER)
    corner = tensor[tuple(slice(size) for size in shown)]
    whole = tensor.to(torch.uint8) if tensor.dtype == torch.bool else tensor
    low, high = ("", "") if tensor.is_complex() else (whole.min().item(), whole.max().item())
    return {
        "values": _rounded(corner.tolist()),
        "shown": shown,
        "min": _rounded(low),
        "max": _rounded(high),
    }


def _corner(shape, corner):
    leading, rows, columns = corner
    limits = [leading] * max(0, len(shape) - 2) + [rows, columns]
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
