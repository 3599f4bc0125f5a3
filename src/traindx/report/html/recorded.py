"""All that was read from a log: series, segments, settings, events, notes, and what was not understood."""

from collections.abc import Sequence

import numpy as np

from traindx.curves.facts import is_recording
from traindx.format import count, number, printable, step
from traindx.report.html.heads import heads
from traindx.report.html.markup import Markup, escape, fill, joined
from traindx.report.html.svg import tiny
from traindx.report.results.recording import told_event
from traindx.run import Axis, Better, Run, Series

_SHOWN = 20
_MOST = 420
"""As many series as a page can list and stay small."""


def series_table(run: Run, columns: int) -> Markup:
    """Every series with its figures and a small curve; a long table is folded after its beginning."""
    if not run.series:
        return Markup("<h3>All series</h3><p>No quantity was recognised.</p>")
    # What holds of the whole model comes first: a deep one has thousands of series by layer.
    ordered = sorted(run.series, key=lambda series: bool(series.layer))
    first, rest = ordered[:_SHOWN], ordered[_SHOWN:_MOST]
    unlisted = len(ordered) - _MOST
    beside = f"{count(unlisted, 'series', 'series')} by layer are not listed here; --json holds all."
    folded = fill(
        "<details><summary>{count} more</summary>{table}{beside}</details>",
        count=count(len(rest), "series", "series"),
        table=_table(rest, columns),
        beside=fill("<p>{beside}</p>", beside=beside) if unlisted > 0 else Markup(),
    )
    return fill(
        "<h3>All series</h3>{first}{rest}", first=_table(first, columns), rest=folded if rest else Markup()
    )


def _table(series: Sequence[Series], columns: int) -> Markup:
    words = ["quantity", "curve", "points", "from, to", "first", "last", "lowest", "highest"]
    flawed = any(not bool(np.isfinite(one.values).all()) for one in series)
    return fill(
        '<div class="scroll" tabindex="0" role="region" aria-label="All series"><table class="series"><thead>'
        "<tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>",
        heads=heads([*words, *(["not finite"] if flawed else [])], 2),
        rows=joined(_row(one, columns, flawed) for one in series),
    )


def _row(series: Series, columns: int, flawed: bool) -> Markup:
    finite = series.finite.values
    cells = [
        f"{len(series):,}",
        _ends(series),
        number(float(series.values[0])) if len(series) else "",
        number(float(series.values[-1])) if len(series) else "",
        number(float(finite.min())) if len(finite) else "",
        number(float(finite.max())) if len(finite) else "",
    ]
    if flawed:
        cells.append(f"{len(series) - len(finite):,}" if len(series) > len(finite) else "")
    better = {Better.LOWER: 4, Better.HIGHER: 5}.get(series.quantity.better)
    return fill(
        '<tr><th scope="row">{name}{detail}</th><td>{curve}</td>{cells}</tr>',
        name=series.quantity.called,
        detail=_detail(series),
        curve=tiny(series, columns),
        cells=joined(
            fill('<td class="number {best}">{cell}</td>', best="best" if place == better else "", cell=cell)
            for place, cell in enumerate(cells)
        ),
    )


def _detail(series: Series) -> Markup:
    words = [printable(word, 80) for word in (series.part, series.layer) if word]
    return fill("<small>{words}</small>", words=" ".join(words)) if words else Markup()


def _ends(series: Series) -> str:
    if not len(series):
        return ""
    unit = "" if series.axis is Axis.STEP else f" {series.axis.value}s"
    return f"{step(series.steps[0])}\u2013{step(series.steps[-1])}{unit}"


def remainder(run: Run) -> Markup:
    """Segments, settings, events, notes, sources and what was not understood, each folded if it is long."""
    segments = [
        f"{one.begins.value}: {one.axis.value}s {step(one.first_step)} to {step(one.last_step)}"
        for one in run.segments
    ]
    events = [f"{one.kind.value}: {told_event(one)}" for one in run.events]
    facts = [f"{fact.slug.replace('_', ' ')}: {value}" for fact, value in run.facts.items()]
    lists = {
        "Segments": segments if len(segments) > 1 else [],
        "Events": events,
        "Notes on reading": list(run.notes),
        "Facts": facts if is_recording(run) else [],
        "Settings": [f"{name} = {value}" for name, value in run.settings.items()],
        "Not understood": [f"{one.name}: {count(one.count, 'value')}, {one.why}" for one in run.unread],
        "Files": list(run.sources),
    }
    return joined(_list(heading, items) for heading, items in lists.items() if items)


def _list(heading: str, items: Sequence[str]) -> Markup:
    return fill(
        '<details{open}><summary>{heading} <span class="count">{count}</span></summary>'
        '<ul class="plain">{items}</ul></details>',
        open=Markup(" open")
        if heading in ("Segments", "Events", "Notes on reading") and len(items) < 8
        else "",
        heading=heading,
        count=f"{len(items):,}",
        items=joined(fill("<li>{item}</li>", item=escape(item, 400)) for item in items),
    )
