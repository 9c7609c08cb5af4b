"""Where the elements of a tensor live while its heads are split and combined."""

import torch

from ..shared.base import Choice, Explorable, Whole, table

STEPS = {
    "x": lambda x, H: x,
    "view": lambda x, H: x.view(len(x), H, -1),
    "transpose": lambda x, H: x.view(len(x), H, -1).transpose(0, 1),
    "view refused": lambda x, H: x.view(len(x), H, -1).transpose(0, 1).view(-1),
    "contiguous": lambda x, H: x.view(len(x), H, -1).transpose(0, 1).contiguous(),
    "reshape": lambda x, H: x.view(len(x), H, -1).transpose(0, 1).reshape(-1),
    "combine": lambda x, H: (
        # What attention hands on is a new tensor [H, L, d_k], contiguous in that order.
        x.view(len(x), H, -1)
        .transpose(0, 1)
        .contiguous()
        .transpose(0, 1)
        .contiguous()
        .view(x.shape)
    ),
    "wrong view": lambda x, H: x.view(H, len(x), -1),
    "wrong merge": lambda x, H: x.view(len(x), H, -1).transpose(0, 1).reshape(x.shape),
}
# What a wrong step should have given.
RIGHT = {"wrong view": "transpose", "wrong merge": "combine"}


class Memory(Explorable):
    """Follow x [L, D], numbered from 0, through view, transpose, contiguous and reshape.

    Traits:
        length: L, the number of positions
        heads: H, the number of heads
        d_k: the features of one head
        step: one of the steps of `STEPS`
    """

    module = "memory"

    length = Whole(2, min=1, max=4).tag(sync=True, state=True)
    heads = Whole(2, min=1, max=4).tag(sync=True, state=True)
    d_k = Whole(2, min=1, max=4).tag(sync=True, state=True)
    step = Choice(list(STEPS), "transpose").tag(sync=True, state=True)

    @property
    def result(self):
        L, D = self.length, self.heads * self.d_k
        x = torch.arange(L * D).view(L, D)  # [L, D]
        try:
            y = STEPS[self.step](x, self.heads)
        except RuntimeError:
            return {"refused": True}
        return {
            "refused": False,
            "shape": list(y.shape),
            "strides": list(y.stride()),
            "contiguous": y.is_contiguous(),
            "copied": y.data_ptr() != x.data_ptr(),
            "values": y.flatten().tolist(),
            "storage": torch.as_strided(y, (L * D,), (1,)).tolist(),
            "right": self._right(x),
        }

    def _right(self, x):
        if self.step not in RIGHT:
            return None
        return STEPS[RIGHT[self.step]](x, self.heads).flatten().tolist()

    def still(self):
        L, D = self.length, self.heads * self.d_k
        x = torch.arange(L * D).view(L, D)  # [L, D]
        rows = [f"position {row}" for row in range(L)]
        heads = STEPS["transpose"](x, self.heads).tolist()  # [H, L, d_k]
        stills = [table(f"head {n}", head, rows, range(self.d_k)) for n, head in enumerate(heads)]
        return table("x", x, rows, range(D)) + "".join(stills)
