"""The figures of the book. Each function takes data and returns a matplotlib Figure.

Grounds are transparent, and the colours stand on light and dark pages. Tensors are drawn by
`draw`; this is for curves.
"""

import matplotlib
import matplotlib.pyplot as plt

from .palette import BOTH

CLEAR = "#00000000"
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
