"""The trace function behind the recorder: it looks at each line before Python runs it."""

import dis
import inspect
import os
import sys
import weakref
from dataclasses import dataclass, field

import torch

from .source import Source, axes_in_docstring, fit_axes
from .text import NoText
from .values import ITEMS, Values, has_plain_sizes
from .words import first_items, message_of

MAX_STEPS = 1000
ROOM = 400  # frames that a look may use where the program has used up its own

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# Checks run at the head of every function and would bury what it does. The hooks of
# attention_maps are there only because the recorder asks for them.
ASIDE = tuple(PACKAGE + name for name in ("shapes.py", "attention_maps.py", "recording"))
LIBRARIES = tuple(os.path.dirname(module.__file__) + os.sep for module in (os, torch))
# How torch.compile names what it puts in the place of a function, or of the rest of one.
COMPILED = ("__compiled_fn", "torch_dynamo_resume")
# A frame that ends at another instruction is being left by an exception.
RETURNS = ("RETURN_VALUE", "RETURN_CONST")
YIELDS = ("YIELD_VALUE", "RESUME")  # the second since Python 3.13
SILENT = (StopIteration, StopAsyncIteration, GeneratorExit)  # how generators end


def _shown(code):
    """Whether a reader reads this code: theirs or ours, but no library and no checker."""
    file, name = code.co_filename, code.co_name
    if name.startswith("<") and name != "<lambda>":
        return False  # <genexpr>, <listcomp>, <module>
    if not code.co_flags & inspect.CO_OPTIMIZED:
        return False  # the body of a class statement
    if any(each.startswith(COMPILED) for each in (name, *code.co_names)):
        return False
    if file.startswith(PACKAGE):
        return not file.startswith(ASIDE) and (name.startswith("__") or not name.startswith("_"))
    parts = file.split(os.sep)
    installed = "site-packages" in parts or "dist-packages" in parts
    return not installed and not file.startswith((*LIBRARIES, "<frozen "))


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
    """Collects the steps. Its tables only grow, each in the order of the steps.

    Python runs `_enter` and `_step` in the middle of the program. They run no code of the
    program, and what goes wrong in them is kept in `broken` and stops the recording alone.
    """

    def __init__(self):
        self.functions, self.frames, self.steps, self.axes = [], [], [], []
        self.values = Values(lambda value: self._entry(0, self._axes_of(value))[1:])
        self.checks = []  # the steps at lines that only check what was given
        self.unread = {}  # code that would be shown -> why there is no text
        self.broken = None
        self._entrance = self._enter  # one object, by which Python's trace function is known
        self._before = None  # the trace function that was there
        self._running = False
        self._limits = None, None  # of recursion: the program's, and that of a look
        self._sources = {}  # code -> (index, Source), or None for code that is not shown
        self._frames = {}  # id of a running frame -> _Frame
        self._indices = {}  # id of a frame, running or not -> index
        self._failures = {}  # (index of a frame, statement) -> steps when it last raised
        self._names = {}  # id of a tensor -> (weak reference, axis names)

    def start(self):
        self._before, self._running = sys.gettrace(), True
        sys.settrace(self._entrance)

    def stop(self):
        """Look at nothing more."""
        if self._running and sys.gettrace() is self._entrance:
            sys.settrace(self._before)
        self._running = False

    def left(self, trace):
        """The trace function to leave behind when `trace` was there after the call."""
        ours = trace is None or trace is self._entrance
        return self._before if ours and self._running else trace

    def _enter(self, frame, event, _):
        """Python calls this for each function that starts, and for generators that go on."""
        if not self._running or self._sources.get(frame.f_code, self) is None:
            return None  # the second is the common case: a function that is not shown
        return self._look(self._begin, frame)

    def _step(self, frame, event, outcome):
        """Python calls this for what happens in a frame that `_enter` has let through."""
        if not self._running:  # the frame has outlived the recording
            frame.f_trace = None
            return None
        return self._look(self._write, frame, event, outcome)

    def _look(self, look, *what):
        try:
            self._make_room()
            with torch._C.DisableTorchFunction():
                return look(*what)
        except RecursionError:  # not even a look has room: this event is passed by
            return self._step
        except Exception as error:
            self.broken = error.with_traceback(None)
            self.stop()
            return None
        finally:
            self._leave_room()

    def _make_room(self):
        now = sys.getrecursionlimit()
        sys.setrecursionlimit(now)  # raises where Python would not let us go back to it
        if now != self._limits[1]:
            self._limits = now, now + ROOM
        sys.setrecursionlimit(self._limits[1])

    def _leave_room(self):
        if sys.getrecursionlimit() == self._limits[1]:
            sys.setrecursionlimit(self._limits[0])

    def _begin(self, frame):
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
        return self._step

    def _write(self, frame, event, outcome):
        state = self._frames.get(id(frame))
        if state is None:
            return None
        changes = self._changes(frame, state)
        statement = state.source.statement(frame.f_lineno)
        state.raised = event == "exception" or (state.raised and event == "return")
        if event == "line":
            # A statement of several lines makes an event for each of them, back and forth.
            if statement != state.statement or changes:
                if statement[0] in state.source.checks:
                    self.checks.append(len(self.steps))
                self._add(state, statement, event, changes)
        elif event == "exception" and not issubclass(outcome[0], SILENT):
            self._add(state, statement, event, changes, describe(outcome[1]))
            self._failures[state.index, statement] = len(self.steps)
        elif event == "return":
            self._leave(frame, state, statement, changes, outcome)
        if len(self.steps) >= MAX_STEPS:
            self.stop()  # the rest of the call runs at full speed
        return self._step

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
            source = Source(code, frame.f_globals)
        except NoText as reason:
            self.unread[code] = reason.with_traceback(None)  # which would hold the frame
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
        items = [outcome]
        if issubclass(type(outcome), (tuple, list)):
            items, _ = first_items(outcome, ITEMS)
        for number, item in enumerate(items):
            own = readings[number : number + 1] if len(readings) == len(items) else readings
            self._name(item, own, state.leading | sizes, tuple(state.leading))

    def _name(self, value, readings, sizes, leading):
        """The first reading that fits. A tensor keeps the first names that it was given."""
        if not issubclass(type(value), torch.Tensor) or not has_plain_sizes(value):
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
    return {"type": type(error).__name__, "message": message_of(error)}


def _sizes(values):
    return {name: value for name, value in values.items() if type(value) is int}


def _state(value):
    """What tells that a large tensor has changed where its corner has not."""
    if not issubclass(type(value), torch.Tensor):
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
    texts += [each.__dict__.get("__doc__") for each in classes if issubclass(type(each), type)]
    readings = {}
    for text in reversed(texts):  # the function's own words count most
        if type(text) is str:
            readings.update(axes_in_docstring(text))
    return readings
