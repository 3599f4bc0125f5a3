"""Adding up what is known: the points of clues, and the shares of belief they give."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from traindx.cause import Cause, Clue
from traindx.diagnosis.health import HEALTHY_CLUES, HEALTHY_PRIOR
from traindx.diagnosis.mechanisms import with_roots
from traindx.diagnosis.types import Reason, total
from traindx.finding import Answer, CannotTell, Finding
from traindx.run import Floats

DECIDING = 0.3
"""A clue worth this part of the weightiest one can decide."""

Answers = Mapping[str, Answer]
"""Every answer by the slug of its sign."""


def reasons(prior: float, clues: Iterable[Clue], answers: Answers) -> tuple[Reason, ...]:
    """The lines whose points add up to a score, the prior first."""
    lines = [(clue, _reason(clue, answers.get(clue.sign.slug, CannotTell.NOT_RECORDED))) for clue in clues]
    weighty = {id(line) for line in _heaviest(lines)}
    kept = [line for _, line in lines if line is not None and id(line) in weighty]
    return (Reason("before anything is known", prior), *kept)


def _reason(clue: Clue, answer: Answer) -> Reason | None:
    """What an answer adds: points for yes scaled by its strength, points for no, nothing otherwise."""
    if isinstance(answer, Finding):
        return Reason(answer.says, clue.seen * answer.strength, clue.sign, True, answer.evidence)
    if isinstance(answer, CannotTell) or clue.unseen == 0:
        return None
    return Reason(f"looked for and not seen: {_lowered(clue.sign.asks)}", clue.unseen, clue.sign)


def _heaviest(lines: list[tuple[Clue, Reason | None]]) -> list[Reason]:
    """All lines without a group, and of each group the one with most points: correlated signs count once."""
    alone = [reason for clue, reason in lines if reason is not None and not clue.group]
    groups: dict[str, Reason] = {}
    for clue, reason in lines:
        if reason is None or not clue.group:
            continue
        rival = groups.get(clue.group)
        if rival is None or abs(reason.points) > abs(rival.points):
            groups[clue.group] = reason
    return [*alone, *groups.values()]


def _lowered(sentence: str) -> str:
    return (sentence[:1].lower() + sentence[1:]).rstrip(".")


def can_be_judged(cause: Cause, answers: Answers) -> bool:
    """Whether any of the clues that could decide on a cause was answered, by yes or by no."""
    most = max(clue.seen for clue in cause.clues)
    deciding = [clue for clue in cause.clues if clue.seen >= DECIDING * most]
    return any(
        not isinstance(answers.get(one.sign.slug, CannotTell.NOT_RECORDED), CannotTell) for one in deciding
    )


def belief(scores: Floats) -> Floats:
    """Shares that add up to one: a softmax of the scores."""
    raised = np.exp(scores - scores.max())
    return np.asarray(raised / raised.sum())


@dataclass(frozen=True)
class Belief:
    """What is believed after every question was asked."""

    healthy: float
    """The share of health."""
    healthy_reasons: tuple[Reason, ...]
    shares: Mapping[Cause, float]
    """Together with health they add up to one; 0 for what could not be looked for."""
    reasons: Mapping[Cause, tuple[Reason, ...]]
    """The lines that add up to the score of each cause."""


def believe(answers: Answers, causes: Iterable[Cause], sureness: float = 1.0) -> Belief:
    """What a run's answers make one believe."""
    healthy = _scaled(reasons(HEALTHY_PRIOR, HEALTHY_CLUES, answers), sureness)
    added = with_roots({cause: reasons(cause.prior, cause.clues, answers) for cause in causes})
    lines = {cause: _scaled(found, sureness) for cause, found in added.items()}
    # Of what could not be looked for nothing is believed: it takes no share from what could.
    judged = [cause for cause in lines if can_be_judged(cause, answers)]
    shares = belief(np.array([total(healthy), *(total(lines[cause]) for cause in judged)])).tolist()
    return Belief(
        shares[0],
        healthy,
        dict.fromkeys(lines, 0.0) | dict(zip(judged, shares[1:], strict=True)),
        lines,
    )


def _scaled(lines: tuple[Reason, ...], factor: float) -> tuple[Reason, ...]:
    return lines if factor == 1 else tuple(replace(one, points=factor * one.points) for one in lines)
