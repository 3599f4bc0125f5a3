"""What a recording shows, and the table of several runs."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from traindx.curves.facts import is_recording
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.format import count, number, printable, step
from traindx.report.html.markup import Markup, escape, fill, heads, joined
from traindx.report.html.opening import badge
from traindx.report.html.svg import tiny
from traindx.report.results.diagnosis import blame, outcome, sureness
from traindx.report.results.run import extent, main_series, shared_folder, told_event
from traindx.run import Axis, Better, Run, Series
from traindx.trials.types import Report

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


_ORDER = (Verdict.SICK, Verdict.INCONCLUSIVE, Verdict.HEALTHY)


def overview(report: Report, columns: int) -> Markup:
    """Name, verdict and its probability, first suspect and curve of each run."""
    words = ["run", *(["verdict", "curve", "why"] if report.diagnoses else ["curve", "recorded"])]
    return fill(
        '<h2>All runs</h2><p>{tally}</p><div class="scroll" tabindex="0" role="region" aria-label="All runs">'
        '<table class="overview"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>',
        tally=f"{tally(report)}{_below(report)}.",
        heads=heads(words, 4),
        rows=joined(
            _run_row(report, index, name, columns) for index, name in enumerate(short_names(report.runs))
        ),
    )


def tally(report: Report) -> str:
    """How many runs there are, and how many of each verdict."""
    verdicts = Counter(diagnosis.verdict for diagnosis in report.diagnoses)
    counts = [f"{verdicts[verdict]} {verdict.value}" for verdict in _ORDER if verdicts[verdict]]
    return count(len(report.runs), "run") + (f": {', '.join(counts)}" if counts else "")


def short_names(runs: Sequence[Run]) -> list[str]:
    """The names without the folder they have in common."""
    common = len(shared_folder(runs))
    return [run.name[common:] for run in runs]


def _below(report: Report) -> str:
    folder = shared_folder(report.runs)
    return f", all below {folder}" if folder.strip("/") else ""


def _run_row(report: Report, index: int, name: str, columns: int) -> Markup:
    run = report.runs[index]
    drawn = main_series(run)[:1]
    curve = fill("<td>{curve}</td>", curve=tiny(drawn[0], columns) if drawn else Markup())
    told = _judged(report.diagnoses[index], curve) if report.diagnoses else joined([curve, _read(run)])
    return fill(
        '<tr><th scope="row"><a href="#run-{place}">{name}</a></th>{told}</tr>',
        place=str(index + 1),
        name=escape(name, 100),
        told=told,
    )


def _judged(diagnosis: Diagnosis, curve: Markup) -> Markup:
    share = blame(diagnosis)
    return fill(
        '<td class="judged">{badge} {sure}</td>{curve}<td class="why">{why}</td>',
        badge=badge(diagnosis.verdict),
        curve=curve,
        sure=sureness(diagnosis),
        why=f"{outcome(diagnosis)} (cause {share})" if share else outcome(diagnosis),
    )


def _read(run: Run) -> Markup:
    return fill(
        "<td>{series}, {extent}</td>", series=count(len(run.series), "series", "series"), extent=extent(run)
    )
