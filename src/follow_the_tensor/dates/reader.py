"""The trained model that reads dates, and its file.

The file in this package was written by

    python -m follow_the_tensor.dates --export src/follow_the_tensor/dates/reader.safetensors

Where only what stands beside the weights has changed, write it again with

    python -c "from follow_the_tensor.dates.reader import *; \\
        save_date_reader(WEIGHTS, load_date_reader())"
"""

import json
from pathlib import Path

from ..generation import generate
from ..shapes import check_size, check_string, check_strings
from ..transformer import Transformer
from ..weights import copy_weights, read_weights, save_weights
from .task import REPLACEMENTS, clean
from .vocabulary import BOS, EOS, SPECIAL, Vocabulary

SIZES = {"d_model": 64, "num_heads": 4, "d_ff": 128, "num_layers": 2, "max_len": 64}
ANSWER_LENGTH = 12  # BOS, the ten characters of an ISO date, EOS
FORMAT = "follow-the-tensor date reader 1"
WEIGHTS = Path(__file__).with_name("reader.safetensors")


class DateReader:
    """A Transformer and the two vocabularies that its ids belong to.

    `curve` is the record of its training: a list of {"step", "rate", "loss", "exact"}.

    Raises:
        ValueError: a vocabulary does not have the size that the model was built for.
    """

    def __init__(self, model, source, target, curve=()):
        sizes = {
            "source": (len(source), model.src_embedding.num_embeddings),
            "target": (len(target), model.tgt_embedding.num_embeddings),
        }
        for name, (size, expected) in sizes.items():
            if size != expected:
                raise ValueError(f"{name}: expected a vocabulary of {expected}, got {size}")
        self.model = model
        self.source, self.target = source, target
        self.curve = list(curve)

    def encode(self, texts):
        """Clean texts and make a batch of ids. A character never seen becomes UNKNOWN.

        Shapes:
            returns: [B, Ls], integers, on the device of the model

        Raises:
            TypeError: `texts` is one string, or does not hold strings.
            ValueError: there are no texts, or one is empty or longer than the model takes.
        """
        check_strings("texts", texts)
        cleaned = [self._checked(n, text) for n, text in enumerate(texts)]
        return self.source.batch(cleaned).to(self.model.position.pe.device)

    def read(self, texts, at_once=512):
        """Write the date in each text as the model reads it, for example "2021-03-07".

        Every text gets an answer. What is not a date gets a wrong one, and it need not be
        a day of the calendar.

        Raises:
            TypeError, ValueError: see `encode`. An empty list is fine and gives one.
        """
        check_strings("texts", texts)
        check_size("at_once", at_once)
        texts, answers = list(texts), []
        if not texts:
            return answers
        for src in self.encode(texts).split(at_once):
            ids = generate(self.model, src, BOS, EOS, ANSWER_LENGTH)  # [B, <= 12]
            answers += [self.target.decode(row) for row in ids]
        return answers

    def _checked(self, n, text):
        check_string(f"texts[{n}]", text)
        text = clean(text)
        longest = self.model.position.max_len - 1  # EOS needs a place
        if not 1 <= len(text) <= longest:
            raise ValueError(f"texts[{n}]: expected 1 to {longest} characters, got {len(text)}")
        return text


def build_model(source, target, dropout=0.1):
    """Make an untrained Transformer of the date reader's sizes for two vocabularies."""
    return Transformer(len(source), len(target), dropout=dropout, **SIZES)


def save_date_reader(path, reader):
    """Write the weights in float16, and beside them all that a page needs to compute with them.

    Raises:
        ModuleNotFoundError: safetensors is not installed.
    """
    save_weights(path, reader.model, metadata_of(reader))


def metadata_of(reader):
    """What stands in the header of a file with weights: names and texts."""
    return {
        "format": FORMAT,
        "source": reader.source.characters,
        "target": reader.target.characters,
        "special": json.dumps(SPECIAL),
        "sizes": json.dumps(SIZES),
        "answer_length": json.dumps(ANSWER_LENGTH),
        "replacements": json.dumps(REPLACEMENTS, ensure_ascii=False),
        "curve": json.dumps(reader.curve),
    }


def load_date_reader(path=WEIGHTS):
    """Return a DateReader with trained weights, by default those that the package ships.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is damaged, or its vocabularies do not match its weights.
        ModuleNotFoundError: safetensors is not installed.
    """
    weights, metadata = read_weights(path, FORMAT)
    source, target = Vocabulary(metadata["source"]), Vocabulary(metadata["target"])
    model = copy_weights(weights, build_model(source, target))
    return DateReader(model, source, target, json.loads(metadata["curve"]))
