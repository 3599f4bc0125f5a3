"""Trainings that no learning rate can train."""

from collections.abc import Callable

from torch import Tensor, nn

from rates.task import Setting

_APART = 37
"""Batches between inputs and the targets they are given: no sample meets the same target twice."""


class _Detached(nn.Module):
    """A model whose answer does not lead back to its weights."""

    def __init__(self, inside: nn.Module) -> None:
        super().__init__()
        self.inside = inside
        self.idle = nn.Parameter(next(inside.parameters()).new_zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        return self.inside(x).detach() + 0 * self.idle


def _frozen(setting: Setting) -> Setting:
    setting.model.requires_grad_(False)
    return setting


def _random_targets(setting: Setting) -> Setting:
    batches = list(setting.batches)
    targets = batches[_APART:] + batches[:_APART]
    paired = [(x, y) for (x, _), (_, y) in zip(batches, targets, strict=True)]
    return Setting(setting.model, paired, setting.loss, setting.skill)


def _nan_data(setting: Setting) -> Setting:
    batches = [(x * float("nan"), y) for x, y in setting.batches]
    return Setting(setting.model, batches, setting.loss, setting.skill)


def _detached(setting: Setting) -> Setting:
    return Setting(_Detached(setting.model), setting.batches, setting.loss, setting.skill)


KINDS: dict[str, Callable[[Setting], Setting]] = {
    "frozen": _frozen,
    "random targets": _random_targets,
    "NaN in the data": _nan_data,
    "detached": _detached,
}
"""What is done to a training that was fine."""
