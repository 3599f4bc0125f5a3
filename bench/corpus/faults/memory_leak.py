"""Each step leaves something behind: a validation loss with its graph, a copy of the weights, or activations.

The twin does the same work and keeps numbers of it. Severity is about how many megabytes are left in all,
by the number of validation rows, of copies, or of layers.
"""

from dataclasses import dataclass, field, replace
from random import Random

import torch
from torch import Tensor, nn

from corpus.fault import Fault, Harm, between
from corpus.plan import Moment, Plan
from corpus.task import Rows

_WATCHED = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.ConvTranspose2d, nn.LayerNorm, nn.BatchNorm1d, nn.BatchNorm2d)
_FORMS = {"losses": "validation losses with their graph", "weights": "copies of the weights"}


@dataclass(frozen=True, eq=False)
class History:
    """What the program remembers of every so many steps: all of it, or a number."""

    plan: Plan
    form: str
    probe: Rows
    every: int
    keeps: bool
    kept: list[object] = field(default_factory=list)

    def __call__(self, moment: Moment) -> None:
        if moment.step % self.every:
            return
        if self.form == "weights":
            copies = [parameter.detach().clone() for parameter in moment.model.parameters()]
            self.kept.append(copies if self.keeps else [float(copy.norm()) for copy in copies])
            return
        moment.model.eval()
        loss = self.plan.loss(self.plan.forward(moment.model, self.probe.inputs), self.probe.targets)
        moment.model.train()
        self.kept.append(loss if self.keeps else loss.item())


@dataclass(frozen=True, eq=False)
class Listener:
    """A hook that remembers what a layer gave: all of it, or its mean."""

    keeps: bool
    kept: list[object] = field(default_factory=list)

    def __call__(self, layer: nn.Module, given: object, outputs: Tensor) -> None:
        self.kept.append(outputs if self.keeps else float(outputs.mean()))


@dataclass(frozen=True, eq=False)
class Listening:
    """The hooks of a model, which remember by themselves; a step adds nothing."""

    layers: tuple[nn.Module, ...]

    def __call__(self, moment: Moment) -> None:
        pass


def _activations(plan: Plan) -> dict[nn.Module, int]:
    """Bytes that each layer gives for one row."""
    sizes: dict[nn.Module, int] = {}
    hooks = [
        layer.register_forward_hook(lambda layer, inputs, outputs: sizes.update({layer: 4 * outputs.numel()}))
        for layer in plan.model.modules()
        if isinstance(layer, _WATCHED)
    ]
    plan.model.eval()
    with torch.no_grad():
        plan.forward(plan.model, plan.train.inputs[:1])
    for hook in hooks:
        hook.remove()
    return sizes


def twin(plan: Plan, severity: float, dice: Random) -> Plan:
    """A program that looks at its model after every step, and keeps numbers."""
    # Another seed of the twin does the same work, so that it tells the noise alone.
    dice = Random(f"{severity}")
    form = dice.choice((*(["losses", "losses"] if len(plan.held) else []), "weights", "activations"))
    left = between(4e6, 1.5e8, severity) / plan.steps
    sizes = _activations(plan)
    if form == "activations":
        layers: list[nn.Module] = []
        for layer in dice.sample(list(sizes), len(sizes)):
            if not layers or sum(sizes[module] for module in layers) * plan.batch * plan.accumulation < left:
                layers.append(layer)
        for layer in layers:
            layer.register_forward_hook(Listener(keeps=False))
        note = f"listens to {len(layers)} layers"
        return replace(plan, each_step=Listening(tuple(layers)), notes=(*plan.notes, note))
    weights = 4 * sum(module.numel() for module in plan.model.parameters())
    every = max(1, round(weights / left)) if form == "weights" else 1
    probe = plan.held.part(slice(max(2, round(left / sum(sizes.values())))))
    history = History(plan, form, probe, every, keeps=False)
    return replace(plan, each_step=history, notes=(*plan.notes, f"looks at its {form}"))


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """The same program, which keeps tensors."""
    looks = plan.each_step
    if isinstance(looks, Listening):
        for layer in looks.layers:
            layer._forward_hooks.clear()
            layer.register_forward_hook(Listener(keeps=True))
        return replace(plan, notes=(*plan.notes, "keeps activations"))
    assert isinstance(looks, History)
    history = replace(looks, keeps=True, kept=[])
    return replace(plan, each_step=history, notes=(*plan.notes, f"keeps {_FORMS[looks.form]}"))


FAULT = Fault(cause="memory-leak", inject=inject, twin=twin, harm=Harm.MEMORY)
