"""The type of a program that is to be repaired, and what of its deficit a change makes good."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from traindx.diagnosis.types import Diagnosis
from traindx.run import Run
from traindx.trials.runner import ArmResult
from traindx.trials.types import Trial

HEALTHY = "healthy"

Closed = Callable[[Trial, ArmResult], float | None]
"""What a trial closed of the gap between the program and its healthy twin: 1 is all; None if unknown."""


@dataclass(frozen=True)
class Case:
    """A program, what is wrong with it, and the same program with that done right."""

    name: str
    kind: str
    """Where it is from."""
    cause: str
    words: tuple[str, ...]
    """The command."""
    twin: tuple[str, ...]
    """The command of the healthy twin; empty where there is none."""
    diagnose: Callable[[Run], Diagnosis]
    closed: Closed
    script: Path | None = None
    """What is put into the working directory, so that a patch of it can be run."""


def closed(control: Sequence[float], treated: Sequence[float], twin: float) -> float | None:
    """What of the way from the control arms to the twin the treated arms have gone; None without a gap."""
    values = [*control, *treated, twin]
    gap = fmean(control) - twin
    return (fmean(control) - fmean(treated)) / gap if all(map(math.isfinite, values)) and gap else None
