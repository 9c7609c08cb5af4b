"""Each message that book/questions quotes is what really comes, letter by letter, today."""

import re
import warnings

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from follow_the_tensor import MultiHeadAttention, PositionalEncoding, causal_mask, expand_mask
from follow_the_tensor.faults import PositionsNeverRegistered
from tests.support.questions import ENTRIES

SPLIT = torch.zeros(2, 3, 4, 4)  # [B, H, L, d_k]
X = torch.zeros(2, 4, 12)  # [B, L, D]
KEEP = torch.tensor([True, False])
ADDITIVE = nn.Transformer.generate_square_subsequent_mask(4)  # [L, L]
PYTORCH = nn.MultiheadAttention(12, 3, batch_first=True)


def unpack_three(x):
    _, _, _ = x.shape


def padding_in_eval_mode():
    layer = nn.TransformerEncoderLayer(12, 2, 24, batch_first=True)
    with torch.no_grad():
        blocked = torch.tensor([[False, False, True, True]] * 2)  # [B, L]
        nn.TransformerEncoder(layer, 1).eval()(X, src_key_padding_mask=blocked)


def odd_heads_in_a_stack():
    nn.TransformerEncoder(nn.TransformerEncoderLayer(12, 3, 24, batch_first=True), 1)


def layers_in_a_plain_list():
    module = nn.Module()
    module.layers = [nn.Linear(2, 2)]
    torch.optim.AdamW(module.parameters())


def cosines_for_an_odd_size():
    torch.zeros(4, 5)[:, 1::2] = torch.zeros(4, 3)


def backward_twice():
    w = torch.ones(2, requires_grad=True)
    memory = w * w
    for _ in range(2):
        (memory * memory).sum().backward()


def loss_without_a_record():
    layer = nn.Linear(2, 1).eval()
    with torch.no_grad():
        loss = layer(torch.ones(2)).sum()
    loss.backward()


def write_into_the_weights():
    weights = torch.softmax(torch.zeros(2, 2, requires_grad=True), dim=-1)
    weights.masked_fill_(KEEP, 0.0)
    weights.sum().backward()


def load_a_wrapped_model():
    layer = nn.Linear(2, 2)
    layer.load_state_dict({f"module.{name}": w for name, w in layer.state_dict().items()})


# What raises the messages of an entry, in their order; or why nothing here can.
RAISING = {
    "Additive 0/-inf masks are not taken": [lambda: expand_mask(ADDITIVE, (1, 1, 4, 4))],
    "masked_fill_ only supports boolean masks": [
        lambda: torch.zeros(2).masked_fill(KEEP.long(), 0.0)
    ],
    "Subtraction with a bool tensor is not supported": [lambda: 1 - KEEP],
    "Boolean value of Tensor with more than one value is ambiguous": [lambda: KEEP and KEEP],
    "Expected attn_mask dtype to be bool or float": [
        lambda: F.scaled_dot_product_attention(SPLIT, SPLIT, SPLIT, causal_mask(4).long())
    ],
    "A padding flag must be written valid[:, None, None, :]": [
        lambda: expand_mask(torch.ones(2, 6, dtype=torch.bool), (2, 3, 4, 6))
    ],
    "The shape of the 3D attn_mask": [
        lambda: PYTORCH(X, X, X, attn_mask=causal_mask(4).expand(2, 4, 4))
    ],
    "The shape of the 2D attn_mask": [lambda: PYTORCH(X, X, X, attn_mask=causal_mask(2))],
    "Expected key_padded_mask.shape[0]": [
        lambda: PYTORCH(X, X, X, torch.zeros(4, 2, dtype=torch.bool)),
        "other releases say so",
    ],
    "Need attn_mask if specifying the is_causal hint": [lambda: PYTORCH(X, X, X, is_causal=True)],
    "Support for mismatched key_padding_mask and attn_mask is deprecated": [
        lambda: PYTORCH(X, X, X, torch.zeros(2, 4, dtype=torch.bool), attn_mask=ADDITIVE)
    ],
    "value cannot be converted to type Half without overflow": [
        lambda: torch.zeros(2).half().masked_fill(KEEP, -1e9)
    ],
    "mat1 and mat2 shapes cannot be multiplied": [lambda: nn.Linear(10, 4)(X)],
    "The size of tensor a must match the size of tensor b": [
        lambda: torch.zeros(2, 6, 12) + torch.zeros(6)
    ],
    "Expected size for first two dimensions of batch2 tensor": [
        lambda: SPLIT @ torch.zeros(2, 3, 6, 4)
    ],
    "batch1 must be a 3D tensor": [lambda: torch.bmm(SPLIT, SPLIT)],
    "too many values to unpack": [lambda: unpack_three(SPLIT)],
    "view size is not compatible with input tensor's size and stride": [
        lambda: SPLIT.transpose(1, 2).view(2, 4, 12)
    ],
    "shape is invalid for input of size": [lambda: torch.arange(8).view(1, 2, 3, 2)],
    "embed_dim must be divisible by num_heads": [
        lambda: nn.MultiheadAttention(1600, 48),
        lambda: MultiHeadAttention(1600, 48),
    ],
    "stack expects each tensor to be equal size": [
        lambda: torch.stack([torch.arange(3), torch.arange(2)])
    ],
    "the feature number of src and tgt must be equal to d_model": [
        lambda: nn.Transformer(12, 3, 1, 1, 24, batch_first=True)(X[..., 0], X[..., 0])
    ],
    "argument 'input' must be Tensor, not tuple": [lambda: nn.Linear(12, 12)(PYTORCH(X, X, X))],
    "CUDA out of memory": ["needs a graphics card"],
    "The PyTorch API of nested tensors is in prototype stage": [padding_in_eval_mode],
    "enable_nested_tensor is True, but self.use_nested_tensor is False": [odd_heads_in_a_stack],
    "optimizer got an empty parameter list": [layers_in_a_plain_list],
    "object has no attribute 'pe'": [lambda: PositionsNeverRegistered(12)(X)],
    "Expected all tensors to be on the same device": ["needs a graphics card"],
    "mat1 and mat2 must have the same dtype": [
        lambda: nn.Linear(12, 4)(X.double()),
        "other releases say so",
    ],
    "Missing key(s) in state_dict": [load_a_wrapped_model],
    "The expanded size of the tensor must match the existing size": [cosines_for_an_odd_size],
    "expected a length of at most max_len": [
        lambda: PositionalEncoding(12, max_len=8)(torch.zeros(2, 9, 12))
    ],
    "index out of range in self": [lambda: nn.Embedding(5, 3)(torch.tensor([[5]]))],
    "CUDA error: device-side assert triggered": ["needs a graphics card"],
    "Expected tensor for argument 'indices' to have scalar types Long, Int": [
        lambda: nn.Embedding(5, 3)(torch.tensor([[1.0]]))
    ],
    "Expected target size": [
        lambda: F.cross_entropy(torch.zeros(2, 4, 32), torch.zeros(2, 4, dtype=torch.long))
    ],
    "Expected input batch_size to match target batch_size": [
        lambda: F.cross_entropy(torch.zeros(8, 32), torch.zeros(10, dtype=torch.long))
    ],
    "Target is out of bounds": [lambda: F.cross_entropy(torch.zeros(8, 32), torch.full((8,), 32))],
    "Trying to backward through the graph a second time": [backward_twice],
    "element 0 of tensors does not require grad": [loss_without_a_record],
    "modified by an inplace operation": [write_into_the_weights],
    "No module named 'follow_the_tensor'": ["the package is there"],
    "No module named 'torchtext'": ["whether it is there depends on the machine"],
    "numpy.dtype size changed, may indicate binary incompatibility": ["needs a broken NumPy"],
    "Error displaying widget: model not found": ["a notebook viewer says it"],
}


CHECKED = [
    pytest.param(entry.messages, call, id=entry.title)
    for entry in ENTRIES
    for call in RAISING.get(entry.title, [])
    if callable(call)
]


def complaint(call):
    """The error that `call` raises, or the first warning that it gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call()
        except Exception as error:
            return error
    return caught[0].message


def plain(text):
    """Without line ends, and without the C++ namespace, which changes from release to release."""
    return re.sub(r"\b(c10|at)::", "", " ".join(text.split()))


def quotes(message, said):
    """A quote may stop before the end, and may name a base class of the error."""
    kind, text = message.split(": ", maxsplit=1)
    kinds = {base.__name__ for base in type(said).__mro__}
    return kind in kinds and plain(str(said)).startswith(plain(text))


@pytest.fixture
def warn_again():
    """PyTorch gives some warnings only once in a process."""
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(False)


@pytest.mark.usefixtures("warn_again")
@pytest.mark.parametrize(("messages", "call"), CHECKED)
def test_the_quoted_message_is_what_comes(messages, call):
    said = complaint(call)
    assert any(quotes(message, said) for message in messages), repr(said)


def test_every_quote_is_checked_or_has_a_reason():
    quoted = {entry.title: len(entry.messages) for entry in ENTRIES if entry.messages}
    assert quoted == {title: len(sources) for title, sources in RAISING.items()}
