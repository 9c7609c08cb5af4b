"""The feed-forward network that works on each position alone."""

from torch import nn

from .shapes import check_floats, check_probability, check_size


class PositionWiseFeedForward(nn.Module):
    """Widen each position to d_ff features, apply ReLU, and narrow it again.

    Positions do not exchange anything here.
    From "Attention Is All You Need", section 3.3.

    Shapes:
        x: [B, L, D]
        returns: [B, L, D]

    Raises:
        ValueError: a size is wrong.
        TypeError: the dtype is not that of the weights.
    """

    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        check_size("d_model", d_model)
        check_size("d_ff", d_ff)
        check_probability("dropout", dropout)
        self.d_model = d_model
        self.linear1 = nn.Linear(d_model, d_ff)
        self.relu = nn.ReLU()
        self.dropout = nn.Dropout(dropout)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        check_floats("x", x, "B", "L", self.d_model, like=self.linear1)
        x = self.relu(self.linear1(x))  # [B, L, d_ff]
        x = self.dropout(x)  # [B, L, d_ff]
        return self.linear2(x)  # [B, L, D]
