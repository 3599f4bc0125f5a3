"""Targets that cannot be meant, in words."""

import pytest

pytest.importorskip("torch")

import torch

from traindx.recorder.losses.function import label_fault, lowest_label, outputs_of


@pytest.mark.parametrize(
    ("function", "targets", "options", "says"),
    [
        (
            "cross_entropy",
            [1, 2, 3],
            {},
            "label 3, but the model has 3 outputs (valid labels: 0 to 2)",
        ),
        ("nll_loss", [-1, 2, 0], {}, "label -1, but the model has 3 outputs (valid labels: 0 to 2)"),
        ("cross_entropy", [3, 3, 3], {}, "label 3, but the model has 3 outputs (valid labels: 0 to 2)"),
        ("cross_entropy", [0, 1, 2], {}, ""),
        ("cross_entropy", [0, -100, 2], {}, ""),
        ("cross_entropy", [0, 255, 2], {"ignore_index": 255}, ""),
        ("cross_entropy", [-100, -100, -100], {}, ""),
        ("sparse_categorical_crossentropy", [0, -1, 2], {"ignore_class": -1}, ""),
        ("mse_loss", [7, 8, 9], {}, ""),
    ],
)
def test_classes(function: str, targets: list[int], options: dict[str, object], says: str) -> None:
    assert label_fault(function, torch.zeros(3, 3), torch.tensor(targets), options) == says


def test_one_output_leaves_no_choice() -> None:
    says = label_fault("cross_entropy", torch.zeros(4, 1), torch.tensor([0, 1, 1, 0]), {})
    assert says == "label 1, but the model has 1 output (valid label: 0)"


def test_classes_stand_in_the_second_dimension_of_images_and_in_the_last_of_keras() -> None:
    assert outputs_of("cross_entropy", torch.zeros(2, 5, 7, 7), {}) == 5
    assert outputs_of("sparse_categorical_crossentropy", torch.zeros(2, 7, 5), {}) == 5
    assert outputs_of("cross_entropy", torch.zeros(5), {}) == 5
    assert outputs_of("mse_loss", torch.zeros(2, 5), {}) == 0


@pytest.mark.parametrize(
    ("function", "targets", "says"),
    [
        ("binary_cross_entropy", [-1.0, 1.0], "targets from -1 to 1, but valid targets are 0 to 1"),
        (
            "binary_cross_entropy_with_logits",
            [0.0, 255.0],
            "targets from 0 to 255, but valid targets are 0 to 1",
        ),
        ("binary_cross_entropy", [2.0, 2.0], "all targets are 2, but valid targets are 0 to 1"),
        ("binary_cross_entropy", [0.0, 1.0], ""),
        ("binary_cross_entropy", [0.1, 0.9], ""),
        ("binary_cross_entropy", [0.1, float("nan")], ""),
        ("soft_margin_loss", [-1.0, 1.0], ""),
        ("poisson_nll_loss", [-2.25, 3.0], "targets from -2.25 to 3, but valid targets are 0 or more"),
        ("poisson_nll_loss", [0.0, 3.5], ""),
        ("gaussian_nll_loss", [-2.25, 3.0], ""),
    ],
)
def test_yes_and_no(function: str, targets: list[float], says: str) -> None:
    assert label_fault(function, torch.zeros(2), torch.tensor(targets), {}) == says


@pytest.mark.parametrize(
    ("function", "targets", "lowest"),
    [
        ("cross_entropy", [1, 2, 3] * 5, 1),
        ("cross_entropy", [2, 3], 0),
        ("cross_entropy", [0, 1, 3] * 5, 0),
        ("binary_cross_entropy", [-1.0, 1.0], -1),
        ("binary_cross_entropy", [-1.0, 0.0, 1.0], 0),
        ("binary_cross_entropy", [1.0, 1.0], 0),
        ("soft_margin_loss", [-1.0, 1.0], 0),
        ("mse_loss", [-1.0, 1.0], 0),
    ],
)
def test_the_lowest_label_tells_how_to_shift_them(function: str, targets: list[float], lowest: int) -> None:
    assert lowest_label(function, torch.zeros(len(targets), 3), torch.tensor(targets), {}) == lowest
