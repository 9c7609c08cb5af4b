"""The recorder changes nothing: each sample runs alone and recorded, and does the same."""

import sys

import pytest
import torch

from follow_the_tensor.recording.recorder import record
from tests.support.cells import cell

IMPORTS = """
import asyncio, contextlib, dataclasses, enum, gc, random, sys, threading, warnings, weakref
import numpy as np
import torch
from collections import OrderedDict, deque, namedtuple
from torch import nn

def hostile(name):
    def method(self, *inputs):
        object.__getattribute__(self, "log").append(name)
        raise RuntimeError(name)
    return method

ASKED = "eq ne lt repr str format bool len iter getitem contains getattr dir sizeof index".split()

class Hostile:
    '''Logs whatever is done to it.'''
    __class__ = property(hostile("class"))
    def __init__(self, log):
        object.__setattr__(self, "log", log)
    def __getattribute__(self, name):
        object.__getattribute__(self, "log").append(name)
        return object.__getattribute__(self, name)
    def __hash__(self):
        object.__getattribute__(self, "log").append("hash")
        return 1

for name in ASKED:
    setattr(Hostile, f"__{name}__", hostile(name))

def hostile_kind(base, *given):
    methods = {f"__{name}__": hostile(name) for name in ASKED if name != "getattr"}
    methods |= {"items": hostile("items"), "keys": hostile("keys"), "shape": 1}
    kind = type("Hostile", (base,), methods)
    def make(log):
        made = kind(*given)
        made.log = log
        return made
    return make
"""

# Each defines f(log). What it returns, raises, prints and logs has to be the same.
SAMPLES = {
    "a caught error whose text cannot be made": """
class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no text")
def f(log):
    try:
        raise Mute
    except Mute as error:
        log.append(type(error).__name__)
""",
    "an error whose text has effects": """
class Loud(Exception):
    def __str__(self):
        self.args[0].append("asked")
        return "loud"
def f(log):
    raise Loud(log)
""",
    "errors about hostile values": """
def f(log):
    try:
        raise ValueError(Hostile(log))
    except ValueError:
        raise KeyError(Hostile(log), [Hostile(log)]) from None
""",
    "hostile values everywhere": """
def f(log):
    x = Hostile(log)
    y = [x, (x, {"x": x})]
    z = deque([x]), slice(x, x), OrderedDict(x=x), np.array([x, x], dtype=object)
    w = {x: [torch.zeros(1), x]}
    return 1
""",
    **{
        f"a hostile {base}": f"""
make = hostile_kind({base}, {given})
def f(log):
    x = make(log)
    y = [x, torch.zeros(1)]
    return 1
"""
        for base, given in {
            "list": "[1, 2]",
            "tuple": "[1, 2]",
            "dict": "{'a': 1}",
            "set": "[1, 2]",
            "deque": "[1, 2]",
            "str": "'text'",
            "int": "7",
            "float": "0.5",
            "OrderedDict": "{'a': torch.ones(1)}",
        }.items()
    },
    "a hostile tensor": """
class Hostile(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        cls.log.append(str(function))
        return super().__torch_function__(function, types, args, kwargs or {})
def f(log):
    Hostile.log = log
    x = torch.zeros(100).as_subclass(Hostile)
    y = x + 1
    return 1
""",
    "modes that see each operation": """
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
class Functions(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.log.append(str(function))
        return function(*args, **(kwargs or {}))
class Operations(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.log.append(str(function))
        return function(*args, **(kwargs or {}))
def f(log):
    x = torch.zeros(100)
    with Functions() as functions:
        functions.log = log
        x = x + 1
        y = x * 2
    with Operations() as operations:
        operations.log = log
        x = x + 1
        y = x * 2
    return y.sum().item()
""",
    "a module that answers for what it has not": """
class Proxy(nn.Module):
    def __init__(self, log):
        super().__init__()
        self.__dict__["log"] = log
    def __getattr__(self, name):
        self.log.append(name)
        return super().__getattr__(name)
    def extra_repr(self):
        self.log.append("repr")
def f(log):
    x = Proxy(log)
    y = {"x": x}
    return 1
""",
    "a class whose body has a namespace of its own": """
class Meta(type):
    @classmethod
    def __prepare__(meta, name, bases, log):
        class Space(dict):
            def __getitem__(self, key):
                log.append(key)
                return super().__getitem__(key)
            def __iter__(self):
                log.append("iter")
                return super().__iter__()
        return Space()
    def __new__(meta, name, bases, space, log):
        return super().__new__(meta, name, bases, dict(space))
def f(log):
    class Made(metaclass=Meta, log=log):
        size = 1
        twice = size + size
    return Made.twice
""",
    "lives and deaths": """
class Mortal:
    def __init__(self, log, name):
        self.log, self.name = log, name
    def __del__(self):
        self.log.append(f"{self.name} dies")
def g(log):
    inner = Mortal(log, "inner")
    log.append("g ends")
def f(log):
    x = Mortal(log, "first")
    seen = weakref.ref(x)
    x = Mortal(log, "second")
    log.append(seen() is None)
    seen = weakref.ref(x)
    del x
    log.append(seen() is None)
    g(log)
    log.append("g has ended")
    held = [Mortal(log, "held")]
    held.pop()
    log.append("popped")
    last = Mortal(log, "last")
    return "end"
""",
    "locals that go and come": """
def f(log):
    x = 1
    del x
    try:
        x
    except UnboundLocalError:
        log.append("gone")
    x = 2
    def inner():
        nonlocal x
        x += 1
        return lambda: x
    log.append((inner()(), x, sorted(locals())))
    for x in range(3):
        pass
    return x, [x for x in "ab"]
""",
    "a dict that changes under its loop": """
def f(log):
    held = {1: 2}
    for key in held:
        held[key + 1] = key
""",
    "who stops the program": """
def f(log):
    for kind in (KeyboardInterrupt, SystemExit, GeneratorExit):
        try:
            raise kind("stop")
        except BaseException as error:
            log.append(repr(error))
    sys.exit("bye")
""",
    "a trace function of its own": """
def g():
    return 1
def f(log):
    before = sys.gettrace()
    def trace(frame, event, arg):
        log.append((frame.f_code.co_name, event))
        return trace
    sys.settrace(trace)
    g()
    sys.settrace(before)
    g()
    return g()
""",
    "a trace function that stays": """
def f(log):
    def trace(frame, event, arg):
        log.append((frame.f_code.co_name, event))
    sys.settrace(trace)
    return len([1])
""",
    "a profile": """
def g():
    return len([1])
def f(log):
    def profile(frame, event, arg):
        log.append((frame.f_code.co_name, event, getattr(arg, "__name__", None)))
    sys.setprofile(profile)
    try:
        x = torch.ones(100)
        g()
        return g()
    finally:
        sys.setprofile(None)
""",
    "generators and contexts": """
@contextlib.contextmanager
def held(log):
    log.append("in")
    try:
        yield 1
    finally:
        log.append("out")
def count(log):
    try:
        got = yield 1
        log.append(got)
        yield from (2, 3)
        return 4
    finally:
        log.append("closed")
def f(log):
    with held(log) as x:
        numbers = count(log)
        next(numbers)
        log.append(numbers.send("sent"))
    del numbers
    for n in count(log):
        log.append(n)
    with held(log):
        raise ValueError("inside")
""",
    "a coroutine": """
async def inner(n):
    await asyncio.sleep(0)
    return n + 1
async def items():
    for n in range(2):
        yield n
async def outer(log):
    log.append(await asyncio.gather(inner(1), inner(2)))
    return [n async for n in items()]
def f(log):
    return asyncio.run(outer(log))
""",
    "threads": """
def f(log):
    total = [0]
    def work():
        for _ in range(100):
            total[0] += 1
    threads = [threading.Thread(target=work) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return total
""",
    "warnings, each of which is shown once": """
import importlib.util
def f(log):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for n in range(3):
            warnings.warn("careful", UserWarning, stacklevel=1)
            g()
        log.extend(str(each.message) for each in seen)
def g():
    return "\\\\d"
""",
    "a recursion that never ends": """
def down(n):
    return down(n + 1)
def f(log):
    try:
        down(0)
    except RecursionError as error:
        log.append("too deep")
    return sys.getrecursionlimit()
""",
    "a recursion limit that it sets": """
def f(log):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + 7)
    log.append(sys.getrecursionlimit() - before)
    try:
        return [sys.getrecursionlimit() - before for _ in range(2)]
    finally:
        sys.setrecursionlimit(before)
""",
    "errors in a chain": """
def g():
    raise ValueError("first")
def f(log):
    try:
        g()
    except ValueError as error:
        trace = error.__traceback__
        while trace:
            log.append((trace.tb_frame.f_code.co_name, trace.tb_lineno))
            trace = trace.tb_next
        raise TypeError("second") from error
""",
    "values of every kind": """
class Color(enum.Enum):
    RED = 1
@dataclasses.dataclass
class Point:
    x: int
    def __repr__(self):
        raise RuntimeError
Pair = namedtuple("Pair", "a b")
class Slots:
    __slots__ = ("a",)
    def __getattr__(self, name):
        raise RuntimeError(name)
def f(log):
    x = Color.RED, Point(1), Pair(1, 2), Slots(), 10 ** 5000, {1, "a"}, frozenset("ab")
    y = np.float64(1.5), np.arange(3), np.zeros(0), range(3), slice(1), ..., NotImplemented
    z = object.__new__(nn.Linear)
    w = nn.LazyLinear(2)
    self = torch.nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))
    z = torch.zeros(2, 3).to_sparse(), torch.zeros([2] * 12), torch.zeros(1).expand(1000)
    return str(x[2])
""",
    "printing, numbers at random and the collector": """
def f(log):
    print("hello", random.random(), torch.rand(1).item(), np.random.rand())
    log.append(gc.isenabled())
    print(eval("1 + 1"), file=sys.stderr)
""",
}


def outcome(run, text):
    """What a sample does, as far as it can be seen from outside."""
    space = cell(IMPORTS + text)
    log, limit = [], sys.getrecursionlimit()
    before = sys.gettrace()
    torch.manual_seed(0)
    space["random"].seed(0)
    space["np"].random.seed(0)
    try:
        ended = "returned", run(space["f"], log)
    except BaseException as error:
        ended = type(error).__name__, list(map(type, error.args))
        ended += type(error.__cause__).__name__, type(error.__context__).__name__
    after = sys.gettrace()
    sys.settrace(before)
    left = getattr(after, "__name__", None), sys.getrecursionlimit() - limit, sys.getprofile()
    return ended, log, left


def recorded(function, log):
    """The result of a recorded call; its error is the one that the recording tells of."""
    recording = record(function, log)
    assert recording.steps
    return recording.result


@pytest.mark.parametrize("text", SAMPLES.values(), ids=SAMPLES)
def test_a_recorded_call_does_what_it_does_alone(text, capfd):
    ended, log, left = outcome(lambda f, log: f(log), text)
    printed = capfd.readouterr()
    errors = []

    def run(function, log):
        recording = record(function, log)
        errors.append(recording.data["error"])
        return recording.result

    seen, seen_log, seen_left = outcome(run, text)
    if ended[0] != "returned" and errors:
        assert errors[0]["type"] == ended[0]
    else:
        assert repr(seen) == repr(ended)
    assert [repr(each) for each in seen_log] == [repr(each) for each in log]
    assert seen_left == left
    assert capfd.readouterr() == printed
