import copy

import pytest
import torch
from torch import nn

from follow_the_tensor import DecoderLayer, EncoderLayer, causal_mask, padding_mask
from follow_the_tensor.parity.twins import copy_weights
from tests.support.helpers import (
    D_FF,
    LS,
    LT,
    B,
    D,
    H,
    assert_close,
    draw,
    draw_mask,
    every_dtype,
    gradients,
    shake,
)

IDS = torch.tensor([[4, 5, 6, 2, 0, 0], [7, 8, 9, 10, 2, 0]])  # article-map row 9.1
TGT_IDS = torch.tensor([[1, 11, 12, 2], [1, 13, 14, 15]])
SRC = padding_mask(IDS)
TGT = padding_mask(TGT_IDS) & causal_mask(LT)


def build(dropout=0.0, dtype=torch.float32):
    torch.manual_seed(0)
    return shake(DecoderLayer(D, H, D_FF, dropout)).to(dtype)


def inputs(dtype=torch.float32):
    lengths = LT, LS
    return [
        draw(B, length, D, seed=n, dtype=dtype).requires_grad_() for n, length in enumerate(lengths)
    ]


def test_the_running_example_has_1932_parameters():  # article-map row 8.1
    assert sum(p.numel() for p in DecoderLayer(D, H, D_FF).parameters()) == 1932


def test_the_parts_have_the_names_of_the_article():
    names = [name for name, _ in DecoderLayer(D, H, D_FF).named_children()]
    attentions, norms = ["cross_attn", "self_attn"], ["norm1", "norm2", "norm3"]
    assert sorted(names) == sorted([*attentions, *norms, "dropout", "feed_forward"])


def test_dropout_reaches_every_part_that_has_one():
    layer = DecoderLayer(D, H, D_FF)
    assert layer.dropout.p == layer.feed_forward.dropout.p == 0.1
    assert DecoderLayer(D, H, D_FF, 0.3).feed_forward.dropout.p == 0.3


def test_the_order_is_self_attention_cross_attention_feed_forward():
    layer, (x, memory) = build(), inputs()
    expected = layer.norm1(x + layer.self_attn(x, x, x, TGT))
    expected = layer.norm2(expected + layer.cross_attn(expected, memory, memory, SRC))
    expected = layer.norm3(expected + layer.feed_forward(expected))
    assert torch.equal(layer(x, memory, SRC, TGT), expected)
    assert torch.equal(layer(x, memory, tgt_mask=TGT, src_mask=SRC), expected)


def test_with_everything_dropped_the_residual_remains():
    layer, (x, memory) = build(dropout=1.0), inputs()
    assert torch.equal(layer(x, memory), layer.norm3(layer.norm2(layer.norm1(x))))


def test_dropout_is_off_in_evaluation():
    assert torch.equal(build(dropout=0.5).eval()(*inputs()), build()(*inputs()))


@pytest.mark.parametrize("position", [1, 2, 3])
def test_the_future_does_not_leak(position):  # article-map row 8.4
    layer, (x, memory) = build(), inputs()
    changed = x.detach().clone()
    changed[:, position:] += 1
    before, after = layer(x, memory, SRC, TGT), layer(changed, memory, SRC, TGT)
    assert torch.equal(before[:, :position], after[:, :position])
    assert (before[:, position:] != after[:, position:]).any(dim=-1).all()


def test_without_a_target_mask_nothing_is_causal():  # article-map row 4.3
    layer, (x, memory) = build(), inputs()
    changed = x.detach().clone()
    changed[:, -1] += 1
    moved = layer(x, memory, SRC) != layer(changed, memory, SRC)
    assert moved[:, 0].any(dim=-1).all()


def test_source_padding_does_not_leak():  # article-map row 8.4, reader question Q05
    layer, (x, memory) = build(), inputs()
    changed = torch.where((IDS == 0)[:, :, None], memory + 1, memory)
    assert torch.equal(layer(x, memory, SRC, TGT), layer(x, changed, SRC, TGT))
    moved = layer(x, memory, None, TGT) != layer(x, changed, None, TGT)
    assert moved.any(dim=-1).all()


def test_the_encoder_learns_through_cross_attention():  # article-map row 8.3
    layer, x = build(), draw(B, LT, D)
    encoder = EncoderLayer(D, H, D_FF, 0.0)
    memory = encoder(draw(B, LS, D, seed=1), SRC)
    layer(x, memory.detach(), SRC, TGT).square().sum().backward()
    assert all(p.grad is None for p in encoder.parameters())
    layer(x, memory, SRC, TGT).square().sum().backward()
    assert all(p.grad.isfinite().all() for p in encoder.parameters())
    assert any((p.grad != 0).any() for p in encoder.parameters())


def test_the_two_attentions_share_no_parameter():  # article-map row 8.3
    layer = DecoderLayer(D, H, D_FF)
    own = {id(p) for p in layer.self_attn.parameters()}
    assert own.isdisjoint(id(p) for p in layer.cross_attn.parameters())
    assert len({id(layer.norm1), id(layer.norm2), id(layer.norm3)}) == 3


@every_dtype
def test_a_source_of_padding_alone_gives_finite_numbers_and_gradients(dtype):
    layer, (x, memory) = build(dtype=dtype), inputs(dtype)
    out = layer(x, memory, torch.zeros(B, 1, 1, LS, dtype=torch.bool), TGT)
    assert out.isfinite().all()
    grads = gradients(out, [x, memory, *layer.parameters()])
    assert all(grad.isfinite().all() for grad in grads)
    assert (grads[1] == 0).all()


def test_left_padding_with_a_causal_mask_gives_finite_numbers():  # reader question Q06
    ids = torch.tensor([[0, 0, 1, 5], [0, 1, 6, 7]])
    layer, (x, memory) = build(), inputs()
    out = layer(x, memory, SRC, padding_mask(ids) & causal_mask(LT))
    assert out.isfinite().all()
    assert gradients(out, [x])[0].isfinite().all()


def test_what_was_passed_stays_as_it_was():
    passed = [draw(B, LT, D), draw(B, LS, D), draw_mask(B, 1, 1, LS), draw_mask(LT, LT)]
    before = [x.clone() for x in passed]
    build()(*passed)
    assert all(torch.equal(now, then) for now, then in zip(passed, before, strict=True))


@pytest.mark.parametrize(("Lt", "Ls"), [(1, 1), (1, LS), (LT, 1), (LS, LS)])
def test_any_two_lengths_go_together_as_in_torch(Lt, Ls):
    layer, x, memory = build(), draw(B, Lt, D), draw(B, Ls, D, seed=1)
    theirs = nn.TransformerDecoderLayer(D, H, D_FF, dropout=0.0, batch_first=True)
    assert_close(layer(x, memory), copy_weights(layer, theirs)(x, memory), factor=16)


@pytest.mark.parametrize(("Lt", "Ls"), [(0, LS), (LT, 0), (0, 0)])
def test_empty_sequences_give_finite_numbers(Lt, Ls):
    out = build()(draw(B, Lt, D), draw(B, Ls, D))
    assert out.shape == (B, Lt, D)
    assert out.isfinite().all()


def test_masks_on_another_device_are_moved():
    x, memory = (y.to("meta") for y in inputs())
    out = build().to("meta")(x, memory, SRC, TGT)
    assert out.device.type == "meta"
    assert out.shape == (B, LT, D)


def test_copies_and_stored_states_give_the_same_numbers():
    layer, (x, memory) = build(), inputs()
    fresh = DecoderLayer(D, H, D_FF, 0.0)
    fresh.load_state_dict(layer.state_dict())
    for twin in (copy.deepcopy(layer), fresh):
        assert torch.equal(twin(x, memory, SRC, TGT), layer(x, memory, SRC, TGT))


def test_autocast_keeps_the_norms_in_float32():
    layer, (x, memory) = build(), inputs()
    with torch.autocast("cpu", torch.bfloat16):
        low = layer(x, memory, SRC, TGT)
    assert low.dtype == torch.float32
    high = layer(x, memory, SRC, TGT).to(torch.bfloat16)
    assert_close(low.to(torch.bfloat16), high, factor=16)


def test_it_compiles_as_one_graph():
    layer, (x, memory) = build(), inputs()
    compiled = torch.compile(layer, backend="eager", fullgraph=True)
    expected = layer(x, memory, SRC, TGT)
    torch.testing.assert_close(compiled(x, memory, SRC, TGT), expected)
