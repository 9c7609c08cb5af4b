"""What holds for masks, positions and the vocabulary, whatever their sizes."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from follow_the_tensor import causal_mask, expand_mask, padding_mask
from follow_the_tensor.dates.vocabulary import BOS, EOS, PAD, UNKNOWN, Vocabulary
from follow_the_tensor.positional import PositionalEncoding, sinusoid_table
from tests.support.helpers import assert_close, draw, refuses
from tests.support.strategies import allowed, batches, dtypes, exactly, lengths, masks, seeds

devices = st.sampled_from(["cpu", "meta"])
ids_lists = st.lists(st.lists(st.integers(-3, 9), min_size=4, max_size=4), min_size=1, max_size=3)
sizes = st.tuples(*[st.integers(1, 4)] * 4)
characters = st.text(max_size=12).map(lambda text: "".join(dict.fromkeys(text)))


# Masks


@given(ids_lists, st.integers(-3, 9), st.sampled_from([torch.int32, torch.int64]))
def test_a_padding_mask_is_true_where_an_id_is_not_pad(ids, pad_id, dtype):
    mask = padding_mask(torch.tensor(ids, dtype=dtype), pad_id)
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[[[i != pad_id for i in row]]] for row in ids]


@given(st.integers(1, 40))
def test_a_causal_mask_is_true_where_the_key_is_not_later(length):
    mask = causal_mask(length)
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[k <= q for k in range(length)] for q in range(length)]


@given(sizes, st.data())
def test_a_mask_means_what_the_rule_says(sizes, data):
    mask = data.draw(masks(*sizes))
    expanded = expand_mask(mask, sizes)
    if mask is None:
        assert expanded is None
    else:
        assert expanded.dtype == torch.bool
        exactly(expanded.expand(sizes), allowed(mask, sizes))


@given(sizes, st.lists(st.integers(1, 4), max_size=5), devices)
def test_a_shape_is_taken_exactly_if_the_rule_has_it(sizes, shape, device):
    B, _, Lq, Lk = sizes
    taken = {(Lq, Lk), (B, Lq, Lk)}
    if len(shape) == 4 and all(a in (1, size) for a, size in zip(shape, sizes, strict=True)):
        taken.add(tuple(shape))
    mask = torch.ones(shape, dtype=torch.bool, device=device)
    if tuple(shape) in taken:
        expanded = expand_mask(mask, sizes)
        assert expanded.device.type == device
        assert torch.broadcast_shapes(expanded.shape, sizes) == sizes
    else:
        with refuses(ValueError, "mask: expected", f"got {shape}"):
            expand_mask(mask, sizes)


@given(batches, lengths)
def test_mask_functions_have_their_shapes_without_numbers(B, L):
    mask = padding_mask(torch.zeros(B, L, dtype=torch.int64, device="meta"))
    assert (mask.shape, mask.dtype, mask.is_meta) == ((B, 1, 1, L), torch.bool, True)
    with torch.device("meta"):
        mask = causal_mask(L)
    assert (mask.shape, mask.dtype, mask.is_meta) == ((L, L), torch.bool, True)


# Positions

d_models = st.integers(1, 33)


@given(d_models, st.integers(1, 60), st.data())
def test_an_entry_is_the_sine_or_cosine_of_the_formula(d_model, length, data):
    position, column = (data.draw(st.integers(0, size - 1)) for size in (length, d_model))
    entry = sinusoid_table(length, d_model)[position, column].item()
    wave = math.cos if column % 2 else math.sin
    expected = wave(position / 10000 ** ((column - column % 2) / d_model))
    assert entry == pytest.approx(expected, abs=torch.finfo(torch.float32).eps)


@given(st.integers(1, 16), st.integers(2, 60), st.data())
def test_a_product_of_two_positions_depends_on_their_distance_alone(pairs, length, data):
    table = sinusoid_table(length, 2 * pairs)  # [length, D]
    products = table @ table.T  # [length, length]
    distance = data.draw(st.integers(0, length - 1))
    diagonal = products.diagonal(distance)
    assert_close(diagonal, diagonal[:1].expand_as(diagonal), factor=16)


@given(d_models, st.integers(1, 20), st.integers(0, 20))
def test_a_longer_table_begins_with_the_shorter_one(d_model, length, more):
    table = sinusoid_table(length + more, d_model)
    exactly(table[:length], sinusoid_table(length, d_model))


@given(d_models, batches, lengths, st.integers(0, 3), dtypes, seeds)
def test_each_position_of_each_sentence_gets_its_own_row(d_model, B, L, spare, dtype, seed):
    encoding = PositionalEncoding(d_model, dropout=0.0, max_len=L + spare)
    x = draw(B, L, d_model, seed=seed, dtype=dtype)
    rows = sinusoid_table(L, d_model).to(dtype)
    exactly(encoding(x), torch.stack([sentence + rows for sentence in x]))


@given(d_models, lengths, st.integers(1, 3), devices)
def test_a_length_beyond_the_table_is_refused(d_model, max_len, more, device):
    encoding = PositionalEncoding(d_model, max_len=max_len).to(device)
    with refuses(ValueError, "x: ", f"max_len={max_len}", f"got {max_len + more}"):
        encoding(torch.zeros(2, max_len + more, d_model, device=device))


# The vocabulary


@given(characters, st.text(max_size=12), st.booleans())
def test_decoding_undoes_encoding_but_for_unknown_characters(characters, text, start):
    vocabulary = Vocabulary(characters)
    ids = vocabulary.encode(text, start)
    assert (ids[:1] == [BOS]) == start
    assert ids[-1] == EOS
    known = [character in characters for character in text]
    assert [i != UNKNOWN for i in ids[start:-1]] == known
    expected = "".join(
        character if k else "\ufffd" for character, k in zip(text, known, strict=True)
    )
    assert vocabulary.decode(ids) == expected


@given(st.lists(st.text(max_size=8), min_size=1, max_size=4), st.booleans())
def test_a_batch_holds_every_text_and_padding_behind_it(texts, start):
    vocabulary = Vocabulary.from_texts(texts)
    batch = vocabulary.batch(texts, start)
    assert batch.size(1) == max(len(text) for text in texts) + 1 + start
    for text, row in zip(texts, batch.tolist(), strict=True):
        ids = vocabulary.encode(text, start)
        assert row == ids + [PAD] * (len(row) - len(ids))
        assert vocabulary.decode(row) == text


@given(st.lists(st.text(max_size=8), max_size=4))
def test_a_vocabulary_numbers_each_character_once(texts):
    vocabulary = Vocabulary.from_texts(texts)
    ids = vocabulary.encode(vocabulary.characters)[:-1]
    assert ids == list(range(len(vocabulary)))[4:]
    assert set(vocabulary.characters) == set("".join(texts))
