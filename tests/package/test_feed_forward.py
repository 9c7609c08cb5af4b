import torch

from follow_the_tensor import PositionWiseFeedForward
from tests.support.helpers import D_FF, LS, B, D, draw


def test_the_inner_layer_is_d_ff_wide():
    network = PositionWiseFeedForward(D, D_FF)
    assert network.linear1(draw(B, LS, D)).shape == (B, LS, D_FF)
    assert sum(p.numel() for p in network.parameters()) == 12 * 24 + 24 + 24 * 12 + 12


def test_relu_cuts_what_is_negative():  # article-map row 6.2
    network = PositionWiseFeedForward(5, 5, dropout=0.0)
    with torch.no_grad():
        for layer in (network.linear1, network.linear2):
            layer.weight.copy_(torch.eye(5))
            layer.bias.zero_()
    x = torch.tensor([[[-2.0, -0.5, 0.0, 1.0, 3.0]]])
    assert network(x).tolist() == [[[0.0, 0.0, 0.0, 1.0, 3.0]]]


def test_a_position_changes_nothing_but_itself():
    network, x = PositionWiseFeedForward(D, D_FF, 0.0), draw(B, LS, D)
    changed = x.clone()
    changed[0, 2] += 1
    moved = (network(changed) != network(x)).any(dim=-1)
    assert moved.nonzero().tolist() == [[0, 2]]


def test_dropout_falls_between_the_linears_and_in_training_alone():
    network, x = PositionWiseFeedForward(D, D_FF, dropout=1.0), draw(B, LS, D)
    assert torch.equal(network(x), network.linear2.bias.expand(B, LS, D))
    assert not torch.equal(network.eval()(x), network.linear2.bias.expand(B, LS, D))
    assert PositionWiseFeedForward(4, 8).dropout.p == 0.1
