"""How many different values targets take, counted by hand."""

import torch

from tests.recorder.probes.sampling import VALIDATION, Loop
from traindx.facts import OUTPUTS, TARGET_VALUES, TARGETS_ARE_WHOLE
from traindx.recorder.probes.targets import TargetValues


def test_class_ids_compared_as_numbers_are_few_and_whole() -> None:
    loop = Loop(TargetValues())
    loop.loss("mse_loss", torch.zeros(6, 1), torch.tensor([[0.0], [1.0], [2.0], [2.0], [0.0], [1.0]]))
    assert (loop.facts[TARGET_VALUES], loop.facts[TARGETS_ARE_WHOLE], loop.facts[OUTPUTS]) == (3, True, 1)


def test_measured_numbers_are_many_and_broken() -> None:
    loop = Loop(TargetValues())
    for seed in range(3):
        target = torch.randn(80, 2, generator=torch.Generator().manual_seed(seed))
        loop.loss("l1_loss", torch.zeros(80, 2), target)
    assert (loop.facts[TARGET_VALUES], loop.facts[TARGETS_ARE_WHOLE], loop.facts[OUTPUTS]) == (100, False, 2)


def test_classes_and_validation_say_nothing_of_numbers() -> None:
    loop = Loop(TargetValues())
    loop.loss("cross_entropy", torch.zeros(4, 3), torch.tensor([0, 1, 2, 1]))
    loop.loss("mse_loss", torch.zeros(4, 1), torch.ones(4, 1), purpose=VALIDATION)
    assert loop.facts == {OUTPUTS: 3}


def test_values_that_are_not_finite_are_no_values() -> None:
    loop = Loop(TargetValues())
    loop.loss("mse_loss", torch.zeros(3, 1), torch.tensor([[1.0], [float("nan")], [float("inf")]]))
    assert (loop.facts[TARGET_VALUES], loop.facts[TARGETS_ARE_WHOLE]) == (1, True)
