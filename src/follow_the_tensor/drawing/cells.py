"""A tensor, or a list of words, as cells of a picture: checked, rounded and cut to size."""

import re

import numpy as np
import torch

from ..shapes import check_size, check_string, check_strings
from .grid import Grid
from .numbers import check_digits, settle, write
from .palette import ROLES

# The role that the first word of a name asks for.
NAMED = {
    "queries": r"(q|quer(y|ies))(?![a-z])",
    "keys": r"(k|keys?)(?![a-z])",
    "values": r"(v|values?|context)(?![a-z])",
    "weights": r"(w|weights?)(?![a-z])",
}
SHEETS = {"B": "sentence", "H": "head"}
WIDEST, HIGHEST = 720, 16  # pixels and rows in which numbers are written
MAPPED = 64  # rows and columns of a map, which is shaded without numbers


def cells(
    name, values, *, axes=None, rows=None, columns=None, role=None, digits=None,
    blocked=None, mark=None, groups=None, cut=None, down=False,
):  # fmt: skip
    """A named tensor, or words, as cells for `draw`.

    Args:
        name: what stands above. A name such as "query", "K" or "values of head 0" also
            chooses the colour.
        values: a tensor of real numbers, or lists of strings. True is drawn as 1, and False
            as a hatched 0.
        axes: the names of the axes in one string, "L D". "_" leaves an axis without one.
        rows, columns: labels, one for each.
        role: the colour: "queries", "keys", "values", "weights", "masked", "wrong", or "plain".
        digits: decimals; else as many as the values need, 2 at most. Choose it so that no
            value lies on the edge of a rounding.
        blocked: a mask that broadcasts to values. True may attend; False is hatched.
        mark: an index of the cells that count, as in values[mark]. The others fade.
        groups: names for equal parts of the columns, each with its own colour; or a tensor
            like values, with the number of the group of each cell.
        cut: how many rows to show. What is cut is said below.
        down: draw a single axis as a column.

    Shapes:
        values: one axis makes a row, two make a table, more make sheets of it. Numbers are
        written while they fit the page, which is up to about 15 columns and 16 rows; larger
        tensors are shaded only, up to 64 × 64.

    Raises:
        TypeError, ValueError: an argument is of another type or does not fit the values.
    """
    check_string("name", name)
    array = _array(values)
    may = _may(blocked, array)
    marked = _marked(mark, array)
    fold = _fold(array, down)  # [sheets, rows, columns]
    texts, numbers = _written(array, digits)
    role = _role(role, name)
    if role == "plain" and array.dtype.kind != "f":
        numbers = None  # ids are names: a larger one is not more
    grid = Grid(
        name=name,
        role=role,
        shape=_shape(array, axes),
        texts=texts.reshape(fold),
        numbers=None if numbers is None else numbers.reshape(fold),
        blocked=~may.reshape(fold),
        faded=~marked.reshape(fold),
        groups=_groups(groups, array, fold),
        group_names=_group_names(groups),
        rows=_labels("rows", rows, fold[1]),
        columns=_labels("columns", columns, fold[2]),
        sheets=_sheets(array, axes),
        across=(1, 1, 1, *array.shape)[-3],
    )
    return _fit(grid, cut, shaded=array.dtype.kind == "b" or numbers is not None)


def _array(values):
    if isinstance(values, torch.Tensor):
        if values.is_complex():
            raise TypeError(f"values: expected real numbers, got {values.dtype}")
        values = values.detach().cpu()
        array = (values.double() if values.is_floating_point() else values).numpy()
    else:
        array = np.array(values, dtype=object)
        if not array.ndim or not all(isinstance(word, str) for word in array.flat):
            kind = type(values).__name__
            raise TypeError(f"values: expected a tensor, or lists of strings, got {kind}")
    if not array.size:
        raise ValueError(f"values: expected at least one cell, got shape {list(array.shape)}")
    return array


def _written(array, digits):
    """The text of each cell, and the number that shades it; words have none."""
    check_digits(digits)
    flat = array.ravel().tolist()
    if array.dtype.kind == "O":
        return array, None
    if array.dtype.kind != "f":
        texts = np.array([str(int(number)).replace("-", "−") for number in flat], dtype=object)
        return texts, None if array.dtype.kind == "b" else array.astype(float)
    numbers = np.array([settle(number, digits) for number in flat])
    return np.array(write(flat, digits), dtype=object), numbers


def _fold(array, down):
    """[sheets, rows, columns], into which every shape folds."""
    if down and array.ndim != 1:
        raise ValueError(f"down: expected values with one axis, got {array.ndim}")
    rows_and_columns = (1, 1, *array.shape)[-2:]
    return (-1, *(rows_and_columns[::-1] if down else rows_and_columns))


def _role(role, name):
    if role is None:
        found = (each for each, words in NAMED.items() if re.match(words, name, re.IGNORECASE))
        return next(found, "plain")
    if role not in (*ROLES, "plain"):
        raise ValueError(f"role: expected one of {', '.join([*ROLES, 'plain'])}, got {role!r}")
    return role


def _axes(array, axes):
    if axes is None:
        return ["_"] * array.ndim
    check_string("axes", axes)
    names = axes.split()
    if len(names) != array.ndim:
        raise ValueError(f"axes: expected {array.ndim} names, got {len(names)}: {axes!r}")
    return names


def _shape(array, axes):
    if axes is None and array.dtype.kind == "O":
        return ""
    pairs = zip(_axes(array, axes), array.shape, strict=True)
    return f"[{', '.join(str(size) if name == '_' else f'{name}={size}' for name, size in pairs)}]"


def _sheets(array, axes):
    """A name for each sheet: "sentence 0, head 1" for the axes B H."""
    names = ["" if name == "_" else SHEETS.get(name, name) for name in _axes(array, axes)[:-2]]
    return [
        ", ".join(f"{name} {n}".strip() for name, n in zip(names, index, strict=True))
        for index in np.ndindex(array.shape[:-2])
    ]


def _may(blocked, array):
    """Where attention is allowed: all cells but those that a mask blocks."""
    may = array if array.dtype.kind == "b" else np.ones(array.shape, dtype=bool)
    if blocked is None:
        return may
    if not isinstance(blocked, torch.Tensor) or blocked.is_floating_point() or blocked.is_complex():
        kind = getattr(blocked, "dtype", type(blocked).__name__)
        raise TypeError(f"blocked: expected a boolean mask, True may attend, got {kind}")
    return may & _spread("blocked", blocked.detach().cpu() != 0, array.shape)


def _spread(name, tensor, shape):
    try:
        return tensor.expand(shape).numpy()
    except RuntimeError:
        raise ValueError(
            f"{name}: expected a shape that broadcasts to {list(shape)}, got {list(tensor.shape)}"
        ) from None


def _marked(mark, array):
    if mark is None:
        return np.ones(array.shape, dtype=bool)
    marked = np.zeros(array.shape, dtype=bool)
    try:
        marked[mark.detach().cpu().numpy() if isinstance(mark, torch.Tensor) else mark] = True
    except IndexError as error:
        shape = list(array.shape)
        raise ValueError(f"mark: expected an index of shape {shape}, got {mark}: {error}") from None
    return marked


def _groups(groups, array, fold):
    if groups is None:
        return None
    if isinstance(groups, torch.Tensor):
        if groups.is_floating_point() or groups.is_complex():
            raise TypeError(f"groups: expected whole numbers, got {groups.dtype}")
        return _spread("groups", groups.detach().cpu(), array.shape).reshape(fold)
    names = _group_names(groups)
    if not names or fold[-1] % len(names):
        raise ValueError(
            f"groups: expected a divisor of {fold[-1]} columns, got {len(names)} names"
        )
    numbers = [list(dict.fromkeys(names)).index(name) for name in names]  # one name, one colour
    row = np.repeat(numbers, fold[-1] // len(names))
    return np.broadcast_to(row, array.reshape(fold).shape)


def _group_names(groups):
    if groups is None or isinstance(groups, torch.Tensor):
        return []
    check_strings("groups", groups)
    return list(groups)


def _labels(name, labels, size):
    if labels is None:
        return []
    check_strings(name, labels)
    labels = [str(label) for label in labels]
    if len(labels) != size:
        raise ValueError(f"{name}: expected {size} labels, got {len(labels)}")
    return labels


def _fit(grid, cut, shaded):
    """Leave out the numbers that have no room, and then the cells that have none."""
    if cut is not None:
        check_size("cut", cut)
    _, height, width = grid.texts.shape
    across = max(1, (WIDEST - grid.label_width) // grid.cell_width)
    small = shaded and (width > across or (cut or height) > HIGHEST)
    rows, columns = (MAPPED, MAPPED) if small else (HIGHEST, across)
    return grid.cut(min(height, cut or rows), min(width, columns), small)
