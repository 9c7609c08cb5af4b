"""The language model: a Transformer whose decoder has nothing to look at but its own text."""

import math

from torch import nn

from ..encoder import EncoderLayer
from ..masks import causal_mask, padding_mask
from ..positional import PositionalEncoding
from ..shapes import check_ids, check_size
from ..transformer import embedding


class LanguageModel(nn.Module):
    """Read the beginning of a text, and give logits for the next id at each position.

    Take the cross-attention and its norm out of a decoder layer. What is left is
    self-attention and feed-forward, each added to its input and normalised: an
    encoder layer. Only the causal mask made it a decoder layer, and the mask comes
    from outside. As in GPT, "Language Models are Unsupervised Multitask Learners",
    section 2.3, but with the Post-LN and the sinusoidal positions of this package.

    Shapes:
        ids: [B, L], integers below vocab
        returns: logits [B, L, V] with V = vocab

    Raises:
        ValueError: a size, shape or device is wrong, an id is outside the vocabulary,
            or a text is longer than max_len.
        TypeError: ids are not integers.
    """

    def __init__(
        self,
        vocab,
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
        self.embedding = embedding(vocab, d_model, pad_id, "vocab")
        self.position = PositionalEncoding(d_model, dropout, max_len)
        sizes = (d_model, num_heads, d_ff, dropout)
        self.layers = nn.ModuleList([EncoderLayer(*sizes) for _ in range(num_layers)])
        self.to_logits = nn.Linear(d_model, vocab)
        self.d_model = d_model
        self.pad_id = pad_id

    def forward(self, ids):
        _, L = check_ids("ids", ids, "B", "L", table=self.embedding)
        x = self.embedding(ids) * math.sqrt(self.d_model)  # [B, L, D]
        x = self.position(x)  # [B, L, D]
        causal = causal_mask(L).to(ids.device)  # [L, L]
        mask = padding_mask(ids, self.pad_id) & causal  # [B, 1, L, L]
        for layer in self.layers:
            x = layer(x, mask)  # [B, L, D]
        return self.to_logits(x)  # [B, L, V]
