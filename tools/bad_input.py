"""Run the rows of the table of bad input (book_pages/bad_input.py says what is in a row)."""

import contextlib
import importlib
import inspect
import io
import pkgutil
import tempfile
import warnings

import follow_the_tensor
from book_pages.bad_input import NOT_OURS


def public_calls():
    """What can be called with arguments: name with the module -> name without it."""
    found = {}
    package = follow_the_tensor.__name__ + "."
    for info in pkgutil.walk_packages(follow_the_tensor.__path__, package):
        module = importlib.import_module(info.name)
        for thing in vars(module).values():
            if getattr(thing, "__module__", None) == info.name:
                for call in _calls(thing):
                    found[f"{info.name.removeprefix(package)}.{call}"] = call
    return found


def _calls(thing):
    """The name of a function, or of a class and its methods; nothing that starts with _."""
    if not callable(thing) or thing.__qualname__.startswith("_"):
        return
    if inspect.isclass(thing):
        yield thing.__qualname__
        for name, value in vars(thing).items():
            function = getattr(value, "__func__", value)  # what a classmethod wraps
            if inspect.isfunction(function) and not name.startswith("_"):
                if len(inspect.signature(function).parameters) > 1:
                    yield function.__qualname__
    elif inspect.signature(thing).parameters:
        yield thing.__qualname__


def prepare(setup):
    """The names that `setup` defines, for the rows of its file."""
    names = {}
    exec(setup, names)
    return names


def outcome(code, names):
    """Run the code of a row in an empty folder, and say in one line what it gives."""
    said = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stderr(said),
        warnings.catch_warnings(action="ignore"),
    ):
        try:
            result = eval(code, names)
        except SystemExit as left:
            result = left.code
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    if said.getvalue():  # a command: what a shell shows
        return f"exit code {result}, {said.getvalue().splitlines()[-1]}"
    return repr(result)


def agrees(expected, came):
    """Whether `came` is what a row expects; of a message that is not ours only the type."""
    not_ours = NOT_OURS.fullmatch(expected)
    return came.startswith(f"{not_ours[1]}:") if not_ours else came == expected
