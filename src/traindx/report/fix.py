"""The fix as the user's own code, by the edit that `treat` would apply; and the one command to type next."""

import difflib
import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from traindx import facts as f
from traindx.cause import Cause, Prescription, Safety
from traindx.changes.types import ChangeSpec, change_of, label_of, parse_changes
from traindx.curves.facts import is_recording, is_told, pace
from traindx.diagnosis.types import Suspect
from traindx.format import count, duration
from traindx.readers.loading.program_run import started_in
from traindx.report.blocks import Command, Diff
from traindx.run import Run
from traindx.trials.plan import is_tried, prescribed

SAFETY = {Safety.SAFE: "safe to apply", Safety.ASK: "review", Safety.MANUAL: "manual"}
"""How safely a fix can be applied, in the words of a report."""
PROVEN = "proven"
COMMAND_LINE = "command line"
_TORCH = "torch"
DIFF_LINES = 6
"""Lines of a diff on a screen."""
_ACROSS = 3
"""Lines that a line is moved across and that are shown; of more, the last."""


@dataclass(frozen=True)
class Fix:
    """A prescription as it applies to one run."""

    prescription: Prescription
    changes: tuple[ChangeSpec, ...] = ()
    """The same for machines, in the dose that this run needs."""
    at: str = ""
    """File and line, relative to where the user is."""
    diff: tuple[str, ...] = ()
    """The changed lines, each with its sign; empty where no line is known."""
    values: str = ""
    """What it changes in numbers: "lr 3 -> 0.3"."""
    code: str = ""
    """Lines for the framework that was seen, where no line is known."""

    @property
    def safety(self) -> str:
        """How safely it can be applied, in a word or two; what a machine has written is only to be read."""
        safety = self.prescription.safety
        if safety is Safety.MANUAL and self.diff:
            return SAFETY[Safety.ASK]
        # Without a diff there is nothing that could be applied.
        return SAFETY[safety if self.diff or safety is not Safety.SAFE else Safety.MANUAL]

    @property
    def title(self) -> str:
        """What to do, with the numbers it comes to."""
        as_written = parse_changes(self.prescription.change) if self.prescription.change else ()
        is_other_dose = bool(self.changes) and self.changes != as_written
        label = label_of(self.changes) if is_other_dose else self.prescription.title
        return f"{label} ({self.values})" if self.values else label


def fix_for(cause: Cause, run: Run) -> Fix | None:
    """The first fix that suits the run: as a diff where its line is known, else in words and numbers."""
    suited = [fix for fix in cause.fixes if fix.suits(run)]
    written = (patch_fix for fix in suited if (patch_fix := _written(fix, run)) is not None)
    return next(written, _told(suited[0], run) if suited else None)


def fixes_for(cause: Cause, run: Run) -> list[Fix]:
    """Every fix that suits the run, the one to show first."""
    first = fix_for(cause, run)
    if first is None:
        return []
    rest = [fix for fix in cause.fixes if fix is not first.prescription and fix.suits(run)]
    return [first, *(_written(fix, run) or _told(fix, run) for fix in rest)]


def line_to_change(fix: Fix | None, suspect: Suspect) -> str:
    """The line to change, by the fix for a suspect; where that names none, the line that shows it."""
    return (fix.at if fix else "") or suspect.place


def _written(fix: Prescription, run: Run) -> Fix | None:
    """A fix as a diff of the program's source or of its arguments; None where neither expresses it."""
    stated = _told(fix, run)
    if not stated.changes or not is_recording(run) or find_spec("libcst") is None:
        return None
    # Not before it is needed: it loads libcst.
    from traindx.changes.source.delivery import certain_patch

    patch = certain_patch(stated.changes, run)
    if patch is None:
        return None
    if patch.arguments is not None:
        return replace(stated, at=COMMAND_LINE, diff=(f"-{patch.before}", f"+{patch.after}"))
    line, _ = changed_lines(patch.before, patch.after)
    lines = (line for part in patch.files for line in changed_lines(part.before, part.after)[1])
    return replace(stated, at=f"{nearby(patch.path)}:{line}", diff=tuple(lines))


def _told(fix: Prescription, run: Run) -> Fix:
    """A fix in words; its example only where the framework that was seen is the one it is written for."""
    is_torch = is_recording(run) and run.facts.get(f.FRAMEWORK, _TORCH) == _TORCH and not _is_trained_for(run)
    changes = (prescribed(fix.change, run) if fix.change else None) or ()
    values = change_of(changes[0]).describe(changes[0], run) if len(changes) == 1 else ""
    return Fix(fix, changes, values=values, code=fix.code if is_torch else "")


def _is_trained_for(run: Run) -> bool:
    """Whether one line of the program makes the optimizer and uses it: a trainer that hides its loop."""
    made = run.facts.get(f.OPTIMIZER_PLACE)
    return made is not None and made in (run.facts.get(f.STEP_PLACE), run.facts.get(f.LOSS_PLACE))


def changed_lines(before: str, after: str) -> tuple[int, tuple[str, ...]]:
    """The first line of a text that changes, counted from 1, and all changed lines with their signs."""
    old, new = before.splitlines(), after.splitlines()
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    codes = matcher.get_opcodes()
    changed = [code for code in codes if code[0] != "equal"]
    first = changed[0][1] + 1 if changed else 1
    return first, essential([line for code in codes for line in _signed(code, old, new)])


def first_changed(lines: Sequence[str], hunk: str) -> int:
    """The line that the first hunk changes first, counted as the file before it is."""
    number = int(hunk.split()[1].lstrip("-").partition(",")[0])
    for line in lines[lines.index(hunk) + 1 :]:
        if line[:1] in "+-":
            break
        number += 1
    return number


def _signed(code: tuple[str, int, int, int, int], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    kind, old_first, old_last, new_first, new_last = code
    if kind == "equal":
        yield from (f" {line}" for line in old[old_first:old_last])
        return
    yield from (f"-{line}" for line in old[old_first:old_last])
    yield from (f"+{line}" for line in new[new_first:new_last])


def essential(lines: Sequence[str]) -> tuple[str, ...]:
    """The changed lines of a diff; where one is moved, also those that it is moved across.

    Without them a statement that leaves a loop looks as if it were only indented otherwise.
    """
    spans = [(first, other) for first, line in enumerate(lines) for other in _moved_to(line, first, lines)]
    kept: list[str] = []
    for index, line in enumerate(lines):
        across = next((span for span in spans if min(span) < index < max(span)), None)
        is_near = across and (max(across) - min(across) <= _ACROSS + 1 or index == max(across) - 1)
        if line[:1] in ("-", "+") or is_near:
            kept.append(line)
        elif across and index == min(across) + 1:
            kept.append("  ...")
    return tuple(kept)


def _moved_to(line: str, index: int, lines: Sequence[str]) -> list[int]:
    """Where a line that is taken away stands again."""
    if line[:1] != "-" or not line[1:].strip():
        return []
    same = [
        other for other, new in enumerate(lines) if new[:1] == "+" and new[1:].strip() == line[1:].strip()
    ]
    between = {other: lines[min(index, other) : max(index, other)] for other in same}
    return [other for other in same if any(value[:1] == " " for value in between[other])][:1]


def shortened(lines: tuple[str, ...]) -> Diff:
    """The first lines of a diff, and how many more there are."""
    more = len(lines) - DIFF_LINES
    return Diff((*lines[:DIFF_LINES], f"  ... {count(more, 'more line')}") if more > 0 else lines)


def nearby(path: str) -> str:
    """A path as seen from where the user is; as it was where that would climb out of sight."""
    relative = os.path.relpath(path)
    return path if relative.startswith(os.path.join("..", "..", "")) else relative


_ARMS = 6
"""Runs of the program that a treatment takes which proves its first fix: three pairs."""
_SHORTEST_ESTIMATE = 60.0
"""Seconds below which starting the program takes longer than its steps, so that they tell nothing."""
WRITES_PATCH = "writes the patch"
_LONGEST_TREATMENT = 600.0
"""Seconds: the limit that `treat` sets itself."""


def next_command(
    run: Run, suspects: Sequence[Suspect], label: str = "prove it", note: str = WRITES_PATCH
) -> list[Command]:
    """The one command to type next, and what it does; a recording without a suspect has none."""
    program = program_of(run)
    if not program and is_told(run):
        return [Command("next", f"traindx explain {suspect.cause.slug}") for suspect in suspects[:1]]
    if not program:
        return [Command("record", "traindx run train.py", "sees gradients, shapes and code")]
    if not suspects:
        return []
    if not any(is_tried(suspect, run) for suspect in suspects):
        return [Command("next", f"traindx explain {suspects[0].cause.slug}")]
    recorded = pace(run)
    seconds = min(_ARMS * recorded.seconds, _LONGEST_TREATMENT) if recorded else 0.0
    takes = f"about {duration(seconds)}" if seconds >= _SHORTEST_ESTIMATE else ""
    return [Command(label, treat_command(run), "; ".join(filter(None, (takes, note))))]


def treat_command(run: Run, options: str = "") -> str:
    """The command that treats the program of a run, from where the user is; empty for a log."""
    program = program_of(run)
    if not program:
        return ""
    home = started_in(run, str(run.facts[f.SCRIPT]))
    there = "" if home.samefile(Path.cwd()) else f"cd {shlex.quote(nearby(str(home)))} && "
    return f"{there}traindx treat {options}{program}"


def program_of(run: Run) -> str:
    """The words of the program that was recorded; empty for a log."""
    script = run.facts.get(f.SCRIPT)
    if not is_recording(run) or not isinstance(script, str) or not script:
        return ""
    return f"{shlex.quote(script)} {run.facts.get(f.PROGRAM_ARGUMENTS, '')}".strip()
