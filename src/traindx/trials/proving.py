"""Whether the patch of a program's source does what the trial did."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from traindx.patching import Patch
from traindx.trial import Pair, Trial
from traindx.trials.arm import carry_out
from traindx.trials.effect import gain
from traindx.trials.engine import Engine, as_arm
from traindx.wording import count

_REPRODUCED = 0.5
"""Of the gain of the trial: a patch that has less does something else."""
_PAIRS = 2


def proven_patch(engine: Engine, best: Trial, patch: Patch) -> bool | None:
    """Whether the patched program is as much better as the treated arm was; None where it cannot be run."""
    path, origin = Path(patch.path).resolve(), engine.place.origin.resolve()
    if not engine.place.copies or not path.is_relative_to(origin):
        return None

    def patched(pair: Pair) -> Pair:
        order = engine.order((), pair.control.seed, "patched")
        place = engine.place.arm(order.folder)
        (place / path.relative_to(origin)).write_bytes(patch.content)
        done = carry_out(replace(order, place=place, threads=engine.threads(best.measure)))
        engine.place.clear(order.folder)
        return Pair(pair.control, as_arm(done, best.measure))

    engine.say(f"running the patched program with {count(_PAIRS, 'seed')}")
    with ThreadPoolExecutor(engine.at_once(best.measure)) as pool:
        pairs = list(pool.map(patched, best.pairs[:_PAIRS]))
    return gain(pairs, best.measure) >= _REPRODUCED * gain(best.pairs[:_PAIRS], best.measure)
