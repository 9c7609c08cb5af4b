import torch
from torch import nn

from follow_the_tensor import EncoderLayer, padding_mask
from tests.support.helpers import D_FF, LS, B, D, H, assert_close, draw, fill

IDS = torch.tensor([[4, 5, 6, 2, 0, 0], [7, 8, 9, 10, 2, 0]])  # article-map row 9.1
VALID = padding_mask(IDS)


def build(dropout=0.0):
    return fill(EncoderLayer(D, H, D_FF, dropout))


def test_the_running_example_has_1284_parameters():  # article-map row 7.1
    assert sum(p.numel() for p in EncoderLayer(D, H, D_FF).parameters()) == 1284


def test_the_parts_have_the_names_of_the_article_and_its_dropout():
    layer = EncoderLayer(D, H, D_FF)
    names = [name for name, _ in layer.named_children()]
    assert sorted(names) == ["dropout", "feed_forward", "norm1", "norm2", "self_attn"]
    assert layer.dropout.p == layer.feed_forward.dropout.p == 0.1
    assert EncoderLayer(D, H, D_FF, 0.3).feed_forward.dropout.p == 0.3


def test_the_norm_comes_after_the_residual():  # article-map row 7.2
    layer, x = build(), draw(B, LS, D)
    between = layer.norm1(x + layer.self_attn(x, x, x, VALID))
    expected = layer.norm2(between + layer.feed_forward(between))
    assert torch.equal(layer(x, VALID), expected)


def test_with_everything_dropped_the_residual_remains():
    layer, x = build(dropout=1.0), draw(B, LS, D)
    assert torch.equal(layer(x), layer.norm2(layer.norm1(x)))


def test_dropout_is_off_in_evaluation():
    x = draw(B, LS, D)
    assert torch.equal(build(dropout=0.5).eval()(x), build()(x))


def test_each_token_leaves_with_mean_0_and_variance_1():  # article-map row 7.3
    torch.manual_seed(0)
    out = EncoderLayer(D, H, D_FF, 0.0).double()(draw(B, LS, D, dtype=torch.float64))
    assert_close(out.mean(dim=-1), torch.zeros(B, LS, dtype=torch.float64), factor=16)
    variance = out.var(dim=-1, correction=0)
    # LayerNorm adds 1e-5 to the variance, and that of a residual sum is near 1 here.
    torch.testing.assert_close(variance, torch.ones_like(variance), rtol=0, atol=1e-4)


def test_without_a_mask_every_position_sees_every_other():
    layer, x = build(), draw(1, LS, D)
    changed = x.clone()
    changed[0, -1] += draw(D, seed=1)
    assert (layer(x) != layer(changed)).any(dim=-1).all()


def test_layers_stack_in_a_module_list():
    layers, x = nn.ModuleList([build(), build()]), draw(B, LS, D)
    for layer in layers:
        x = layer(x, VALID)
    assert x.shape == (B, LS, D)
