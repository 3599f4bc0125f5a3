"""What reports show of a run: its title and header, where its curves begin and end, and how it crashed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePath

import numpy as np

from traindx import facts as f
from traindx.curves.curve import curve_of
from traindx.curves.facts import is_program, is_recording, is_told, pace, stated_number
from traindx.curves.objective import learning_curve
from traindx.curves.series import shares, whole
from traindx.format import count, duration, listed, named_layer, number, pair, step
from traindx.quantities import QUANTITIES, TRAIN_LOSS
from traindx.report.results.program import share_text
from traindx.run import Axis, Begins, Event, EventKind, Run, Series

_DEAR, _LONG = 0.025, 30.0
"""Share of the time from which on the cost of recording is worth a word: above the default budget. And how
many seconds a run takes at least for it to matter: the first steps are always sampled densely."""
_RUNS = 4
"""Other runs of a log that a header names one by one."""


def title(run: Run) -> str:
    """What heads a report: the program that was recorded, or the name of the run."""
    script = run.facts.get(f.SCRIPT)
    if not is_program(run) or not isinstance(script, str) or not script:
        return run.name
    return PurePath(script).name


def shared_folder(names: Sequence[str]) -> str:
    """The folder below which all runs are, with its slash; empty for one run, or where they share none."""
    levels = zip(*(name.split("/")[:-1] for name in names), strict=False)
    shared = takewhile(lambda level: len(set(level)) == 1, levels)
    return "".join(f"{level[0]}/" for level in shared) if len(names) > 1 else ""


def main_series(run: Run) -> tuple[Series, ...]:
    """The curve a run is judged by, and the same on validation data if there is one."""
    judged = learning_curve(run)
    if judged is None:
        return run.all(TRAIN_LOSS)[:2]
    first = whole(run, judged.quantity)
    if not first.quantity.slug.startswith("train_"):
        return (first,)
    measure = first.quantity.slug.removeprefix("train_")
    beside = [QUANTITIES.get(f"{split}_{measure}") for split in ("val", "test")]
    second = next((whole(run, quantity) for quantity in beside if quantity and quantity in run), None)
    return (first,) if second is None else (first, second)


def span(series: Series) -> str:
    """From where to where a series goes: "steps 0-299"."""
    return f"{series.axis.value}s {step(series.steps[0])}-{step(series.steps[-1])}"


def extent(run: Run) -> str:
    """From where to where the longest series of a run goes."""
    return span(max(run.series, key=len)) if run.series else "no quantity recognized"


def share_at(run: Run, axis: Axis, position: float) -> float | None:
    """Where a position lies in the run, 0 its begin and 1 its end; None if nothing is counted so."""
    alike = [series for series in run.series if series.axis is axis and len(series)]
    if not alike:
        return None
    longest = max(alike, key=len)
    return float(np.interp(position, longest.steps, shares(run, longest)))


def header_notes(run: Run, shown: str = "judged") -> tuple[str, ...]:
    """How far it goes, and which run of its log it is, `shown` in the report.

    Of a recording how long it took, what cut it short, and a cost that was too high.
    """
    before = origin(run, shown)
    recorded = pace(run)
    ends = _interruption(run)
    if recorded is None:
        curves = main_series(run)
        source = f"read from {run.facts[f.READ_FROM]}" if is_told(run) else listed(list(run.formats), 2)
        return (source, span(curves[0]) if curves else extent(run), *ends[-1:], *before)
    steps = f"{step(recorded.steps)} {'step' if recorded.steps == 1 else 'steps'}"
    notes = [f"{steps} in {duration(recorded.seconds)}", *ends[-1:]]
    if f.READ_FROM_FILES in run.facts:
        notes.append(str(run.facts[f.READ_FROM_FILES]))
    if recorded.cost is not None and recorded.cost > _DEAR and recorded.seconds >= _LONG:
        notes.append(f"recording cost {share_text(recorded.cost)}")
    return (*notes, *before)


def _interruption(run: Run) -> list[str]:
    """How a run was interrupted; of a log only if it did not go on after that."""
    stops = [event for event in run.events if event.kind is EventKind.INTERRUPTED]
    if is_program(run):
        return [event.says for event in stops]
    # A log says it with the name of an exception.
    return ["interrupted"] if _at_end(stops, run) else []


def _at_end(events: Sequence[Event], run: Run) -> list[Event]:
    """The events after which a log has no further step: it may go on with the next start of the program."""
    last = max(
        (series.steps[-1] for series in run.series if series.axis is Axis.STEP and len(series)), default=0.0
    )
    return [event for event in events if event.step is None or event.step >= last]


def origin(run: Run, shown: str) -> tuple[str, ...]:
    """How a run follows those before it in its log; `shown` is what the report does with it."""
    return (*_joined(run), *_resumed(run), *_of_log(run, shown))


def _joined(run: Run) -> list[str]:
    """That a run consists of several segments: "resumed at step 5,000; joined into one run"."""
    words = {Begins.RESUME: "resumed", Begins.RESTART: "restarted"}
    where = [
        f"{words[segment.begins]} at {segment.axis.value} {step(segment.first_step)}"
        for segment in run.segments
        if segment.begins in words
    ]
    return [f"{listed(where, 2)}; joined into one run"] if where else []


def _resumed(run: Run) -> list[str]:
    """That the run began before its first record: in the run before it, or outside of the log."""
    at = stated_number(run, f.RESUMED_AT)
    if at is None:
        return []
    where = f" from run {run.number - 1}" if f.LOSS_BEFORE in run.facts else "; its start is not in the log"
    return [f"resumed at {_axis(run)} {step(at)}{where}"]


def _axis(run: Run) -> str:
    return max(run.series, key=len).axis.value if run.series else Axis.STEP.value


def _of_log(run: Run, shown: str) -> list[str]:
    """Which of several runs it is: "holds 3 runs (steps restart after 402 and 911); judged the last"."""
    runs = run.in_log
    if len(runs) == 1:
        return []
    ends = [step(earlier.segments[-1].last_step) for earlier in runs[:-1] if earlier.segments]
    where = f" ({_axis(run)}s restart after {_and(ends)})" if 0 < len(ends) <= _RUNS else ""
    which = "the last" if run.number == len(runs) else f"run {run.number}"
    others = [f"--run {other.number}" for other in run.others]
    rest = ", ".join(others) if len(others) <= _RUNS else f"{others[0]} to {others[-1]}"
    return [f"holds {count(len(runs), 'run')}{where}; {shown} {which}. Others: {rest}"]


def _and(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


_LOOKED_UP = 50
"""Points up to which a series is one that a program prints, such as a value for each epoch."""


def outcome(run: Run) -> str:
    """What became of the curves a run is judged by: "train loss 2.28 -> 0.048, val loss 1.68 -> 0.075"."""
    return ", ".join(_from_to(series) for series in main_series(run) if len(series))


def ending(run: Run) -> str:
    """Where a run ended, in a few words: "val loss 2.09", "train loss is NaN from step 310"."""
    curves = [series for series in main_series(run) if len(series)]
    lost = [says for series in curves if (says := _lost(series))]
    if lost or not curves:
        return "".join(lost[:1])
    return f"{_name_of(curves[-1])} {number(_ends_of(curves[-1]).last)}"


def _from_to(series: Series) -> str:
    lost = _lost(series)
    if lost:
        return lost
    name, ends = _name_of(series), _ends_of(series)
    if len(series) == 1:
        return f"{name} {number(ends.last)} (one value, at {series.axis.value} {step(series.steps[0])})"
    if ends.first == ends.last:
        return f"{name} stays at {number(ends.last)}"
    first, last = pair(ends.first, ends.last)
    return f"{name} {first} -> {'about ' if ends.is_smoothed else ''}{last}"


@dataclass(frozen=True)
class _Ends:
    """Where a series begins and ends."""

    first: float
    last: float
    is_smoothed: bool
    """Whether they are levels, as single values are noise."""


def _ends_of(series: Series) -> _Ends:
    """The values themselves where a person may look them up, else the levels around them."""
    values = series.finite.values
    if len(values) <= _LOOKED_UP:
        return _Ends(float(values[0]), float(values[-1]), is_smoothed=False)
    curve = curve_of(series)
    return _Ends(curve.shown(curve.start), curve.shown(curve.end), is_smoothed=True)


def _lost(series: Series) -> str:
    """From where on a series is NaN to its end; empty if it is not."""
    bad = series.first_bad_step
    if bad is None or np.isfinite(series.values[-1]):
        return ""
    return f"{_name_of(series)} is NaN from {series.axis.value} {step(bad)}"


def _name_of(series: Series) -> str:
    return series.quantity.slug.replace("_", " ")


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
    if not is_recording(run):
        events = _at_end(events, run)
    if not events:
        return None
    code = run.facts.get(f.EXIT_CODE)
    ended = f"exit code {code}" if isinstance(code, int) and code else ""
    line = str(run.facts.get(f.CRASH_PLACE, ""))
    last = events[-1]
    when = f"step {step(last.step)}" if last.step is not None else ""
    return Crash(last.says.rstrip("."), ", ".join(filter(None, (line, when, ended))), line)


def reason_of(crash: Crash, run: Run) -> str:
    """What a message of torch leaves out: which table an index left, and which indices it takes."""
    if not _LOOKUP.search(crash.says):
        return ""
    tables = [
        parameter for parameter in run.model if parameter.kind in _EMBEDDINGS and len(parameter.shape) == 2
    ]
    if not tables:
        return (
            "Index out of range in an embedding or index_select: each index must be below the number of rows."
        )
    rows = [
        f"{named_layer(table.name.rpartition('.')[0] or table.name)} takes 0 to {table.shape[0] - 1:,}"
        for table in tables
    ]
    return (
        f"Index out of range in an embedding: {listed(rows, _LAYERS)}. The ids need num_embeddings > max id."
    )


def before_crash(run: Run) -> str:
    """What was seen until the crash of a run in which nothing else is wrong."""
    curves = outcome(run)
    return (
        f"Before the crash: {curves}; no problem seen." if curves else "No problem was seen before the crash."
    )
