"""The trained language model that invents names, and its file.

The file in this package was written by

    python -m follow_the_tensor.names --export src/follow_the_tensor/names/inventor.safetensors
"""

import json
from pathlib import Path

import torch

from ..dates.task import LANGUAGES
from ..dates.vocabulary import BOS, EOS, PAD, SPECIAL, UNKNOWN
from ..generation import evaluating
from ..shapes import check_size, check_string
from ..weights import copy_weights, read_weights, save_weights
from .model import LanguageModel
from .sampling import pick
from .task import LONGEST, NameVocabulary

# The last character of the longest name must be read, too, before its end is written.
SIZES = {"d_model": 64, "num_heads": 4, "d_ff": 96, "num_layers": 2, "max_len": LONGEST + 1}
FORMAT = "follow-the-tensor name inventor 1"
WEIGHTS = Path(__file__).with_name("inventor.safetensors")


class NameInventor:
    """A LanguageModel and the vocabulary that its ids belong to.

    `record` says how it was trained: a dict with "curve", a list of {"step", "rate", "loss",
    "held_out"}, "held_out", the loss per character at the end, and "bigram", that of the baseline.

    Raises:
        ValueError: the vocabulary does not have the size that the model was built for.
    """

    def __init__(self, model, vocabulary, record):
        expected = model.embedding.num_embeddings
        if len(vocabulary) != expected:
            raise ValueError(f"vocabulary: expected one of {expected}, got {len(vocabulary)}")
        self.model = model
        self.vocabulary = vocabulary
        self.record = record

    def encode(self, language, beginning=""):
        """Make the ids that a name begins with: the start of the language and some characters.

        Shapes:
            returns: [1, L], on the device of the model

        Raises:
            TypeError: `beginning` is not a string.
            ValueError: `language` is not known, or `beginning` leaves no place for more.
        """
        start = self.vocabulary.start(language)
        check_string("beginning", beginning)
        longest = self.model.position.max_len - 1
        if len(beginning) > longest:
            raise ValueError(
                f"beginning: expected at most {longest} characters, got {len(beginning)}"
            )
        ids = [start, *self.vocabulary.encode(beginning)[:-1]]  # without EOS
        return torch.tensor([ids], device=self.model.position.pe.device)

    @torch.no_grad()
    def next_logits(self, ids):
        """Give the logits of what may follow: a character or EOS; all else has -inf.

        Shapes:
            ids: [B, L]    returns: [B, V]
        """
        with evaluating(self.model):
            logits = self.model(ids)[:, -1]  # [B, V]
        first_start = self.vocabulary.start(LANGUAGES[0])
        logits[:, [PAD, BOS, UNKNOWN]] = float("-inf")
        logits[:, first_start:] = float("-inf")
        return logits

    def invent(self, language, choose, beginning="", count=1, generator=None):
        """Write `count` names that begin with `beginning`, character by character.

        Args:
            choose: a function from logits [B, V] to distributions [B, V], such as `greedy`
            generator: where the random numbers come from; a seeded one gives the same names

        Raises:
            TypeError, ValueError: see `encode`, or `count` is not a positive integer.
        """
        check_size("count", count)
        ids = self.encode(language, beginning).repeat(count, 1)  # [B, L]

        def draw():
            u = torch.rand(count, 1, dtype=torch.float64, generator=generator)  # [B, 1]
            return u.to(ids.device)

        rest = self.write(ids, choose, draw)[:, ids.size(1) :]
        return [beginning + self.vocabulary.decode(row) for row in rest]

    def write(self, ids, choose, draw):
        """Go on with each row until all have ended or the model is full.

        `draw()` gives the numbers [B, 1] for `pick`. What stands after an EOS is not part
        of a name, and `decode` leaves it out.

        Shapes:
            ids: [B, L]    returns: [B, L + the longest continuation]
        """
        ended = torch.zeros_like(ids[:, :1], dtype=torch.bool)  # [B, 1]
        while ids.size(1) <= self.model.position.max_len and not ended.all():
            token = pick(choose(self.next_logits(ids)), draw())  # [B, 1]
            ids = torch.cat([ids, token], dim=1)  # [B, L + 1]
            ended |= token == EOS
        return ids


def build_model(vocabulary, dropout=0.0):
    """Make an untrained LanguageModel of the inventor's sizes for a vocabulary."""
    return LanguageModel(len(vocabulary), dropout=dropout, **SIZES)


def save_name_inventor(path, inventor):
    """Write the weights in float16, and beside them all that a page needs to compute with them.

    Raises:
        ModuleNotFoundError: safetensors is not installed.
    """
    about = {
        "format": FORMAT,
        "characters": inventor.vocabulary.characters,
        "special": json.dumps(SPECIAL),
        "languages": json.dumps(LANGUAGES),
        "sizes": json.dumps(SIZES),
        "record": json.dumps(inventor.record),
    }
    save_weights(path, inventor.model, about)


def load_name_inventor(path=WEIGHTS):
    """Return a NameInventor with trained weights, by default those that the package ships.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is damaged, or its vocabulary does not match its weights.
        ModuleNotFoundError: safetensors is not installed.
    """
    weights, about = read_weights(path, FORMAT)
    vocabulary = NameVocabulary(about["characters"])
    model = copy_weights(weights, build_model(vocabulary))
    return NameInventor(model, vocabulary, json.loads(about["record"]))
