"""A treatment as a page: what is proven, the patch, what was tried, the diagnosis; and what to do next."""

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise

import numpy as np

from traindx.changes.types import label_of
from traindx.diagnosis.types import Diagnosis, Suspect
from traindx.format import count, duration, percent, printable
from traindx.report.blocks import (
    Block,
    Cell,
    Command,
    Curve,
    Diff,
    Entry,
    Gap,
    Header,
    Headline,
    Overlay,
    Page,
    Paragraph,
    Section,
    Term,
    Tone,
    lists,
    table,
)
from traindx.report.fix import COMMAND_LINE, first_changed, nearby, program_of, shortened
from traindx.report.results import diagnosis as diagnosis_page
from traindx.report.results.run import title
from traindx.report.results.trials import (
    Beliefs,
    belief_lines,
    better_with,
    compared_by,
    conclusion,
    effect,
    health_line,
    left_untried,
    metric_line,
    row,
    rows_by_measure,
    set_aside,
    tried,
    verdict,
)
from traindx.run import Axis, Run
from traindx.trials.types import Arm, Outcome, Treatment, Trial

_TRIED = 4
_VERDICT_WIDTH, _VERDICT_LINES, _LONGEST_VERDICT = 34, 6, 120
"""About the columns of verdicts on the screen, the lines that leave room for the rest, and most letters."""
TONES = {
    Outcome.HELPED: Tone.GOOD,
    Outcome.NO_DIFFERENCE: Tone.PLAIN,
    Outcome.WORSE: Tone.BAD,
    Outcome.INCONCLUSIVE: Tone.DOUBT,
}
_VERIFIED = {
    True: "patched program rerun",
    False: "the patched program did not reproduce it",
    None: "patched program not run",
}


def page(
    run: Run,
    diagnosis: Diagnosis,
    treatment: Treatment,
    *,
    beliefs: Beliefs = (),
    name: str = "",
    seconds: float | None = None,
    report: str = "",
) -> Page:
    """What was tried on the program of a run; `name` is what `traindx apply` calls the treatment."""
    proof = _proven(treatment, treatment.best, beliefs) if treatment.best else _unproven(diagnosis, treatment)
    screen: tuple[Block, ...] = (
        Header(f"treat · {title(run)}", _extent(treatment, seconds)),
        Gap(),
        *proof,
        Gap(),
        *_tried(treatment),
        *_skipped(treatment),
        *_next(run, treatment, name),
        *([Command("report", report, is_path=True)] if report else []),
    )
    behind = diagnosis_page.page(run, diagnosis)
    before = Section("The diagnosis before the fix", behind.screen[2:], is_open=True)
    return Page(
        f"{title(run)}: {'fix proven' if treatment.best else 'no proven fix'} · traindx",
        screen,
        (*_sections(treatment, beliefs), before, *behind.sections),
        references=behind.references,
    )


def _extent(treatment: Treatment, seconds: float | None) -> tuple[str, ...]:
    arms = {(arm.seed, arm.changes) for trial in treatment.trials for arm in _arms(trial)}
    steps = max((arm.steps for trial in treatment.trials for arm in _arms(trial)), default=0)
    told = f"{count(len(arms), 'trial run')} of {count(steps, 'step')}"
    return (told,) if seconds is None else (told, duration(seconds))


def _arms(trial: Trial) -> list[Arm]:
    return [arm for pair in trial.pairs for arm in (pair.control, pair.treated)]


def _proven(treatment: Treatment, best: Trial, beliefs: Beliefs) -> list[Block]:
    seeds = f"{better_with(best)} of {count(len(best.counted), 'seed')}"
    checked = f"{seeds}, {_VERIFIED[treatment.patch_verified]}" if treatment.patch else seeds
    moved = belief_lines([one for one in beliefs if one[0] == best.cause])
    lines = (
        [metric_line(treatment), f"{best.measure.value} {_from_to(best)} ({effect(best)})"],
        [health_line(treatment), *(f"confidence: {says}" for says in moved)],
    )
    told = [" · ".join(filter(None, line)) for line in lines]
    return [
        Headline("PROVEN", best.title or label_of(best.changes), checked, Tone.GOOD),
        *(Paragraph(line) for line in told if line),
        *_curves(best),
        Gap(),
        *_patch(treatment),
    ]


def _curves(trial: Trial) -> list[Block]:
    """Every control and treated run of a trial over one axis."""
    curves = [
        Curve(f"{name}, seed {arm.seed}", steps, values, color)
        for pair in trial.counted
        for color, (name, arm) in enumerate((("control", pair.control), ("treated", pair.treated)))
        if arm.curve
        for steps, values in [np.array(arm.curve, dtype=np.float64).T]
    ]
    title = f"{trial.measure.value}, control and treated runs"
    return [Overlay(title, Axis.STEP, tuple(curves))] if curves else []


def _patch(treatment: Treatment) -> list[Block]:
    if not treatment.patch:
        why = treatment.patch_says or "this change cannot be written into the program"
        return [Entry("PATCH", f"no source patch: {why}")]
    lines = treatment.patch.splitlines()
    if treatment.command:
        return [Entry("PATCH", COMMAND_LINE, tone=Tone.STRONG), Diff(tuple(lines))]
    begins = [number for number, line in enumerate(lines) if line.startswith("--- a/")]
    blocks: list[Block] = []
    for start, end in pairwise([*begins, len(lines)]):
        own = lines[start:end]
        changed = tuple(line for line in own if line[:1] in "+-" and line[:3] not in ("+++", "---"))
        path = next((line[6:] for line in own if line.startswith("+++ b/")), "")
        number = first_changed(own, next((line for line in own if line.startswith("@@")), ""))
        blocks += [Entry("PATCH", f"{nearby(path)}:{number}", tone=Tone.STRONG), shortened(changed)]
    return blocks


def _unproven(diagnosis: Diagnosis, treatment: Treatment) -> list[Block]:
    top = diagnosis.suspects[:1]
    told = [f"The likeliest cause remains {one.cause.slug} ({percent(one.confidence)})." for one in top]
    return [Headline("NO PROVEN FIX", tried(treatment), "", Tone.DOUBT), *map(Paragraph, told)]


def _from_to(trial: Trial) -> str:
    figures = row(trial)
    return f"{figures.control} -> {figures.treated}" if trial.counted else "-"


def _tried(treatment: Treatment) -> list[Block]:
    """The first fixes that ran; those that could not be applied are only counted."""
    ran = [trial for trial in treatment.trials if not _is_refused(trial)]
    verdicts = [printable(verdict(trial), _LONGEST_VERDICT) for trial in ran]
    lines = accumulate(-(-len(says) // _VERDICT_WIDTH) for says in verdicts)
    shown = min(max(sum(taken <= _VERDICT_LINES for taken in lines), 1), _TRIED)
    rows = [
        (
            printable(label_of(trial.changes), _VERDICT_WIDTH),
            _from_to(trial),
            Cell(says, TONES[trial.outcome]),
        )
        for trial, says in zip(ran[:shown], verdicts, strict=False)
    ]
    more = [f"{len(ran) - shown} more"] if len(ran) > shown else []
    refused = len(treatment.trials) - len(ran)
    more += [f"{refused} not applicable"] if refused else []
    if more:
        rows.append((", ".join(more), "", Cell("--all lists them", Tone.QUIET)))
    return [table(",,", rows, "TRIED")] if rows else []


def _is_refused(trial: Trial) -> bool:
    return any(pair.treated.refused for pair in trial.pairs)


def _skipped(treatment: Treatment) -> list[Block]:
    if not treatment.untried:
        return []
    left = count(len(treatment.untried), "more fix", "more fixes")
    return [Entry("SKIPPED", f"{left}: {treatment.why_untried}" if treatment.why_untried else left)]


def _next(run: Run, treatment: Treatment, name: str) -> list[Block]:
    if treatment.best and treatment.command:
        return [Command("run", treatment.command)]
    if treatment.best and treatment.patch:
        return [Command("apply", f"traindx apply {name}".rstrip())]
    if treatment.best:
        return []
    following = f"traindx treat --minutes 30 {program_of(run)}"
    return [Command("next", following, "more time, more fixes")] if program_of(run) else []


def _sections(treatment: Treatment, beliefs: Beliefs) -> tuple[Section, ...]:
    trials: list[Block] = []
    for measure, rows in rows_by_measure(treatment).items():
        trials.append(Paragraph(f"Compared by {compared_by(measure)}."))
        cells = [
            (one.change, one.control, one.treated, one.effect, Cell(one.verdict, TONES[one.outcome]))
            for one in rows
        ]
        trials.append(table("change, control>, treated>, effect [95%], verdict", cells))
    items: dict[str, Sequence[str]] = {
        "Confidence before and after the trials": belief_lines(beliefs),
        "Trial runs that do not count": set_aside(treatment),
        "Fixes not tried": left_untried(treatment),
        "Notes on the trials": treatment.notes,
    }
    patch = (Section("Patch", (Diff(tuple(treatment.patch.splitlines())),)),) if treatment.patch else ()
    return (*patch, Section("Trials", tuple(trials), is_open=True), *lists(items))


def recommendations(run: Run, diagnosis: Diagnosis, treatment: Treatment) -> Page:
    """What to do after a treatment: what is proven, what not to try again, what is left to a person."""
    best = treatment.best
    headline = (
        Headline("PROVEN", best.title or label_of(best.changes), "", Tone.GOOD)
        if best
        else Headline("NO PROVEN FIX", conclusion(treatment), "", Tone.DOUBT)
    )
    also = [one for one in treatment.trials if best is None or one.changes != best.changes]
    unclear = [one for one in treatment.trials if one.counted and one.effect is not None]
    items: dict[str, Sequence[str]] = {
        "Also helped": _before_after(also, Outcome.HELPED),
        "Undecided, needs more seeds or steps": _before_after(unclear, Outcome.INCONCLUSIVE),
        "Do not try these again": _in_vain(treatment),
        "Further changes that may help": [*left_untried(treatment), *_manual(diagnosis.suspects)],
        "What not to do": diagnosis.suspects[0].cause.what_not_to_do if diagnosis.suspects else [],
    }
    screen = (Header(title(run)), headline, *_proof(diagnosis, treatment))
    return Page(f"{title(run)}: recommendations · traindx", screen, lists(items, is_open=True))


def _before_after(trials: Sequence[Trial], outcome: Outcome) -> list[str]:
    """The trials that came out like this, with the values of both sides."""
    return [_told(one) for one in trials if one.outcome is outcome]


def _told(trial: Trial) -> str:
    figures = row(trial)
    values = f"{trial.measure.value} {figures.control} -> {figures.treated}"
    return f"{label_of(trial.changes)}: {values} ({verdict(trial)})"


def _in_vain(treatment: Treatment) -> list[str]:
    """What made no difference or harm, and what cannot be applied."""
    judged = [_before_after(treatment.trials, one) for one in (Outcome.NO_DIFFERENCE, Outcome.WORSE)]
    refused = filter(_is_refused, treatment.trials)
    return [*chain(*judged), *(f"{label_of(one.changes)} ({one.says})" for one in refused)]


def _proof(diagnosis: Diagnosis, treatment: Treatment) -> list[Block]:
    """The patch of what is proven with what to expect of it; the next experiment where nothing is."""
    best, following = treatment.best, diagnosis.next_experiment
    if best is None:
        return [Paragraph(f"Next experiment: {following.experiment.does}.")] if following else []
    causes = [cause for one in diagnosis.suspects for cause in (one.cause, one.mechanism) if cause]
    fixes = {fix.title: fix for cause in causes for fix in cause.fixes if fix.title in best.title}
    blocks: list[Block] = [Paragraph(f"{_told(best)}.")]
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
