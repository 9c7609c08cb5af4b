"""The recorder behind the stepper: what it writes down, and that it changes nothing."""

import html
import json
import linecache
import math
import os
import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from follow_the_tensor import (
    DecoderLayer,
    EncoderLayer,
    MultiHeadAttention,
    PositionalEncoding,
    attention_maps,
    causal_mask,
    faults,
    padding_mask,
    scaled_dot_product_attention,
)
from follow_the_tensor.positional import sinusoid_table
from follow_the_tensor.recording.recorder import record
from follow_the_tensor.recording.source import axes_in, axes_in_docstring, fit_axes
from follow_the_tensor.recording.tracer import MAX_STEPS
from tests.support.helpers import D_FF, LS, LT, B, D, H, draw

SRC = padding_mask(torch.tensor([[4, 5, 6, 2, 0, 0], [7, 8, 9, 10, 2, 0]]))


def attention():
    torch.manual_seed(0)
    return MultiHeadAttention(4, 2).double(), draw(1, 3, 4, dtype=torch.float64)


def decoder():
    torch.manual_seed(0)
    layer = DecoderLayer(D, H, D_FF, 0.1).double()
    return layer, draw(B, LT, D, dtype=torch.float64), draw(B, LS, D, dtype=torch.float64)


def functions(recording):
    """The name of the running function at each step."""
    frames, known = recording.data["frames"], recording.data["functions"]
    return [known[frames[step[0]][0]]["name"] for step in recording.steps]


def lines(recording):
    """The text of the current line at each step, without comments."""
    frames, known = recording.data["frames"], recording.data["functions"]
    texts = []
    for frame, line, *_ in recording.steps:
        function = known[frames[frame][0]]
        text = function["source"].split("\n")[line - 1]
        texts.append(text.split("  #")[0].strip())
    return texts


def changed(recording):
    """What each step marks: the names that the line before has changed."""
    seen, marks = set(), []
    for frame, _, _, changes, _ in recording.steps:
        marks.append(sorted(changes) if frame in seen else None)
        seen.add(frame)
    return marks


def axes(recording, number, name):
    return recording.locals_at(number)[name][1]


def size(recording):
    return len(html.escape(json.dumps(recording.data, ensure_ascii=False)))


def last_line(recording):
    return lines(recording)[-1]


# --- which lines, in which order


def test_calls_are_nested_as_they_run():
    layer, x = attention()
    recording = record(layer, x, x, x, causal_mask(3), need_weights=True)
    order = [name.split(".")[-1] for name in functions(recording)]
    runs = [name for n, name in enumerate(order) if n == 0 or order[n - 1] != name]
    assert runs == (
        ["forward", "split_heads"] * 3
        + ["forward", "scaled_dot_product_attention", "expand_mask"]
        + ["scaled_dot_product_attention", "masked_softmax", "scaled_dot_product_attention"]
        + ["forward", "combine_heads", "forward"]
    )


def test_a_call_knows_its_caller():
    layer, x = attention()
    data = record(layer, x, x, x, causal_mask(3), need_weights=True).data
    name = [function["name"].split(".")[-1] for function in data["functions"]]
    callers = {
        (name[function], name[data["frames"][caller][0]] if caller >= 0 else None)
        for function, caller in data["frames"]
    }
    assert callers == {
        ("forward", None),
        ("split_heads", "forward"),
        ("scaled_dot_product_attention", "forward"),
        ("expand_mask", "scaled_dot_product_attention"),
        ("masked_softmax", "scaled_dot_product_attention"),
        ("combine_heads", "forward"),
    }


def test_a_step_shows_the_locals_before_its_line_runs():
    def f(x):
        y = x + 1
        return y

    recording = record(f, torch.zeros(2))
    assert lines(recording) == ["y = x + 1", "return y", "return y"]
    assert [step[2] for step in recording.steps] == ["line", "line", "return"]
    assert list(recording.locals_at(0)) == ["x"]
    assert recording.locals_at(1)["y"][0]["values"] == [1, 1]
    assert recording.look_up(recording.steps[-1][4])[0]["values"] == [1, 1]


def test_a_statement_of_several_lines_is_one_step():
    def f(x):
        y = torch.cat(
            [
                x,
                x + 1,
            ]
        )
        return y

    recording = record(f, torch.zeros(2))
    assert lines(recording) == ["y = torch.cat(", "return y", "return y"]
    (function,) = recording.data["functions"]
    assert function["heads"] == [[2, 7]]


def test_a_loop_gives_a_step_for_each_turn():
    def f(x):
        for _ in range(2):
            x = x + 1
        return x

    head = "for _ in range(2):"
    expected = [head, "x = x + 1", head, "x = x + 1", head, "return x", "return x"]
    assert lines(record(f, torch.zeros(1))) == expected


def test_comprehensions_are_no_frames_and_no_steps():
    def f(x):
        rows = [row * 2 for row in x]
        return sum(row.sum() for row in rows)

    recording = record(f, torch.ones(3, 2))
    assert lines(recording) == [
        "rows = [row * 2 for row in x]",
        "return sum(row.sum() for row in rows)",
        "return sum(row.sum() for row in rows)",
    ]


def test_the_checker_is_not_shown():
    layer, x = attention()
    names = functions(record(layer, x, x, x, causal_mask(3)))
    assert not any("check" in name for name in names)


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
    assert axes(recording, 0, "x") == ["B", "D"]
    assert recording.locals_at(0)["self"][0] == {
        "kind": "module",
        "class": "Doubler",
        "numbers": {"training": "True", "scale": "2"},
        "tensors": {},
        "children": {"linear": "Linear"},
    }


def test_self_comes_first():
    layer, x = attention()
    assert next(iter(record(layer, x, x, x).locals_at(0))) == "self"


def test_a_constructor_fills_self():
    recording = record(PositionalEncoding, 6, 0.0, 4)
    assert recording.locals_at(0)["self"][0]["numbers"] == {}
    last = recording.locals_at(len(recording.steps) - 1)["self"][0]
    assert last["tensors"] == {"pe": [1, 4, 6]}
    assert last["numbers"]["max_len"] == "4"
    assert "sinusoid_table" in functions(recording)


def test_a_cell_of_a_notebook():
    text = "def cell(x):\n    y = x * 2  # [B, L]\n    return y\n"
    linecache.cache["<ipython-input-1>"] = (len(text), None, text.splitlines(True), "")
    space = {"__name__": "__main__"}
    exec(compile(text, "<ipython-input-1>", "exec"), space)
    recording = record(space["cell"], torch.ones(2, 3))
    assert recording.data["functions"][0]["source"] == text.rstrip()
    assert axes(recording, 1, "y") == ["B", "L"]


def test_source_that_is_missing_is_an_error():
    space = {}
    exec("def f(x):\n    return x", space)
    with pytest.raises(ValueError, match="whose source can be read, got function f"):
        record(space["f"], 1)
    with pytest.raises(ValueError, match="whose source can be read"):
        record(torch.softmax, torch.ones(2), dim=0)
    with pytest.raises(ValueError, match="got Linear"):
        record(nn.Linear(2, 2), torch.ones(2))


def test_source_that_has_changed_since_is_not_shown():
    text = "def cell(x):\n    x = x + 1\n    return x\n"
    linecache.cache["<ipython-input-2>"] = (len(text), None, text.splitlines(True)[:2], "")
    space = {}
    exec(compile(text, "<ipython-input-2>", "exec"), space)
    with pytest.raises(ValueError, match="whose source can be read"):
        record(space["cell"], 1)


def test_a_call_that_cannot_start_raises_as_it_would_alone():
    layer, x = attention()
    with pytest.raises(TypeError, match="missing 2 required positional arguments"):
        record(layer, x)


def test_a_lambda():
    recording = record(lambda x: x + 1, 1)
    assert recording.result == 2
    assert set(functions(recording)) == {"<lambda>"}


def test_lambdas_in_the_middle_of_a_statement():
    made = [
        lambda x: (
            x + 1  # a piece that is no statement
        ),
    ]
    assert record(made[0], 1).result == 2


def test_recursion_gives_each_call_its_own_frame():
    def factorial(n):
        if n == 0:
            return 1
        return n * factorial(n - 1)

    recording = record(factorial, 3)
    assert recording.result == 6
    assert recording.data["frames"] == [[0, -1], [0, 0], [0, 1], [0, 2]]
    values = [recording.look_up(step[4])[0]["text"] for step in recording.steps if step[4]]
    assert values == ["1", "1", "2", "6"]


def test_a_closure_shows_what_it_holds():
    factor = torch.tensor([2.0, 3.0])

    def scale(x):
        return x * factor

    assert record(scale, torch.ones(2)).locals_at(0)["factor"][0]["values"] == [2, 3]


def test_a_generator_yields_and_goes_on():
    def count(n):
        number = 0
        while number < n:
            yield number
            number += 1

    def f(n):
        return list(count(n))

    recording = record(f, 2)
    assert recording.result == [0, 1]
    yields = [step for step in recording.steps if step[2] == "yield"]
    assert [recording.look_up(step[4])[0]["text"] for step in yields] == ["0", "1"]
    assert len(recording.data["frames"]) == 2


def test_a_generator_that_is_left_half_way():
    def count():
        yield 1
        yield 2

    def f():
        for number in count():
            return number

    recording = record(f)
    assert recording.result == 1
    assert recording.error is None
    assert [step[2] for step in recording.steps].count("yield") == 1


def test_torch_calls_back():
    def hook(module, args, output):
        return output + 1

    linear = nn.Linear(2, 2)
    linear.register_forward_hook(hook)
    recording = record(linear, torch.ones(2))
    assert set(functions(recording)) == {"hook"}


# --- what has changed


def test_what_a_line_changed_is_marked():
    def f(x):
        y = x + 1
        z = y
        y = y * 2
        x.add_(1)
        del z
        return y

    recording = record(f, torch.zeros(2))
    assert changed(recording) == [None, ["y"], ["z"], ["y"], ["x"], ["z"], []]
    assert recording.steps[-2][3] == {"z": None}
    assert "z" not in recording.locals_at(len(recording.steps) - 1)


def test_writing_into_a_part_of_a_tensor_is_a_change():
    recording = record(sinusoid_table, 3, 6)
    before = lines(recording).index("pe[:, 0::2] = torch.sin(angles)")
    assert changed(recording)[before + 1] == ["pe"]
    assert recording.locals_at(before)["pe"][0]["values"][1] == [0] * 6
    row = recording.locals_at(before + 1)["pe"][0]["values"][1]
    assert row[0] == round(math.sin(1), 4)
    assert row[1::2] == [0, 0, 0]
    assert axes(recording, before + 1, "pe") == ["length", "D"]


def test_a_change_outside_the_corner_that_is_shown():
    def f(x):
        x[-1, -1] = 7.0
        return x

    recording = record(f, torch.zeros(100, 100))
    assert changed(recording) == [None, ["x"], []]
    assert recording.locals_at(1)["x"][0]["max"] == 7


def test_the_same_numbers_in_a_new_tensor_are_a_change():
    def f(x):
        x = x.clone()
        return x

    assert changed(record(f, torch.zeros(2))) == [None, ["x"], []]


def test_a_call_may_change_what_its_caller_holds():
    def inner(x):
        x += 1

    def f(x):
        inner(x)
        return x

    recording = record(f, torch.zeros(2))
    marks = dict(zip(lines(recording), changed(recording), strict=True))
    assert marks["return x"] == []  # the return; the line before it is in the next check
    assert ["x"] in changed(recording)[2:]


def test_sizes_change_as_numbers_do():
    layer, x = attention()
    recording = record(layer.split_heads, x)
    assert changed(recording) == [None, ["B", "L"], ["x"], []]


# --- errors


def no_sublayers():
    return faults.SublayersWithoutSizes(D, H, D_FF)


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
    "5 no sizes": (lambda: (no_sublayers,), "self.self_attn = MultiHeadAttention()"),
    "6 no head axis": (
        lambda: (faults.attention_without_head_axis, *heads(), torch.ones(2, 4, 4) > 0),
        'scores = scores.masked_fill(blocked, float("-inf"))',
    ),
    "7 -1e9 in float16": (
        lambda: (faults.fill_with_large_negative, torch.zeros(2, 2).half(), EMPTY),
        "return scores.masked_fill(~mask, -1e9)",
    ),
}


@pytest.mark.parametrize(("call", "line"), FAULTS.values(), ids=FAULTS)
def test_the_recording_of_a_fault_ends_at_the_failing_line(call, line):
    function, *inputs = call()
    with pytest.raises(Exception) as plain:  # noqa: PT011 (each fault has its own type)
        function(*inputs)
    recording = record(function, *inputs)
    assert last_line(recording) == line
    assert recording.error == {"type": plain.type.__name__, "message": str(plain.value)}
    assert recording.steps[-1][2] == "exception"
    assert recording.steps[-1][4] == recording.error
    assert recording.result is None


def test_the_fault_that_does_not_raise():
    recording = record(faults.softmax_of_empty_rows, torch.zeros(2, 2), EMPTY, float("-inf"))
    assert recording.error is None
    returned, _ = recording.look_up(recording.steps[-1][4])
    assert returned["values"] == [[0.5, 0.5], ["nan", "nan"]]


def test_our_own_checks_fail_at_the_line_that_calls_them():
    layer, x = attention()
    recording = record(layer, x, x, x[:, :2])
    assert last_line(recording).startswith('check_floats("V", V')
    assert recording.error["message"].startswith("V: expected shape")
    recording = record(layer, x, x, x, torch.zeros(3, 3))
    assert recording.error["type"] == "TypeError"


def test_blocks_that_an_error_leaves_do_not_hide_its_line():
    def f(x):
        try:
            with torch.no_grad():
                x.view(3)
        finally:
            x = None

    recording = record(f, torch.zeros(2))
    assert last_line(recording) == "x.view(3)"
    assert not any(step[2] == "return" for step in recording.steps)


def test_an_error_that_is_caught_is_a_step_like_others():
    def f(x):
        try:
            return x.view(3)
        except RuntimeError:
            return x

    recording = record(f, torch.zeros(2))
    assert recording.error is None
    assert [step[2] for step in recording.steps].count("exception") == 1
    assert last_line(recording) == "return x"


def test_an_error_far_down_a_recursion():
    def f(n):
        if n == 0:
            raise ValueError("bottom")
        return f(n - 1)

    recording = record(f, 3)
    assert last_line(recording) == 'raise ValueError("bottom")'
    assert len(recording.data["frames"]) == 4


def test_an_error_leaves_no_cycle_that_keeps_tensors():
    def f(x):
        raise ValueError(f"at {object()}")

    import gc
    import weakref

    gc.collect()
    gc.disable()
    try:
        x = torch.zeros(2)
        alive = weakref.ref(x)
        recording = record(f, x)
        del x
        assert alive() is None
    finally:
        gc.enable()
    assert recording.error["message"] == "at <object>"


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_who_wants_to_stop_can_stop(kind):
    def f():
        raise kind

    before = sys.gettrace()
    with pytest.raises(kind):
        record(f)
    assert sys.gettrace() is before


# --- nothing is changed


def traced(call):
    """Run `call` under an outer tracer; return what sys.gettrace gives after it."""

    def outer(frame, event, outcome):
        return outer

    before = sys.gettrace()
    sys.settrace(outer)
    try:
        call()
        return sys.gettrace() is outer
    finally:
        sys.settrace(before)


def test_the_trace_function_is_put_back():
    layer, x = attention()
    before = sys.gettrace()
    record(layer, x, x, x)
    assert sys.gettrace() is before
    record(layer, x, x, x[:, :2])  # raises inside
    assert sys.gettrace() is before
    assert traced(lambda: record(layer, x, x, x))
    assert traced(lambda: record(layer, x, x, x[:, :2]))
    assert traced(lambda: record(endless, 2 * MAX_STEPS))


def test_result_and_random_numbers_are_those_of_a_plain_call():
    layer, x, memory = decoder()  # in training: dropout draws
    torch.manual_seed(1)
    expected = layer(x, memory, SRC, causal_mask(LT))
    state = torch.get_rng_state()
    torch.manual_seed(1)
    recording = record(layer, x, memory, SRC, causal_mask(LT))
    assert torch.equal(recording.result, expected)
    assert torch.equal(torch.get_rng_state(), state)
    assert recording.result.requires_grad


def test_gradients_are_those_of_a_plain_call():
    layer, x = attention()
    x.requires_grad_()
    layer(x, x, x, causal_mask(3), need_weights=True)[0].sum().backward()
    leaves = [x, *layer.parameters()]
    expected = [leaf.grad.clone() for leaf in leaves]
    for leaf in leaves:
        leaf.grad = None
    record(layer, x, x, x, causal_mask(3), need_weights=True).result[0].sum().backward()
    for leaf, gradient in zip(leaves, expected, strict=True):
        assert torch.equal(leaf.grad, gradient)


def test_the_callers_tensors_are_untouched():
    layer, x = attention()
    mask = causal_mask(3)
    copies = x.clone(), mask.clone()
    recording = record(layer, x, x, x, mask, need_weights=True)
    assert torch.equal(x, copies[0])
    assert torch.equal(mask, copies[1])
    assert (x._version, mask._version) == (0, 0)
    assert recording.result[0] is not None


def test_the_result_is_the_very_object():
    x = torch.zeros(2)
    assert record(lambda y: y, x).result is x


def test_a_training_step():
    torch.manual_seed(0)
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(x, target):
        loss = F.mse_loss(model(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    recording = record(step, torch.ones(3, 2), torch.zeros(3, 1))
    assert recording.error is None
    assert len(lines(recording)) == 6
    assert recording.result > step(torch.ones(3, 2), torch.zeros(3, 1))


# --- values


def value(thing):
    return record(lambda x: x, thing).locals_at(0)["x"][0]


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


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        (3, "3"),
        (0.1, "0.1"),
        (None, "None"),
        ("word", "'word'"),
        ((1, 2), "(1, 2)"),
        (torch.Size([2, 3]), "torch.Size([2, 3])"),
        (torch.float64, "torch.float64"),
        (math, "module math"),
        (nn.Linear, "class Linear"),
        (decoder, "function decoder"),
        ({"b", "a"}, "{'a', 'b'}"),
        (object(), "<object>"),
    ],
)
def test_other_values_are_a_short_text(thing, text):
    assert value(thing) == {"kind": "text", "text": text}


def test_a_long_text_is_cut():
    assert len(value("a" * 1000)["text"]) <= 80


def test_containers_of_tensors_show_their_tensors():
    def f(x):
        x = x + 1  # [B, L]
        return {"x": x, "list": [x]}

    recording = record(f, torch.zeros(2, 3))
    returned, _ = recording.look_up(recording.steps[-1][4])
    (name, *entry), (_, inner) = returned["items"]
    assert name == "'x'"
    assert recording.look_up(entry)[1] == ["B", "L"]
    assert recording.look_up([inner])[0]["type"] == "list"


class Rude(list):
    def __iter__(self):
        raise RuntimeError("no")

    __repr__ = __iter__


def test_a_value_that_cannot_be_looked_at_does_no_harm():
    assert value(Rude()) == {"kind": "text", "text": "Rude"}


@pytest.mark.parametrize(
    "tensor",
    [
        torch.zeros(2, device="meta"),
        torch.eye(3).to_sparse(),
        torch.tensor([1 + 2j]),
        torch.zeros(100, dtype=torch.complex64),
        torch.zeros(2, dtype=torch.bfloat16),
        nn.Parameter(torch.zeros(2)),
        torch.ones(100, dtype=torch.bool),
    ],
    ids=str,
)
def test_tensors_of_every_kind(tensor):
    encoded = value(tensor)
    assert encoded["shape"] == list(tensor.shape)
    json.dumps(encoded, allow_nan=False)


def test_inside_inference_mode_and_vmap():
    def f(x):
        y = x * 2
        return y + 1

    with torch.inference_mode():
        assert record(f, torch.ones(3)).error is None
    recording = record(torch.vmap(f), torch.ones(3, 2))
    assert recording.error is None
    assert torch.equal(recording.result, torch.full((3, 2), 3.0))


# --- names of axes


def test_axes_come_from_the_comments():
    layer, x = attention()
    recording = record(layer, x, x, x, causal_mask(3), need_weights=True)
    at = {line: number for number, line in enumerate(lines(recording))}
    weights = at["output = self.W_out(self.combine_heads(context))"]
    assert axes(recording, weights, "weights") == ["B", "H", "Lq", "Lk"]
    assert axes(recording, weights, "Q") == ["B", "H", "Lq", "d_k"]
    assert axes(recording, weights, "K") == ["B", "H", "Lk", "d_k"]


def test_axes_of_arguments_come_from_the_docstring():
    layer, x = attention()
    recording = record(layer, x, x, x, causal_mask(3))
    found = {name: names for name, (_, names) in recording.locals_at(0).items() if names}
    assert found == {
        "Q": ["B", "Lq", "D"],
        "K": ["B", "Lk", "D"],
        "V": ["B", "Lk", "D"],
        "mask": ["Lq", "Lk"],
    }


def test_axes_are_carried_into_calls_and_back():
    layer, x = attention()
    recording = record(layer, x, x, x, causal_mask(3), need_weights=True)
    at = {line: number for number, line in enumerate(lines(recording))}
    # masked_softmax says [..., Lq, Lk]; its caller knows what the dots are.
    assert axes(recording, at["blocked = ~mask"], "scores") == ["B", "H", "Lq", "Lk"]
    last = at["return torch.softmax(safe, dim=-1).masked_fill(all_masked, 0.0)"]
    assert axes(recording, last, "safe") == ["B", "H", "Lq", "Lk"]
    assert axes(recording, last, "all_masked") == ["B", None, "Lq", None]  # H is 2 and this is 1
    # combine_heads has no docstring.
    first = functions(recording).index("MultiHeadAttention.combine_heads")
    assert axes(recording, first, "x")[:3] == ["B", "H", "Lq"]


def test_the_callers_names_stay_its_own():
    layer, x, memory = decoder()
    recording = record(layer, x, memory)
    last = len(recording.steps) - 1
    assert axes(recording, last, "x") == ["B", "Lt", "D"]
    assert axes(recording, last, "encoder_output") == ["B", "Ls", "D"]


def test_an_axis_of_size_1_has_no_name_where_it_only_broadcasts():
    layer = EncoderLayer(D, H, D_FF).double()
    recording = record(layer, draw(B, LS, D, dtype=torch.float64), SRC)
    first = functions(recording).index("MultiHeadAttention.forward")
    assert axes(recording, first, "mask") == ["B", None, None, "Lk"]


def test_a_comment_may_name_the_tensors_of_a_tuple():
    def f():
        q, k = torch.ones(2, 5, 4)  # two tensors [L, d_k]
        B, n = torch.ones(2, 3), 7  # [L, D]
        return q, k, B, n

    recording = record(f)
    assert axes(recording, 1, "q") == axes(recording, 1, "k") == ["L", "d_k"]
    assert axes(recording, 2, "B") == ["L", "D"]
    assert axes(recording, 2, "n") is None


def test_a_comment_that_does_not_fit_names_nothing():
    def f(x):
        y = x + 1  # [B, L, D]
        z = x[0]  # see [1]
        w = x + 2  # [0:2]
        return y, z, w

    found = record(f, torch.zeros(2, 3)).locals_at(3)
    assert [found[name][1] for name in "yzw"] == [None, None, None]


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
    assert fit_axes(("...", "L"), (2, 3), {}) == (None, "L")
    assert fit_axes(("...", "L"), (2, 3), {}, ("B",)) == ("B", "L")
    assert fit_axes(("...", "B", "L"), (3,), {}) is None
    assert fit_axes(("B", "1"), (2, 3), {}) is None
    assert fit_axes(("B", "L"), (2, 3), {"B": 5}) == (None, "L")
    assert fit_axes(("B?", "L?"), (1, 3), {}) == (None, "L")


# --- size


def test_recordings_of_the_chapters_are_small():
    layer, x = attention()
    assert size(record(layer, x, x, x, causal_mask(3), need_weights=True)) < 25_000
    layer, x, memory = decoder()
    with attention_maps(layer):  # the written-out path has the most lines
        recording = record(layer, x, memory, SRC, causal_mask(LT))
    assert size(recording) < 75_000
    assert recording.data["cut"] is None
    layer = EncoderLayer(D, H, D_FF).double()
    assert size(record(layer, memory, SRC)) < 50_000


def endless(n):
    for _ in range(n):
        x = torch.zeros(3)
    return x


def test_a_long_run_is_cut_and_says_so():
    recording = record(endless, 2 * MAX_STEPS)
    assert len(recording.steps) == recording.data["cut"] == MAX_STEPS
    assert torch.equal(recording.result, torch.zeros(3))
    assert size(recording) < 100_000


def test_large_tensors_are_summarised_harder_before_steps_are_cut():
    def f(x):
        for _ in range(120):
            x = x + 1
        return x

    recording = record(f, torch.zeros(4, 4, 20, 20))
    assert size(recording) < 100_000
    assert recording.data["cut"] is None
    assert recording.locals_at(1)["x"][0]["shown"] == [1, 1, 3, 4]


def test_too_much_to_summarise_is_cut():
    def f(x):
        for _ in range(400):
            x = x + 1
        return x

    recording = record(f, torch.zeros(4, 4, 20, 20))
    assert size(recording) < 100_000
    assert recording.data["cut"] == len(recording.steps)
    assert recording.result.max() == 400


def test_a_recording_is_json_without_paths_and_addresses():
    layer, x = attention()
    text = json.dumps(record(layer, x, x, x, causal_mask(3)).data, allow_nan=False)
    assert os.path.dirname(__file__) not in text
    assert "follow_the_tensor/" not in text
    assert " at 0x" not in text


SCRIPT = """
import hashlib, json, torch
from follow_the_tensor import DecoderLayer, causal_mask
from follow_the_tensor.recording.recorder import record
torch.set_default_dtype(torch.float64)  # float32 draws differ in their last bit
torch.manual_seed(0)
layer = DecoderLayer(12, 3, 24, 0.0)
x, memory = torch.randn(2, 4, 12), torch.randn(2, 6, 12)
data = record(layer, x, memory, None, causal_mask(4)).data
print(hashlib.sha256(json.dumps(data).encode()).hexdigest())
"""


def test_every_run_and_every_processor_gives_the_same_recording():
    seen = set()
    for capability, seed in (("default", "1"), ("avx2", "2")):
        environment = os.environ | {"ATEN_CPU_CAPABILITY": capability, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        seen.add(run.stdout)
    assert len(seen) == 1


def test_attention_reads_the_same_from_a_function():
    q = draw(1, 2, 3, 4, dtype=torch.float64)
    recording = record(scaled_dot_product_attention, q, q, q)
    assert lines(recording)[-1] == "return context, weights"
