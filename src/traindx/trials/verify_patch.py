"""The proven change as a patch of the source, and whether the patched program does what the trials showed."""

from dataclasses import dataclass, replace
from pathlib import Path

from traindx.changes.source.patch import Patch, patch_of, refusal_of
from traindx.diagnosis.engine import diagnose
from traindx.format import count
from traindx.run import Run
from traindx.trials.effect import gain
from traindx.trials.engine import Engine, as_arm
from traindx.trials.program import ArmSpec
from traindx.trials.types import Pair, Treatment, Trial

_REPRODUCED = 0.5
"""Of the gain of the trial: a patch that has less does something else."""
_PAIRS = 2
"""Seeds that the patched program is run with."""


def with_patch(treatment: Treatment, engine: Engine, run: Run) -> tuple[Treatment, Patch | None]:
    """A treatment with the verified patch of its best trial, or with the reason why there is none."""
    best = treatment.best
    if best is None:
        return treatment, None
    try:
        patch = patch_of(best.changes, run)
        refusal = "" if patch is not None else refusal_of(best.changes, run)
    except Exception as error:  # a source may be written as no edit expects
        patch, refusal = None, f"{type(error).__name__}: {error}; report this bug"
    if patch is None:
        return replace(treatment, patch_says=refusal), None
    treatment = replace(treatment, patch=patch.diff, patch_says=patch.says)
    rerun = verify_patch(engine, best, patch)
    if rerun is None:
        return treatment, patch
    judged = replace(best, healthy_after=rerun.healthy)
    trials = tuple(judged if trial is best else trial for trial in treatment.trials)
    return replace(treatment, trials=trials, best=judged, patch_verified=rerun.reproduces), patch


@dataclass(frozen=True)
class Rerun:
    """What the patched program did."""

    reproduces: bool
    """Whether it is as much better as the treated arms were."""
    healthy: float | None
    """How likely it is healthy, by its own diagnosis; None where nothing was recorded."""


def verify_patch(engine: Engine, best: Trial, patch: Patch) -> Rerun | None:
    """Run the patched program with the seeds of the first trials; None where it cannot be run."""
    # By their own names: a copy holds what a link leads to under the name of the link.
    path, origin = Path(patch.path).absolute(), engine.workspace.origin.absolute()
    if engine.budget.over or not engine.workspace.copies or not path.is_relative_to(origin):
        return None

    def patched(pair: Pair) -> ArmSpec:
        # As long as the treated arm: a smaller batch takes more steps.
        order = engine.order(best.changes, pair.control.seed, "patched")
        content = (path.relative_to(origin).as_posix(), patch.content)
        return replace(order, changes=(), replaced=(content,))

    engine.say(f"rerunning the patched program ({count(_PAIRS, 'seed')})")
    first = best.pairs[:_PAIRS]
    ran = engine.run_aside([patched(pair) for pair in first], best.measure)
    if engine.budget.over:
        return None
    pairs = [Pair(pair.control, as_arm(done, best.measure)) for pair, done in zip(first, ran, strict=True)]
    recorded = ran[0].run
    return Rerun(
        gain(pairs, best.measure) >= _REPRODUCED * gain(first, best.measure),
        diagnose(recorded).healthy if recorded is not None else None,
    )
