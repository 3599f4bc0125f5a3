"""Pages of diagnoses in which no cause stands out: what is wrong, the candidates, and what would decide."""

from collections.abc import Sequence

from traindx import facts as f
from traindx.curves.facts import is_recording, is_told
from traindx.diagnosis.calibration import TOP_CAUSE_FROM_LOGS, TOP_CAUSE_FROM_RECORDINGS
from traindx.diagnosis.types import Diagnosis, Suspect
from traindx.diagnosis.verdict import leads
from traindx.format import capitalized, duration, percent
from traindx.report import blocks as b
from traindx.report.fix import DIFF_LINES, fix_for, next_command
from traindx.report.results.evidence import called, seen_reasons, strongest, troubles
from traindx.report.results.run import outcome
from traindx.run import Run

_CANDIDATES, _FACTS = 3, 2


def unclear(run: Run, diagnosis: Diagnosis) -> list[b.Block]:
    """The run is sick, and no cause stands out: what is wrong, the candidates, and what would decide."""
    observed = strongest(diagnosis)[:1] if diagnosis.suspects else [diagnosis.says]
    says = sentences([*observed, outcome(run)])
    sure = percent(1 - diagnosis.healthy)
    could_be = [b.Entry("COULD BE", candidates(diagnosis))] if diagnosis.suspects else []
    return [
        b.Headline("SICK", headline(diagnosis), "" if is_recording(run) else f"log only, confidence {sure}"),
        b.Paragraph(says),
        *facts(diagnosis, None),
        b.Gap(),
        *could_be,
        *_decide(run, diagnosis),
        b.Gap(),
        b.Chart(run, troubles(diagnosis)),
        b.Gap(),
        *limits(run),
        *_next(run, diagnosis, diagnosis.suspects),
    ]


def _next(run: Run, diagnosis: Diagnosis, suspects: Sequence[Suspect]) -> list[b.Command]:
    """The command that decides if it tries the change that is shown; else what it can try."""
    following = diagnosis.next_experiment
    fix = fix_for(following.tests, run) if following else None
    if fix and fix.changes:
        return next_command(run, suspects, "decide", "tries this change")
    return next_command(run, suspects, "try", "tries the fixes of these causes")


def headline(diagnosis: Diagnosis) -> str:
    """What is wrong, and that the cause is unclear if no candidate leads."""
    is_clear = leads(diagnosis.suspects, diagnosis.asked)
    known = [capitalized(diagnosis.problem.value)] if diagnosis.problem else []
    return capitalized("; ".join([*known, *([] if is_clear and known else ["cause unclear"])]))


def undecided(run: Run, diagnosis: Diagnosis) -> list[b.Block]:
    """Neither word would be right: what is known, and the one experiment that decides."""
    if not diagnosis.objective.objective.is_checked:
        return _not_judged(run, diagnosis)
    judged = len(diagnosis.suspects) > 0 and diagnosis.next_experiment is not None
    could_be = [b.Entry("COULD BE", candidates(diagnosis, healthy=True))] if judged else []
    missing = ", ".join(dict.fromkeys(map(called, diagnosis.not_recorded[:_FACTS])))
    return [
        b.Headline("INCONCLUSIVE", diagnosis.says, "", b.Tone.DOUBT),
        *([b.Paragraph(f"{capitalized(outcome(run))}.")] if outcome(run) else []),
        b.Gap(),
        *facts(diagnosis, None),
        *_decide(run, diagnosis),
        *could_be,
        *([b.Entry("MISSING", missing)] if missing else []),
        b.Chart(run, troubles(diagnosis), rows=0),
        *unseen(run),
        b.Gap(),
        *_next(run, diagnosis, diagnosis.suspects if judged else ()),
    ]


def _not_judged(run: Run, diagnosis: Diagnosis) -> list[b.Block]:
    """A kind of training that the checks do not cover: what it is, how one sees that, what tells instead."""
    objective, evidence = diagnosis.objective.objective, diagnosis.objective.evidence
    says = f"It is judged by {objective.judged_by}; {objective.unchecked}"
    return [
        b.Headline("INCONCLUSIVE", diagnosis.says, "", b.Tone.DOUBT),
        b.Paragraph(sentences([says, outcome(run)])),
        b.Gap(),
        *facts(diagnosis, None),
        b.Entry("KIND", f"{objective.title}: {evidence}; if that is wrong, add --objective NAME"),
        b.Chart(run, troubles(diagnosis), rows=0),
        *unseen(run),
    ]


def facts(diagnosis: Diagnosis, top: Suspect | None) -> list[b.Block]:
    """What was read from the program for certain and is not told yet, whatever it scores."""
    signs = {reason.sign for reason in seen_reasons(top)} if top else set()
    certain = [result for result in diagnosis.findings if result.sign not in signs and result.is_certain]
    return [
        b.Entry("FACT" if index == 0 else "", result.finding.says, result.finding.location)
        for index, result in enumerate(certain[:_FACTS])
        if result.finding
    ]


def candidates(diagnosis: Diagnosis, *, healthy: bool = False) -> str:
    """The likeliest, by their slugs, which `explain` takes."""
    shares = [(suspect.confidence, suspect.cause.slug) for suspect in diagnosis.suspects[:_CANDIDATES]]
    shares += [(diagnosis.healthy, "healthy")] if healthy else []
    ranked = sorted(shares, reverse=True)[:_CANDIDATES]
    return " · ".join(f"{slug} {percent(confidence)}" for confidence, slug in ranked)


def _decide(run: Run, diagnosis: Diagnosis) -> list[b.Block]:
    """The one experiment that would decide, and the change to make if it does."""
    following = diagnosis.next_experiment
    if following is None:
        return []
    fix = fix_for(following.tests, run)
    takes = "" if following.seconds is None else f"about {duration(following.seconds)}"
    # Looking something up takes a person, and so does what no change of the program expresses.
    by_hand = not following.experiment.steps or fix is None or not fix.changes
    diff = fix.diff[:DIFF_LINES] if fix else ()
    then = f"{following.experiment.if_true}, it is {following.tests.slug}"
    return [
        b.Entry("DECIDE", f"{following.experiment.does.removesuffix('.')}", "by hand" if by_hand else takes),
        b.Term("if", f"{then}; the change:" if diff else then),
        *([b.Diff(diff)] if diff else []),
    ]


def limits(run: Run) -> list[b.Block]:
    """What a log alone cannot tell, or what was not seen of a program that was only read."""
    if is_recording(run):
        return []
    if is_told(run):
        return unseen(run)
    says = "a log has no gradients, shapes or layers: it puts the right cause first in"
    says += f" {TOP_CAUSE_FROM_LOGS:.0%} of faulty runs, a recording in {TOP_CAUSE_FROM_RECORDINGS:.0%}"
    return [b.Entry("LIMITS", says, tone=b.Tone.QUIET)]


_INSIDE = "layers and gradients not seen"
_WITH_KERAS = "; traindx.keras.Callback() adds weights"
_TO_SEE = {
    "keras": _WITH_KERAS,
    "tensorflow": _WITH_KERAS,
    "torch": ": there was no backward pass of torch",
}
"""What would show more of a program, by the library that it trained with; all of it fits into a line."""
_ELSEWHERE = ": traindx run records them with torch only"


def unseen(run: Run) -> list[b.Block]:
    """What was not seen of a program that was read from what it printed and wrote, and what would show it."""
    if not is_told(run):
        return []
    framework = str(run.facts.get(f.FRAMEWORK, ""))
    return [b.Entry("LIMITS", f"{_INSIDE}{_TO_SEE.get(framework, _ELSEWHERE)}", tone=b.Tone.QUIET)]


def sentences(clauses: Sequence[str]) -> str:
    """Clauses as sentences, each once."""
    return " ".join(f"{capitalized(clause)}." for clause in dict.fromkeys(filter(None, clauses)))
