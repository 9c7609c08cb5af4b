import math

import pytest
import torch

from follow_the_tensor import Transformer, attention_maps, padding_mask
from tests.support.helpers import D_FF, LS, LT, B, D, H, fill

SRC_VOCAB, TGT_VOCAB, LAYERS = 32, 20, 2
SRC = torch.tensor([[4, 5, 6, 2, 0, 0], [7, 8, 9, 10, 2, 0]])  # article-map row 9.1
TGT = torch.tensor([[1, 11, 12, 2], [1, 13, 2, 0]])


def build(dropout=0.0, **more):
    torch.manual_seed(0)
    sizes = SRC_VOCAB, TGT_VOCAB, D, H, D_FF, LAYERS
    return Transformer(*sizes, dropout=dropout, max_len=8, **more)


def test_forward_is_encode_then_decode():
    model = build()
    memory = model.encode(SRC)
    expected = model.decode(TGT, memory, padding_mask(SRC))
    assert (memory.shape, expected.shape) == ((B, LS, D), (B, LT, TGT_VOCAB))
    assert torch.equal(model(SRC, TGT), expected)


def test_parameters_are_counted_by_hand():
    attention = 4 * (D * D + D)
    feed_forward = D * D_FF + D_FF + D_FF * D + D
    encoder = attention + feed_forward + 2 * 2 * D
    decoder = 2 * attention + feed_forward + 3 * 2 * D
    tables = (SRC_VOCAB + TGT_VOCAB) * D
    expected = tables + LAYERS * (encoder + decoder) + D * TGT_VOCAB + TGT_VOCAB
    assert sum(p.numel() for p in build().parameters()) == expected


def test_each_layer_has_parameters_of_its_own():
    model = build()
    for stack in (model.encoder, model.decoder):
        first, second = (layer.self_attn.W_q.weight for layer in stack)
        assert not torch.equal(first, second)
    pointers = [p.data_ptr() for p in model.parameters()]
    assert len(set(pointers)) == len(pointers)


def test_every_parameter_gets_a_finite_gradient():
    model = build(dropout=0.1)
    model(SRC, TGT).square().sum().backward()
    for name, p in model.named_parameters():
        assert p.grad.isfinite().all()
        # A bias of the keys moves all scores of a query alike, so its gradient is zero.
        assert p.grad.any() or name.endswith("W_k.bias")


def test_embeddings_start_with_rows_of_length_one():
    model = Transformer(500, 400, 64, 4, 8, 1)
    for table, size in ((model.src_embedding, 500), (model.tgt_embedding, 400)):
        assert table.weight[1:].std().item() == pytest.approx(64**-0.5, rel=0.05)
        assert table.weight.shape == (size, 64)


def test_embeddings_are_scaled_and_get_their_position():
    model = build()
    expected = model.src_embedding.weight[SRC] * math.sqrt(D) + model.position.pe[:, :LS]
    assert torch.allclose(model.embed_source(SRC), expected)
    expected = model.tgt_embedding.weight[TGT] * math.sqrt(D) + model.position.pe[:, :LT]
    assert torch.allclose(model.embed_target(TGT), expected)


@pytest.mark.parametrize("pad_id", [0, 3])
def test_the_pad_row_is_zero_and_stays_zero(pad_id):
    model = build(pad_id=pad_id)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, weight_decay=0.1)
    src, tgt = SRC.where(SRC != 0, pad_id), TGT.where(TGT != 0, pad_id)
    before = model.src_embedding.weight.detach().clone()
    for _ in range(3):
        optimizer.zero_grad()
        model(src, tgt).square().sum().backward()
        optimizer.step()
    assert not torch.equal(model.src_embedding.weight, before)
    for table in (model.src_embedding, model.tgt_embedding):
        assert not table.weight[pad_id].any()


def test_nothing_leaks_from_later_targets():
    model, changed = fill(build()), TGT.clone()
    changed[0, 2:] = 17
    before, after = model(SRC, TGT), model(SRC, changed)
    assert torch.allclose(before[0, :2], after[0, :2], atol=1e-6)
    assert not torch.allclose(before[0, 2:], after[0, 2:], atol=1e-2)


def test_more_padding_changes_nothing():
    model = fill(build())
    wider_src, wider_tgt = (torch.nn.functional.pad(ids, (0, 2)) for ids in (SRC, TGT))
    before, after = model(SRC, TGT), model(wider_src, wider_tgt)
    assert torch.allclose(before, after[:, :LT], atol=1e-4)


def test_another_pad_id_moves_the_masks():
    model = build(pad_id=2)
    with attention_maps(model) as maps:
        model(SRC, TGT)
    (weights,) = maps["encoder.0.self_attn"]
    assert not weights[0, :, :, 3].any()  # id 2 is padding now
    assert weights[0, :, :, 4].all()  # and id 0 is not
    assert sorted(maps) == [
        f"{stack}.{n}.{name}"
        for stack, names in (("decoder", ["cross_attn", "self_attn"]), ("encoder", ["self_attn"]))
        for n in range(LAYERS)
        for name in names
    ]
