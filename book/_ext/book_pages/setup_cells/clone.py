# The package follow_the_tensor comes with the book, and with a copy of a chapter.
from importlib.util import find_spec

if find_spec("follow_the_tensor") is None:
    raise ModuleNotFoundError(
        "Download this chapter from its page in the book and open that copy, which"
        " brings the package along. Or run `make setup` in a clone of the book, and"
        " choose the kernel in .venv."
    )
