"""A real task without a download: dates as 18 languages write them, and ISO dates.

The texts come from the locale data of Unicode (CLDR), which Babel ships.
"""

import datetime
import hashlib
import random
import unicodedata

from .vocabulary import Vocabulary

LANGUAGES = tuple("cs de el en es fr hi it ja ko nl pl pt ru sv tr uk zh".split())
STYLES = ("medium", "long", "full")
KINDS = tuple((language, style) for language in LANGUAGES for style in STYLES)
FIRST = datetime.date(1000, 1, 1)
LAST = datetime.date(2999, 12, 31)
# The first so many days of the shuffled calendar are never trained on.
HELD_OUT_DAYS = 10_000

ISO_CHARACTERS = "-0123456789"


def clean(text):
    """Write a text the way the model knows it: lower case, plain spaces, no wide digits.

    NFKC is the Unicode form that turns the many kinds of spaces and digits of the same
    meaning into one.
    """
    return " ".join(unicodedata.normalize("NFKC", text).lower().split())


def write_date(day, language, style):
    """Return `day` (a datetime.date) as CLDR writes it, cleaned.

    Raises:
        ModuleNotFoundError: Babel is not installed.
    """
    from babel.dates import format_date  # reading dates does not need it

    return clean(format_date(day, style, locale=language))


def date_pairs(train, held_out, seed=0):
    """Make `train` and `held_out` pairs (text, ISO date), all kinds equally often.

    The calendar is shuffled once, and each day is used at most once. The first
    HELD_OUT_DAYS days are kept for the held-out pairs, whatever is asked for, so no date
    of one list is ever in the other.

    Returns:
        two lists of (text, iso): to train on, and held out

    Raises:
        ValueError: more pairs are asked for than there are days.
        ModuleNotFoundError: Babel is not installed.
    """
    days = list(range(FIRST.toordinal(), LAST.toordinal() + 1))
    random.Random(seed).shuffle(days)
    kept, free = days[:HELD_OUT_DAYS], days[HELD_OUT_DAYS:]
    return _pairs("train", free, train), _pairs("held_out", kept, held_out)


def _pairs(name, days, count):
    if not 0 <= count <= len(days):
        raise ValueError(f"{name}: expected a count in [0, {len(days)}], got {count}")
    pairs = []
    for n, ordinal in enumerate(days[:count]):
        day = datetime.date.fromordinal(ordinal)
        language, style = KINDS[n % len(KINDS)]
        pairs.append((write_date(day, language, style), day.isoformat()))
    return pairs


class DateTask:
    """The pairs of `date_pairs` as ids, with the vocabularies and a note of what they are.

    Shapes:
        train, held_out: src [N, Ls] and tgt [N, 12] each, filled up with PAD
    """

    def __init__(self, train_pairs, held_out_pairs):
        train, held_out = date_pairs(train_pairs, held_out_pairs)
        self.source = Vocabulary.from_texts(text for text, _ in train)
        self.target = Vocabulary(ISO_CHARACTERS)
        self.train = self._ids(train)
        self.held_out = self._ids(held_out)
        # Another release of Babel may write dates differently. The digest shows it.
        digest = hashlib.sha256(repr((train, held_out)).encode()).hexdigest()
        self.about = {
            "train_pairs": train_pairs,
            "held_out_pairs": held_out_pairs,
            "texts": digest,
        }

    def _ids(self, pairs):
        texts, dates = zip(*pairs, strict=True) if pairs else ((), ())
        return self.source.batch(texts), self.target.batch(dates, start=True)
