"""Whether the patch of a program's source does what the trial did."""

from dataclasses import replace
from pathlib import Path

from traindx.patching import Patch
from traindx.trial import Pair, Trial
from traindx.trials.arm import carry_out
from traindx.trials.effect import gain
from traindx.trials.engine import Engine, as_arm

_REPRODUCED = 0.5
"""Of the gain of the trial: a patch that has less does something else."""
_PAIRS = 2


def proven_patch(engine: Engine, best: Trial, patch: Patch) -> bool | None:
    """Whether the patched program is as much better as the treated arm was; None where it cannot be run."""
    path, origin = Path(patch.path).resolve(), engine.place.origin.resolve()
    if not engine.place.copies or not path.is_relative_to(origin):
        return None
    pairs = []
    for pair in best.pairs[:_PAIRS]:
        seed = pair.control.seed
        engine.say(f"running the patched program, seed {seed}")
        order = engine.order((), seed, "patched")
        place = engine.place.arm(order.folder)
        (place / path.relative_to(origin)).write_bytes(patch.content)
        done = carry_out(replace(order, place=place))
        engine.place.clear(order.folder)
        pairs.append(Pair(pair.control, as_arm(done, best.measure)))
    return gain(pairs, best.measure) >= _REPRODUCED * gain(best.pairs[:_PAIRS], best.measure)
