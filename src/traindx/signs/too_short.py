"""A run of which nothing can be said yet."""

from typing import Annotated

from traindx.curves.curve import Curve
from traindx.curves.objective import OBJECTIVES, is_reinforcement, objective
from traindx.facts import PLANNED_EPOCHS, PLANNED_STEPS
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.format import count
from traindx.run import Axis, Run


@sign(needs=(OBJECTIVES,))
def too_short(
    run: Run,
    *,
    points: Annotated[int, "fewest points that show a trend; bench/thresholds.md#too-short"] = 8,
    span: Annotated[int, "fewest steps they cover; bench/thresholds.md#too-short"] = 20,
    standing: Annotated[int, "the same where the curve hardly moves; bench/thresholds.md#too-short"] = 50,
    episodes: Annotated[int, "fewest points of a reward; bench/thresholds.md#too-short"] = 20,
    planned: Annotated[float, "share of the plan done; bench/thresholds.md#too-short"] = 0.1,
) -> Answer:
    """The run is too short to tell anything from its curve."""
    loss = objective(run)
    if loss is None or not len(loss):
        return CANNOT_TELL
    where = (float(loss.steps[0]), float(loss.steps[-1]))
    covered = where[1] - where[0]
    least = episodes if is_reinforcement(run) else points
    # Many a network only warms up at first: to have stood still for some ten steps is no illness.
    still = abs(loss.start - loss.end) <= max(0.2 * loss.size, 2 * loss.noise)
    enough = standing if still else span
    brief = loss.axis is Axis.STEP and covered < enough and len(loss) < enough
    if len(loss) < least or brief:
        says = f"the {loss.called} has {count(len(loss), 'finite point')}"
        says += f" over {count(round(covered), 'step')}" if brief else ""
        return Finding(1.0, says, (loss.evidence(where, float(loss.values[-1])),))
    plan = _plan(run, loss)
    # Only where the curve has hardly moved yet: a run that clearly learns may be judged before its end.
    if plan is None or where[1] > planned * plan or loss.start - loss.end > 0.2 * loss.size:
        return None
    says = f"it has done {where[1] / plan:.1%} of the {plan:,.0f} {loss.axis.value}s it was meant to take"
    return Finding(1.0, says, (loss.evidence(where, float(loss.values[-1])),))


def _plan(run: Run, loss: Curve) -> float | None:
    """How many steps or epochs the run was meant to take, counted as its loss is."""
    fact = {Axis.STEP: PLANNED_STEPS, Axis.EPOCH: PLANNED_EPOCHS}.get(loss.axis)
    plan = run.facts.get(fact) if fact else None
    return float(plan) if isinstance(plan, int | float) and not isinstance(plan, bool) and plan > 0 else None
