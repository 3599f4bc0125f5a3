"""The type of a change of Keras programs on the shelf."""

from collections.abc import Callable
from dataclasses import dataclass

from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.types import ChangeSpec

Begin = Callable[[KerasProgram, ChangeSpec], None]


@dataclass(frozen=True)
class KerasOperation:
    """How one thing is changed in a program that uses Keras; the same change of torch says what it is."""

    name: str
    """As a change names it: "optimizer.lr"."""
    begin: Begin
    """Called once, when Keras has been imported and nothing of it was used."""


def as_for_torch(_: KerasProgram, __: ChangeSpec) -> None:
    """Begin nothing more: what the change does to torch is done to Keras on top of it."""


def refusing(why: str) -> Begin:
    """Begin a change that Keras programs have no use for: say so when one calls its model."""

    def begin(program: KerasProgram, change: ChangeSpec) -> None:
        program.on_model(lambda _: program.refuse(change, why))

    return begin
