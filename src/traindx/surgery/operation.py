"""The type of a change on the shelf."""

from collections.abc import Callable
from dataclasses import dataclass

from traindx.change import Change
from traindx.surgery.program import Program

Begin = Callable[[Program, Change], None]


@dataclass(frozen=True)
class Operation:
    """How one thing is changed in a running program."""

    name: str
    """As a change names it: "optimizer.lr"."""
    forms: tuple[str, ...]
    """How it is written, an example each: "optimizer.lr x 0.1"."""
    says: str
    """What it does, in one line."""
    begin: Begin
    """Called once, before the program has made anything."""
    alters_loss: bool = False
    """Whether the training loss means something else afterwards, so that arms are compared by errors."""
