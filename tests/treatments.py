"""Treatments built by hand: what came out of trials that never ran."""

import math
from collections.abc import Sequence

from traindx.changes.types import ChangeSpec, Measure, parse_change
from traindx.trials.effect import effect_of
from traindx.trials.types import Arm, Candidate, Outcome, Pair, Treatment, Trial

HOSTILE = "<b>x</b>|[y](javascript:1)`*_\x1b[2J\u202e\r\n# z\x9b31m"
PATCH = """\
--- a/train.py
+++ b/train.py
@@ -31 +31 @@
-optimizer = SGD(model.parameters(), lr=3.0)
+optimizer = SGD(model.parameters(), lr=0.03)
"""
BELIEFS = (("lr-too-high", 0.44, 0.78), ("missing-warmup", 0.41, 0.16), ("exploding-gradients", 0.11, 0.004))


def arm(value: float | None, seed: int = 0, change: str = "", *, problem: str = "", refused: str = "") -> Arm:
    """An arm whose curve goes from 2.4 to its value; it breaks half way where that is infinite."""
    changes = (parse_change(change),) if change else ()
    curve = () if value is None else tuple((float(at), _loss(at, value, seed)) for at in range(200))
    name = f".traindx/runs/train-1/trials/{change or 'control'}-seed{seed}"
    metrics = tuple((at, 1 - min(1.0, loss / 2.4)) for at, loss in curve[9::10] if math.isfinite(loss))
    metric = metrics[-1][1] if metrics else None
    return Arm(seed, changes, name, value, curve, len(curve), problem, refused, metric, metrics)


def _loss(at: int, end: float, seed: int) -> float:
    if not math.isfinite(end):
        return 2.4 + 0.02 * at if at < 100 else math.nan
    wave = 0.06 * math.sin(at * (1 + 0.37 * seed)) * (1 - at / 220)
    return end + (2.4 - end) * math.exp(-at / 30) + wave * (end + 0.2)


def pairs(change: str, values: Sequence[tuple[float | None, float | None]]) -> tuple[Pair, ...]:
    """Pairs of control and treated values, one for each seed."""
    return tuple(
        Pair(arm(control, seed), arm(treated, seed, change)) for seed, (control, treated) in enumerate(values)
    )


def trial(
    change: str,
    values: Sequence[tuple[float | None, float | None]],
    outcome: Outcome,
    *,
    effect: float | None = None,
    interval: tuple[float, float] | None = None,
    title: str = "",
    cause: str = "lr-too-high",
    measure: Measure = Measure.LOSS,
    says: str = "",
) -> Trial:
    """A trial of one change."""
    made = pairs(change, values)
    measured = effect_of(made, measure)
    return Trial(
        (parse_change(change),),
        cause,
        title,
        measure,
        made,
        effect,
        interval,
        outcome,
        says,
        gain=measured.gain,
        gain_interval=measured.gain_interval,
    )


LOWER = trial(
    "optimizer.lr x 0.01",
    [(2.31, 0.23), (2.29, 0.26), (2.33, 0.23)],
    Outcome.HELPED,
    effect=-2.07,
    interval=(-2.21, -1.93),
    title="Divide the learning rate by 100",
    says="better in 3 of 3 seeds",
)
CLIP = trial(
    "gradients.clip 1.0",
    [(2.31, 2.28)],
    Outcome.NO_DIFFERENCE,
    effect=-0.03,
    title="Clip the gradients",
    cause="exploding-gradients",
    says="better in 1 of 1 seed",
)
WARMUP = trial(
    "schedule.warmup 100",
    [(2.31, 2.9), (2.29, 2.7), (2.33, 2.88)],
    Outcome.WORSE,
    effect=0.517,
    interval=(0.31, 0.72),
    title="Add a learning rate warm-up",
    cause="missing-warmup",
    says="worse in 3 of 3 seeds",
)
HOPEFUL = trial(
    "activation.replace relu leaky_relu",
    [(2.31, 1.9)],
    Outcome.INCONCLUSIVE,
    effect=-0.41,
    title="Use leaky ReLUs",
    cause="dead-relu",
    says="better in one run, not proven",
)
REFUSED = Trial(
    (ChangeSpec("loss.remove_softmax"),),
    "wrong-output-activation",
    "Remove the softmax from the model",
    Measure.LOSS,
    (Pair(arm(2.31), arm(None, 0, "loss.remove_softmax", refused="the model has no softmax")),),
    None,
    None,
    Outcome.INCONCLUSIVE,
    "not applicable: the model has no softmax",
)
SAVED = trial(
    "loss.stabilize",
    [(math.inf, 0.4), (math.inf, 0.38)],
    Outcome.HELPED,
    title="Compute the loss from logits",
    cause="unstable-loss-function",
    says="better in 2 of 2 seeds; NaN or infinity in 2 of 2 control runs and 0 of 2 treated runs",
)
FASTER = trial(
    "loader.num_workers 4",
    [(21.0, 64.0), (20.5, 66.0)],
    Outcome.HELPED,
    effect=44.25,
    interval=(28.4, 60.1),
    title="Load data in several processes",
    cause="data-loading-bottleneck",
    measure=Measure.SPEED,
    says="better in 2 of 2 seeds",
)
STALLED = Trial(
    (parse_change("optimizer.use adam"),),
    "optimizer-unsuited",
    "Use Adam",
    Measure.LOSS,
    (
        Pair(arm(2.31), arm(2.0, 0, "optimizer.use adam")),
        Pair(arm(2.29, 1), arm(None, 1, "optimizer.use adam", problem="stalled after 12 steps")),
    ),
    -0.31,
    None,
    Outcome.INCONCLUSIVE,
    "better in one run, not proven",
)
UNTRIED = Candidate(
    (parse_change("optimizer.momentum 0.5"),),
    "momentum-too-high",
    "Lower the momentum",
    Measure.LOSS,
    0.02,
    "helped in 0 of 2 past trials of this project",
)


def won() -> Treatment:
    """A clear win beside every other outcome."""
    return Treatment(
        (LOWER, CLIP, WARMUP, HOPEFUL, REFUSED, STALLED),
        LOWER,
        PATCH,
        "train.py:31 lr=3.0 -> lr=0.03",
        True,
        (UNTRIED,),
        ("each trial run took 200 of 1,240 steps",),
    )


def lost() -> Treatment:
    """Nothing proven."""
    return Treatment((CLIP, WARMUP), None, untried=(UNTRIED,))


def mixed() -> Treatment:
    """Arms compared by two measures, one of them broken without the change."""
    return Treatment((SAVED, FASTER), SAVED, PATCH, patch_verified=None)


def hostile() -> Treatment:
    """Names that try to become markup, escapes and columns of their own."""
    change = ChangeSpec(HOSTILE, (HOSTILE,))
    odd = Arm(0, (change,), HOSTILE, None, problem=HOSTILE, refused="")
    bad = Trial(
        (change,),
        HOSTILE,
        HOSTILE,
        Measure.LOSS,
        (Pair(arm(1.0), odd),),
        None,
        None,
        Outcome.INCONCLUSIVE,
        f"{HOSTILE} as well",
    )
    good = Trial(
        (change,), HOSTILE, HOSTILE, Measure.LOSS, LOWER.pairs, -2.0, (-2.1, -1.9), Outcome.HELPED, HOSTILE
    )
    planned = Candidate((change,), HOSTILE, HOSTILE, Measure.LOSS, 0.1, HOSTILE)
    return Treatment((bad, good), good, f"{PATCH}+```{HOSTILE}\n", HOSTILE, False, (planned,), (HOSTILE,))
