"""A treatment as a page: what is proven, the patch, what was tried, and the diagnosis behind it."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from traindx.changes.types import label_of
from traindx.diagnosis.types import Diagnosis
from traindx.format import count, duration, percent, printable
from traindx.report.blocks import (
    Block,
    Bullets,
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
    Tone,
    table,
)
from traindx.report.fix import nearby
from traindx.report.results import diagnosis as diagnosis_page
from traindx.report.results.next_command import program_of
from traindx.report.results.run import title
from traindx.report.results.trials import (
    Beliefs,
    belief_lines,
    better_with,
    compared_by,
    effect,
    health_line,
    left_untried,
    metric_line,
    row,
    rows_by_measure,
    set_aside,
    verdict,
)
from traindx.run import Axis, Run
from traindx.trials.types import Arm, Outcome, Treatment, Trial

_TRIED, _DIFF_LINES = 4, 6
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
    runs = [
        (color, name, arm)
        for pair in trial.counted
        for color, (name, arm) in enumerate((("control", pair.control), ("treated", pair.treated)))
    ]
    curves = [
        Curve(
            f"{name}, seed {arm.seed}",
            np.array([at for at, _ in arm.curve]),
            np.array([y for _, y in arm.curve]),
            color,
        )
        for color, name, arm in runs
        if arm.curve
    ]
    return (
        [Overlay(f"{trial.measure.value}, control and treated runs", Axis.STEP, tuple(curves))]
        if curves
        else []
    )


def _patch(treatment: Treatment) -> list[Block]:
    if not treatment.patch:
        why = treatment.patch_says or "this change cannot be written into the program"
        return [Entry("PATCH", f"no source patch: {why}")]
    lines = treatment.patch.splitlines()
    changed = tuple(line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---"))
    path = next((line[6:] for line in lines if line.startswith("+++ b/")), "")
    first = next((line for line in lines if line.startswith("@@")), "")
    number = _first_changed(lines, first)
    more = len(changed) - _DIFF_LINES
    shown = (*changed[:_DIFF_LINES], f"  ... {count(more, 'more line')}") if more > 0 else changed
    return [Entry("PATCH", f"{nearby(path)}:{number}", tone=Tone.STRONG), Diff(shown)]


def _first_changed(lines: Sequence[str], hunk: str) -> int:
    """The line that the first hunk changes first, counted as the file before it is."""
    number = int(hunk.split()[1].lstrip("-").partition(",")[0])
    for line in lines[lines.index(hunk) + 1 :]:
        if line[:1] in "+-":
            break
        number += 1
    return number


def _unproven(diagnosis: Diagnosis, treatment: Treatment) -> list[Block]:
    tried = count(len(treatment.trials), "fix", "fixes")
    top = diagnosis.suspects[:1]
    told = [f"The likeliest cause remains {one.cause.slug} ({percent(one.confidence)})." for one in top]
    return [
        Headline("NO PROVEN FIX", f"{tried} tried", "", Tone.DOUBT),
        *(Paragraph(says) for says in told),
    ]


def _from_to(trial: Trial) -> str:
    figures = row(trial)
    return f"{figures.control} -> {figures.treated}" if trial.counted else "-"


def _tried(treatment: Treatment) -> list[Block]:
    verdicts = [_short_verdict(trial) for trial in treatment.trials]
    lines = accumulate(-(-len(says) // _VERDICT_WIDTH) for says in verdicts)
    shown = min(max(sum(taken <= _VERDICT_LINES for taken in lines), 1), _TRIED)
    rows = [
        (label_of(trial.changes), _from_to(trial), Cell(says, TONES[trial.outcome]))
        for trial, says in zip(treatment.trials[:shown], verdicts, strict=False)
    ]
    more = len(treatment.trials) - shown
    if more > 0:
        rows.append((f"{more} more", "", Cell("--all lists them", Tone.QUIET)))
    return [table(",,", rows, "TRIED")] if rows else []


def _short_verdict(trial: Trial) -> str:
    refused = any(pair.treated.refused for pair in trial.pairs)
    return "not applicable to this program" if refused else printable(verdict(trial), _LONGEST_VERDICT)


def _skipped(treatment: Treatment) -> list[Block]:
    if not treatment.untried:
        return []
    left = count(len(treatment.untried), "more fix", "more fixes")
    return [Entry("SKIPPED", f"{left}: {treatment.why_untried}" if treatment.why_untried else left)]


def _next(run: Run, treatment: Treatment, name: str) -> list[Block]:
    if treatment.best and treatment.patch:
        return [Command("apply", f"traindx apply {name}".rstrip())]
    if treatment.best:
        return []
    program = program_of(run)
    return (
        [Command("next", f"traindx treat --minutes 30 {program}", "more time, more fixes")] if program else []
    )


def _sections(treatment: Treatment, beliefs: Beliefs) -> tuple[Section, ...]:
    trials: list[Block] = []
    for measure, rows in rows_by_measure(treatment).items():
        trials.append(Paragraph(f"Compared by {compared_by(measure)}."))
        cells = [
            (one.change, one.control, one.treated, one.effect, Cell(one.verdict, TONES[one.outcome]))
            for one in rows
        ]
        trials.append(table("change, control>, treated>, effect [95%], verdict", cells))
    lists = {
        "Confidence before and after the trials": belief_lines(beliefs),
        "Trial runs that do not count": set_aside(treatment),
        "Fixes not tried": left_untried(treatment),
        "Notes on the trials": list(treatment.notes),
    }
    patch = (Section("Patch", (Diff(tuple(treatment.patch.splitlines())),)),) if treatment.patch else ()
    found = (Section(name, (Bullets(tuple(items)),)) for name, items in lists.items() if items)
    return (*patch, Section("Trials", tuple(trials), is_open=True), *found)
