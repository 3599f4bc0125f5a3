"""The run of a program under `traindx run`: what its processes recorded, what it printed, the logs it wrote.

    .traindx/runs/train-1/rank-0.traindx      the recording, if it trained with torch
                          rank-1.traindx      that of another process of the same training
                          console.txt         what it printed
                          written/            copies of the log files it wrote
                          program.json        what was run, and how it ended

`ranks.py` makes the recordings of several processes one.
A recording goes before what was printed and written: only what it lacks is added. Where there is none, they
are the run.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from traindx import facts as f
from traindx.curves.series import steps_taken
from traindx.format import count, listed
from traindx.quantities import COUNTERS, TRAIN_LOSS, VAL_LOSS
from traindx.readers.loading.files import (
    CONSOLE,
    OWN_FOLDER,
    PROGRAM,
    SKIPPED_FOLDERS,
    WRITTEN,
    files_below,
    source_at,
)
from traindx.readers.types import Source
from traindx.run import Axis, Better, Event, EventKind, Fact, Run, Scalar, Series

_LEAST_POINTS = 3
"""Points from which on a series tells how something went."""
_NAMED = 2
"""Quantities that are named."""
_SURE = 0.8
"""How sure a reader is of a file that only a logger of trainings writes."""
_SAME_STEPS = 0.05
"""Difference between the last step that was printed and the last that was recorded, over the latter."""


@dataclass(frozen=True, eq=False)
class _Output:
    """A run as what a program printed, or as a log file that it wrote, tells it."""

    run: Run
    sureness: float
    is_printed: bool

    @property
    def rank(self) -> tuple[bool, bool, bool, int]:
        """What it is worth: a loss, a logger's own format, the program's own word, many points."""
        measured = _measured(self.run)
        has_loss = any(series.quantity in (TRAIN_LOSS, VAL_LOSS) for series in measured)
        return has_loss, self.sureness >= _SURE, self.is_printed, sum(map(len, measured))


def _measured(run: Run) -> list[Series]:
    """The series that tell how a training went, rather than where it stood or what was set."""
    return [
        series
        for series in run.series
        if series.quantity.better is not Better.NEITHER
        and series.quantity not in COUNTERS
        and not series.layer
        and len(series) >= _LEAST_POINTS
    ]


RunsOf = Callable[[Iterable[Source], str], Iterable[tuple[Run, float]]]
"""The runs that files hold, below a folder, and how sure their readers are of the format."""


def with_output(runs: Sequence[Run], folder: Path, runs_of: RunsOf) -> list[Run]:
    """The runs of a tree with the output of a program: added to its recording, or a run by itself."""
    recorded = [run for run in runs if any(Path(source).parent == folder for source in run.sources)]
    # What several trainings printed cannot be told apart; one without a step crashed before it.
    if len(recorded) > 1 or any(not run.series for run in recorded):
        return list(runs)
    written, printed = folder / WRITTEN, folder / CONSOLE
    outputs = [
        *_richest(runs_of(_sources(files_below(str(written))), str(written)), is_printed=False),
        *_richest(runs_of(_sources([str(printed)] * printed.is_file()), str(folder)), is_printed=True),
    ]
    if not recorded:
        return [*runs, *_unrecorded(folder, outputs)]
    (run,) = recorded
    for output in outputs:
        known, run = run, _supplemented(run, output.run)
        if not output.is_printed and run is not known:
            run = replace(run, facts={**run.facts, f.READ_FROM_FILES: _from_files(known, run, output.run)})
    return [run if other is recorded[0] else other for other in runs]


def _sources(paths: Iterable[str]) -> list[Source]:
    return [source for path in paths if isinstance(source := source_at(path), Source)]


def _richest(runs: Iterable[tuple[Run, float]], *, is_printed: bool) -> list[_Output]:
    """The run that tells most, if there is any: others are seldom trainings."""
    outputs = [_Output(run, sureness, is_printed) for run, sureness in runs]
    return sorted(outputs, key=lambda output: output.rank, reverse=True)[:1]


def _unrecorded(folder: Path, outputs: Sequence[_Output]) -> Iterator[Run]:
    """The run of a program that was not recorded; none if its output holds no series."""
    ranked = sorted((out for out in outputs if _measured(out.run)), key=lambda out: out.rank)
    if not ranked:
        return
    best, *others = ranked[::-1]
    run = best.run
    for other in others:
        run = _supplemented(run, other.run)
        run = replace(run, facts={**other.run.facts, **run.facts})
    stated = _program_in(folder)
    facts = {**run.facts, **_facts(stated), f.READ_FROM: _origins(ranked)}
    yield replace(run, name=str(folder), facts=facts, events=(*run.events, *_endings(stated)))


def _supplemented(run: Run, other: Run) -> Run:
    """A run with the series of another one whose quantities it lacks; what it has is never replaced."""
    known = {series.quantity for series in run.series}
    added = [_placed(run, series) for series in _measured(other) if series.quantity not in known]
    if not added:
        return run
    names = listed(list(dict.fromkeys(series.quantity.slug for series in added)), len(added))
    note = f"{names}: read from {listed([Path(source).name for source in other.sources], 2)}"
    facts = {**_steps_per_epoch(run, added), **run.facts}
    return replace(run, series=(*run.series, *added), notes=(*run.notes, note), facts=facts)


def _from_files(before: Run, after: Run, other: Run) -> str:
    """Which series a run has from log files of its program: "val loss from logs/metrics.csv"."""
    added = after.series[len(before.series) :]
    names = list(dict.fromkeys(series.quantity.slug.replace("_", " ") for series in added))
    files = [source.rpartition(f"{os.sep}{WRITTEN}{os.sep}")[2] for source in other.sources]
    return f"{listed(names, _NAMED)} from {listed(files, 1)}"


def _steps_per_epoch(run: Run, added: Sequence[Series]) -> dict[Fact, Scalar]:
    """How many recorded steps an epoch has, where the output states each and all are equally long."""
    steps = steps_taken(run)
    for series in added:
        if series.axis is Axis.EPOCH and bool(np.all(np.diff(series.steps) == 1)):
            epochs = float(series.steps[-1]) + (1 if series.steps[0] == 0 else 0)
            if series.steps[0] <= 1 and steps > 0 and steps % epochs == 0:
                return {f.STEPS_PER_EPOCH: int(steps / epochs)}
    return {}


def _placed(run: Run, series: Series) -> Series:
    """A series on the steps of a run; where it counts something else as steps, only its order counts."""
    if series.axis is not Axis.STEP:
        return series
    steps = [float(own.steps[-1]) for own in run.series if own.axis is Axis.STEP and len(own)]
    last = max(steps, default=float(series.steps[-1]))
    if abs(float(series.steps[-1]) - last) <= max(_SAME_STEPS * last, 1.0):
        return series
    return replace(series, steps=np.arange(len(series), dtype=np.float64), axis=Axis.RECORD)


def _origins(outputs: Sequence[_Output]) -> str:
    """What a run was read from, after "read from"."""
    written = {source for output in outputs if not output.is_printed for source in output.run.sources}
    printed = ["its output"] if any(output.is_printed for output in outputs) else []
    return " and ".join([*printed, *([f"{count(len(written), 'log file')} it wrote"] if written else [])])


def _program_in(folder: Path) -> Mapping[str, object]:
    """What is stated of the program of a run; nothing where no program was run."""
    try:
        stated = json.loads((folder / PROGRAM).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return stated if isinstance(stated, dict) else {}


_STATED = {
    "script": f.SCRIPT,
    "arguments": f.PROGRAM_ARGUMENTS,
    "exit_code": f.EXIT_CODE,
    "framework": f.FRAMEWORK,
    "where": f.CRASH_PLACE,
}
_ENDINGS = {"died": EventKind.EXCEPTION, "interrupted": EventKind.INTERRUPTED}


def _facts(stated: Mapping[str, object]) -> dict[Fact, Scalar]:
    values = {fact: stated.get(key) for key, fact in _STATED.items()}
    return {fact: value for fact, value in values.items() if isinstance(value, Scalar) and value != ""}


def _endings(stated: Mapping[str, object]) -> Iterator[Event]:
    return (Event(kind, str(says)) for key, kind in _ENDINGS.items() if (says := stated.get(key)))


def program_folders(folder: str) -> Iterator[Path]:
    """The folders of runs of programs, those that left no recording included, at a path or below it."""
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        if PROGRAM in files:
            folders.clear()
            yield Path(parent)


def started_in(run: Run, program: str) -> Path:
    """The directory that a program was started in, by where its recording is kept; else that of the user."""
    folders = [folder for source in run.sources for folder in Path(source).absolute().parents]
    homes = [folder.parent for folder in folders if folder.name == OWN_FOLDER]
    return next((home for home in homes if (home / program).is_file()), Path.cwd())
