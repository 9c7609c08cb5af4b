"""The figures of the book. Each function takes data and returns a matplotlib Figure.

Grids show queries down and keys across, of one sentence and one head. Weights always run from
0 to 1, so that two figures can be compared. Grounds are transparent, and the colours stand on
light and dark pages.
Grids that are small enough for numbers are drawn by `draw`.
"""

import matplotlib
import matplotlib.pyplot as plt
import torch
from matplotlib.colors import LinearSegmentedColormap, ListedColormap
from matplotlib.patches import Rectangle

from ..shapes import check_shape
from .palette import BOTH

CLEAR = "#00000000"
WEIGHTS = LinearSegmentedColormap.from_list("weights", [BOTH["weights"] + "00", BOTH["weights"]])
INK = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
themed = matplotlib.rc_context(
    {
        **dict.fromkeys(INK, BOTH["masked"]),
        **dict.fromkeys(["figure.facecolor", "axes.facecolor", "savefig.facecolor"], CLEAR),
        "legend.frameon": False,
        "font.size": 11,  # three panels are shown at 86 %, and 9 points should be left
    }
)


@themed
def mask_grids(masks, queries=None, keys=None):
    """Draw boolean masks [Lq, Lk], given as title -> mask. A blocked cell is hatched."""
    masks = _grids("masks", masks, queries, keys)
    figure, axes = _panels(len(masks))
    for axis, (title, mask) in zip(axes, masks.items(), strict=True):
        axis.imshow(torch.zeros(mask.shape).numpy(), cmap=ListedColormap([CLEAR]))
        _hatch(axis, mask == 0)
        _label(axis, mask.shape, title, queries, keys)
    return _finish(figure)


@themed
def weight_grids(weights, queries=None, keys=None, mask=None):
    """Draw attention weights [Lq, Lk], given as title -> weights, on one scale from 0 to 1.

    Cells that `mask` [Lq, Lk] blocks are hatched.
    """
    weights = _grids("weights", weights, queries, keys)
    for grid in weights.values():
        mask = mask if mask is None else _drawable("mask", mask, *grid.shape)
    figure, axes = _panels(len(weights))
    for axis, (title, grid) in zip(axes, weights.items(), strict=True):
        image = axis.imshow(grid.numpy(), cmap=WEIGHTS, vmin=0, vmax=1)
        if mask is not None:
            _hatch(axis, mask == 0)
        _label(axis, grid.shape, title, queries, keys)
    figure.colorbar(image, ax=axes, shrink=0.8)
    return _finish(figure)


@themed
def variance_curves(d_ks, before, after):
    """Plot the variance of q·k against d_k, before and after the division by √d_k."""
    _check_lengths("d_ks", d_ks, {"before": before, "after": after})
    figure, axes = _panels(1, width=5.6, height=3.4)
    axes[0].plot(d_ks, before, "o-", color=BOTH["keys"], label="q·k")
    axes[0].plot(d_ks, after, "s--", color=BOTH["queries"], label="q·k / √d_k")
    axes[0].set(xlabel="d_k", ylabel="variance", xscale="log", yscale="log")
    axes[0].set_xticks(d_ks, [str(d_k) for d_k in d_ks])
    axes[0].minorticks_off()
    axes[0].legend()
    return _finish(figure)


@themed
def learning_curve(curve):
    """Draw the loss and the share of exact matches of a training record over its steps."""
    figure, axes = _panels(2, width=7.0)
    steps = [point["step"] for point in curve]
    axes[0].plot(steps, [point["loss"] for point in curve], "o-", color=BOTH["keys"])
    axes[0].set(xlabel="step", ylabel="loss", yscale="log")
    axes[1].plot(steps, [point["exact"] for point in curve], "s-", color=BOTH["queries"])
    axes[1].set(xlabel="step", ylabel="exact matches", ylim=(-0.05, 1.05))
    return _finish(figure)


@themed
def length_curves(lengths, series, ylabel):
    """Plot how something grows with the length of a sequence; `series` is name -> values."""
    _check_lengths("lengths", lengths, series)
    figure, axes = _panels(1, width=5.6, height=3.4)
    styles = ["o-", "s--", "^-."]
    roles = ["queries", "keys", "values"]
    for n, (name, values) in enumerate(series.items()):
        axes[0].plot(lengths, values, styles[n % 3], color=BOTH[roles[n % 3]], label=name)
    axes[0].set(xlabel="L", ylabel=ylabel, xscale="log", yscale="log")
    axes[0].set_xticks(lengths, [str(length) for length in lengths])
    axes[0].minorticks_off()
    axes[0].legend()
    return _finish(figure)


def _drawable(name, tensor, *axes):
    """`tensor` as Matplotlib takes it, if it has these axes."""
    check_shape(name, tensor, *axes)
    tensor = tensor.detach().cpu()
    return tensor.float() if tensor.dtype == torch.bfloat16 else tensor  # unknown to NumPy


def _grids(name, grids, queries, keys):
    """The grids [Lq, Lk] by title, with as many rows and columns as there are words for them."""
    axes = ("Lq" if queries is None else len(queries)), ("Lk" if keys is None else len(keys))
    if not grids:
        raise ValueError(f"{name}: expected at least one grid, got none")
    return {title: _drawable(f"{name}[{title!r}]", grid, *axes) for title, grid in grids.items()}


def _check_lengths(name, steps, series):
    for title, values in series.items():
        if len(values) != len(steps):
            raise ValueError(
                f"{title}: expected {len(steps)} values, one for each of {name}, got {len(values)}"
            )


def _panels(count, width=None, height=3.0):
    figure, axes = plt.subplots(
        1,
        count,
        figsize=(width or 0.8 + 2.6 * count, height),
        squeeze=False,
        layout="constrained",
    )
    return figure, axes[0]


def _finish(figure):
    # An open figure would be drawn a second time at the end of the cell.
    plt.close(figure)
    return figure


def _hatch(axis, blocked):
    for row, column in blocked.nonzero().tolist():
        box = Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, linewidth=0)
        box.set(hatch="//", edgecolor=BOTH["masked"], alpha=0.8)
        axis.add_patch(box)


def _label(axis, shape, title, queries, keys):
    rows, columns = shape
    axis.set(title=title, xlabel="key", ylabel="query")
    axis.set_xticks(range(columns), keys or range(columns))
    axis.set_yticks(range(rows), queries or range(rows))
