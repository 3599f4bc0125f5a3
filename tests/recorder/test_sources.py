"""Which batches are trained on and which are only evaluated."""

from traindx.facts import LOADER_PLACE, TRAINING_SAMPLES
from traindx.recorder.probes.types import Purpose
from traindx.recorder.sources import Sources
from traindx.run import Fact, Scalar

TRAIN, VALIDATION = ["training data"], ["validation data"]


def _trained() -> Sources:
    sources = Sources()
    sources.fetched(TRAIN, first=True, batches=4)
    sources.trained()
    return sources


def test_without_loaders_gradients_tell() -> None:
    sources = Sources()
    assert sources.purpose(gradients=True) is Purpose.TRAINING
    assert sources.purpose(gradients=False) is Purpose.VALIDATION


def test_another_loader_is_validation_even_with_gradients() -> None:
    sources = _trained()
    sources.fetched(VALIDATION, first=True, batches=2)
    assert sources.purpose(gradients=True) is Purpose.VALIDATION
    assert sources.evaluated == sources.now != 0


def test_training_data_without_gradients_is_neither() -> None:
    sources = _trained()
    sources.fetched(TRAIN, first=True, batches=4)
    assert sources.purpose(gradients=False) is None
    assert sources.purpose(gradients=True) is Purpose.TRAINING


def test_what_comes_after_the_batch_was_used_is_other_data() -> None:
    sources = _trained()
    assert sources.purpose(gradients=False) is Purpose.VALIDATION
    assert sources.evaluated == 0


def test_a_check_before_training_is_validation() -> None:
    sources = Sources()
    sources.fetched(VALIDATION, first=True, batches=2)
    assert sources.purpose(gradients=False) is Purpose.VALIDATION


def test_epochs_are_counted_by_passes() -> None:
    sources = _trained()
    assert sources.epoch == 0.25
    for _ in range(3):
        sources.fetched(TRAIN, first=False, batches=4)
    assert sources.epoch == 1.0
    sources.fetched(TRAIN, first=True, batches=4)
    assert sources.epoch == 1.25


def test_a_stream_of_unknown_length_counts_whole_passes() -> None:
    sources = Sources()
    sources.fetched(TRAIN, first=True, batches=0)
    assert sources.epoch == 0.0


def test_data_made_anew_each_epoch_is_the_same_training() -> None:
    sources = _trained()
    again = ["training data, made anew"]
    sources.fetched(again, first=True, batches=4)
    assert sources.trained()
    assert sources.epoch == 1.25
    assert not sources.trained()


def test_a_place_in_memory_may_be_taken_by_other_data() -> None:
    class Data:
        pass

    sources, data = Sources(), Data()
    sources.fetched(data, first=True, batches=1)
    sources.trained()
    key = sources.now
    del data
    assert sources._known[key].is_still() is None


class _Rows(list[int]):
    """A data set that can be gone."""


def _pass_over(sources: Sources, rows: _Rows, location: str) -> int:
    if not sources.knows(rows):
        sources.describe(rows, {LOADER_PLACE: location, TRAINING_SAMPLES: len(rows)})
    sources.fetched(rows, first=True, batches=1)
    return sources.now


def test_data_that_one_line_makes_for_every_pass_stays_the_same() -> None:
    sources = Sources()
    numbers = {_pass_over(sources, _Rows([1, 2]), "train.py:7") for _ in range(5)}
    assert len(numbers) == 1


def test_data_of_another_line_size_or_lifetime_is_other_data() -> None:
    sources = Sources()
    kept = _Rows([1, 2])
    first = _pass_over(sources, kept, "train.py:7")
    others = [
        _pass_over(sources, _Rows([1, 2]), "train.py:7"),
        _pass_over(sources, _Rows([1, 2]), "train.py:9"),
        _pass_over(sources, _Rows([1, 2, 3]), "train.py:7"),
    ]
    assert len({first, *others}) == 4
    assert _pass_over(sources, kept, "train.py:7") == first


FACTS: dict[Fact, Scalar] = {LOADER_PLACE: "train.py:7", TRAINING_SAMPLES: 96}


def _evaluated(sources: Sources, data: object) -> int:
    sources.describe(data, FACTS)
    sources.fetched(data, first=True, batches=2)
    return sources.evaluated


def _next_epoch(sources: Sources) -> None:
    sources.fetched(TRAIN, first=True, batches=4)
    sources.trained()


def test_validation_data_made_anew_for_each_pass_is_the_same_although_the_old_is_kept() -> None:
    sources, kept = _trained(), [["validation data"] for _ in range(3)]
    numbers = []
    for data in kept:
        numbers.append(_evaluated(sources, data))
        _next_epoch(sources)
    assert len(set(numbers)) == 1


def test_two_sets_evaluated_one_after_the_other_stay_two() -> None:
    sources = _trained()
    numbers = []
    for _ in range(2):
        numbers += [_evaluated(sources, ["validation data"]), _evaluated(sources, ["test data"])]
        _next_epoch(sources)
    assert numbers[0] != numbers[1]
    assert numbers[:2] == numbers[2:]


def test_validation_data_made_where_training_data_was_stays_apart() -> None:
    sources, train = Sources(), ["training data"]
    sources.describe(train, FACTS)
    sources.fetched(train, first=True, batches=2)
    sources.trained()
    assert _evaluated(sources, ["validation data"]) == sources.now
    assert sources.purpose(gradients=True) is Purpose.VALIDATION
