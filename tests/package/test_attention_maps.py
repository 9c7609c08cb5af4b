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


def test_maps_come_by_the_name_of_the_attention():
    layer, x, memory = decoder()
    with attention_maps(layer) as maps:
        layer(x, memory, SRC, causal_mask(LT))
    assert {name: [tuple(m.shape) for m in found] for name, found in maps.items()} == {
        "self_attn": [(B, H, LT, LT)],
        "cross_attn": [(B, H, LT, LS)],
    }


def test_maps_are_the_weights_of_the_pass():  # reader question Q29: the mask is in them
    layer, x, memory = decoder()
    with attention_maps(layer) as maps:
        layer(x, memory, SRC, causal_mask(LT))
    _, weights = layer.self_attn(x, x, x, causal_mask(LT), need_weights=True)
    assert torch.equal(maps["self_attn"][0], weights)
    assert (maps["self_attn"][0].triu(1) == 0).all()
    assert (maps["cross_attn"][0][~SRC.expand(B, H, LT, LS)] == 0).all()


def test_the_caller_gets_the_output_it_always_gets():
    layer, x, memory = decoder()
    expected = layer(x, memory)
    with attention_maps(layer):
        given = layer(x, memory)
    torch.testing.assert_close(given, expected)


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


def test_blocks_may_stand_inside_one_another():
    layer, x, memory = decoder()
    expected = layer(x, memory, SRC, causal_mask(LT))
    with attention_maps(layer) as outer, attention_maps(layer.cross_attn) as inner:
        given = layer(x, memory, SRC, causal_mask(LT))
    torch.testing.assert_close(given, expected)
    assert torch.equal(outer["cross_attn"][0], inner[""][0])
    assert outer["self_attn"][0].shape == (B, H, LT, LT)


def test_two_passes_give_two_maps_in_calling_order():
    layer = EncoderLayer(D, H, D_FF, 0.0)
    first, second = draw(B, LS, D), draw(1, LT, D)
    with attention_maps(layer) as maps:
        layer(first)
        layer(second)
    assert [m.shape for m in maps["self_attn"]] == [(B, H, LS, LS), (1, H, LT, LT)]


def test_layers_of_a_stack_come_by_number():
    stack, x = nn.Sequential(*(EncoderLayer(D, H, D_FF) for _ in range(3))), draw(B, LS, D)
    with attention_maps(stack) as maps:
        stack(x)
    assert list(maps) == ["0.self_attn", "1.self_attn", "2.self_attn"]


def test_maps_hold_no_graph_and_gradients_still_flow():
    layer, x = EncoderLayer(D, H, D_FF), draw(B, LS, D).requires_grad_()
    with attention_maps(layer) as maps:
        layer(x).square().sum().backward()
    assert not maps["self_attn"][0].requires_grad
    assert x.grad.isfinite().all()


@pytest.mark.parametrize("failing", [False, True])
def test_no_hook_is_left_behind(failing):
    attention, x = MultiHeadAttention(D, H), draw(B, LS, D)
    try:
        with attention_maps(attention) as maps:
            attention(x, x, x[:1] if failing else x)
    except ValueError:
        assert failing
    attention(x, x, x)
    assert len(maps) == (0 if failing else 1)
    assert all(len(found) == 1 for found in maps.values())
    assert not attention._forward_hooks
    assert not attention._forward_pre_hooks


def test_a_failed_pass_does_not_spoil_the_next():
    attention, x = MultiHeadAttention(D, H), draw(B, LS, D)
    with attention_maps(attention) as maps:
        with pytest.raises(ValueError, match="V: expected"):
            attention(x, x, x[:1], need_weights=True)
        output = attention(x, x, x)
    assert output.shape == (B, LS, D)
    assert len(maps[""]) == 1


def test_nothing_is_kept_on_the_layer():
    attention, x = MultiHeadAttention(D, H), draw(B, LS, D)
    before = set(vars(attention))
    with attention_maps(attention):
        attention(x, x, x)
    assert set(vars(attention)) == before


def test_a_model_without_attention_has_no_maps():
    with attention_maps(nn.Linear(2, 2)) as maps:
        pass
    assert maps == {}


def test_other_hooks_still_see_the_arguments_inside_attention_maps():
    layer, x, seen = MultiHeadAttention(D, H), draw(B, LS, D), []
    with attention_maps(layer):
        layer.register_forward_hook(lambda module, args, output: seen.append(len(args)))
        layer(x, x, x)
    assert seen == [3]
