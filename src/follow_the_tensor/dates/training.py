"""The training loop. `python -m follow_the_tensor.dates --help` runs it from a shell."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from ..generation import generate, trim
from ..shapes import check_ids, check_index, check_positive, check_probability, check_size
from . import parallel
from .vocabulary import BOS, EOS, PAD


@dataclass(frozen=True)
class Settings:
    """How to train. Equal settings and data give equal weights on one machine."""

    steps: int = 1000
    batch: int = 128
    warmup: int = 100
    rate: float = 3e-3
    clip: float = 1.0
    dropout: float = 0.0
    seed: int = 0

    def __post_init__(self):
        for name in ("steps", "batch", "warmup"):
            check_size(name, getattr(self, name))
        check_probability("dropout", self.dropout)
        for name in ("rate", "clip"):
            check_positive(name, getattr(self, name))
        check_index("seed", self.seed, 2**32)


class Run:
    """A model in training: everything that changes from one step to the next.

    Shapes:
        src: [N, Ls] and tgt: [N, Lt], all the pairs to train on, filled up with PAD

    Raises:
        ValueError: there are fewer pairs than rows in a batch, or fewer rows than processes,
            or ids that the model does not know.
        TypeError: ids are not integers.
    """

    def __init__(self, model, src, tgt, settings):
        N, _ = check_ids("src", src, "N", "Ls", table=model.src_embedding)
        check_ids("tgt", tgt, N, "Lt", table=model.tgt_embedding)
        if N < settings.batch:
            raise ValueError(f"src: expected at least batch={settings.batch} rows, got {N}")
        if settings.batch < parallel.world_size():
            raise ValueError(
                f"batch: expected a row for each of {parallel.world_size()} processes, "
                f"got {settings.batch}"
            )
        self.model = model
        self.src, self.tgt = src, tgt
        self.settings = settings
        self.parallel_model = parallel.wrap(model)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=settings.rate)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, lambda step: rate_factor(step, settings.warmup, settings.steps)
        )
        self.step = 0
        self.curve = []


def rate_factor(step, warmup, steps):
    """Climb in a line to 1 during the warm-up, then sink to 0 along half a cosine."""
    if step < warmup:
        return (step + 1) / warmup
    done = (step - warmup) / max(1, steps - warmup)  # 0 at the top, 1 at the end
    return (1 + math.cos(math.pi * done)) / 2


def batch_rows(count, batch, step, seed):
    """Choose the rows of a step: each once in an epoch, in a new order each time.

    The answer depends on the arguments alone, so that a resumed run needs no more.

    Shapes:
        returns: [batch], integers in [0, count)
    """
    epoch, place = divmod(step, count // batch)
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(count, generator=generator)  # [count]
    return order[place * batch : (place + 1) * batch]


def shift(tgt):
    """Teacher forcing: the input lacks the last id, the labels lack the first.

    Shapes:
        tgt: [B, Lt + 1]
        returns: two of [B, Lt]
    """
    return tgt[:, :-1], tgt[:, 1:]


def train_step(run, src, tgt):
    """Do one update and return the loss: the mean over the labels that are not PAD.

    Shapes:
        src: [B, Ls]    tgt: [B, Lt + 1]
    """
    inputs, labels = shift(tgt)  # [B, Lt] each
    logits = run.parallel_model(src, inputs)  # [B, Lt, V]
    loss_sum = F.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=PAD, reduction="sum"
    )
    # Several processes divide by the labels of all of them. Afterwards their
    # gradients are averaged, which the factor world_size undoes.
    count = parallel.total((labels != PAD).sum())
    run.optimizer.zero_grad()
    (loss_sum * parallel.world_size() / count).backward()
    nn.utils.clip_grad_norm_(run.model.parameters(), run.settings.clip)
    run.optimizer.step()
    run.schedule.step()
    return (parallel.total(loss_sum.detach()) / count).item()


def train(run, until=None, after_step=None):
    """Take steps to `until` or the end; stop early when `after_step(loss)` is true.

    Each of several processes takes its share of the rows of a batch.
    """
    run.model.train()
    until = run.settings.steps if until is None else until
    while run.step < until:
        settings = run.settings
        rows = batch_rows(len(run.src), settings.batch, run.step, settings.seed)
        rows = rows[parallel.rank() :: parallel.world_size()]
        loss = train_step(run, trim(run.src[rows], PAD), trim(run.tgt[rows], PAD))
        run.step += 1
        if after_step is not None and after_step(loss):
            break


def exact_match(model, src, tgt, at_once=540):
    """For each row, whether greedy search writes the target and nothing else.

    Shapes:
        src: [N, Ls]    tgt: [N, Lt]
        returns: [N], boolean
    """
    N, Lt = check_ids("tgt", tgt, "N", "Lt")
    check_ids("src", src, N, "Ls")
    hits = []
    parts = zip(src.split(at_once), tgt.split(at_once), strict=True)
    for some_src, some_tgt in parts:
        ids = generate(model, trim(some_src, PAD), BOS, EOS, max_len=Lt)
        ids = F.pad(ids, (0, Lt - ids.size(1)), value=PAD)  # [B, Lt]
        hits.append((ids == some_tgt).all(dim=1))
    return torch.cat(hits)
