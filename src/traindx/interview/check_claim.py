"""Checking a claim against the evidence: politely and firmly, with what would change the answer."""

from traindx.cause import Cause
from traindx.diagnosis import knowledge
from traindx.diagnosis.types import Reason
from traindx.format import percent
from traindx.interview.answers import answered_signs
from traindx.interview.types import CheckedClaim, Claim, Hypothesis, Interview, Ranking, Stand

_HOLDS, _FAILS = 0.35, 0.2
"""Belief from which on a claim may hold, and below which it may fail."""
_AHEAD = 2.0
"""Times the belief in its rivals that a claim needs to hold, and the other way round to fail."""
_CLEAR = 0.25
"""Belief from which on another cause is worth naming in its place."""
_RULED_OUT = 0.02
"""Belief below which a cause is not named as what it usually is."""
_SHOWN = 3


def check(claim: Claim, interview: Interview, ranking: Ranking) -> CheckedClaim:
    """What the evidence says to a claim."""
    right = [
        hypothesis
        for hypothesis in ranking.hypotheses
        if hypothesis.cause.slug in {cause.slug for cause in claim.right_if}
    ]
    share = sum(hypothesis.confidence for hypothesis in right) + (
        ranking.healthy if claim.or_healthy else 0.0
    )
    stand = _stand(claim, interview, ranking, right, share)
    usually = _usually(claim, interview, ranking)
    return CheckedClaim(
        claim,
        stand,
        share,
        _sentence(claim, stand, share, ranking, interview),
        _because(stand, right, ranking),
        usually,
        _changes(claim, interview),
    )


def _stand(
    claim: Claim, interview: Interview, ranking: Ranking, right: list[Hypothesis], share: float
) -> Stand:
    if claim.is_pressure:
        return Stand.BESIDE
    if not interview.is_told:
        return Stand.OPEN
    others = [hypothesis.confidence for hypothesis in ranking.hypotheses if hypothesis not in right]
    rival = max(others + ([] if claim.or_healthy else [ranking.healthy]), default=0.0)
    if share >= max(_HOLDS, _AHEAD * rival):
        return Stand.HOLDS
    against = sum(line.points for line in _lines(right[:1], -1))
    if share < _FAILS and (rival >= max(_CLEAR, _AHEAD * share) or against <= -1):
        return Stand.FAILS
    return Stand.OPEN


def _lines(hypotheses: list[Hypothesis], side: int) -> list[Reason]:
    """Evidence on one side, without what is assumed; one answer that speaks through several signs once."""
    lines = [
        reason for hypothesis in hypotheses for reason in hypothesis.reasons if reason.sign or reason.seen
    ]
    ranked = sorted((line for line in lines if line.points * side > 0), key=lambda reason: abs(reason.points))
    return list({reason.says: reason for reason in ranked}.values())[::-1]


def _sentence(claim: Claim, stand: Stand, share: float, ranking: Ranking, interview: Interview) -> str:
    if not interview.is_told:
        return f"{claim.reply} There is no evidence for or against it yet."
    belief = percent(share)
    likelier = _likeliest(ranking)
    if stand is Stand.HOLDS:
        return f"Yes, the evidence supports it ({belief}). Prove it with a trial before you rely on it."
    if not claim.right_if and not claim.or_healthy:
        return f"{claim.reply} Check this first: {likelier}."
    if stand is Stand.FAILS:
        return f"No, the evidence does not support it ({belief}). {claim.reply} More likely: {likelier}."
    return f"Possible ({belief}), but not shown by the evidence. {claim.reply}"


def _likeliest(ranking: Ranking) -> str:
    if ranking.healthy > ranking.top.confidence:
        return f"nothing is wrong ({percent(ranking.healthy)})"
    return f"{ranking.top.cause.title} ({percent(ranking.top.confidence)})"


def _because(stand: Stand, right: list[Hypothesis], ranking: Ranking) -> tuple[str, ...]:
    """The weightiest lines: those that carry what holds, else those against it and for the likelier."""
    if stand is Stand.BESIDE or not ranking.hypotheses:
        return ()
    if stand is Stand.HOLDS:
        return tuple(line.says for line in _lines(right[:1], +1))[:_SHOWN]
    against = [f"against it: {line.says}" for line in _lines(right[:1], -1)[:_SHOWN]]
    healthy = ranking.healthy > ranking.top.confidence
    instead = [] if healthy or ranking.top in right else _lines([ranking.top], +1)[: _SHOWN - 1]
    return (*against, *(f"for {ranking.top.cause.slug}: {reason.says}" for reason in instead))


def _usually(claim: Claim, interview: Interview, ranking: Ranking) -> tuple[Cause, ...]:
    """The causes whose misdiagnosis it is, the likeliest now first; without what is ruled out by now."""
    least = _RULED_OUT if interview.is_told else 0.0
    shares = {hypothesis.cause.slug: hypothesis.confidence for hypothesis in ranking.hypotheses}
    mistaken = [
        cause for cause in knowledge.causes() if claim.means in {wrong.says for wrong in cause.misdiagnoses}
    ]
    possible = [cause for cause in mistaken if shares.get(cause.slug, 0.0) >= least]
    return tuple(sorted(possible, key=lambda cause: (-shares.get(cause.slug, 0.0), -cause.prior)))


def _changes(claim: Claim, interview: Interview) -> tuple[str, ...]:
    """The experiment that would show it, and what nobody looked for yet."""
    if not claim.right_if:
        return ()
    cause = knowledge.cause_named(claim.right_if[0].slug)
    answered = answered_signs(interview)
    unseen = max(
        (clue for clue in cause.clues if clue.sign.slug not in answered),
        key=lambda clue: clue.seen,
        default=None,
    )
    changes = [f"{cause.experiment.does.rstrip('.')}: {cause.experiment.if_true}"]
    if unseen is not None and unseen.seen >= 1:
        asks = unseen.sign.asks.rstrip(".")
        changes.append(f"a recording that shows: {asks[:1].lower()}{asks[1:]}")
    return tuple(changes)
