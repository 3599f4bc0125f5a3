"""Rows are known again by their values, wherever they stand, and by nothing else."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.recorder.probes.sampling import TRAINING, VALIDATION, seen
from traindx.facts import ROWS_AT_ONCE
from traindx.quantities import REPEATED_SHARE, SEEN_SHARE
from traindx.recorder.probes.repeated_rows import RepeatedRows, row_keys
from traindx.recorder.probes.types import Batch
from traindx.testing.probe import Written


def random(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(5))


FLOATS = st.lists(st.lists(st.integers(0, 2), min_size=5, max_size=5), min_size=2, max_size=30)


@given(FLOATS, st.sampled_from([torch.float32, torch.float64, torch.float16, torch.int64, torch.uint8]))
def test_keys_are_equal_where_rows_are(rows: list[list[int]], dtype: "torch.dtype") -> None:
    varied = [row for row in rows if len(set(row)) > 1]
    keys = row_keys([torch.tensor(rows).to(dtype)])
    assert len(keys) == len(varied)
    by_row: dict[tuple[int, ...], set[int]] = {}
    for row, key in zip(varied, keys, strict=True):
        by_row.setdefault(tuple(row), set()).add(key)
    assert all(len(rows_of_key) == 1 for rows_of_key in by_row.values())
    assert len({key for rows_of_key in by_row.values() for key in rows_of_key}) == len(by_row)


def test_a_hundred_thousand_rows_hardly_share_a_key() -> None:
    keys = {key for part in random(100_000, 20).split(250) for key in row_keys([part])}
    assert len(keys) > 99_990


def test_one_hot_rows_differ() -> None:
    rows = torch.eye(64)
    assert len(set(row_keys([rows]))) == 64


@pytest.mark.parametrize("shape", [(3, 32, 32), (7,), (500,), (12, 9)])
def test_the_place_in_the_batch_does_not_matter(shape: tuple[int, ...]) -> None:
    rows = random(40, *shape)
    keys = row_keys([rows])
    assert len(set(keys)) == 40
    assert row_keys([rows.flip(0)]) == keys[::-1]
    assert row_keys([rows[7:11]]) == keys[7:11]
    assert row_keys([rows.double()]) == keys


def test_a_sentence_is_known_however_far_it_is_padded() -> None:
    sentences = torch.tensor([[5, 9, 2, 0, 0], [7, 7, 8, 1, 0]])
    mask = (sentences > 0).long()
    longer = torch.cat((sentences, torch.zeros(2, 30, dtype=torch.int64)), 1)
    longer_mask = torch.cat((mask, torch.zeros(2, 30, dtype=torch.int64)), 1)
    assert row_keys([longer, longer_mask]) == row_keys([sentences, mask])


def test_labels_make_no_difference() -> None:
    rows = random(8, 4)
    assert row_keys([rows, torch.arange(8)]) == row_keys([rows])


def test_a_second_tensor_of_as_many_rows_does() -> None:
    rows = random(8, 4)
    assert set(row_keys([rows, rows + 1])).isdisjoint(row_keys([rows]))
    assert row_keys([rows, random(9, 4)]) == row_keys([rows])


def test_single_numbers_are_rows_where_there_is_nothing_wider() -> None:
    users, items = torch.tensor([1, 1, 2]), torch.tensor([4, 5, 4])
    assert len(set(row_keys([users, items]))) == 3
    assert len(set(row_keys([users]))) == 2


CHANCE = torch.Generator().manual_seed(11)


def fresh(rows: int, columns: int = 10) -> Tensor:
    return torch.randn(rows, columns, generator=CHANCE)


def as_set(rows: Tensor) -> set[tuple[float, ...]]:
    return {tuple(row) for row in rows.tolist()}


def test_shares_are_those_of_whole_rows() -> None:
    data = fresh(120)
    probe, known, before = RepeatedRows(), set[tuple[float, ...]](), None
    for number in range(1, 30):
        batch = data[torch.randperm(120, generator=CHANCE)[:32]]
        values = seen(probe, batch, step=number, number=number)
        rows = [tuple(row) for row in batch.tolist()]
        if before is not None:
            assert values[REPEATED_SHARE] == pytest.approx(sum(row in before for row in rows) / 32)
            assert values[SEEN_SHARE] == pytest.approx(sum(row in known for row in rows) / 32)
        before = as_set(batch)
        known |= before


def test_leakage_shows_in_validation_and_nothing_shows_without() -> None:
    training, other = fresh(64), fresh(64)
    for leaked in (0, 16, 64):
        probe = RepeatedRows()
        seen(probe, training)
        validation = torch.cat((training[:leaked], other[leaked:]))
        values = seen(probe, validation, purpose=VALIDATION)
        assert values[SEEN_SHARE] == leaked / 64
        assert REPEATED_SHARE not in values


def test_the_largest_number_of_rows_at_once_is_stated() -> None:
    probe, snapshot = RepeatedRows(), Written(1)
    for number, rows in enumerate((8, 40, 12)):
        probe.batch_enters(snapshot, Batch([fresh(rows)], TRAINING, number))
    probe.batch_enters(snapshot, Batch([fresh(90)], VALIDATION, 9))
    assert snapshot.facts[ROWS_AT_ONCE] == 40


def test_validation_is_not_remembered_as_training() -> None:
    probe, rows = RepeatedRows(), fresh(16)
    seen(probe, fresh(16))
    seen(probe, rows, purpose=VALIDATION)
    assert seen(probe, rows, step=2, number=2)[SEEN_SHARE] == 0.0


def test_validation_repeats_within_a_pass_only() -> None:
    probe, rows = RepeatedRows(), fresh(16)
    seen(probe, rows, purpose=VALIDATION, step=1, number=1)
    half = torch.cat((rows[:8], fresh(8)))
    assert seen(probe, half, purpose=VALIDATION, step=1, number=2)[REPEATED_SHARE] == 0.5
    assert not seen(probe, rows, purpose=VALIDATION, step=2, number=3)


def test_a_second_call_on_the_same_batch_is_no_repetition() -> None:
    probe, rows = RepeatedRows(), fresh(16)
    seen(probe, rows, step=3, number=3)
    assert not seen(probe, rows, step=3, number=3)
    assert not seen(probe, fresh(16), step=3, number=3)
    assert not seen(probe, rows, step=3, number=4)
    assert seen(probe, rows, step=4, number=4)[REPEATED_SHARE] == 1.0


@pytest.mark.parametrize("value", [0.0, 1.0, torch.nan])
def test_padding_is_no_repetition(value: float) -> None:
    probe = RepeatedRows()
    padding = torch.full((16, 10), value)
    for number in range(1, 4):
        values = seen(probe, torch.cat((fresh(16), padding)), step=number, number=number)
    assert values == {REPEATED_SHARE: 0.0, SEEN_SHARE: 0.0}
    assert not seen(probe, padding, step=5, number=5)


def test_rows_that_are_equal_by_nature_say_nothing() -> None:
    probe = RepeatedRows()
    for number in range(1, 10):
        switches = torch.randint(2, (64, 4), generator=CHANCE)
        values = seen(probe, switches, step=number, number=number)
    assert not values
    assert not seen(probe, torch.randint(2, (64, 4), generator=CHANCE), purpose=VALIDATION)


def test_a_few_true_duplicates_do_not_silence_it() -> None:
    probe = RepeatedRows()
    for number in range(1, 6):
        rows = fresh(64)
        if number < 4:
            rows[1] = rows[0]
        seen(probe, rows, step=number, number=number)
    assert seen(probe, rows, purpose=VALIDATION)[SEEN_SHARE] == 1.0


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("traindx.recorder.probes.repeated_rows._MOST_KEPT", 100)
    probe = RepeatedRows()
    batches = [fresh(64) for _ in range(5)]
    for number, batch in enumerate(batches, 1):
        seen(probe, batch, purpose=TRAINING, step=number, number=number)
    shares = [seen(probe, batch, purpose=VALIDATION, number=n)[SEEN_SHARE] for n, batch in enumerate(batches)]
    assert shares == [1.0, 1.0, 0.0, 0.0, 0.0]


def test_copies_within_training_do_not_hide_measured_rows_in_validation() -> None:
    probe, data = RepeatedRows(), fresh(8)
    copies = data.repeat(8, 1)  # as oversampling makes them
    for number in range(1, 4):
        assert SEEN_SHARE not in seen(probe, copies, step=number, number=number)
    assert seen(probe, torch.cat((data, fresh(8))), purpose=VALIDATION)[SEEN_SHARE] == 0.5


def test_flags_that_agree_by_nature_stay_silent_in_validation() -> None:
    probe = RepeatedRows()
    flags = torch.randint(2, (64, 3), generator=CHANCE).float()
    seen(probe, flags)
    assert SEEN_SHARE not in seen(probe, flags, purpose=VALIDATION)
