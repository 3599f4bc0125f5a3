"""What to do after a treatment, in order: what is proven, what not to try again, what is left to a person."""

from collections.abc import Sequence

from traindx.changes.types import label_of
from traindx.diagnosis.types import Diagnosis, Suspect
from traindx.format import percent
from traindx.report.blocks import Block, Bullets, Diff, Header, Headline, Page, Paragraph, Section, Term, Tone
from traindx.report.results.run import title
from traindx.report.results.trials import conclusion, left_untried, row, verdict
from traindx.run import Run
from traindx.trials.types import Outcome, Treatment, Trial


def page(run: Run, diagnosis: Diagnosis, treatment: Treatment) -> Page:
    """The recommendations for the program of a run."""
    headline = (
        Headline("PROVEN", treatment.best.title or label_of(treatment.best.changes), "", Tone.GOOD)
        if treatment.best
        else Headline("NO PROVEN FIX", conclusion(treatment), "", Tone.DOUBT)
    )
    lists = {
        "Also helped": [
            _before_after(one)
            for one in _with(treatment, Outcome.HELPED)
            if treatment.best is None or one.changes != treatment.best.changes
        ],
        "Undecided, needs more seeds or steps": [_before_after(one) for one in _open(treatment)],
        "Do not try these again": _in_vain(treatment),
        "Further changes that may help": [*left_untried(treatment), *_manual(diagnosis.suspects)],
        "What not to do": list(diagnosis.suspects[0].cause.what_not_to_do) if diagnosis.suspects else [],
    }
    sections = [
        Section(name, (Bullets(tuple(items)),), is_open=True) for name, items in lists.items() if items
    ]
    screen = (Header(title(run)), headline, *_proof(diagnosis, treatment))
    return Page(f"{title(run)}: recommendations · traindx", screen, tuple(sections))


def _with(treatment: Treatment, outcome: Outcome) -> list[Trial]:
    return [trial for trial in treatment.trials if trial.outcome is outcome]


def _open(treatment: Treatment) -> list[Trial]:
    return [one for one in _with(treatment, Outcome.INCONCLUSIVE) if one.counted and one.effect is not None]


def _in_vain(treatment: Treatment) -> list[str]:
    """What made no difference or harm, and what cannot be applied."""
    judged = [*_with(treatment, Outcome.NO_DIFFERENCE), *_with(treatment, Outcome.WORSE)]
    refused = [one for one in treatment.trials if any(pair.treated.refused for pair in one.pairs)]
    return [*map(_before_after, judged), *(f"{label_of(one.changes)} ({one.says})" for one in refused)]


def _before_after(trial: Trial) -> str:
    told = row(trial)
    name = label_of(trial.changes)
    return f"{name}: {trial.measure.value} {told.control} -> {told.treated} ({verdict(trial)})"


def _proof(diagnosis: Diagnosis, treatment: Treatment) -> list[Block]:
    """The patch of what is proven with what to expect of it; the next experiment where nothing is."""
    best, following = treatment.best, diagnosis.next_experiment
    if best is None:
        return [Paragraph(f"Next experiment: {following.experiment.does}.")] if following else []
    causes = [cause for one in diagnosis.suspects for cause in (one.cause, one.mechanism) if cause]
    fixes = {fix.title: fix for cause in causes for fix in cause.fixes if fix.title in best.title}
    blocks: list[Block] = [Paragraph(f"{_before_after(best)}.")]
    blocks += [Diff(tuple(treatment.patch.splitlines()))] if treatment.patch else []
    for fix in fixes.values():
        blocks += [Term("expect", fix.expect), Term("not when", fix.not_when)]
    return blocks


def _manual(suspects: Sequence[Suspect]) -> list[str]:
    """The fixes that only a person can carry out, each once."""
    found = {
        fix.title: f"{fix.title} ({one.cause.slug}, {percent(one.confidence)}); expect: {fix.expect}"
        # The likeliest cause last: of several that name a fix it is the one to read.
        for one in reversed(suspects)
        for fix in one.cause.fixes
        if fix.change is None
    }
    return list(reversed(found.values()))
