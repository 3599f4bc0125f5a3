"""Targets that the loss function takes and that cannot be meant."""

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from tests.recorder.probes.sampling import VALIDATION, Loop
from traindx.facts import COUNTED_TARGETS, LABEL_FAULT, LOWEST_LABEL, TRUE_CLASSES, UNUSED_CLASS
from traindx.recorder.probes.targets import LabelFaults

CHANCE = torch.Generator().manual_seed(3)


def classes(first: int, beyond: int, count: int = 100) -> Tensor:
    return torch.randint(first, beyond, (count,), generator=CHANCE)


def test_answers_outside_of_yes_and_no() -> None:
    loop = Loop(LabelFaults())
    loop.loss("binary_cross_entropy_with_logits", torch.zeros(4, 1), torch.tensor([[-1.0], [1], [1], [-1]]))
    fault = {LABEL_FAULT: "targets from -1 to 1, but valid targets are 0 to 1", LOWEST_LABEL: -1}
    assert loop.facts == fault
    loop.loss("binary_cross_entropy_with_logits", torch.zeros(2, 1), torch.ones(2, 1))
    assert loop.facts == fault, "a batch of the other kind does not make it right"


@pytest.mark.parametrize("targets", [[0.0, 1.0], [0.1, 0.9], [0.5, 0.5], [0.0, float("nan")]])
def test_answers_that_can_be_given(targets: list[float]) -> None:
    loop = Loop(LabelFaults())
    loop.loss("binary_cross_entropy_with_logits", torch.zeros(2), torch.tensor(targets))
    assert loop.facts == {}


def test_classes_counted_from_one_are_told_when_enough_were_seen() -> None:
    loop = Loop(LabelFaults())
    for _ in range(2):
        loop.loss("cross_entropy", torch.zeros(100, 11), classes(1, 11))
    assert loop.facts == {}, "200 targets are few for eleven classes"
    loop.loss("cross_entropy", torch.zeros(100, 11), classes(1, 11))
    assert loop.facts == {UNUSED_CLASS: "labels are 1 to 10 for 11 outputs; label 0 never occurs"}
    loop.loss("cross_entropy", torch.zeros(100, 11), classes(0, 11))
    assert loop.facts == {UNUSED_CLASS: ""}, "it does occur"


@pytest.mark.parametrize(("first", "beyond", "outputs"), [(0, 10, 10), (1, 9, 10), (2, 10, 10), (1, 2, 2)])
def test_other_classes_are_left_out_for_reasons(first: int, beyond: int, outputs: int) -> None:
    loop = Loop(LabelFaults())
    loop.loss("cross_entropy", torch.zeros(1000, outputs), classes(first, beyond, 1000))
    assert loop.facts == {}


def test_a_class_that_is_to_be_ignored_never_occurs_on_purpose() -> None:
    loop = Loop(LabelFaults())
    loop.loss("cross_entropy", torch.zeros(1000, 9), classes(0, 9, 1000), options={"ignore_index": 0})
    assert list(loop.facts) == [COUNTED_TARGETS]


def test_validation_data_is_not_what_is_learned() -> None:
    loop = Loop(LabelFaults())
    loop.loss("cross_entropy", torch.zeros(1000, 9), classes(1, 9, 1000), purpose=VALIDATION)
    assert loop.facts == {}


def test_the_share_of_targets_that_count() -> None:
    loop, padding = Loop(LabelFaults()), torch.full((100,), -100)
    loop.loss("cross_entropy", torch.zeros(100, 3), padding)
    assert loop.facts == {COUNTED_TARGETS: 0}
    loop.loss("cross_entropy", torch.zeros(100, 3), torch.cat([padding[1:], torch.tensor([2])]))
    assert loop.facts == {COUNTED_TARGETS: 1 / 200}, "one counts"
    loop.loss("cross_entropy", torch.zeros(100, 3), padding.clamp_min(0), options={"ignore_index": 0})
    assert loop.facts == {COUNTED_TARGETS: 1 / 300}


def test_negative_targets_of_a_loss_for_counts() -> None:
    loop = Loop(LabelFaults())
    loop.loss("poisson_nll_loss", torch.zeros(3, 1), torch.tensor([[-1.5], [0], [2]]))
    assert loop.facts == {LABEL_FAULT: "targets from -1.5 to 2, but valid targets are 0 or more"}


def test_classes_that_are_true_together() -> None:
    loop = Loop(LabelFaults())
    loop.loss("cross_entropy", torch.zeros(2, 3), torch.tensor([[0.0, 1, 0], [1, 0, 0]]))
    assert loop.facts == {TRUE_CLASSES: 1}
    loop.loss("cross_entropy", torch.zeros(2, 3), torch.tensor([[0.0, 1, 1], [0, 0, 0]]))
    assert loop.facts == {TRUE_CLASSES: 2}
    loop.loss("cross_entropy", torch.zeros(1, 3), torch.tensor([[0.9, 0.9, 0.9]]))
    assert loop.facts == {TRUE_CLASSES: 2}, "shares of classes say nothing of what is true"
