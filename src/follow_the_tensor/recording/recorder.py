"""Run a call once and record every line that it executes: what the stepper shows.

Python offers each executed line to a trace function, the way debuggers get it. Here the
trace function only looks: it writes down where the program is and what the locals hold.
"""

import html
import json
import sys
from dataclasses import dataclass

from .refusals import check_callable, not_recorded
from .text import Changed
from .tracer import Tracer
from .values import shrink
from .written_out import written_out

MAX_CHARACTERS = 85_000  # of what a notebook stores; the still adds up to 12_000
SMALLER_CORNERS = [(2, 4, 6), (2, 4, 4), (1, 3, 4), (1, 2, 3)]


@dataclass
class Recording:
    """What `record` returns.

    `data` is plain JSON:

        functions  [{name, module, source, heads, docstring}]: text of each function once;
                   `heads` are the lines [first, last] of statements longer than a line,
                   `docstring` the lines of the docstring, both counted from the head
        frames     [[function, caller]]: each call, by index; caller -1 is outside
        steps      [[frame, line, event, changes, outcome]]: at a "line" the line is about to
                   run; at a "return" or "yield" the outcome is the value, at an "exception"
                   it is {type, message}
        values     each different value once
        axes       each different tuple of axis names once; null where a name is not known
        error      {type, message} if the call raised, else null
        cut        the number of steps after which the recording stopped early, else null
        checks     the steps at lines that only check what was given, by index
        stops      {name: the first step at which a line has made it}, no checks among these lines

    The changes of a step are {name: [value, axes]}, by index, axes only where known, and
    {name: null} for a name that is gone. At the first step of a frame they are what it was
    called with; after that, what the line before has made or changed.
    """

    data: dict
    result: object = None

    @property
    def steps(self):
        return self.data["steps"]

    @property
    def error(self):
        return self.data["error"]

    @property
    def start(self):
        """The first step that is no check: where the stepper opens."""
        checks = set(self.data["checks"])
        return next((n for n in range(len(self.steps)) if n not in checks), 0)

    def locals_at(self, number):
        """The locals of the running frame at step `number`: name -> (value, axis names)."""
        current = {}
        for frame, _, _, changes, _ in self.steps[: number + 1]:
            if frame == self.steps[number][0]:
                current.update(changes)
        return {name: self.look_up(entry) for name, entry in current.items() if entry}

    def look_up(self, entry):
        """The encoded value and the axis names that an entry [value, axes] refers to."""
        axes = self.data["axes"][entry[1]] if len(entry) > 1 else None
        return self.data["values"][entry[0]], axes


def record(function, /, *inputs, **keywords):
    """Call `function(*inputs, **keywords)` and record each line of it that runs.

    Lines of torch, of the standard library and of installed packages are not shown; what
    these call back is. If the call raises, the recording ends at the failing line.

    The call runs as it would alone: same result, same random numbers, same gradients, and
    no code of the values that are shown. Four things are different. Every
    MultiHeadAttention that `function` is or holds goes through its written-out path, as
    inside `attention_maps`, and torch.compile stands aside: the result may differ in its last
    digits. A recursion has a few frames less. Until Python 3.13 a local that is deleted lives
    on to the end of its line. And who asks Python for the trace function sees this one.

    Returns:
        Recording; its `result` is what the call returned.

    Raises:
        TypeError: `function` cannot be called.
        ValueError: no line ran whose source could be shown, or a file is not what runs.
        Exception: what the call raised before its first line, for example TypeError.
    """
    check_callable(function)
    tracer, result, error, trace = Tracer(), None, None, sys.gettrace()
    try:
        with written_out(function, inputs, keywords):
            tracer.start()
            try:
                result = function(*inputs, **keywords)
            except Exception as raised:
                error = raised
            finally:
                trace = sys.gettrace()
                sys.settrace(None)  # what the program has set is not to see the recorder
                trace = tracer.left(trace)
                tracer.stop()
        _check_source(tracer)
        if error is not None and not tracer.steps:
            raise error
        if not tracer.steps:
            raise not_recorded(function, result, tracer.unread)
        return Recording(_finished(tracer, error), result)
    finally:
        sys.settrace(trace)
        del error  # its traceback holds this frame, and so all the tensors in it


def _check_source(tracer):
    if tracer.broken is not None:
        raise RuntimeError("the recorder itself failed; the call ran on") from tracer.broken
    for reason in tracer.unread.values():
        if isinstance(reason, Changed):
            raise ValueError(f"function: {reason}")


def _finished(tracer, error):
    data, failed = tracer.data(error)
    if failed is not None:
        _truncate(data, failed)
    _fit(data)
    steps = data["steps"]
    data["checks"] = [number for number in tracer.checks if number < len(steps)]
    data["stops"] = _stops(steps, set(data["checks"]))
    return data


def _stops(steps, checks):
    """Name -> the first step at which a line that is no check has made it."""
    stops, latest = {}, {}  # frame -> its latest step
    for number, (frame, _, _, changes, _) in enumerate(steps):
        if latest.get(frame, -1) >= 0 and latest[frame] not in checks:
            for name, entry in changes.items():
                if entry and name != "self":
                    stops.setdefault(name, number)
        latest[frame] = number
    return stops


def _size(data):
    return len(html.escape(json.dumps(data, ensure_ascii=False)))


def _fit(data):
    """Show less of the large tensors, and then fewer steps, until a notebook can hold it."""
    for corner in SMALLER_CORNERS:
        if _size(data) <= MAX_CHARACTERS:
            return
        for encoded in data["values"]:
            shrink(encoded, corner)
    while _size(data) > MAX_CHARACTERS and len(data["steps"]) > 1:
        data["cut"] = len(data["steps"]) * 3 // 4
        _truncate(data, data["cut"])


def _truncate(data, count):
    """Keep the first `count` steps, and of the tables what these refer to.

    Tables grow in the order of the steps, so what comes later is needed by later steps only.
    """
    steps = data["steps"] = data["steps"][:count]
    entries = [entry for step in steps for entry in step[3].values() if entry]
    entries += [step[4] for step in steps if step[2] in ("return", "yield")]
    inside = [item[1:] for value in data["values"] for item in value.get("items", ())]
    last_axes = max((entry[1] for entry in entries + inside if len(entry) > 1), default=-1)
    del data["values"][max((entry[0] for entry in entries), default=-1) + 1 :]
    del data["axes"][last_axes + 1 :]
    del data["frames"][max(step[0] for step in steps) + 1 :]
    del data["functions"][max(function for function, _ in data["frames"]) + 1 :]
