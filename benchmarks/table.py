"""The table that make bench writes: its rows, how a time is taken, and how the book shows it."""

import math
import statistics
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the table. An integer is a count, and is shown whole."""

    what: str
    value: float
    unit: str
    how: str
    other: str = ""  # what the value is compared with
    other_value: float | None = None  # in the same unit


def alternate(rounds, *actions):
    """Median seconds of each action, run in turns so that a busy machine slows all alike."""
    for action in actions:
        action()
    times = [[seconds(action) for action in actions] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times, strict=True)]


def seconds(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def rows(results):
    """The whole table, as Markdown, under where and when it was made."""
    machine = "\n".join(f"- {name}: {value}" for name, value in results["machine"].items())
    lines = ["| What | Value | Compared with | Ratio | How |", "|---|--:|---|--:|---|"]
    for part in results["parts"]:
        lines.append(f"| **{part['title']}** | | | | |")
        lines += [line(Row(**row)) for row in part["rows"]]
    return f"- Date: {results['date']}\n{machine}\n\n" + "\n".join(lines)


def line(row):
    """A row of the page."""
    other = ratio = ""
    if row.other:
        other = f"{row.other}: {quantity(row.other_value, row.unit)}"
        ratio = shown(row.value / row.other_value)
    return f"| {row.what} | {quantity(row.value, row.unit)} | {other} | {ratio} | {row.how} |"


def quantity(number, unit):
    return f"{shown(number)}\N{NO-BREAK SPACE}{unit}"


def shown(number):
    """A count whole, anything else with three digits that count."""
    if isinstance(number, int):
        return str(number)
    before_the_point = math.floor(math.log10(abs(number))) + 1
    return f"{number:.{max(0, 3 - before_the_point)}f}"
