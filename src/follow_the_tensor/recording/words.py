"""Any value as one short line: without running any of its code, however large it is."""

import enum
import re
import types
from collections import deque
from contextlib import suppress
from itertools import islice

import numpy as np
import torch

SHOWN = 6  # items of a container
DEPTH = 3  # containers inside one another
WIDTH = 80  # characters of one text
LONGEST = 240  # characters of the whole line
LONGEST_MESSAGE = 4000
SORTED = 100  # a set with more items than this is only counted


def short(value):
    """`value` in one line, the same on every machine."""
    text = " ".join(_words(value, DEPTH).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def message_of(error):
    """What an exception says, without running a `__str__` that is not Python's own."""
    kind = type(error)
    args = BaseException.args.__get__(error)
    plain = all(type(each) in (str, bytes, int, float, bool, type(None)) for each in args)
    if plain and type(kind.__str__) is types.WrapperDescriptorType:
        with suppress(ValueError):  # an integer of more digits than Python writes
            return without_addresses(kind.__str__(error))[:LONGEST_MESSAGE]
    return ", ".join(_sayings(error))


def without_addresses(text):
    """The text without what differs on every run."""
    text = re.sub(r"<(?:[\w<>]+\.)*([\w. ]+?)(?: object)? at 0x[0-9a-fA-F]+>", r"<\1>", text)
    return re.sub(r"0x[0-9a-fA-F]{6,}", "0x…", text)


def first_items(value, count):
    """The first items of a list, a tuple or a dict, and how many it has, past its own methods."""
    base = next(each for each in type(value).__mro__ if each in (list, tuple, dict))
    items = dict.items(value) if base is dict else base.__iter__(value)
    return list(islice(items, count)), base.__len__(value)


def _words(value, depth):
    kind = type(value)
    fields = _fields(value, kind)
    if fields is not None:
        inside = [f"{name}={_inside(each, depth)}" for name, each in islice(fields, SHOWN)]
        return f"{kind.__name__}({', '.join(inside)})"
    for base in kind.__mro__:
        if base in WRITERS:
            return WRITERS[base](value, kind, base, depth)
    return f"<{kind.__name__}>"


def _inside(value, depth):
    return _words(value, depth - 1) if depth > 1 else f"<{type(value).__name__}>"


def _fields(value, kind):
    """The named fields of a namedtuple or a dataclass, else None."""
    names = kind.__dict__.get("_fields")
    if type(names) is tuple and issubclass(kind, tuple):
        return zip(names, tuple.__iter__(value), strict=False)  # a subclass may name fewer
    if "__dataclass_fields__" in kind.__dict__:
        state = _state(value)
        return [(name, state[name]) for name in kind.__dataclass_fields__ if name in state]
    return None


def _state(value):
    try:
        return object.__getattribute__(value, "__dict__")
    except AttributeError:  # it has slots
        return {}


# --- one writer for each kind of value: (value, its class, the class that the writer is for, depth)


def _size(value, kind, base, depth):
    return f"torch.Size({list(tuple.__iter__(value))})"


def _as_python_does(value, kind, base, depth):
    return base.__repr__(value)


def _integer(value, kind, base, depth):
    bits = int.bit_length(value)
    return int.__repr__(value) if bits <= 200 else f"<{kind.__name__} of {bits} bits>"


def _float(value, kind, base, depth):
    return float.__format__(value, ".6g")


def _text(value, kind, base, depth):
    length = base.__len__(value)
    whole = base.__repr__(base.__getitem__(value, slice(WIDTH)))
    if length <= WIDTH and len(whole) <= WIDTH:
        return whole
    end = base.__getitem__(value, slice(max(length - WIDTH, 0), None))
    half = (WIDTH - 3) // 2
    return f"{whole[:half]}...{base.__repr__(end)[-half:]}"


def _list(value, kind, base, depth):
    length = base.__len__(value)
    items = [_inside(each, depth) for each in islice(base.__iter__(value), SHOWN)]
    if length > SHOWN:
        items.append(f"... {length} in all")
    inside = ", ".join(items)
    if base is tuple:
        text = f"({inside},)" if length == 1 else f"({inside})"
    else:
        text = f"[{inside}]"
    return text if kind in (list, tuple) else f"{kind.__name__}({text})"


def _dict(value, kind, base, depth):
    items, length = first_items(value, SHOWN)
    inside = [f"{_inside(key, depth)}: {_inside(each, depth)}" for key, each in items]
    if length > SHOWN:
        inside.append(f"... {length} in all")
    text = "{" + ", ".join(inside) + "}"
    return text if kind is dict else f"{kind.__name__}({text})"


def _set(value, kind, base, depth):
    length = base.__len__(value)
    if length > SORTED:  # its order differs from run to run, and to sort it would take long
        return f"<{kind.__name__} of {length}>"
    items = list(base.__iter__(value))
    kinds = {type(each) for each in items}
    if len(kinds) == 1 and kinds <= {int, float, str}:
        items.sort()
    inside = [_inside(each, depth) for each in items]
    inside = inside if len(kinds) == 1 else sorted(inside)
    if length > SHOWN:
        inside[SHOWN:] = [f"... {length} in all"]
    text = "{" + ", ".join(inside) + "}" if items else ""
    return text if kind is set and items else f"{kind.__name__}({text})"


def _slice(value, kind, base, depth):
    return f"slice({', '.join(_inside(each, depth) for each in _ends(value))})"


def _ends(value):
    return value.start, value.stop, value.step


def _member(value, kind, base, depth):
    return f"{kind.__name__}.{_state(value).get('_name_')}"


def _error(value, kind, base, depth):
    return f"{kind.__name__}({', '.join(_sayings(value))})"


def _sayings(error):
    args = BaseException.args.__get__(error)
    return [_words(each, DEPTH) for each in args[:SHOWN]]


def _array(value, kind, base, depth):
    about = f"{list(np.ndarray.shape.__get__(value))} {np.ndarray.dtype.__get__(value)}"
    return f"<{kind.__name__} {about}>"


def _scalar(value, kind, base, depth):
    item = np.generic.item(value)
    return f"<{kind.__name__}>" if isinstance(item, np.generic) else _words(item, depth)


def _tensor(value, kind, base, depth):
    return f"<{kind.__name__} {list(value.shape)}>"


def _module(value, kind, base, depth):
    return f"module {_state(value).get('__name__', '')}"


def _named(word):
    return lambda value, kind, base, depth: f"{word} {base.__dict__['__name__'].__get__(value)}"


def _method(value, kind, base, depth):
    return f"method {short(value.__func__).removeprefix('function ')}"


PLAIN = bool, type(None), type(...), type(NotImplemented), complex, range
PLAIN_IN_TORCH = torch.dtype, torch.device, torch.layout, torch.memory_format
WRITERS = dict.fromkeys(PLAIN + PLAIN_IN_TORCH, _as_python_does) | {
    enum.Enum: _member,
    int: _integer,
    float: _float,
    str: _text,
    bytes: _text,
    bytearray: _text,
    list: _list,
    torch.Size: _size,
    tuple: _list,
    deque: _list,
    dict: _dict,
    set: _set,
    frozenset: _set,
    slice: _slice,
    BaseException: _error,
    np.ndarray: _array,
    np.generic: _scalar,
    torch.Tensor: _tensor,
    types.ModuleType: _module,
    types.FunctionType: _named("function"),
    types.BuiltinFunctionType: _named("built-in function"),
    types.MethodType: _method,
    type: _named("class"),
}
