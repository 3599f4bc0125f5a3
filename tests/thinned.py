"""Recordings as `traindx run`, or a recorder with another schedule, would have sampled them.

Kept recordings are dense: layers are looked at every 20 steps, the norm of the gradient is computed at each.
Losses, learning rates and validation are kept as they are; what is sampled is thinned.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from traindx.facts import GRADIENT_CLIP
from traindx.quantities import CLIPPED_GRADIENT_NORM, GRADIENT_NORM
from traindx.recorder.schedule import Budget, Schedule
from traindx.run import Axis, Floats, Run, Series, Split


@dataclass(frozen=True)
class Machine:
    """How dense it samples."""

    name: str
    looks: Callable[[Floats], list[float]]
    """Which of the steps that were looked at it looks at."""
    has_norm: Callable[[int], bool]
    """Whether it computes the norm of the gradient at a step that it does not look at."""


def _every(steps: int) -> Callable[[int], bool]:
    return lambda step: step % steps == 0


def _grown(factor: float) -> Callable[[Floats], list[float]]:
    """Looks whose steps grow by a factor, as nearly as there are looks."""

    def kept(looked: Floats) -> list[float]:
        kept_values = [float(looked[0])]
        for step in looked:
            if step > factor * kept_values[-1]:
                kept_values.append(float(step))
        return kept_values

    return kept


def _scheduled(share: float) -> Callable[[Floats], list[float]]:
    """Looks of the recorder at a budget, on a machine that affords none but those it takes in any case."""

    def kept(looked: Floats) -> list[float]:
        schedule, kept_values = Schedule(share), []
        poor = Budget(share)
        poor.look_cost = poor.balance + 1.0
        for step in looked:
            if schedule.takes(int(step), poor):
                schedule.looked(int(step))
                kept_values.append(float(step))
        return kept_values

    return kept


def machine_of_budget(share: float) -> Machine:
    """The recorder at a budget."""
    return Machine(f"budget {share:.1%}", _scheduled(share), Schedule(share).has_norm)


USUAL = machine_of_budget(0.02)
"""As `traindx run` samples."""
FEW_NORMS = Machine("norms of every 50", list, _every(50))
MACHINES = (
    *(Machine(f"norms of every {steps}", list, _every(steps)) for steps in (2, 5, 10)),
    FEW_NORMS,
    *(
        Machine(f"looks {factor:.2f} times as far", _grown(factor), _every(1))
        for factor in (1.25, 1.5, 5 / 3, 2.0)
    ),
    *(machine_of_budget(share) for share in (0.1, 0.005, 0.001)),
    USUAL,
)


def thinned(run: Run, machine: Machine) -> Run:
    """The run as the machine would have recorded it."""
    looked = looked_steps(run)
    if not len(looked):
        return run
    kept = np.asarray(machine.looks(looked))
    # The step after a look goes with it: gradients of the two are compared.
    looks = np.concatenate((kept, kept + 1))
    return replace(run, series=tuple(_thinned(run, series, machine, looked, looks) for series in run.series))


def looked_steps(run: Run) -> Floats:
    """The steps at which layers were looked at."""
    steps = [series.steps for series in run.series if series.layer and _is_of_training(series)]
    return np.unique(np.concatenate(steps)) if steps else np.array([])


def _is_of_training(series: Series) -> bool:
    of_validation = series.quantity.split is Split.VALIDATION or series.part.endswith("validation")
    return series.axis is Axis.STEP and not of_validation


def _thinned(run: Run, series: Series, machine: Machine, looked: Floats, looks: Floats) -> Series:
    steps = series.steps
    if series.quantity in (GRADIENT_NORM, CLIPPED_GRADIENT_NORM) and not series.layer:
        if GRADIENT_CLIP in run.facts:
            # The program computes them itself.
            return series
        keep = np.isin(steps, looks) | np.array([machine.has_norm(int(step)) for step in steps], dtype=bool)
    elif _is_of_training(series) and np.isin(steps, np.concatenate((looked, looked + 1))).all():
        keep = np.isin(steps, looks)
    else:
        return series
    return replace(series, steps=steps[keep], values=series.values[keep])
