"""What a run holds: curves, facts, settings, what was skipped; of a recording also layers, time and code."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from traindx.format import count, number, printable, step
from traindx.quantities import (
    ACTIVATION_MEAN,
    ACTIVATION_STD,
    ACTIVATION_ZERO_SHARE,
    DEAD_UNIT_SHARE,
    GRADIENT_NORM,
    NONFINITE_SHARE,
    SATURATED_SHARE,
    UPDATE_RATIO,
    WEIGHT_NORM,
)
from traindx.readers.names.vocabulary import fact_of
from traindx.report.blocks import Cell, Paragraph, Section, Table, Tone, lists, table
from traindx.report.results.program import incidents, program_section, told_event
from traindx.run import Better, Event, EventKind, Parameter, Quantity, Run, Series

_LAYERS = 40
"""Layers that are listed: those that differ most from the others."""
_SERIES = 400
"""Series that are listed; JSON holds all."""

FIGURES: dict[Quantity, str] = {
    GRADIENT_NORM: "gradient",
    WEIGHT_NORM: "weight",
    UPDATE_RATIO: "update",
    ACTIVATION_ZERO_SHARE: "zero",
    DEAD_UNIT_SHARE: "dead",
    SATURATED_SHARE: "saturated",
    NONFINITE_SHARE: "NaN/inf",
}
"""What is shown of each layer, and what it is called above a column."""
_TOLD = "gradient norm, weight norm, update/weight ratio, shares of outputs"
SHARES = frozenset({ACTIVATION_ZERO_SHARE, DEAD_UNIT_SHARE, SATURATED_SHARE, NONFINITE_SHARE})
_OUTPUTS = (ACTIVATION_MEAN, ACTIVATION_STD, *SHARES)
_SIZES = (GRADIENT_NORM, WEIGHT_NORM, UPDATE_RATIO)


@dataclass(frozen=True)
class Row:
    """A parameter, or a layer that only has outputs."""

    name: str
    layer: Parameter | None
    """None for a layer without parameters of its own."""
    figures: dict[Quantity, float] = field(default_factory=dict)
    """The values of the last look; those of a layer's outputs stand with its first parameter."""


@dataclass(frozen=True)
class Anatomy:
    """All rows, and when they were looked at."""

    rows: tuple[Row, ...]
    step: float | None
    is_before_failure: bool = False
    """Whether later looks were left out, for no gradient was finite any more."""

    @property
    def told(self) -> str:
        """What the figures are and when they were taken."""
        when = "" if self.step is None else f" at step {step(self.step)}"
        finite = ", the last sample with finite gradients" if self.is_before_failure else ""
        return f"layers{when}{finite}: {_TOLD}"

    @property
    def columns(self) -> list[Quantity]:
        """The figures that any row has."""
        return [quantity for quantity in FIGURES if any(quantity in row.figures for row in self.rows)]


def recording_sections(run: Run) -> tuple[Section, ...]:
    """All of it; a section without a block has nothing to show."""
    return (
        *lists({"Events": _short(incidents(run))}, is_open=True),
        _layers(run),
        program_section(run),
        Section("Recorded quantities", (series_table(run),) if run.series else ()),
        *_remainder(run),
    )


def _layers(run: Run) -> Section:
    interior = anatomy(run)
    shown = telling(interior.rows, _LAYERS)
    if not shown:
        return Section("Layers", ())
    titles = ", ".join(
        ["layer", "kind", "shape", *(f"{FIGURES[quantity]}>" for quantity in interior.columns)]
    )
    hidden = len(interior.rows) - len(shown)
    more = f"; the {len(shown)} that differ most of {len(interior.rows):,}" if hidden else ""
    rows = [_layer(row, interior.columns) for row in shown]
    return Section("Layers", (table(titles, rows), Paragraph(f"{interior.told}{more}", Tone.QUIET)))


def _layer(row: Row, columns: list[Quantity]) -> tuple[str | Cell, ...]:
    about = (row.layer.kind if row.layer else "", shape(row))
    return (label(row), *(Cell(part, Tone.QUIET) for part in about), *(figure(row, q) for q in columns))


def series_table(run: Run, *, most: int = _SERIES) -> Table:
    """Every series with its figures and a small curve; what holds of the whole model comes first."""
    ranked = sorted(run.series, key=lambda series: bool(series.layer))
    rows = [_series(series) for series in ranked[:most]]
    if len(ranked) > most:
        where = "--all lists them" if most < _SERIES else "--json lists all"
        rows.append((f"{len(ranked) - most:,} more: {where}", *[""] * 5))
    return table("quantity, points>, first>, last>, best>, curve", rows)


def _series(series: Series) -> tuple[str | Cell, ...]:
    details = [
        part for part in (series.part, series.layer) if part and not series.quantity.slug.endswith(f"_{part}")
    ]
    axis = [] if series.axis.value == "step" else [f"by {series.axis.value}"]
    name = " ".join([series.quantity.slug, *(printable(part, 60) for part in details), *axis])
    tone = Tone.PLAIN if series.first_bad_step is None else Tone.BAD
    ends = [number(float(series.values[index])) if len(series) else "" for index in (0, -1)]
    curve = Cell("", curve=series) if len(series) else ""
    return (name, f"{len(series):,}", ends[0], Cell(ends[1], tone), _best(series), curve)


def _best(series: Series) -> str:
    finite = series.finite.values
    if series.quantity.better is Better.NEITHER or not len(finite):
        return ""
    return number(float(finite.min() if series.quantity.better is Better.LOWER else finite.max()))


def _remainder(run: Run) -> tuple[Section, ...]:
    """Segments, facts, settings, events, notes, and what was skipped."""
    segments = [
        f"{segment.begins.value} {step(segment.first_step)}-{step(segment.last_step)}"
        for segment in run.segments
    ]
    items: dict[str, Sequence[str]] = {
        "Segments": segments if len(segments) > 1 else [],
        "Facts": [f"{fact.slug} = {value}" for fact, value in run.facts.items()],
        "Settings": [f"{name} = {value}" for name, value in run.settings.items() if fact_of(name) is None],
        "Log of events": [_event(event) for event in run.events if event.kind is not EventKind.RESUMED],
        "Notes": run.notes,
        "Skipped": [
            f"{skipped.name}: {count(skipped.count, 'value')}, {skipped.why}" for skipped in run.unread
        ],
        "Files": run.sources,
    }
    return lists({title: _short(several) for title, several in items.items()})


def _event(event: Event) -> str:
    says = told_event(event)
    return says if says.startswith(event.kind.value) else f"{event.kind.value}: {says}"


def _short(items: Sequence[str]) -> list[str]:
    return [printable(item, 400) for item in items]


def anatomy(run: Run) -> Anatomy:
    """Every parameter in the order of the model, and between them the layers that only have outputs."""
    until = _last_finite_look(run)
    latest, looked = _latest(run, until)
    owned: dict[str, list[Row]] = {}
    for layer in run.model:
        row = Row(layer.name, layer, latest.get(layer.name, {}))
        owned.setdefault(layer.name.rpartition(".")[0], []).append(row)
    parameters = {layer.name for layer in run.model}
    passed: dict[str, list[Row]] = {}
    current = ""
    for name in (name for name in _outputs(run) if run.model and name not in parameters):
        if name not in owned:
            passed.setdefault(current, []).append(Row(name, None, latest.get(name, {})))
            continue
        current = name
        first, *rest = owned[name]
        owned[name] = [Row(first.name, first.layer, {**first.figures, **latest.get(name, {})}), *rest]
    before = [] if "" in owned else passed.get("", [])
    rows = (*before, *(row for owner, rows in owned.items() for row in (*rows, *passed.get(owner, []))))
    return Anatomy(rows, looked, is_before_failure=until < math.inf)


def _last_finite_look(run: Run) -> float:
    """The last step at which some layer had a finite gradient, if later ones had none; else infinity."""
    norms = [series for series in run.all(GRADIENT_NORM) if series.layer and len(series)]
    last = max((float(series.steps[-1]) for series in norms), default=math.inf)
    finite = max((float(series.finite.steps[-1]) for series in norms if len(series.finite)), default=last)
    return finite if finite < last else math.inf


def _latest(run: Run, until: float) -> tuple[dict[str, dict[Quantity, float]], float | None]:
    """The last value of each figure by layer, up to a step; and the last step of all."""
    values: dict[str, dict[Quantity, float]] = {}
    at: dict[tuple[str, Quantity], float] = {}
    for series in run.series:
        index = int(np.searchsorted(series.steps, until, side="right")) - 1
        if not series.layer or index < 0 or series.quantity not in FIGURES:
            continue
        key, looked = (series.layer, series.quantity), float(series.steps[index])
        # Of two optimizers that both pass through a layer, the later look counts.
        if looked >= at.get(key, -math.inf):
            at[key] = looked
            values.setdefault(series.layer, {})[series.quantity] = float(series.values[index])
    return values, max(at.values(), default=None)


def _outputs(run: Run) -> list[str]:
    """The layers whose outputs were looked at, in the order of the forward pass."""
    return list(dict.fromkeys(s.layer for q in _OUTPUTS for s in run.all(q) if s.layer and len(s)))


def telling(rows: Sequence[Row], most: int) -> list[Row]:
    """The rows that differ most from the others, in the order of the model."""
    if len(rows) <= most:
        return list(rows)
    middles = {quantity: _middle(rows, quantity) for quantity in _SIZES}
    ranked = sorted(range(len(rows)), key=lambda index: -_oddness(rows[index], middles))
    return [rows[index] for index in sorted(ranked[:most])]


def figure(row: Row, quantity: Quantity) -> str:
    """A figure with as many digits as tell layers apart; empty where there is none."""
    value = row.figures.get(quantity)
    if value is None:
        return ""
    return f"{value:.0%}" if quantity in SHARES else f"{value:.2g}"


def shape(row: Row) -> str:
    """The shape of a parameter: "64x20"."""
    return "x".join(map(str, row.layer.shape)) if row.layer else ""


def label(row: Row) -> str:
    """The name of a layer, with that of its model where several train together."""
    part = row.layer.part if row.layer else ""
    return f"{part} {row.name}" if part else row.name


def _middle(rows: Sequence[Row], quantity: Quantity) -> float:
    sizes = [row.figures[quantity] for row in rows if quantity in row.figures]
    known = [math.log10(size) for size in sizes if size > 0 and math.isfinite(size)]
    return float(np.median(known)) if known else 0.0


def _oddness(row: Row, middles: dict[Quantity, float]) -> float:
    """How far a row stands from the others in powers of ten; a share of everything counts as three."""
    if row.layer and not (row.layer.trainable and row.layer.optimized and row.layer.gradient):
        return 0.0  # that it cannot learn is told elsewhere
    values = [value for value in row.figures.values() if not math.isfinite(value)]
    # Not the share of zeros: half of what a ReLU lets out is zero in the best of trainings.
    flaws = SHARES - {ACTIVATION_ZERO_SHARE}
    shares = [3 * row.figures[quantity] for quantity in flaws if quantity in row.figures]
    sizes = [(row.figures[quantity], middles[quantity]) for quantity in _SIZES if quantity in row.figures]
    far = [abs(math.log10(size) - middle) for size, middle in sizes if size > 0 and math.isfinite(size)]
    none = [3.0 for size, _ in sizes if size == 0]
    return math.inf if values else max([0.0, *shares, *far, *none])
