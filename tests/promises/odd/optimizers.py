"""Odd optimizers and losses."""

from collections.abc import Iterator

import torch
from torch import nn
from torch.nn import functional

from tests.promises.odd.ordinary import STEPS, ends, fit, mlp
from tests.promises.trainings import randomness


def several_losses_at_once() -> object:
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(STEPS):
        x = torch.randn(6, 4)
        optimizer.zero_grad()
        torch.autograd.backward([model(x).mean(), model(-x).pow(2).mean()])
        optimizer.step()
    return ends(model, optimizer)


def a_loss_that_is_a_vector() -> object:
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        out = model(torch.randn(6, 4))
        out.backward(gradient=torch.ones_like(out), retain_graph=True)
        out.backward(torch.ones_like(out))
        optimizer.step()
    return ends(model, optimizer)


def a_rate_that_is_a_tensor() -> object:
    model = mlp()
    return fit(model, torch.optim.Adam(model.parameters(), lr=torch.tensor(0.01), foreach=False))


class Rateless(torch.optim.Optimizer):
    """An optimizer without a learning rate."""

    def __init__(self, parameters: Iterator[nn.Parameter]) -> None:
        super().__init__(parameters, {})

    @torch.no_grad()
    def step(self, closure: object = None) -> None:
        for parameter in self.param_groups[0]["params"]:
            parameter.sub_(0.01 * parameter.grad)


def an_optimizer_without_rate() -> object:
    model = mlp()
    return fit(model, Rateless(model.parameters()))


class Lookahead(torch.optim.Optimizer):
    """An optimizer around another one, which never calls its parent's constructor."""

    def __init__(self, base: torch.optim.Optimizer) -> None:
        self.base, self.count = base, 0
        self.slow = [p.detach().clone() for g in base.param_groups for p in g["params"]]
        self.param_groups, self.state, self.defaults = base.param_groups, base.state, base.defaults

    def zero_grad(self, set_to_none: bool = True) -> None:
        self.base.zero_grad(set_to_none)

    def step(self, closure: object = None) -> None:
        self.base.step()
        self.count += 1
        if self.count % 5 == 0:
            fast = [p for g in self.param_groups for p in g["params"]]
            with torch.no_grad():
                for slow, value in zip(self.slow, fast, strict=True):
                    slow.lerp_(value, 0.5)
                    value.copy_(slow)


def an_optimizer_around_another() -> object:
    model = mlp()
    return fit(model, Lookahead(torch.optim.SGD(model.parameters(), lr=0.01)))


def a_scaler_that_is_switched_off() -> object:
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    for _ in range(STEPS):
        optimizer.zero_grad()
        scaler.scale(model(torch.randn(6, 4)).pow(2).mean()).backward()
        scaler.step(optimizer)
        scaler.update()
    return ends(model, optimizer)


def steps_without_gradients() -> object:
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(STEPS):
        if step % 4 == 3:
            model(torch.randn(6, 4)).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return ends(model, optimizer)


def losses_that_are_not_numbers() -> object:
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e18)
    losses = []
    for _ in range(STEPS):
        x = torch.randn(6, 4)
        loss = functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(repr(loss.item()))
    return ends(model, optimizer, losses)


def steps_inside_the_backward_pass() -> object:
    """Every parameter has an optimizer of its own, which frees the gradient as soon as it is there."""
    model = mlp()
    own = {id(p): torch.optim.SGD([p], lr=0.02, foreach=False) for p in model.parameters()}

    def step(parameter: nn.Parameter) -> None:
        own[id(parameter)].step()
        own[id(parameter)].zero_grad()

    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(step)
    losses = []
    for _ in range(STEPS):
        x = torch.randn(6, 4)
        loss = functional.mse_loss(model(x), x.sum(1, keepdim=True))
        loss.backward()
        losses.append(loss.item())
    return [p.detach().numpy().tobytes() for p in model.parameters()], randomness(), losses


def steps_by_hand() -> object:
    model = mlp()
    for _ in range(STEPS):
        x = torch.randn(6, 4)
        functional.mse_loss(model(x), x.sum(1, keepdim=True), reduction="sum").backward()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= 0.003 * parameter.grad  # noqa: PLW2901  # as courses teach it
                parameter.grad.zero_()
    return [p.detach().numpy().tobytes() for p in model.parameters()], randomness()
