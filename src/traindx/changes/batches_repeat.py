"""The same batch at every step: what cannot be learned by heart cannot be learned."""

from __future__ import annotations

from traindx.changes import keras
from traindx.changes.live.batches import hold_loaders, hold_tensors
from traindx.changes.live.keras_program import FitSettings, KerasProgram
from traindx.changes.live.program import Program
from traindx.changes.types import NOT_IN_SOURCE, Change, ChangeSpec


def _torch(program: Program, change: ChangeSpec) -> None:
    """Give the first batch of every loader again; without loaders, the first inputs and targets."""
    loaders = hold_loaders(program, change)
    hold_tensors(program, change, unless=lambda: bool(loaders))


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Train on the first batch that `fit` comes to, again and again."""

    def held(model: keras.Model, settings: FitSettings) -> FitSettings:
        original = model.train_step
        first: list[object] = []

        def train_step(data: object) -> object:
            if not first:
                first.append(data)
            program.applied(change, "every step of fit uses the batch of step 1")
            return original(first[0])

        model.train_step = train_step
        return settings

    program.on_fit(held)


CHANGE = Change(
    name="batches.repeat",
    label="repeat the first batch",
    says="train on the first batch at every step (used by traindx preflight)",
    torch=_torch,
    keras=_keras,
    edit=NOT_IN_SOURCE,
    is_fix=False,
)
