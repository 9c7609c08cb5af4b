import pytest
import torch
from torch import nn

from follow_the_tensor import (
    DecoderLayer,
    EncoderLayer,
    MultiHeadAttention,
    attention_maps,
    causal_mask,
    padding_mask,
)
from tests.support.helpers import D_FF, LS, LT, B, D, H, draw

SRC = padding_mask(torch.tensor([[4, 5, 6, 2, 0, 0], [7, 8, 9, 10, 2, 0]]))


def decoder():
    torch.manual_seed(0)
    return DecoderLayer(D, H, D_FF, 0.0), draw(B, LT, D), draw(B, LS, D, seed=1)


def test_maps_are_the_weights_of_the_pass():  # reader question Q29: the mask is in them
    layer, x, memory = decoder()
    expected = layer(x, memory, SRC, causal_mask(LT))
    with attention_maps(layer) as maps:
        given = layer(x, memory, SRC, causal_mask(LT))
    torch.testing.assert_close(given, expected)
    assert maps.keys() == {"self_attn", "cross_attn"}
    _, weights = layer.self_attn(x, x, x, causal_mask(LT), need_weights=True)
    assert torch.equal(maps["self_attn"][0], weights)
    assert (maps["cross_attn"][0][~SRC.expand(B, H, LT, LS)] == 0).all()


def test_an_attention_by_itself_has_the_empty_name_and_a_plain_output():
    attention, x = MultiHeadAttention(D, H), draw(B, LS, D)
    with attention_maps(attention) as maps:
        output = attention(x, x, x)
    assert output.shape == (B, LS, D)
    assert [m.shape for m in maps[""]] == [(B, H, LS, LS)]


def test_a_caller_who_asks_for_weights_still_gets_them():
    attention, x = MultiHeadAttention(D, H), draw(B, LS, D)
    with attention_maps(attention) as maps:
        by_name = attention(x, x, x, need_weights=True)
        by_position = attention(x, x, x, None, True)
    for (output, weights), kept in zip((by_name, by_position), maps[""], strict=True):
        assert output.shape == (B, LS, D)
        assert torch.equal(weights, kept)


def test_is_causal_reaches_the_maps_by_name_and_by_position():
    attention, x = MultiHeadAttention(D, H), draw(B, LS, D)
    with attention_maps(attention) as maps:
        attention(x, x, x, is_causal=True)
        assert isinstance(attention(x, x, x, None, False, True), torch.Tensor)
    assert all(not weights.triu(1).any() for weights in maps[""])


def test_blocks_may_stand_inside_one_another():
    layer, x, memory = decoder()
    with attention_maps(layer) as outer, attention_maps(layer.cross_attn) as inner:
        layer(x, memory, SRC, causal_mask(LT))
    assert torch.equal(outer["cross_attn"][0], inner[""][0])
    assert outer["self_attn"][0].shape == (B, H, LT, LT)


def test_two_passes_give_two_maps_in_calling_order_by_the_number_of_the_layer():
    stack = nn.Sequential(*(EncoderLayer(D, H, D_FF) for _ in range(3)))
    with attention_maps(stack) as maps:
        stack(draw(B, LS, D))
        stack(draw(1, LT, D))
    assert list(maps) == ["0.self_attn", "1.self_attn", "2.self_attn"]
    assert [m.shape for m in maps["1.self_attn"]] == [(B, H, LS, LS), (1, H, LT, LT)]


def test_maps_hold_no_graph_and_gradients_still_flow():
    layer, x = EncoderLayer(D, H, D_FF), draw(B, LS, D).requires_grad_()
    with attention_maps(layer) as maps:
        layer(x).square().sum().backward()
    assert not maps["self_attn"][0].requires_grad
    assert x.grad.isfinite().all()


def test_a_failed_pass_spoils_nothing_and_no_hook_is_left_behind():
    attention, x = MultiHeadAttention(D, H), draw(B, LS, D)
    before = set(vars(attention))
    with attention_maps(attention) as maps:
        with pytest.raises(ValueError, match="V: expected"):
            attention(x, x, x[:1], need_weights=True)
        output = attention(x, x, x)
    assert output.shape == (B, LS, D)
    assert len(maps[""]) == 1
    assert not attention._forward_hooks
    assert not attention._forward_pre_hooks
    assert set(vars(attention)) == before


def test_a_model_without_attention_has_no_maps():
    with attention_maps(nn.Linear(2, 2)) as maps:
        pass
    assert maps == {}
