"""A learning rate for a training loop in hand: model, optimizer, some batches and a loss function."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from traindx.changes.schedule_shape import rising
from traindx.errors import TraindxError
from traindx.exams.learning_rate.search import LEAST_STEPS, Plan, searched
from traindx.exams.learning_rate.types import Course, FoundRate, run_away
from traindx.exams.restore import Restore, restored_training

Batch = tuple[object, object]
Loss = Callable[..., Tensor]


def find_rate(
    model: nn.Module, optimizer: Optimizer, batches: Iterable[Batch], loss: Loss, *, steps: int = 300
) -> FoundRate:
    """Find a learning rate in at most `steps` steps; model and optimizer are restored bit for bit.

    `batches` yields pairs of inputs and targets on the device of the model (a loader or a list; as many are
    kept as the range test takes, and reused if there are fewer). The loss is `loss(model(inputs), targets)`;
    inputs in a tuple or a mapping become arguments of the model.
    """
    if steps < LEAST_STEPS:
        raise TraindxError(f"steps must be {LEAST_STEPS} or more to compare learning rates, got {steps}")
    plan = Plan(steps)
    with restored_training(model, optimizer) as restore:
        kept = list(islice(iter(batches), plan.ramp))
        if not kept:
            raise TraindxError("no batches; pass pairs of inputs and targets")
        # Reading a loader draws random numbers, and every training is to begin where the first one does.
        restore()
        return searched(_Loop(model, optimizer, kept, loss, restore), plan)


class _Loop:
    """Runs the loop in hand, from the same beginning each time."""

    def __init__(
        self, model: nn.Module, optimizer: Optimizer, batches: Sequence[Batch], loss: Loss, restore: Restore
    ) -> None:
        self._model, self._optimizer, self._batches, self._loss = model, optimizer, batches, loss
        self._restore = restore
        self._rates = [float(group["lr"]) for group in optimizer.param_groups]
        if not self._rates or not self._rates[0] > 0:
            raise TraindxError("the learning rate of the optimizer is 0; start from any other value")

    @property
    def own(self) -> float:
        """The rate of the first group."""
        return self._rates[0]

    def ramp(self, low: float, high: float, steps: int) -> Course:
        """A range test that ends once the loss has run away."""
        rates = [rising(self.own, low, high, steps, taken) for taken in range(steps)]
        return self._taken(rates, ends_early=True)

    def hold(self, rates: Sequence[float], steps: int) -> list[Course]:
        """One short training for each rate."""
        return [self._taken([rate] * steps, ends_early=False) for rate in rates]

    def _taken(self, rates: Sequence[float], *, ends_early: bool) -> Course:
        self._restore()
        self._model.train()
        losses: list[float] = []
        blind: list[float] = []
        for taken, rate in enumerate(rates):
            value, guess = self._step(self._batches[taken % len(self._batches)], rate)
            losses.append(value)
            blind += [] if guess is None else [guess]
            if not math.isfinite(value) or (
                ends_early and run_away(np.array(losses), len(rates)) is not None
            ):
                break
        losses_before = tuple(blind) if len(blind) == len(losses) else ()
        return Course(tuple(rates[: len(losses)]), tuple(losses), losses_before)

    def _step(self, batch: Batch, rate: float) -> tuple[float, float | None]:
        inputs, targets = batch
        for group, own in zip(self._optimizer.param_groups, self._rates, strict=True):
            group["lr"] = own * rate / self.own
        outputs = _called(self._model, inputs)
        self._optimizer.zero_grad()
        value = self._loss(outputs, targets)
        guess = self._blind(outputs, targets)
        if value.requires_grad and bool(torch.isfinite(value)):
            value.backward()
            self._optimizer.step()
        return float(value.detach()), guess

    def _blind(self, outputs: object, targets: object) -> float | None:
        """What the same answers lose against targets of other samples: the next one's, not a random one's."""
        if not isinstance(targets, Tensor) or targets.ndim == 0 or len(targets) < 2:
            return None
        with torch.no_grad():
            return float(self._loss(outputs, targets.roll(1, 0)))


def _called(model: nn.Module, inputs: object) -> object:
    if isinstance(inputs, Mapping):
        return model(**inputs)
    return model(*inputs) if isinstance(inputs, tuple | list) else model(inputs)
