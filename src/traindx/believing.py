"""From answers to belief: points add up to scores, and a softmax shares the belief out.

The score of a cause is its prior plus the points of its clues, and health has a score of its own. All points
are multiplied with one factor, the sureness, fitted so that of what is said with 80 % confidence four of five
are true; so the lines that a reader sees still add up to what is compared.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from traindx.cause import Cause
from traindx.diagnosis import Reason
from traindx.explaining import with_roots
from traindx.fitted import HEALTH, clues_of, prior_of
from traindx.health import HEALTHY_CLUES, HEALTHY_PRIOR
from traindx.scoring import Answers, belief, can_be_judged, reasons, total


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
    healthy = _scaled(
        reasons(prior_of(HEALTH, HEALTHY_PRIOR), clues_of(HEALTH, HEALTHY_CLUES), answers), sureness
    )
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
