"""Rows that come again, against sets of whole rows."""

import pytest
import torch
from torch import Tensor

from tests.recorder.probes.looking import TRAINING, VALIDATION, seen
from traindx.quantities import REPEATED_SHARE, SEEN_SHARE
from traindx.recorder.probes.seen_rows import SeenRows

CHANCE = torch.Generator().manual_seed(11)


def fresh(rows: int, columns: int = 10) -> Tensor:
    return torch.randn(rows, columns, generator=CHANCE)


def as_set(rows: Tensor) -> set[tuple[float, ...]]:
    return {tuple(row) for row in rows.tolist()}


def test_shares_are_those_of_whole_rows() -> None:
    data = fresh(120)
    probe, known, before = SeenRows(), set[tuple[float, ...]](), None
    for number in range(1, 30):
        batch = data[torch.randperm(120, generator=CHANCE)[:32]]
        found = seen(probe, batch, step=number, number=number)
        rows = [tuple(row) for row in batch.tolist()]
        if before is not None:
            assert found[REPEATED_SHARE] == pytest.approx(sum(row in before for row in rows) / 32)
            assert found[SEEN_SHARE] == pytest.approx(sum(row in known for row in rows) / 32)
        before = as_set(batch)
        known |= before


def test_leakage_shows_in_validation_and_nothing_shows_without() -> None:
    training, other = fresh(64), fresh(64)
    for leaked in (0, 16, 64):
        probe = SeenRows()
        seen(probe, training)
        validation = torch.cat((training[:leaked], other[leaked:]))
        found = seen(probe, validation, purpose=VALIDATION)
        assert found[SEEN_SHARE] == leaked / 64
        assert REPEATED_SHARE not in found


def test_validation_is_not_remembered_as_training() -> None:
    probe, rows = SeenRows(), fresh(16)
    seen(probe, fresh(16))
    seen(probe, rows, purpose=VALIDATION)
    assert seen(probe, rows, step=2, number=2)[SEEN_SHARE] == 0.0


def test_validation_repeats_within_a_pass_only() -> None:
    probe, rows = SeenRows(), fresh(16)
    seen(probe, rows, purpose=VALIDATION, step=1, number=1)
    half = torch.cat((rows[:8], fresh(8)))
    assert seen(probe, half, purpose=VALIDATION, step=1, number=2)[REPEATED_SHARE] == 0.5
    assert not seen(probe, rows, purpose=VALIDATION, step=2, number=3)


def test_a_second_call_on_the_same_batch_is_no_repetition() -> None:
    probe, rows = SeenRows(), fresh(16)
    seen(probe, rows, step=3, number=3)
    assert not seen(probe, rows, step=3, number=3)
    assert not seen(probe, fresh(16), step=3, number=3)
    assert not seen(probe, rows, step=3, number=4)
    assert seen(probe, rows, step=4, number=4)[REPEATED_SHARE] == 1.0


@pytest.mark.parametrize("value", [0.0, 1.0, torch.nan])
def test_padding_is_no_repetition(value: float) -> None:
    probe = SeenRows()
    padding = torch.full((16, 10), value)
    for number in range(1, 4):
        found = seen(probe, torch.cat((fresh(16), padding)), step=number, number=number)
    assert found == {REPEATED_SHARE: 0.0, SEEN_SHARE: 0.0}
    assert not seen(probe, padding, step=5, number=5)


def test_rows_that_are_equal_by_nature_say_nothing() -> None:
    probe = SeenRows()
    for number in range(1, 10):
        switches = torch.randint(2, (64, 4), generator=CHANCE)
        found = seen(probe, switches, step=number, number=number)
    assert not found
    assert not seen(probe, torch.randint(2, (64, 4), generator=CHANCE), purpose=VALIDATION)


def test_a_few_true_duplicates_do_not_silence_it() -> None:
    probe = SeenRows()
    for number in range(1, 6):
        rows = fresh(64)
        if number < 4:
            rows[1] = rows[0]
        seen(probe, rows, step=number, number=number)
    assert seen(probe, rows, purpose=VALIDATION)[SEEN_SHARE] == 1.0


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("traindx.recorder.probes.seen_rows._MOST_KEPT", 100)
    probe = SeenRows()
    batches = [fresh(64) for _ in range(5)]
    for number, batch in enumerate(batches, 1):
        seen(probe, batch, purpose=TRAINING, step=number, number=number)
    shares = [seen(probe, batch, purpose=VALIDATION, number=n)[SEEN_SHARE] for n, batch in enumerate(batches)]
    assert shares == [1.0, 1.0, 0.0, 0.0, 0.0]


def test_copies_within_training_do_not_hide_measured_rows_in_validation() -> None:
    probe, data = SeenRows(), fresh(8)
    copies = data.repeat(8, 1)  # as oversampling makes them
    for number in range(1, 4):
        assert SEEN_SHARE not in seen(probe, copies, step=number, number=number)
    assert seen(probe, torch.cat((data, fresh(8))), purpose=VALIDATION)[SEEN_SHARE] == 0.5


def test_flags_that_agree_by_nature_stay_silent_in_validation() -> None:
    probe = SeenRows()
    flags = torch.randint(2, (64, 3), generator=CHANCE).float()
    seen(probe, flags)
    assert SEEN_SHARE not in seen(probe, flags, purpose=VALIDATION)
