"""Interactive figures: each is an ipywidget, and the same module draws it in a page.

A folder with a `view.js` is an explorable; its `__init__.py` holds the one class, which is
offered here under its own name.
"""

from importlib import import_module

from .shared import bundle
from .shared.base import Explorable


def _explorable(name):
    module = import_module(f".{name}", __name__)
    return next(each for each in vars(module).values() if _is_of(each, module))


def _is_of(each, module):
    return (
        isinstance(each, type)
        and issubclass(each, Explorable)
        and each.__module__ == module.__name__
    )


ALL = [_explorable(name) for name in bundle.modules()]
globals().update({each.__name__: each for each in ALL})
__all__ = sorted(each.__name__ for each in ALL)
