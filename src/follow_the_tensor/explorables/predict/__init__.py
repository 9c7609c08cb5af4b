"""A question whose answer the reader gives before seeing it."""

import html
import re

import traitlets

from ..shared import bundle
from ..shared.base import Explorable

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)

# What may stand around numbers: brackets, commas, torch.Size.
FRAME = re.compile(r"torch\.Size|[\s()\[\],]")


class Predict(Explorable):
    """Ask for a shape, a number or a name, check the answer, and give the reason.

    Shapes and lists match in any brackets, numbers to the digits of the right answer,
    words whatever their case.

    Traits:
        question: what is asked
        answer: the right answer
        reason: why it is right
        options: answers to pick from; empty means that the reader types
        given: what the reader answered so far
    """

    module = "predict"
    _esm = bundle.widget_module(module)

    question = traitlets.Unicode().tag(sync=True, state=True)
    answer = traitlets.Unicode().tag(sync=True, state=True)
    reason = traitlets.Unicode().tag(sync=True, state=True)
    options = traitlets.List(traitlets.Unicode()).tag(sync=True, state=True)
    given = traitlets.Unicode().tag(sync=True, state=True)

    def __init__(self, question, answer, reason="", options=(), **state):
        texts = [str(option) for option in options]
        if texts and str(answer) not in texts:
            raise ValueError(
                f"options: expected the answer {str(answer)!r} among them, got {texts}"
            )
        super().__init__(
            question=question, answer=str(answer), reason=reason, options=texts, **state
        )

    def compute(self):
        if not self.given.strip():
            return {"verdict": ""}
        return {"verdict": "right" if same(self.given, self.answer) else "wrong"}

    def still(self):
        options = "".join(f"<li>{html.escape(option)}</li>" for option in self.options)
        return f"<p>{html.escape(self.question)}</p>" + (f"<ul>{options}</ul>" if options else "")


def same(given, right):
    """Whether two answers say the same: the same numbers in order, or the same words."""
    if re.sub(FRAME, "", NUMBER.sub("", right)):
        return given.strip().lower() == right.strip().lower()
    numbers, mine = NUMBER.findall(right), NUMBER.findall(given.replace("−", "-"))
    return len(mine) == len(numbers) and all(
        abs(float(a) - float(b)) <= _half_digit(b) for a, b in zip(mine, numbers, strict=True)
    )


def _half_digit(number):
    """Half a unit of the last digit that is shown; whole numbers must match exactly."""
    _, _, decimals = number.partition(".")
    return 0.501 * 10 ** -len(decimals) if decimals.isdigit() else 1e-9
