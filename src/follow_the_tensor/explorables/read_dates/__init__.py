"""The trained model at work: a date in any of its languages, and how the model reads it."""

import functools
import html
import math

import torch
import traitlets

from ...attention_maps import attention_maps
from ...dates.reader import ANSWER_LENGTH, SIZES, load_date_reader
from ...dates.task import clean
from ...dates.vocabulary import BOS, EOS, SPECIAL, UNKNOWN
from ...generation import generate
from ..shared import bundle
from ..shared.base import Choice, Explorable, Text, Whole, plain

# Days that one may know, and two lines that are none.
EXAMPLES = [
    "7. März 2021",
    "July 20, 1969",
    "14 juillet 1789",
    "12 de octubre de 1492",
    "19 lutego 1473",
    "5 Απριλίου 1896",
    "12 апреля 1961 г.",
    "24 серпня 1991 р.",
    "26 जनवरी 1950",
    "2008年8月8日星期五",
    "1964年10月10日土曜日",
    "2002년 5월 31일 금요일",
    "30 February 2021",
    "see you tomorrow",
]
MAPS = {
    "encoder": "encoder.{}.self_attn",
    "decoder": "decoder.{}.self_attn",
    "cross": "decoder.{}.cross_attn",
}
LAST_STEP = ANSWER_LENGTH - 2  # counted from 0, and nobody writes BOS


class ReadDates(Explorable):
    """Type a date, and watch the model write it as an ISO date, character by character.

    Traits:
        text: the date to read, 1 to 63 characters when cleaned
        step: which character of the answer is being written; a short answer ends earlier
        kind: the attention that is shown: "encoder", "decoder" or "cross"
        layer, head: which of its layers and heads, counted from 0
        query: which character of the text is the query, for kind "encoder"
        examples: texts to pick from
    """

    module = "read_dates"

    # What a page computes with. It is no part of the state, and no stored output has it.
    weights = traitlets.Bytes(read_only=True).tag(sync=True)

    text = Text(EXAMPLES[0]).tag(sync=True, state=True)
    step = Whole(LAST_STEP, min=0, max=LAST_STEP).tag(sync=True, state=True)
    kind = Choice(list(MAPS), "cross").tag(sync=True, state=True)
    layer = Whole(0, min=0, max=SIZES["num_layers"] - 1).tag(sync=True, state=True)
    head = Whole(0, min=0, max=SIZES["num_heads"] - 1).tag(sync=True, state=True)
    query = Whole(0, min=0, max=SIZES["max_len"] - 1).tag(sync=True, state=True)
    examples = traitlets.List(Text(), EXAMPLES).tag(sync=True, state=True)

    @property
    def result(self):
        answer, maps = _read(self.text)
        weights = maps[MAPS[self.kind].format(self.layer)][0]  # [1, H, Lq, Lk]
        return {**answer, "kind": self.kind, "weights": plain(weights[0, self.head])}

    def still(self):
        names = ("text", "read as", "probability")
        head = "<tr>" + "".join(f'<th scope="col">{name}</th>' for name in names) + "</tr>"
        rows = [_row(text, _read(text)[0]) for text in dict.fromkeys([self.text, *self.examples])]
        caption = "<caption>What the model reads</caption>"
        return "\n".join(["<table>", caption, head, *rows, "</table>"])

    @traitlets.default("weights")
    def _read_weights(self):
        return bundle.weights(self.module)

    @traitlets.validate("text", "examples")
    def _check(self, proposal):
        value = proposal["value"]
        try:
            _reader().encode([value] if isinstance(value, str) else value or [self.text])
        except ValueError as error:
            raise traitlets.TraitError(f"{proposal['trait'].name}: {error}") from error
        return value


@functools.cache
def _reader():
    """The shipped model, loaded when it is first asked, in the float64 that a page has."""
    reader = load_date_reader()
    reader.model.double()
    return reader


@functools.lru_cache(maxsize=64)
def _read(text):
    """What does not depend on the chosen map, as plain values; and all maps as tensors."""
    reader = _reader()
    src = reader.encode([text])  # [1, Ls]
    ids = generate(reader.model, src, BOS, EOS, ANSWER_LENGTH)  # [1, Lt + 1]
    # One pass over all but the last id has the distribution and the weights of every step.
    with torch.no_grad(), attention_maps(reader.model) as maps:
        logits = reader.model(src, ids[:, :-1])[0]  # [Lt, V]
    names = [*SPECIAL, *reader.target.characters]
    answer = {
        "source": list(clean(text)),
        "known": plain(src[0, :-1] != UNKNOWN),
        "target": names,
        "written": [names[i] for i in ids[0, 1:]],
        "answer": reader.target.decode(ids[0]),
        "probabilities": plain(torch.softmax(logits, dim=-1)),
        "sizes": {
            "longest": SIZES["max_len"] - 1,  # EOS needs a place
            "steps": LAST_STEP + 1,
            "layers": SIZES["num_layers"],
            "heads": SIZES["num_heads"],
        },
    }
    return answer, maps


def _row(text, answer):
    chosen = [answer["target"].index(name) for name in answer["written"]]
    steps = zip(answer["probabilities"], chosen, strict=True)
    whole = math.prod(row[i] for row, i in steps)
    read = html.escape(answer["answer"])
    return f"<tr><td>{html.escape(text)}</td><td>{read}</td><td>{whole:.2f}</td></tr>"
