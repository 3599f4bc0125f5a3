"""Signs that look at the data of a training, and at how the program goes about it."""

from dataclasses import replace
from functools import partial

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import SGD

from tests.signs.inside import Case, faults, sign_named
from tests.trainings import (
    CLASSES,
    CLASSIFIES,
    FEATURES,
    HELD,
    PREDICTS,
    Data,
    Training,
    clusters,
    numbers,
    place,
    recorded,
    stack,
)
from traindx.facts import DEVICE, READS_PER_STEP
from traindx.finding import Finding

LOADER = place(
    "loader = DataLoader(TensorDataset(data.inputs, data.targets), training.batch, shuffle=training.shuffles)"
)
VALIDATION = place("training.loss(net(inputs), targets)")
DROPS = partial(stack, FEATURES, 16, CLASSES, bend=lambda: nn.Sequential(nn.ReLU(), nn.Dropout(0.3)))
NORMALIZES = partial(stack, FEATURES, 16, CLASSES, bend=lambda: nn.Sequential(nn.BatchNorm1d(16), nn.ReLU()))
AVERAGES_SLOWLY = partial(
    stack,
    FEATURES,
    16,
    CLASSES,
    bend=lambda: nn.Sequential(nn.BatchNorm1d(16, momentum=0.001), nn.ReLU()),
)


class AlwaysDrops(nn.Module):
    """A model that applies its dropout by a function, which has to be told of the mode."""

    def __init__(self, *, always: bool) -> None:
        super().__init__()
        self.first, self.last, self.always = nn.Linear(FEATURES, 16), nn.Linear(16, CLASSES), always

    def forward(self, rows: Tensor) -> Tensor:
        hidden = self.first(rows).relu()
        return self.last(functional.dropout(hidden, 0.3, training=self.always or self.training))


def in_order() -> Data:
    data = clusters()
    order = data.targets.argsort()
    return replace(data, inputs=data.inputs[order], targets=data.targets[order])


def unbalanced() -> Data:
    """Twelve times as many of the first class, which covers the others."""
    data = clusters(rows=840, apart=0.2)
    kept = (data.targets == 0) | (torch.arange(840) % 12 == 0)
    return replace(data, inputs=data.inputs[kept], targets=data.targets[kept])


def with_outlier() -> Data:
    data = clusters()
    data.inputs[7] *= 2000
    return data


def with_holes() -> Data:
    data = clusters()
    data.inputs[7, 3] = float("nan")
    return data


def unscaled() -> Data:
    data = clusters()
    return replace(data, inputs=200 * data.inputs, held=200 * data.held)


def blurred() -> Data:
    """Training inputs under noise that validation inputs are spared."""
    data, drawn = clusters(), torch.Generator().manual_seed(2)
    return replace(data, inputs=data.inputs + 4 * torch.randn(data.inputs.shape, generator=drawn))


def counted_from_one() -> Data:
    data = clusters()
    return replace(data, targets=data.targets + 1, held_targets=data.held_targets + 1)


def of_one_class() -> Data:
    data = clusters()
    return replace(data, targets=torch.full_like(data.targets, 2))


def of_one_number() -> Data:
    data = numbers()
    return replace(data, targets=torch.full_like(data.targets, 2.5))


def with_unknown_targets() -> Data:
    data = numbers()
    data.targets[7] = float("inf")
    return data


def held_of_another_kind() -> Data:
    data = clusters()
    return replace(data, held=data.held * 3 + 2)


def held_of_a_class_of_its_own() -> Data:
    data = clusters()
    known = data.targets < CLASSES - 1
    return replace(data, inputs=data.inputs[known], targets=data.targets[known])


def held_from_training() -> Data:
    data = clusters()
    return replace(data, held=data.inputs[:HELD], held_targets=data.targets[:HELD])


def one_by_one(given: Tensor, targets: Tensor) -> list[float]:
    return [value.item() for _ in range(8) for value in given.flatten()]


def all_at_once(given: Tensor, targets: Tensor) -> list[float]:
    values: list[float] = given.flatten().tolist()
    return values


WEIGHTED = nn.CrossEntropyLoss(torch.tensor([1.0, 12.0, 12.0]))
LARGE = replace(CLASSIFIES, data=partial(clusters, 512), batch=256)
CAREFUL = partial(SGD, lr=1e-3)

CASES = (
    # The data.
    Case("data_tiny", replace(CLASSIFIES, data=partial(clusters, 12), batch=4), CLASSIFIES, place=LOADER),
    Case(
        "model_dwarfs_data",
        replace(CLASSIFIES, data=partial(clusters, 24), net=partial(stack, FEATURES, 128, CLASSES)),
        CLASSIFIES,
    ),
    Case("few_epochs", replace(CLASSIFIES, steps=24), CLASSIFIES),
    Case("batch_tiny", replace(CLASSIFIES, batch=2), CLASSIFIES, place=LOADER),
    Case("few_updates_per_epoch", LARGE, replace(LARGE, batch=24), place=LOADER),
    Case(
        "batches_sorted",
        replace(CLASSIFIES, data=in_order, shuffles=False),
        replace(CLASSIFIES, data=in_order),
        place=LOADER,
    ),
    Case("classes_unbalanced", replace(CLASSIFIES, data=unbalanced), CLASSIFIES),
    Case("rare_class_ignored", replace(CLASSIFIES, data=unbalanced), CLASSIFIES),
    Case("rare_classes_missed", replace(CLASSIFIES, data=unbalanced), CLASSIFIES),
    Case("inputs_unscaled", replace(CLASSIFIES, data=unscaled, optimizer=partial(SGD, lr=1e-6)), CLASSIFIES),
    Case(
        "input_outliers_seen", replace(CLASSIFIES, data=with_outlier, optimizer=CAREFUL, every=1), CLASSIFIES
    ),
    Case(
        "spikes_without_large_updates", replace(CLASSIFIES, data=with_outlier, optimizer=CAREFUL), CLASSIFIES
    ),
    Case("inputs_not_finite", replace(CLASSIFIES, data=with_holes), CLASSIFIES, place=LOADER),
    Case("targets_not_finite", replace(PREDICTS, data=with_unknown_targets), PREDICTS, place=LOADER),
    Case("targets_constant", replace(PREDICTS, data=of_one_number), PREDICTS),
    Case("one_class_only", replace(CLASSIFIES, data=of_one_class), CLASSIFIES),
    Case("labels_faulty", replace(CLASSIFIES, data=counted_from_one), CLASSIFIES),
    Case(
        "first_class_unused",
        replace(CLASSIFIES, data=counted_from_one, net=partial(stack, FEATURES, 16, CLASSES + 1)),
        CLASSIFIES,
    ),
    Case("training_inputs_wider", replace(CLASSIFIES, data=blurred), CLASSIFIES),
    Case(
        "validation_inputs_differ",
        replace(CLASSIFIES, data=held_of_another_kind),
        CLASSIFIES,
        place=VALIDATION,
    ),
    Case(
        "classes_unseen_in_training",
        replace(CLASSIFIES, data=held_of_a_class_of_its_own),
        CLASSIFIES,
        place=VALIDATION,
    ),
    Case("validation_rows_seen", replace(CLASSIFIES, data=held_from_training), CLASSIFIES, place=VALIDATION),
    # The modes of the model.
    Case(
        "trained_in_eval_mode", replace(CLASSIFIES, net=DROPS, trains=False), replace(CLASSIFIES, net=DROPS)
    ),
    Case(
        "validated_in_train_mode",
        replace(CLASSIFIES, net=NORMALIZES, evaluates=False),
        replace(CLASSIFIES, net=NORMALIZES),
        place=VALIDATION,
    ),
    Case(
        "batchnorm_statistics_lag",
        replace(CLASSIFIES, net=AVERAGES_SLOWLY),
        replace(CLASSIFIES, net=NORMALIZES),
    ),
    Case(
        "dropout_in_validation",
        replace(CLASSIFIES, net=partial(AlwaysDrops, always=True)),
        replace(CLASSIFIES, net=partial(AlwaysDrops, always=False)),
    ),
    Case(
        "dropout_extreme",
        replace(CLASSIFIES, net=partial(DROPS, bend=lambda: nn.Sequential(nn.ReLU(), nn.Dropout(0.9)))),
        replace(CLASSIFIES, net=DROPS),
    ),
    Case(
        "label_smoothing_extreme",
        replace(CLASSIFIES, loss=nn.CrossEntropyLoss(label_smoothing=0.9)),
        replace(CLASSIFIES, loss=nn.CrossEntropyLoss(label_smoothing=0.1)),
    ),
    # The loop. More than 500 values of a step are many on any machine; less depends on how fast it is.
    Case(
        "many_item_calls",
        replace(CLASSIFIES, measures=one_by_one),
        replace(CLASSIFIES, measures=all_at_once),
        place=place("return [value.item() for _ in range(8) for value in given.flatten()]", __file__),
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.slug)
def test_a_sign_tells_a_broken_training_from_its_repaired_twin(case: Case) -> None:
    assert faults(case) == []


@pytest.mark.parametrize(
    ("slug", "healthy"),
    [
        # A mode makes no difference to a model without dropout and batch statistics.
        ("trained_in_eval_mode", replace(CLASSIFIES, trains=False)),
        ("validated_in_train_mode", replace(CLASSIFIES, evaluates=False)),
        # In train mode dropout is right to be active.
        ("dropout_in_validation", replace(CLASSIFIES, net=DROPS, evaluates=False)),
        # The scale of the inputs is no matter where a normalization comes first.
        (
            "inputs_unscaled",
            replace(
                CLASSIFIES,
                data=unscaled,
                net=lambda: nn.Sequential(nn.BatchNorm1d(FEATURES), *stack(FEATURES, 16, CLASSES)),
            ),
        ),
        # Where every batch reaches as far, it is how the data is.
        ("input_outliers_seen", replace(CLASSIFIES, data=unscaled, optimizer=partial(SGD, lr=1e-6))),
        ("classes_unbalanced", replace(CLASSIFIES, data=unbalanced, loss=WEIGHTED)),
        ("first_class_unused", replace(CLASSIFIES, net=partial(stack, FEATURES, 16, CLASSES + 1))),
        ("few_updates_per_epoch", replace(CLASSIFIES, batch=240)),
        ("model_dwarfs_data", replace(CLASSIFIES, data=partial(clusters, 60))),
    ],
)
def test_what_looks_alike_and_is_right_is_no_sign(slug: str, healthy: Training) -> None:
    assert sign_named(slug)(recorded(healthy)) is None


def test_the_batch_that_holds_a_nan_is_named() -> None:
    answer = sign_named("inputs_not_finite")(
        recorded(replace(CLASSIFIES, data=with_holes, shuffles=False, batch=4))
    )
    assert isinstance(answer, Finding)
    assert answer.evidence[0].batch == 2
    assert answer.evidence[0].steps == (2.0, 2.0)


def test_few_reads_are_many_where_each_waits_for_a_device() -> None:
    """Built by hand from a training on the CPU: no device is at hand."""
    run = recorded(replace(CLASSIFIES, measures=one_by_one))
    few = {**run.facts, READS_PER_STEP: 6}
    assert sign_named("many_item_calls")(replace(run, facts=few)) is None
    answer = sign_named("many_item_calls")(replace(run, facts={**few, DEVICE: "cuda"}))
    assert isinstance(answer, Finding)
    assert "waits for the GPU" in answer.says
