"""Show the source that runs, on the page where it is explained: at rest, or line by line."""

import inspect
import textwrap


def show_source(first, *others):
    """Return the source of classes, functions or methods as a Markdown code block.

    What is shown is the text that Python runs, so text and code cannot disagree.

    Returns:
        IPython.display.Markdown, which Jupyter, Colab and the book highlight.

    Raises:
        TypeError: an object has no Python source.
    """
    from IPython.display import Markdown  # only a notebook needs it

    blocks = [textwrap.dedent(inspect.getsource(obj)).rstrip() for obj in (first, *others)]
    source = "\n\n\n".join(blocks)
    fence = 3 * "`"
    while fence in source:  # a docstring may hold a code block of its own
        fence += "`"
    return Markdown(f"{fence}python\n{source}\n{fence}")


def step_through(function, /, *inputs, **keywords):
    """Call `function(*inputs, **keywords)` once and show every line of it that ran.

    Takes a layer, a function or a class, ours or the reader's. If the call raises, the
    figure ends at the failing line and shows the error.

    Returns:
        explorables.Stepper, a widget; its trait `step` is the step that is shown.

    Raises:
        ValueError: there is no Python source that could be shown.
    """
    from ..explorables import Stepper  # only a notebook needs it
    from .recorder import record

    return Stepper(recording=record(function, *inputs, **keywords).data)
