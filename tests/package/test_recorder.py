"""The recorder behind the stepper: what it writes down."""

import html
import json
import math
import os
import subprocess
import sys

import pytest
import torch
from torch import nn

from follow_the_tensor import (
    DecoderLayer,
    EncoderLayer,
    MultiHeadAttention,
    PositionalEncoding,
    causal_mask,
    faults,
    padding_mask,
)
from follow_the_tensor.recording.recorder import record
from follow_the_tensor.recording.source import axes_in, axes_in_docstring, fit_axes
from follow_the_tensor.recording.tracer import MAX_STEPS
from tests.support.cells import cell
from tests.support.helpers import D_FF, LS, LT, B, D, H, draw

SRC = padding_mask(torch.tensor([[4, 5, 6, 2, 0, 0], [7, 8, 9, 10, 2, 0]]))
TWO = torch.zeros(2)


def attention():
    torch.manual_seed(0)
    return MultiHeadAttention(4, 2).double(), draw(1, 3, 4, dtype=torch.float64)


def decoder():
    torch.manual_seed(0)
    layer = DecoderLayer(D, H, D_FF, 0.1).double()
    return layer, draw(B, LT, D, dtype=torch.float64), draw(B, LS, D, dtype=torch.float64)


def masked():
    """One head, its mask, and each call inside it."""
    layer, x = attention()
    return record(layer, x, x, x, causal_mask(3))


def functions(recording):
    """The name of the running function at each step."""
    frames, known = recording.data["frames"], recording.data["functions"]
    return [known[frames[step[0]][0]]["name"] for step in recording.steps]


def lines(recording):
    """The text of the current line at each step, without comments."""
    frames, known = recording.data["frames"], recording.data["functions"]
    texts = [known[frames[step[0]][0]]["source"].split("\n") for step in recording.steps]
    found = [text[step[1] - 1] for text, step in zip(texts, recording.steps, strict=True)]
    return [line.split("  #")[0].strip() for line in found]


def locals_at(recording, line):
    """The locals when `line` is the next to run, for the first time."""
    return recording.locals_at(lines(recording).index(line))


def axes(values):
    return {name: names for name, (_, names) in values.items() if names}


def size(recording):
    return len(html.escape(json.dumps(recording.data, ensure_ascii=False)))


def value(thing):
    return record(lambda x: x, thing).locals_at(0)["x"][0]


# --- which lines, in which order, and what each of them has changed

MARKS = {"line": "", "return": "=", "yield": "~", "exception": "!"}


def told(recording):
    """Each step as >line+made-gone, with > for each call around it and a mark of the event."""
    frames, seen, parts = recording.data["frames"], set(), []
    for frame, line, event, changes, _ in recording.steps:
        depth, outer = 0, frames[frame][1]
        while outer >= 0:
            depth, outer = depth + 1, frames[outer][1]
        made = "".join(f"{'+' if entry else '-'}{name}" for name, entry in changes.items())
        parts.append(">" * depth + f"{line}{MARKS[event]}" + (made if frame in seen else ""))
        seen.add(frame)
    return " ".join(parts)


STEPS = {  # the text of f, its inputs, the steps of f(*inputs) by the numbers of its lines
    "the locals before a line runs": (
        "def f(x):\n    y = x + 1\n    return y",
        [TWO],
        "2 3+y 3=",
    ),
    "a statement of several lines": (
        "def f(x):\n    y = max(\n        [\n            x,\n        ]\n    )\n    return y",
        [2],
        "2 7+y 7=",
    ),
    "a loop": (
        "def f(x):\n    for _ in range(2):\n        x = x + 1\n    return x",
        [1],
        "2 3 2+x 3 2+x 4 4=",
    ),
    "comprehensions": (
        "def f(x):\n    y = [n * 2 for n in x]\n    return sum(n for n in y)",
        [[1, 2]],
        "2 3+y 3=",
    ),
    "a class statement": (
        "def f(x):\n    class A:\n        y = 1\n    return A.y",
        [1],
        "2 4+A 4=",
    ),
    "recursion": (
        "def f(n):\n    if n == 0:\n        return 1\n    return n * f(n - 1)",
        [2],
        "2 4 >2 >4 >>2 >>3 >>3= >4= 4=",
    ),
    "a generator": (
        "def g(n):\n    i = 0\n    while i < n:\n        yield i\n        i += 1\n"
        "def f(n):\n    return list(g(n))",
        [2],
        "2 >2 >3+i >4 >4~ >5 >3+i >4 >4~ >5 >3+i >3= 2=",
    ),
    "a generator that is left half way": (
        "def g():\n    yield 1\n    yield 2\ndef f():\n    for n in g():\n        return n",
        [],
        "2 >2 >2~ 3+n 3=",
    ),
    "a coroutine": (
        "import asyncio\nasync def g(n):\n    await asyncio.sleep(0)\n    return n\n"
        "def f(n):\n    return asyncio.run(g(n))",
        [1],
        "2 >2 >2~ >3 >3= 2=",
    ),
    "what changes, in place too": (
        "def f(x):\n    y = x + 1\n    z = y\n    y = y * 2\n    x.add_(1)\n    del z\n"
        "    return y",
        [TWO.clone()],
        "2 3+y 4+z 5+y 6+x 7-z 7=",
    ),
    "the same numbers in a new tensor": (
        "def f(x):\n    x = x.clone()\n    return x",
        [TWO],
        "2 3+x 3=",
    ),
    "outside the corner that is shown": (
        "def f(x):\n    x[-1, -1] = 7\n    return x",
        [torch.zeros(100, 100)],
        "2 3+x 3=",
    ),
    "in the corner, past autograd": (
        "def f(x):\n    x.data[0, 0] = 7\n    return x",
        [torch.zeros(100, 100)],
        "2 3+x 3=",
    ),
    "a list that is longer than what is shown of it": (
        "def f(x):\n    x.append(1)\n    return x",
        [list(range(100))],
        "2 3+x 3=",
    ),
    "a call changes what its caller holds": (
        "def g(x):\n    x += 1\ndef f(x):\n    g(x)\n    return x",
        [TWO.clone()],
        "2 >2 >2=+x 3+x 3=",
    ),
    "an error that is caught": (
        "def f(x):\n    try:\n        return x.view(3)\n    except RuntimeError:\n        return x",
        [TWO],
        "2 3 3! 4 5 5=",
    ),
    "an error far down": (
        "def f(n):\n    if n == 0:\n        raise ValueError\n    return f(n - 1)",
        [1],
        "2 4 >2 >3 >3!",
    ),
    "an error that blocks clean up after": (
        "def f(x):\n    try:\n        with open(x):\n            pass\n"
        "    finally:\n        x = None",
        ["/no/such"],
        "2 3 3!",
    ),
    "the error in the middle of nothing": (
        "def f(x):\n    try:\n        1 / 0\n    except ZeroDivisionError:\n        x.view(3)",
        [TWO],
        "2 3 3! 4 5 5!",
    ),
}


@pytest.mark.parametrize(("text", "inputs", "expected"), STEPS.values(), ids=STEPS)
def test_steps(text, inputs, expected):
    # Each function counts its lines from its own head.
    assert told(record(cell(text)["f"], *inputs)) == expected


def test_calls_are_nested_as_they_run():
    data = masked().data
    name = [function["name"].split(".")[-1] for function in data["functions"]]
    calls = [(name[f], name[data["frames"][at][0]] if at >= 0 else "") for f, at in data["frames"]]
    assert [call for call in calls if "mask" not in call[0] or "soft" in call[0]] == [
        ("forward", ""),
        *[("split_heads", "forward")] * 3,
        ("scaled_dot_product_attention", "forward"),
        ("masked_softmax", "scaled_dot_product_attention"),
        ("combine_heads", "forward"),
    ]


def test_long_statements_and_docstrings_have_their_lines():
    text = 'def f(x):\n    """One.\n\n    Two.\n    """\n    return (\n        x\n    )'
    (function,) = record(cell(text)["f"], 1).data["functions"]
    assert (function["heads"], function["docstring"]) == ([[2, 5], [6, 8]], [2, 5])


def test_the_same_run_gives_what_was_returned_and_yielded():
    text, inputs, _ = STEPS["a generator"]
    recording = record(cell(text)["f"], *inputs)
    assert recording.result == [0, 1]
    told = [recording.look_up(step[4])[0]["text"] for step in recording.steps if step[4]]
    assert told == ["0", "1", "None", "[0, 1]"]
    x = torch.zeros(2)
    assert record(lambda y: y, x).result is x


# --- what can be recorded


class Doubler(nn.Module):
    """A reader's own layer.

    Shapes:
        x: [B, D]
    """

    def __init__(self):
        super().__init__()
        self.scale = 2
        self.linear = nn.Linear(2, 2, bias=False)

    def forward(self, x):
        x = self.linear(x)  # [B, D]
        return self.double(x)

    def double(self, x):
        return x * self.scale


def test_a_readers_own_module():
    recording = record(Doubler(), torch.ones(3, 2))
    names = ["Doubler.forward"] * 2 + ["Doubler.double"] * 2 + ["Doubler.forward"]
    assert functions(recording) == names
    assert list(recording.locals_at(0)) == ["self", "x"]
    assert recording.locals_at(0)["x"][1] == ["B", "D"]
    assert recording.locals_at(0)["self"][0] == {
        "kind": "module",
        "class": "Doubler",
        "numbers": {"training": "True", "scale": "2"},
        "tensors": {},
        "children": {"linear": "Linear"},
    }


def test_a_constructor_fills_self():
    recording = record(PositionalEncoding, 6, 0.0, 4)
    assert recording.locals_at(0)["self"][0]["numbers"] == {}
    last = recording.locals_at(len(recording.steps) - 1)["self"][0]
    assert last["tensors"] == {"pe": [1, 4, 6]}
    assert last["numbers"]["max_len"] == "4"
    assert "sinusoid_table" in functions(recording)


def test_hooks_closures_and_lambdas():
    factor = torch.tensor([2.0, 3.0])
    scale = [
        lambda x: (
            x * factor  # the lines of a lambda are those of the statement that holds it
        ),
    ]
    linear = nn.Linear(2, 2)
    linear.register_forward_hook(lambda module, args, output: scale[0](output))
    recording = record(linear, torch.ones(2))
    assert set(functions(recording)) == {"<lambda>"}
    shown = [function["source"].split("\n")[0] for function in recording.data["functions"]]
    assert shown[1] == "scale = ["
    assert locals_at(recording, "scale = [")["factor"][0]["values"] == [2, 3]


def test_what_was_compiled_runs_as_it_was_written():
    compiled = torch.compile(cell("def f(x):\n    y = x + 1\n    return y")["f"], backend="eager")
    compiled(TWO)
    assert told(record(compiled, TWO)) == "2 3+y 3="


def test_a_training_step_runs_with_its_gradients():
    linear, x = nn.Linear(2, 1), torch.ones(3, 2)
    optimizer = torch.optim.SGD(linear.parameters(), lr=0.1)

    def step(x):
        loss = linear(x).square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    recording = record(step, x)
    assert len(recording.steps) == 6
    assert recording.result > step(x)


# --- errors


def heads():
    return [torch.ones(2, 3, 4, 4)] * 3


EMPTY = torch.tensor([[True, True], [False, False]])
FAULTS = {  # a call that raises, and the line at which it does
    "1 positions never registered": (
        lambda: (faults.PositionsNeverRegistered(6), torch.zeros(1, 3, 6)),
        "x = x + self.pe[:, :L].to(x.dtype)",
    ),
    "2 positions for even sizes": (
        lambda: (faults.PositionsForEvenSizes, 5),
        "pe[:, 1::2] = torch.cos(angles)",
    ),
    "3 bmm": (
        lambda: (faults.scores_with_bmm, torch.ones(1, 2, 3, 4), torch.ones(1, 2, 3, 4)),
        "return torch.bmm(Q / math.sqrt(Q.size(-1)), K.transpose(-2, -1))",
    ),
    "4 three axes": (
        lambda: (faults.CombinesThreeAxes(4, 2), *[torch.ones(1, 3, 4)] * 3),
        'B, L, _ = check_shape("x", x, "B", self.num_heads, "L", self.d_k)',
    ),
    "5 no sizes": (
        lambda: (faults.SublayersWithoutSizes, D, H, D_FF),
        "self.self_attn = MultiHeadAttention()",
    ),
    "6 no head axis": (
        lambda: (faults.attention_without_head_axis, *heads(), torch.ones(2, 4, 4) > 0),
        'scores = scores.masked_fill(blocked, float("-inf"))',
    ),
    "7 -1e9 in float16": (
        lambda: (faults.fill_with_large_negative, torch.zeros(2, 2).half(), EMPTY),
        "return scores.masked_fill(~mask, -1e9)",
    ),
    "a check of ours": (
        lambda: (MultiHeadAttention(4, 2), *[torch.ones(1, 3, 4)] * 2, torch.ones(1, 2, 4)),
        'check_floats("V", V, B, Lk, self.d_model',
    ),
}


@pytest.mark.parametrize(("call", "line"), FAULTS.values(), ids=FAULTS)
def test_the_recording_of_a_fault_ends_at_the_failing_line(call, line):
    function, *inputs = call()
    with pytest.raises(Exception) as plain:  # noqa: PT011 (each fault has its own type)
        function(*inputs)
    recording = record(function, *inputs)
    assert lines(recording)[-1].startswith(line)
    assert recording.error == {"type": plain.type.__name__, "message": str(plain.value)}
    assert recording.steps[-1][2:] == ["exception", recording.steps[-1][3], recording.error]
    assert recording.result is None


def test_the_fault_that_does_not_raise():
    recording = record(faults.softmax_of_empty_rows, torch.zeros(2, 2), EMPTY, float("-inf"))
    assert recording.error is None
    returned, _ = recording.look_up(recording.steps[-1][4])
    assert returned["values"] == [[0.5, 0.5], ["nan", "nan"]]


# --- values


def test_a_small_tensor_is_written_whole():
    assert value(torch.tensor([[1.00004, -0.00001], [2.5, 1e-9]]).t()) == {
        "kind": "tensor",
        "shape": [2, 2],
        "dtype": "float32",
        "stride": [1, 2],
        "contiguous": False,
        "values": [[1, 2.5], [0, 0]],
    }


def test_numbers_are_the_same_text_everywhere():
    encoded = value(torch.tensor([-0.0, -1e-7, float("-inf"), float("inf"), float("nan"), -1e9]))
    assert json.dumps(encoded["values"]) == '[0.0, 0.0, "-inf", "inf", "nan", -1000000000.0]'
    assert value(torch.tensor([True, False]))["values"] == [1, 0]
    assert value(torch.tensor(3))["values"] == 3
    assert value(torch.zeros(0, 3))["values"] == []


def test_a_large_tensor_is_summarised_and_says_so():
    encoded = value(torch.arange(2.0 * 3 * 10 * 20).view(2, 3, 10, 20))
    assert encoded["shown"] == [2, 2, 6, 6]
    assert encoded["values"][1][1][5] == [800 + 100 + n for n in range(6)]
    assert (encoded["min"], encoded["max"]) == (0, 1199)


KINDS = [
    torch.zeros(2, device="meta"),
    torch.eye(3).to_sparse(),
    torch.tensor([1 + 2j]),
    torch.zeros(100, dtype=torch.complex64),
    torch.zeros(2, dtype=torch.bfloat16),
    nn.Parameter(torch.zeros(2)),
    torch.ones(100, dtype=torch.bool),
    torch.zeros([2] * 14),
]


@pytest.mark.parametrize("tensor", KINDS, ids=lambda tensor: f"{tensor.dtype} {tensor.dim()}")
def test_tensors_of_every_kind(tensor):
    encoded = value(tensor)
    assert encoded["shape"] == list(tensor.shape)
    assert len(json.dumps(encoded, allow_nan=False)) < 4_000


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        (3, "3"),
        (0.1, "0.1"),
        (None, "None"),
        ("word", "'word'"),
        ((1, 2), "(1, 2)"),
        ((1,), "(1,)"),
        (b"ab", "b'ab'"),
        (torch.Size([2, 3]), "torch.Size([2, 3])"),
        (torch.float64, "torch.float64"),
        (math, "module math"),
        (nn.Linear, "class Linear"),
        (decoder, "function decoder"),
        (len, "built-in function len"),
        (ValueError("no"), "ValueError('no')"),
        ({"b", "a"}, "{'a', 'b'}"),
        (set(range(1000)), "<set of 1000>"),
        (list(range(1000)), "[0, 1, 2, 3, 4, 5, ... 1000 in all]"),
        ({1: "a"}, "{1: 'a'}"),
        (object(), "<object>"),
        (10**100, "<int of 333 bits>"),
        ("a" * 1000, f"'{'a' * 37}...{'a' * 37}'"),
    ],
)
def test_other_values_are_a_short_text(thing, text):
    assert value(thing) == {"kind": "text", "text": text}


def test_containers_of_tensors_show_their_tensors():
    text = 'def f(x):\n    x = x + 1  # [B, L]\n    return {"x": x, "list": [x] * 20}'
    recording = record(cell(text)["f"], torch.zeros(2, 3))
    returned, _ = recording.look_up(recording.steps[-1][4])
    (name, *entry), (_, inner) = returned["items"]
    assert name == "'x'"
    assert recording.look_up(entry)[1] == ["B", "L"]
    inside = recording.look_up([inner])[0]
    assert (inside["type"], len(inside["items"]), inside["more"]) == ("list", 12, 8)


def test_inside_inference_mode_and_vmap():
    f = cell("def f(x):\n    y = x * 2\n    return y + 1")["f"]
    with torch.inference_mode():
        assert record(f, torch.ones(3)).error is None
    assert torch.equal(record(torch.vmap(f), torch.ones(3, 2)).result, torch.full((3, 2), 3.0))


LARGE = {  # values of n parts
    "list": lambda n: list(range(n)),
    "list of tensors": lambda n: [TWO] * n,
    "nested": lambda n: [[[list(range(n))] * n] * n],
    "tuple": lambda n: tuple(range(n)),
    "dict": lambda n: dict.fromkeys(range(n)),
    "set": lambda n: set(range(n)),
    "text": lambda n: "a" * n,
    "bytes": lambda n: bytearray(n),
    "integer": lambda n: 1 << n,
    "module": lambda n: nn.ModuleList([nn.Identity()] * n),
    "tensor": lambda n: torch.arange(n),
    "expanded": lambda n: torch.zeros(1).expand(n),
}


@pytest.mark.parametrize("make", LARGE.values(), ids=LARGE)
def test_the_work_does_not_grow_with_the_value(make):
    """Counted in calls, of Python and of C, that five more lines take."""

    def calls(n, lines):
        made = []
        x, f = make(n), cell("def f(x):\n" + lines * "    y = x\n")["f"]
        record(f, None)  # its text is read the first time
        sys.setprofile(lambda frame, event, arg: made.append(event))
        try:
            record(f, x)
        finally:
            sys.setprofile(None)
        return len(made)

    small, large = (calls(n, 10) - calls(n, 5) for n in (100, 3000))
    assert 0 < large <= 1.2 * small


def test_extremes_of_a_large_tensor_are_looked_for_once(monkeypatch):
    from follow_the_tensor.recording import values

    looks, look = [], values._min_and_max
    monkeypatch.setattr(values, "_min_and_max", lambda plain: looks.append(1) or look(plain))
    text = "def f(x):\n" + 5 * "    y = x\n" + "    x += 1\n" + 5 * "    y = x\n"
    record(cell(text)["f"], torch.zeros(100, 100))
    assert len(looks) == 2


# --- names of axes


def test_axes_come_from_comments_docstrings_and_calls():
    recording = masked()
    assert axes(recording.locals_at(0)) == {
        "Q": ["B", "Lq", "D"],
        "K": ["B", "Lk", "D"],
        "V": ["B", "Lk", "D"],
        "mask": ["Lq", "Lk"],
    }
    found = axes(locals_at(recording, "output = self.W_out(self.combine_heads(context))"))
    assert found["weights"] == ["B", "H", "Lq", "Lk"]
    assert found["K"] == ["B", "H", "Lk", "d_k"]
    # masked_softmax says [..., Lq, Lk]; its caller knows what the dots are.
    assert axes(locals_at(recording, "blocked = ~mask"))["scores"] == ["B", "H", "Lq", "Lk"]
    last = "return torch.softmax(safe, dim=-1).masked_fill(all_masked, 0.0)"
    assert axes(locals_at(recording, last))["all_masked"] == ["B", None, "Lq", None]  # H is 2
    # combine_heads has no docstring.
    first = functions(recording).index("MultiHeadAttention.combine_heads")
    assert axes(recording.locals_at(first))["x"][:3] == ["B", "H", "Lq"]


def test_the_callers_names_stay_its_own():
    layer, x, memory = decoder()
    recording = record(layer, x, memory)
    found = axes(recording.locals_at(len(recording.steps) - 1))
    assert (found["x"], found["encoder_output"]) == (["B", "Lt", "D"], ["B", "Ls", "D"])


def test_an_axis_of_size_1_has_no_name_where_it_only_broadcasts():
    layer = EncoderLayer(D, H, D_FF).double()
    recording = record(layer, draw(B, LS, D, dtype=torch.float64), SRC)
    first = functions(recording).index("MultiHeadAttention.forward")
    assert axes(recording.locals_at(first))["mask"] == ["B", None, None, "Lk"]


COMMENTS = """
def f(x):
    q, k = torch.ones(2, 5, 4)  # two tensors [L, d_k]
    B, n = torch.ones(2, 3), 7  # [L, D]
    y = x + 1  # [B, L, D] does not fit
    z = x[0]  # see [1]
    w = x + 2  # [0:2]
    return q
"""


def test_a_comment_names_what_it_fits():
    recording = record(cell(COMMENTS, torch=torch)["f"], torch.zeros(2, 3))
    found = axes(locals_at(recording, "return q"))
    assert found == {"q": ["L", "d_k"], "k": ["L", "d_k"], "B": ["L", "D"]}


def test_the_words_of_axes():
    assert axes_in("# [B, L, D] + [1, L, D]") == [("B", "L", "D"), ("1", "L", "D")]
    assert axes_in("# [ceil(D/2)] [B=1, L = 2] [2 * D, H·d_k]") == [
        ("ceil(D/2)",),
        ("B", "L"),
        ("2 * D", "H·d_k"),
    ]
    assert axes_in("x[B, L] and [:, None] and []") == []
    assert axes_in("broadcasts to [B, H]") == [("B?", "H?")]
    assert axes_in_docstring("T.\n\nShapes:\n    Q: [B, D]    K: [D]\n    returns: [H]\n") == {
        "Q": [("B", "D")],
        "K": [("D",)],
        "returns": [("H",)],
    }
    assert axes_in_docstring("No shapes: [B]") == {}


FITS = [  # what a comment says, a shape, the sizes and the dots that are known, the names
    (("...", "L"), (2, 3), {}, (), (None, "L")),
    (("...", "L"), (2, 3), {}, ("B",), ("B", "L")),
    (("...", "B", "L"), (3,), {}, (), None),
    (("B", "1"), (2, 3), {}, (), None),
    (("B", "L"), (2, 3), {"B": 5}, (), (None, "L")),
    (("B?", "L?"), (1, 3), {}, (), (None, "L")),
]


@pytest.mark.parametrize(("names", "shape", "sizes", "leading", "fitted"), FITS)
def test_names_are_fitted_to_a_shape(names, shape, sizes, leading, fitted):
    assert fit_axes(names, shape, sizes, leading) == fitted


# --- the written-out attention, and where to open


def test_layers_go_through_the_written_out_attention():
    layer, x, memory = decoder()
    recording = record(layer.eval(), x, memory, SRC, causal_mask(LT))
    ran = lines(recording)
    assert sum(line.startswith("scores = torch.matmul") for line in ran) == 2
    assert sum(line.startswith("return torch.softmax") for line in ran) >= 2
    assert not any("F.scaled_dot_product" in line for line in ran)
    assert not {"attention_maps.<locals>.ask", "ask", "hook"} & set(functions(recording))
    torch.testing.assert_close(recording.result, layer(x, memory, SRC, causal_mask(LT)))


LAYER, X = attention()


class Holder:
    def __init__(self):
        self.layer = LAYER

    def run(self, x):
        return self.layer(x, x, x)


class Holding(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = LAYER

    def forward(self, x):
        return self.layer(x, x, x)


class Own(MultiHeadAttention):
    def forward(self, x):  # it cannot be asked for weights
        return super().forward(x, x, x)


REACHED = {
    "a method": (lambda: Holding().forward, [X], True),
    "a global": (lambda: lambda x: LAYER(x, x, x), [X], True),
    "an argument": (lambda: lambda layer, x: layer(x, x, x), [LAYER, X], True),
    "in a list": (lambda: lambda layers, x: layers[0](x, x, x), [[LAYER], X], True),
    "in an object": (lambda: Holder().run, [X], True),
    "a reader's own": (lambda: Own(4, 2).double(), [X], False),
}


@pytest.mark.parametrize(("make", "inputs", "reached"), REACHED.values(), ids=REACHED)
def test_which_attention_is_reached(make, inputs, reached):
    names = functions(record(make(), *inputs))
    assert ("scaled_dot_product_attention" in names) is reached
    assert not LAYER._forward_hooks


def test_checks_stops_and_start():
    recording = masked()
    ran = lines(recording)
    checks = {ran[number] for number in recording.data["checks"]}
    assert all("check_" in line for line in checks)
    assert len(checks) == len({line for line in ran if "check_" in line})
    assert ran[recording.start] == "Q = self.split_heads(self.W_q(Q))"
    stops = recording.data["stops"]
    telling = "x Q K V scores blocked all_masked safe weights context output".split()
    assert [name for name in stops if name in telling] == telling
    assert not {"self", "d_k"} & set(stops)  # an argument, and what checks return
    assert "scores" in recording.steps[stops["scores"]][3]
    assert ran[stops["weights"]].startswith("context = torch.matmul")
    assert record(lambda x: x, 1).start == 0


# --- size


def test_recordings_of_the_chapters_are_small():
    layer, x, memory = decoder()
    recording = record(layer, x, memory, SRC, causal_mask(LT))
    assert size(recording) < 75_000
    assert recording.data["cut"] is None
    assert size(masked()) < 25_000


LOOP = "def f(n, x, step):\n    for _ in range(n):\n        x = x + step\n    return x"
CUTS = [  # how often, what; after how many steps it is cut, and what is shown of the tensors
    (2 * MAX_STEPS, torch.zeros(3), 0, MAX_STEPS, None),
    (120, torch.zeros(4, 4, 20, 20), 1, None, [1, 1, 3, 4]),
    (400, torch.zeros(4, 4, 20, 20), 1, ..., [1, 1, 2, 3]),
]


@pytest.mark.parametrize(("often", "x", "step", "cut", "shown"), CUTS)
def test_what_is_too_large_is_cut_and_says_so(often, x, step, cut, shown):
    recording = record(cell(LOOP)["f"], often, x, step)
    assert size(recording) < 100_000
    assert recording.result.max() == often * step
    assert recording.locals_at(1)["x"][0].get("shown") == shown
    if cut is None:
        assert recording.data["cut"] is None
    else:
        assert recording.data["cut"] == len(recording.steps)
        assert cut in (..., len(recording.steps))
    assert max(recording.data["stops"].values()) < len(recording.steps)


SCRIPT = """
import hashlib, json, torch
from follow_the_tensor import DecoderLayer, causal_mask
from follow_the_tensor.recording.recorder import record
torch.set_default_dtype(torch.float64)  # float32 draws differ in their last bit
torch.manual_seed(0)
layer = DecoderLayer(12, 3, 24, 0.0)
x, memory = torch.randn(2, 4, 12), torch.randn(2, 6, 12)
text = json.dumps(record(layer, x, memory, None, causal_mask(4)).data, allow_nan=False)
assert "follow_the_tensor/" not in text and " at 0x" not in text
print(hashlib.sha256(text.encode()).hexdigest())
"""


def test_every_run_and_every_processor_gives_the_same_recording():
    runs = []
    for capability, seed in (("default", "1"), ("avx2", "2")):
        environment = os.environ | {"ATEN_CPU_CAPABILITY": capability, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", SCRIPT]
        runs.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True))
    first, second = [run.communicate()[0] for run in runs]
    assert len(first) > 1
    assert first == second


def test_no_recording_names_a_place_on_this_machine():
    assert os.path.dirname(__file__) not in json.dumps(masked().data)
