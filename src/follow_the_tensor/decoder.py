"""One layer of the decoder."""

from torch import nn

from .attention import MultiHeadAttention
from .feed_forward import PositionWiseFeedForward
from .masks import ready_mask
from .shapes import check_floats, check_probability


class DecoderLayer(nn.Module):
    """Self-attention, cross-attention to the encoder, then feed-forward.

    Nothing here is causal by itself: the caller passes the causal mask as `tgt_mask`.
    The order is Post-LN. From "Attention Is All You Need", section 3.1.

    Shapes:
        x: [B, Lt, D]    encoder_output: [B, Ls, D]
        src_mask: what MultiHeadAttention takes for Lq = Lt and Lk = Ls
        tgt_mask: what MultiHeadAttention takes for Lq = Lk = Lt
        returns: [B, Lt, D]

    Raises:
        ValueError: a size or shape is wrong.
        TypeError: a dtype is not that of the weights, or a mask is floating.
    """

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        check_probability("dropout", dropout)
        self.self_attn = MultiHeadAttention(d_model, num_heads)
        self.cross_attn = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = PositionWiseFeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.d_model = d_model
        self.num_heads = num_heads

    def forward(self, x, encoder_output, src_mask=None, tgt_mask=None):
        B, Lt, D = check_floats("x", x, "B", "Lt", self.d_model, like=self.norm1)
        _, Ls, _ = check_floats("encoder_output", encoder_output, B, "Ls", D, like=x)
        tgt_mask = ready_mask(tgt_mask, (B, self.num_heads, Lt, Lt), x.device, "tgt_mask")
        src_mask = ready_mask(src_mask, (B, self.num_heads, Lt, Ls), x.device, "src_mask")

        attended = self.self_attn(x, x, x, tgt_mask)  # [B, Lt, D]
        x = self.norm1(x + self.dropout(attended))  # [B, Lt, D]
        attended = self.cross_attn(x, encoder_output, encoder_output, src_mask)
        x = self.norm2(x + self.dropout(attended))  # [B, Lt, D]
        x = self.norm3(x + self.dropout(self.feed_forward(x)))  # [B, Lt, D]
        return x
