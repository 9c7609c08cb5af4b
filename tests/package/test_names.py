import pytest
import torch

from follow_the_tensor import DecoderLayer, causal_mask
from follow_the_tensor.dates.task import LANGUAGES
from follow_the_tensor.dates.vocabulary import EOS, PAD
from follow_the_tensor.names.__main__ import main
from follow_the_tensor.names.inventor import WEIGHTS, load_name_inventor
from follow_the_tensor.names.model import LanguageModel
from follow_the_tensor.names.sampling import greedy, pick, top_k, top_p, with_temperature
from follow_the_tensor.names.task import NameTask, NameVocabulary, is_held_out, name_pairs, names_of
from follow_the_tensor.names.training import Bigram, held_out_loss, losses
from tests.support.helpers import exactly

HALF, QUARTER = torch.tensor([0.5, 0.25, 0.25]).log(), torch.tensor([0.25, 0.5, 0.25]).log()


@pytest.fixture(scope="module")
def inventor():
    return load_name_inventor()


@pytest.fixture(scope="module")
def task():
    return NameTask()


@pytest.fixture
def model():
    torch.manual_seed(0)
    return LanguageModel(20, 12, 3, 24, num_layers=2, max_len=8).eval()


def test_no_name_is_held_out_and_trained_on(task):
    train, held_out = ({tuple(row) for row in ids.tolist()} for ids in (task.train, task.held_out))
    assert not {row[1:] for row in train} & {row[1:] for row in held_out}  # in no language at all
    assert len(train) == task.about["train"] > 13_000
    assert len(held_out) == task.about["held_out"] > 1_600


def test_every_language_has_names_of_both_kinds(task):
    for ids in (task.train, task.held_out):
        assert set(ids[:, 0].tolist()) == {task.vocabulary.start(each) for each in LANGUAGES}


def test_a_code_is_held_out_in_every_language():
    codes = {code for code, _ in names_of("en")}
    aside = {code for code in codes if is_held_out(code)}
    assert 0.08 < len(aside) / len(codes) < 0.14
    assert ("territories IT", "Italien") in names_of("de")


def test_ids_begin_with_the_language_and_end_with_eos():
    vocabulary = NameVocabulary("ab")
    assert len(vocabulary) == 4 + 2 + len(LANGUAGES)
    start = 4 + 2 + LANGUAGES.index("de")
    assert vocabulary.batch_names([("de", "ab"), ("de", "a")]).tolist() == [
        [start, 4, 5, EOS],
        [start, 4, EOS, PAD],
    ]


def test_a_later_character_changes_no_earlier_logit(model):
    ids = torch.tensor([[1, 5, 6, 7, 8]])
    for place in range(5):
        other = ids.clone()
        other[0, place] = 9
        before, after = model(ids), model(other)
        exactly(after[:, :place], before[:, :place])
        assert not torch.equal(after[:, place], before[:, place])


def test_padding_changes_nothing(model):
    ids = torch.tensor([[1, 5, 6], [1, 7, PAD]])
    torch.testing.assert_close(model(ids)[1, :2], model(ids[1:, :2])[0])


def test_a_layer_is_a_decoder_layer_without_cross_attention(model):
    layer, decoder = model.layers[0], DecoderLayer(12, 3, 24, dropout=0.0)
    decoder.self_attn, decoder.feed_forward = layer.self_attn, layer.feed_forward
    decoder.norm1, decoder.norm3 = layer.norm1, layer.norm2
    decoder.cross_attn.W_out.weight.data.zero_()  # what it adds is nothing
    decoder.cross_attn.W_out.bias.data.zero_()
    decoder.norm2 = torch.nn.Identity()
    x, mask = torch.randn(2, 5, 12), causal_mask(5)
    exactly(layer(x, mask), decoder(x, torch.randn(2, 3, 12), tgt_mask=mask))


@pytest.mark.parametrize(
    ("distribution", "expected"),
    [
        (greedy(QUARTER), [0.0, 1.0, 0.0]),
        (with_temperature(HALF, 1.0), [0.5, 0.25, 0.25]),
        (with_temperature(HALF, 0.5), [4 / 6, 1 / 6, 1 / 6]),  # squares of 2, 1, 1
        (with_temperature(torch.tensor([0.0, -float("inf")]), 2.0), [1.0, 0.0]),
        (top_k(HALF, 1), [1.0, 0.0, 0.0]),
        (top_k(QUARTER, 2), [1 / 3, 2 / 3, 0.0]),  # of equal ones the lower id
        (top_k(HALF, 9), [0.5, 0.25, 0.25]),
        (top_p(QUARTER, 0.0), [0.0, 1.0, 0.0]),
        (top_p(QUARTER, 0.5), [0.0, 1.0, 0.0]),  # 0.5 is enough
        (top_p(QUARTER, 0.51), [1 / 3, 2 / 3, 0.0]),
        (top_p(HALF, 1.0), [0.5, 0.25, 0.25]),
        (top_p(torch.stack([HALF, QUARTER]), 0.4), [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    ],
)
def test_distributions_by_hand(distribution, expected):
    torch.testing.assert_close(distribution, torch.tensor(expected))


def test_pick_falls_on_the_part_of_the_line():
    u = torch.tensor([[0.0], [0.49], [0.5], [0.74], [0.75], [0.999]])
    line = torch.tensor([0.5, 0.0, 0.25, 0.25]).expand(6, 4)
    assert pick(line, u).flatten().tolist() == [0, 0, 2, 2, 3, 3]


def test_bigram_counts():
    ids = torch.tensor([[1, 3, 3, 2], [1, 3, 2, 0]])
    table = Bigram(ids, 4, extra=1.0)(torch.tensor([[1, 3]])).exp()[0]
    torch.testing.assert_close(
        table, torch.tensor([[1, 1, 1, 3], [1, 1, 3, 2]]) / torch.tensor([[6], [7]])
    )
    assert losses(Bigram(ids, 4, extra=1.0), ids[1:]).tolist() == pytest.approx(
        [0.6931, 0.8473], abs=1e-4
    )


def test_the_shipped_model_beats_the_bigram(inventor):
    vocabulary, record = inventor.vocabulary, inventor.record
    train, held_out = (vocabulary.batch_names(pairs) for pairs in name_pairs())
    loss = held_out_loss(inventor.model, held_out)
    baseline = held_out_loss(Bigram(train, len(vocabulary)), held_out)
    # The file has float16, and another release of Babel has other names.
    assert [loss, baseline] == pytest.approx([record["held_out"], record["bigram"]], abs=0.01)
    assert loss < baseline - 0.3
    assert WEIGHTS.stat().st_size < 500_000


def test_names_are_the_same_for_a_seed(inventor):
    def names(count=3):
        generator = torch.Generator().manual_seed(0)
        return inventor.invent("fr", lambda x: top_k(x, 5), "Ma", count, generator)

    assert names() == names()
    assert len(set(names(20))) > 10
    assert all(name.startswith("Ma") and len(name) <= 24 for name in names(20))


def test_greedy_names_end(inventor):
    for language in LANGUAGES:
        (name,) = inventor.invent(language, greedy)
        assert 0 < len(name) < 25
    assert inventor.invent("ko", greedy, "x" * 24)[0].startswith("x" * 24)


def test_the_command_trains_and_exports(tmp_path, capsys, monkeypatch):
    path = tmp_path / "w.safetensors"
    assert main(["--export", str(path), "--steps", "2", "--every", "1"]) == 0
    assert "held-out loss per character" in capsys.readouterr().out
    assert [point["step"] for point in load_name_inventor(path).record["curve"]] == [1, 2]
