"""Interactive figures: each is an ipywidget, and the same module draws it in a page.

Every folder here but `shared` is an explorable and has

    __init__.py   the one class, a subclass of `Explorable`, which is offered here by its name
    view.js       what draws it in the browser, and computes what it draws
    samples.py    sample(rng), a random state: what the tests hold the two together with
"""

from importlib import import_module

from .shared import bundle
from .shared.base import Explorable


def _explorable(name):
    classes = vars(import_module(f".{name}", __name__)).values()
    own = [each for each in classes if getattr(each, "module", None) == name]
    if len(own) != 1 or not issubclass(own[0], Explorable):
        raise TypeError(
            f"explorables/{name}/__init__.py: expected one subclass of Explorable "
            f"with module = {name!r}, got {own}"
        )
    return own[0]


ALL = [_explorable(name) for name in bundle.modules()]
globals().update({each.__name__: each for each in ALL})
__all__ = sorted(each.__name__ for each in ALL)
