from itertools import product

import pytest
import torch

from follow_the_tensor import causal_mask, expand_mask, padding_mask
from tests.support.helpers import D, draw, draw_mask, refuses

SIZES = B, H, LQ, LK = 2, 3, 4, 6
IDS = torch.tensor([[4, 5, 0], [6, 0, 0]])  # article-map row 4.6


def test_padding_mask_lets_every_query_see_the_real_tokens():
    mask = padding_mask(IDS)
    assert mask.dtype == torch.bool
    assert mask.shape == (2, 1, 1, 3)
    assert mask[:, 0, 0].tolist() == [[True, True, False], [True, False, False]]


def test_padding_mask_takes_another_pad_id():
    assert padding_mask(IDS, pad_id=5)[:, 0, 0].tolist() == [[1, 0, 1], [1, 1, 1]]


def test_padding_mask_of_padding_alone_blocks_everything():
    assert not padding_mask(torch.zeros(2, 3, dtype=torch.long)).any()


def test_padding_mask_leaves_the_ids_alone():
    before = IDS.clone()
    padding_mask(IDS).fill_(True)
    assert torch.equal(IDS, before)


def test_causal_mask_shows_a_position_itself_and_what_came_before():
    mask = causal_mask(4)
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]


def test_causal_mask_of_one_position_sees_itself():
    assert causal_mask(1).tolist() == [[True]]


def test_masks_combine_with_and():
    valid = torch.tensor([[1, 1, 0]])
    both = causal_mask(3) & padding_mask(valid)
    assert both.shape == (1, 1, 3, 3)
    assert both[0, 0].tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]


def test_no_mask_stays_no_mask():
    assert expand_mask(None, SIZES) is None


def test_two_axes_are_queries_and_keys():
    mask = draw_mask(LQ, LK)
    assert torch.equal(expand_mask(mask, SIZES), mask[None, None])


def test_three_axes_are_sentences_queries_and_keys():
    mask = draw_mask(B, LQ, LK)
    assert torch.equal(expand_mask(mask, SIZES), mask[:, None])


def test_three_axes_are_per_sentence_even_where_there_are_as_many_heads():
    mask = draw_mask(3, LQ, LK)
    assert torch.equal(expand_mask(mask, (3, 3, LQ, LK)), mask[:, None])


def test_two_axes_are_queries_and_keys_even_where_there_are_as_many_sentences():
    mask = draw_mask(2, LK)
    assert torch.equal(expand_mask(mask, (2, H, 2, LK)), mask[None, None])


@pytest.mark.parametrize("ones", list(product([True, False], repeat=4)))
def test_four_axes_are_taken_where_they_broadcast(ones):
    shape = [1 if one else size for one, size in zip(ones, SIZES, strict=True)]
    mask = draw_mask(*shape)
    assert torch.equal(expand_mask(mask, SIZES), mask)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int32, torch.int64])
def test_an_integer_mask_is_true_where_it_is_not_zero(dtype):
    numbers = torch.tensor([[0, 1, -2]]).to(dtype)
    mask = expand_mask(numbers, (1, 1, 1, 3))
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[[[False, True, True]]]]


@pytest.mark.parametrize("shape", [(LQ, LK), (B, LQ, LK), (B, 1, 1, LK), SIZES])
def test_expand_mask_does_not_hand_out_the_memory_of_the_caller(shape):
    mask = draw_mask(*shape)
    before = mask.clone()
    expand_mask(mask, SIZES).fill_(False)
    assert torch.equal(mask, before)


def test_expand_mask_takes_views_that_are_not_contiguous():
    mask = draw_mask(LK, LQ).T
    assert torch.equal(expand_mask(mask, SIZES), mask[None, None])
    row = draw_mask(1, LK).expand(LQ, LK)
    assert torch.equal(expand_mask(row, SIZES), row[None, None])


def test_expand_mask_stays_on_the_device_of_the_mask():
    mask = torch.ones(LQ, LK, dtype=torch.bool, device="meta")
    assert expand_mask(mask, SIZES).device.type == "meta"


@pytest.mark.parametrize(
    "shape",
    [
        (),
        (LK,),
        (1, LK),
        (LK, LQ),
        (H, LQ, LK),
        (1, LQ, LK),
        (B, 1, LK),
        (B, LQ, LK + 1),
        (H, 1, LQ, LK),
        (B, 2, LQ, LK),
        (B, H, LK, LQ),
        (1, 1, 1),
        (B, H, LQ),
        (1, 1, 1, 1, 1),
        (1, B, H, LQ, LK),
    ],
    ids=str,
)
def test_another_shape_is_refused_with_the_shapes_that_are_taken(shape):
    mask = torch.ones(shape, dtype=torch.bool)
    taken = "[Lq, Lk] = [4, 6]", "[B, Lq, Lk] = [2, 4, 6]", "[B, H, Lq, Lk] = [2, 3, 4, 6]"
    with refuses(ValueError, "mask: expected", *taken, f"got {list(shape)}") as caught:
        expand_mask(mask, SIZES)
    assert "valid" not in str(caught.value)  # that hint is for padding flags alone


def test_a_causal_mask_can_be_exported_with_a_free_length():
    class Causal(torch.nn.Module):
        def forward(self, x):
            return x[0] @ x[0].T * causal_mask(x.size(1))

    length = torch.export.Dim("length", min=2, max=50)
    torch.export.export(Causal(), (draw(1, 6, D),), dynamic_shapes=({1: length},), strict=False)
