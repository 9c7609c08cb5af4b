import copy
import math

import pytest
import torch

from follow_the_tensor import PositionalEncoding
from tests.support.helpers import DTYPES, LS, B, D, draw, refuses


def table(d_model, max_len):
    return PositionalEncoding(d_model, dropout=0.0, max_len=max_len).pe[0]


def rounded(values):
    return [[round(value, 4) for value in row] for row in values.tolist()]


def test_the_table_of_the_article():  # article-map row 2.2
    assert rounded(table(4, 3)) == [
        [0.0, 1.0, 0.0, 1.0],
        [0.8415, 0.5403, 0.01, 0.9999],
        [0.9093, -0.4161, 0.02, 0.9998],
    ]


@pytest.mark.parametrize("d_model", [1, 2, 5, 12, 33])
@pytest.mark.parametrize("position", [0, 1, 49, 4999])
def test_every_entry_follows_the_formula(d_model, position):
    expected = [
        (math.cos if column % 2 else math.sin)(position / 10000 ** (column // 2 * 2 / d_model))
        for column in range(d_model)
    ]
    # Entries lie between -1 and 1, so one rounding to float32 moves them by eps at most.
    atol = torch.finfo(torch.float32).eps
    row = table(d_model, position + 1)[position]
    torch.testing.assert_close(row, torch.tensor(expected), rtol=0, atol=atol)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16], ids=str)
def test_the_default_dtype_costs_one_rounding_only(dtype):
    expected = table(D, 300).to(dtype)
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        pe = table(D, 300)
    finally:
        torch.set_default_dtype(before)
    atol = max(torch.finfo(dtype).eps, torch.finfo(before).eps)
    torch.testing.assert_close(pe, expected, rtol=0, atol=atol)


def test_an_odd_size_has_one_cosine_fewer():
    pe = table(5, 4)
    assert pe.shape == (4, 5)
    assert pe[0].tolist() == [0.0, 1.0, 0.0, 1.0, 0.0]  # sin 0, cos 0, sin 0, cos 0, sin 0


def test_position_zero_is_sin_zero_and_cos_zero():
    assert table(4, 1)[0].tolist() == [0.0, 1.0, 0.0, 1.0]


def test_the_defaults_are_those_of_the_article():
    encoding = PositionalEncoding(4)
    assert encoding.dropout.p == 0.1
    assert encoding.pe.shape == (1, 5000, 4)


def test_the_table_is_a_buffer_and_not_a_parameter():
    encoding = PositionalEncoding(4)
    assert list(encoding.state_dict()) == ["pe"]
    assert list(encoding.parameters()) == []
    assert not encoding.pe.requires_grad


def test_the_table_follows_the_module():
    encoding = PositionalEncoding(4)
    assert encoding.to(torch.float64).pe.dtype == torch.float64
    assert encoding.to("meta").pe.device.type == "meta"


def test_forward_adds_the_same_rows_to_every_sentence():
    encoding = PositionalEncoding(D, dropout=0.0, max_len=32)
    x = draw(B, LS, D)
    before = x.clone()
    assert torch.equal(encoding(x), torch.stack([row + encoding.pe[0, :LS] for row in x]))
    assert torch.equal(x, before)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_dtype_of_the_input_is_kept(dtype):
    encoding = PositionalEncoding(4, dropout=0.0, max_len=3)
    out = encoding(torch.zeros(1, 3, 4, dtype=dtype))
    assert out.dtype == dtype
    assert torch.equal(out, encoding.pe.to(dtype))


def test_gradients_pass_unchanged():
    x = draw(B, LS, D).requires_grad_()
    PositionalEncoding(D, dropout=0.0)(x).sum().backward()
    assert torch.equal(x.grad, torch.ones(B, LS, D))


def test_dropout_acts_in_training_alone():
    encoding = PositionalEncoding(D, dropout=1.0)
    x = draw(B, LS, D)
    assert torch.equal(encoding(x), torch.zeros(B, LS, D))
    assert torch.equal(encoding.eval()(x), x + encoding.pe[:, :LS])


def test_an_empty_sequence_stays_empty():
    assert PositionalEncoding(4)(torch.zeros(2, 0, 4)).shape == (2, 0, 4)


@pytest.mark.parametrize("max_len", [1, 6])
def test_a_length_up_to_max_len_is_taken_and_one_more_is_refused(max_len):
    encoding = PositionalEncoding(4, dropout=0.0, max_len=max_len)
    assert torch.equal(encoding(torch.zeros(1, max_len, 4)), encoding.pe)
    with refuses(ValueError, "x: ", f"at most max_len={max_len}", f"got {max_len + 1}"):
        encoding(torch.zeros(1, max_len + 1, 4))


def test_copies_and_stored_states_give_the_same_numbers():
    encoding, x = PositionalEncoding(D, dropout=0.0), draw(B, LS, D)
    fresh = PositionalEncoding(D, dropout=0.0)
    fresh.pe.zero_()
    fresh.load_state_dict(encoding.state_dict())
    for twin in (copy.deepcopy(encoding), fresh):
        assert torch.equal(twin(x), encoding(x))
