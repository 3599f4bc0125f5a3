"""Optimizers of a running program: their learning rates in a step, and the parameters they do not hold."""

from collections.abc import Callable
from weakref import WeakKeyDictionary

from torch import Tensor
from torch.optim import Optimizer

from traindx.changes.live.program import Program, parameters_of

Factor = Callable[[Optimizer, int], float]
"""What the rates are multiplied by, from the optimizer and the number of steps it has taken."""


def multiply_rates(program: Program, factor: Factor) -> None:
    """Multiply the rates of every step: a schedule of the program goes on as if nothing had happened."""
    kept: dict[int, list[object]] = {}
    taken: WeakKeyDictionary[Optimizer, int] = WeakKeyDictionary()
    """By each optimizer: of two that step beside each other, each goes through the whole of a schedule."""

    def begins(optimizer: Optimizer) -> None:
        kept[id(optimizer)] = [group.get("lr") for group in optimizer.param_groups]
        # One that comes later, such as that of the next fold, goes on where the others are.
        now = taken.setdefault(optimizer, min(taken.values(), default=program.taken))
        taken[optimizer] = now + 1
        times = factor(optimizer, now)
        for group in optimizer.param_groups:
            if isinstance(group.get("lr"), int | float | Tensor):
                group["lr"] = group["lr"] * times

    def ends(optimizer: Optimizer) -> None:
        for group, rate in zip(optimizer.param_groups, kept.pop(id(optimizer), []), strict=False):
            group["lr"] = rate

    program.before_step(begins)
    program.after_step(ends)


def first_rate(optimizer: Optimizer) -> float:
    """The rate an optimizer was made with, whatever a schedule has done to it since."""
    group = optimizer.param_groups[0]
    # A schedule of one cycle begins far below the rate it was given.
    return float(group.get("max_lr", group.get("initial_lr", group.get("lr", 0.0))))


def without_schedule(optimizer: Optimizer) -> float:
    """What the rate of this step is to be multiplied by to be the first one."""
    now = float(optimizer.param_groups[0].get("lr", 0.0))
    return first_rate(optimizer) / now if now else 1.0


def give_missing(program: Program, optimizer: Optimizer) -> int:
    """Give what nobody holds to an optimizer; how many tensors that were."""
    for one in parameters_of(optimizer):
        program.held[id(one)] = optimizer
    missing = [
        one
        for model in program.models
        for one in model.parameters()
        if one.requires_grad and id(one) not in program.held
    ]
    unique = list({id(one): one for one in missing}.values())
    if unique:
        # Not as a group of their own: schedulers that are there already know how many groups there are.
        optimizer.param_groups[0]["params"].extend(unique)
        program.held.update((id(one), optimizer) for one in unique)
    return len(unique)
