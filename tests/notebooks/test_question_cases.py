"""The silent cases of book/questions that no other file tests: what goes wrong, and ours beside it.

A case whose right side is tested already is not repeated here. What an entry claims is run by
the cell that it links to; its messages by support/messages.toml.
"""

import copy
import re
import tomllib

import nbformat
import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

from follow_the_tensor import (
    EncoderLayer,
    MultiHeadAttention,
    PositionalEncoding,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
)
from follow_the_tensor.attention import masked_softmax
from follow_the_tensor.parity.twins import copy_weights
from tests.support.helpers import LS, B, D, H, assert_close, draw
from tests.support.notebook_guard import ROOT

INF = float("inf")


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def rows(tensor):
    return tensor.flatten(0, -2).tolist()


# Masks


def test_pytorch_reads_true_in_two_ways():  # reader question Q01
    zeros = torch.zeros(1, 1, 3, 2)  # [B, H, L, d_k]
    values = torch.arange(6.0).view(1, 1, 3, 2)  # [B, H, L, d_v]
    future = torch.ones(3, 3).triu(1).bool()  # [L, L], True blocks
    wrong = F.scaled_dot_product_attention(zeros, zeros, values, attn_mask=future)
    right = F.scaled_dot_product_attention(zeros, zeros, values, attn_mask=~future)
    torch.testing.assert_close(wrong[0, 0], torch.tensor([[3.0, 4], [4, 5], [0, 0]]))
    torch.testing.assert_close(right[0, 0], torch.tensor([[0.0, 1], [1, 2], [2, 3]]))
    _, weights = nn.MultiheadAttention(2, 1)(*[torch.zeros(3, 1, 2)] * 3, attn_mask=future)
    assert (weights[0] > 0).equal(~future)


def test_an_additive_mask_taken_for_0_and_1_erases_the_scores():  # reader question Q02
    scores = torch.tensor([[2.0, 1.0, 0.0]]).expand(3, 3)  # [Lq, Lk]
    additive = torch.zeros(3, 3).masked_fill(~causal_mask(3), -INF)  # [Lq, Lk]
    wrong = torch.softmax(scores + (1 - additive) * -1e9, dim=-1)
    even = causal_mask(3) / torch.tensor([[1.0], [2], [3]])
    torch.testing.assert_close(wrong, even)
    assert (additive == 0).equal(causal_mask(3))


def test_inverted_integers_are_all_true():  # reader question Q03
    flags = torch.tensor([1, 1, 0])
    assert (~flags).tolist() == [-2, -2, -1]
    assert (~flags).bool().all()
    assert (~(flags != 0)).tolist() == [False, False, True]


def test_scores_times_a_mask_block_nothing():
    weights = torch.softmax(torch.tensor([2.0, 5.0, 2.0]) * torch.tensor([1, 0, 1]), dim=-1)
    assert weights[1] > 0


def test_masking_pad_queries_too_changes_nothing_that_is_read():  # reader question Q05
    attention, x = MultiHeadAttention(D, H), draw(1, 4, D)
    keys = torch.tensor([1, 1, 1, 0]).view(1, 1, 1, 4) != 0  # [B, 1, 1, L]
    first, second = attention(x, x, x, keys), attention(x, x, x, keys & keys.mT)
    assert_close(second[:, :3], first[:, :3], factor=8)
    assert not torch.allclose(second[:, 3], first[:, 3])


def test_a_padding_mask_becomes_a_flag_for_pytorch():
    ids, x = torch.tensor([[4, 5, 6, 2, 0, 0], [7, 8, 9, 10, 2, 0]]), draw(B, LS, D)
    ours = MultiHeadAttention(D, H)
    flag = ~padding_mask(ids)[:, 0, 0]  # [B, Lk], True blocks
    theirs = copy_weights(ours, nn.MultiheadAttention(D, H, batch_first=True))
    theirs, _ = theirs(x, x, x, key_padding_mask=flag)
    assert_close(theirs, ours(x, x, x, padding_mask(ids)), factor=16)


def test_pytorch_averages_the_weights_over_the_heads():
    x = draw(B, LS, D)
    theirs = nn.MultiheadAttention(D, H, batch_first=True)
    _, averaged = theirs(x, x, x)
    _, of_each = theirs(x, x, x, average_attn_weights=False)
    assert of_each.shape == (B, H, LS, LS)
    assert_close(averaged, of_each.mean(dim=1), factor=4)
    assert MultiHeadAttention(D, H)(x, x, x, need_weights=True)[1].shape == (B, H, LS, LS)


# NaN and softmax


@pytest.mark.parametrize(
    ("blocked_score", "row"), [(-INF, None), (-1e9, 1 / 3), (torch.finfo().min, 1 / 3)]
)
def test_a_row_of_blocked_scores(blocked_score, row):  # reader question Q06
    weights = torch.softmax(torch.full((3,), blocked_score), dim=-1)
    expected = torch.full((3,), float("nan") if row is None else row)
    torch.testing.assert_close(weights, expected, equal_nan=True)
    nothing = torch.zeros(3, dtype=torch.bool)
    assert masked_softmax(torch.zeros(3), nothing).tolist() == [0, 0, 0]


MASK = torch.tensor([[True, True], [False, False]])  # [Lq, Lk], query 1 may attend to nothing
ADDITIVE = torch.zeros(2, 2).masked_fill(~MASK, -INF)  # [Lq, Lk]
SOFTMAXES = {  # and whether the gradients of Q, K and V are finite
    "fill": (lambda s: s.masked_fill(~MASK, -INF).softmax(-1), [True, True, False]),
    "fill, 0": (lambda s: s.masked_fill(~MASK, -INF).softmax(-1).nan_to_num(0), [True] * 3),
    "add": (lambda s: (s + ADDITIVE).softmax(-1), [False] * 3),
    "add, 0": (lambda s: (s + ADDITIVE).softmax(-1).nan_to_num(0), [False, False, True]),
    "ours": (lambda s: masked_softmax(s, MASK), [True] * 3),
}


@pytest.mark.parametrize(("softmax", "finite"), SOFTMAXES.values(), ids=SOFTMAXES)
def test_a_nan_that_nobody_reads_comes_back(softmax, finite):  # reader question Q07
    QKV = [draw(2, 3, seed=seed).requires_grad_() for seed in range(3)]  # each [L, d_k]
    Q, K, V = QKV
    (softmax(Q @ K.T) @ V)[0].sum().backward()  # the loss reads query 0 alone
    assert [x.grad.isfinite().all().item() for x in QKV] == finite


def test_in_place_masking_writes_into_the_scores_of_the_caller():  # reader question Q08
    scores, nothing = torch.tensor([2.0, 1.0, 0.0]), torch.zeros(3, dtype=torch.bool)
    assert masked_softmax(scores, nothing).tolist() == [0, 0, 0]
    assert scores.tolist() == [2, 1, 0]
    scores.masked_fill_(~nothing, -1e9)
    assert scores.tolist() == [-1e9] * 3


def test_labels_of_padding_alone_give_nan():
    loss = F.cross_entropy(torch.zeros(2, 3), torch.zeros(2, dtype=torch.long), ignore_index=0)
    assert loss.isnan()


def test_a_blocked_nan_is_still_a_nan():
    zeros, values = torch.zeros(1, 1, 2, 2), torch.zeros(1, 1, 2, 2)
    values[..., 1, :] = float("nan")
    context, weights = scaled_dot_product_attention(
        zeros, zeros, values, torch.tensor([[True, False]] * 2)
    )
    assert (weights[..., 1] == 0).all()
    assert context.isnan().all()


def test_a_conversion_gives_minus_infinity_where_masked_fill_raises():  # reader question Q09
    assert torch.tensor(-1e9).half().item() == -INF
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        assert torch.tensor(-INF, dtype=dtype).item() == -INF
    assert torch.tensor(-INF).to(torch.float8_e4m3fn).float().isfinite()


# Shapes and memory


def test_the_wrong_split_hands_out_whole_tokens():  # reader question Q13
    x = torch.arange(24.0).view(1, 4, 6)  # [B, L, D]
    wrong, right = x.view(1, 2, 4, 3), MultiHeadAttention(6, 2).split_heads(x)  # [B, H, L, d_k]
    assert rows(wrong[0, :1])[:2] == [[0, 1, 2], [3, 4, 5]]
    assert rows(right[0, :1])[:2] == [[0, 1, 2], [6, 7, 8]]


def test_the_wrong_merge_mixes_tokens():  # reader question Q12
    attention = MultiHeadAttention(6, 2)
    heads = attention.split_heads(torch.arange(24.0).view(1, 4, 6))  # [B, H, L, d_k]
    assert heads.reshape(1, 4, 6)[0, 0].tolist() == [0, 1, 2, 6, 7, 8]
    assert attention.combine_heads(heads)[0, 0].tolist() == [0, 1, 2, 3, 4, 5]


def test_without_batch_first_sentences_influence_each_other():
    layer = nn.TransformerEncoderLayer(D, H, 24, dropout=0.0)
    x = draw(B, LS, D)
    moved = x.clone()
    moved[1] += draw(LS, D, seed=1)
    assert not torch.allclose(layer(moved)[0], layer(x)[0])
    ours = EncoderLayer(D, H, 24, dropout=0.0)
    assert_close(ours(moved)[0], ours(x)[0], factor=8)


def test_the_fused_path_keeps_no_table_for_backward():
    L, kept = 64, []

    def pack(tensor):
        kept.append(tensor.numel())
        return tensor

    x = draw(1, L, D)
    with saved_tensors_hooks(pack, lambda tensor: tensor):
        MultiHeadAttention(D, H)(x, x, x)
        assert max(kept) < H * L * L
        MultiHeadAttention(D, H)(x, x, x, need_weights=True)
        assert max(kept) == H * L * L


# Layers, modes and parameters


def test_a_layer_norm_with_std_gives_other_numbers():  # reader question Q17
    x = torch.tensor([1.0, 0, 0, 0])
    by_std = (x - x.mean()) / (x.std() + 1e-5)
    torch.testing.assert_close(by_std, torch.tensor([1.5, -0.5, -0.5, -0.5]), rtol=0, atol=1e-4)
    right = (x - x.mean()) / torch.sqrt(x.var(correction=0) + 1e-5)
    torch.testing.assert_close(right, nn.LayerNorm(4)(x))


def test_pre_ln_that_overwrites_x_loses_it():  # reader question Q18
    x, norm = torch.tensor([10.0, 0, 0, 0]), nn.LayerNorm(4)
    assert (x + torch.zeros_like(norm(x))).tolist() == [10, 0, 0, 0]
    overwritten = norm(x)
    assert not torch.allclose(overwritten + torch.zeros(4), x)


def test_the_place_of_the_norm_has_no_weight():
    ours, x = EncoderLayer(D, H, 24, dropout=0.0), draw(B, LS, D)
    theirs = copy_weights(ours, nn.TransformerEncoderLayer(D, H, 24, 0.0, batch_first=True))
    other = nn.TransformerEncoderLayer(D, H, 24, 0.0, batch_first=True, norm_first=True)
    other.load_state_dict(theirs.state_dict())  # raises nothing
    torch.testing.assert_close(ours(x), theirs(x), rtol=0, atol=1e-5)
    assert not torch.allclose(other(x), theirs(x), atol=1e-2)


def test_a_probability_given_to_a_function_ignores_the_mode():  # reader question Q15
    class Drops(nn.Module):
        def forward(self, x):
            return F.scaled_dot_product_attention(x, x, x, dropout_p=0.5)

    layer, x = Drops().eval(), draw(1, 1, 64, 4)
    assert not torch.allclose(layer(x), layer(x))


def test_a_mask_tied_to_the_mode_is_gone_in_eval():  # reader question Q16
    class Causal(nn.Module):
        def forward(self, x):
            return F.scaled_dot_product_attention(x, x, x, is_causal=self.training)

    layer, x = Causal(), draw(1, 1, 4, 4)
    last_moved = x + torch.tensor([0.0, 0, 0, 1]).view(4, 1)
    assert torch.allclose(layer.train()(last_moved)[..., :3, :], layer(x)[..., :3, :])
    assert not torch.allclose(layer.eval()(last_moved)[..., :3, :], layer(x)[..., :3, :])


def test_pytorch_drops_attention_weights_and_we_do_not():
    x, ones = draw(B, LS, D), torch.ones(B, H, LS)
    theirs = nn.MultiheadAttention(D, H, dropout=0.5, batch_first=True).train()
    _, weights = theirs(x, x, x, average_attn_weights=False)
    assert not torch.allclose(weights.sum(dim=-1), ones)
    _, weights = MultiHeadAttention(D, H).train()(x, x, x, need_weights=True)
    torch.testing.assert_close(weights.sum(dim=-1), ones)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_only_pad_rows_differ_in_the_fast_path():  # reader question Q20
    layer = nn.TransformerEncoderLayer(D, 2, 24, dropout=0.0, batch_first=True)
    stack, x = nn.TransformerEncoder(layer, 2), draw(B, LS, D)
    valid = torch.tensor([[True, True, False, False, False, False]] * B)  # [B, L]
    trained = stack.train()(x, src_key_padding_mask=~valid)
    with torch.no_grad():
        fast = stack.eval()(x, src_key_padding_mask=~valid)
    torch.testing.assert_close(fast[valid], trained[valid], rtol=0, atol=1e-5)
    assert (fast[~valid] == 0).all()
    assert not (trained[~valid] == 0).any()


def test_copies_of_a_layer_start_equal_and_are_not_one():
    layer = EncoderLayer(D, H, 24)
    once, separate = [layer] * 2, [copy.deepcopy(layer) for _ in range(2)]
    for stack, tensors in ((once, 16), (separate, 32)):
        assert len(list(nn.ModuleList(stack).parameters())) == tensors
        assert stack[0].norm1.weight.equal(stack[1].norm1.weight)


def test_pytorchs_encoder_copies_its_layer_and_its_transformer_draws_again():
    layer = nn.TransformerEncoderLayer(D, 2, 24, batch_first=True)
    first, second = nn.TransformerEncoder(layer, 2).layers
    assert first.linear1.weight.equal(second.linear1.weight)
    first, second = nn.Transformer(D, 2, 2, 2, 24, batch_first=True).encoder.layers
    assert not first.linear1.weight.equal(second.linear1.weight)


# Positions and ids


def test_two_calls_add_the_positions_twice():
    position, zeros = PositionalEncoding(D, dropout=0.0), torch.zeros(1, LS, D)
    assert position(zeros)[0].equal(position.pe[0, :LS])
    assert position(position(zeros))[0].equal(2 * position.pe[0, :LS])


def test_a_table_with_the_batch_in_the_middle_gives_a_sentence_one_position():
    pe = PositionalEncoding(D, dropout=0.0).pe[0, :LS, None]  # [L, 1, D]
    x = torch.zeros(B, LS, D)
    wrong = x + pe[: x.size(0)]  # as long as there are no more sentences than positions
    assert wrong.equal(pe[:B].expand(B, LS, D))  # sentence n gets position n
    assert (x + pe[:, 0]).equal(PositionalEncoding(D, dropout=0.0)(x))


def test_sines_before_cosines_are_the_same_numbers_in_another_order():
    pe = PositionalEncoding(D).pe[0, :LS]  # [L, D]
    other = torch.cat([pe[:, 0::2], pe[:, 1::2]], dim=-1)
    assert not other.equal(pe)
    assert_close(other @ other.T, pe @ pe.T, factor=8)


# Training and generation


def test_a_second_softmax_keeps_the_loss_high():
    logits, label = torch.tensor([[40.0, 0, 0]]), torch.tensor([0])
    assert F.cross_entropy(logits, label) < 1e-6
    assert F.cross_entropy(logits.softmax(dim=-1), label) > 0.5


def test_a_sum_of_logarithms_prefers_the_shorter_answer():
    short, long = torch.tensor([0.6, 0.6]).log(), torch.tensor([0.8] * 6).log()
    assert short.sum() > long.sum()
    assert short.mean() < long.mean()


# Notebooks


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_a_chapter_pins_nothing_and_needs_nothing_that_colab_dropped(path):  # reader question Q22
    code = [c.source for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    assert not re.search(r"torchtext|(numpy|torch)\s*==|--force-reinstall", "\n".join(code))


def test_the_package_has_lower_bounds_only():  # reader question Q22
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["dependencies"]
    assert all(re.fullmatch(r"[\w-]+(>=[\d.]+)?", name) for name in project["dependencies"])
