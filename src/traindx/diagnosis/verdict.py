"""The short answer, and the sentence that says it."""

from collections.abc import Iterable, Mapping, Sequence

from traindx.diagnosis.types import SignResult, Suspect, Verdict
from traindx.finding import CannotTell, Finding, Severity, Sign
from traindx.format import capitalized, uncapitalized
from traindx.objective import LOSSES_AND_METRICS, Area, Objective, Problem
from traindx.signs.evaluations import validation_only_at_start
from traindx.signs.generalization_gap import tokens_memorized
from traindx.signs.loop import too_short
from traindx.signs.loss import loss_falls
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.validation import validation_improves

_SURE = 0.5
"""More belief than doubt."""
_TIED = 0.4
"""With this much belief in one side neither word would be right often enough: not sick, and not healthy."""

_DOUBTED = 0.1
"""With a fact of the program beside it, this much belief in a cause keeps a run from being called healthy."""

_RULED_OUT = 0.05
"""Belief in health that leaves no doubt of a cause of which the evidence means what it means elsewhere."""

_WARNED = 0.5
"""What a warning counts of a serious sign."""

_CLEAR, _CLOSE = 0.3, 0.05
"""A cause below this confidence, or with a rival this close, is not the headline."""


def verdict_of(
    healthy: float, suspects: tuple[Suspect, ...], asked: tuple[SignResult, ...], objective: Objective
) -> Verdict:
    """Sick or healthy where the belief says so and the run is long enough to say it, else inconclusive.

    A kind of training that the checks do not cover is sick if something critical is wrong, and never healthy.
    """
    yes = {result.sign.slug for result in asked if result.finding}
    # What needs no length: a failure that is clear, not the single overflow with which loss scaling begins.
    critical = any(
        result.sign.severity is Severity.CRITICAL and result.finding and result.finding.strength >= _SURE
        for result in asked
    )
    is_clear = is_told(asked, objective) or _is_settled(healthy, suspects, objective)
    # Overfitting is seen in few evaluations, and in the few records of many passes.
    short = too_short.slug in yes and not _is_clear(asked, Problem.OVERFITS)
    if is_clear and healthy < _SURE and (critical or not short):
        return Verdict.SICK
    judged = _answered(loss_falls, asked) and objective.is_checked
    # A few epochs are enough where both curves go down: that is what health looks like.
    learns = judged and {loss_falls.slug, validation_improves.slug} <= yes and healthy >= _SURE
    if ((short and not learns) or not judged) and not (critical and healthy < _SURE):
        return Verdict.INCONCLUSIVE
    # A problem that would tell by itself and is not clear makes doubt, whatever is suspected beside it.
    doubtful = not is_clear and problem_of(asked) in objective.telling
    clear = critical or _is_clear(asked, Problem.OVERFITS)
    # Nothing is clearly wrong, and no cause is as likely as none at all: that accuses nobody.
    is_wrong = critical or _is_clear(asked, *_meant(objective))
    likelier = not is_wrong and bool(suspects) and healthy > max(suspects[0].confidence, _CLEAR)
    if healthy < (_SURE if clear else _TIED) and (suspects or is_wrong) and not doubtful and not likelier:
        return Verdict.SICK
    learned = loss_falls.slug in yes or validation_improves.slug in yes
    # What was evaluated once, before training, or is learned by heart to a part, may be learned or not.
    learned &= yes.isdisjoint((validation_only_at_start.slug, tokens_memorized.slug))
    is_healthy = healthy >= 1 - _TIED and learned and not is_wrong and not _is_disputed(suspects, asked)
    return Verdict.HEALTHY if is_healthy else Verdict.INCONCLUSIVE


def _meant(objective: Objective) -> Iterable[Problem]:
    """The problems whose evidence means here what it means elsewhere."""
    of_fit = (Problem.OVERFITS, Problem.VALIDATION_OFF) if Area.FIT in objective.off else ()
    return (problem for problem in Problem if problem not in of_fit)


def _is_settled(healthy: float, suspects: tuple[Suspect, ...], objective: Objective) -> bool:
    """Whether a kind that is not judged has a cause that is sure, such as a learning rate far too low."""
    is_sure = healthy < _RULED_OUT and bool(suspects) and suspects[0].confidence > _SURE
    return not objective.is_checked and is_sure


def is_told(asked: Iterable[SignResult], objective: Objective) -> bool:
    """Whether something is clearly wrong that needs no cause to be sure of."""
    return _is_clear(asked, *objective.telling)


def _is_clear(asked: Iterable[SignResult], *problems: Problem) -> bool:
    return any(
        result.sign.problem in problems
        and result.sign.severity.rank >= Severity.SERIOUS.rank
        and result.finding
        and result.finding.strength >= _SURE
        for result in asked
    )


def problem_of(asked: Iterable[SignResult]) -> Problem | None:
    """The worst problem that is clear, of equally bad ones what people see first; else the clearest."""
    shown = [
        (result.sign.severity.rank, result.finding.strength, result.sign.problem)
        for result in asked
        if result.finding and result.sign.problem
    ]
    clear = [(severity, -problem.rank, problem) for severity, strength, problem in shown if strength >= _SURE]
    if clear:
        return max(clear, key=lambda entry: entry[:2])[2]
    return max(shown, key=lambda entry: entry[1])[2] if shown else None


def shown_problems(asked: Iterable[SignResult]) -> dict[Problem, float]:
    """How strongly each problem is shown, at most: a warning counts half."""
    shown: dict[Problem, float] = {}
    for result in asked:
        if result.finding and result.sign.problem:
            weight = 1.0 if result.sign.severity.rank >= Severity.SERIOUS.rank else _WARNED
            shown[result.sign.problem] = max(
                shown.get(result.sign.problem, 0.0), weight * result.finding.strength
            )
    return shown


def leads(suspects: Sequence[Suspect], asked: Iterable[SignResult]) -> bool:
    """Whether the first suspect is likely enough to be the headline.

    It is not while a fact of the program supports a rival that is itself that likely, and none supports it.
    """
    if not suspects:
        return False
    first, *others = suspects
    if first.confidence < _CLEAR or (others and first.confidence - others[0].confidence < _CLOSE):
        return False
    stated = _stated(suspects, asked)
    return first in stated or all(suspect.confidence < _CLEAR for suspect in stated)


def _stated(suspects: Iterable[Suspect], asked: Iterable[SignResult]) -> tuple[Suspect, ...]:
    """The suspects that a fact of the program supports."""
    certain = {result.sign for result in asked if result.is_certain}
    return tuple(
        suspect
        for suspect in suspects
        if any(reason.sign in certain for reason in suspect.reasons if reason.points > 0)
    )


def _is_disputed(suspects: tuple[Suspect, ...], asked: tuple[SignResult, ...]) -> bool:
    """Whether a fact of the program supports a cause that is not out of the question."""
    return any(suspect.confidence >= _DOUBTED for suspect in _stated(suspects, asked))


def sentence(
    verdict: Verdict, suspects: tuple[Suspect, ...], asked: tuple[SignResult, ...], objective: Objective
) -> str:
    """What was seen that makes the verdict, in one sentence with numbers; reports name the cause above it."""
    yes = {result.sign.slug: result.finding for result in asked if result.finding}
    if verdict is Verdict.SICK:
        return capitalized((_strongest(suspects[0], yes) if suspects else "") or _worst(asked))
    if verdict is Verdict.HEALTHY:
        findings = [yes[sign.slug] for sign in (loss_falls, validation_improves) if sign.slug in yes]
        curves = {finding.evidence[0].quantity: finding.says for finding in reversed(findings)}
        return capitalized("; ".join(reversed(curves.values())))
    if problem_of(asked) in objective.telling:
        return f"Possible problem: {_worst(asked)}"
    if not objective.is_checked:
        return f"{capitalized(objective.title)}: not judged"
    if too_short.slug in yes:
        return f"Too short to judge: {yes[too_short.slug].says}"
    if not _answered(loss_falls, asked):
        if objective.yardsticks != LOSSES_AND_METRICS:
            return (
                f"Not enough data: {objective.title} is judged by {objective.judged_by}, which was not logged"
            )
        return "Not enough data: no loss or metric shows whether the run learns"
    if validation_only_at_start.slug in yes:
        return f"Not enough data: {yes[validation_only_at_start.slug].says}"
    likely = suspects[:1] if suspects and suspects[0].confidence > _TIED / 2 else _stated(suspects, asked)
    if likely:
        title = likely[0].cause.title
        return f"Not enough evidence: healthy, or {uncapitalized(title)}"
    if any(
        result.finding and result.sign.problem and result.sign.severity.rank >= Severity.SERIOUS.rank
        for result in asked
    ):
        return f"Possible problem: {_worst(asked)}"
    return "Not enough evidence: neither healthy nor any single cause is likely"


def _strongest(first: Suspect, yes: Mapping[str, Finding]) -> str:
    """The finding with most points for the first suspect; empty where that is no harm by itself."""
    strongest = max((r for r in first.reasons if r.seen), key=lambda r: r.points)
    sign = strongest.sign
    harmless = sign is not None and sign.severity is Severity.INFO and sign.problem is None
    says = "" if harmless else strongest.says
    lost = yes.get(loss_not_finite.slug)
    if lost is not None and lost.strength >= 0.5 and lost.says != says:
        # A NaN loss is what everyone sees first, whatever weighs most.
        says = f"{lost.says}; {says}"
    return says


def _worst(asked: Iterable[SignResult]) -> str:
    """What the problem was seen by, if no cause is a suspect: its two clearest findings."""
    results = tuple(asked)
    problem = problem_of(results)
    shown = [result.finding for result in results if result.finding and result.sign.problem is problem]
    return "; ".join(finding.says for finding in sorted(shown, key=lambda finding: -finding.strength)[:2])


def _answered(sign: Sign, asked: tuple[SignResult, ...]) -> bool:
    return any(
        result.sign.slug == sign.slug and not isinstance(result.answer, CannotTell) for result in asked
    )
