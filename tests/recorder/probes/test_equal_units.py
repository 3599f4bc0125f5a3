"""Units with equal weights, against a comparison of all with all."""

from collections.abc import Callable

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn

from tests.recorder.tensors.training import Training, named
from traindx.quantities import EQUAL_UNIT_SHARE
from traindx.recorder.probes.types import LiveParameter, Update
from traindx.recorder.probes.units import EqualUnits
from traindx.testing.probe import Written


def all_with_all(weight: Tensor) -> float:
    """The slow second implementation."""
    rows = weight.detach().reshape(weight.shape[0], -1).tolist()
    alike = [any(row == other for j, other in enumerate(rows) if j != i) for i, row in enumerate(rows)]
    return sum(alike) / len(rows)


def shares(snapshot: Written) -> dict[str, float]:
    return {
        layer: float(value)
        for (quantity, layer, _), value in snapshot.numbers.items()
        if quantity is EQUAL_UNIT_SHARE
    }


def network(begin: Callable[[Tensor], object]) -> nn.Module:
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 6, 3), nn.Tanh(), nn.Flatten(), nn.Linear(216, 20), nn.Tanh(), nn.Linear(20, 3)
    )
    with torch.no_grad():
        for parameter in model.parameters():
            begin(parameter)
    return model


def half(weight: Tensor) -> None:
    weight[: weight.shape[0] // 2] = 0.1


BEGINNINGS: dict[str, Callable[[Tensor], object]] = {
    "as torch begins": lambda weight: None,
    "zeros": nn.init.zeros_,
    "one number": lambda weight: nn.init.constant_(weight, 0.1),
    "half of them equal": half,
}


@pytest.mark.parametrize("begin", BEGINNINGS.values(), ids=BEGINNINGS)
def test_shares_are_those_of_comparing_all_with_all(begin: Callable[[Tensor], object]) -> None:
    model = network(begin)
    training = Training(EqualUnits(), model, torch.optim.SGD(model.parameters(), lr=0.1))
    for _ in range(3):
        expected = {
            name: all_with_all(value.clone()) for name, value in model.named_parameters() if value.dim() > 1
        }
        snapshot = training.snapshot(lambda: model(torch.randn(8, 1, 8, 8)).square().mean())
        assert shares(snapshot) == pytest.approx(expected)


def test_equal_units_stay_equal_and_others_do_not() -> None:
    model = network(BEGINNINGS["one number"])
    training = Training(EqualUnits(), model, torch.optim.SGD(model.parameters(), lr=0.1))
    equal = [
        shares(training.snapshot(lambda: model(torch.randn(8, 1, 8, 8)).square().mean())) for _ in range(3)
    ]
    assert all(share == 1.0 for snapshot in equal for share in snapshot.values())


def shown(name: str, weight: Tensor) -> dict[str, float]:
    snapshot = Written()
    EqualUnits().update_begins(snapshot, Update(None, [LiveParameter(name, weight, optimized=True)], 8))
    return shares(snapshot)


def test_a_large_identity_has_no_equal_units() -> None:
    assert shown("weight", torch.eye(1024)) == {"weight": 0.0}
    assert shown("weight", torch.zeros(1000, 4000)) == {"weight": 1.0}


def test_units_of_a_keras_kernel_are_its_columns() -> None:
    kernel = torch.randn(5, 1).expand(5, 7).clone()
    assert shown("dense.kernel", kernel) == {"dense.kernel": 1.0}
    assert shown("dense.weight", kernel) == {"dense.weight": 0.0}


@pytest.mark.parametrize("weight", [torch.zeros(5), torch.zeros(1, 5), torch.zeros(0, 5), torch.zeros(())])
def test_what_has_no_two_units_is_left_out(weight: Tensor) -> None:
    assert shown("weight", weight) == {}


def test_other_memory_layouts_and_formats() -> None:
    kernel = torch.randn(6, 4, 3, 3)
    kernel[3] = kernel[1]
    for weight in (kernel, kernel.to(memory_format=torch.channels_last), kernel.bfloat16(), kernel.double()):
        assert shown("weight", weight) == {"weight": 2 / 6}


def test_later_looks_are_rare() -> None:
    model = network(nn.init.zeros_)
    probe = EqualUnits()
    looks = []
    for _ in range(16):
        snapshot = Written()
        probe.update_begins(snapshot, Update(None, named(model), 8))
        looks.append(bool(snapshot.numbers))
    assert [index for index, looked in enumerate(looks, start=1) if looked] == [1, 2, 3, 8, 16]
