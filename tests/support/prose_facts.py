"""Sentences whose numbers no cell near them shows, with the numbers worked out here.

For each page: pieces of its prose, word for word, code left out.
"""

import datetime
import math
import re
import sys
import tomllib

import torch
import yaml

from benchmarks import layers
from follow_the_tensor import (
    MultiHeadAttention,
    PositionalEncoding,
    causal_mask,
    load_date_reader,
    padding_mask,
)
from follow_the_tensor.dates.__main__ import PAIRS
from follow_the_tensor.dates.task import CALENDAR, ISO_CHARACTERS, LANGUAGES
from follow_the_tensor.explorables import ModelMap
from follow_the_tensor.parity.inputs import SIZES
from follow_the_tensor.transformer import embedding
from tests.support.helpers import D_FF, D_K, LS, LT, B, D, H
from tests.support.notebook_guard import ROOT

V = ModelMap.V.default_value  # entries of the vocabulary in the running example
MANTISSA = {torch.float64: sys.float_info.mant_dig, torch.float32: 24, torch.bfloat16: 8}
assert all(torch.finfo(dtype).eps == 2.0 ** (1 - bits) for dtype, bits in MANTISSA.items())
PICTURED = PositionalEncoding(d_model=D, max_len=60).pe[0]  # [L, D], in chapter 2
NAMES = [name for name, _ in MultiHeadAttention(D, H).named_parameters()]
FIRST, LAST = (datetime.date.fromordinal(CALENDAR[end]) for end in (0, -1))
STEPS = len(LAST.isoformat()) + 1  # to write a date and EOS
HEADS = torch.arange(B * H * LT * D_K).view(B, H, LT, D_K)[0, :, 0].tolist()  # of token 0
EMBEDDED = embedding(1000, D, 0, "rows").weight.detach()  # [1000, D]
NORMED = torch.nn.LayerNorm(D)(torch.randn(1000, D)).detach()
WIDEST = max(sizes.D for sizes in SIZES.values())
STUCK = 256  # where a sum of ones in bfloat16 stops, in chapter 17
NEXT = STUCK * (1 + torch.finfo(torch.bfloat16).eps)
assert torch.tensor(STUCK + 1, dtype=torch.bfloat16) == STUCK


def row(numbers):
    """1, 2 and 3"""
    *first, last = map(str, numbers)
    return f"{', '.join(first)} and {last}"


def spaced(number):
    return f"{number:,}".replace(",", " ")


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def mean_and_variance(x):
    return f"{x.mean().abs():.0f}", f"{x.var():.0f}"


def citation():
    return yaml.safe_load(read("CITATION.cff"))


def source_article():
    return citation()["references"][0]


PROJECT = tomllib.loads(read("pyproject.toml"))["project"]
OLDEST_PYTHON = PROJECT["requires-python"].removeprefix(">=")
(OLDEST_TORCH,) = re.findall(r"torch>=([\d.]+)", " ".join(PROJECT["dependencies"]))


EXPLORABLES = "src/follow_the_tensor/explorables"
(WITH_NUMBERS,) = re.findall(
    r"const WITH_NUMBERS = (\d+);", read(f"{EXPLORABLES}/positions/view.js")
)

FACTS = {
    "README": [f"Python {OLDEST_PYTHON} or newer", f"dates in {len(LANGUAGES)} languages"],
    "book/index": [
        f"read dates in {len(LANGUAGES)} languages",
        f"adding {[B, LS, D]} and {[1, LS, D]}",
    ],
    "book/about": [
        f", {source_article()['date-published']:%-d %B %Y}. The article",
    ],
    "book/functions": [
        "around {} with variance {}".format(*mean_and_variance(torch.randn(1000))),
        f"float of {torch.finfo(torch.float64).bits} bits, {MANTISSA[torch.float64]} of them",
        f"float of {torch.finfo(torch.float32).bits} bits, {MANTISSA[torch.float32]} of them",
        f"float of {torch.finfo(torch.float16).bits} bits",
        f"number of {torch.iinfo(torch.int64).bits} bits",
        f"number of {torch.iinfo(torch.int32).bits} bits",
        f"A `float32` takes {torch.float32.itemsize} bytes",
        "to mean {} and variance {}".format(*mean_and_variance(NORMED)),
        f"length {EMBEDDED.square().sum(dim=-1).mean():.0f} on average",
    ],
    "book/notation": [
        f"| B | sentences in a batch | {B} |",
        f"| Ls | positions of the source | {LS} |",
        f"| Lt | positions of the target | {LT} |",
        f"| Lq | queries: positions that ask | {LS} or {LT} |",
        f"| Lk | keys: positions that answer | {LS} or {LT} |",
        f"features of one position | {D} |",
        f"heads of attention | {H} |",
        f"features of one head | {D_K} |",
        f"features inside the feed-forward network | {D_FF} |",
        f"entries of the vocabulary | {V} |",
        f"{[B, LS, D]} for the source and {[B, LT, D]} for the target",
        f"Query {2} may attend to the keys {row(causal_mask(4)[2].nonzero().flatten().tolist())}",
        " | ".join(["| query", *(f"key {key}" for key in range(4))]),
        *(" | ".join([f"| **{q}**", *map(str, causal_mask(4)[q].tolist())]) for q in range(4)),
    ],
    "book/questions": [f"ends at {torch.finfo(torch.float16).min:.0f}"],
    "book/references": [
        f"of {source_article()['date-published']:%-d %B %Y}",
        f"the dates of {len(LANGUAGES)} languages",
    ],
    "book/running": [
        f"Python {OLDEST_PYTHON} or newer",
        f"Python {OLDEST_PYTHON} with PyTorch {OLDEST_TORCH}",
    ],
    "01_syntax": [
        f"have {MANTISSA[torch.float64]} binary digits",
        f"{[LS, 1]} and {[B, LS, D]} fit",
        f": {', '.join(f'{a} + {a + 3}' for a in (1, 2, 3))}. The size",
        f"{2 * 12} numbers in 2 rows leave 12",
    ],
    "02_positional_encoding": [
        f"and not {math.degrees(2 * math.pi):.0f}",
        f"more than {90 // (2 * math.pi):.0f} turns",
        f"with {MANTISSA[torch.float64]} binary digits",
        f"the features are {', '.join(map(str, range(5)))}",
        f"more than {2 * math.pi * 10000 ** (10 / 12) // 1000:.0f} 000 for pair 5",
        f"from {-PICTURED.abs().max():.0f} to {PICTURED.abs().max():.0f}. Look",
        f"within {len(PICTURED)} positions",
        f"over {len(PICTURED)} positions. Feature 0",
        f"comes down to {PICTURED[-1, 4]:.1f}",
        f"more than {WITH_NUMBERS} rows or columns",
        f"its {MANTISSA[torch.float32]} binary digits",
    ],
    "04_masks": [
        f"takes the key columns {row(range(3, LS))}",
        f"uses {torch.float64.itemsize} bytes for a number, `float32` {torch.float32.itemsize}, "
        f"`float16` and `bfloat16` {torch.bfloat16.itemsize}",
        f"{list(padding_mask(torch.ones(3, 5).int()).shape)} broadcast",
    ],
    "05_heads_and_memory": [
        f"{HEADS[0][0]} to {HEADS[0][3]} from head 0, {HEADS[1][0]} to {HEADS[1][3]} from head 1",
        f"put 0 to {4 * 6 - 1} in",
    ],
    "06_feed_forward": [f"instead of {LS}"],
    "07_encoder": [
        f"1 times 2 are {-1 * 2} and {1 * 2}",
        f"first feature is {1 - 1 / 4} above",
        f"from {(2**2 + 2**2) / 2:.0f} to {(2**2 + 2**2) / (2 - 1):.0f}",
        f"become {-2 / math.sqrt(8):.4f}, {2 / math.sqrt(8):.4f}",
        f"doubled to {9 * 2} or {11 * 2}",
        f"2·2·D | {2 * 2 * D} |",
        f"plus 2 is {', '.join(str(number + 2) for number in (5, -1, 3, 1))}",
        f"The keys {LS - 2} and {LS - 1} of the first sentence",
        f"columns of keys {LS - 2} and {LS - 1}",
        f"queries {LS - 2} and {LS - 1}",
        f"the variance is {3**2}",
    ],
    "08_decoder": [
        f"{sum('weight' in name for name in NAMES)} weights and "
        f"{sum('bias' in name for name in NAMES)} biases, "
        f"so there are {len(NAMES)}·{len(NAMES)} pairs",
        f"columns of keys {LS - 2} and {LS - 1}",
    ],
    "09_full_example": [
        f"token {2 * 3} is not twice token 3",
        f"slope is −{2 * (5 - 2.6):.1f}",
    ],
    "10_eight_faults": [
        f"B = {B}, Ls = {LS}, Lt = {LT}, D = {D}, H = {H}",
        f"float16 has {8 * torch.float16.itemsize} bits",
    ],
    "11_tokens_and_data": [
        f"Write {12 * 28} days",
        f"from {FIRST.year} to {LAST.year}, {spaced(len(CALENDAR))} days",
        f"added to {len(ISO_CHARACTERS)} characters",
        f"The rows have {row(len(text) + 2 for text in ('7', '77', '777'))} ids",
    ],
    "12_whole_model": [f"from 2 to {2 * 2}. How", f"Source {[B, LS]}, target {[B, LT]}, V"],
    "13_training": [
        f"gives {divmod(7, 2)}: quotient",
        f"{spaced(PAIRS['train_pairs'])} different ones in {len(LANGUAGES)} languages",
        f"take {1800 // 64 * 64} words",
        f"from about {load_date_reader().curve[0]['loss']:.1f} to below",
    ],
    "14_generation": [
        f"with 1, 2, … {STEPS} ids",
        f"that makes {STEPS} positions",
        f"some {round(len(read(f'{EXPLORABLES}/shared/transformer.js').splitlines()), -1)} lines",
    ],
    "15_fast_attention": [
        f"For {LS} positions that is {LS**2} scores",
        f"the rest {4 * 8 * 8192 * 64 * 4 / 1e6:.0f} megabytes",
        f"The weights are {', '.join(f'{e}/{2 + 4 + 2}' for e in (2, 4, 2))}",
        f"they become {1 / 2} and {10 / 2:.0f}",
        f"L = {row(layers.SIZES)}",
    ],
    "17_parity": [
        f"up to {2 * WIDEST} in one sum",
        f"holds is {NEXT:.0f}, and {STUCK + 1} rounds back",
        f"bfloat16 holds {MANTISSA[torch.bfloat16]} bits",
        f"bfloat16 is 2⁻{'⁰¹²³⁴⁵⁶⁷⁸⁹'[MANTISSA[torch.bfloat16] - 1]}",
    ],
}
