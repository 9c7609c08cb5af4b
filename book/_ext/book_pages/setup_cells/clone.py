# The package follow_the_tensor comes with the book: make setup installs it, a download brings it.
from importlib.util import find_spec

if find_spec("follow_the_tensor") is None:
    raise ModuleNotFoundError(
        "Download this chapter from its page in the book and open that copy, which brings the"
        " package along, or in a clone of the book run `make setup` and choose the kernel in .venv."
    )
