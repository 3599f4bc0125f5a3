"""What the input meets first, against the order of hooks."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn

from tests.promises.tape_reading import read_tape
from traindx.recorder.hooks import attachment

NORMALIZATIONS = (nn.modules.batchnorm._NormBase, nn.LayerNorm, nn.GroupNorm, nn.RMSNorm)


class Branches(nn.Module):
    """The input goes two ways; attributes stand in another order than they are used."""

    def __init__(self) -> None:
        super().__init__()
        self.head, self.norm = nn.Linear(12, 2), nn.BatchNorm1d(6)

    def forward(self, values: Tensor) -> Tensor:
        return self.head(torch.cat([self.norm(values), values], 1))


MODELS: dict[str, tuple[nn.Module, Tensor]] = {
    "linear": (
        nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2)),
        torch.randn(5, 6),
    ),
    "batch": (nn.Sequential(nn.BatchNorm1d(6), nn.Linear(6, 2)), torch.randn(5, 6)),
    "after a dropout": (
        nn.Sequential(nn.Dropout(0.1), nn.LayerNorm(6), nn.Linear(6, 2)),
        torch.randn(5, 6),
    ),
    "without parameters": (
        nn.Sequential(nn.InstanceNorm2d(3), nn.Flatten(), nn.Linear(48, 2)),
        torch.randn(5, 3, 4, 4),
    ),
    "tokens": (nn.Sequential(nn.Embedding(7, 6), nn.LayerNorm(6), nn.Linear(6, 2)), torch.tensor([[1, 2]])),
    "inside another": (
        nn.Sequential(nn.Sequential(nn.Flatten(), nn.GroupNorm(2, 6)), nn.Linear(6, 2)),
        torch.randn(5, 6),
    ),
    "used in another order": (Branches(), torch.randn(5, 6)),
}


def reference(model: nn.Module, inputs: Tensor) -> bool:
    order: list[nn.Module] = []
    handles = [
        module.register_forward_hook(lambda module, *_: order.append(module)) for module in model.modules()
    ]
    model(inputs)
    for handle in handles:
        handle.remove()
    matters = [m for m in order if isinstance(m, NORMALIZATIONS) or list(m.parameters(recurse=False))]
    return isinstance(matters[0], NORMALIZATIONS)


@pytest.mark.parametrize(("model", "inputs"), MODELS.values(), ids=MODELS)
def test_it_is_the_first_in_order(model: nn.Module, inputs: Tensor, tmp_path: Path) -> None:
    expected = reference(model, inputs)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    watching = attachment.attach(tmp_path, budget=1.0)
    try:
        for _ in range(5):
            optimizer.zero_grad()
            nn.functional.mse_loss(output := model(inputs), torch.zeros_like(output)).backward()
            optimizer.step()
    finally:
        watching.detach()
    (path,) = tmp_path.glob("*.traindx")
    assert read_tape(path).stated("first_layer_normalizes") == [expected]


def test_the_models_differ() -> None:
    assert {reference(*model) for model in MODELS.values()} == {False, True}
