"""Which changes are tried, in which order, how often, and when it is enough."""

from collections.abc import Sequence
from dataclasses import replace

from traindx.change import Change
from traindx.trial import Outcome, Pair, Planned, Treatment, Trial
from traindx.trials.effect import effect_of, gain
from traindx.trials.engine import Engine

SEEDS = (0, 1, 2)
_PROMISING = 0.08
"""Better by this share with the first seed: worth the other seeds."""
_CLEAR = 0.5
"""A proven win by this share ends the search."""
_DOSES = 2
"""How often a rate is gone on with that helped, or taken back that was too much."""
_RATE = "optimizer.lr"
_TOGETHER = 0.05
"""Two changes together have to be better by this than the better of them alone."""
_OWN_FIX, _OTHERWISE = 4.0, 0.4
"""How much likelier a cause becomes when the first fix of its own helps, and when it does not."""


def searched(engine: Engine, plan: Sequence[Planned], seeds: Sequence[int] = SEEDS) -> Treatment:
    """Try changes one at a time, the most promising first, until one clearly wins or the budget is spent."""
    waiting, trials = list(plan), list[Trial]()
    doses = 0
    while waiting and engine.budget.left:
        planned = waiting.pop(0)
        trial = _tried(engine, planned, seeds)
        trials.append(trial)
        if _wins_clearly(trial):
            break
        dose = _next_dose(planned, trial) if doses < _DOSES else None
        if dose is not None and not any(one.changes == dose.changes for one in [*waiting, *plan]):
            doses += 1
            waiting.insert(0, dose)
    won = sorted((one for one in trials if one.outcome is Outcome.HELPED), key=lambda one: -_gain(one))
    if len(won) >= 2 and engine.budget.left and not _wins_clearly(won[0]):
        together = _together(engine, won[0], won[1], seeds)
        if together is not None:
            trials.append(together)
            if together.outcome is Outcome.HELPED and _gain(together) > _gain(won[0]) + _TOGETHER:
                won.insert(0, together)
    return Treatment(tuple(trials), won[0] if won else None, untried=tuple(waiting))


def _tried(engine: Engine, planned: Planned, seeds: Sequence[int]) -> Trial:
    """One seed first; the others where it promises something."""
    pairs = engine.pairs(planned, seeds[:1])
    refused = next((pair.treated.refused for pair in pairs if pair.treated.refused), "")
    if refused:
        says = f"cannot be applied here: {refused}"
        return _trial(planned, pairs, outcome=Outcome.INCONCLUSIVE, says=says)
    if gain(pairs, planned.measure) >= _PROMISING and len(seeds) > 1 and engine.budget.left:
        pairs = engine.pairs(planned, seeds)
    return _trial(planned, pairs)


def _trial(planned: Planned, pairs: Sequence[Pair], outcome: Outcome | None = None, says: str = "") -> Trial:
    found = effect_of(pairs, planned.measure)
    return Trial(
        changes=planned.changes,
        cause=planned.cause,
        title=planned.title,
        measure=planned.measure,
        pairs=tuple(pairs),
        effect=found.mean,
        interval=found.interval,
        outcome=outcome or found.outcome,
        says=says or found.says,
    )


def _gain(trial: Trial) -> float:
    return gain(trial.pairs, trial.measure)


def _wins_clearly(trial: Trial) -> bool:
    return trial.outcome is Outcome.HELPED and _gain(trial) >= _CLEAR


def _next_dose(planned: Planned, trial: Trial) -> Planned | None:
    """More of a rate that helped a little; less of one that was too much."""
    change = planned.changes[0]
    if len(planned.changes) > 1 or change.name != _RATE or not change.is_factor:
        return None
    factor = change.number
    better = _gain(trial)
    if better >= _PROMISING:
        factor *= 10 if factor > 1 else 0.1
    elif better <= -_PROMISING:
        factor = factor**0.5
    else:
        return None
    dose = Change(_RATE, ("x", f"{factor:.2g}"))
    return replace(planned, changes=(dose,), title=f"{planned.title} ({dose})")


def _together(engine: Engine, first: Trial, second: Trial, seeds: Sequence[int]) -> Trial | None:
    """The best two at once, where they touch different things."""
    if first.measure is not second.measure or _part(first) == _part(second):
        return None
    planned = Planned(
        (*first.changes, *second.changes),
        first.cause,
        f"{first.title}, and: {second.title}",
        first.measure,
        worth=1.0,
    )
    return _tried(engine, planned, seeds)


def _part(trial: Trial) -> str:
    """What a change touches: two schedules are not independent."""
    return trial.changes[0].name.partition(".")[0]


def updated(beliefs: Sequence[tuple[str, float]], trials: Sequence[Trial]) -> list[tuple[str, float]]:
    """What the causes are worth after the trials: a cause whose own fix helps gains, others lose."""
    weights = dict(beliefs)
    seen: set[str] = set()
    for trial in trials:
        if (
            trial.cause not in weights
            or trial.cause in seen
            or any(one.treated.refused for one in trial.pairs)
        ):
            continue
        seen.add(trial.cause)
        if trial.outcome is Outcome.HELPED:
            weights[trial.cause] *= _OWN_FIX
        elif trial.outcome in (Outcome.NO_DIFFERENCE, Outcome.WORSE):
            weights[trial.cause] *= _OTHERWISE
    whole = sum(weights.values()) + max(0.0, 1 - sum(share for _, share in beliefs))
    return sorted(((slug, weight / whole) for slug, weight in weights.items()), key=lambda one: -one[1])
