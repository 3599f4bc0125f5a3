"""The one command to type after a diagnosis."""

import shlex
from collections.abc import Sequence

from traindx import facts as f
from traindx.curves.facts import is_recording, pace
from traindx.diagnosis.types import Suspect
from traindx.format import duration
from traindx.report.blocks import Command
from traindx.run import Run

_ARMS = 6
"""Runs of the program that a treatment takes which proves its first fix: three pairs."""
_SHORTEST_ESTIMATE = 60.0
"""Seconds below which starting the program takes longer than its steps, so that they tell nothing."""
WRITES_PATCH = "writes the patch"
RUNS_EXPERIMENT = "runs this experiment"
_LONGEST_TREATMENT = 600.0
"""Seconds: the limit that `treat` sets itself."""


def next_command(
    run: Run, suspects: Sequence[Suspect], label: str = "prove it", note: str = WRITES_PATCH
) -> list[Command]:
    """The one command to type next, and what it does; a recording without a suspect has none."""
    program = program_of(run)
    if not program:
        return [Command("record", "traindx run train.py", "sees gradients, shapes and code")]
    if not suspects:
        return []
    top = suspects[0]
    if not any(one.change for one in top.cause.fixes):
        return [Command("next", f"traindx explain {top.cause.slug}")]
    recorded = pace(run)
    seconds = min(_ARMS * recorded.seconds, _LONGEST_TREATMENT) if recorded else 0.0
    takes = f"about {duration(seconds)}" if seconds >= _SHORTEST_ESTIMATE else ""
    return [Command(label, f"traindx treat {program}", "; ".join(filter(None, (takes, note))))]


def program_of(run: Run) -> str:
    """The words of the program that was recorded; empty for a log."""
    script = run.facts.get(f.SCRIPT)
    if not is_recording(run) or not isinstance(script, str) or not script:
        return ""
    return f"{shlex.quote(script)} {run.facts.get(f.PROGRAM_ARGUMENTS, '')}".strip()
