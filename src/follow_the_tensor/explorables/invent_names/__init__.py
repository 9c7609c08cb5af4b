"""The language model at work: names of any of its languages, character by character."""

import functools
import html

import torch
import traitlets

from ...dates.task import LANGUAGES
from ...dates.vocabulary import SPECIAL, UNKNOWN
from ...names.inventor import load_name_inventor
from ...names.sampling import top_k, top_p, with_temperature
from ..shared import bundle
from ..shared.base import Choice, Explorable, Finite, Text, Whole, plain

NAMES = 5  # that are invented at once
BARS = 10  # of the most probable next characters


class InventNames(Explorable):
    """Choose a language and a beginning, and see what may come next, and five names.

    Traits:
        language: one of those of the date reader
        text: the beginning of a name, at most 24 characters
        temperature: the logits are divided by it
        top_k: only so many characters may be chosen; 0 for all
        top_p: only the most probable characters, until they reach this together; 1 for all
        seed: which random numbers the names are drawn with
    """

    module = "invent_names"

    # What a page computes with. It is no part of the state, and no stored output has it.
    weights = traitlets.Bytes(read_only=True).tag(sync=True)

    language = Choice(list(LANGUAGES), "de").tag(sync=True, state=True)
    text = Text("").tag(sync=True, state=True)
    temperature = Finite(0.8, min=0.1, max=3.0).tag(sync=True, state=True)
    top_k = Whole(0, min=0, max=50).tag(sync=True, state=True)
    top_p = Finite(1.0, min=0.05, max=1.0).tag(sync=True, state=True)
    seed = Whole(0, min=0, max=1_000_000).tag(sync=True, state=True)

    @property
    def result(self):
        inventor = _inventor()
        ids = inventor.encode(self.language, self.text)  # [1, L]
        logits = inventor.next_logits(ids)  # [1, V]
        before, after = with_temperature(logits, 1.0)[0], self._choose(logits)[0]  # [V] each
        best = before.sort(descending=True, stable=True).indices[:BARS]  # [BARS]
        signs = [*SPECIAL, *inventor.vocabulary.characters]
        return {
            "known": plain(ids[0, 1:] != UNKNOWN),
            "likely": [signs[i] for i in best.tolist()],
            "before": plain(before[best]),
            "after": plain(after[best]),
            "kept": int((after > 0).sum()),
            "names": self._names(ids),
        }

    def still(self):
        rows = "".join(f"<tr><td>{html.escape(name)}</td></tr>" for name in self.result["names"])
        caption = f"Invented names, language {self.language}"
        return f"<table>\n<caption>{caption}</caption>\n{rows}\n</table>"

    def _choose(self, logits):
        """Temperature first, then top-k, then top-p: each from logits to a distribution."""
        chosen = with_temperature(logits, self.temperature)  # [B, V]
        if self.top_k > 0:
            chosen = top_k(chosen.log(), self.top_k)
        if self.top_p < 1:
            chosen = top_p(chosen.log(), self.top_p)
        return chosen

    def _names(self, ids):
        seeds = range(self.seed * NAMES, (self.seed + 1) * NAMES)
        each = [random_numbers(seed) for seed in seeds]

        def draw():
            return torch.tensor([[next(numbers)] for numbers in each], dtype=torch.float64)

        inventor = _inventor()
        rows = inventor.write(ids.repeat(NAMES, 1), self._choose, draw)  # [NAMES, L]
        return [self.text + inventor.vocabulary.decode(row[ids.size(1) :]) for row in rows]

    @traitlets.default("weights")
    def _read_weights(self):
        return bundle.weights(self.module)

    @traitlets.validate("text")
    def _check(self, proposal):
        try:
            _inventor().encode(self.language, proposal["value"])
        except ValueError as error:
            raise traitlets.TraitError(f"text: {error}") from error
        return proposal["value"]


@functools.cache
def _inventor():
    """The shipped model, loaded when it is first asked, in the float64 that a page has."""
    inventor = load_name_inventor()
    inventor.model.double()
    return inventor


def random_numbers(seed):
    """Numbers in [0, 1), the same as in `shared/sampling.js`: mulberry32."""
    state, word = seed, 2**32 - 1
    while True:
        state = (state + 0x6D2B79F5) & word
        mixed = (state ^ state >> 15) * (state | 1) & word
        mixed ^= mixed + (mixed ^ mixed >> 7) * (mixed | 61) & word
        yield (mixed ^ mixed >> 14) / 2**32
