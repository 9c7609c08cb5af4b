"""A step of training beside torch.nn.Transformer, decoding, and a whole training."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from follow_the_tensor import Transformer, generate
from follow_the_tensor.dates.__main__ import PAIRS, new_run
from follow_the_tensor.dates.reader import SIZES
from follow_the_tensor.dates.task import DateTask
from follow_the_tensor.dates.training import Settings, exact_match, train
from follow_the_tensor.dates.vocabulary import BOS, EOS, PAD

from .table import Row, alternate, seconds

TITLE = "The model, trained and at work"
ROUNDS = 40


class TorchTransformer(nn.Module):
    """The model of the same sizes as one builds it from torch.nn.Transformer."""

    def __init__(self, src_vocab, tgt_vocab, dropout):
        super().__init__()
        D, H, d_ff, layers, _ = SIZES.values()
        ours = Transformer(src_vocab, tgt_vocab, **SIZES)
        self.src_embedding, self.tgt_embedding = ours.src_embedding, ours.tgt_embedding
        self.position, self.to_logits = ours.position, ours.to_logits
        self.body = nn.Transformer(D, H, layers, layers, d_ff, dropout, batch_first=True)
        self.factor = math.sqrt(D)

    def forward(self, src, tgt):
        length = tgt.size(1)
        hidden = self.body(
            self.position(self.src_embedding(src) * self.factor),
            self.position(self.tgt_embedding(tgt) * self.factor),
            tgt_mask=torch.ones(length, length, dtype=torch.bool).triu(1),
            src_key_padding_mask=src == PAD,
            tgt_key_padding_mask=tgt == PAD,
            memory_key_padding_mask=src == PAD,
        )
        return self.to_logits(hidden)


def training_step(dropout):
    """Median seconds of a step: our model, and PyTorch's."""
    src_vocab, tgt_vocab, batch, Ls, Lt = 176, 15, 128, 36, 11
    src = torch.randint(4, src_vocab, (batch, Ls))
    src[torch.arange(Ls) >= torch.randint(9, Ls, (batch, 1))] = PAD
    tgt = torch.randint(4, tgt_vocab, (batch, Lt))

    def step(model):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

        def action():
            optimizer.zero_grad()
            F.cross_entropy(model(src, tgt).flatten(0, 1), tgt.flatten()).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()

        return action

    ours = Transformer(src_vocab, tgt_vocab, dropout=dropout, **SIZES)
    return alternate(ROUNDS, step(ours), step(TorchTransformer(src_vocab, tgt_vocab, dropout)))


def decoding():
    """Median seconds of writing 128 tokens: with the cache, and without."""
    sizes = {"d_model": 256, "num_heads": 8, "d_ff": 1024, "num_layers": 4}
    model = Transformer(100, 100, max_len=129, **sizes)
    with torch.no_grad():
        model.to_logits.bias[EOS] = -math.inf  # write on to the limit
    src = torch.randint(4, 100, (8, 32))

    def action(use_cache):
        return lambda: generate(model, src, BOS, EOS, 129, use_cache=use_cache)

    return alternate(ROUNDS // 10, action(True), action(False))


def rows():
    torch.manual_seed(0)
    for dropout in (0.0, 0.1):
        ours, theirs = (1000 * time for time in training_step(dropout))
        how = f"{ROUNDS} rounds in turns, batches of 128"
        what = f"a step of training, dropout {dropout}"
        yield Row(what, ours, "ms", how, "nn.Transformer", theirs)
    cached, without = decoding()
    how = f"{ROUNDS // 10} rounds in turns, 8 texts"
    yield Row("128 new tokens with the cache", cached, "s", how, "without it", without)

    task = DateTask(*PAIRS.values())
    run = new_run(task, Settings())
    time = seconds(lambda: train(run))
    hits = int(exact_match(run.model, *task.held_out).sum())
    count = len(task.held_out[0])
    how = f"one run of {run.step} steps; then {hits} of {count} held-out dates right"
    yield Row("the date reader, trained from nothing", time, "s", how)
