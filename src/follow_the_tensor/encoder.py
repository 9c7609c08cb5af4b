"""One layer of the encoder."""

from torch import nn

from .attention import MultiHeadAttention
from .feed_forward import PositionWiseFeedForward
from .shapes import check_floats, check_probability


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward; each added to its input and normalised.

    The order is Post-LN: the norm comes after the residual sum.
    From "Attention Is All You Need", section 3.1.

    Shapes:
        x: [B, Ls, D]
        mask: what MultiHeadAttention takes for Lq = Lk = Ls; True may attend
        returns: [B, Ls, D]

    Raises:
        ValueError: a size or shape is wrong.
        TypeError: the dtype is not that of the weights, or the mask is floating.
    """

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        check_probability("dropout", dropout)
        self.self_attn = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = PositionWiseFeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.d_model = d_model

    def forward(self, x, mask=None):
        check_floats("x", x, "B", "Ls", self.d_model, like=self.norm1)
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, mask)))  # [B, Ls, D]
        x = self.norm2(x + self.dropout(self.feed_forward(x)))  # [B, Ls, D]
        return x
