"""Which changes are tried, in which order, how often, and when it is enough."""

import math
from collections.abc import Sequence
from dataclasses import replace

from traindx.change import Change
from traindx.trial import Measure, Outcome, Pair, Planned, Treatment, Trial
from traindx.trials.effect import effect_of, gain
from traindx.trials.engine import Engine

SEEDS = (0, 1, 2)
_PROMISING = 0.08
"""Better by this share with the first seed: worth the other seeds."""
_CLEAR, _WHOLE = 0.5, 0.9
"""A proven win by the first share ends the search if the treated run is healthy, by the second anyhow."""
_HEALTHY = 0.5
_MORE_SEEDS = 2
"""Seeds that are added where all agree and the interval is still open."""
_NEXT = 3
"""How often a trial is followed by one that it suggests itself."""
_RATE, _TENFOLD = "optimizer.lr", 10.0
_DOSED = (_RATE, "loader.batch_size", "regularize.weight_decay", "gradients.clip")
"""Changes by a factor, of which more or less may be better."""
_STEADY = Change(_RATE, ("x", "0.3"))
"""What a change is tried with that learns where it does not break: it may need a lower rate."""
_RUINED = -0.9
"""A pair whose treated arm is so much worse broke, although its numbers are finite."""
_ANSWERS = 0.01
"""Right answers that a lower loss may cost, as a share of all: a validation error has no more digits."""
_CLOSE = 0.5
"""A change worth so much of the first one is its rival."""
_TOGETHER = 0.05
"""Two changes together have to be better by this than the better of them alone."""
_OWN_FIX, _OTHERWISE = 4.0, 0.4
"""How much likelier a cause becomes when the first fix of its own helps, and when it does not."""


def searched(engine: Engine, plan: Sequence[Planned], seeds: Sequence[int] = SEEDS) -> Treatment:
    """Try changes one at a time, the most promising first, until one clearly wins or the budget is spent.

    Where two causes are close, one pair of arms for each comes first and tells them apart.
    """
    waiting, trials, notes = _begun(engine, plan, seeds[0])
    suggested = 0
    while waiting and engine.budget.left:
        planned = waiting.pop(0)
        trial = _tried(engine, planned, seeds)
        trials.append(trial)
        if _wins_clearly(trial):
            break
        follows = _following(planned, trial, planned in plan) if suggested < _NEXT else None
        if follows is not None and not any(one.changes == follows.changes for one in [*waiting, *plan]):
            suggested += 1
            waiting.insert(0, follows)
    best = _best(engine, trials, seeds)
    return Treatment(
        tuple(trials),
        best,
        untried=tuple(waiting),
        notes=tuple(notes),
        why_untried=_why_untried(trials, engine) if waiting else "",
    )


def _begun(
    engine: Engine, plan: Sequence[Planned], seed: int
) -> tuple[list[Planned], list[Trial], list[str]]:
    """What is left to try, what was tried, and what is to be said after rivals were told apart."""
    rivals = _rivals(plan)
    if rivals is None or engine.budget.left <= len(rivals):
        return list(plan), [], []
    better, other, says = _told_apart(engine, rivals, seed)
    is_out = _gain(other) < _PROMISING
    left = [one for one in plan if one is not better and not (is_out and one.changes == other.changes)]
    return [better, *left], [other] if is_out else [], [says]


def _best(engine: Engine, trials: list[Trial], seeds: Sequence[int]) -> Trial | None:
    """The best that is proven; two together where none won clearly and both at once are better still."""
    won = sorted((one for one in trials if one.outcome is Outcome.HELPED), key=_rank)
    if len(won) < 2 or not engine.budget.left or _wins_clearly(won[0]):
        return won[0] if won else None
    together = _together(engine, won[0], won[1], seeds)
    if together is None:
        return won[0]
    trials.append(together)
    is_better = together.outcome is Outcome.HELPED and _gain(together) > _gain(won[0]) + _TOGETHER
    return together if is_better else won[0]


def _rivals(plan: Sequence[Planned]) -> tuple[Planned, Planned] | None:
    """The first fixes of the two likeliest causes, where the second is nearly as likely as the first."""
    for other in plan[1:]:
        if other.cause and other.cause != plan[0].cause:
            return (plan[0], other) if other.worth >= _CLOSE * plan[0].worth else None
    return None


def _told_apart(engine: Engine, rivals: tuple[Planned, Planned], seed: int) -> tuple[Planned, Trial, str]:
    """The rival whose own fix does more, what came of the other one, and a sentence on both."""
    trials = {one.cause: _tried(engine, one, [seed]) for one in rivals}
    better, other = sorted(rivals, key=lambda one: -_gain(trials[one.cause]))
    figures = [f"{trials[one.cause].name} gains {100 * _gain(trials[one.cause]):.0f} %" for one in rivals]
    causes = " and ".join(one.cause for one in rivals)
    says = f"{causes} were close: one pair of arms for each came first, where {' and '.join(figures)}"
    return better, trials[other.cause], says


def _why_untried(trials: Sequence[Trial], engine: Engine) -> str:
    if trials and _wins_clearly(trials[-1]):
        return f"no need: {trials[-1].name} won clearly"
    spent = engine.budget
    return "the time was over" if spent.seconds_left <= 0 else f"all {spent.arms} arms were spent"


def _tried(engine: Engine, planned: Planned, seeds: Sequence[int]) -> Trial:
    """One seed first; the others where it promises something."""
    pairs = engine.pairs(planned, seeds[:1])
    refused = next((pair.treated.refused for pair in pairs if pair.treated.refused), "")
    if refused:
        says = f"cannot be applied here: {refused}"
        return _trial(planned, pairs, outcome=Outcome.INCONCLUSIVE, says=says)
    if gain(pairs, planned.measure) < _PROMISING or len(seeds) == 1 or not engine.budget.left:
        return _trial(planned, pairs)
    trial = _trial(planned, engine.pairs(planned, seeds))
    if _is_open(trial) and engine.budget.left:
        more = [*seeds, *range(max(seeds) + 1, max(seeds) + 1 + _MORE_SEEDS)]
        trial = _trial(planned, engine.pairs(planned, more))
    if trial.outcome is Outcome.HELPED:
        return replace(trial, healthy_after=engine.health(planned.changes, seeds[0]))
    return trial


def _is_open(trial: Trial) -> bool:
    """Whether every seed is better and they differ too much among themselves for a proof."""
    each = [gain([pair], trial.measure) for pair in trial.counted]
    return trial.outcome is Outcome.INCONCLUSIVE and len(each) > 1 and min(each) > 0


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
        gain=found.gain,
        gain_interval=found.gain_interval,
    )


def _gain(trial: Trial) -> float:
    return gain(trial.pairs, trial.measure)


def _wins_clearly(trial: Trial) -> bool:
    if trial.outcome is not Outcome.HELPED:
        return False
    if _costs_answers(trial):
        return False
    if (trial.healthy_after or 0.0) >= _HEALTHY:
        return _gain(trial) >= _CLEAR
    # Where the program broke, any number is the largest gain there is, and says little.
    is_whole = all(math.isfinite(pair.control.value or 0.0) for pair in trial.counted)
    return is_whole and _gain(trial) >= _WHOLE


def _costs_answers(trial: Trial) -> bool:
    """Whether a lower loss comes with fewer right answers."""
    return trial.metrics is not None and trial.metrics[0] - trial.metrics[1] > _ANSWERS


def _rank(trial: Trial) -> tuple[bool, float, float]:
    """By gain; by where the treated arms end where gains are alike, as they are where the program broke."""
    ended = trial.treated or 0.0
    return (
        _costs_answers(trial),
        -round(_gain(trial), 2),
        -ended if trial.measure.is_better_higher else ended,
    )


def _following(planned: Planned, trial: Trial, is_first: bool) -> Planned | None:
    """What a trial suggests to try next."""
    return _next_dose(planned, trial, is_first) or _steadied(planned, trial)


def _next_dose(planned: Planned, trial: Trial, is_first: bool) -> Planned | None:
    """More of what helped a little; less of what was too much, once."""
    change = planned.changes[0]
    if len(planned.changes) > 1 or change.name not in _DOSED or not change.is_factor:
        return None
    factor = change.number
    better = _gain(trial)
    if better >= _PROMISING:
        times = _TENFOLD if change.name == _RATE else max(factor, 1 / factor)
        factor *= times if factor > 1 else 1 / times
    elif better <= -_PROMISING and is_first:
        factor = factor**0.5
    else:
        return None
    dose = Change(change.name, ("x", f"{factor:.2g}"))
    return replace(planned, changes=(dose,), title=f"{planned.title} ({dose})")


def _steadied(planned: Planned, trial: Trial) -> Planned | None:
    """The same at a lower rate, where a change breaks with some seed what did not break without it."""
    is_rate = any(one.name == _RATE for one in planned.changes)
    if is_rate or not any(_is_broken_by(pair, trial.measure) for pair in trial.counted):
        return None
    title = f"{planned.title}, at a lower rate"
    return replace(planned, changes=(*planned.changes, _STEADY), title=title)


def _is_broken_by(pair: Pair, measure: Measure) -> bool:
    # Where it stopped with an error, a lower rate does not make the change fit.
    return not pair.treated.problem and gain([pair], measure) <= _RUINED


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
