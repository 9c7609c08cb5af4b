import copy

import torch
from torch import nn

from follow_the_tensor import PositionWiseFeedForward
from tests.support.helpers import D_FF, LS, B, D, assert_close, draw, every_dtype, gradients


def build(dropout=0.0):
    torch.manual_seed(0)
    return PositionWiseFeedForward(D, D_FF, dropout)


def with_identity_weights():
    network = PositionWiseFeedForward(5, 5, dropout=0.0)
    with torch.no_grad():
        for layer in (network.linear1, network.linear2):
            layer.weight.copy_(torch.eye(5))
            layer.bias.zero_()
    return network


def test_the_inner_layer_is_d_ff_wide():
    network = build()
    assert network.linear1(draw(B, LS, D)).shape == (B, LS, D_FF)
    assert network(draw(B, LS, D)).shape == (B, LS, D)
    assert sum(p.numel() for p in network.parameters()) == 12 * 24 + 24 + 24 * 12 + 12


def test_relu_cuts_what_is_negative():  # article-map row 6.2
    x = torch.tensor([[[-2.0, -0.5, 0.0, 1.0, 3.0]]])
    assert with_identity_weights()(x).tolist() == [[[0.0, 0.0, 0.0, 1.0, 3.0]]]


@every_dtype
def test_it_is_linear_relu_linear(dtype):
    network = build().to(dtype)
    twin = nn.Sequential(network.linear1, nn.ReLU(), network.linear2)
    x = draw(B, LS, D, dtype=dtype).requires_grad_()
    inputs = [x, *network.parameters()]
    assert torch.equal(network(x), twin(x))
    for ours, theirs in zip(gradients(network(x), inputs), gradients(twin(x), inputs), strict=True):
        assert_close(ours, theirs, factor=2)


def test_a_position_changes_nothing_but_itself():
    network, x = build(), draw(B, LS, D)
    changed = x.clone()
    changed[0, 2] += 1
    moved = (network(changed) != network(x)).any(dim=-1)
    assert moved.nonzero().tolist() == [[0, 2]]


def test_dropout_falls_between_the_linears_and_in_training_alone():
    network, x = build(dropout=1.0), draw(B, LS, D)
    assert torch.equal(network(x), network.linear2.bias.expand(B, LS, D))
    assert torch.equal(network.eval()(x), build()(x))


def test_the_default_dropout_is_that_of_the_article():
    assert PositionWiseFeedForward(4, 8).dropout.p == 0.1


def test_the_input_stays_as_it_was():
    x = draw(B, LS, D)
    before = x.clone()
    build()(x)
    assert torch.equal(x, before)


def test_copies_and_stored_states_give_the_same_numbers():
    network, x = build(), draw(B, LS, D)
    fresh = PositionWiseFeedForward(D, D_FF, 0.0)
    fresh.load_state_dict(network.state_dict())
    for twin in (copy.deepcopy(network), fresh):
        assert torch.equal(twin(x), network(x))


def test_autocast_computes_in_the_smaller_dtype():
    network, x = build(), draw(B, LS, D)
    with torch.autocast("cpu", torch.bfloat16):
        low = network(x)
    assert_close(low, network(x).to(torch.bfloat16), factor=4)
