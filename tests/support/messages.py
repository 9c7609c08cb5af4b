"""The messages that readers paste, and the code that brings them about: see messages.toml."""

import ast
import copy
import io
import pickle
import re
import tomllib
import warnings
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

from follow_the_tensor import (
    MultiHeadAttention,
    PositionalEncoding,
    causal_mask,
    expand_mask,
    padding_mask,
)
from follow_the_tensor.faults import PositionsNeverRegistered

TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
CODE = [(title, code) for title, row in TABLE.items() for code in row.get("code", ())]
READ = [(title, *read) for title, row in TABLE.items() for read in row.get("read", ())]

NAMES = {
    "torch": torch, "nn": nn, "F": F, "copy": copy, "io": io, "pickle": pickle,
    "MultiHeadAttention": MultiHeadAttention, "PositionalEncoding": PositionalEncoding,
    "PositionsNeverRegistered": PositionsNeverRegistered,
    "causal_mask": causal_mask, "expand_mask": expand_mask, "padding_mask": padding_mask,
    "SPLIT": torch.zeros(2, 3, 4, 4),  # [B, H, L, d_k]
    "X": torch.zeros(2, 4, 12),  # [B, L, D]
    "IDS": torch.tensor([[4, 5, 0, 0], [6, 7, 8, 0]]),  # [B, L]
    "FLAG": torch.tensor([[False, False, True, True]] * 2),  # [B, L], True blocks
    "KEEP": torch.tensor([True, False]),
    "ADDITIVE": nn.Transformer.generate_square_subsequent_mask(4),  # [L, L]
    "LABELS": torch.zeros(8, dtype=torch.long),
    "SAVED": nn.Linear(2, 2).state_dict(),
    "MHA": nn.MultiheadAttention(12, 3, batch_first=True),
    "LAYER": nn.TransformerEncoderLayer(12, 3, batch_first=True),
}  # fmt: skip


def complaint(code):
    """The error that the code raises, or the first warning that it gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.set_warn_always(True)  # some are given only once in a process
        try:
            exec(compile(ast.parse(code), "train.py", "exec"), {**NAMES, "__name__": "train"})
        except Exception as error:
            return error
        finally:
            torch.set_warn_always(False)
    return caught[0].message if caught else None


def as_printed(said):
    """With the name of its class in front, as a traceback ends."""
    return f"{type(said).__name__}: {said}"


def elsewhere(message):
    """The same message in another program: other numbers, names and paths."""
    message = re.sub(r"\b(?=m)my_?\w+|\bMy\w+", lambda name: f"his{len(name[0])}", message)
    return re.sub(
        r"(?<![\w.])\d+\b|\b\d+(?=x\d)|(?<=\dx)\d+\b", lambda n: str(int(n[0]) % 5003 + 17), message
    )
