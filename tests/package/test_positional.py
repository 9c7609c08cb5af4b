import pytest
import torch

from follow_the_tensor import PositionalEncoding
from tests.support.helpers import DTYPES, LS, B, D, draw, refuses


def table(d_model, max_len):
    return PositionalEncoding(d_model, dropout=0.0, max_len=max_len).pe[0]


def test_the_table_of_the_article():  # article-map row 2.2
    assert [[round(value, 4) for value in row] for row in table(4, 3).tolist()] == [
        [0.0, 1.0, 0.0, 1.0],
        [0.8415, 0.5403, 0.01, 0.9999],
        [0.9093, -0.4161, 0.02, 0.9998],
    ]


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


def test_the_defaults_are_those_of_the_article():
    encoding = PositionalEncoding(4)
    assert encoding.dropout.p == 0.1
    assert encoding.pe.shape == (1, 5000, 4)


def test_the_table_is_a_buffer_and_not_a_parameter():
    encoding = PositionalEncoding(4)
    assert list(encoding.state_dict()) == ["pe"]
    assert list(encoding.parameters()) == []


def test_the_table_follows_the_module():
    encoding = PositionalEncoding(4)
    assert encoding.to(torch.float64).pe.dtype == torch.float64
    assert encoding.to("meta").pe.is_meta


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_dtype_of_the_input_is_kept(dtype):
    encoding = PositionalEncoding(4, dropout=0.0, max_len=3)
    out = encoding(torch.zeros(1, 3, 4, dtype=dtype))
    assert out.dtype == dtype
    assert torch.equal(out, encoding.pe.to(dtype))


def test_dropout_acts_in_training_alone():
    encoding, x = PositionalEncoding(D, dropout=1.0), draw(B, LS, D)
    assert torch.equal(encoding(x), torch.zeros(B, LS, D))
    assert torch.equal(encoding.eval()(x), x + encoding.pe[:, :LS])


@pytest.mark.parametrize("max_len", [1, 6])
def test_a_length_up_to_max_len_is_taken_and_one_more_is_refused(max_len):
    encoding = PositionalEncoding(4, dropout=0.0, max_len=max_len)
    assert torch.equal(encoding(torch.zeros(1, max_len, 4)), encoding.pe)
    with refuses(ValueError, "x: ", f"at most max_len={max_len}", f"got {max_len + 1}"):
        encoding(torch.zeros(1, max_len + 1, 4))
