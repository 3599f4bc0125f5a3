"""The types of a fix and of an experiment."""

from dataclasses import dataclass
from enum import Enum


class Safety(Enum):
    """Who may apply a fix."""

    SAFE = "safe"
    """It can be undone and harms nothing: a machine may apply it."""
    ASK = "ask"
    """It changes the result or the cost: a machine may apply it after consent."""
    MANUAL = "manual"
    """It needs a person's judgement or hand."""


@dataclass(frozen=True)
class Prescription:
    """A fix with a prediction: what to change, what will be seen then, and when it harms."""

    title: str
    """An order in one line: "Lower the learning rate ten times"."""
    expect: str
    """What the curve does if the fix is right; a trial checks it."""
    safety: Safety
    not_when: str
    """When this fix does harm or nothing."""
    code: str = ""
    """A few lines of PyTorch that show the change."""
    before: str = ""
    """The same lines as they are in a program that has the illness; the first fix of a cause shows them."""
    change: str | None = None
    """The change as a machine applies it, such as "optimizer.lr x 0.1"; None where only a person can.

    Where one is no fix without the other, both stand there with " + " between them.
    """


@dataclass(frozen=True)
class Experiment:
    """A short test that tells whether one cause is the true one."""

    does: str
    """What to do, as an order: "Repeat 200 steps with a ten times lower rate"."""
    if_true: str
    """What is seen if the cause is the true one."""
    if_false: str
    """What is seen if it is not."""
    minutes: float
    """Rough price, to choose the cheapest: 1 looks something up, 5 a short run, 60 a whole run."""
