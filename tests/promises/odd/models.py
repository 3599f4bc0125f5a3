"""Odd models."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.promises.odd.ordinary import STEPS, ends, fit, mlp
from tests.promises.trainings import randomness, state_of


class Empty(nn.Sequential):
    """A model that counts as false: it has no parts."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4, 1))

    def __len__(self) -> int:
        return 0

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight


def a_model_that_is_false() -> object:
    torch.manual_seed(3)
    model = Empty()
    return fit(model, torch.optim.SGD(model.parameters(), lr=0.01))


class Touchy(nn.Module):
    """A model that does not like to be asked."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 1)

    @property
    def device(self) -> object:
        raise RuntimeError("do not ask")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("do not compare")

    __hash__ = nn.Module.__hash__

    def __repr__(self) -> str:
        raise RuntimeError("do not print")

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x)


def a_model_that_does_not_like_to_be_asked() -> object:
    torch.manual_seed(4)
    model = Touchy()
    return fit(model, torch.optim.SGD(model.parameters(), lr=0.01))


def parameters_that_come_late() -> object:
    torch.manual_seed(5)
    model = nn.Sequential(nn.LazyLinear(8), nn.ReLU(), nn.LazyLinear(1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with torch.no_grad():
        model(torch.randn(2, 4))
    result = fit(model, optimizer)
    model.append(nn.Linear(1, 1))
    optimizer.add_param_group({"params": model[3].parameters(), "lr": 0.02})
    return result, fit(model, optimizer)


def parametrized_weights() -> object:
    model = mlp()
    nn.utils.parametrizations.spectral_norm(model[0])
    nn.utils.parametrizations.weight_norm(model[2])
    return fit(model, torch.optim.SGD(model.parameters(), lr=0.01))


def a_model_made_anew_each_step() -> object:
    kept: list[object] = []
    for _ in range(STEPS):
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        functional.mse_loss(model(torch.randn(3, 4)), torch.zeros(3, 1)).backward()
        optimizer.step()
        kept.append(state_of(model, optimizer))
    return kept, randomness()


def a_forward_pass_that_fails_now_and_then() -> object:
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    failures = 0
    for step in range(STEPS):
        try:
            model(torch.randn(6, 3 if step % 3 == 1 else 4)).mean().backward()
        except RuntimeError:
            failures += 1
        optimizer.step()
        optimizer.zero_grad()
    return ends(model, optimizer, failures)


def double_precision_parameters() -> object:
    model = mlp().double()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        functional.mse_loss(model(torch.randn(6, 4).double()), torch.zeros(6, 1).double()).backward()
        optimizer.step()
    return ends(model, optimizer)


def numbers_that_are_complex() -> object:
    torch.manual_seed(7)
    weight = nn.Parameter(torch.randn(4, dtype=torch.complex64))
    optimizer = torch.optim.SGD([weight], lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        (torch.randn(6, 4).to(torch.complex64) @ weight).abs().mean().backward()
        optimizer.step()
    return torch.view_as_real(weight.detach()).numpy().tobytes(), randomness()


def very_deep_models() -> object:
    torch.manual_seed(8)
    model: nn.Module = nn.Linear(4, 4)
    for _ in range(120):
        model = nn.Sequential(model)
    head = nn.Sequential(model, nn.Linear(4, 1))
    return fit(head, torch.optim.SGD(head.parameters(), lr=0.01))
