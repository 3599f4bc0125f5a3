"""Adding up what is known: the points of clues, the shares of belief they give, and what roots take over.

A run's answers weigh 1. What a person says weighs less: people err, and see what they look for.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from traindx.cause import Cause, Clue, Kind
from traindx.diagnosis.calibration import HEALTH, health_points
from traindx.diagnosis.types import Reason, SignResult, total
from traindx.format import uncapitalized
from traindx.run import Floats

DECIDING = 0.3
"""A clue worth this part of the weightiest one can decide."""
MOST_TOLD = 3.5
"""No single answer of a person is worth more: signs that are never wrong in a recording are in a memory."""
RULED_OUT = 0.3
"""What it counts against a cause that a person rules out what would nearly decide for it, of that."""
NEARLY_DECIDES = 4.5

Answers = Mapping[str, SignResult]
"""Every question by the slug of its sign, with its answer."""

Said = Mapping[str, tuple[Reason, ...]]
"""Lines that come from no sign, by the slug of a cause, or under HEALTH."""


@dataclass(frozen=True, eq=False)
class Scores:
    """What is believed after every question was asked."""

    healthy: tuple[Reason, ...]
    """The lines that add up to the score of health."""
    reasons: Mapping[Cause, tuple[Reason, ...]]
    """The lines that add up to the score of each cause."""
    competing: tuple[Cause, ...]
    """Causes that were looked for; of the others nothing is believed."""

    @cached_property
    def by_slug(self) -> Mapping[str, float]:
        """The scores of health, first, and of the causes that compete."""
        return {
            HEALTH: total(self.healthy),
            **{cause.slug: total(self.reasons[cause]) for cause in self.competing},
        }

    @cached_property
    def shares(self) -> Mapping[str, float]:
        """The belief in health, first, and in the causes that compete; together they make one."""
        shares = softmax(np.array(list(self.by_slug.values())))
        return dict(zip(self.by_slug, shares.tolist(), strict=True))

    @cached_property
    def without_cause(self) -> float:
        """The belief in health if something may be wrong of which no cause is known."""
        return min(self.shares[HEALTH], float(softmax(np.array([self.by_slug[HEALTH], 0.0]))[0]))


def score(
    asked: Iterable[SignResult],
    causes: Iterable[Cause],
    temperature: float = 1.0,
    said: Said | None = None,
    suspected: Collection[str] = (),
) -> Scores:
    """What answers say about health and about every cause; those suspected compete whatever was answered."""
    answers = {result.sign.slug: result for result in asked if not result.cannot_tell}
    stated = said or {}
    lines = with_roots(
        {
            cause: (*reasons(cause.prior, cause.clues, answers), *stated.get(cause.slug, ()))
            for cause in causes
        }
    )
    # Of what could not be looked for nothing is believed: it takes no share from what could.
    competing = [cause for cause in lines if cause.slug in suspected or can_be_judged(cause, answers)]
    healthy = (*reasons(0.0, _health_clues(answers), answers), *stated.get(HEALTH, ()))
    return Scores(
        _divided(healthy, temperature),
        {cause: _divided(explained, temperature) for cause, explained in lines.items()},
        tuple(competing),
    )


def _health_clues(answers: Answers) -> list[Clue]:
    """What signs that were asked say about health: by their severity, or as they declare."""
    clues = [
        Clue(result.sign, health_points(result.sign, result.severity), result.sign.unhealthy)
        for result in answers.values()
    ]
    return [clue for clue in clues if clue.seen or clue.unseen]


def reasons(prior: float, clues: Iterable[Clue], answers: Answers) -> tuple[Reason, ...]:
    """The lines whose points add up to a score, the prior first."""
    asked = [(clue, answers[clue.sign.slug]) for clue in clues if clue.sign.slug in answers]
    lines = [(clue, result, line) for clue, result in asked if (line := _reason(clue, result))]
    shown = {clue.group for clue, _, line in lines if line.seen and line.points > 0} - {""}
    # One of several faults that mean the same is enough: a person who denies another does not deny it.
    counted = [
        (clue, line)
        for clue, result, line in lines
        if line.seen or not result.is_told or clue.group not in shown
    ]
    weighty = {id(line) for line in _heaviest(counted)}
    kept = [line for _, line in counted if id(line) in weighty]
    return (Reason("prior log-odds", prior), *kept)


def _reason(clue: Clue, asked: SignResult) -> Reason | None:
    """What an answer adds: points for yes scaled by its strength, points for no, nothing otherwise."""
    finding = asked.finding
    if finding:
        points = _weighed(clue.seen * finding.strength, asked)
        return Reason(finding.says, points, clue.sign, True, finding.evidence)
    unseen = clue.unseen
    if asked.is_told and clue.seen >= NEARLY_DECIDES:
        # The fit gave many such clues none, because a run that does not show a fault says little by that.
        unseen = min(unseen, -RULED_OUT * clue.seen)
    if unseen == 0:
        return None
    looked = "you rule out" if asked.is_told else "not found"
    asks = uncapitalized(clue.sign.asks).rstrip(".")
    return Reason(f"{looked}: {asks}", _weighed(unseen, asked), clue.sign)


def _weighed(points: float, asked: SignResult) -> float:
    return max(-MOST_TOLD, min(asked.weight * points, MOST_TOLD)) if asked.is_told else points


def _heaviest(lines: Sequence[tuple[Clue, Reason]]) -> list[Reason]:
    """All lines without a group, and of each group the one with most points: correlated signs count once."""
    alone = [reason for clue, reason in lines if not clue.group]
    groups: dict[str, Reason] = {}
    for clue, reason in lines:
        rival = groups.get(clue.group)
        if clue.group and (rival is None or abs(reason.points) > abs(rival.points)):
            groups[clue.group] = reason
    return [*alone, *groups.values()]


def can_be_judged(cause: Cause, answers: Answers) -> bool:
    """Whether any of the clues that could decide on a cause was answered, by yes or by no."""
    most = max(clue.seen for clue in cause.clues)
    deciding = [clue.sign.slug for clue in cause.clues if clue.seen >= DECIDING * most]
    return any(slug in answers and not answers[slug].cannot_tell for slug in deciding)


def softmax(scores: Floats) -> Floats:
    """Shares that add up to one."""
    raised = np.exp(scores - scores.max())
    return np.asarray(raised / raised.sum())


def _divided(lines: tuple[Reason, ...], temperature: float) -> tuple[Reason, ...]:
    if temperature == 1:
        return lines
    return tuple(replace(line, points=line.points / temperature) for line in lines)


# Dead units, vanishing gradients, overfitting are how a training fails. Where something a person chose
# also speaks for itself, the belief in that mechanism goes to its root, as points to be read like any others.
Lines = Mapping[Cause, tuple[Reason, ...]]

MOST = 0.8
"""What a root can take of a mechanism: the true root may be one that nobody thought of."""
HEAD_START = 4.5
"""Points by which a root may lie behind its mechanism and be as likely: it had to be found, too."""
WELL_AHEAD = 5.0
"""Times the weight of its mechanism from which on a root needs no help."""
_CLEAR = 2.0
"""Points of one finding that show a mechanism at work."""
OWN = 1.5
"""Points that must speak for a root apart from what speaks for its mechanism."""
ROUNDING = 1e-9
"""What adding up points in another order may change."""


def with_roots(lines: Lines) -> dict[Cause, tuple[Reason, ...]]:
    """The reasons of all causes, with what roots gain by explaining mechanisms that are seen."""
    scores = {cause: total(reasons) for cause, reasons in lines.items()}
    by_cause = {cause: list(reasons) for cause, reasons in lines.items()}
    for how in [cause for cause, reasons in lines.items() if cause.kind is Kind.HOW and _is_seen(reasons)]:
        roots = [why for why in lines if how.slug in why.acts_through and _speaks(lines[why], lines[how])]
        # Weights relative to the mechanism, so that none can overflow.
        weight = sum(math.exp(min(scores[why] - scores[how], 50.0)) for why in roots)
        # A root that is well ahead needs no help, and its mechanism stays in sight.
        if not roots or weight <= 0 or weight >= WELL_AHEAD:
            continue
        odds = math.exp(HEAD_START) * weight
        share = MOST * odds / (1 + odds)
        gain = math.log1p(share / weight)
        names = ", ".join(why.slug for why in roots)
        by_cause[how].append(Reason(f"it is a consequence of {names}", math.log1p(-share)))
        for why in roots:
            by_cause[why].append(Reason(f"it explains {how.slug}, which is found too", gain))
    return {cause: tuple(reasons) for cause, reasons in by_cause.items()}


def is_seen_how(cause: Cause, reasons: tuple[Reason, ...]) -> bool:
    """Whether a cause is a mechanism that was clearly seen, whatever explains it."""
    return cause.kind is Kind.HOW and any(reason.seen and reason.points >= _CLEAR for reason in reasons)


def _is_seen(reasons: tuple[Reason, ...]) -> bool:
    return any(reason.seen and reason.points >= OWN for reason in reasons)


def _speaks(root: tuple[Reason, ...], mechanism: tuple[Reason, ...]) -> bool:
    """Whether something speaks for a root that does not speak for its mechanism as well."""
    shared = {reason.sign.slug for reason in mechanism if reason.sign and reason.seen}
    own = [
        reason
        for reason in root
        if reason.seen and reason.points > 0 and reason.sign and reason.sign.slug not in shared
    ]
    return sum(reason.points for reason in own) >= OWN - ROUNDING
