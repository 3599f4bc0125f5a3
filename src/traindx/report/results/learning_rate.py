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
    found = program.found
    screen: tuple[b.Block, ...] = (
        b.Header(f"lr-find {program.title}", (count(found.steps, "step"), duration(program.seconds))),
        b.Gap(),
        _headline(found),
        b.Paragraph(found.why),
        b.Gap(),
        *_change(program),
        b.Gap(),
        *_plot(found),
        *_trials(found),
        *([b.Entry("USABLE", usable)] if (usable := usable_line(found)) else []),
        *_proof(program),
    )
    drawn = picture_section("range test and trials", picture)
    return b.Page(f"{program.title}: {verdict(found)} · traindx", screen, (*drawn, *_sections(program)))


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
    told = _headline(program.found)
    at = f" · {program.patch.says}" if program.patch else ""
    return f"{told.word} {told.title}{at}"


def verdict(found: FoundRate) -> str:
    """The answer in a few words."""
    if found.suggested is None:
        return "no learning rate to suggest"
    if found.suggested == found.current:
        return f"keep the learning rate at {number(found.current)}"
    return f"set the learning rate to {number(found.suggested)}, from {number(found.current)}"


def _headline(found: FoundRate) -> b.Headline:
    if found.suggested is None:
        return b.Headline("NOT TUNED", "no learning rate to suggest", tone=b.Tone.DOUBT)
    if found.suggested == found.current:
        return b.Headline("KEEP", f"lr={number(found.current)}", tone=b.Tone.GOOD)
    factor = found.suggested / found.current
    change = f"{multiple(factor)} higher" if factor > 1 else f"{multiple(1 / factor)} lower"
    return b.Headline(
        "SET", f"lr={number(found.suggested)}", f"now {number(found.current)}, {change}", b.Tone.GOOD
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


def _plot(found: FoundRate) -> list[b.Block]:
    ends = [one for one in found.trials if math.isfinite(one.loss)]
    return [
        b.Plot(
            across="lr",
            line="range test",
            points="trials" if ends else "",
            line_at=np.array(found.curve.rates),
            line_values=np.array(found.curve.losses),
            points_at=np.array([one.rate for one in ends]),
            points_values=np.array([one.loss for one in ends]),
            mark=found.suggested,
        )
    ]


def _trials(found: FoundRate) -> tuple[b.Table, ...]:
    if not found.trials:
        return ()
    steps = max(len(one.course.losses) for one in found.trials)
    titles = f"lr>, {found.measure} after {count(steps, 'step')}>, share of the best drop>,"
    return (b.table(titles, [_trial(found, one) for one in found.trials]),)


def _trial(found: FoundRate, one: RateTrial) -> Sequence[b.Cell]:
    share = found.share(one)
    said = {
        "current": one.rate == found.current,
        "suggested": one.rate == found.suggested,
        "diverged": one.ran_away,
    }
    tone = b.Tone.GOOD if one.rate == found.suggested else b.Tone.PLAIN
    texts = (
        number(one.rate),
        number(one.loss) if math.isfinite(one.loss) else "-",
        "-" if share is None else percentage(max(0.0, share)),
        ", ".join(word for word, is_so in said.items() if is_so),
    )
    return [b.Cell(text, tone) for text in texts]


def _proof(program: "ProgramRate") -> list[b.Block]:
    """The command that tries the suggestion in whole runs and over several seeds."""
    found = program.found
    if found.suggested is None or found.suggested == found.current:
        return []
    change = f"optimizer.lr {found.suggested:g}"
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
    found = program.found
    lines = [
        f"starting loss {number(found.begins)}",
        _current(found),
        _limit(found),
        _cost(found, program.seconds),
        *found.notes,
    ]
    return (b.Section("Details", (b.Bullets(tuple(filter(None, lines))),)),)


def _current(found: FoundRate) -> str:
    """How the current learning rate compares with what was found."""
    now, usable = found.at(found.current), found.usable
    if usable is None or now is None:
        return ""
    share = found.share(now)
    is_bad = now.ran_away or share is None
    fell = "it diverges" if is_bad else f"{percentage(max(0.0, share or 0.0))} of the best drop"
    low, high = usable
    where = "in"
    if found.current < low:
        where = f"{multiple(low / found.current)} below"
    elif found.current > high:
        where = f"{multiple(found.current / high)} above"
    return f"current lr {number(found.current)} is {where} the usable range: {fell}"


def _limit(found: FoundRate) -> str:
    """From which learning rate on the loss diverges."""
    if found.diverges is None:
        top = max(found.curve.rates, default=0.0)
        return f"no divergence up to lr {number(float(f'{top:.2g}'))}" if found.trials else ""
    return f"diverges from about lr {number(float(f'{found.diverges:.2g}'))}"


def _cost(found: FoundRate, seconds: float) -> str:
    parts = f"{len(found.curve.losses)} in the range test"
    if found.trials:
        lengths = max(len(one.course.losses) for one in found.trials)
        parts += f", {count(len(found.trials), 'trial')} of {lengths}"
    return f"{count(found.steps, 'step')} ({parts}) in {duration(seconds)}"
