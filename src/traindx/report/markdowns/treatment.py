"""What was tried on a program: `diagnostic_report.md` with the trials, and what to do because of them."""

import re
from collections.abc import Iterable, Sequence

from traindx.cause import Prescription
from traindx.diagnosis.types import Suspect
from traindx.format import percent, printable
from traindx.report.markdowns.diagnosis import diagnosed
from traindx.report.markdowns.run import bullets, chapter, ended, escape, fenced, listings, prose, table
from traindx.report.results.diagnosis import considered, culprit, sentence
from traindx.report.results.trials import (
    compared_by,
    conclusion,
    health_line,
    left_untried,
    metric_line,
    named,
    patch_line,
    row,
    rows_by_measure,
    set_aside,
    verdict,
    why_left,
)
from traindx.trials.types import Outcome, Report, Treatment, Trial


def diagnostic_report(report: Report, treatment: Treatment) -> str:
    """The diagnosis of the first run with its suspects, its evidence and the trials, as one document."""
    lines = ["# traindx: diagnosis and trials", "", *_in_short(report, treatment), *_suspects(report)]
    for index, (run, diagnosis) in enumerate(zip(report.runs, report.diagnoses, strict=False)):
        lines += diagnosed(run, diagnosis, trials_chapter(treatment) if index == 0 else [])
    return "\n".join(lines)


def trials_chapter(treatment: Treatment) -> list[str]:
    """The trials as tables, what they prove, and what they leave open; nothing without trials."""
    if not treatment.trials:
        return []
    lines = []
    for measure, rows in rows_by_measure(treatment).items():
        cells = [
            [f"{_code(one.change)}", one.control, one.treated, one.effect, prose(one.verdict)] for one in rows
        ]
        headings = ["change", "control:", "treated:", "effect [95 %]", "verdict"]
        lines += [f"Compared by {compared_by(measure)}.", "", *table(headings, cells), ""]
    lines += [_concluded(treatment), ""]
    notes = [f"Accuracy: {prose(one)}" for one in [metric_line(treatment)] if one]
    notes += [f"Then: {prose(one)}" for one in [health_line(treatment)] if one]
    notes += [f"Set aside: {prose(one)}" for one in set_aside(treatment)]
    left = [*why_left(treatment), *left_untried(treatment)]
    notes += [f"Not tried: {prose(one)}" for one in left]
    notes += [f"Patch: {prose(one)}" for one in [patch_line(treatment)] if one]
    lines += bullets([*notes, *map(prose, treatment.notes)])
    return chapter("Trials", _trimmed(lines))


def optimization_recommendations(report: Report, treatment: Treatment) -> str:
    """What to do, in order: what is proven, what not to try again, what is left to a person."""
    suspects = report.diagnoses[0].suspects if report.diagnoses else ()
    first = _proven(treatment, _fixes(suspects)) if treatment.best else _unproven(report, treatment)
    sections = {
        "Do this: it is proven" if treatment.best else "Nothing is proven yet": first,
        "Do not try these again": _in_vain(treatment),
        "Further changes that may help": _further(suspects, treatment),
        "Do not": _warnings(suspects),
    }
    lines = ["# traindx: recommendations", "", *_in_short(report, treatment)]
    told = [(heading, body) for heading, body in sections.items() if body]
    for place, (heading, body) in enumerate(told, 1):
        lines += [f"## {place}. {heading}", "", *body, ""]
    return "\n".join(lines)


def _in_short(report: Report, treatment: Treatment) -> list[str]:
    items = []
    for diagnosis in report.diagnoses[:1]:
        top = culprit(diagnosis)
        cause = (
            f": {prose(top.cause.title)} (`{top.cause.slug}`), cause {percent(top.confidence)}" if top else ""
        )
        items.append(f"**{diagnosis.verdict.value.upper()}**{cause}.")
        items.append(ended(prose(sentence(diagnosis))))
    items.append(_concluded(treatment))
    return [*bullets(items), ""]


def _concluded(treatment: Treatment) -> str:
    says = ended(prose(conclusion(treatment)))
    return f"**Proven**: {says}" if treatment.best else f"**No proven win**: {says}"


def _suspects(report: Report) -> list[str]:
    """The suspects of the first run, the likeliest first."""
    if not report.diagnoses or not report.diagnoses[0].suspects:
        return []
    diagnosis = report.diagnoses[0]
    rows = [
        [
            str(place),
            f"`{one.cause.slug}`",
            prose(one.cause.title),
            percent(one.confidence),
            prose(considered(diagnosis, one)) if place > 1 else "see Evidence",
        ]
        for place, one in enumerate(diagnosis.suspects, 1)
    ]
    healthy = ["", "", "nothing is wrong", percent(diagnosis.healthy), ""]
    headings = [":", "cause", "says", "confidence:", "why, or how it is told apart"]
    return ["## Suspects", "", *table(headings, [*rows, healthy]), ""]


def _proven(treatment: Treatment, fixes: Sequence[Prescription]) -> list[str]:
    best = treatment.best
    assert best is not None
    lines = [f"**{prose(named(best))}**", ""]
    figures = row(best)
    lines += [
        f"Compared by {compared_by(best.measure)}.",
        "",
        *table(
            ["before:", "after:", "effect [95 %]", "verdict"],
            [[figures.control, figures.treated, figures.effect, prose(figures.verdict)]],
        ),
        "",
    ]
    known = [fix for fix in fixes if fix.title in best.title]
    if treatment.patch:
        lines += [ended(f"Patch, {prose(patch_line(treatment))}"), "", *fenced("diff", treatment.patch)]
    else:
        lines += [line for fix in known for line in listings(fix)]
    for fix in known:
        # Whose it is has to be said where several changes were proven together.
        lines += [f"{prose(fix.title)}:", ""] if len(known) > 1 else []
        lines += [*bullets([f"Expect: {ended(fix.expect)}", f"Not when: {ended(fix.not_when)}"]), ""]
    others = [one for one in treatment.trials if one.outcome is Outcome.HELPED and one is not best]
    items = [f"{_code(one.name)}: {prose(one.title)}; {_before_after(one)}" for one in others]
    return _trimmed(lines + (["Also proven:", "", *bullets(items)] if items else []))


def _unproven(report: Report, treatment: Treatment) -> list[str]:
    """What would be the next step where no trial settles it."""
    lines = [ended(prose(f"No proven win: {conclusion(treatment)}")), ""]
    open_trials = [
        one
        for one in treatment.trials
        if one.outcome is Outcome.INCONCLUSIVE and one.counted and one.effect is not None
    ]
    items = [
        f"{_code(one.name)} is open: {_before_after(one)}. More seeds or longer arms would tell."
        for one in open_trials
    ]
    following = report.diagnoses[0].next_experiment if report.diagnoses else None
    if following:
        test = following.experiment
        told = f"If it is `{following.tests.slug}`: {ended(test.if_true)} If not: {ended(test.if_false)}"
        items.append(f"Next experiment: {test.does.removesuffix('.')}. {told}")
    return _trimmed(lines + bullets(items))


def _in_vain(treatment: Treatment) -> list[str]:
    """What made no difference or harm, and what cannot be applied."""
    items = []
    for one in treatment.trials:
        if one.outcome in (Outcome.NO_DIFFERENCE, Outcome.WORSE):
            items.append(f"{_code(one.name)}: {_before_after(one)}.")
        elif any(pair.treated.refused for pair in one.pairs):
            items.append(f"{_code(one.name)}: {ended(prose(one.says))}")
    return bullets(items)


def _before_after(trial: Trial) -> str:
    told = row(trial)
    return f"{trial.measure.value} {told.control} before, {told.treated} after ({prose(verdict(trial))})"


def _further(suspects: Sequence[Suspect], treatment: Treatment) -> list[str]:
    """What the budget left, and the prescriptions that only a person can carry out."""
    items = [f"Not tried: {ended(prose(one))}" for one in left_untried(treatment)]
    seen: set[str] = set()
    for suspect in suspects:
        for fix in suspect.cause.fixes:
            if fix.change is None and fix.title not in seen:
                seen.add(fix.title)
                items.append(
                    f"**{fix.title}** (for `{suspect.cause.slug}`, {percent(suspect.confidence)})."
                    f" Expect: {ended(fix.expect)} Not when: {ended(fix.not_when)}"
                )
    return [f"{place}. {item}" for place, item in enumerate(items, 1)]


def _warnings(suspects: Sequence[Suspect]) -> list[str]:
    """The wrong treatments of the first suspect."""
    return bullets([line for suspect in suspects[:1] for line in suspect.cause.what_not_to_do])


def _fixes(suspects: Iterable[Suspect]) -> list[Prescription]:
    causes = [cause for one in suspects for cause in (one.cause, one.mechanism) if cause]
    return list(dict.fromkeys(fix for cause in causes for fix in cause.fixes))


def _trimmed(lines: list[str]) -> list[str]:
    """Without the empty line at the end, which whoever follows adds."""
    return lines if lines[-1] else lines[:-1]


def _code(name: str) -> str:
    """The name of a change as code; as text where it holds what would end code or a cell."""
    return escape(name) if re.search(r"[`|]", name) else f"`{printable(name, 120)}`"
