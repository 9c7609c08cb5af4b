import torch

from follow_the_tensor.dates.vocabulary import BOS, EOS, PAD, SPECIAL, UNKNOWN, Vocabulary

ABC = Vocabulary("abc")


def test_the_special_ids_come_first():
    assert (PAD, BOS, EOS, UNKNOWN) == (0, 1, 2, 3)
    assert len(SPECIAL) == 4
    assert len(ABC) == 7
    assert ABC.encode("abc") == [4, 5, 6, EOS]


def test_decode_stops_at_the_first_end_and_takes_tensors():
    assert ABC.decode([4, EOS, 5]) == "a"
    assert ABC.decode(torch.tensor([BOS, 4, 5, EOS, PAD])) == "ab"
    assert ABC.decode([PAD, 4, PAD]) == "a"
    assert ABC.decode([]) == ""


def test_a_batch_is_filled_up_with_pad():
    ids = ABC.batch(["ab", "", "cab"])
    assert ids.dtype == torch.int64
    assert ids.tolist() == [[4, 5, EOS, PAD], [EOS, PAD, PAD, PAD], [6, 4, 5, EOS]]
    assert ABC.batch(["a", "ab"], start=True).tolist() == [[1, 4, 2, 0], [1, 4, 5, 2]]


def test_characters_are_collected_in_the_order_of_their_numbers():
    assert Vocabulary.from_texts(["zb", "aż", "b"]).characters == "abzż"
