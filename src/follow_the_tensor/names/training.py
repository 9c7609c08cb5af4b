"""Train the language model, and measure it against a table of pairs of characters."""

import torch
import torch.nn.functional as F
from torch import nn

from ..dates.training import Settings, batch_rows, rate_factor, shift
from ..dates.vocabulary import PAD
from ..generation import evaluating, trim
from ..shapes import check_ids, check_positive, check_size

SETTINGS = Settings(steps=1300, rate=3e-3, dropout=0.2)


def train(model, ids, settings, after_step=None):
    """Take all the steps; call `after_step(step, rate, loss)` after each.

    The loop of the date reader without processes and checkpoints: it takes minutes.

    Shapes:
        ids: [N, L], filled up with PAD
    """
    check_ids("ids", ids, "N", "L", table=model.embedding)
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.rate)
    model.train()
    for step in range(settings.steps):
        for group in optimizer.param_groups:
            group["lr"] = settings.rate * rate_factor(step, settings.warmup, settings.steps)
        rows = batch_rows(len(ids), settings.batch, step, settings.seed)
        loss = losses(model, trim(ids[rows], PAD)).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
        optimizer.step()
        if after_step is not None:
            after_step(step + 1, group["lr"], loss.item())


def losses(model, ids):
    """Return the loss of each label that is not PAD: how surprising it was.

    The text is its own label, moved by one: at each position the next id.

    Shapes:
        ids: [B, L]
        returns: [N], one for each character and each EOS
    """
    inputs, labels = shift(ids)  # [B, L - 1] each
    logits = model(inputs)  # [B, L - 1, V]
    real = labels != PAD
    return F.cross_entropy(logits[real], labels[real], reduction="none")  # [N]


def held_out_loss(model, ids, at_once=512):
    """Return the mean loss per character, EOS included, in eval mode.

    Shapes:
        ids: [N, L]
    """
    check_size("at_once", at_once)
    with torch.no_grad(), evaluating(model):
        some = [losses(model, trim(part, PAD)) for part in ids.split(at_once)]
    return torch.cat(some).mean().item()


class Bigram(nn.Module):
    """The baseline: how often each id followed each other, plus `extra` a pair.

    Its logits are logarithms of probabilities. It goes where a LanguageModel goes.

    Shapes:
        ids: [N, L] to count, [B, L] to read
        returns: [B, L, V]

    Raises:
        ValueError: `extra` is not positive, or an id is outside the vocabulary.
    """

    def __init__(self, ids, vocab, extra=0.01):
        super().__init__()
        check_size("vocab", vocab)
        check_positive("extra", extra)
        self.table = nn.Embedding(vocab, vocab).requires_grad_(False)  # counted
        check_ids("ids", ids, "N", "L", table=self.table)
        now, following = (part.flatten() for part in shift(ids))  # [N * (L - 1)] each
        real = following != PAD
        pairs = now[real] * vocab + following[real]  # one number for each pair
        counts = torch.bincount(pairs, minlength=vocab**2).view(vocab, vocab) + extra
        chances = counts / counts.sum(dim=1, keepdim=True)  # [V, V]
        self.table.weight.copy_(chances.log())

    def forward(self, ids):
        check_ids("ids", ids, "B", "L", table=self.table)
        return self.table(ids)  # [B, L, V]
