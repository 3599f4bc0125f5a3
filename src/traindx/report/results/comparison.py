"""Several runs as a page: which is best, which settings explain it, where they diverge."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

import numpy as np

from traindx.comparison.types import Comparison, Entry, Parting
from traindx.curves.series import whole
from traindx.diagnosis.types import Verdict
from traindx.format import count, listed, number, printable, step
from traindx.report import blocks as b
from traindx.report.results.run import shared_folder
from traindx.run import Run, Series

_SETTINGS = 2
"""Settings with a column of their own: those that explain the order best."""
_NOTES = 3
_MOST_ROWS = 12
"""Runs on the screen; a table that is a little longer is shown whole."""
_VALUE, _SETTING = 14, 40
_TONES = {Verdict.SICK: b.Tone.BAD, Verdict.HEALTHY: b.Tone.GOOD, Verdict.INCONCLUSIVE: b.Tone.DOUBT}


def page(comparison: Comparison, runs: Sequence[Run] = ()) -> b.Page:
    """The runs, the best first, and how they differ; with the runs themselves also their curves."""
    measure = f"{comparison.measure.slug.replace('_', ' ')} {comparison.part}".strip()
    notes = (
        count(len(comparison.entries), "run"),
        f"by {measure}, {comparison.measure.better.value} is better",
    )
    explanations = [association.says for association in comparison.associations][:_NOTES] or list(
        comparison.notes
    )[:1]
    every = comparison.entries
    shown = every if len(every) <= _MOST_ROWS + 4 else every[:_MOST_ROWS]
    hidden = len(every) - len(shown)
    screen: tuple[b.Block, ...] = (
        b.Header("compare", notes),
        b.Gap(),
        *_overlay(comparison, runs, measure),
        _table(comparison, shown, measure),
        *([b.Paragraph(f"{hidden} more runs: --all lists them", b.Tone.QUIET)] if hidden else ()),
        *(b.Paragraph(says, b.Tone.DOUBT) for says in comparison.warnings),
        *(b.Paragraph(says) for says in explanations),
    )
    complete = (b.Section("All runs", (_table(comparison, every, measure),)),) if hidden else ()
    return b.Page(
        "comparison of runs", screen, (*complete, *_sections(comparison, explanations)), len(shown) + 12
    )


def _overlay(comparison: Comparison, runs: Sequence[Run], measure: str) -> list[b.Block]:
    """The measure of all runs that count alike."""
    order = {entry.run: index for index, entry in enumerate(comparison.entries)}
    ranked = sorted(runs, key=lambda run: order.get(run.name, len(order)))
    measured = [(run, series) for run in ranked if (series := _measured(run, comparison)) is not None]
    if not measured:
        return []
    axis, _ = Counter(series.axis for _, series in measured).most_common(1)[0]
    folder = shared_folder([run.name for run in runs])
    curves = tuple(
        b.Curve(run.name.removeprefix(folder), series.steps, series.values)
        for run, series in measured
        if series.axis is axis
    )
    missing = len(measured) - len(curves)
    notes = (f"Not shown: {count(missing, 'run')} not counted by {axis.value}.",) if missing else ()
    return [b.Overlay(measure, axis, curves, notes)]


def _measured(run: Run, comparison: Comparison) -> Series | None:
    if comparison.measure not in run:
        return None
    curves = [series for series in run.all(comparison.measure) if series.part == comparison.part]
    series = curves[0] if curves else whole(run, comparison.measure)
    return series if bool(np.isfinite(series.values).any()) else None


def _explaining(comparison: Comparison) -> list[str]:
    weight = {association.name: abs(association.correlation) for association in comparison.associations}
    return sorted(comparison.differing, key=lambda setting: -weight.get(setting, 0.0))[:_SETTINGS]


def _table(comparison: Comparison, entries: Sequence[Entry], measure: str) -> b.Block:
    settings = _explaining(comparison)
    titles = [
        "run",
        f"{measure}>",
        "at>",
        "verdict",
        *(f"{printable(setting, _SETTING)}>" for setting in settings),
    ]
    partings = {parting.second: parting for parting in reversed(comparison.partings)}
    folder = shared_folder([entry.run for entry in comparison.entries])
    rows: list[tuple[str | b.Cell, ...]] = [
        (
            b.Cell(printable(entry.run.removeprefix(folder), 60), leads_to=entry.run),
            *_figures(entry),
            b.Cell("SICK" if entry.verdict is Verdict.SICK else entry.verdict.value, _TONES[entry.verdict]),
            *(_setting(entry, setting) for setting in settings),
            "(best)" if index == 0 else _parted(partings.get(entry.run), folder),
        )
        for index, entry in enumerate(entries)
    ]
    return b.table(", ".join([*titles, "they diverge"]), rows)


def _figures(entry: Entry) -> tuple[str, str]:
    if not entry.points:
        return "-", "-"
    return number(entry.best), f"{entry.axis.value} {step(entry.best_at)}"


def _setting(entry: Entry, setting: str) -> str:
    value = entry.settings.get(setting)
    if isinstance(value, float):
        return number(value)
    return "" if value is None else printable(str(value), _VALUE)


def _parted(parting: Parting | None, folder: str) -> str:
    if parting is None or parting.step is None:
        return ""
    first = printable(parting.first.removeprefix(folder), 30)
    return f"from {first} at {parting.axis.value} {step(parting.step)}"


def _sections(comparison: Comparison, notes: list[str]) -> tuple[b.Section, ...]:
    more = [association.says for association in comparison.associations if association.says not in notes]
    items = {
        "Settings that explain the order": more,
        "Speed": [speed(comparison)] if speed(comparison) else [],
        "Where runs diverge": [parting.says for parting in comparison.partings],
        "Settings": [_settings(entry, comparison.differing) for entry in comparison.entries],
        "Notes": [note for note in comparison.notes if note not in notes],
    }
    return b.lists(items)


def speed(comparison: Comparison) -> str:
    """Which run reaches the common target first, and how much later the others do; empty without a target."""
    if comparison.target is None:
        return ""
    reached = [entry for entry in comparison.entries if entry.reached_at is not None]
    reached.sort(key=lambda entry: entry.reached_at or 0.0)
    never = len(comparison.entries) - len(reached)
    rest = f"{count(never, 'run')} never reached it" if never else ""
    target = f"{comparison.measure.slug} {number(comparison.target)}"
    if not reached or reached[0].reached_at is None:
        return f"no run reaches {target}"
    together = groupby(reached[:4], key=lambda entry: (entry.axis.value, entry.reached_at or 0.0))
    places = [
        f"{' and '.join(entry.run for entry in entries)} ({axis} {step(at)})"
        for (axis, at), entries in together
    ]
    more = [f"{len(reached) - 4} later"] if len(reached) > 4 else []
    return f"{target} is reached by " + "; ".join(
        [", then ".join([*places, *more]), *([rest] if rest else [])]
    )


def _settings(entry: Entry, names: tuple[str, ...]) -> str:
    values = [f"{printable(name, 40)}={_setting(entry, name)}" for name in names if name in entry.settings]
    return f"{printable(entry.run, 60)}: {listed(values, 99)}"
