import subprocess
import sys

import pytest
import torch

from follow_the_tensor import Transformer, load_date_reader
from follow_the_tensor.dates.reader import WEIGHTS, DateReader, build_model, save_date_reader
from follow_the_tensor.dates.task import KINDS, date_pairs
from follow_the_tensor.dates.training import exact_match
from follow_the_tensor.dates.vocabulary import UNKNOWN, Vocabulary
from tests.support.helpers import refuses


@pytest.fixture(scope="module")
def reader():
    return load_date_reader()


def test_it_reads_what_the_page_shows_first(reader):
    texts = ["March 7, 2021", "7. März 2021", "2021年3月7日", "7 марта 2021 г.", "7 मार्च 2021"]
    assert reader.read(texts) == ["2021-03-07"] * 5
    assert (
        reader.read(text for text in texts)
        == reader.read(dict.fromkeys(texts))
        == ["2021-03-07"] * 5
    )
    assert reader.read(iter([])) == []


def test_held_out_dates_of_every_language(reader):
    _, held_out = date_pairs(0, 10 * len(KINDS))
    texts, dates = zip(*held_out, strict=True)
    answers = reader.read(texts)
    right = [answer == date for answer, date in zip(answers, dates, strict=True)]
    assert sum(right) / len(right) >= 0.995
    for n in range(len(KINDS)):
        assert sum(right[n :: len(KINDS)]) >= 9, KINDS[n]


def test_read_and_exact_match_agree(reader):
    _, held_out = date_pairs(0, 60)
    texts, dates = zip(*held_out, strict=True)
    dates = ("2000-01-01", *dates[1:])
    src, tgt = reader.encode(texts), reader.target.batch(dates, start=True)
    hits = exact_match(reader.model, src, tgt)
    answers = reader.read(texts, at_once=7)
    assert hits.tolist() == [a == d for a, d in zip(answers, dates, strict=True)]
    assert not hits[0]


def test_the_model_is_a_transformer_ready_to_read(reader):
    assert isinstance(reader.model, Transformer)
    assert not reader.model.training
    assert all(p.dtype == torch.float32 for p in reader.model.parameters())


def test_the_file_is_small():
    assert WEIGHTS.stat().st_size < 500_000


def test_the_curve_tells_how_it_was_trained(reader):
    assert [point["step"] for point in reader.curve] == list(range(100, 1001, 100))
    assert reader.curve[-1]["exact"] > 0.99
    assert reader.curve[0]["loss"] > 10 * reader.curve[-1]["loss"]


def test_spaces_and_capitals_do_not_matter(reader):
    texts = ["  MARCH\u00a07,   2021 ", "march 7, 2021"]
    assert reader.read(texts) == ["2021-03-07"] * 2
    assert torch.equal(reader.encode(texts[:1]), reader.encode(texts[1:]))


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("3 KASIM 2021", "2021-11-03"),
        ("16 ΜΑΪ\u0301ΟΥ 1175", "1175-05-16"),
        ("७ मार्च २०२१", "2021-03-07"),
        ("٧ मार्च ๒๐๒๑", "2021-03-07"),
    ],
)
def test_capitals_and_digits_of_other_scripts_do_not_matter(reader, text, date):
    assert reader.read([text]) == [date]


def test_what_is_no_date_still_gets_an_answer(reader):
    answers = reader.read(["☃", "tomorrow", "30 february 2021"])
    assert len(answers) == 3
    assert all(set(answer) <= set("-0123456789") for answer in answers)


def test_a_character_never_seen_becomes_unknown(reader):
    assert reader.encode(["☃ 1"])[0, 0] == UNKNOWN


@pytest.mark.parametrize("text", ["", "   ", "\u3000"])
def test_an_empty_text_is_refused(reader, text):
    with refuses(ValueError, "texts[1]: ", "1 to 63 characters", "got 0"):
        reader.read(["1 may 2000", text])


def test_a_text_too_long_is_refused(reader):
    assert len(reader.read(["1" * 63])) == 1
    with refuses(ValueError, "texts[0]: ", "1 to 63 characters", "got 64"):
        reader.read(["1" * 64])


def test_what_is_saved_is_loaded(tmp_path):
    source, target = Vocabulary("abc"), Vocabulary("-01")
    model = build_model(source, target)
    save_date_reader(tmp_path / "w", DateReader(model, source, target, [{"step": 1}]))
    loaded = load_date_reader(tmp_path / "w")
    assert (loaded.source.characters, loaded.target.characters) == ("abc", "-01")
    assert loaded.curve == [{"step": 1}]
    for ours, theirs in zip(loaded.model.parameters(), model.parameters(), strict=True):
        assert torch.equal(ours, theirs.half().float())


@pytest.mark.parametrize("share", [0.0, 0.00001, 0.01, 0.5, 0.999])
def test_a_file_cut_short_is_refused(tmp_path, share):
    content, path = WEIGHTS.read_bytes(), tmp_path / "cut"
    path.write_bytes(content[: int(share * len(content))])
    with refuses(ValueError, "weights: ", "damaged"):
        load_date_reader(path)


def test_other_files_are_refused(tmp_path):
    from safetensors.torch import save_file

    save_file({"x": torch.zeros(1)}, tmp_path / "other")
    with refuses(ValueError, "weights: ", "expected the format"):
        load_date_reader(tmp_path / "other")
    with refuses(FileNotFoundError, "missing"):
        load_date_reader(tmp_path / "missing")


def rewrite(path, weights=None, **changes):
    """Store the shipped weights again, with something changed."""
    from safetensors import safe_open
    from safetensors.torch import save_file

    with safe_open(WEIGHTS, "pt") as file:
        stored = {name: file.get_tensor(name) for name in file.keys()}
        save_file(stored if weights is None else weights, path, {**file.metadata(), **changes})
    return path


def test_a_vocabulary_that_does_not_match_the_weights_is_refused(tmp_path, reader):
    fewer = reader.source.characters[:-1]
    with refuses(ValueError, "src_embedding.weight", f"[{len(reader.source) - 1}, 64]"):
        load_date_reader(rewrite(tmp_path / "w", source=fewer))
    with refuses(ValueError, "expected shape [16"):
        load_date_reader(rewrite(tmp_path / "w", target="-0123456789x"))
    with refuses(ValueError, "source: ", f"expected a vocabulary of {len(reader.source)}"):
        DateReader(reader.model, Vocabulary(fewer), reader.target)


def test_other_weights_are_refused(tmp_path):
    path = rewrite(tmp_path / "w", weights={"x": torch.zeros(1)})
    with refuses(ValueError, "weights: ", "names", "'x'"):
        load_date_reader(path)


def test_neither_importing_nor_reading_needs_babel():
    code = """
import sys
sys.modules["babel"] = sys.modules["tqdm"] = None  # importing them would fail
import follow_the_tensor
print("safetensors" in sys.modules)
print(follow_the_tensor.load_date_reader().read(["7 March 2021"]))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split("\n")[:2] == ["False", "['2021-03-07']"]
