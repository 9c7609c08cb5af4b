"""The whole model: embeddings, stacks of layers, vocabulary layer."""

import math

import torch
from torch import nn

from .decoder import DecoderLayer
from .encoder import EncoderLayer
from .masks import causal_mask, padding_mask
from .positional import PositionalEncoding
from .shapes import check_ids, check_index, check_size


class Transformer(nn.Module):
    """Read a sequence of source ids, and give logits for the next id at each target position.

    Masks are built here, from the ids. Logits are scores before the softmax.
    From "Attention Is All You Need", section 3, without the sharing of weights between
    embeddings and vocabulary layer and without dropout on attention weights.

    Shapes:
        src: [B, Ls], integers below src_vocab    tgt: [B, Lt], integers below tgt_vocab
        returns: logits [B, Lt, V] with V = tgt_vocab

    Raises:
        ValueError: a size, shape or device is wrong, an id is outside its vocabulary,
            or a sequence is longer than max_len.
        TypeError: ids are not integers.
    """

    def __init__(
        self,
        src_vocab,
        tgt_vocab,
        d_model,
        num_heads,
        d_ff,
        num_layers,
        dropout=0.1,
        max_len=512,
        pad_id=0,
    ):
        super().__init__()
        check_size("num_layers", num_layers)
        self.src_embedding = embedding(src_vocab, d_model, pad_id, "src_vocab")
        self.tgt_embedding = embedding(tgt_vocab, d_model, pad_id, "tgt_vocab")
        self.position = PositionalEncoding(d_model, dropout, max_len)
        sizes = (d_model, num_heads, d_ff, dropout)
        # The list comprehension calls the class once for each layer.
        self.encoder = nn.ModuleList([EncoderLayer(*sizes) for _ in range(num_layers)])
        self.decoder = nn.ModuleList([DecoderLayer(*sizes) for _ in range(num_layers)])
        self.to_logits = nn.Linear(d_model, tgt_vocab)
        self.d_model = d_model
        self.pad_id = pad_id

    def forward(self, src, tgt):
        memory, src_mask = self.encode_with_mask(src)
        return self.decode(tgt, memory, src_mask)  # [B, Lt, V]

    def encode(self, src):
        memory, _ = self.encode_with_mask(src)
        return memory  # [B, Ls, D]

    def encode_with_mask(self, src):
        x = self.embed_source(src)  # [B, Ls, D]
        mask = padding_mask(src, self.pad_id)  # [B, 1, 1, Ls]
        for layer in self.encoder:
            x = layer(x, mask)  # [B, Ls, D]
        return x, mask

    def decode(self, tgt, memory, src_mask):
        x = self.embed_target(tgt)  # [B, Lt, D]
        causal = causal_mask(tgt.size(1)).to(tgt.device)  # [Lt, Lt]
        tgt_mask = padding_mask(tgt, self.pad_id) & causal  # [B, 1, Lt, Lt]
        for layer in self.decoder:
            x = layer(x, memory, src_mask, tgt_mask)  # [B, Lt, D]
        return self.to_logits(x)  # [B, Lt, V]

    def embed_source(self, src):
        check_ids("src", src, "B", "Ls", table=self.src_embedding)
        x = self.src_embedding(src) * math.sqrt(self.d_model)  # [B, Ls, D]
        return self.position(x)  # [B, Ls, D]

    def embed_target(self, tgt):
        check_ids("tgt", tgt, "B", "Lt", table=self.tgt_embedding)
        x = self.tgt_embedding(tgt) * math.sqrt(self.d_model)  # [B, Lt, D]
        return self.position(x)  # [B, Lt, D]


def embedding(vocab_size, d_model, pad_id, name):
    """A lookup table: random rows, of length 1 on average, and zeros for PAD.

    From the standard deviation D^-0.5 the factor √D of the model makes 1, the largest
    value of the positional encoding. `padding_idx` keeps gradients away from PAD.
    """
    check_size(name, vocab_size)
    check_size("d_model", d_model)
    check_index("pad_id", pad_id, vocab_size)
    table = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
    with torch.no_grad():
        table.weight.normal_(std=d_model**-0.5)
        table.weight[pad_id] = 0
    return table
