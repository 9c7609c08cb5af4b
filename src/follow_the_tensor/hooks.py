"""What hooks that are set for a while need beside them."""

from contextlib import nullcontext

import torch


def uncompiled():
    """A block in which compiled modules run as they were written.

    A graph of torch.compile was made without the hooks that are set later: it passes them by.
    """
    set_stance = getattr(torch.compiler, "set_stance", None)  # from PyTorch 2.6 on
    return set_stance("force_eager") if set_stance else nullcontext()
