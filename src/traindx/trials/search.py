"""Which changes are tried, in which order, how often, and when it is enough.

One pair of arms screens a change, three prove it. What is promising gets its other seeds before the next
change is screened, if it looks better than what is proven.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from traindx.changes.types import ChangeSpec, change_of, label_of, parse_changes
from traindx.diagnosis.types import Suspect
from traindx.format import count
from traindx.trials.effect import (
    effect_of,
    gain,
    gain_of,
    is_promising,
    is_proven,
    is_refused,
    is_whole_repair,
    rank,
    standing,
    wins_clearly,
)
from traindx.trials.engine import TIME_OVER, Engine
from traindx.trials.plan import next_dose
from traindx.trials.types import Candidate, Outcome, Pair, Treatment, Trial

SEEDS = (0, 1, 2)
_MORE_SEEDS = 2
"""Seeds that are added where all agree and the interval is still open."""
_NEXT = 3
"""How often a trial is followed by one that it suggests itself."""
_CLOSE = 0.5
"""A change worth so much of the first one is its rival."""
_BETTER = 0.05
"""What a change has to look better by than a proven one to be proven as well."""
_ALIKE = 0.005
"""Gains that differ by less are alike, as all are of a program that broke."""
_OWN_FIX, _OTHERWISE = 4.0, 0.4
"""How much likelier a cause becomes when a fix of its own helps, and when none does."""


def searched(
    engine: Engine, plan: Sequence[Candidate], seeds: Sequence[int] = SEEDS, *, only: bool = False
) -> Treatment:
    """Try changes one at a time, the most promising first, until one clearly wins or the budget is spent.

    With `only` nothing is tried that is not planned: no other dose, and no two of them together.
    """
    search = _Search(engine, seeds, list(plan), 0 if only else _NEXT)
    search.tell_rivals_apart()
    search.go_on()
    if not only:
        search.combine()
    best = search.best
    return Treatment(
        tuple(search.trials.values()),
        best,
        untried=tuple(search.waiting),
        notes=tuple(search.notes),
        why_untried=search.why_untried if search.waiting or search.is_cut_short else "",
    )


@dataclass
class _Search:
    """What is left to try, and what was tried."""

    engine: Engine
    seeds: Sequence[int]
    waiting: list[Candidate]
    may_suggest: int
    """How many changes trials may still add to the plan."""
    trials: dict[object, Trial] = field(default_factory=dict)
    """By their changes, in the order they were begun in."""
    plans: dict[object, Candidate] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    suggested_by: dict[object, Trial] = field(default_factory=dict)
    """The trials that suggested others, by the changes of these."""

    @property
    def best(self) -> Trial | None:
        """The best that is proven."""
        tried = self.trials.values()
        return min((trial for trial in tried if is_proven(trial, tried)), key=rank, default=None)

    @property
    def is_over(self) -> bool:
        return self.best is not None and wins_clearly(self.best)

    @property
    def is_cut_short(self) -> bool:
        """Whether time or arms were over before something promising was proven or refuted."""
        tried = [trial for trial in self.trials.values() if not is_refused(trial)]
        is_open = any(
            len(trial.counted) < len(self.seeds) and (is_promising(trial) or not trial.counted)
            for trial in tried
        )
        return self.best is None and not self.engine.budget.left and is_open

    @property
    def why_untried(self) -> str:
        if self.best is not None and self.is_over:
            is_first = self.best is next(iter(self.trials.values()))
            return f"{'the first one' if is_first else label_of(self.best.changes)} was enough"
        spent = self.engine.budget
        if spent.over:
            return spent.over
        return TIME_OVER if spent.seconds_left <= 0 else f"limit of {count(spent.arms, 'trial')} reached"

    def tell_rivals_apart(self) -> None:
        """Begin with the first fixes of the two likeliest causes, where the second is nearly as likely."""
        rival = next(
            (
                candidate
                for candidate in self.waiting[1:]
                if candidate.cause and candidate.cause != self.waiting[0].cause
            ),
            None,
        )
        if rival is None or rival.worth < _CLOSE * self.waiting[0].worth or self.engine.budget.left <= 2:
            return
        both = [self.waiting[0], rival]
        self.waiting = [candidate for candidate in self.waiting if candidate not in both]
        self._screen(both)
        if not all(self.trials[candidate.changes].counted for candidate in both):
            return
        figures = [
            f"{label_of(trial.changes)} gains {100 * gain_of(trial):.0f}%"
            for trial in (self.trials[candidate.changes] for candidate in both)
        ]
        causes = " and ".join(candidate.cause for candidate in both)
        self.notes.append(
            f"{causes} were about equally likely: one fix of each was tried first ({', '.join(figures)})"
        )

    def go_on(self) -> None:
        """Screen and prove until something wins clearly, or nothing is left to try or to spend."""
        self._prove()
        while self.waiting and self._may_screen() and not self.is_over:
            # A cluster may have room for more arms than are left.
            at_once = min(self.engine.at_once(self.waiting[0].measure), self.engine.budget.left)
            batch, self.waiting = self.waiting[:at_once], self.waiting[at_once:]
            self._screen(batch)
            self._prove()

    def combine(self) -> None:
        """The best two at once, where they touch different things and neither won clearly."""
        best = self.best
        if best is None or self.is_over or not self.engine.budget.left:
            return
        others = [
            trial
            for trial in self.trials.values()
            if is_promising(trial) and trial.measure is best.measure and not _parts(trial) & _parts(best)
        ]
        other = min(others, key=rank, default=None)
        if other is None:
            return
        title = f"{best.title} + {other.title}"
        changes, sure = (*best.changes, *other.changes), best.confidence
        both = Candidate(changes, best.cause, title, best.measure, worth=1.0, confidence=sure)
        self._screen([both])
        self._prove()

    def _may_screen(self) -> bool:
        """Whether arms are left, beside those that it takes to prove what looks best."""
        to_prove = any(
            len(trial.pairs) < len(self.seeds) and is_promising(trial) for trial in self.trials.values()
        )
        return self.engine.budget.left > (2 * (len(self.seeds) - 1) if to_prove else 0)

    def _screen(self, batch: Sequence[Candidate]) -> None:
        """One pair of arms for each, those of several at once."""
        self.engine.prepare(batch, self.seeds[:1])
        for candidate in batch:
            self._take(candidate, self.engine.pairs(candidate, self.seeds[:1]))

    def _prove(self) -> None:
        """Run the best of what was screened with all seeds, while it looks better than what is proven."""
        while self.engine.budget.left and not self.is_over:
            open_ones = [
                trial
                for trial in self.trials.values()
                if len(trial.pairs) < len(self.seeds) and is_promising(trial) and self._may_beat_proven(trial)
            ]
            best = min(open_ones, key=rank, default=None)
            if best is None:
                return
            self._take(*self._with_other_seeds(self.plans[best.changes]))

    def _may_beat_proven(self, trial: Trial) -> bool:
        """Whether a proof of a change could make it the best."""
        best = self.best
        if best is None or standing(trial) < standing(best):
            return True
        return standing(trial) == standing(best) and _is_better(trial, best)

    def _with_other_seeds(self, candidate: Candidate) -> tuple[Candidate, list[Pair]]:
        pairs = self.engine.pairs(candidate, self.seeds)
        if _is_open(_trial(candidate, pairs)) and self.engine.budget.left:
            more = range(max(self.seeds) + 1, max(self.seeds) + 1 + _MORE_SEEDS)
            pairs = self.engine.pairs(candidate, [*self.seeds, *more])
        return candidate, pairs

    def _take(self, candidate: Candidate, pairs: Sequence[Pair]) -> None:
        """Keep what came of a change, and what it suggests to try next."""
        trial = _trial(candidate, pairs)
        if is_promising(trial):
            trial = replace(trial, healthy_after=self.engine.health(candidate.changes, self.seeds[0]))
        self.trials[candidate.changes], self.plans[candidate.changes] = trial, candidate
        is_to_be_proven = len(pairs) < len(self.seeds)
        if is_whole_repair(trial) and (is_to_be_proven or trial.outcome is Outcome.HELPED):
            return
        if not self.may_suggest:
            return
        next_one = next_dose(candidate, trial, self.suggested_by.get(candidate.changes))
        if next_one is None or next_one.changes in self.trials:
            return
        planned = [other for other in self.waiting if other.changes == next_one.changes]
        if not planned:
            self.may_suggest -= 1
        self.suggested_by[next_one.changes] = trial
        self.waiting = [next_one, *(other for other in self.waiting if other not in planned)]


def _trial(candidate: Candidate, pairs: Sequence[Pair]) -> Trial:
    effect = effect_of(pairs, candidate.measure)
    refused = next((pair.treated.refused for pair in pairs if pair.treated.refused), "")
    return Trial(
        changes=candidate.changes,
        cause=candidate.cause,
        title=candidate.title,
        measure=candidate.measure,
        pairs=tuple(pairs),
        effect=effect.mean,
        interval=effect.interval,
        outcome=Outcome.INCONCLUSIVE if refused else effect.outcome,
        says=f"not applicable: {refused}" if refused else effect.says,
        gain=effect.gain,
        gain_interval=effect.gain_interval,
        confidence=candidate.confidence,
        is_written=candidate.is_written,
    )


def _is_open(trial: Trial) -> bool:
    """Whether every seed is better and they differ too much among themselves for a proof."""
    each = [gain([pair], trial.measure) for pair in trial.counted]
    return trial.outcome is Outcome.INCONCLUSIVE and len(each) > 1 and min(each) > 0


def _is_better(trial: Trial, best: Trial) -> bool:
    """Whether a change looks clearly better than another: by its gain, by its end where gains are alike."""
    if gain_of(trial) > gain_of(best) + _BETTER:
        return True
    is_alike = math.isclose(gain_of(trial), gain_of(best), abs_tol=_ALIKE)
    ends, best_end = trial.treated, best.treated
    if not is_alike or trial.measure is not best.measure or ends is None or best_end is None:
        return False
    larger = max(abs(ends), abs(best_end))
    return (best_end - ends) * (-1 if trial.measure.is_better_higher else 1) > _BETTER * larger


def _parts(trial: Trial) -> set[str]:
    """What changes touch: two schedules are not independent."""
    return {change_of(spec).touches for spec in trial.changes}


def updated(suspects: Sequence[Suspect], trials: Sequence[Trial]) -> list[tuple[str, float]]:
    """What the causes are worth after the trials: a cause that a fix of its own helps gains, others lose.

    A change is the own fix of every cause that prescribes it, in whatever dose and beside whatever else.
    """
    tried = [pair for pair in trials if not is_refused(pair)]
    weights = {pair.cause.slug: pair.confidence for pair in suspects}
    for suspect in suspects:
        slug, own = suspect.cause.slug, _own_fixes(suspect)
        meant = {pair.outcome for pair in tried if pair.cause == slug}
        shared = {pair.outcome for pair in tried if own & {_kind(spec) for spec in pair.changes}}
        if Outcome.HELPED in meant | shared:
            weights[slug] *= _OWN_FIX
        elif meant & {Outcome.NO_DIFFERENCE, Outcome.WORSE}:
            weights[slug] *= _OTHERWISE
    whole = sum(weights.values()) + max(0.0, 1 - sum(pair.confidence for pair in suspects))
    return sorted(((slug, weight / whole) for slug, weight in weights.items()), key=lambda pair: -pair[1])


def _own_fixes(suspect: Suspect) -> set[tuple[str, ...]]:
    return {_kind(spec) for fix in suspect.cause.fixes if fix.change for spec in parse_changes(fix.change)}


def _kind(spec: ChangeSpec) -> tuple[str, ...]:
    """A change without its dose: a larger and a smaller factor are two."""
    if spec.is_factor:
        return spec.name, "more" if spec.number > 1 else "less"
    return spec.name, *(word for word in spec.words if word.isalpha())
