"""What every report shows first of a run and its diagnosis, whatever the format."""

from collections.abc import Sequence

from traindx.cause import Cause
from traindx.changes.types import known_changes, parse_changes
from traindx.diagnosis.types import INSIDE, Diagnosis, NextExperiment, Reason, SignResult, Suspect, Verdict
from traindx.finding import CannotTell, Evidence, Severity
from traindx.format import count, duration, percent, printable, step
from traindx.run import Fact, Run

_ANSWERS = ("hit", "clear", "not enough data")


def culprit(diagnosis: Diagnosis) -> Suspect | None:
    """The first suspect of a sick run; a healthy or doubtful one has none."""
    return diagnosis.suspects[0] if diagnosis.verdict is Verdict.SICK and diagnosis.suspects else None


def ordered(reasons: Sequence[Reason]) -> list[Reason]:
    """What speaks for it first, the weightiest before others; the prior at the end."""
    return sorted(reasons, key=lambda reason: (reason.sign is None, -reason.points))


def seen_reasons(suspect: Suspect) -> list[Reason]:
    """The findings that count for a suspect, the weightiest first."""
    counted = [reason for reason in suspect.reasons if reason.seen and reason.points > 0]
    return sorted(counted, key=lambda reason: -reason.points)


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
    alike = [one for one in suspect.evidence if one.axis is first.axis and _is_fact(one) == _is_fact(first)]
    return min(alike, key=lambda one: one.steps[0])


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


def whereabouts(suspect: Suspect) -> list[str]:
    """Where a suspect is to be found: its layer, its batch, its line; what is not known is left out."""
    found = [("layer", suspect.layer), ("batch", "" if suspect.batch is None else f"{suspect.batch:,}")]
    places = [f"{what} {printable(which, 60)}" for what, which in found if which]
    return [*places, printable(suspect.place, 80)] if suspect.place else places


def spot(suspect: Suspect, run: Run) -> str:
    """Which line the first fix changes, and from what to what: "train.py:31  lr 3 -> 0.3"."""
    specs = parse_changes(suspect.cause.fixes[0].change) if suspect.cause.fixes[0].change else ()
    change = known_changes().get(specs[0].name) if len(specs) == 1 else None
    values = change.describe(specs[0], run) if change is not None else ""
    return "  ".join(word for word in (printable(suspect.place, 80), values) if word)


def where(reason: Reason) -> str:
    """The layer and the place of a reason's first evidence."""
    if not reason.evidence:
        return ""
    first = reason.evidence[0]
    return " ".join(word for word in (printable(first.layer, 24), place(first)) if word)


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


def told_apart(cause: Cause, rival: Suspect) -> str:
    """What would separate a rival from a cause, which nobody has looked at; else what speaks of the rival."""
    # A page tells what the other cause shows, so read from the rival's page it is what the rival does not.
    for one, other, shows in ((cause, rival.cause, "confirmed if"), (rival.cause, cause, "ruled out if")):
        for named in one.rivals:
            if named.slug == other.slug:
                return f"{shows} {_elsewhere(named.told_apart_by)}"
    return speaking(rival)


def _elsewhere(told_apart_by: str) -> str:
    """An observation without what its page says of its own cause: "here" would be read as this run."""
    return told_apart_by.partition("; here ")[0].removesuffix(".")


def considered(diagnosis: Diagnosis, suspect: Suspect) -> str:
    """What is said of a suspect beside the verdict: what separates it from the first, or what it is."""
    if diagnosis.verdict is Verdict.SICK:
        return told_apart(diagnosis.suspects[0].cause, suspect)
    return speaking(suspect) if diagnosis.verdict is Verdict.HEALTHY else suspect.cause.title


def speaking(suspect: Suspect) -> str:
    """What speaks most against a suspect, else most for it."""
    contrary = _contrary(suspect)
    if contrary:
        return f"evidence against: {contrary.says}"
    seen = [reason for reason in suspect.reasons if reason.seen and reason.points > 0]
    if seen:
        return f"evidence for: {max(seen, key=lambda reason: reason.points).says}"
    return "no evidence of its own"


def against(suspect: Suspect) -> str:
    """What speaks most against a suspect; empty where nothing does."""
    contrary = _contrary(suspect)
    return contrary.says if contrary else ""


def _contrary(suspect: Suspect) -> Reason | None:
    """The reason with the fewest points, if below 0; the prior is none."""
    spoken = [reason for reason in suspect.reasons if reason.sign and reason.points < 0]
    return min(spoken, key=lambda reason: reason.points, default=None)


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
    """What was not recorded and what it would tell, in as few sentences as possible."""
    about: dict[str, list[str]] = {}
    for one in diagnosis.not_recorded:
        called = "per-layer data (record with `traindx run`)"
        about.setdefault(one.would_tell, []).append(called if one.quantity == INSIDE else one.quantity)
    return [f"{', '.join(quantities)} (needed to check: {what})" for what, quantities in about.items()]


def inseparable(diagnosis: Diagnosis) -> tuple[Suspect, ...]:
    """The suspects that the log alone cannot tell apart; none where the first stands alone."""
    if diagnosis.next_experiment is None or not diagnosis.next_experiment.against:
        return ()
    slugs = {cause.slug for cause in diagnosis.next_experiment.against}
    slugs.add(diagnosis.next_experiment.tests.slug)
    found = tuple(suspect for suspect in diagnosis.suspects if suspect.cause.slug in slugs)
    return found if len(found) > 1 else ()


def taking(following: NextExperiment) -> str:
    """How long an experiment takes, in parentheses; empty where nothing tells."""
    return "" if following.seconds is None else f" (about {duration(following.seconds)})"


def noticed(diagnosis: Diagnosis) -> list[str]:
    """The findings that are not merely normal, the worst first."""
    bad = [asked for asked in diagnosis.findings if asked.sign.severity is not Severity.INFO]
    bad.sort(key=lambda asked: -asked.sign.severity.rank)
    return [asked.finding.says for asked in bad if asked.finding]


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
    return diagnosis.says if diagnosis.verdict is Verdict.INCONCLUSIVE else ""


def blame(diagnosis: Diagnosis) -> str:
    """The probability that the first suspect is the cause; empty where none is accused."""
    accused = diagnosis.verdict is Verdict.SICK and diagnosis.suspects
    return percent(diagnosis.suspects[0].confidence) if accused else ""


def sureness(diagnosis: Diagnosis) -> str:
    """The probability of the verdict: of sickness, or of health; empty if nothing can be said."""
    return "" if diagnosis.verdict is Verdict.INCONCLUSIVE else percent(diagnosis.confidence)


def judged(diagnosis: Diagnosis) -> bool:
    """Whether there was enough to judge health by: if not, its probability is only what was assumed."""
    if diagnosis.verdict is not Verdict.INCONCLUSIVE:
        return True
    answers = {asked.sign.slug: answer(asked) for asked in diagnosis.asked}
    return answers.get("too_short") != _ANSWERS[0] and answers.get("loss_falls") in _ANSWERS[:2]


def unsettled(suspect: Suspect) -> bool:
    """Whether the first suspect is more likely not the cause: to be tested before it is treated."""
    return suspect.confidence < 0.5
