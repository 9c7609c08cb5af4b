"""Show the source that runs, on the page where it is explained: at rest, or line by line."""

import textwrap
import types

from .recording.recorder import record
from .recording.text import NoText, held_function, text_of, text_of_class
from .recording.words import short
from .shapes import check_string


def show_source(first, *others):
    """Return the source of classes, functions or methods as a Markdown code block.

    What is shown is the text that Python runs, so text and code cannot disagree. Of a
    decorated function it is the one inside.

    Returns:
        IPython.display.Markdown, which Jupyter, Colab and the book highlight.

    Raises:
        TypeError: an object has no Python source, or its file has changed since it was imported.
    """
    from IPython.display import Markdown  # only a notebook needs it

    named = [("first", first), *((f"others[{n}]", each) for n, each in enumerate(others))]
    source = "\n\n\n".join(_text(name, thing) for name, thing in named)
    fence = 3 * "`"
    while fence in source:  # a docstring may hold a code block of its own
        fence += "`"
    return Markdown(f"{fence}python\n{source}\n{fence}")


def _text(name, thing):
    held = held_function(thing)
    try:
        if isinstance(held, type):
            lines = text_of_class(held)
        elif isinstance(held, types.FunctionType):
            lines, _ = text_of(held.__code__, held.__globals__)
        elif callable(held) and not isinstance(held, types.BuiltinFunctionType):
            raise NoText(f"it is an object; show its class, {type(held).__name__}")
        else:
            raise NoText("it has no lines in Python; show a function or a class that uses it")
    except NoText as reason:
        raise TypeError(
            f"{name}: expected a class, a function or a method with Python source, "
            f"got {short(thing)}: {reason}"
        ) from None
    return textwrap.dedent("".join(lines)).rstrip()


def step_through(function, /, *inputs, at=None, **keywords):
    """Call `function(*inputs, **keywords)` once and show every line of it that ran.

    Takes a layer, a function or a class, ours or the reader's. If the call raises, the
    figure ends at the failing line and shows the error. Each MultiHeadAttention in it goes
    through its written-out path, so its output may differ from a plain call in the last
    digits. The figure opens at the first line that does more than check what was given, or
    where a line has made the local that `at` names:

        step_through(layer, x, at="scores")

    Returns:
        explorables.Stepper, a widget; its trait `step` is the step that is shown.

    Raises:
        ValueError: there is no Python source that could be shown, its file has changed since
            it was imported, or no line made a local called `at`.
        TypeError: `function` cannot be called.
    """
    from .explorables import Stepper  # only a notebook needs it

    if at is not None:
        check_string("at", at)
    recording = record(function, *inputs, **keywords)
    stops = recording.data["stops"]
    if at is not None and at not in stops:
        raise ValueError(f"at: expected one of {', '.join(stops) or 'no names'}, got {at!r}")
    return Stepper(recording=recording.data, step=stops.get(at, recording.start))
