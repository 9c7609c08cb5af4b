"""Where a device beside the CPU is: masks come along, buffers follow, kernels of 16 bits agree.

All of it is green on a machine with the CPU alone; `meta` stands for the other device there.
"""

import pytest
import torch

from follow_the_tensor import (
    DecoderLayer,
    MultiHeadAttention,
    PositionalEncoding,
    Transformer,
    causal_mask,
    generate,
    load_date_reader,
    padding_mask,
)
from follow_the_tensor.dates.training import Run, Settings, train
from tests.support.helpers import LS, LT, B, D, H, assert_close, draw, fill, refuses

SRC = torch.tensor([[4, 5, 6, 2, 0, 0], [7, 8, 9, 10, 2, 0]])
TGT = torch.tensor([[1, 4, 5, 2], [1, 6, 2, 0]])


def model():
    return fill(Transformer(16, 16, D, H, 24, 2, 0.0, max_len=8))


def test_a_model_gives_the_numbers_of_the_cpu(device):
    expected = model()(SRC, TGT)
    moved = model().to(device)
    assert_close(moved(SRC.to(device), TGT.to(device)).cpu(), expected, factor=1000)


@pytest.mark.parametrize("need_weights", [False, True])
def test_a_mask_of_the_cpu_is_moved(device, need_weights):
    Q, K = draw(B, LT, D), draw(B, LS, D)
    for mask in (causal_mask(LS)[:LT], padding_mask(SRC), padding_mask(SRC).int()):
        for where in (device, "meta"):
            layer = MultiHeadAttention(D, H).to(where)
            output = layer(Q.to(where), K.to(where), K.to(where), mask, need_weights)
            output = output[0] if need_weights else output
            assert output.device.type == where
            assert output.shape == (B, LT, D)
    layer = DecoderLayer(D, H, 24).to(device)
    output = layer(Q.to(device), K.to(device), padding_mask(SRC), causal_mask(LT))
    assert output.device.type == device


def test_the_table_of_positions_follows_the_module(device):
    for where in (device, "meta"):
        position = PositionalEncoding(D, 0.0, LS).to(where)
        assert position.pe.device.type == where
        assert position(draw(B, LS, D).to(where)).device.type == where


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_both_paths_agree_in_16_bits_with_empty_rows(device, dtype):
    layer = fill(MultiHeadAttention(D, H)).to(device, dtype)
    Q, K = (draw(B, length, D, dtype=dtype).to(device) for length in (LT, LS))
    mask = padding_mask(SRC) & causal_mask(LS)[:LT]
    mask[0, :, 1] = False
    fused, (written_out, _) = layer(Q, K, K, mask), layer(Q, K, K, mask, need_weights=True)
    assert_close(fused, written_out, factor=16)
    assert torch.equal(fused[0, 1], layer.W_out.bias)


def test_autocast_and_one_step_of_training(device):
    run = Run(model().to(device), *(ids.to(device) for ids in (SRC, TGT)), Settings(2, 2, 1))
    with torch.autocast(device, torch.bfloat16):
        train(run)
    assert all(p.isfinite().all() for p in run.model.parameters())


def test_what_lies_elsewhere_is_refused_in_our_words(device):
    moved, ids = model().to(device), SRC.to(device)
    with refuses(ValueError, f"src: expected device {ids.device}", "got meta"):
        moved(SRC.to("meta"), TGT.to(device))
    with refuses(ValueError, f"tgt: expected device {ids.device}", "got meta"):
        moved(ids, TGT.to("meta"))
    x = draw(B, LS, D).to(device)
    with refuses(ValueError, f"K: expected device {x.device}", "got meta"):
        MultiHeadAttention(D, H).to(device)(x, x.to("meta"), x)


def test_ids_outside_the_vocabulary_are_refused_before_a_kernel_fails(device):
    with refuses(ValueError, "src: expected ids in [0, 16), got 16"):
        model().to(device)(SRC.where(SRC != 10, 16).to(device), TGT.to(device))


def test_answers_come_where_the_source_is(device):
    ids = generate(model().to(device), SRC.to(device), 1, 2, 8, beam_size=2)
    assert ids.device.type == device
    assert ids.tolist() == generate(model(), SRC, 1, 2, 8, beam_size=2).tolist()


def test_the_date_reader_reads_on_its_device(device):
    reader = load_date_reader()
    reader.model.to(device)
    assert reader.read(["March 7, 2021"]) == ["2021-03-07"]
