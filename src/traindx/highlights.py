"""What every report shows first of a run and its diagnosis, whatever the format."""

from collections.abc import Sequence

import numpy as np

from traindx.cause import Cause
from traindx.comparison import Comparison
from traindx.curves.curve import shares, whole
from traindx.curves.objective import objective
from traindx.diagnosis import Asked, Diagnosis, Reason, Suspect, Verdict
from traindx.finding import CannotTell, Evidence, Severity
from traindx.quantities import QUANTITIES, TRAIN_LOSS
from traindx.run import Run
from traindx.series import Axis, Series
from traindx.wording import count, number, printable, step

_ANSWERS = ("yes", "no", "cannot tell")


def percent(share: float) -> str:
    """A probability as people read it; never 0 or 100, which nothing is."""
    if share > 0.99:
        return ">99 %"
    return "<1 %" if share < 0.01 else f"{100 * share:.0f} %"


def ordered(reasons: Sequence[Reason]) -> list[Reason]:
    """What speaks for it first, the weightiest before others; the prior at the end."""
    return sorted(reasons, key=lambda reason: (reason.sign is None, -reason.points))


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
    return f"{round(10 * sum(reason.points for reason in reasons)) / 10:+.1f}"


def since(suspect: Suspect) -> Evidence | None:
    """The earliest evidence for a suspect, counted as its weightiest is."""
    if not suspect.evidence:
        return None
    axis = suspect.evidence[0].axis
    return min((one for one in suspect.evidence if one.axis is axis), key=lambda one: one.steps[0])


def place(evidence: Evidence) -> str:
    """Where evidence stands: "steps 14-1,240", "epoch 3"."""
    first, last = evidence.steps
    if first == last:
        return f"{evidence.axis.value} {step(first)}"
    return f"{evidence.axis.value}s {step(first)}-{step(last)}"


def where(reason: Reason) -> str:
    """The layer and the place of a reason's first evidence."""
    if not reason.evidence:
        return ""
    first = reason.evidence[0]
    return " ".join(word for word in (printable(first.layer, 24), place(first)) if word)


def answer(asked: Asked) -> str:
    """Yes, no or cannot tell."""
    if asked.cannot_tell:
        return "cannot tell"
    return "yes" if asked.finding else "no"


def remark(asked: Asked) -> str:
    """What stands beside an answer: the finding, or why it cannot be told."""
    if asked.finding:
        return asked.finding.says
    return asked.answer.value if isinstance(asked.answer, CannotTell) else ""


def questions(diagnosis: Diagnosis) -> list[Asked]:
    """Every question, those answered with yes first and those nobody could answer last."""
    return sorted(diagnosis.asked, key=lambda asked: _ANSWERS.index(answer(asked)))


def tally(diagnosis: Diagnosis) -> str:
    """How many questions were asked and how they were answered."""
    answers = [answer(asked) for asked in diagnosis.asked]
    counts = ", ".join(f"{answers.count(kind)} {kind}" for kind in _ANSWERS)
    return f"{len(answers)} questions: {counts}"


def told_apart(cause: Cause, rival: Suspect) -> str:
    """The observation that separates a cause from a rival; else what speaks most against the rival."""
    for one, other in ((cause, rival.cause), (rival.cause, cause)):
        for named in one.rivals:
            if named.slug == other.slug:
                return named.told_apart_by
    return against(rival)


def considered(diagnosis: Diagnosis, suspect: Suspect) -> str:
    """What is said of a suspect beside the verdict: what separates it from the first, or what it is."""
    if diagnosis.verdict is Verdict.SICK:
        return told_apart(diagnosis.suspects[0].cause, suspect)
    return against(suspect) if diagnosis.verdict is Verdict.HEALTHY else suspect.cause.title


def against(suspect: Suspect) -> str:
    """What speaks most against a suspect."""
    spoken = [reason for reason in suspect.reasons if reason.sign and reason.points < 0]
    if spoken:
        return min(spoken, key=lambda reason: reason.points).says
    return "little speaks for it" if suspect.evidence else "nothing speaks for it"


def sentence(diagnosis: Diagnosis) -> str:
    """The verdict's sentence without the name of the first suspect, which every report sets above it."""
    says = diagnosis.says
    if diagnosis.suspects:
        says = says.removeprefix(f"{diagnosis.suspects[0].cause.title}: ")
    return f"{says[:1].upper()}{says[1:]}".removesuffix(".") + "."


def missing(diagnosis: Diagnosis) -> list[str]:
    """What was not recorded and what it would tell, in as few sentences as possible."""
    about: dict[str, list[str]] = {}
    for one in diagnosis.not_recorded:
        about.setdefault(one.would_tell, []).append(one.quantity)
    return [f"{', '.join(quantities)}: would tell about {what}" for what, quantities in about.items()]


def inseparable(diagnosis: Diagnosis) -> tuple[Suspect, ...]:
    """The suspects that the log alone cannot tell apart; none where the first stands alone."""
    if diagnosis.next_experiment is None or not diagnosis.next_experiment.against:
        return ()
    slugs = {cause.slug for cause in diagnosis.next_experiment.against}
    slugs.add(diagnosis.next_experiment.tests.slug)
    found = tuple(suspect for suspect in diagnosis.suspects if suspect.cause.slug in slugs)
    return found if len(found) > 1 else ()


def noticed(diagnosis: Diagnosis) -> list[str]:
    """The findings that are not merely normal, the worst first."""
    bad = [asked for asked in diagnosis.findings if asked.sign.severity is not Severity.INFO]
    bad.sort(key=lambda asked: -asked.sign.severity.rank)
    return [asked.finding.says for asked in bad if asked.finding]


def outcome(diagnosis: Diagnosis) -> str:
    """What a table of runs says beside the verdict: the first suspect, or why nothing can be said."""
    if diagnosis.verdict is Verdict.SICK and diagnosis.suspects:
        return diagnosis.suspects[0].cause.title
    return diagnosis.says if diagnosis.verdict is Verdict.INCONCLUSIVE else ""


def sureness(diagnosis: Diagnosis) -> str:
    """The probability of what is said: of the first suspect, or of health; none if nothing can be said."""
    if diagnosis.verdict is Verdict.INCONCLUSIVE:
        return ""
    first = diagnosis.suspects[0].confidence if diagnosis.suspects else diagnosis.confidence
    return percent(diagnosis.healthy if diagnosis.verdict is Verdict.HEALTHY else first)


def main_series(run: Run) -> tuple[Series, ...]:
    """The curve a run is judged by, and the same on validation data if there is one."""
    judged = objective(run)
    if judged is None:
        return run.all(TRAIN_LOSS)[:2]
    first = whole(run, judged.quantity)
    if not first.quantity.slug.startswith("train_"):
        return (first,)
    measure = first.quantity.slug.removeprefix("train_")
    beside = [QUANTITIES.get(f"{split}_{measure}") for split in ("val", "test")]
    second = next((whole(run, quantity) for quantity in beside if quantity and quantity in run), None)
    return (first,) if second is None else (first, second)


def extent(run: Run) -> str:
    """From where to where the longest series of a run goes."""
    return span(max(run.series, key=len)) if run.series else "no quantity recognised"


def span(series: Series) -> str:
    """From where to where a series goes: "steps 0 to 299"."""
    return f"{series.axis.value}s {step(series.steps[0])} to {step(series.steps[-1])}"


def share_at(run: Run, axis: Axis, position: float) -> float | None:
    """Where a position lies in the run, 0 its begin and 1 its end; None if nothing is counted so."""
    alike = [series for series in run.series if series.axis is axis and len(series)]
    if not alike:
        return None
    longest = max(alike, key=len)
    return float(np.interp(position, longest.steps, shares(run, longest)))


def speed(comparison: Comparison) -> str:
    """Which run reaches the common target first, and how much later the others do; empty without a target."""
    if comparison.target is None:
        return ""
    reached = [entry for entry in comparison.entries if entry.reached_at is not None]
    reached.sort(key=lambda entry: entry.reached_at or 0.0)
    never = len(comparison.entries) - len(reached)
    rest = f"{count(never, 'run')} never {'does' if never == 1 else 'do'}" if never else ""
    target = f"{comparison.measure.slug} {number(comparison.target)}"
    if not reached or reached[0].reached_at is None:
        return f"no run reaches {target}"
    places = [f"{entry.run} ({entry.axis.value} {step(entry.reached_at or 0.0)})" for entry in reached[:4]]
    more = [f"{len(reached) - 4} later"] if len(reached) > 4 else []
    return f"{target} is reached by " + "; ".join(
        [", then ".join([*places, *more]), *([rest] if rest else [])]
    )
