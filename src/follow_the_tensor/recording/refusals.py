"""Why a call has no lines to show, and what to write instead."""

import asyncio
import inspect
import types
from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import partial

import torch

from .words import short


def check_callable(function):
    """Raise a TypeError unless `function` can be called."""
    if callable(function):
        return
    if isinstance(function, property):
        instead = "a property is read: write lambda: thing.name"
    elif inspect.iscoroutine(function) or isinstance(function, Iterator):
        instead = "this is what a call returned: leave out the brackets"
    else:
        instead = "write the function first and its inputs after it: step_through(f, x), not f(x)"
    raise TypeError(
        f"function: expected a function, a class or a layer, got {short(function)}; {instead}"
    )


def not_recorded(function, result, unread):
    """The error for a call of which no line was shown. `unread` are the functions without text."""
    while type(function) is partial:
        function = function.func
    reason = (
        _of_result(function, result)
        or _of_transformed(function)
        or next((str(each) for each in unread.values()), None)
        or _of_kind(function)
    )
    return ValueError(
        f"function: expected Python code whose source can be read, got {short(function)}: {reason}"
    )


def _of_result(function, result):
    """The reason if the lines run later than the call, when somebody asks for what they make."""
    call = f"{_name(function)}(...)"
    if inspect.iscoroutine(result):
        result.close()  # else Python complains that nobody waits for it
        return f"its lines run when it is awaited; write {_awaited(call)}"
    if inspect.isasyncgen(result):
        items = f"async def items(): return [item async for item in {call}]"
        return f"its lines run when it is asked for items; write {items}, and {_awaited('items()')}"
    if isinstance(result, Iterator):
        return f"its lines run when it is asked for items; write lambda: list({call})"
    if isinstance(result, AbstractContextManager) and inspect.isgeneratorfunction(
        getattr(function, "__wrapped__", None)
    ):
        return f"its lines run inside `with {call}:`; step through a function that holds this"
    return None


def _awaited(call):
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return f"lambda: asyncio.run({call})"
    return f"lambda: asyncio.run({call}) in a file, as a notebook has a loop that runs already"


def _of_transformed(function):
    name = _name(function)
    if hasattr(function, "cache_clear"):
        return (
            "the answer came from its cache; "
            f"call {name}.cache_clear() first, or step through {name}.__wrapped__"
        )
    if isinstance(function, (torch.jit.ScriptModule, torch.jit.ScriptFunction)):
        return "TorchScript runs it without Python; step through what was scripted or traced"
    return None


def _of_kind(function):
    name = _name(function)
    if isinstance(function, type):
        return (
            "no line of yours runs when it is made; make an object, and step through one of "
            "its methods"
        )
    return (
        "it belongs to Python, to torch or to an installed package, or is written in C, and such "
        f"lines are not shown; step through code that calls it, for example lambda: {name}(...)"
    )


def _name(function):
    if type(function) is types.MethodType:
        return f"{type(function.__self__).__name__}().{function.__name__}"
    return getattr(function, "__name__", None) or "layer"
