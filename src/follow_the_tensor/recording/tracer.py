"""The trace function behind the recorder: it looks at each line before Python runs it."""

import dis
import os
import sys
import weakref
from dataclasses import dataclass, field

import torch

from .source import Source, axes_in_docstring, fit_axes
from .values import Values, without_addresses

MAX_STEPS = 1000

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
CHECKER = PACKAGE + "shapes.py"
LIBRARIES = tuple(os.path.dirname(module.__file__) + os.sep for module in (os, torch))
# A frame that ends at another instruction is being left by an exception.
RETURNS = ("RETURN_VALUE", "RETURN_CONST")
YIELDS = ("YIELD_VALUE", "RESUME")  # the second since Python 3.13
SILENT = (StopIteration, StopAsyncIteration, GeneratorExit)  # how generators end


def _shown(code):
    """Whether a reader reads this code: theirs or ours, but no library and no checker."""
    file, name = code.co_filename, code.co_name
    if name.startswith("<") and name != "<lambda>":
        return False  # <genexpr>, <listcomp>, <module>
    if file.startswith(PACKAGE):
        # Checks run at the head of every function and would bury what it does.
        return file != CHECKER and (name.startswith("__") or not name.startswith("_"))
    parts = file.split(os.sep)
    installed = "site-packages" in parts or "dist-packages" in parts
    return not installed and not file.startswith(LIBRARIES)


@dataclass
class _Frame:
    """What the tracer remembers of a running frame."""

    index: int
    source: Source
    readings: dict  # what the docstrings say: name of an argument, or "returns", -> axes
    statement: tuple = None  # (first, last) line of the last step
    raised: bool = False  # an exception is on its way through this frame
    leading: dict = field(default_factory=dict)  # the axes that "..." stands for, with sizes
    seen: dict = field(default_factory=dict)  # name -> (state of the value, entry)


class Tracer:
    """Collects the steps. Its tables only grow, each in the order of the steps."""

    def __init__(self):
        self.functions, self.frames, self.steps, self.axes = [], [], [], []
        self.values = Values(lambda value: self._entry(0, self._axes_of(value))[1:])
        self._sources = {}  # code -> (index, Source), or None for code that is not shown
        self._frames = {}  # id of a running frame -> _Frame
        self._indices = {}  # id of a frame, running or not -> index
        self._failures = {}  # (index of a frame, statement) -> steps when it last raised
        self._names = {}  # id of a tensor -> (weak reference, axis names)

    def enter(self, frame, event, _):
        """Python calls this for each function that starts, and for generators that go on."""
        known = self._function(frame)
        if known is None:
            return None
        caller = self._caller(frame)
        state = self._frames.get(id(frame))
        if state is None or self.frames[state.index][1] != caller:
            function, source = known
            state = _Frame(len(self.frames), source, _readings(frame, source))
            self.frames.append([function, caller])
            self._frames[id(frame)] = state
            self._indices[id(frame)] = state.index
        return self.step

    def step(self, frame, event, outcome):
        """Python calls this for what happens in a frame that `enter` has let through."""
        state = self._frames.get(id(frame))
        if state is None:
            return None
        changes = self._changes(frame, state)
        statement = state.source.statement(frame.f_lineno)
        state.raised = event == "exception" or (state.raised and event == "return")
        if event == "line":
            # A statement of several lines makes an event for each of them, back and forth.
            if statement != state.statement or changes:
                self._add(state, statement, event, changes)
        elif event == "exception" and not issubclass(outcome[0], SILENT):
            self._add(state, statement, event, changes, describe(outcome[1]))
            self._failures[state.index, statement] = len(self.steps)
        elif event == "return":
            self._leave(frame, state, statement, changes, outcome)
        if len(self.steps) >= MAX_STEPS:
            sys.settrace(None)  # the rest of the call runs at full speed
        return self.step

    def data(self, error):
        """The recording as JSON, and after how many steps the call failed, if it did."""
        data = {
            "functions": self.functions,
            "frames": self.frames,
            "steps": self.steps,
            "values": self.values.table,
            "axes": self.axes,
            "error": error and describe(error),
            "cut": MAX_STEPS if len(self.steps) >= MAX_STEPS else None,
        }
        return data, None if data["cut"] else self._failing_step(error)

    def _failing_step(self, error):
        """How many steps there were when `error` was raised in the innermost shown frame."""
        last = None
        trace = error.__traceback__ if error is not None else None
        while trace is not None:
            index = self._indices.get(id(trace.tb_frame))
            known = self._sources.get(trace.tb_frame.f_code)
            if index is not None and known is not None:
                place = (index, known[1].statement(trace.tb_lineno))
                last = self._failures.get(place, last)
            trace = trace.tb_next
        return last

    def _function(self, frame):
        code = frame.f_code
        if code not in self._sources:
            self._sources[code] = self._read(frame) if _shown(code) else None
        return self._sources[code]

    def _read(self, frame):
        code = frame.f_code
        try:
            source = Source(code)
        except OSError:  # made by exec, for example: there is nothing to show
            return None
        self.functions.append(
            {
                "name": code.co_qualname.split("<locals>.")[-1],
                "module": frame.f_globals.get("__name__", ""),
                "source": source.text,
                "heads": source.long_statements(),
                "docstring": source.docstring[1],
            }
        )
        return len(self.functions) - 1, source

    def _caller(self, frame):
        while (frame := frame.f_back) is not None:
            if state := self._frames.get(id(frame)):
                return state.index
        return -1

    def _add(self, state, statement, event, changes, outcome=None):
        self.steps.append([state.index, statement[0], event, changes, outcome])
        state.statement = statement

    def _leave(self, frame, state, statement, changes, outcome):
        operation = dis.opname[frame.f_code.co_code[frame.f_lasti]]
        yields = operation in YIELDS and not state.raised  # else it is closed there
        if yields or operation in RETURNS:
            readings = state.source.axes(statement) or state.readings.get("returns", [])
            self._name_outcome(state, readings, outcome, _sizes(_locals(frame, state)))
            event = "yield" if yields else "return"
            entry = self._entry(self.values.add(outcome), self._axes_of(outcome))
            self._add(state, statement, event, changes, entry)
        if not yields:
            del self._frames[id(frame)]

    def _changes(self, frame, state):
        """What is new among the locals of a frame since it was last looked at."""
        values = _locals(frame, state)
        sizes = _sizes(values)
        changes = {}
        for name, value in values.items():
            now = (self.values.add(value), *_state(value))
            before, entry = state.seen.get(name, (None, []))
            if now == before:
                continue
            if before and now[1:3] == before[1:3]:
                entry = [now[0], *entry[1:]]  # changed in place: the axes are what they were
            else:
                entry = self._entry(now[0], self._name_local(state, name, value, sizes))
            changes[name] = entry
            state.seen[name] = (now, entry)
        for name in [name for name in state.seen if name not in values]:
            changes[name] = None
            del state.seen[name]
        return changes

    def _name_local(self, state, name, value, sizes):
        """Names for the axes of a value that a local has been set to, or None."""
        carried = self._axes_of(value)
        if state.statement is None:  # an argument
            readings = state.readings.get(name, [])
            for reading in readings:
                if carried and "..." in reading:
                    # strict=False: as many as there are in front of the other names
                    known = zip(
                        carried[: len(carried) - len(reading) + 1], value.shape, strict=False
                    )
                    state.leading = dict(known)
        else:
            readings = state.source.axes(state.statement)
        return self._name(value, readings, state.leading | sizes, tuple(state.leading)) or carried

    def _name_outcome(self, state, readings, outcome, sizes):
        items = outcome if isinstance(outcome, (tuple, list)) else [outcome]
        for number, item in enumerate(items):
            own = readings[number : number + 1] if len(readings) == len(items) else readings
            self._name(item, own, state.leading | sizes, tuple(state.leading))

    def _name(self, value, readings, sizes, leading):
        """The first reading that fits. A tensor keeps the first names that it was given."""
        if not isinstance(value, torch.Tensor):
            return None
        fitting = (fit_axes(reading, value.shape, sizes, leading) for reading in readings)
        names = next(filter(None, fitting), None)
        if names and not self._axes_of(value):
            self._names[id(value)] = (weakref.ref(value), names)
        return names

    def _axes_of(self, value):
        reference, names = self._names.get(id(value), (lambda: None, None))
        return names if reference() is value else None  # an id may be used again

    def _entry(self, index, names):
        """[value] or [value, axes], by index."""
        if names is None:
            return [index]
        if list(names) not in self.axes:
            self.axes.append(list(names))
        return [index, self.axes.index(list(names))]


def describe(error):
    """The type and the message of an exception."""
    return {"type": type(error).__name__, "message": without_addresses(str(error))}


def _sizes(values):
    return {name: value for name, value in values.items() if type(value) is int}


def _state(value):
    """What tells that a large tensor has changed where its corner has not."""
    if not isinstance(value, torch.Tensor):
        return ()
    return id(value), value.dim(), None if value.is_inference() else value._version


def _locals(frame, state):
    """The locals to show, self first, without _ and Python's own names."""
    values = frame.f_locals
    hidden = state.source.comprehension_names  # since Python 3.12 they are locals while it runs
    names = [name for name in values if name.strip("_") and not name.startswith(("__", "."))]
    names.sort(key=lambda name: name != "self")
    return {name: values[name] for name in names if name not in hidden}


def _readings(frame, source):
    """The axes that the docstrings of a function and its class give, by argument."""
    classes = list(type(frame.f_locals.get("self")).__mro__)
    # A class may borrow a method: `forward = EncoderLayer.forward`.
    classes.append(frame.f_globals.get(frame.f_code.co_qualname.split(".")[0]))
    texts = [source.docstring[0]]
    texts += [each.__doc__ or "" for each in classes if isinstance(each, type)]
    readings = {}
    for text in reversed(texts):  # the function's own words count most
        readings.update(axes_in_docstring(text))
    return readings
