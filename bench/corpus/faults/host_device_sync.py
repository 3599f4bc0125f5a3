"""After every step the program reads many single values out of tensors, in a loop in Python.

It reads weights, gradients or outputs by item, float, numpy or a comparison. Severity is how long this
takes in the whole training, from a fraction of a second to several.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import cycle, islice
from random import Random

from torch import Tensor

from corpus.fault import Fault, Harm, between
from corpus.plan import Moment, Plan

_READ_SECONDS = 2.5e-6
"""About what it takes to read one value."""
_READ: Mapping[str, Callable[[Tensor], float]] = {
    "item": lambda value: value.item(),
    "float": float,
    "cpu and numpy": lambda value: float(value.cpu().numpy()),
    "tolist": lambda value: value.tolist(),
    "a comparison": lambda value: 1.0 if value > 0 else 0.0,
}


@dataclass(frozen=True, eq=False)
class Watch:
    """Adds up values one by one, for a line of the log."""

    of: str
    read: Callable[[Tensor], float]
    count: int

    def __call__(self, moment: Moment) -> None:
        total = 0.0
        for value in islice(cycle(self._values(moment)), self.count):
            total += self.read(value)

    def _values(self, moment: Moment) -> Iterator[Tensor]:
        if self.of == "outputs":
            yield from moment.outputs.detach().flatten()
            return
        for parameter in moment.model.parameters():
            values = parameter.grad if self.of == "gradients" and parameter.grad is not None else parameter
            yield from values.detach().flatten()


def inject(plan: Plan, severity: float, dice: Random) -> Plan:
    """Reads that take some seconds more in the whole training."""
    count = max(1, round(between(0.3, 6, severity) / (_READ_SECONDS * plan.steps)))
    of, how = dice.choice(("weights", "gradients", "outputs")), dice.choice(list(_READ))
    note = f"reads {count} values of the {of} by {how} after every step"
    return replace(plan, each_step=Watch(of, _READ[how], count), notes=(*plan.notes, note))


FAULT = Fault(cause="host-device-sync", inject=inject, harm=Harm.TIME)
