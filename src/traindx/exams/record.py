"""What probes write while a model is examined, kept in memory, and the run that comes of it."""

from collections.abc import Mapping

import numpy as np
from torch import Tensor

from traindx.recorder.probes.types import Look
from traindx.run import Event, EventKind, Fact, Parameter, Quantity, Run, Scalar, Series

FORMAT = "exam"
"""What a run that comes of an exam says it was read from."""


class Record(Look):
    """The numbers of every step, the facts and the events."""

    def __init__(self) -> None:
        """Begin at step 1 with nothing written."""
        self.step = 1
        self.facts: dict[Fact, Scalar] = {}
        self.events: list[Event] = []
        self._points: dict[tuple[Quantity, str, str], dict[int, float]] = {}

    def add(self, quantity: Quantity, value: float | Tensor, *, layer: str = "", part: str = "") -> None:
        """Keep a number of this step."""
        self._points.setdefault((quantity, layer, part), {})[self.step] = float(value)

    def state(self, fact: Fact, value: Scalar) -> None:
        """Keep a fact."""
        self.facts[fact] = value

    def happened(
        self, kind: EventKind, says: str, *, layer: str = "", operation: str = "", batch: int | None = None
    ) -> None:
        """Keep what happened, the same sentence once."""
        if all(event.says != says for event in self.events):
            self.events.append(Event(kind, says, self.step, layer, operation, batch))

    def run(self, name: str, model: tuple[Parameter, ...], order: Mapping[str, int]) -> Run:
        """Everything that was written, as a run with the steps that were taken.

        `order` says which layer comes first in the forward pass: probes write those together that are alike.
        """
        ordered = sorted(self._points.items(), key=lambda item: order.get(item[0][1], -1))
        series = tuple(
            Series(
                quantity,
                np.array(list(points), dtype=np.float64),
                np.array(list(points.values()), dtype=np.float64),
                part=part,
                layer=layer,
            )
            for (quantity, layer, part), points in ordered
        )
        return Run(
            name, series, formats=(FORMAT,), facts=dict(self.facts), events=tuple(self.events), model=model
        )
