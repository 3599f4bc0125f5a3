"""What a program under `traindx run` told of its training: the text it printed, the log files it wrote.

    .traindx/runs/train-1/rank-0.traindx      the recording, if it trained with torch
                          console.txt         what it printed
                          written/            copies of the log files it wrote
                          program.json        what was run, and how it ended

A recording goes before what was told: only what it lacks is added. Where there is none, they are the run.
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
class Telling:
    """A run as one source tells it."""

    run: Run
    sureness: float
    is_printed: bool

    @property
    def rank(self) -> tuple[bool, bool, bool, int]:
        """What it is worth: a loss, a logger's own format, the program's own word, many points."""
        telling = _telling_series(self.run)
        has_loss = any(one.quantity in (TRAIN_LOSS, VAL_LOSS) for one in telling)
        return has_loss, self.sureness >= _SURE, self.is_printed, sum(map(len, telling))


def _telling_series(run: Run) -> list[Series]:
    """The series that tell how a training went, rather than where it stood or what was set."""
    return [
        series
        for series in run.series
        if series.quantity.better is not Better.NEITHER
        and series.quantity not in COUNTERS
        and not series.layer
        and len(series) >= _LEAST_POINTS
    ]


Tell = Callable[[Iterable[Source], str], Iterable[tuple[Run, float]]]
"""The runs that files tell of, below a folder, and how sure their readers are of the format."""


def with_told(runs: Sequence[Run], folder: Path, tell: Tell) -> list[Run]:
    """The runs of a tree with what a program told of its own: added to its recording, or a run by itself."""
    recorded = [run for run in runs if any(Path(source).parent == folder for source in run.sources)]
    # What several trainings printed cannot be told apart; one without a step crashed before it.
    if len(recorded) > 1 or any(not run.series for run in recorded):
        return list(runs)
    written, printed = str(folder / WRITTEN), str(folder)
    tellings = [
        *_richest(Telling(*one, is_printed=False) for one in tell(_written_in(folder), written)),
        *_richest(Telling(*one, is_printed=True) for one in tell(_printed_in(folder), printed)),
    ]
    if not recorded:
        told = _told_run(folder, tellings)
        return [*runs, *([told] if told is not None else [])]
    (run,) = recorded
    for telling in tellings:
        known, run = run, supplemented(run, telling.run)
        if not telling.is_printed and run is not known:
            run = replace(run, facts={**run.facts, f.READ_FROM_FILES: _from_files(known, run, telling.run)})
    return [run if one is recorded[0] else one for one in runs]


def _richest(tellings: Iterable[Telling]) -> list[Telling]:
    """The run that tells most, if there is any: others are seldom trainings."""
    return sorted(tellings, key=lambda one: one.rank, reverse=True)[:1]


def _told_run(folder: Path, tellings: Sequence[Telling]) -> Run | None:
    """The run of a program that was not recorded; None if it told nothing."""
    ranked = sorted((one for one in tellings if _telling_series(one.run)), key=lambda one: one.rank)
    if not ranked:
        return None
    best, *others = ranked[::-1]
    run = best.run
    for other in others:
        run = supplemented(run, other.run)
        run = replace(run, facts={**other.run.facts, **run.facts})
    stated = _program_in(folder)
    facts = {**run.facts, **_facts(stated), f.READ_FROM: _sources(ranked)}
    return replace(run, name=str(folder), facts=facts, events=(*run.events, *_endings(stated)))


def supplemented(run: Run, told: Run) -> Run:
    """A run with the series of another one whose quantities it lacks; what it has is never replaced."""
    known = {series.quantity for series in run.series}
    added = [_placed(run, series) for series in _telling_series(told) if series.quantity not in known]
    if not added:
        return run
    names = listed(list(dict.fromkeys(one.quantity.slug for one in added)), len(added))
    note = f"{names}: read from {listed([Path(one).name for one in told.sources], 2)}"
    facts = {**_steps_per_epoch(run, added), **run.facts}
    return replace(run, series=(*run.series, *added), notes=(*run.notes, note), facts=facts)


def _from_files(before: Run, after: Run, told: Run) -> str:
    """Which series a run has from log files of its program: "val loss from logs/metrics.csv"."""
    added = after.series[len(before.series) :]
    names = list(dict.fromkeys(one.quantity.slug.replace("_", " ") for one in added))
    files = [one.rpartition(f"{os.sep}{WRITTEN}{os.sep}")[2] for one in told.sources]
    return f"{listed(names, _NAMED)} from {listed(files, 1)}"


def _steps_per_epoch(run: Run, added: Sequence[Series]) -> dict[Fact, Scalar]:
    """How many recorded steps an epoch has, where the program told of each and all are equally long."""
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
    steps = [float(one.steps[-1]) for one in run.series if one.axis is Axis.STEP and len(one)]
    last = max(steps, default=float(series.steps[-1]))
    if abs(float(series.steps[-1]) - last) <= max(_SAME_STEPS * last, 1.0):
        return series
    return replace(series, steps=np.arange(len(series), dtype=np.float64), axis=Axis.RECORD)


def _sources(tellings: Sequence[Telling]) -> str:
    """What a run was read from, after "read from"."""
    written = {source for one in tellings if not one.is_printed for source in one.run.sources}
    printed = ["its output"] if any(one.is_printed for one in tellings) else []
    return " and ".join([*printed, *([f"{count(len(written), 'log file')} it wrote"] if written else [])])


def _program_in(folder: Path) -> Mapping[str, object]:
    """What is stated of the program of a run; nothing where no program was run."""
    try:
        stated = json.loads((folder / PROGRAM).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return stated if isinstance(stated, dict) else {}


_STATED: dict[str, Fact] = {
    "script": f.SCRIPT,
    "arguments": f.PROGRAM_ARGUMENTS,
    "exit_code": f.EXIT_CODE,
    "framework": f.FRAMEWORK,
    "where": f.CRASH_PLACE,
}


def _facts(stated: Mapping[str, object]) -> dict[Fact, Scalar]:
    return {
        fact: value
        for key, fact in _STATED.items()
        if isinstance(value := stated.get(key), Scalar) and value != ""
    }


def _endings(stated: Mapping[str, object]) -> Iterator[Event]:
    kinds = {"died": EventKind.EXCEPTION, "interrupted": EventKind.INTERRUPTED}
    for key, kind in kinds.items():
        if says := stated.get(key):
            yield Event(kind, str(says))


def program_folders(folder: str) -> Iterator[Path]:
    """The folders of runs of programs, those that left no recording included, at a path or below it."""
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        if PROGRAM in files:
            folders.clear()
            yield Path(parent)


def _written_in(folder: Path) -> list[Source]:
    """The copies of the log files that the program of a run wrote."""
    found = [source_at(file) for file in files_below(str(folder / WRITTEN))]
    return [one for one in found if isinstance(one, Source)]


def _printed_in(folder: Path) -> list[Source]:
    """What the program of a run printed, if it is kept."""
    path = folder / CONSOLE
    found = source_at(str(path)) if path.is_file() else None
    return [found] if isinstance(found, Source) else []


def started_in(run: Run, program: str) -> Path:
    """The directory that a program was started in, by where its recording is kept; else that of the user."""
    folders = [folder for source in run.sources for folder in Path(source).absolute().parents]
    homes = [folder.parent for folder in folders if folder.name == OWN_FOLDER]
    return next((home for home in homes if (home / program).is_file()), Path.cwd())
