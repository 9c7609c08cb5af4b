import inspect
import subprocess
import sys

import pytest
import torch
from torch import nn

import follow_the_tensor
from follow_the_tensor import DecoderLayer, EncoderLayer, PositionalEncoding

# The public names of design.md and those the book added; more may come.
SIGNATURES = {
    "PositionalEncoding": "(d_model, dropout=0.1, max_len=5000)",
    "MultiHeadAttention": "(d_model, num_heads)",
    "PositionWiseFeedForward": "(d_model, d_ff, dropout=0.1)",
    "EncoderLayer": "(d_model, num_heads, d_ff, dropout=0.1)",
    "DecoderLayer": "(d_model, num_heads, d_ff, dropout=0.1)",
    "PositionalEncoding.forward": "(self, x)",
    "MultiHeadAttention.forward": "(self, Q, K, V, mask=None, need_weights=False, is_causal=False)",
    "MultiHeadAttention.split_heads": "(self, x)",
    "MultiHeadAttention.combine_heads": "(self, x)",
    "PositionWiseFeedForward.forward": "(self, x)",
    "EncoderLayer.forward": "(self, x, mask=None)",
    "DecoderLayer.forward": "(self, x, encoder_output, src_mask=None, tgt_mask=None)",
    "Transformer": (
        "(src_vocab, tgt_vocab, d_model, num_heads, d_ff, num_layers, "
        "dropout=0.1, max_len=512, pad_id=0)"
    ),
    "Transformer.forward": "(self, src, tgt)",
    "Transformer.encode": "(self, src)",
    "Transformer.decode": "(self, tgt, memory, src_mask)",
    "generate": "(model, src, bos_id, eos_id, max_len, beam_size=1, use_cache=True)",
    "scaled_dot_product_attention": "(Q, K, V, mask=None)",
    "padding_mask": "(ids, pad_id=0)",
    "causal_mask": "(length)",
    "expand_mask": "(mask, sizes, name='mask')",
    "attention_maps": "(model)",
    "load_date_reader": None,  # its default is a path of this machine
    "show_source": "(first, *others)",
    "step_through": "(function, /, *inputs, at=None, **keywords)",
}


def test_all_is_sorted_and_complete():
    offered = follow_the_tensor.__all__
    assert offered == sorted(set(offered))
    assert {name.split(".")[0] for name in SIGNATURES} <= set(offered)
    assert set(offered) == {
        name
        for name, thing in vars(follow_the_tensor).items()
        if not name.startswith("_") and not inspect.ismodule(thing)
    }


@pytest.mark.parametrize("name", follow_the_tensor.__all__)
def test_every_public_name_can_be_imported_and_says_what_it_is(name):
    assert inspect.getdoc(getattr(follow_the_tensor, name))


@pytest.mark.parametrize("name", SIGNATURES)
def test_calls_are_those_of_the_design(name):
    thing = follow_the_tensor
    for part in name.split("."):
        thing = getattr(thing, part)
    assert SIGNATURES[name] in (None, str(inspect.signature(thing)))


def test_importing_brings_no_drawing_and_no_notebook():
    heavy = ["matplotlib", "IPython", "ipywidgets", "anywidget"]
    code = f"import sys, follow_the_tensor; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert (run.stdout.strip(), run.stderr) == ("[]", "")


def test_the_minimal_example_of_the_article_runs():  # article-map row 9.1
    torch.manual_seed(42)
    pad_id, vocabulary, d_model, num_heads, d_ff = 0, 32, 12, 3, 24
    src_embedding = nn.Embedding(vocabulary, d_model, padding_idx=pad_id)
    tgt_embedding = nn.Embedding(vocabulary, d_model, padding_idx=pad_id)
    position = PositionalEncoding(d_model, dropout=0.0, max_len=32)
    encoder = EncoderLayer(d_model, num_heads, d_ff, dropout=0.0)
    decoder = DecoderLayer(d_model, num_heads, d_ff, dropout=0.0)
    head = nn.Linear(d_model, vocabulary)

    src = torch.tensor([[4, 5, 6, 2, 0, 0], [7, 8, 9, 10, 2, 0]])
    tgt = torch.tensor([[1, 11, 12, 2, 0], [1, 13, 14, 15, 2]])
    tgt_input, labels = tgt[:, :-1], tgt[:, 1:]
    src_mask = (src != pad_id)[:, None, None, :]
    tgt_mask = (tgt_input != pad_id)[:, None, None, :]
    tgt_mask = tgt_mask & torch.ones(4, 4, dtype=torch.bool).tril()

    memory = encoder(position(src_embedding(src) * d_model**0.5), src_mask)
    target = position(tgt_embedding(tgt_input) * d_model**0.5)
    hidden = decoder(target, memory, src_mask, tgt_mask)
    logits = head(hidden)
    loss = nn.CrossEntropyLoss(ignore_index=pad_id)(
        logits.reshape(-1, vocabulary), labels.reshape(-1)
    )
    loss.backward()

    assert memory.shape == (2, 6, 12)
    assert hidden.shape == (2, 4, 12)
    assert logits.shape == (2, 4, 32)
    assert loss.item() == pytest.approx(3.5956, abs=1e-3)
    modules = src_embedding, tgt_embedding, position, encoder, decoder, head
    parameters = [p for module in modules for p in module.parameters()]
    assert len(parameters) == 46
    assert all(p.grad.isfinite().all() for p in parameters)
