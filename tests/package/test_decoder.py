import pytest
import torch

from follow_the_tensor import DecoderLayer, EncoderLayer, causal_mask, padding_mask
from tests.support.helpers import D_FF, LS, LT, B, D, H, draw, every_dtype, fill, gradients

IDS = torch.tensor([[4, 5, 6, 2, 0, 0], [7, 8, 9, 10, 2, 0]])  # article-map row 9.1
SRC = padding_mask(IDS)
TGT = padding_mask(torch.tensor([[1, 11, 12, 2], [1, 13, 14, 15]])) & causal_mask(LT)


def build(dropout=0.0, dtype=torch.float32):
    return fill(DecoderLayer(D, H, D_FF, dropout)).to(dtype)


def inputs(dtype=torch.float32):
    return [draw(B, length, D, seed=n, dtype=dtype) for n, length in enumerate((LT, LS))]


def test_the_running_example_has_1932_parameters():  # article-map row 8.1
    assert sum(p.numel() for p in DecoderLayer(D, H, D_FF).parameters()) == 1932


def test_the_parts_have_the_names_of_the_article_and_its_dropout():
    layer = DecoderLayer(D, H, D_FF)
    names = [name for name, _ in layer.named_children()]
    attentions, norms = ["cross_attn", "self_attn"], ["norm1", "norm2", "norm3"]
    assert sorted(names) == sorted([*attentions, *norms, "dropout", "feed_forward"])
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
    assert torch.equal(build(dropout=0.5).eval()(x, memory), build()(x, memory))


def test_without_a_target_mask_nothing_is_causal():  # article-map row 4.3
    layer, (x, memory) = build(), inputs()
    changed = x.clone()
    changed[:, -1] += draw(D, seed=5)
    assert (layer(x, memory, SRC) != layer(changed, memory, SRC))[:, 0].any(dim=-1).all()


def test_source_padding_does_not_leak():  # article-map row 8.4, reader question Q05
    layer, (x, memory) = build(), inputs()
    changed = torch.where((IDS == 0)[:, :, None], memory + 1, memory)
    assert torch.equal(layer(x, memory, SRC, TGT), layer(x, changed, SRC, TGT))
    assert (layer(x, memory, None, TGT) != layer(x, changed, None, TGT)).any(dim=-1).all()


def test_the_encoder_learns_through_cross_attention():  # article-map row 8.3
    layer, x = build(), draw(B, LT, D)
    encoder = EncoderLayer(D, H, D_FF, 0.0)
    memory = encoder(draw(B, LS, D, seed=1), SRC)
    layer(x, memory.detach(), SRC, TGT).square().sum().backward()
    assert all(p.grad is None for p in encoder.parameters())
    layer(x, memory, SRC, TGT).square().sum().backward()
    assert any((p.grad != 0).any() for p in encoder.parameters())


def test_the_two_attentions_share_no_parameter():  # article-map row 8.3
    layer = DecoderLayer(D, H, D_FF)
    own = {id(p) for p in layer.self_attn.parameters()}
    assert own.isdisjoint(id(p) for p in layer.cross_attn.parameters())
    assert len({id(layer.norm1), id(layer.norm2), id(layer.norm3)}) == 3


@every_dtype
def test_a_source_of_padding_alone_gives_finite_numbers_and_gradients(dtype):
    layer, (x, memory) = build(dtype=dtype), [x.requires_grad_() for x in inputs(dtype)]
    out = layer(x, memory, torch.zeros(B, 1, 1, LS, dtype=torch.bool), TGT)
    grads = gradients(out, [x, memory, *layer.parameters()])
    assert all(y.isfinite().all() for y in (out, *grads))
    assert not grads[1].any()


def test_left_padding_with_a_causal_mask_gives_finite_numbers():  # reader question Q06
    layer, (x, memory) = build(), inputs()
    tgt_mask = padding_mask(torch.tensor([[0, 0, 1, 5], [0, 1, 6, 7]])) & causal_mask(LT)
    out = layer(x.requires_grad_(), memory, SRC, tgt_mask)
    assert all(y.isfinite().all() for y in (out, *gradients(out, [x])))


@pytest.mark.parametrize(("Lt", "Ls"), [(0, LS), (LT, 0), (0, 0)])
def test_empty_sequences_give_finite_numbers(Lt, Ls):
    out = build()(draw(B, Lt, D), draw(B, Ls, D))
    assert out.shape == (B, Lt, D)
    assert out.isfinite().all()
