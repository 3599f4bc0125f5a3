"""A search for a learning rate as a page: the recommendation, the line to change, and the trials."""

import math
from collections.abc import Sequence

import numpy as np

from traindx.exams.learning_rate.types import FoundRate, RateTrial
from traindx.exams.preflight.types import Checklist
from traindx.finding import Finding
from traindx.format import count, duration, multiple, number, percentage
from traindx.report import blocks as b
from traindx.report.fix import DIFF_LINES, changed_lines, nearby
from traindx.report.results.exams import preflight_sections
from traindx.report.results.problems import fix_of, picture_section

TYPE_CHECKING = False  # as typing has it: the program of a search loads libcst
if TYPE_CHECKING:
    from traindx.exams.learning_rate.program import ProgramRate

_ALIKE = 0.95


def page(program: "ProgramRate", picture: bytes | None = None) -> b.Page:
    """The learning rate to set, as a diff if the line is known, and the trials."""
    result = program.found
    screen: tuple[b.Block, ...] = (
        b.Header(f"lr-find {program.title}", (count(result.steps, "step"), duration(program.seconds))),
        b.Gap(),
        _headline(result),
        b.Paragraph(result.why),
        b.Gap(),
        *_change(program),
        b.Gap(),
        *_plot(result),
        *_trials(result),
        *([b.Entry("USABLE", usable)] if (usable := usable_line(result)) else []),
        *_proof(program),
    )
    drawn = picture_section("range test and trials", picture)
    return b.Page(f"{program.title}: {verdict(result)} · traindx", screen, (*drawn, *_sections(program)))


def refusal(checklist: Checklist, bug: Finding, typed: str) -> b.Page:
    """Why a program is not tuned: a bug that no learning rate fixes; `typed` is the program."""
    screen: tuple[b.Block, ...] = (
        b.Header(f"lr-find {checklist.title}", (duration(checklist.seconds),)),
        b.Gap(),
        b.Headline("NOT TUNED", f"preflight failed: {bug.says}", bug.location),
        b.Paragraph("No learning rate fixes this. Fix the bug first."),
        b.Gap(),
        *fix_of(bug, checklist.run),
        b.Gap(),
        b.Command("next", f"traindx treat {typed}", "--force tunes anyway"),
    )
    return b.Page(f"{checklist.title}: not tuned · traindx", screen, preflight_sections(checklist))


def summary(program: "ProgramRate") -> str:
    """One line: the recommendation and the line to change."""
    headline = _headline(program.found)
    at = f" · {program.patch.says}" if program.patch else ""
    return f"{headline.word} {headline.title}{at}"


def verdict(found: FoundRate) -> str:
    """The answer in a few words."""
    if found.suggested is None:
        return "no learning rate to suggest"
    if found.suggested == found.current:
        return f"keep the learning rate at {number(found.current)}"
    return f"set the learning rate to {number(found.suggested)}, from {number(found.current)}"


def _headline(result: FoundRate) -> b.Headline:
    if result.suggested is None:
        return b.Headline("NOT TUNED", "no learning rate to suggest", tone=b.Tone.DOUBT)
    if result.suggested == result.current:
        return b.Headline("KEEP", f"lr={number(result.current)}", tone=b.Tone.GOOD)
    factor = result.suggested / result.current
    change = f"{multiple(factor)} higher" if factor > 1 else f"{multiple(1 / factor)} lower"
    return b.Headline(
        "SET", f"lr={number(result.suggested)}", f"now {number(result.current)}, {change}", b.Tone.GOOD
    )


def _change(program: "ProgramRate") -> list[b.Block]:
    """The user's own line with the new learning rate, or why it is not written."""
    if program.patch is None:
        return [b.Entry("NO PATCH", program.no_patch)] if program.no_patch else []
    line, lines = changed_lines(program.patch.before, program.patch.after)
    return [b.Entry("CHANGE", f"{nearby(program.patch.path)}:{line}"), b.Diff(lines[:DIFF_LINES])]


def change_line(program: "ProgramRate") -> str:
    """What is edited and where, or why nothing is; empty if there is nothing to change."""
    if program.patch is not None:
        return program.patch.says
    return f"no source patch: {program.no_patch}" if program.no_patch else ""


def _plot(result: FoundRate) -> list[b.Block]:
    ends = [trial for trial in result.trials if math.isfinite(trial.loss)]
    return [
        b.Plot(
            across="lr",
            line="range test",
            points="trials" if ends else "",
            line_at=np.array(result.curve.rates),
            line_values=np.array(result.curve.losses),
            points_at=np.array([trial.rate for trial in ends]),
            points_values=np.array([trial.loss for trial in ends]),
            mark=result.suggested,
        )
    ]


def _trials(result: FoundRate) -> tuple[b.Table, ...]:
    if not result.trials:
        return ()
    steps = max(len(trial.course.losses) for trial in result.trials)
    titles = f"lr>, {result.measure} after {count(steps, 'step')}>, share of the best drop>,"
    return (b.table(titles, [_trial(result, trial) for trial in result.trials]),)


def _trial(result: FoundRate, trial: RateTrial) -> Sequence[b.Cell]:
    share = result.share(trial)
    said = {
        "current": trial.rate == result.current,
        "suggested": trial.rate == result.suggested,
        "diverged": trial.ran_away,
    }
    tone = b.Tone.GOOD if trial.rate == result.suggested else b.Tone.PLAIN
    texts = (
        number(trial.rate),
        number(trial.loss) if math.isfinite(trial.loss) else "-",
        "-" if share is None else percentage(max(0.0, share)),
        ", ".join(word for word, is_so in said.items() if is_so),
    )
    return [b.Cell(text, tone) for text in texts]


def _proof(program: "ProgramRate") -> list[b.Block]:
    """The command that tries the suggestion in whole runs and over several seeds."""
    result = program.found
    if result.suggested is None or result.suggested == result.current:
        return []
    change = f"optimizer.lr {result.suggested:g}"
    return [b.Command("prove it", f'traindx treat --only "{change}" {program.typed}')]


def usable_line(found: FoundRate) -> str:
    """The learning rates that are about as good; empty if none is suggested."""
    if found.usable is None:
        return ""
    low, high = map(number, found.usable)
    if low == high:
        return f"only {low}: a third of it and 3x of it are more than 5% worse"
    chosen = found.at(found.suggested)
    share = None if chosen is None else found.share(chosen)
    is_alike = share is None or share >= _ALIKE
    return f"{low} to {high}" + (
        ": within 5% of the best drop" if is_alike else "; the best one is too close to divergence"
    )


def _sections(program: "ProgramRate") -> tuple[b.Section, ...]:
    result = program.found
    lines = [
        f"starting loss {number(result.begins)}",
        _current(result),
        _limit(result),
        _cost(result, program.seconds),
        *result.notes,
    ]
    return (b.Section("Details", (b.Bullets(tuple(filter(None, lines))),)),)


def _current(result: FoundRate) -> str:
    """How the current learning rate compares with what was found."""
    now, usable = result.at(result.current), result.usable
    if usable is None or now is None:
        return ""
    share = result.share(now)
    is_bad = now.ran_away or share is None
    fell = "it diverges" if is_bad else f"{percentage(max(0.0, share or 0.0))} of the best drop"
    low, high = usable
    where = "in"
    if result.current < low:
        where = f"{multiple(low / result.current)} below"
    elif result.current > high:
        where = f"{multiple(result.current / high)} above"
    return f"current lr {number(result.current)} is {where} the usable range: {fell}"


def _limit(result: FoundRate) -> str:
    """From which learning rate on the loss diverges."""
    if result.diverges is None:
        top = max(result.curve.rates, default=0.0)
        return f"no divergence up to lr {number(float(f'{top:.2g}'))}" if result.trials else ""
    return f"diverges from about lr {number(float(f'{result.diverges:.2g}'))}"


def _cost(result: FoundRate, seconds: float) -> str:
    parts = f"{len(result.curve.losses)} in the range test"
    if result.trials:
        lengths = max(len(trial.course.losses) for trial in result.trials)
        parts += f", {count(len(result.trials), 'trial')} of {lengths}"
    return f"{count(result.steps, 'step')} ({parts}) in {duration(seconds)}"
