"""Read the same held-out dates with the model, dateparser and dateutil.

The libraries get the text as CLDR writes it. They were not made for these strings alone:
they know many more forms and languages, and guess where the text leaves something open.
"""

import datetime
import time
import warnings

import dateparser
import dateutil.parser
from babel.dates import format_date

from follow_the_tensor import load_date_reader
from follow_the_tensor.dates.task import KINDS, as_typed, date_pairs

from .table import Row

TITLE = "Reading held-out dates"
COUNT = 2160


def with_dateparser(texts):
    return [day.date().isoformat() if (day := dateparser.parse(text)) else "" for text in texts]


def with_dateutil(texts):
    return [_dateutil(text) for text in texts]


def _dateutil(text):
    try:
        return dateutil.parser.parse(text).date().isoformat()
    except (ValueError, OverflowError):
        return ""


def lowest(answers, dates):
    """The language that is read worst, and its share of exact matches."""
    languages = {}
    for n, (answer, date) in enumerate(zip(answers, dates, strict=True)):
        languages.setdefault(KINDS[n % len(KINDS)][0], []).append(answer == date)
    shares = {name: sum(hits) / len(hits) for name, hits in languages.items()}
    worst = min(shares, key=shares.get)
    return f"{worst} {shares[worst]:.3f}"


def measure(read, texts, dates):
    """The count of exact matches, milliseconds a text, and the language that is read worst."""
    with warnings.catch_warnings(action="ignore"):  # of dates that the libraries guess
        read(texts[:2])
        start = time.perf_counter()
        answers = read(texts)
    milliseconds = 1000 * (time.perf_counter() - start) / len(texts)
    right = sum(answer == date for answer, date in zip(answers, dates, strict=True))
    return right, milliseconds, lowest(answers, dates)


def rows():
    dates = [iso for _, iso in date_pairs(0, COUNT)[1]]
    texts = [
        format_date(datetime.date.fromisoformat(iso), style, locale=language)
        for iso, (language, style) in zip(dates, KINDS * (COUNT // len(KINDS) + 1), strict=False)
    ]
    reader = load_date_reader()
    right, time, worst = measure(reader.read, texts, dates)
    typed, _, typed_worst = measure(reader.read, [as_typed(text) for text in texts], dates)
    unit = f"of {COUNT}"
    for name, read in {"dateparser": with_dateparser, "dateutil": with_dateutil}.items():
        their_right, their_time, their_worst = measure(read, texts, dates)
        how = f"lowest share of a language: ours {worst}, theirs {their_worst}"
        yield Row("read right", right, unit, how, name, their_right)
        how = f"one run over {COUNT} texts, ours in batches"
        yield Row("time of a text", time, "ms", how, name, their_time)
    how = f"lowest share of a language: {typed_worst}"
    yield Row("read right, typed without commas", typed, unit, how, "with them", right)
