"""What to do after a treatment: what is proven, what not to try again, what is left to a person."""

from collections.abc import Sequence
from itertools import chain

from traindx.changes.types import label_of
from traindx.diagnosis.types import Diagnosis, Suspect
from traindx.format import percent
from traindx.report import blocks as b
from traindx.report.results.run import title
from traindx.report.results.trials import conclusion, left_untried, named, row, verdict
from traindx.run import Run
from traindx.trials.effect import is_refused
from traindx.trials.types import Outcome, Treatment, Trial


def recommendations(run: Run, diagnosis: Diagnosis, treatment: Treatment) -> b.Page:
    """What to do after a treatment: what is proven, what not to try again, what is left to a person."""
    best = treatment.best
    headline = (
        b.Headline("PROVEN", named(best), "", b.Tone.GOOD)
        if best
        else b.Headline("NO PROVEN FIX", conclusion(treatment), "", b.Tone.DOUBT)
    )
    also = [trial for trial in treatment.trials if best is None or trial.changes != best.changes]
    unclear = [trial for trial in treatment.trials if trial.counted and trial.effect is not None]
    items: dict[str, Sequence[str]] = {
        "Also helped": _before_after(also, Outcome.HELPED),
        "Undecided, needs more seeds or steps": _before_after(unclear, Outcome.INCONCLUSIVE),
        "Do not try these again": _in_vain(treatment),
        "Further changes that may help": [*left_untried(treatment), *_manual(diagnosis.suspects)],
        "What not to do": diagnosis.suspects[0].cause.what_not_to_do if diagnosis.suspects else [],
    }
    screen = (b.Header(title(run)), headline, *_proof(diagnosis, treatment))
    return b.Page(f"{title(run)}: recommendations · traindx", screen, b.lists(items, is_open=True))


def _before_after(trials: Sequence[Trial], outcome: Outcome) -> list[str]:
    """The trials that came out like this, with the values of both sides."""
    return [_told(trial) for trial in trials if trial.outcome is outcome]


def _told(trial: Trial) -> str:
    figures = row(trial)
    values = f"{trial.measure.value} {figures.control} -> {figures.treated}"
    return f"{label_of(trial.changes)}: {values} ({verdict(trial)})"


def _in_vain(treatment: Treatment) -> list[str]:
    """What made no difference or harm, and what cannot be applied."""
    judged = [_before_after(treatment.trials, outcome) for outcome in (Outcome.NO_DIFFERENCE, Outcome.WORSE)]
    refused = filter(is_refused, treatment.trials)
    return [*chain(*judged), *(f"{label_of(trial.changes)} ({trial.says})" for trial in refused)]


def _proof(diagnosis: Diagnosis, treatment: Treatment) -> list[b.Block]:
    """The patch of what is proven with what to expect of it; the next experiment where nothing is."""
    best, following = treatment.best, diagnosis.next_experiment
    if best is None:
        return [b.Paragraph(f"Next experiment: {following.experiment.does}.")] if following else []
    causes = [
        cause for suspect in diagnosis.suspects for cause in (suspect.cause, suspect.mechanism) if cause
    ]
    fixes = {fix.title: fix for cause in causes for fix in cause.fixes if fix.title in best.title}
    blocks: list[b.Block] = [b.Paragraph(f"{_told(best)}.")]
    blocks += [b.Diff(tuple(treatment.patch.splitlines()))] if treatment.patch else []
    for fix in fixes.values():
        blocks += [b.Term("expect", fix.expect), b.Term("not when", fix.not_when)]
    return blocks


def _manual(suspects: Sequence[Suspect]) -> list[str]:
    """The fixes that only a person can carry out, each once."""
    by_title = {
        fix.title: f"{fix.title} ({suspect.cause.slug}, {percent(suspect.confidence)}); expect: {fix.expect}"
        # The likeliest cause last: of several that name a fix it is the one to read.
        for suspect in reversed(suspects)
        for fix in suspect.cause.fixes
        if fix.change is None
    }
    return list(reversed(by_title.values()))
