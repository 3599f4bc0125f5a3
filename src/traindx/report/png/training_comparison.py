"""Runs side by side, or before and after: loss and accuracy, on training and on validation data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from traindx.comparison.types import Comparison
from traindx.curves.series import shares, whole
from traindx.format import count, listed, number, printable
from traindx.quantities import TRAIN_ACCURACY, TRAIN_LOSS, VAL_ACCURACY, VAL_LOSS
from traindx.report.png import canvas
from traindx.report.png.curve import Entries, Style, draw, mark_bad, scale
from traindx.run import Quantity, Run, Series, Split

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL = 2.9
_COLORED = 7
_GRAYED = 200
"""More gray curves than this are a blot."""
_QUANTITIES = (TRAIN_LOSS, VAL_LOSS, TRAIN_ACCURACY, VAL_ACCURACY)
_FAR = 1000.0
"""A run that goes so many times higher than most would flatten all others: it leaves the panel instead."""


@dataclass(frozen=True, eq=False)
class _Drawn:
    """One run on one panel."""

    place: int
    run: Run
    series: Series

    @property
    def highest(self) -> float:
        """The highest finite value, by size."""
        return float(np.abs(self.series.finite.values).max(initial=0.0))


def training_comparison(runs: Sequence[Run], comparison: Comparison | None) -> tuple[str, bytes] | None:
    """The name of the picture and its bytes; None where the runs share nothing to draw."""
    ranked = _ranked(runs, comparison)
    measured = [comparison.measure] if comparison else []
    wanted = dict.fromkeys([*_QUANTITIES, *measured])
    quantities = [quantity for quantity in wanted if sum(quantity in run for run in runs) >= 2]
    if not quantities:
        return None
    figure, panels = _grid(quantities)
    named: dict[int, Entries] = {}
    remarks = [line for quantity, panel in panels.items() for line in _panel(panel, quantity, ranked, named)]
    if comparison:
        remarks += _marked(panels, ranked, comparison)
    _headed(figure, ranked, named, ranked_by=bool(comparison))
    canvas.captioned(figure, [*_gray(ranked), *remarks])
    return "training_comparison.png", canvas.as_png(figure)


def _ranked(runs: Sequence[Run], comparison: Comparison | None) -> list[Run]:
    """The runs in the order of the comparison; equal names keep the order of the report."""
    if comparison is None:
        return list(runs)
    rank_of = {entry.run: rank for rank, entry in reversed(list(enumerate(comparison.entries)))}
    return sorted(runs, key=lambda run: rank_of.get(run.name, len(rank_of)))


def _grid(quantities: list[Quantity]) -> "tuple[Figure, dict[Quantity, Axes]]":
    """Training data at the left and validation data at the right where both are there; else in a row."""
    measures = list(dict.fromkeys(quantity.family for quantity in quantities))
    columns = min(len(quantities), 2)
    places = [divmod(index, columns) for index in range(len(quantities))]
    if (
        len({quantity.split is Split.TRAIN for quantity in quantities}) == 2
        and len(quantities) >= 2 * len(measures) - 1
    ):
        places = [
            (measures.index(quantity.family), int(quantity.split is not Split.TRAIN))
            for quantity in quantities
        ]
    rows = 1 + max(row for row, _ in places)
    figure = canvas.new_figure(1.5 + _PANEL * rows)
    axes = figure.subplots(rows, columns, squeeze=False)
    for row, column in {divmod(cell, columns) for cell in range(rows * columns)} - set(places):
        axes[row, column].set_visible(False)
    return figure, {quantity: axes[cell] for quantity, cell in zip(quantities, places, strict=True)}


def _panel(panel: "Axes", quantity: Quantity, runs: list[Run], named: dict[int, Entries]) -> list[str]:
    """Draw all runs on a panel, and return what the caption must say of it."""
    drawn = _of(quantity, runs)
    by_share = _by_share(drawn)
    crossed = 0
    # The best are shown last, so that they lie above the others.
    for curve in reversed(drawn[: _COLORED + _GRAYED]):
        positions = shares(curve.run, curve.series) if by_share else curve.series.steps
        style = _style(curve)
        entries = draw(panel, positions, curve.series.values, style)
        if curve.place < _COLORED:
            crossed += bool(mark_bad(panel, positions, curve.series.values, style, 0.97 - 0.045 * crossed))
            named.setdefault(curve.place, entries[-1:])
    panel.set_title(quantity.called, loc="left", size=10, weight="bold")
    canvas.positions_on(panel, "share of the run" if by_share else drawn[0].series.axis.value)
    return _limit(panel, quantity, drawn)


def _of(quantity: Quantity, runs: list[Run]) -> list[_Drawn]:
    return [_Drawn(index, run, whole(run, quantity)) for index, run in enumerate(runs) if quantity in run]


def _by_share(drawn: list[_Drawn]) -> bool:
    return len({curve.series.axis for curve in drawn}) > 1


def _marked(panels: "dict[Quantity, Axes]", runs: list[Run], comparison: Comparison) -> list[str]:
    """Dotted lines for the target of speed and, between two runs, for the place where they part."""
    remarks = []
    if comparison.target is not None and comparison.measure in panels:
        panels[comparison.measure].axhline(comparison.target, color=canvas.GRAY, linestyle=":", linewidth=1.2)
        remarks.append(f"Dotted line across: the {comparison.measure.called} to which speed is measured.")
    parting = comparison.partings[0] if len(runs) == 2 and comparison.partings else None
    if parting is None or parting.step is None:
        return remarks
    for quantity, panel in panels.items():
        drawn = _of(quantity, runs)
        if not _by_share(drawn) and drawn[0].series.axis is parting.axis:
            panel.axvline(parting.step, color=canvas.GRAY, linestyle=":", linewidth=1.2)
    return [*remarks, f"Dotted line upright: {parting.says}."]


def _style(curve: _Drawn) -> Style:
    if curve.place >= _COLORED:
        return Style(canvas.GRAY, "", faint=True)
    return Style(canvas.COLORS[curve.place], curve.run.name, dashed=curve.place % 2 == 1)


def _limit(panel: "Axes", quantity: Quantity, drawn: list[_Drawn]) -> list[str]:
    """Scale the panel to most runs, and name those that leave it."""
    ordered = sorted(curve.highest for curve in drawn if curve.highest)
    most = ordered[(len(ordered) - 1) // 2] if ordered else 0.0
    far = [curve for curve in drawn if most and curve.highest > _FAR * most]
    near = [curve.series.values for curve in drawn if curve not in far]
    scale(panel, near)
    if not far:
        return []
    known = np.concatenate([values[np.isfinite(values)] for values in near])
    low, high = float(known.min()), float(known.max())
    if panel.get_yscale() == "log":
        room = max((high / low) ** 0.08, 1.05)
        panel.set_ylim(low / room, high * room)
    else:
        room = max(0.08 * (high - low), 1e-3 * abs(high))
        panel.set_ylim(low - room, high + room)
    names = listed([f"{curve.run.name} up to {number(curve.highest)}" for curve in far], 3)
    return [f"Beyond the panel of the {quantity.called}: {names}."]


def _headed(figure: "Figure", runs: list[Run], named: dict[int, Entries], *, ranked_by: bool) -> None:
    """The title, and below it which color is which run."""
    places = [cell for cell in sorted(named) if named[cell]]
    labels = [printable(runs[cell].name, 60) for cell in places]
    drawn = figure.legend(
        [named[cell][0][0] for cell in places],
        ["" for _ in places],
        loc="outside upper left",
        ncols=canvas.columns_for(labels),
        frameon=False,
        fontsize=9,
        title=f"{count(len(runs), 'run')} side by side" + (", the best first" if ranked_by else ""),
        title_fontproperties={"weight": "bold", "size": 12},
        alignment="left",
    )
    canvas.literally(drawn, labels)


def _gray(runs: list[Run]) -> list[str]:
    others = len(runs) - _COLORED
    if others <= 0:
        return []
    left_out = f", of which {_GRAYED} are shown" if others > _GRAYED else ""
    return [f"Gray: {count(others, 'other run')}{left_out}."]
