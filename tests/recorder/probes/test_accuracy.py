"""Accuracy against torch, on whole batches small enough not to be sampled."""

import pytest
import torch
from torch import Tensor

from tests.recorder.probes.sampling import VALIDATION, Loop
from traindx.quantities import TRAIN_ACCURACY, VAL_ACCURACY
from traindx.recorder.probes.predictions import Accuracy

CHANCE = torch.Generator().manual_seed(7)


def scores(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=CHANCE, requires_grad=True)


def classes(count: int, *shape: int) -> Tensor:
    return torch.randint(count, shape, generator=CHANCE)


def accuracy(function: str, prediction: Tensor, target: Tensor, **options: object) -> float | None:
    return Loop(Accuracy()).loss(function, prediction, target, options=options).get(TRAIN_ACCURACY)


def agreement(chosen: Tensor, right: Tensor) -> object:
    return pytest.approx(float((chosen == right).double().mean()))


@pytest.mark.parametrize("shape", [(40, 5), (12, 4, 9), (3, 4, 5, 6), (5,)])
def test_the_highest_score_is_compared_with_the_class(shape: tuple[int, ...]) -> None:
    prediction = scores(*shape)
    axis = 1 if len(shape) > 1 else 0
    places = shape[:axis] + shape[axis + 1 :]
    target = classes(shape[axis], *places)
    right = agreement(prediction.argmax(axis), target)
    assert accuracy("cross_entropy", prediction, target) == right
    assert accuracy("nll_loss", prediction.log_softmax(axis), target) == right


def test_shares_and_one_hot_targets_are_compared_by_their_largest() -> None:
    prediction, target = scores(30, 6), torch.rand(30, 6, generator=CHANCE).softmax(1)
    assert accuracy("cross_entropy", prediction, target) == agreement(prediction.argmax(1), target.argmax(1))
    image, map_ = scores(2, 3, 4, 5), torch.rand(2, 3, 4, 5, generator=CHANCE)
    assert accuracy("cross_entropy", image, map_) == agreement(image.argmax(1), map_.argmax(1))


@pytest.mark.parametrize("ignored", [-100, 2, 0])
def test_ignored_targets_do_not_count(ignored: int) -> None:
    prediction, target = scores(50, 4), classes(4, 50)
    target[::3] = ignored
    kept = target != ignored
    right = agreement(prediction.argmax(1)[kept], target[kept])
    options: dict[str, object] = {} if ignored == -100 else {"ignore_index": ignored}
    assert accuracy("cross_entropy", prediction, target, **options) == right


def test_nothing_is_said_where_all_is_ignored() -> None:
    assert accuracy("cross_entropy", scores(4, 3), torch.full((4,), -100)) is None


@pytest.mark.parametrize("shape", [(40,), (40, 1), (20, 7), (4, 2, 2, 2)])
def test_a_yes_is_a_score_above_zero_or_a_probability_above_a_half(shape: tuple[int, ...]) -> None:
    prediction, target = scores(*shape), classes(2, *shape).float()
    right = agreement(prediction > 0, target > 0.5)
    assert accuracy("binary_cross_entropy_with_logits", prediction, target) == right
    assert accuracy("binary_cross_entropy", prediction.sigmoid(), target) == right
    assert accuracy("soft_margin_loss", prediction, target * 2 - 1) == right


def test_smoothed_labels_are_still_yes_and_no() -> None:
    prediction, target = scores(40), classes(2, 40).float()
    right = agreement(prediction > 0, target > 0.5)
    assert accuracy("binary_cross_entropy_with_logits", prediction, target * 0.8 + 0.1) == right


def test_gray_targets_and_numbers_have_no_accuracy() -> None:
    gray = torch.rand(40, 9, generator=CHANCE)
    assert accuracy("binary_cross_entropy_with_logits", scores(40, 9), gray) is None
    assert accuracy("mse_loss", scores(40, 9), gray) is None
    assert accuracy("huber_loss", scores(40, 9), gray) is None


def test_keras_counts_classes_in_the_last_dimension() -> None:
    prediction, target = scores(6, 7, 4), classes(4, 6, 7)
    right = agreement(prediction.argmax(-1), target)
    assert accuracy("sparse_categorical_crossentropy", prediction, target) == right
    assert accuracy("sparse_categorical_crossentropy", prediction, target[..., None]) == right
    one_hot = torch.nn.functional.one_hot(target, 4)
    assert accuracy("categorical_crossentropy", prediction, one_hot) == right
    yes = classes(2, 9, 1).float()
    assert accuracy("binary_crossentropy", scores(9, 1), yes, from_logits=True) is not None


def test_many_classes_are_sampled_row_by_row() -> None:
    prediction = torch.zeros(300, 5000)
    target = classes(5000, 300)
    prediction[torch.arange(300), target] = 1.0
    prediction[::2].zero_()
    share = accuracy("cross_entropy", prediction, target)
    assert share is not None
    assert share == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("count", [4096, 4097, 5000, 4351])
def test_the_highest_of_many_scores_is_found_where_torch_finds_it(count: int) -> None:
    prediction = scores(16, count)
    prediction.data[3, -1] = prediction.data[4, 0] = prediction.data[5, 256] = 50.0
    prediction.data[6] = 0.0
    assert accuracy("cross_entropy", prediction, prediction.argmax(1)) == 1.0


def test_rows_that_are_not_numbers_choose_nothing() -> None:
    prediction, target = scores(40, 4), classes(4, 40)
    prediction.data[5, 2] = prediction.data[9] = torch.nan
    prediction.data[7, 1] = -torch.inf
    kept = torch.tensor([row not in (5, 9) for row in range(40)])
    right = agreement(prediction.argmax(1)[kept], target[kept])
    assert accuracy("cross_entropy", prediction, target) == right
    one_hot = torch.nn.functional.one_hot(target, 4).float()
    assert accuracy("cross_entropy", prediction, one_hot) == right
    yes = classes(2, 40).float()
    right = agreement(prediction[kept, 2] > 0, yes[kept] > 0)
    masked = prediction[:, 2].where(kept, torch.nan)
    assert accuracy("binary_cross_entropy_with_logits", masked, yes) == right
    assert accuracy("cross_entropy", torch.full((4, 3), torch.nan), classes(3, 4)) is None


def test_validation_has_its_own() -> None:
    prediction, target = scores(10, 3), classes(3, 10)
    share = Loop(Accuracy()).loss("cross_entropy", prediction, target, purpose=VALIDATION, backward=False)
    assert share == {VAL_ACCURACY: agreement(prediction.argmax(1), target)}
