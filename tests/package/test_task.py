import datetime

import pytest

from follow_the_tensor.dates.task import (
    HELD_OUT_DAYS,
    KINDS,
    LANGUAGES,
    STYLES,
    DateTask,
    as_typed,
    clean,
    date_pairs,
    write_date,
)
from follow_the_tensor.dates.vocabulary import BOS, EOS, PAD


def test_the_languages_are_those_of_the_task():
    assert len(set(LANGUAGES)) == len(LANGUAGES) >= 18
    assert {"zh", "ja", "ko", "ru", "el", "hi"} <= set(LANGUAGES)
    assert set(KINDS) == {(language, style) for language in LANGUAGES for style in STYLES}


@pytest.mark.parametrize(
    ("language", "style", "text"),
    [
        ("en", "medium", "mar 7, 2021"),
        ("de", "full", "sonntag, 7. märz 2021"),
        ("ru", "long", "7 марта 2021 г."),  # CLDR has a narrow no-break space there
        ("ja", "full", "2021年3月7日日曜日"),
        ("hi", "long", "7 मार्च 2021"),
        ("cs", "medium", "7. 3. 2021"),
    ],
)
def test_dates_as_the_languages_write_them(language, style, text):
    assert write_date(datetime.date(2021, 3, 7), language, style) == text


def test_no_text_means_two_dates():
    meaning = {}
    for month in range(1, 13):
        for number in range(1, 29):
            day = datetime.date(2021, month, number)
            for kind in KINDS:
                for text in (write_date(day, *kind), as_typed(write_date(day, *kind))):
                    assert meaning.setdefault(text, day) == day, text


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("  Mar\u00a07,\t2021\n", "mar 7, 2021"),
        ("２０２１年３月７日", "2021年3月7日"),
        ("7\u202fMÄRZ", "7 märz"),
        ("7 अक्तूबर 2021", "7 अक्टूबर 2021"),  # Babel up to 2.17, and from 2.18 on
        ("3 KASIM 2021", "3 kasım 2021"),
        ("12 MAYIS SALI", "12 mayıs salı"),
        ("3 HAZİRAN 2021", "3 haziran 2021"),
        ("16 ΜΑΪ\u0301ΟΥ 1175", "16 μαΐου 1175"),
        ("७ मार्च २०२१", "7 मार्च 2021"),
        ("٧ ๒๐๒๑", "7 2021"),
        ("", ""),
        (" \u3000 ", ""),
    ],
)
def test_clean(text, cleaned):
    assert clean(text) == cleaned
    assert clean(cleaned) == cleaned


def test_what_is_clean_stays_as_it_is():
    _, held_out = date_pairs(0, 20 * len(KINDS))
    texts = [text for text, _ in held_out]
    assert [clean(text) for text in texts] == texts
    for written in [*(text.upper() for text in texts), *map(chr, range(0x20000))]:
        assert clean(clean(written)) == clean(written)


def test_capitals_mean_what_small_letters_mean():
    """As Python writes capitals; people leave out the accents of Greek ones."""
    _, held_out = date_pairs(0, 20 * len(KINDS))
    for text, _ in held_out:
        assert clean(text.upper()) == clean(text)


def test_as_typed_leaves_out_commas_and_spaces_between_numbers():
    assert as_typed("sunday, march 7, 2021") == "sunday march 7 2021"
    assert as_typed("7. 3. 2021") == "7.3.2021"
    assert as_typed("sonntag, 7. märz 2021") == "sonntag 7. märz 2021"


def test_pairs_are_the_same_every_time():
    assert date_pairs(60, 60) == date_pairs(60, 60)
    assert date_pairs(60, 60) != date_pairs(60, 60, seed=1)


def test_the_iso_date_is_the_date_of_the_text():
    train, held_out = date_pairs(2 * len(KINDS), len(KINDS))
    for pairs, change in (
        (train[: len(KINDS)], str),
        (train[len(KINDS) :], as_typed),
        (held_out, str),
    ):
        for (text, iso), kind in zip(pairs, KINDS, strict=True):
            assert text == change(write_date(datetime.date.fromisoformat(iso), *kind))


def test_the_years_are_spread_out():
    train, held_out = date_pairs(3 * len(KINDS), 2 * len(KINDS))
    centuries = {iso[:2] for _, iso in train + held_out}
    assert centuries == {str(century) for century in range(10, 30)}


def test_no_date_is_in_both_lists_whatever_is_asked_for():
    some, _ = date_pairs(2000, 0)  # drawn blindly, 27 of them would be held out
    _, others = date_pairs(0, HELD_OUT_DAYS)
    dates = [iso for _, iso in some + others]
    assert len(set(dates)) == len(dates) == 12_000
    assert date_pairs(60, 500)[1] == others[:500]


def test_the_task_holds_the_pairs_as_ids():
    task = DateTask(70, 60)
    train, held_out = date_pairs(70, 60)
    for (src, tgt), pairs in ((task.train, train), (task.held_out, held_out)):
        assert tgt.shape == (len(pairs), 12)
        assert (tgt[:, 0] == BOS).all()
        assert (tgt[:, -1] == EOS).all()
        assert src[:, -1].max() in (PAD, EOS)
        assert [task.target.decode(row) for row in tgt] == [iso for _, iso in pairs]
    assert [task.source.decode(row) for row in task.train[0]] == [text for text, _ in train]
    # The note that a checkpoint keeps of its data changes with them.
    assert task.about == DateTask(70, 60).about != DateTask(70, 61).about
