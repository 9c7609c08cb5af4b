"""A question whose answer the reader gives before seeing it."""

import html
import re
import unicodedata
from itertools import combinations

import traitlets

from ...typed import plain_digits, plain_words
from ..shared.base import Explorable, Text

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE | re.ASCII)
# 8 256 and 8,256: groups of three digits, all with the same sign between them.
GROUPS = re.compile(r"(?<![\d.])\d{1,3}([ ,'’_٬])\d{3}(?:\1\d{3})*(?!\d)", re.ASCII)
# What may stand around numbers: brackets, commas, torch.Size.
FRAME = re.compile(r"torch\.Size|[ \t\n()\[\],]")


class Predict(Explorable):
    """Ask for a shape, a number or a name, check the answer, and give the reason.

    Shapes and lists match in any brackets, numbers to the digits of the right answer, in the
    digits of any script, with any sign between thousands and 0,5 for 0.5, words whatever
    their case.

    Traits:
        question: what is asked
        answer: the right answer
        reason: why it is right
        hints: wrong answers, each with what to say to whoever gives it
        options: answers to pick from; empty means that the reader types
        given: what the reader answered so far
    """

    module = "predict"

    question = Text().tag(sync=True, state=True)
    answer = Text().tag(sync=True, state=True)
    reason = Text().tag(sync=True, state=True)
    hints = traitlets.Dict(value_trait=Text(), key_trait=Text()).tag(sync=True, state=True)
    options = traitlets.List(Text()).tag(sync=True, state=True)
    given = Text().tag(sync=True, state=True)

    def __init__(self, question, answer, reason="", options=(), hints=None, **state):
        answer, texts = str(answer), [str(option) for option in options]
        if texts and answer not in texts:
            raise ValueError(f"options: expected the answer {answer!r} among them, got {texts}")
        if isinstance(hints, dict):
            hints = {str(wrong): hint for wrong, hint in hints.items()}
        super().__init__(
            question=question,
            answer=answer,
            reason=reason,
            options=texts,
            hints=hints or {},
            **state,
        )

    @traitlets.validate("hints")
    def _hint_where_it_fits(self, proposal):
        for one, other in combinations(proposal.value, 2):
            if same(one, other) and same(other, one):
                raise ValueError(f"hints: expected one for each answer, got {one!r} and {other!r}")
        for wrong in proposal.value:
            if same(wrong, self.answer):
                raise ValueError(f"hints: expected wrong answers, got the right one, {wrong!r}")
            if self.options and wrong not in self.options:
                raise ValueError(f"hints: expected some of {self.options}, got {wrong!r}")
        return proposal.value

    @property
    def result(self):
        if not plain_words(self.given):
            return {"verdict": "", "hint": ""}
        if same(self.given, self.answer):
            return {"verdict": "right", "hint": ""}
        fitting = (hint for wrong, hint in self.hints.items() if same(self.given, wrong))
        return {"verdict": "wrong", "hint": next(fitting, "")}

    def still(self):
        options = "".join(f"<li>{html.escape(option)}</li>" for option in self.options)
        return f"<p>{html.escape(self.question)}</p>" + (f"<ul>{options}</ul>" if options else "")


def same(given, right):
    """Whether two answers say the same: the same numbers in order, or the same words."""
    numbers = NUMBER.findall(_plain(right))
    if FRAME.sub("", NUMBER.sub("", _plain(right))):
        return _plain(plain_words(given)) == _plain(plain_words(right))
    text = _plain(given)
    joined = GROUPS.sub(lambda group: re.sub(r"\D", "", group[0]), text)
    readings = {text, joined}
    if len(numbers) == 1:  # then a comma may stand for the point of a decimal
        readings.add(text.replace(",", "."))
    return any(_same_numbers(NUMBER.findall(each), numbers) for each in readings)


def _plain(text):
    """Digits become 0 to 9, dashes "-", and signs what Unicode (NFKC) takes for the same."""
    text = "".join(map(_plain_sign, plain_digits(text)))
    return "".join("-" if _is_dash(character) else character for character in text)


def _plain_sign(character):
    kind = unicodedata.category(character)
    return unicodedata.normalize("NFKC", character) if kind[0] in "PSZ" else character


def _is_dash(character):
    return character == "−" or unicodedata.category(character) == "Pd"


def _same_numbers(given, right):
    return len(given) == len(right) and all(
        abs(float(a) - float(b)) <= _half_digit(b) for a, b in zip(given, right, strict=True)
    )


def _half_digit(number):
    """Half a unit of the last digit that is shown; whole numbers must match exactly."""
    _, _, decimals = number.partition(".")
    return 0.501 * 10 ** -len(decimals) if decimals.isdigit() else 1e-9
