"""Names without a download: territories and languages, as 18 languages write them.

The names come from the locale data of Unicode (CLDR), which Babel ships.
"""

import hashlib
import zlib
from collections import Counter

import torch

from ..dates.task import LANGUAGES
from ..dates.vocabulary import Vocabulary
from ..shapes import check_string

LONGEST = 24  # characters of a name; two in a hundred have more
SEEN = 5  # a character of fewer names cannot be learnt, and its names are left out
HELD_OUT = 10  # one in so many territories and languages is never trained on


def names_of(language):
    """Return the names that `language` has, as pairs (what it names, name).

    What is named is a code: "territories DE" or "languages de".

    Raises:
        ValueError: `language` is none of LANGUAGES.
        ModuleNotFoundError: Babel is not installed.
    """
    check_language(language)
    from babel import Locale  # inventing names does not need it

    locale = Locale(language)
    return [
        (f"{kind} {code}", name)
        for kind in ("territories", "languages")
        for code, name in sorted(getattr(locale, kind).items())
    ]


def is_held_out(code):
    """Say whether all names of a code are kept aside. It depends on nothing but the code."""
    check_string("code", code)
    return zlib.crc32(code.encode()) % HELD_OUT == 0


def name_pairs():
    """Split the names of all languages by what they name.

    A place that is held out is so in every language. If another has the same name in any
    language, that name is not trained on either.

    Returns:
        two lists of (language, name): to train on, and held out
    """
    train, held_out = {}, {}  # dicts keep their order and each key once
    for language in LANGUAGES:
        for code, name in names_of(language):
            (held_out if is_held_out(code) else train)[language, name] = None
    aside = {name for _, name in held_out}
    train = [pair for pair in train if pair[1] not in aside]
    known = frequent_characters(name for _, name in train)
    return _usable(train, known), _usable(held_out, known)


def frequent_characters(names):
    """Return the characters that at least SEEN names have, in the order of their code points."""
    counts = Counter(character for name in names for character in set(name))
    return "".join(sorted(character for character in counts if counts[character] >= SEEN))


def check_language(language):
    if language not in LANGUAGES:
        raise ValueError(f"language: expected one of {LANGUAGES}, got {language!r}")


def _usable(pairs, known):
    return [pair for pair in pairs if len(pair[1]) <= LONGEST and set(pair[1]) <= set(known)]


class NameVocabulary(Vocabulary):
    """The characters of names, and behind them a start token for each language."""

    def __len__(self):
        return super().__len__() + len(LANGUAGES)

    def start(self, language):
        """The id that a name in `language` begins with.

        Raises:
            ValueError: `language` is none of LANGUAGES.
        """
        check_language(language)
        return super().__len__() + LANGUAGES.index(language)

    def batch_names(self, pairs):
        """Encode pairs (language, name): the start of the language, the name, EOS, then PAD.

        Shapes:
            returns: [B, L]
        """
        languages, names = zip(*pairs, strict=True)
        ids = self.batch(names, start=True)  # [B, L]
        ids[:, 0] = torch.tensor([self.start(language) for language in languages])  # not BOS
        return ids


class NameTask:
    """The pairs of `name_pairs` as ids, with their vocabulary and a note of what they are.

    Shapes:
        train, held_out: [N, L], filled up with PAD
    """

    def __init__(self):
        train, held_out = name_pairs()
        self.vocabulary = NameVocabulary.from_texts(name for _, name in train)
        self.train = self.vocabulary.batch_names(train)
        self.held_out = self.vocabulary.batch_names(held_out)
        # Another release of Babel may have other names. The digest shows it.
        digest = hashlib.sha256(repr((train, held_out)).encode()).hexdigest()
        self.about = {"train": len(train), "held_out": len(held_out), "names": digest}
