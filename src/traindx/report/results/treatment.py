"""A treatment as a page: what is proven, the patch, what was tried, the diagnosis; and what to do next."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

import numpy as np

from traindx.changes.types import label_of
from traindx.diagnosis.types import Diagnosis, Suspect
from traindx.format import count, duration, percent, printable
from traindx.report import blocks as b
from traindx.report.fix import (
    COMMAND_LINE,
    essential,
    first_changed,
    fix_for,
    nearby,
    shortened,
    treat_command,
)
from traindx.report.results import diagnosis as diagnosis_page
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
    named,
    row,
    rows_by_measure,
    set_aside,
    tried,
    verdict,
)
from traindx.run import Axis, Run
from traindx.trials.effect import is_refused
from traindx.trials.engine import TIME_OVER
from traindx.trials.types import Arm, Outcome, Treatment, Trial

_TRIED = 4
_MORE_TIME = "--minutes 30 "
_VERDICT_WIDTH, _VERDICT_LINES, _LONGEST_VERDICT = 34, 6, 120
"""About the columns of verdicts on the screen, the lines that leave room for the rest, and most letters."""
TONES = {
    Outcome.HELPED: b.Tone.GOOD,
    Outcome.NO_DIFFERENCE: b.Tone.PLAIN,
    Outcome.WORSE: b.Tone.BAD,
    Outcome.INCONCLUSIVE: b.Tone.DOUBT,
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
) -> b.Page:
    """What was tried on the program of a run; `name` is what `traindx apply` calls the treatment."""
    proof = (
        _proven(run, treatment, treatment.best, beliefs)
        if treatment.best
        else _unproven(diagnosis, treatment)
    )
    screen: tuple[b.Block, ...] = (
        b.Header(f"treat · {title(run)}", _extent(treatment, seconds)),
        b.Gap(),
        *proof,
        b.Gap(),
        *_tried(treatment),
        *_skipped(treatment),
        *_next(run, diagnosis.suspects, treatment, name),
        *([b.Command("report", report, is_path=True)] if report else []),
    )
    behind = diagnosis_page.page(run, diagnosis)
    before = b.Section(
        "The diagnosis before the trials",
        tuple(_before(behind.screen[2:], run, diagnosis, treatment)),
        is_open=True,
    )
    return b.Page(
        f"{title(run)}: {'fix proven' if treatment.best else 'no proven fix'} · traindx",
        screen,
        (*_sections(treatment, beliefs), before, *behind.sections),
        references=behind.references,
    )


def _before(
    blocks: Sequence[b.Block], run: Run, diagnosis: Diagnosis, treatment: Treatment
) -> Iterator[b.Block]:
    """The screen of a diagnosis after its fix was tried: how that went in place of what to do."""
    fix = fix_for(diagnosis.suspects[0].cause, run) if diagnosis.suspects else None
    trial = next((other for other in treatment.trials if fix and other.changes == fix.changes), None)
    for block in blocks:
        if isinstance(block, b.Command):
            continue
        if isinstance(block, b.Entry) and block.label == "FIX" and trial is not None:
            yield replace(block, at=f"tried: {verdict(trial)}")
        else:
            yield block


def _extent(treatment: Treatment, seconds: float | None) -> tuple[str, ...]:
    arms = {
        (arm.seed, arm.changes)
        for trial in treatment.trials
        for pair in trial.pairs
        for arm in (pair.control, pair.treated)
    }
    # A control may be the first run of the program, which is longer and compared up to the same step.
    taken = [pair.treated.steps for trial in treatment.trials for pair in trial.pairs if pair.treated.steps]
    steps = Counter(taken).most_common(1)[0][0] if taken else 0
    sentence = f"{count(len(arms), 'trial run')} of {count(steps, 'step')}"
    return (sentence,) if seconds is None else (sentence, duration(seconds))


def _proven(run: Run, treatment: Treatment, best: Trial, beliefs: Beliefs) -> list[b.Block]:
    seeds = f"{better_with(best)} of {count(len(best.counted), 'seed')}"
    checked = f"{seeds}, {_VERIFIED[treatment.patch_verified]}" if treatment.patch else seeds
    moved = belief_lines([belief for belief in beliefs if belief[0] == best.cause])
    lines = (
        [metric_line(treatment, run), f"{best.measure.value} {_from_to(best)} ({effect(best)})"],
        [health_line(treatment), *(f"confidence: {says}" for says in moved)],
    )
    sentences = [" · ".join(filter(None, line)) for line in lines]
    return [
        b.Headline("PROVEN", named(best), checked, b.Tone.GOOD),
        *(b.Paragraph(line) for line in sentences if line),
        *_curves(best),
        b.Gap(),
        *_patch(treatment),
    ]


def _curves(trial: Trial) -> list[b.Block]:
    """Every control and treated run of a trial over one axis."""
    arms = [
        (f"{name}, seed {arm.seed}", arm, color)
        for pair in trial.counted
        for color, (name, arm) in enumerate((("control", pair.control), ("treated", pair.treated)))
    ]
    return _overlay(trial, arms)


def _tried_curves(treatment: Treatment) -> list[b.Block]:
    """The first control run and what every fix made of it, where nothing is proven."""
    trials = [trial for trial in treatment.trials if trial.counted]
    if not trials:
        return []
    alike = [trial for trial in trials if trial.measure is trials[0].measure]
    treated = [(label_of(trial.changes), trial.counted[0].treated, None) for trial in alike]
    return _overlay(alike[0], [("control", alike[0].counted[0].control, None), *treated])


def _overlay(trial: Trial, arms: Sequence[tuple[str, Arm, int | None]]) -> list[b.Block]:
    """Arms by name and color, in the measure of a trial; those that recorded nothing are left out."""
    curves = [
        b.Curve(name, steps, values, color)
        for name, arm, color in arms
        if arm.curve
        for steps, values in [np.array(arm.curve, dtype=np.float64).T]
    ]
    return [b.Overlay(trial.measure.value, Axis.STEP, tuple(curves))] if curves else []


def _patch(treatment: Treatment) -> list[b.Block]:
    if not treatment.patch:
        why = treatment.patch_says or "this change cannot be written into the program"
        return [b.Entry("PATCH", f"no source patch: {why}")]
    lines = treatment.patch.splitlines()
    if treatment.command:
        return [b.Entry("PATCH", COMMAND_LINE, tone=b.Tone.STRONG), b.Diff(tuple(lines))]
    begins = [number for number, line in enumerate(lines) if line.startswith("--- a/")]
    blocks: list[b.Block] = []
    for start, end in pairwise([*begins, len(lines)]):
        own = lines[start:end]
        changed = essential([line for line in own if line[:3] not in ("+++", "---") and line[:2] != "@@"])
        path = next((line[6:] for line in own if line.startswith("+++ b/")), "")
        number = first_changed(own, next((line for line in own if line.startswith("@@")), ""))
        blocks += [b.Entry("PATCH", f"{nearby(path)}:{number}", tone=b.Tone.STRONG), shortened(changed)]
    return blocks


def _unproven(diagnosis: Diagnosis, treatment: Treatment) -> list[b.Block]:
    top = diagnosis.suspects[:1]
    sentences = [
        f"The likeliest cause remains {suspect.cause.slug} ({percent(suspect.confidence)})."
        for suspect in top
    ]
    is_done = sentences and not treatment.untried and not treatment.why_untried
    left = ["Every fix for it that can be applied automatically was tried; what is left is by hand."]
    says = " ".join([*sentences, *(left if is_done else [])])
    return [
        b.Headline("NO PROVEN FIX", tried(treatment), "", b.Tone.DOUBT),
        *([b.Paragraph(says)] if says else []),
        *_tried_curves(treatment),
    ]


def _from_to(trial: Trial) -> str:
    figures = row(trial)
    return f"{figures.control} -> {figures.treated}" if trial.counted else "-"


def _tried(treatment: Treatment) -> list[b.Block]:
    """The first fixes that ran; those that could not be applied are only counted."""
    ran = [trial for trial in treatment.trials if not is_refused(trial)]
    verdicts = [printable(verdict(trial), _LONGEST_VERDICT) for trial in ran]
    lines = accumulate(-(-len(says) // _VERDICT_WIDTH) for says in verdicts)
    shown = min(max(sum(taken <= _VERDICT_LINES for taken in lines), 1), _TRIED)
    rows = [
        (
            printable(label_of(trial.changes), _VERDICT_WIDTH),
            _from_to(trial),
            b.Cell(says, TONES[trial.outcome]),
        )
        for trial, says in zip(ran[:shown], verdicts, strict=False)
    ]
    more = [f"{len(ran) - shown} more"] if len(ran) > shown else []
    refused = len(treatment.trials) - len(ran)
    more += [f"{refused} not applicable"] if refused else []
    if more:
        rows.append((", ".join(more), "", b.Cell("--all lists them", b.Tone.QUIET)))
    return [b.table(",,", rows, "TRIED")] if rows else []


def _skipped(treatment: Treatment) -> list[b.Block]:
    if not treatment.untried:
        return []
    left = count(len(treatment.untried), "more fix", "more fixes")
    return [b.Entry("SKIPPED", f"{left}: {treatment.why_untried}" if treatment.why_untried else left)]


def _next(run: Run, suspects: Sequence[Suspect], treatment: Treatment, name: str) -> list[b.Block]:
    if treatment.best and treatment.command:
        return [b.Command("run", treatment.command)]
    if treatment.best and treatment.patch:
        return [b.Command("apply", f"traindx apply {name}".rstrip())]
    if treatment.best:
        return []
    if TIME_OVER in treatment.why_untried:
        following = treat_command(run, _MORE_TIME)
        return [b.Command("next", following, "more time")] if following else []
    return [
        b.Command("next", f"traindx explain {suspect.cause.slug}", "fixes by hand")
        for suspect in suspects[:1]
    ]


def _sections(treatment: Treatment, beliefs: Beliefs) -> tuple[b.Section, ...]:
    trials: list[b.Block] = []
    for measure, rows in rows_by_measure(treatment).items():
        trials.append(b.Paragraph(f"Compared by {compared_by(measure)}."))
        cells = [
            (
                other.change,
                other.control,
                other.treated,
                other.effect,
                b.Cell(other.verdict, TONES[other.outcome]),
            )
            for other in rows
        ]
        trials.append(b.table("change, control>, treated>, effect [95%], verdict", cells))
    items: dict[str, Sequence[str]] = {
        "Confidence before and after the trials": belief_lines(beliefs),
        "Trial runs that do not count": set_aside(treatment),
        "Fixes not tried": left_untried(treatment),
        "Notes on the trials": treatment.notes,
    }
    patch = (b.Section("Patch", (b.Diff(tuple(treatment.patch.splitlines())),)),) if treatment.patch else ()
    return (*patch, b.Section("Trials", tuple(trials), is_open=True), *b.lists(items))
