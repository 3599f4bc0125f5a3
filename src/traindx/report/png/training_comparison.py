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
    quantities = [one for one in wanted if sum(one in run for run in runs) >= 2]
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
    place = {entry.run: rank for rank, entry in reversed(list(enumerate(comparison.entries)))}
    return sorted(runs, key=lambda run: place.get(run.name, len(place)))


def _grid(quantities: list[Quantity]) -> "tuple[Figure, dict[Quantity, Axes]]":
    """Training data at the left and validation data at the right where both are there; else in a row."""
    measures = list(dict.fromkeys(one.family for one in quantities))
    columns = min(len(quantities), 2)
    places = [divmod(place, columns) for place in range(len(quantities))]
    if (
        len({one.split is Split.TRAIN for one in quantities}) == 2
        and len(quantities) >= 2 * len(measures) - 1
    ):
        places = [(measures.index(one.family), int(one.split is not Split.TRAIN)) for one in quantities]
    rows = 1 + max(row for row, _ in places)
    figure = canvas.new_figure(1.5 + _PANEL * rows)
    axes = figure.subplots(rows, columns, squeeze=False)
    for row, column in {divmod(cell, columns) for cell in range(rows * columns)} - set(places):
        axes[row, column].set_visible(False)
    return figure, {one: axes[place] for one, place in zip(quantities, places, strict=True)}


def _panel(panel: "Axes", quantity: Quantity, runs: list[Run], named: dict[int, Entries]) -> list[str]:
    """Draw all runs on a panel, and return what the caption must say of it."""
    drawn = _of(quantity, runs)
    by_share = _by_share(drawn)
    crossed = 0
    # The best are shown last, so that they lie above the others.
    for one in reversed(drawn[: _COLORED + _GRAYED]):
        positions = shares(one.run, one.series) if by_share else one.series.steps
        style = _style(one)
        entries = draw(panel, positions, one.series.values, style)
        if one.place < _COLORED:
            crossed += bool(mark_bad(panel, positions, one.series.values, style, 0.97 - 0.045 * crossed))
            named.setdefault(one.place, entries[-1:])
    panel.set_title(quantity.called, loc="left", size=10, weight="bold")
    canvas.positions_on(panel, "share of the run" if by_share else drawn[0].series.axis.value)
    return _limit(panel, quantity, drawn)


def _of(quantity: Quantity, runs: list[Run]) -> list[_Drawn]:
    return [_Drawn(place, run, whole(run, quantity)) for place, run in enumerate(runs) if quantity in run]


def _by_share(drawn: list[_Drawn]) -> bool:
    return len({one.series.axis for one in drawn}) > 1


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


def _style(one: _Drawn) -> Style:
    if one.place >= _COLORED:
        return Style(canvas.GRAY, "", faint=True)
    return Style(canvas.COLORS[one.place], one.run.name, dashed=one.place % 2 == 1)


def _limit(panel: "Axes", quantity: Quantity, drawn: list[_Drawn]) -> list[str]:
    """Scale the panel to most runs, and name those that leave it."""
    ordered = sorted(one.highest for one in drawn if one.highest)
    most = ordered[(len(ordered) - 1) // 2] if ordered else 0.0
    far = [one for one in drawn if most and one.highest > _FAR * most]
    near = [one.series.values for one in drawn if one not in far]
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
    names = listed([f"{one.run.name} up to {number(one.highest)}" for one in far], 3)
    return [f"Beyond the panel of the {quantity.called}: {names}."]


def _headed(figure: "Figure", runs: list[Run], named: dict[int, Entries], *, ranked_by: bool) -> None:
    """The title, and below it which color is which run."""
    places = [place for place in sorted(named) if named[place]]
    labels = [printable(runs[place].name, 60) for place in places]
    drawn = figure.legend(
        [named[place][0][0] for place in places],
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
