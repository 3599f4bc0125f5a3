"""Whether the patch of a program's source does what the trial did."""

from dataclasses import replace
from pathlib import Path

from traindx.changes.source.patch import Patch
from traindx.format import count
from traindx.trials.effect import gain
from traindx.trials.engine import Engine, as_arm
from traindx.trials.program import ArmSpec
from traindx.trials.types import Pair, Trial

_REPRODUCED = 0.5
"""Of the gain of the trial: a patch that has less does something else."""
_PAIRS = 2


def verify_patch(engine: Engine, best: Trial, patch: Patch) -> bool | None:
    """Whether the patched program is as much better as the treated arm was; None where it cannot be run."""
    # By their own names: a copy holds what a link leads to under the name of the link.
    path, origin = Path(patch.path).absolute(), engine.workspace.origin.absolute()
    if engine.budget.over or not engine.workspace.copies or not path.is_relative_to(origin):
        return None

    def patched(pair: Pair) -> ArmSpec:
        # As long as the treated arm: a smaller batch takes more steps.
        order = engine.order(best.changes, pair.control.seed, "patched")
        content = (path.relative_to(origin).as_posix(), patch.content)
        return replace(order, changes=(), replaced=(content,))

    engine.say(f"running the patched program with {count(_PAIRS, 'seed')}")
    first = best.pairs[:_PAIRS]
    ran = engine.run_aside([patched(pair) for pair in first], best.measure)
    if engine.budget.over:
        return None
    pairs = [Pair(pair.control, as_arm(done, best.measure)) for pair, done in zip(first, ran, strict=True)]
    return gain(pairs, best.measure) >= _REPRODUCED * gain(first, best.measure)
