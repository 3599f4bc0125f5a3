"""What reports show of a run and its diagnosis whatever the format: reasons, places, marks on a chart."""

from collections.abc import Sequence

from traindx.cause import Cause
from traindx.diagnosis.types import INSIDE, Diagnosis, NotRecorded, Reason, SignResult, Suspect, Verdict
from traindx.facts import FACTS
from traindx.finding import CannotTell, Evidence, Severity
from traindx.format import count, percent, printable, step
from traindx.quantities import QUANTITIES
from traindx.report.blocks import Mark, Term
from traindx.run import Fact

_ANSWERS = ("hit", "clear", "not enough data")


def culprit(diagnosis: Diagnosis) -> Suspect | None:
    """The first suspect of a sick run; a healthy or doubtful one has none."""
    return diagnosis.suspects[0] if diagnosis.verdict is Verdict.SICK and diagnosis.suspects else None


def rivals(diagnosis: Diagnosis) -> list[Suspect]:
    """The suspects next to the first of a sick run, without the mechanism that one works through."""
    top = culprit(diagnosis)
    via = top.mechanism.slug if top and top.mechanism else ""
    return [suspect for suspect in diagnosis.suspects if suspect is not top and suspect.cause.slug != via]


def ordered(reasons: Sequence[Reason]) -> list[Reason]:
    """What speaks for it first, the weightiest before others; the prior at the end."""
    return sorted(reasons, key=lambda reason: (reason.sign is None, -reason.points))


def seen_reasons(suspect: Suspect) -> list[Reason]:
    """The findings that count for a suspect, the weightiest first; what two signs say alike is told once."""
    counted = [reason for reason in suspect.reasons if reason.seen and reason.points > 0]
    first: dict[str, Reason] = {}
    for reason in sorted(counted, key=lambda reason: -reason.points):
        first.setdefault(reason.says, reason)
    return list(first.values())


def points(reasons: Sequence[Reason]) -> list[str]:
    """The points of reasons to one decimal, rounded so that what is printed adds up to the printed total."""
    tenths = [10 * reason.points for reason in reasons]
    shown = [round(value) for value in tenths]
    missing = round(sum(tenths)) - sum(shown)
    # The difference goes where rounding moved the number most, so that none is off by a whole tenth.
    order = sorted(range(len(shown)), key=lambda i: (shown[i] - tenths[i]) * (1 if missing > 0 else -1))
    for index in order[: abs(missing)]:
        shown[index] += 1 if missing > 0 else -1
    return [f"{value / 10:+.1f}" for value in shown]


def total(reasons: Sequence[Reason]) -> str:
    """The sum of the points, to one decimal."""
    return f"{round(sum(10 * reason.points for reason in reasons)) / 10:+.1f}"


def since(suspect: Suspect) -> Evidence | None:
    """The earliest evidence for a suspect, counted as its weightiest is."""
    if not suspect.evidence:
        return None
    first = suspect.evidence[0]
    # Facts hold of the whole run: beside a curve that turns at a step they would always be the earliest.
    alike = [
        evidence
        for evidence in suspect.evidence
        if evidence.axis is first.axis and _is_fact(evidence) == _is_fact(first)
    ]
    return min(alike, key=lambda evidence: evidence.steps[0])


def _is_fact(evidence: Evidence) -> bool:
    return isinstance(evidence.quantity, Fact)


def place(evidence: Evidence) -> str:
    """Where evidence stands: "steps 14-1,240", "epoch 3"."""
    if isinstance(evidence.quantity, Fact) and evidence.steps[0] != evidence.steps[1]:
        return evidence.location or "whole run"
    first, last = evidence.steps
    if first == last:
        return f"{evidence.axis.value} {step(first)}"
    return f"{evidence.axis.value}s {step(first)}-{step(last)}"


def whereabouts(suspect: Suspect, line: str = "") -> list[str]:
    """Where a suspect is to be found, as far as known: layer, batch, and a line if it is given."""
    parts = [("layer", suspect.layer), ("batch", "" if suspect.batch is None else f"{suspect.batch:,}")]
    places = [f"{what} {printable(which, 60)}" for what, which in parts if which]
    line = line or suspect.place
    return [*places, printable(line, 80)] if line else places


def where(reason: Reason) -> str:
    """The layer and the place of a reason's first evidence: "layer fc2, steps 14-20"."""
    if not reason.evidence:
        return ""
    first = reason.evidence[0]
    return f"layer {printable(first.layer, 24)}, {place(first)}" if first.layer else place(first)


def answer(asked: SignResult) -> str:
    """Hit, clear or not enough data."""
    if asked.cannot_tell:
        return _ANSWERS[2]
    return _ANSWERS[0] if asked.finding else _ANSWERS[1]


def remark(asked: SignResult) -> str:
    """What stands beside an answer: the finding, or why it cannot be told."""
    if asked.finding:
        return asked.finding.says
    return asked.answer.value if isinstance(asked.answer, CannotTell) else ""


def questions(diagnosis: Diagnosis) -> list[SignResult]:
    """Every question, those answered with yes first and those nobody could answer last."""
    return sorted(diagnosis.asked, key=lambda asked: _ANSWERS.index(answer(asked)))


def tally(diagnosis: Diagnosis) -> str:
    """How many checks ran, and how they ended."""
    answers = [answer(asked) for asked in diagnosis.asked]
    counts = ", ".join(f"{answers.count(kind)} {kind}" for kind in _ANSWERS)
    return f"{count(len(answers), 'check')}: {counts}"


def told_apart(cause: Cause, rival: Suspect) -> Term:
    """What would separate a rival from a cause, not checked yet; else the evidence on the rival."""
    # A page tells what the other cause shows, so read from the rival's page it is what the rival does not.
    for first, other, shows in ((cause, rival.cause, "confirmed if"), (rival.cause, cause, "ruled out if")):
        for named in first.rivals:
            if named.slug == other.slug:
                return Term(shows, _elsewhere(named.told_apart_by))
    return evidence_on(rival)


def _elsewhere(told_apart_by: str) -> str:
    """An observation without what its page says of its own cause: "here" would be read as this run."""
    return told_apart_by.partition("; here ")[0].removesuffix(".")


def evidence_on(suspect: Suspect) -> Term:
    """The strongest evidence against a suspect, else the strongest for it."""
    contrary = against(suspect)
    if contrary:
        return Term("against", contrary)
    support = seen_reasons(suspect)
    return Term("for", support[0].says) if support else Term("evidence", "none of its own")


def against(suspect: Suspect) -> str:
    """The strongest evidence against a suspect; empty if there is none, and the prior is none."""
    contrary = [reason for reason in suspect.reasons if reason.sign and reason.points < 0]
    return min(contrary, key=lambda reason: reason.points).says if contrary else ""


def ruled_out(diagnosis: Diagnosis) -> list[Suspect]:
    """The dropped causes that something in the log speaks against."""
    return [suspect for suspect in diagnosis.ruled_out if against(suspect)]


def not_judged(diagnosis: Diagnosis) -> str:
    """How many causes were dropped without anything that speaks against them; empty if none was."""
    refuted = ruled_out(diagnosis)
    unknown = len(diagnosis.ruled_out) - len(refuted)
    if not unknown:
        return ""
    noun = "more cause" if refuted else "cause"
    return f"{count(unknown, noun)} not checked: not enough data"


def sentence(diagnosis: Diagnosis) -> str:
    """The verdict's sentence, with its period."""
    return diagnosis.says.removesuffix(".") + "."


def missing(diagnosis: Diagnosis) -> list[str]:
    """What was not recorded and which checks need it, in as few sentences as possible."""
    about: dict[str, list[str]] = {}
    for unrecorded in diagnosis.not_recorded:
        about.setdefault(unrecorded.would_tell, []).append(quantity_name(unrecorded))
    return [f"{', '.join(quantities)} (needed to check {what})" for what, quantities in about.items()]


def quantity_name(missed: NotRecorded) -> str:
    """Something that was not recorded, as a report names it."""
    return "per-layer data (record with `traindx run`)" if missed.quantity == INSIDE else missed.quantity


def called(missed: NotRecorded) -> str:
    """The same as people call it."""
    known = QUANTITIES.get(missed.quantity) or FACTS.get(missed.quantity)
    return known.called if known is not None else quantity_name(missed)


def inseparable(diagnosis: Diagnosis) -> tuple[Suspect, ...]:
    """The suspects that the log alone cannot tell apart; none where the first stands alone."""
    if diagnosis.next_experiment is None or not diagnosis.next_experiment.against:
        return ()
    slugs = {cause.slug for cause in diagnosis.next_experiment.against}
    slugs.add(diagnosis.next_experiment.tests.slug)
    suspects = tuple(suspect for suspect in diagnosis.suspects if suspect.cause.slug in slugs)
    return suspects if len(suspects) > 1 else ()


def unmentioned(diagnosis: Diagnosis, reasons: Sequence[Reason]) -> list[SignResult]:
    """The findings that are not among some reasons, the worst first."""
    # Points that are printed as nothing are not printed.
    pairs = zip(reasons, points(reasons), strict=True)
    mentioned = {reason.sign for reason, shown in pairs if shown != "+0.0"}
    rest = [asked for asked in diagnosis.findings if asked.sign not in mentioned]
    return sorted(rest, key=lambda asked: -asked.sign.severity.rank)


def outcome(diagnosis: Diagnosis) -> str:
    """What a table of runs says beside the verdict: the first suspect, or why nothing can be said."""
    if diagnosis.verdict is Verdict.SICK and diagnosis.suspects:
        return diagnosis.suspects[0].cause.title
    return "" if diagnosis.verdict is Verdict.HEALTHY else diagnosis.says


def sureness(diagnosis: Diagnosis) -> str:
    """The probability of the verdict: of sickness, or of health; empty if nothing can be said."""
    return "" if diagnosis.verdict is Verdict.INCONCLUSIVE else percent(diagnosis.confidence)


def unsettled(suspect: Suspect) -> bool:
    """Whether the first suspect is more likely not the cause: to be tested before it is treated."""
    return suspect.confidence < 0.5


_TROUBLES = 4
"""As many findings tell of trouble where no cause stands out."""


def strongest(diagnosis: Diagnosis) -> list[str]:
    """What speaks of trouble, the worst first."""
    return [result.finding.says for result in _bad(diagnosis) if result.finding]


def _bad(diagnosis: Diagnosis) -> list[SignResult]:
    bad = [
        result
        for result in diagnosis.findings
        if result.sign.severity is not Severity.INFO and result.finding
    ]
    return sorted(
        bad,
        key=lambda result: (
            -result.sign.severity.rank,
            -(result.finding.strength if result.finding else 0.0),
        ),
    )


def marks(reasons: Sequence[Reason]) -> tuple[Mark, ...]:
    """What counts for a cause, as far as it is about steps; each sentence once."""
    by_sentence = {
        reason.says: _mark(reason.says, reason.evidence, reason.sign.slug if reason.sign else "")
        for reason in reversed(reasons)
        if _stepwise(reason.evidence)
    }
    return tuple(
        by_sentence[says] for says in dict.fromkeys(reason.says for reason in reasons) if says in by_sentence
    )


def troubles(diagnosis: Diagnosis) -> tuple[Mark, ...]:
    """What harms, the worst first, for a chart without a cause."""
    pairs = [(pair.finding, pair.sign) for pair in _bad(diagnosis) if pair.finding]
    stepwise = [pair for pair in pairs if _stepwise(pair[0].evidence)]
    return tuple(_mark(finding.says, finding.evidence, sign.slug) for finding, sign in stepwise[:_TROUBLES])


def _mark(says: str, evidence: Sequence[Evidence], row: str) -> Mark:
    shown = _stepwise(evidence)
    return Mark(says, place(shown[0]), shown, row=row)


def _stepwise(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Without the properties of the program, which hold at every step."""
    return tuple(item for item in evidence if not isinstance(item.quantity, Fact))
