import inspect

import pytest
from IPython.display import Markdown

from follow_the_tensor import (
    MultiHeadAttention,
    causal_mask,
    scaled_dot_product_attention,
    show_source,
)


def lines(markdown):
    return markdown.data.split("\n")


def test_it_is_markdown_that_fences_python():
    shown = show_source(causal_mask)
    assert isinstance(shown, Markdown)
    assert lines(shown)[0] == "```python"
    assert lines(shown)[-1] == "```"


@pytest.mark.parametrize("thing", [causal_mask, scaled_dot_product_attention, MultiHeadAttention])
def test_what_is_shown_is_what_runs(thing):  # reader question Q30
    body = "\n".join(lines(show_source(thing))[1:-1])
    assert body == inspect.getsource(thing).rstrip()


def test_a_method_is_moved_to_the_left():
    body = lines(show_source(MultiHeadAttention.split_heads))[1:-1]
    assert body[0] == "def split_heads(self, x):"
    assert body[1].startswith("    B, L, _ =")


def test_several_objects_stand_two_lines_apart():
    body = "\n".join(lines(show_source(causal_mask, MultiHeadAttention.combine_heads))[1:-1])
    first, second = body.split("\n\n\n")
    assert first == inspect.getsource(causal_mask).rstrip()
    assert second.startswith("def combine_heads(self, x):")


def test_no_source_closes_the_fence_early():
    shown = show_source(show_source, MultiHeadAttention)
    assert [line for line in lines(shown) if line.startswith("```")] == ["```python", "```"]
    shown = show_source(with_code_block)
    assert (lines(shown)[0], lines(shown)[-1]) == ("````python", "````")


def with_code_block():
    """A docstring may hold an example.

    ```python
    with_code_block()
    ```
    """


@pytest.mark.parametrize("thing", [len, 3, "causal_mask", MultiHeadAttention(4, 2)])
def test_what_has_no_python_source_is_refused(thing):
    with pytest.raises(TypeError, match="expected, got"):
        show_source(thing)


def test_show_source_of_nothing_is_refused():
    with pytest.raises((TypeError, ValueError), match="first"):
        show_source()
