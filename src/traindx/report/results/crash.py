"""How a program ended that raised an exception: where, why if the model shows it, what was seen before."""

import re
from dataclasses import dataclass

from traindx import facts as f
from traindx.curves.facts import is_recording
from traindx.format import listed, named_layer, step
from traindx.report.results.curve_ends import outcome
from traindx.run import Axis, Event, EventKind, Run

_LOOKUP = re.compile(r"index out of range in self$")
"""What torch says of an id that a table of embeddings has no row for."""
_EMBEDDINGS = ("Embedding", "EmbeddingBag")
_LAYERS = 2
"""Embeddings that a sentence names."""


@dataclass(frozen=True)
class Crash:
    """The exception that ended a program."""

    says: str
    at: str
    """Where and when: "train.py:31, step 12, exit code 1"."""
    line: str
    """File and line, where they are known."""


def crash_of(run: Run) -> Crash | None:
    """The exception that ended a program; None where it ended otherwise."""
    events = [event for event in run.events if event.kind is EventKind.EXCEPTION]
    if not is_recording(run):  # a log may go on after an exception, with the next start of the program
        last = max((one.steps[-1] for one in run.series if one.axis is Axis.STEP and len(one)), default=0.0)
        events = [event for event in events if event.step is None or event.step >= last]
    if not events:
        return None
    code = run.facts.get(f.EXIT_CODE)
    ended = f"exit code {code}" if isinstance(code, int) and code else ""
    line = str(run.facts.get(f.CRASH_PLACE, ""))
    at = ", ".join(filter(None, (line, _step_of(events[-1]), ended)))
    return Crash(events[-1].says.rstrip("."), at, line)


def _step_of(event: Event) -> str:
    return f"step {step(event.step)}" if event.step is not None else ""


def reason_of(crash: Crash, run: Run) -> str:
    """What a message of torch leaves out: which table an index left, and which indices it takes."""
    if not _LOOKUP.search(crash.says):
        return ""
    tables = [one for one in run.model if one.kind in _EMBEDDINGS and len(one.shape) == 2]
    if not tables:
        return (
            "Index out of range in an embedding or index_select: each index must be below the number of rows."
        )
    rows = [
        f"{named_layer(one.name.rpartition('.')[0] or one.name)} takes 0 to {one.shape[0] - 1:,}"
        for one in tables
    ]
    return (
        f"Index out of range in an embedding: {listed(rows, _LAYERS)}. The ids need num_embeddings > max id."
    )


def before(run: Run) -> str:
    """What was seen until the crash of a run in which nothing else is wrong."""
    curves = outcome(run)
    return (
        f"Before the crash: {curves}; no problem seen." if curves else "No problem was seen before the crash."
    )
