"""Show the source that runs, on the page where it is explained."""

import inspect
import textwrap


def show_source(*objects):
    """Return the source of classes, functions or methods as a Markdown code block.

    What is shown is the text that Python runs, so text and code cannot disagree.

    Returns:
        IPython.display.Markdown, which Jupyter, Colab and the book highlight.

    Raises:
        TypeError: an object has no Python source.
    """
    from IPython.display import Markdown  # only a notebook needs it

    blocks = [textwrap.dedent(inspect.getsource(obj)).rstrip() for obj in objects]
    return Markdown("```python\n" + "\n\n\n".join(blocks) + "\n```")
