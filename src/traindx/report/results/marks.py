"""Which findings a chart marks: those that count for a cause, or those that harm."""

from collections.abc import Sequence

from traindx.diagnosis.types import Diagnosis, Reason, SignResult
from traindx.finding import Evidence, Severity
from traindx.report.blocks import Mark
from traindx.report.results.evidence import place
from traindx.run import Fact

_TROUBLES = 4
"""As many findings tell of trouble where no cause stands out."""


def strongest(diagnosis: Diagnosis) -> list[str]:
    """What speaks of trouble, the worst first."""
    return [one.finding.says for one in _bad(diagnosis) if one.finding]


def _bad(diagnosis: Diagnosis) -> list[SignResult]:
    bad = [one for one in diagnosis.findings if one.sign.severity is not Severity.INFO and one.finding]
    return sorted(
        bad, key=lambda one: (-one.sign.severity.rank, -(one.finding.strength if one.finding else 0.0))
    )


def marks(reasons: Sequence[Reason]) -> tuple[Mark, ...]:
    """What counts for a cause, as far as it is about steps; each sentence once."""
    found = {
        reason.says: _mark(reason.says, reason.evidence, reason.sign.slug if reason.sign else "")
        for reason in reversed(reasons)
        if _stepwise(reason.evidence)
    }
    return tuple(found[says] for says in dict.fromkeys(reason.says for reason in reasons) if says in found)


def troubles(diagnosis: Diagnosis) -> tuple[Mark, ...]:
    """What harms, the worst first, for a chart without a cause."""
    found = [(one.finding, one.sign) for one in _bad(diagnosis) if one.finding]
    stepwise = [one for one in found if _stepwise(one[0].evidence)]
    return tuple(_mark(finding.says, finding.evidence, sign.slug) for finding, sign in stepwise[:_TROUBLES])


def _mark(says: str, evidence: Sequence[Evidence], row: str) -> Mark:
    shown = _stepwise(evidence)
    return Mark(says, place(shown[0]), shown, row=row)


def _stepwise(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Without the properties of the program, which hold at every step."""
    return tuple(one for one in evidence if not isinstance(one.quantity, Fact))
