"""Runs compared: one drawing, the table with the best first, what goes with the outcome, where runs part."""

from collections.abc import Iterable

import numpy as np

from traindx.comparison.types import Comparison, Entry
from traindx.curves.series import whole
from traindx.format import number, printable, step
from traindx.report.html.chart import chart
from traindx.report.html.extremes import extremes
from traindx.report.html.figure import OTHERS, Figure, Line, Look, Panel, line_of
from traindx.report.html.markup import Detail, Markup, escape, fill, heads, joined
from traindx.report.html.opening import badge
from traindx.run import Run, Scalar, Series
from traindx.trials.types import Report

_NAMED = 6
"""As many lines have a colour of their own; the rest stand behind them."""


def comparison_part(report: Report, comparison: Comparison, detail: Detail) -> Markup:
    """The whole comparison of the report's runs."""
    drawing = overlaid(report, comparison, detail)
    measure = " ".join(word for word in (comparison.measure.called, comparison.part) if word)
    return fill(
        "<section><h2>Comparison by {measure}</h2>{chart}{table}{goes_with}{partings}{notes}</section>",
        measure=measure,
        chart=chart(drawing, "all runs", detail.still) if drawing else Markup(),
        table=_table(report, comparison),
        goes_with=_list("What goes with the outcome", (one.says for one in comparison.associations)),
        partings=_list("Where runs part", (one.says for one in comparison.partings)),
        notes=_list("To keep in mind", comparison.notes),
    )


def _table(report: Report, comparison: Comparison) -> Markup:
    target = [] if comparison.target is None else [f"reached {number(comparison.target)} at"]
    words = [
        "run",
        "verdict",
        "best",
        "at",
        "final",
        *target,
        *(printable(name, 40) for name in comparison.differing),
    ]
    places = {run.name: place for place, run in enumerate(report.runs, 1)}
    return fill(
        '<div class="scroll" tabindex="0" role="region" aria-label="Runs side by side"><table>'
        "<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>",
        heads=heads(words, 2),
        rows=joined(_row(entry, comparison, places.get(entry.run)) for entry in comparison.entries),
    )


def _row(entry: Entry, comparison: Comparison, place: int | None) -> Markup:
    name = escape(entry.run, 100)
    at = f"{entry.axis.value} {step(entry.best_at)}"
    cells = [number(entry.best), at, number(entry.final)] if entry.points else ["", "", ""]
    if comparison.target is not None:
        cells.append("never" if entry.reached_at is None else f"{entry.axis.value} {step(entry.reached_at)}")
    cells += [_setting(entry.settings.get(name)) for name in comparison.differing]
    return fill(
        '<tr><th scope="row">{name}</th><td>{badge}</td>{cells}</tr>',
        name=fill('<a href="#run-{place}">{name}</a>', place=str(place), name=name) if place else name,
        badge=badge(entry.verdict),
        cells=joined(fill('<td class="number">{cell}</td>', cell=printable(cell, 60)) for cell in cells),
    )


def _setting(value: Scalar | None) -> str:
    if value is None:
        return ""
    return number(value) if isinstance(value, float) else str(value)


def _list(heading: str, sentences: Iterable[str]) -> Markup:
    items = joined(fill("<li>{one}</li>", one=one) for one in sentences)
    return fill("<h3>{heading}</h3><ul>{items}</ul>", heading=heading, items=items) if items else Markup()


def overlaid(report: Report, comparison: Comparison, detail: Detail) -> Figure | None:
    """The measure of all runs over one axis, the best in colour and before the others."""
    order = {entry.run: place for place, entry in enumerate(comparison.entries)}
    runs = sorted(report.runs, key=lambda run: order.get(run.name, len(order)))
    curves = [(run, series) for run in runs if (series := _measured(run, comparison)) is not None]
    if not curves:
        return None
    axes = [series.axis for _, series in curves]
    axis = max(set(axes), key=axes.count)
    shown = [(run, series) for run, series in curves if series.axis is axis]
    lines = [_line(run, series, place, detail) for place, (run, series) in enumerate(shown)]
    notes = (
        [] if len(shown) == len(curves) else [f"Not drawn: {len(curves) - len(shown)} that count otherwise."]
    )
    if len(lines) > _NAMED:
        notes.append(f"The {_NAMED} best are coloured.")
    return Figure(
        axis, (Panel(comparison.measure.called, tuple(reversed(lines)), main=True),), (), tuple(notes)
    )


def _measured(run: Run, comparison: Comparison) -> Series | None:
    if comparison.measure not in run:
        return None
    found = [series for series in run.all(comparison.measure) if series.part == comparison.part]
    series = found[0] if found else whole(run, comparison.measure)
    return series if len(series) and bool(np.isfinite(series.values).any()) else None


def _line(run: Run, series: Series, place: int, detail: Detail) -> Line:
    drawn = extremes(series.steps, series.values, min(detail.chart, 500))
    colour = place if place < _NAMED else OTHERS
    return line_of(run.name, drawn, colour, Look.PLAIN, max(colour, 0))
