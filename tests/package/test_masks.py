"""Masks by hand; test_properties.py has the mask rule for all sizes."""

import pytest
import torch

from follow_the_tensor import Transformer, causal_mask, expand_mask, masks, padding_mask
from follow_the_tensor.masks import ready_mask
from tests.support.helpers import D, draw, draw_mask

SIZES = B, H, LQ, LK = 2, 3, 4, 6
IDS = torch.tensor([[4, 5, 0], [6, 0, 0]])  # article-map row 4.6


def test_padding_mask_lets_every_query_see_the_real_tokens():
    mask = padding_mask(IDS)
    assert mask.shape == (2, 1, 1, 3)
    assert mask[:, 0, 0].tolist() == [[True, True, False], [True, False, False]]
    assert padding_mask(IDS, pad_id=5)[:, 0, 0].tolist() == [[1, 0, 1], [1, 1, 1]]


def test_causal_mask_shows_a_position_itself_and_what_came_before():
    mask = causal_mask(4)
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]
    assert causal_mask(1).tolist() == [[True]]


def test_masks_combine_with_and():
    both = causal_mask(3) & padding_mask(torch.tensor([[1, 1, 0]]))
    assert both[0, 0].tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]


def test_three_axes_are_sentences_queries_and_keys():
    mask = draw_mask(B, LQ, LK)
    assert torch.equal(expand_mask(mask, SIZES), mask[:, None])


def test_three_axes_are_per_sentence_even_where_there_are_as_many_heads():
    mask = draw_mask(3, LQ, LK)
    assert torch.equal(expand_mask(mask, (3, 3, LQ, LK)), mask[:, None])


def test_two_axes_are_queries_and_keys_even_where_there_are_as_many_sentences():
    mask = draw_mask(2, LK)
    assert torch.equal(expand_mask(mask, (2, H, 2, LK)), mask[None, None])


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int32, torch.int64])
def test_an_integer_mask_is_true_where_it_is_not_zero(dtype):
    mask = expand_mask(torch.tensor([[0, 1, -2]]).to(dtype), (1, 1, 1, 3))
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[[[False, True, True]]]]


@pytest.mark.parametrize("shape", [(LQ, LK), (B, LQ, LK), (B, 1, 1, LK), SIZES])
def test_expand_mask_does_not_hand_out_the_memory_of_the_caller(shape):
    mask = draw_mask(*shape)
    before = mask.clone()
    expand_mask(mask, SIZES).fill_(False)
    assert torch.equal(mask, before)


def test_a_mask_that_is_ready_is_not_copied_and_another_is_expanded():
    ready = draw_mask(B, 1, 1, LK)
    assert ready_mask(ready, SIZES, "cpu") is ready
    for mask in (draw_mask(LQ, LK), ready.int()):
        assert torch.equal(ready_mask(mask, SIZES, "cpu"), expand_mask(mask, SIZES))
    assert ready_mask(None, SIZES, "cpu") is None
    assert ready_mask(ready, SIZES, "meta").is_meta


def test_on_its_way_through_a_model_a_mask_is_never_expanded_or_copied(monkeypatch):
    model, calls = Transformer(9, 9, D, H, 24, 2), []
    expand = masks.expand_mask
    monkeypatch.setattr(masks, "expand_mask", lambda *args: calls.append(args) or expand(*args))
    built = padding_mask(IDS)
    monkeypatch.setattr(
        "follow_the_tensor.transformer.padding_mask",
        lambda ids, pad_id: calls.append(ids.shape) or built,
    )
    model(IDS, IDS)
    # One for the source, one for the target, and no mask that had to be expanded for its layer.
    assert [call for call in calls if call[0] is not None] == [IDS.shape, IDS.shape]


def test_a_causal_mask_can_be_exported_with_a_free_length():
    class Causal(torch.nn.Module):
        def forward(self, x):
            return x[0] @ x[0].T * causal_mask(x.size(1))

    length = torch.export.Dim("length", min=2, max=50)
    torch.export.export(Causal(), (draw(1, 6, D),), dynamic_shapes=({1: length},), strict=False)
