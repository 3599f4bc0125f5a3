"""Which batches are trained on and which are only evaluated."""

from traindx.probe import Purpose
from traindx.recording.sources import Sources

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
    assert sources.evaluated == id(VALIDATION)


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
