"""What PyTorch's tools make of a layer gives the same numbers as the layer."""

import copy
import io
import pickle

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.support.helpers import assert_close, draw, refuses
from tests.support.strategies import LAYERS, calls, dtype_of, exactly, fewer

every_layer = pytest.mark.parametrize("name", LAYERS)
float32 = st.just(torch.float32)
# bfloat16 keeps 8 bits, and a LayerNorm multiplies what is lost before it.
ROUNDINGS = 64


def stored_and_loaded(call):
    file = io.BytesIO()
    torch.save(call.layer.state_dict(), file)
    file.seek(0)
    twin = call.fresh()
    twin.load_state_dict(torch.load(file, weights_only=True))
    return twin


TWINS = {
    "deepcopy": lambda call: copy.deepcopy(call.layer),
    "pickle": lambda call: pickle.loads(pickle.dumps(call.layer)),
    "state_dict": stored_and_loaded,
    "to float64 and back": lambda call: (
        copy.deepcopy(call.layer).to(torch.float64).to(dtype_of(call.layer))
    ),
}


@every_layer
@pytest.mark.parametrize("twin", TWINS.values(), ids=TWINS)
@fewer(2)
@given(data=st.data())
def test_a_copy_of_a_layer_gives_the_same_numbers(name, twin, data):
    call = data.draw(calls(name))
    expected = call.outputs()
    copied = twin(call)
    exactly(call.outputs(copied), expected)
    with torch.no_grad():  # and it shares no memory with the first
        for x in (*copied.parameters(), *copied.buffers()):
            x.zero_()
    exactly(call.outputs(), expected)


@every_layer
@given(data=st.data())
def test_a_smaller_dtype_costs_its_roundings_only(name, data):
    call = data.draw(calls(name))
    precise = [x.double() if x.is_floating_point() else x for x in call.inputs]
    expected = call.outputs(copy.deepcopy(call.layer).double(), inputs=precise)
    for ours, theirs in zip(call.outputs(), expected, strict=True):
        assert theirs.dtype == torch.float64
        assert_close(ours, theirs.to(dtype_of(call.layer)), ROUNDINGS)


@every_layer
@given(data=st.data())
def test_autocast_costs_the_roundings_of_bfloat16_only(name, data):
    call = data.draw(calls(name, dtypes=float32))
    with torch.autocast("cpu", torch.bfloat16):
        low = call.outputs()
    for ours, theirs in zip(low, call.outputs(), strict=True):
        assert_close(ours.bfloat16(), theirs.bfloat16(), ROUNDINGS)


@every_layer
@fewer(20)
@given(data=st.data(), backend=st.sampled_from(["eager", "aot_eager"]), dynamic=st.booleans())
def test_a_compiled_layer_is_one_graph_with_the_same_numbers(name, data, backend, dynamic):
    call = data.draw(calls(name))
    torch.compiler.reset()
    compiled = torch.compile(call.layer, backend=backend, dynamic=dynamic, fullgraph=True)
    ours, theirs = call.outputs(compiled), call.outputs()
    exactly(ours, theirs)
    where = list(call.layer.parameters())
    if where:
        weights = draw(*ours[0].shape, seed=9, dtype=ours[0].dtype)
        grads = (torch.autograd.grad(x[0], where, weights) for x in (ours, theirs))
        for our, their in zip(*grads, strict=True):
            assert_close(our, their, factor=8)


@every_layer
@fewer(20)
@given(data=st.data())
def test_an_exported_layer_gives_the_same_for_other_numbers(name, data):
    call = data.draw(calls(name))
    args = (*call.inputs, *call.masks)
    exported = torch.export.export(call.layer, args, call.options, strict=False).module()
    others = [x.flip(0, 1) for x in call.inputs]
    exactly(call.outputs(exported, inputs=others), call.outputs(inputs=others))


# The meta device: shapes without numbers


def moved(tensors, device):
    return [None if x is None else x.to(device) for x in tensors]


@every_layer
@given(data=st.data(), masks_stay=st.booleans())
def test_the_meta_device_gives_the_shapes_and_computes_nothing(name, data, masks_stay):
    call = data.draw(calls(name))
    expected = call.outputs()
    masks = call.masks if masks_stay else moved(call.masks, "meta")
    outputs = call.outputs(call.layer.to("meta"), moved(call.inputs, "meta"), masks)
    for ours, theirs in zip(outputs, expected, strict=True):
        assert ours.is_meta
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)


@every_layer
@given(data=st.data(), device=st.sampled_from(["cpu", "meta"]))
def test_a_wrong_shape_is_refused_in_our_words_on_every_device(name, data, device):
    call = data.draw(calls(name))
    inputs = list(call.inputs)
    wrong = data.draw(st.integers(0, len(inputs) - 1))
    x = inputs[wrong]
    changes = {"an axis less": x[0], "an axis more": x[None]}
    if x.is_floating_point():
        changes |= {"a feature less": x[..., 1:], "a feature more": torch.cat([x, x[..., :1]], -1)}
    if len(inputs) > 1:
        changes["an item more"] = torch.cat([x, x[:1]])
    inputs[wrong] = changes[data.draw(st.sampled_from(sorted(changes)))]
    with refuses(ValueError, ": expected", "got ["):
        call.outputs(call.layer.to(device), moved(inputs, device))


@pytest.mark.parametrize(
    "name", [name for name in LAYERS if "Attention" in name or "coder" in name]
)
@given(data=st.data(), device=st.sampled_from(["cpu", "meta"]))
def test_a_wrong_mask_is_refused_in_our_words_on_every_device(name, data, device):
    call = data.draw(calls(name))
    masks = list(call.masks)
    wrong = data.draw(st.integers(0, len(masks) - 1))
    masks[wrong] = torch.ones(data.draw(st.sampled_from([(7,), (7, 7), (1, 7, 7), (1, 1, 7, 7)])))
    kind, error = data.draw(st.sampled_from([(torch.bool, ValueError), (torch.half, TypeError)]))
    masks[wrong] = masks[wrong].to(kind)
    inputs = [x.to(device) for x in call.inputs]
    with refuses(error, "mask: expected"):
        call.outputs(
            call.layer.to(device), inputs, [m if m is None else m.to(device) for m in masks]
        )
