"""Logs of one run to a `Run`: names, splits, segments, one point per step."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from traindx.facts import LEARNING_RATE_BEFORE, LOSS_BEFORE, LOSSES_DIFFER, RESUMED_AT
from traindx.format import count
from traindx.quantities import COUNTERS, QUANTITIES, TRAIN_LOSS, WALL_TIME
from traindx.readers.loading.continuation import Relation, Seam, starts_late
from traindx.readers.loading.files import facts_from_settings
from traindx.readers.loading.parts import Part, PlacedStrand, parts_of
from traindx.readers.loading.segments import (
    Strand,
    counting_epochs,
    resumptions,
    segments_between,
    series_of,
    superseded_notes,
)
from traindx.readers.names.whole_names import on_split
from traindx.readers.types import Column, last_of_each_step
from traindx.run import Event, EventKind, Fact, Floats, Quantity, Run, Scalar, Segment, Series, Skipped, Split

_ENOUGH = 0.1
"""Share of the points of the longest run of a log from which on a run is long enough to be judged."""
_ORDER = {quantity: number for number, quantity in enumerate(QUANTITIES.values())}


@dataclass(frozen=True, eq=False)
class _StrandSeries:
    """What one strand gives."""

    source: str
    sureness: float
    series: tuple[Series, ...]
    written: tuple[Floats, ...]
    """The values of each series as they were written, those of repeated steps included."""
    segments: tuple[Segment, ...]
    unread: tuple[Skipped, ...]
    notes: tuple[str, ...]


def assemble(
    name: str, strands: Sequence[Strand], settings: Mapping[str, Scalar], names: Mapping[str, Quantity]
) -> Run:
    """Make the run of its strands: of several that follow each other the last that is long enough."""
    parts = parts_of(counting_epochs(strands), names)
    runs = [_run(name, part, settings, number) for number, part in enumerate(parts, start=1)]
    if len(runs) == 1:
        return runs[0]
    points = [_points(run) for run in runs]
    enough = [run for run, own in zip(runs, points, strict=True) if own >= _ENOUGH * max(points)]
    return replace(enough[-1], others=tuple(run for run in runs if run is not enough[-1]))


def _points(run: Run) -> int:
    """The points of the longest series that measures something."""
    measured = [s for s in run.series if s.quantity not in COUNTERS]
    return max((len(s.finite) for s in measured), default=0)


def _run(name: str, part: Part, settings: Mapping[str, Scalar], number: int) -> Run:
    """Make one run of what its strands hold."""
    woven = sorted(map(_series_of_strand, part.strands), key=lambda w: -sum(map(len, w.series)))
    notes = [note for strand in woven for note in strand.notes]
    logs = [log for strand in part.strands for log in strand.strand.logs]
    events = tuple(event for log in logs for event in log.events)
    series = _with_nan(_promoted(_merged(woven, notes), notes), events, notes)
    # What the log itself states was in force; a file beside it may have been edited since.
    everything = {**settings, **{name: value for log in logs for name, value in log.settings.items()}}
    segments = _zipped([w.segments for w in woven])
    facts = facts_from_settings(everything, logs)
    if differ := facts.get(LOSSES_DIFFER):
        notes.append(f"training and validation loss are not compared: {differ}")
    run = Run(
        name=name,
        series=tuple(sorted(series, key=lambda s: _ORDER.get(s.quantity, len(_ORDER)))),
        sources=tuple(dict.fromkeys(log.source for log in logs)),
        formats=tuple(dict.fromkeys(strand.strand.title for strand in part.strands)),
        segments=segments,
        facts=facts,
        settings=everything,
        events=events + resumptions(segments),
        unread=_summed(u for w in woven for u in w.unread),
        notes=tuple(dict.fromkeys(notes)),
        model=tuple(layer for log in logs for layer in log.model),
        number=number,
    )
    resumed = _resumed(run, part.seam)
    return replace(run, facts={**run.facts, **resumed}) if resumed else run


_NOT_FINITE = re.compile(r"(?i)\bnan|non-?finite|\bnot (?:be )?finite|\binfinit(?:e|y)\b|[\s,[]-?inf,")


def _with_nan(series: Sequence[Series], events: Iterable[Event], notes: list[str]) -> Sequence[Series]:
    """The series, and at the end of the training loss the NaN over which the program stopped."""
    stopped = any(event.kind is EventKind.EXCEPTION and _NOT_FINITE.search(event.says) for event in events)
    loss = next(
        (curve for curve in series if curve.quantity is TRAIN_LOSS and not curve.part and len(curve)), None
    )
    if not stopped or loss is None or not np.isfinite(loss.values).all():
        return series
    steps, values = np.append(loss.steps, loss.steps[-1] + 1), np.append(loss.values, np.nan)
    notes.append(f"the program stopped over a NaN: counted as the loss after {loss.axis.value} {steps[-2]:g}")
    return [replace(curve, steps=steps, values=values) if curve is loss else curve for curve in series]


def _resumed(run: Run, seam: Seam) -> dict[Fact, Scalar]:
    """That a run began before its first record, and what was left where it goes on."""
    if seam.relation is Relation.RESUMED:
        before = {LOSS_BEFORE: seam.loss_before, LEARNING_RATE_BEFORE: seam.rate_before}
        return {RESUMED_AT: seam.step, **{f: value for f, value in before.items() if value is not None}}
    late = None if run.model else starts_late(run)
    return {} if late is None else {RESUMED_AT: late}


def _series_of_strand(placed: PlacedStrand) -> _StrandSeries:
    strand, columns = placed.strand, placed.placement.placed
    notes = list(placed.placement.notes)
    if not placed.going.ordered:
        notes.append("records were not in step order: sorted by step, restarts are not visible")
    series = [series_of(p) for p in columns]
    clock = _wall_time(series, placed.columns)
    return _StrandSeries(
        source=strand.logs[0].source,
        sureness=strand.sureness,
        series=(*series, *clock),
        written=(*(p.column.values for p in columns), *(c.values for c in clock)),
        segments=segments_between(columns, placed.going),
        unread=(
            *(u for log in strand.logs for u in log.unread),
            *placed.placement.unread,
            *placed.nowhere,
        ),
        notes=(*notes, *superseded_notes(columns, placed.going)),
    )


def _wall_time(series: Sequence[Series], columns: Sequence[Column]) -> tuple[Series, ...]:
    """When the records were written, where the log says so and no series of it does."""
    timed = [c for c in columns if c.times is not None]
    if not timed or any(s.quantity == WALL_TIME for s in series):
        return ()
    longest = max(timed, key=lambda column: len(column.values))
    assert longest.times is not None
    keep = last_of_each_step(longest.steps)
    seconds = longest.times[keep] - longest.times.min()
    return (Series(WALL_TIME, longest.steps[keep], seconds, longest.axis, name="time of writing"),)


def _promoted(series: Sequence[Series], notes: list[str]) -> tuple[Series, ...]:
    """Read test series as validation where a run measures test data all along and has no validation."""
    if any(s.quantity.split is Split.VALIDATION for s in series):
        return tuple(series)
    recurring = [s for s in series if s.quantity.split is Split.TEST and len(s) >= 3]
    if not recurring:
        return tuple(series)
    notes.append("no validation data; test metrics are logged throughout the run and used as validation")
    return tuple(
        replace(s, quantity=on_split(s.quantity, Split.VALIDATION)) if s in recurring else s for s in series
    )


def _merged(woven: Sequence[_StrandSeries], notes: list[str]) -> list[Series]:
    """The series of all strands; what a less exact strand only repeats is left out, and said."""
    merged: list[tuple[Series, Floats]] = []
    for strand in sorted(woven, key=lambda strand: -strand.sureness):
        pairs = list(zip(strand.series, strand.written, strict=True))
        echoes = [pair for pair in pairs if _stands_in(pair, merged)]
        measured = sum(series.quantity != WALL_TIME for series, _ in echoes)
        if measured:
            notes.append(f"{strand.source} repeats {count(measured, 'series', 'series')}; duplicates dropped")
        merged += [pair for pair in pairs if pair not in echoes]
    return _told_apart([series for series, _ in merged])


def _stands_in(pair: tuple[Series, Floats], others: Sequence[tuple[Series, Floats]]) -> bool:
    """Whether another strand has the same numbers already."""
    candidate, written = pair
    rivals = [
        (s, values) for s, values in others if (s.quantity, s.layer) == (candidate.quantity, candidate.layer)
    ]
    if candidate.quantity == WALL_TIME:
        return bool(rivals)
    return any(_repeats(candidate, rival) or _written_alike(written, values) for rival, values in rivals)


def _repeats(ours: Series, theirs: Series) -> bool:
    """Whether every point of one series stands in the other, up to the rounding of a printed table."""
    if ours.axis is not theirs.axis or len(ours) > len(theirs):
        return False
    where = np.minimum(np.searchsorted(theirs.steps, ours.steps), len(theirs) - 1)
    near = np.isclose(theirs.steps[where], ours.steps, rtol=1e-2)
    return bool(np.all(near & _same_when_printed(theirs.values[where], ours.values)))


def _written_alike(ours: Floats, theirs: Floats, *, least: int = 5) -> bool:
    """Whether one log holds the first values of another in the same order, wherever it places them."""
    if len(ours) > len(theirs) or len(ours) < least or not np.ptp(ours) > 0:
        return False
    first = theirs[: len(ours)]
    # A share in one log may be a percentage in the other.
    return any(bool(np.all(_same_when_printed(ours * scale, first))) for scale in (1.0, 0.01, 100.0))


def _same_when_printed(ours: Floats, theirs: Floats) -> NDArray[np.bool_]:
    return np.isclose(ours, theirs, rtol=0.02, atol=1e-8, equal_nan=True)


def _told_apart(series: Sequence[Series]) -> list[Series]:
    """Give series that still share a quantity parts of their own; the longest keeps its part."""
    groups: dict[tuple[object, ...], list[Series]] = {}
    for curve in series:
        groups.setdefault((curve.quantity, curve.part, curve.layer), []).append(curve)
    renamed: dict[int, Series] = {}
    for (_, part, _), alike in groups.items():
        longest = max(alike, key=len)
        for number, curve in enumerate((s for s in alike if s is not longest), start=2):
            taken = curve.name == longest.name or number > 2
            label = f"{curve.name} {number}" if taken else curve.name
            renamed[id(curve)] = replace(curve, part=f"{part} {label}".strip())
    return [renamed.get(id(curve), curve) for curve in series]


def _zipped(strands: Sequence[tuple[Segment, ...]]) -> tuple[Segment, ...]:
    """Join the segments of strands that were restarted equally often; else the longest strand's count."""
    if not strands or not strands[0]:
        return ()
    alike = [segments for segments in strands if len(segments) == len(strands[0])]
    return tuple(
        replace(parts[0], series=tuple(s for part in parts for s in part.series))
        for parts in zip(*alike, strict=True)
    )


def _summed(unread: Iterable[Skipped]) -> tuple[Skipped, ...]:
    counts: dict[tuple[str, str], int] = {}
    for item in unread:
        counts[(item.name, item.why)] = counts.get((item.name, item.why), 0) + item.count
    return tuple(Skipped(name, count, why) for (name, why), count in counts.items())
