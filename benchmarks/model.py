"""Hold the model to its figures, each beside what it is compared with (make bench).

    python benchmarks/model.py [--short] [--without-training]

Everything that is compared runs in turns in this one process; times are medians.
"""

import argparse
import math
import statistics
import tempfile
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

from follow_the_tensor import MultiHeadAttention, Transformer, causal_mask, generate
from follow_the_tensor.date_reader import SIZES
from follow_the_tensor.vocabulary import BOS, EOS, PAD

ROW = "{:<44}{:>12}{:>14}{:>9}   {}"


def alternate(rounds, *actions):
    """Median seconds of each action, run in turns so that a busy machine slows all alike."""
    for action in actions:
        action()
    times = [[] for _ in actions]
    for _ in range(rounds):
        for action, column in zip(actions, times, strict=True):
            start = time.perf_counter()
            action()
            column.append(time.perf_counter() - start)
    return [statistics.median(column) for column in times]


def line(title, ours, other, goal):
    print(ROW.format(title, f"{ours * 1e3:.1f}", f"{other * 1e3:.1f}", f"{other / ours:.2f}", goal))


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


def training_step(rounds):
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

    for dropout in (0.0, 0.1):
        ours = Transformer(src_vocab, tgt_vocab, dropout=dropout, **SIZES)
        theirs = TorchTransformer(src_vocab, tgt_vocab, dropout)
        times = alternate(rounds, step(ours), step(theirs))
        line(f"training step, dropout {dropout}", *times, "nn.Transformer; at least 1")


def attention(B, L, D, H, rounds):
    ours = MultiHeadAttention(D, H)
    theirs = nn.MultiheadAttention(D, H, batch_first=True)
    x, mask = torch.randn(B, L, D, requires_grad=True), causal_mask(L)
    fused, torch_s, written_out = alternate(
        rounds,
        lambda: ours(x, x, x, mask).sum().backward(),
        lambda: theirs(x, x, x, attn_mask=~mask, need_weights=False)[0].sum().backward(),
        lambda: ours(x, x, x, mask, need_weights=True)[0].sum().backward(),
    )
    line(f"attention, L = {L}", fused, torch_s, "nn.MultiheadAttention; at least 1")
    line("", fused, written_out, "written out" + ("; at least 2" if L == 2048 else ""))


def decoding(rounds):
    torch.manual_seed(0)
    sizes = {"d_model": 256, "num_heads": 8, "d_ff": 1024, "num_layers": 4}
    model = Transformer(100, 100, max_len=129, **sizes)
    with torch.no_grad():
        model.to_logits.bias[EOS] = -math.inf  # write on to the limit
    src = torch.randint(4, 100, (8, 32))

    def action(use_cache):
        return lambda: generate(model, src, BOS, EOS, 129, use_cache=use_cache)

    times = alternate(max(1, rounds // 10), action(True), action(False))
    line("128 new tokens with the cache", *times, "without it; at least 3")


def kept_bytes(attention, length, need_weights):
    """Bytes that the graph of one pass keeps for backward, weights aside."""
    x, kept = torch.randn(2, length, attention.d_model, requires_grad=True), {}
    weights = {p.untyped_storage().data_ptr() for p in attention.parameters()}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        output = attention(x, x, x, need_weights=need_weights)
        assert output is not None  # alive: no storage was freed and counted twice
    return sum(kept.values())


def memory():
    attention = MultiHeadAttention(64, 4)
    print(f"\n{'kept for backward (KB)':<44}{'fused':>12}{'written out':>14}{'ratio':>9}")
    before = None
    for L in (128, 256, 512, 1024):
        fused, written_out = (kept_bytes(attention, L, need) / 1000 for need in (False, True))
        note = f"{fused / before:.2f} times the line above; 2 is linear" if before else ""
        ratio = f"{written_out / fused:.1f}"
        print(ROW.format(f"L = {L}", f"{fused:.0f}", f"{written_out:.0f}", ratio, note))
        before = fused


def training():
    from follow_the_tensor.training_command import main as train_from_shell

    print("\ntraining from nothing, 1000 steps; at least 0.995 exact within 90 s on two cores")
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        train_from_shell(["--out", str(Path(folder) / "run.pt")])
        print(f"seconds, data and evaluation included: {time.perf_counter() - start:.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--short", action="store_true", help="fewer rounds")
    parser.add_argument("--without-training", action="store_true")
    args = parser.parse_args()
    rounds = 5 if args.short else 40
    print(ROW.format("median milliseconds", "ours", "other", "ratio", "other is; goal"))
    training_step(rounds)
    attention(8, 128, 256, 8, rounds)
    attention(2, 512, 512, 8, rounds)
    attention(1, 2048, 512, 8, max(3, rounds // 4))
    decoding(rounds)
    memory()
    if not args.without_training:
        training()


if __name__ == "__main__":
    main()
