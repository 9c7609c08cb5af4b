"""What a figure says is in its data: images, texts, lines and patches."""

from io import BytesIO

import matplotlib.image
import matplotlib.pyplot as plt
import pytest
import torch
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

from follow_the_tensor.drawing import plots
from follow_the_tensor.drawing.palette import BOTH


@pytest.fixture(autouse=True)
def _without_a_screen():
    plt.switch_backend("Agg")


CURVE = [
    {"step": 100, "loss": 1.5, "exact": 0.1},
    {"step": 200, "loss": 0.2, "exact": 0.8},
    {"step": 300, "loss": 0.01, "exact": 1.0},
]
DRAWN = {
    "variance_curves": lambda: plots.variance_curves([4, 16], [4.1, 15.8], [1.0, 0.99]),
    "learning_curve": lambda: plots.learning_curve(CURVE),
    "length_curves": lambda: plots.length_curves([8, 16], {"a": [1, 4], "b": [1, 2]}, "bytes"),
}


def pixels(figure):
    """[height, width, 4] as the notebook stores them."""
    stored = BytesIO()
    figure.savefig(stored, format="png")
    stored.seek(0)
    return torch.from_numpy(matplotlib.image.imread(stored))


def panels(figure):
    return [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


@pytest.mark.parametrize("name", DRAWN)
def test_each_returns_one_closed_figure(name):
    before = plt.get_fignums()
    assert isinstance(DRAWN[name](), Figure)
    assert plt.get_fignums() == before


@pytest.mark.parametrize("name", DRAWN)
def test_the_ground_is_clear_and_the_ink_stands_on_any_page(name):  # reader question Q25
    figure = DRAWN[name]()
    image = pixels(figure)
    assert (image[..., 3] == 0).float().mean() > 0.3
    inks = {to_hex(text.get_color()) for text in figure.findobj(Text) if text.get_text()}
    assert inks == {BOTH["masked"]}


@pytest.mark.parametrize("name", DRAWN)
def test_no_text_is_below_9_points_in_the_column_of_the_book(name):
    figure = DRAWN[name]()
    shown = min(1, 736 / (figure.get_figwidth() * figure.dpi))
    sizes = {text.get_fontsize() * shown for text in figure.findobj(Text) if text.get_text()}
    assert min(sizes) >= 9


@pytest.mark.parametrize("name", DRAWN)
def test_every_axis_has_a_name(name):
    assert all(axes.get_xlabel() and axes.get_ylabel() for axes in panels(DRAWN[name]()))


@pytest.mark.parametrize("name", DRAWN)
def test_nothing_is_cut_off(name):
    image = pixels(DRAWN[name]())
    border = [image[0], image[-1], image[:, 0], image[:, -1]]
    assert all((edge[..., 3] == 0).all() for edge in border)


def test_variances_are_drawn_on_logarithmic_axes():
    (axes,) = panels(plots.variance_curves([4, 16, 64], [4.0, 16.0, 64.0], [1.0, 1.0, 1.0]))
    before, after = axes.lines
    assert (list(before.get_xdata()), list(before.get_ydata())) == ([4, 16, 64], [4, 16, 64])
    assert list(after.get_ydata()) == [1, 1, 1]
    assert (before.get_label(), after.get_label()) == ("q·k", "q·k / √d_k")
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert labels(axes.xaxis) == ["4", "16", "64"]


def test_a_learning_curve_shows_loss_and_exact_matches():
    loss, exact = panels(plots.learning_curve(CURVE))
    assert list(loss.lines[0].get_xdata()) == list(exact.lines[0].get_xdata()) == [100, 200, 300]
    assert list(loss.lines[0].get_ydata()) == [1.5, 0.2, 0.01]
    assert list(exact.lines[0].get_ydata()) == [0.1, 0.8, 1.0]
    assert (loss.get_ylabel(), loss.get_yscale()) == ("loss", "log")
    assert exact.get_ylim() == (-0.05, 1.05)


def test_growth_with_the_length_is_drawn_on_logarithmic_axes():
    series = {"squared": [64, 256], "linear": [8, 16]}
    (axes,) = panels(plots.length_curves([8, 16], series, "bytes"))
    assert {line.get_label(): list(line.get_ydata()) for line in axes.lines} == series
    assert len({line.get_linestyle() for line in axes.lines}) == 2
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("L", "bytes")
    assert labels(axes.xaxis) == ["8", "16"]
