"""The short answer, and the sentence that says it."""

from traindx.diagnosis import Asked, Suspect, Verdict
from traindx.finding import CannotTell, Severity

_SURE = 0.5
"""More belief than doubt."""


def verdict_of(healthy: float, suspects: tuple[Suspect, ...], asked: tuple[Asked, ...]) -> Verdict:
    """Sick or healthy where the belief says so and the run is long enough to say it, else inconclusive."""
    yes = {one.sign.slug: one for one in asked if one.finding}
    harm = [one.sign.severity for one in yes.values()]
    critical = Severity.CRITICAL in harm
    judged = any(one.sign.slug == "loss_falls" and not isinstance(one.answer, CannotTell) for one in asked)
    if ("too_short" in yes or not judged) and not critical:
        return Verdict.INCONCLUSIVE
    if healthy < _SURE and suspects:
        return Verdict.SICK
    learned = "loss_falls" in yes or "validation_improves" in yes
    return Verdict.HEALTHY if healthy >= _SURE and learned else Verdict.INCONCLUSIVE


def sentence(verdict: Verdict, suspects: tuple[Suspect, ...], asked: tuple[Asked, ...]) -> str:
    """The verdict in one sentence with numbers."""
    yes = {one.sign.slug: one.finding for one in asked if one.finding}
    if verdict is Verdict.SICK:
        return _accusation(suspects)
    if verdict is Verdict.HEALTHY:
        telling = [yes[slug].says for slug in ("loss_falls", "validation_improves") if slug in yes]
        return "; ".join(telling)
    if "too_short" in yes:
        return f"Too short to tell: {yes['too_short'].says}"
    if not any(one.sign.slug == "loss_falls" and not isinstance(one.answer, CannotTell) for one in asked):
        return "Nothing that tells whether it learns was recorded"
    return "The curve speaks neither for health nor for any one cause"


def _accusation(suspects: tuple[Suspect, ...]) -> str:
    """The first suspect by name where it has most of the belief, else the finding and the rivals."""
    first, *others = suspects
    says = max((r for r in first.reasons if r.seen), key=lambda r: r.points).says
    if first.confidence > _SURE or not others:
        return f"{first.cause.title}: {says}"
    rivals = [_inside(one.cause.title) for one in (first, others[0])]
    return (
        f"{says[:1].upper()}{says[1:]}; the log alone does not tell whether it is {rivals[0]} or {rivals[1]}"
    )


def _inside(title: str) -> str:
    """A title as it stands inside a sentence; NaN stays NaN."""
    return title if title[1:2].isupper() or "NaN" in title[:3] else f"{title[:1].lower()}{title[1:]}"
