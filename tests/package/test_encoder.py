import copy

import torch
from torch import nn

from follow_the_tensor import EncoderLayer, causal_mask, padding_mask
from tests.support.helpers import (
    D_FF,
    LS,
    B,
    D,
    H,
    assert_close,
    draw,
    draw_mask,
    gradients,
    shake,
)

IDS = torch.tensor([[4, 5, 6, 2, 0, 0], [7, 8, 9, 10, 2, 0]])  # article-map row 9.1
VALID = padding_mask(IDS)


def build(dropout=0.0, dtype=torch.float32):
    torch.manual_seed(0)
    return shake(EncoderLayer(D, H, D_FF, dropout)).to(dtype)


def test_the_running_example_has_1284_parameters():  # article-map row 7.1
    assert sum(p.numel() for p in EncoderLayer(D, H, D_FF).parameters()) == 1284


def test_the_parts_have_the_names_of_the_article():
    names = [name for name, _ in EncoderLayer(D, H, D_FF).named_children()]
    assert sorted(names) == ["dropout", "feed_forward", "norm1", "norm2", "self_attn"]


def test_dropout_reaches_every_part_that_has_one():
    layer = EncoderLayer(D, H, D_FF)
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


def test_what_stands_at_padding_does_not_reach_the_tokens():
    layer, x = build(), draw(B, LS, D)
    changed = torch.where((IDS == 0)[:, :, None], x + 1, x)
    assert torch.equal(layer(x, VALID)[IDS != 0], layer(changed, VALID)[IDS != 0])
    assert not torch.equal(layer(x)[IDS != 0], layer(changed)[IDS != 0])


def test_without_a_mask_every_position_sees_every_other():
    layer, x = build(), draw(1, LS, D)
    changed = x.clone()
    changed[0, -1] += 1
    assert (layer(x) != layer(changed)).any(dim=-1).all()


def test_a_sentence_of_padding_alone_gives_finite_numbers_and_gradients():
    layer, x = build(), draw(B, LS, D).requires_grad_()
    out = layer(x, torch.zeros(B, 1, 1, LS, dtype=torch.bool))
    assert out.isfinite().all()
    assert all(g.isfinite().all() for g in gradients(out, [x, *layer.parameters()]))


def test_the_input_and_the_mask_stay_as_they_were():
    x, mask = draw(B, LS, D), draw_mask(B, 1, 1, LS)
    before = x.clone(), mask.clone()
    build()(x, mask)
    assert torch.equal(x, before[0])
    assert torch.equal(mask, before[1])


def test_a_mask_on_another_device_is_moved():
    out = build().to("meta")(draw(B, LS, D).to("meta"), VALID)
    assert out.device.type == "meta"
    assert out.shape == (B, LS, D)


def test_copies_and_stored_states_give_the_same_numbers():
    layer, x = build(), draw(B, LS, D)
    fresh = EncoderLayer(D, H, D_FF, 0.0)
    fresh.load_state_dict(layer.state_dict())
    for twin in (copy.deepcopy(layer), fresh):
        assert torch.equal(twin(x, VALID), layer(x, VALID))


def test_autocast_keeps_the_norms_in_float32():
    layer, x = build(), draw(B, LS, D)
    with torch.autocast("cpu", torch.bfloat16):
        low = layer(x, VALID)
    assert low.dtype == torch.float32
    assert_close(low.to(torch.bfloat16), layer(x, VALID).to(torch.bfloat16), factor=16)


def test_layers_stack_in_a_module_list():
    layers, x = nn.ModuleList([build(), build()]), draw(B, LS, D)
    for layer in layers:
        x = layer(x, VALID)
    assert x.shape == (B, LS, D)


def test_it_compiles_as_one_graph():
    layer, x = build(), draw(B, LS, D)
    compiled = torch.compile(layer, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(x, VALID), layer(x, VALID))


def test_it_compiles_with_free_sizes_where_the_length_equals_d_model():
    torch.compiler.reset()  # what an earlier test compiled may hide it
    layer, x, mask = build(), draw(B, D, D), causal_mask(D)[None, None]
    compiled = torch.compile(layer, backend="eager", dynamic=True, fullgraph=True)
    torch.testing.assert_close(compiled(x, mask), layer(x, mask))
