"""What PyTorch's own tools make of a layer gives the same numbers as the layer."""

import copy
import io
import pickle
from functools import partial

import pytest
import torch
from torch import nn
from torch._subclasses import FakeTensorMode
from torch.ao.quantization import quantize_dynamic
from torch.func import functional_call, stack_module_state, vmap
from torch.nn.utils import parametrizations, parametrize, prune

from follow_the_tensor import (
    DecoderLayer,
    EncoderLayer,
    MultiHeadAttention,
    PositionalEncoding,
    PositionWiseFeedForward,
    Transformer,
    attention_maps,
    causal_mask,
    generate,
    load_date_reader,
    padding_mask,
)
from tests.support.helpers import (
    D_FF,
    LS,
    LT,
    B,
    D,
    H,
    assert_close,
    draw,
    exactly,
    fill,
    gradients,
)

SRC = torch.tensor([[4, 5, 6, 2, 0, 0], [7, 8, 9, 10, 2, 0]])
TGT = torch.tensor([[1, 11, 12, 2], [1, 13, 2, 0]])
SRC_MASK, TGT_MASK = padding_mask(SRC), padding_mask(TGT) & causal_mask(LT)
X, MEMORY = draw(B, LT, D), draw(B, LS, D, seed=1)


class WrittenOut(MultiHeadAttention):
    """The other path, with both of its options."""

    def forward(self, Q, K, V, mask):
        return super().forward(Q, K, V, mask, need_weights=True, is_causal=True)


LAYERS = {
    "PositionalEncoding": (PositionalEncoding(D, 0.0, LS), (X,)),
    "PositionWiseFeedForward": (PositionWiseFeedForward(D, D_FF, 0.0), (X,)),
    "MultiHeadAttention": (MultiHeadAttention(D, H), (X, MEMORY, MEMORY, SRC_MASK)),
    "written out": (WrittenOut(D, H), (X, MEMORY, MEMORY, SRC_MASK)),
    "EncoderLayer": (EncoderLayer(D, H, D_FF, 0.0), (MEMORY, SRC_MASK)),
    "DecoderLayer": (DecoderLayer(D, H, D_FF, 0.0), (X, MEMORY, SRC_MASK, TGT_MASK)),
    "Transformer": (Transformer(16, 20, D, H, D_FF, 2, 0.0, max_len=8), (SRC, TGT)),
}
every_layer = pytest.mark.parametrize("name", LAYERS)


def build(name):
    layer, args = LAYERS[name]
    return fill(copy.deepcopy(layer)).eval(), args


def of_every_linear(change, layer):
    layer = copy.deepcopy(layer)
    for module in [m for m in layer.modules() if isinstance(m, nn.Linear)]:
        change(module)
    return layer


def saved_and_loaded(layer):
    file = io.BytesIO()
    torch.save(layer.state_dict(), file)
    file.seek(0)
    twin = copy.deepcopy(layer)
    for x in (*twin.parameters(), *twin.buffers()):
        x.data.zero_()
    twin.load_state_dict(torch.load(file, weights_only=True))
    return twin


class Same(nn.Module):
    def forward(self, weight):
        return weight.clone()


@pytest.fixture(autouse=True)
def _nothing_compiled():
    torch.compiler.reset()  # what an earlier test compiled may hide something


# From a layer and its arguments to a callable that gives the same.
SAME = {
    "deepcopy": lambda layer, args: copy.deepcopy(layer),
    "pickle": lambda layer, args: pickle.loads(pickle.dumps(layer)),
    "state_dict": lambda layer, args: saved_and_loaded(layer),
    "float64 and back": lambda layer, args: copy.deepcopy(layer).double().float(),
    "in training mode": lambda layer, args: copy.deepcopy(layer).train(),  # dropout is 0
    "DataParallel": lambda layer, args: nn.DataParallel(layer),
    "a replica of it": lambda layer, args: layer._replicate_for_data_parallel(),
    "average": lambda layer, args: torch.optim.swa_utils.AveragedModel(layer),
    "compiled": lambda layer, args: torch.compile(layer, backend="aot_eager", fullgraph=True),
    "compiled, free sizes": lambda layer, args: torch.compile(
        layer, backend="eager", fullgraph=True, dynamic=True
    ),
    "exported": lambda layer, args: torch.export.export(layer, args, strict=False).module(),
    "traced": lambda layer, args: torch.jit.trace(layer, args),
    "parametrised": lambda layer, args: of_every_linear(
        lambda linear: parametrize.register_parametrization(linear, "weight", Same()), layer
    ),
    "weight_norm": lambda layer, args: of_every_linear(parametrizations.weight_norm, layer),
    "pruned by nothing": lambda layer, args: of_every_linear(
        lambda linear: prune.l1_unstructured(linear, "weight", amount=0), layer
    ),
    "functional_call": lambda layer, args: (
        lambda *args: functional_call(layer, dict(layer.named_parameters()), args)
    ),
    "inference mode": lambda layer, args: torch.inference_mode()(layer),
    "checkpoint": lambda layer, args: partial(
        torch.utils.checkpoint.checkpoint, layer, use_reentrant=False
    ),
    "a loop of vmap": lambda layer, args: (
        lambda *args: first(vmap(layer)(*(x[None] for x in args)))
    ),
}


def outputs(result):
    return result if isinstance(result, tuple) else (result,)


def first(result):
    return tuple(x[0] for x in outputs(result))


@every_layer
@pytest.mark.parametrize("tool", SAME)
@pytest.mark.filterwarnings("ignore")  # what PyTorch says about tools that it retires
def test_it_gives_the_same(name, tool):
    layer, args = build(name)
    expected = outputs(layer(*args))
    for ours, theirs in zip(outputs(SAME[tool](layer, args)(*args)), expected, strict=True):
        assert_close(ours, theirs, factor=64)


@every_layer
@pytest.mark.filterwarnings("ignore")
def test_a_quantised_layer_loses_what_8_bits_lose(name):  # its .weight is a method
    layer, args = build(name)
    quantised = quantize_dynamic(layer, {nn.Linear})
    for ours, theirs in zip(outputs(quantised(*args)), outputs(layer(*args)), strict=True):
        assert (ours - theirs).abs().max() < 0.05 * theirs.abs().max()


@pytest.mark.filterwarnings("ignore")
def test_a_quantised_model_generates_and_reads():
    reader = load_date_reader()
    reader.model = quantize_dynamic(reader.model, {nn.Linear})
    assert reader.read(text for text in ["March 7, 2021"]) == ["2021-03-07"]


@every_layer
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_autocast_computes_in_the_smaller_dtype(name, dtype):
    layer, args = build(name)
    with torch.autocast("cpu", dtype):
        low = outputs(layer(*args))
    for ours, theirs in zip(low, outputs(layer(*args)), strict=True):
        assert_close(ours.to(dtype), theirs.to(dtype), factor=64)


@every_layer
def test_gradients_of_functorch_and_of_a_compiled_layer_are_those_of_autograd(name):
    layer, args = build(name)
    weights = dict(layer.named_parameters())
    if not weights:
        return

    def loss(weights):
        output = outputs(functional_call(layer, weights, args))[0]
        return (output * draw(*output.shape, seed=9)).sum()

    expected = gradients(outputs(layer(*args))[0], [*weights.values()])
    functional = torch.func.grad(loss)({name: w.detach() for name, w in weights.items()})
    compiled = torch.compile(layer, backend="aot_eager", fullgraph=True)
    of_compiled = gradients(outputs(compiled(*args))[0], [*weights.values()])
    for others in (functional.values(), of_compiled):
        for ours, theirs in zip(others, expected, strict=True):
            assert_close(ours, theirs, factor=64)


@every_layer
@pytest.mark.filterwarnings("ignore")  # vmap of the fused kernel is a loop
def test_an_ensemble_of_layers_runs_in_one_vmap(name):
    layer, args = build(name)
    stacked = stack_module_state([layer, layer])
    together = outputs(vmap(lambda *state: functional_call(layer, state, args))(*stacked))
    for ours, theirs in zip(together, outputs(layer(*args)), strict=True):
        assert_close(ours, torch.stack([theirs, theirs]), factor=64)


@every_layer
def test_without_numbers_there_are_shapes(name):
    layer, args = build(name)
    expected = [(x.shape, x.dtype) for x in outputs(layer(*args))]
    moved = (x if x.dtype == torch.bool else x.to("meta") for x in args)  # masks may stay
    on_meta = outputs(copy.deepcopy(layer).to("meta")(*moved))
    assert all(x.is_meta for x in on_meta)
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        fakes = outputs(layer(*(mode.from_tensor(x) for x in args)))
    for given in (on_meta, fakes):
        assert [(x.shape, x.dtype) for x in given] == expected


def test_the_length_of_an_exported_model_may_be_free():
    model, _ = build("Transformer")
    batch, source, target = (torch.export.Dim(name, min=2, max=8) for name in ("B", "Ls", "Lt"))
    free = {0: batch, 1: source}, {0: batch, 1: target}
    exported = torch.export.export(model, (SRC, TGT), dynamic_shapes=free, strict=False).module()
    src, tgt = SRC[:, :5].repeat(2, 1), TGT[:, :3].repeat(2, 1)
    torch.testing.assert_close(exported(src, tgt), model(src, tgt))


def test_it_compiles_with_free_sizes_where_the_length_equals_d_model():
    layer, x, mask = build("EncoderLayer")[0], draw(B, D, D), causal_mask(D)[None, None]
    compiled = torch.compile(layer, backend="eager", dynamic=True, fullgraph=True)
    torch.testing.assert_close(compiled(x, mask), layer(x, mask))


def test_looking_at_the_dtype_computes_no_parametrised_weight_twice():
    calls = []

    class Counted(nn.Module):
        def forward(self, weight):
            calls.append(1)
            return weight

    layer, args = build("DecoderLayer")
    change = partial(parametrize.register_parametrization, tensor_name="weight")
    layer = of_every_linear(lambda linear: change(linear, parametrization=Counted()), layer)
    calls.clear()
    layer(*args)
    assert len(calls) == sum(isinstance(module, nn.Linear) for module in layer.modules())


# Hooks that we set, beside compiled modules and hooks of others


@pytest.mark.skipif(not hasattr(torch.compiler, "set_stance"), reason="new in PyTorch 2.6")
@pytest.mark.parametrize("in_place", [False, True])
def test_maps_of_a_compiled_model_are_those_of_the_model(in_place):
    model, args = build("Transformer")
    with attention_maps(model) as expected:
        model(*args)
    compiled = torch.compile(model, backend="eager")
    if in_place:
        model.compile(backend="eager")
        compiled = model
    compiled(*args)
    with attention_maps(compiled) as maps:
        compiled(*args)
    assert maps.keys() == expected.keys()
    for name, (weights,) in maps.items():
        exactly(weights, expected[name][0])


@pytest.mark.skipif(not hasattr(torch.compiler, "set_stance"), reason="new in PyTorch 2.6")
def test_the_cache_is_filled_though_the_layers_are_compiled():
    model, args = build("Transformer")
    expected = generate(model, SRC, 1, 2, 8, beam_size=2)
    for layer in model.decoder:
        layer.compile(backend="eager")
    model(*args)
    exactly(generate(model, SRC, 1, 2, 8, beam_size=2), expected)


def test_hooks_of_others_see_plain_calls_and_outputs():
    layer, args = build("DecoderLayer")
    seen = []
    for module in layer.modules():
        module.register_forward_hook(lambda module, args, output: seen.append(output))
    with attention_maps(layer) as maps:
        layer(*args)
    assert len(maps) == 2
    assert all(isinstance(output, torch.Tensor) for output in seen)
