"""What people call a quantity, and in which order the findings of a diagnosis are numbered."""

from traindx.diagnosis.types import Diagnosis, Reason, SignResult, Suspect, Verdict
from traindx.quantities import QUANTITIES
from traindx.run import Series


def label(series: Series) -> str:
    """A series in words, with its part and layer."""
    name = series.quantity.called
    part = "" if series.part == series.quantity.family else series.part
    return " ".join(word for word in (name, part, series.layer) if word)


def culprit(diagnosis: Diagnosis) -> Suspect | None:
    """The first suspect of a sick run; a healthy or doubtful one has none."""
    return diagnosis.suspects[0] if diagnosis.verdict is Verdict.SICK and diagnosis.suspects else None


def deciding(diagnosis: Diagnosis) -> tuple[Reason, ...]:
    """The sum behind the verdict: that of the culprit, or of health."""
    top = culprit(diagnosis)
    return top.reasons if top else diagnosis.healthy_reasons


def numbered(diagnosis: Diagnosis) -> tuple[SignResult, ...]:
    """The findings, those that decide first; their places in this order are their numbers on the page."""
    points = {
        reason.sign.slug: reason.points for reason in deciding(diagnosis) if reason.sign and reason.seen
    }

    def weight(asked: SignResult) -> tuple[float, int, float]:
        strength = asked.finding.strength if asked.finding else 0.0
        return -points.get(asked.sign.slug, 0.0), -asked.sign.severity.rank, -strength

    return tuple(sorted(diagnosis.findings, key=weight))


def spoken(slug: str) -> str:
    """A quantity's slug in words."""
    return QUANTITIES[slug].called if slug in QUANTITIES else slug.replace("_", " ")
