"""`series`: one curve in as many points as an agent asks for, every spike kept."""

import difflib
from typing import Annotated

import numpy as np
from pydantic import Field

from traindx.errors import TraindxError, UnknownNameError
from traindx.format import listed, printable
from traindx.mcp.arguments import (
    READS_ONLY,
    Allowed,
    Call,
    Paths,
    RunName,
    Say,
    off_loop,
    only_one,
    reading_of,
)
from traindx.mcp.schema import Lean, shortened
from traindx.quantities import QUANTITIES
from traindx.report.json.values import number
from traindx.report.plot_data import extremes
from traindx.report.results.run import span
from traindx.run import Run, Series


class BadPoint(Lean):
    """A value that is NaN or infinite."""

    at: float
    value: str


class Extreme(Lean):
    """The lowest or the highest value."""

    at: float
    value: float


class Points(Lean):
    """One curve of recorded values, without averaging."""

    run: str
    quantity: str
    meaning: str
    unit: str
    better: str = Field(description="lower, higher or neither.")
    layer: str = ""
    part: str = ""
    axis: str = Field(description="Unit of the positions: step, epoch, sample or record.")
    recorded: int = Field(description="Points of the curve in the requested range.")
    every: float = Field(
        description="Width of the interval that each lowest and highest point stand for; 0: all points."
    )
    steps: list[float]
    values: list[float | None] = Field(description="null if NaN or infinite.")
    nonfinite: list[BadPoint] = Field(
        default_factory=list, description="NaN and infinite values; the first of each interval."
    )
    lowest: Extreme | None = None
    highest: Extreme | None = None


def points_of(
    run: Run,
    quantity: str,
    most: int,
    *,
    layer: str = "",
    part: str = "",
    first: float | None = None,
    last: float | None = None,
) -> Points:
    """At most so many points of a quantity, the lowest and the highest of every column among them."""
    series = _found(run, quantity, layer, part)
    begin, end = -np.inf if first is None else first, np.inf if last is None else last
    kept = (series.steps >= begin) & (series.steps <= end)
    if not kept.any():
        raise TraindxError(f"{quantity}: no points in this range; it has {span(series)}")
    steps, values = series.steps[kept], series.values[kept]
    # The first and the last point come on top of two for each column.
    drawn = extremes(steps, values, max(1, (most - 2) // 2))
    finite = np.flatnonzero(np.isfinite(values))
    ends = [int(finite[pick(values[finite])]) for pick in (np.argmin, np.argmax)] if len(finite) else []
    lowest, highest = [
        Extreme(at=shortened(steps[boundary]), value=shortened(values[boundary])) for boundary in ends
    ] or (
        None,
        None,
    )
    bad = zip(drawn.bad_steps.tolist(), drawn.bad_values.tolist(), strict=True)
    return Points(
        run=printable(run.name, 200),
        quantity=series.quantity.slug,
        meaning=series.quantity.meaning,
        unit=series.quantity.unit,
        better=series.quantity.better.value,
        layer=printable(series.layer),
        part=printable(series.part),
        axis=series.axis.value,
        recorded=len(steps),
        every=shortened(drawn.every),
        steps=[shortened(value) for value in drawn.steps.tolist()],
        values=[shortened(value) if np.isfinite(value) else None for value in drawn.values.tolist()],
        nonfinite=[BadPoint(at=shortened(at), value=str(number(value))) for at, value in bad],
        lowest=lowest,
        highest=highest,
    )


def _found(run: Run, quantity: str, layer: str, part: str) -> Series:
    """The one curve that is meant; raises where there is none, or several."""
    if quantity not in QUANTITIES:
        raise UnknownNameError("quantity", quantity, {curve.quantity.slug for curve in run.series})
    alike = run.all(QUANTITIES[quantity])
    if not alike:
        held = sorted({curve.quantity.slug for curve in run.series})
        raise TraindxError(f"{printable(run.name)} has no {quantity}; it has {listed(held, 20)}")
    # By the names that an agent is told, which may be shorter than they are.
    named = [(printable(curve.layer), printable(curve.part), curve) for curve in alike]
    layers, parts = [its_layer for its_layer, _, _ in named], [its_part for _, its_part, _ in named]
    if layer not in layers:
        raise TraindxError(_which(quantity, "layer", layer, layers))
    if part and part not in parts:
        raise TraindxError(_which(quantity, "part", part, parts))
    fitting = [curve for its_layer, its_part, curve in named if (its_layer, its_part) == (layer, part)]
    # Without a part the whole is meant, and the first part where no whole was recorded.
    fitting = fitting or [curve for its_layer, _, curve in named if its_layer == layer and not part]
    if not fitting:
        raise TraindxError(f"{quantity}: layer {layer} has no part {part}; probe lists both")
    return fitting[0]


def _which(quantity: str, what: str, wanted: str, names: list[str]) -> str:
    held = list(dict.fromkeys(name for name in names if name))
    near = difflib.get_close_matches(wanted, held, n=1, cutoff=0.5) if wanted else []
    todo = (
        f"did you mean {near[0]}?"
        if near
        else f"choose one of {listed(held, 12)}"
        if held
        else f"omit {what}"
    )
    says = f'has no {what} "{printable(wanted)}"' if wanted else f"is recorded per {what}"
    return f"{quantity}: {says}; {todo}"


TITLE = "Get the points of a curve"
HINTS = READS_ONLY


async def series(
    paths: Paths,
    quantity: Annotated[
        str, Field(description="For example train_loss; probe lists the quantities of a run.")
    ],
    call: Call,
    roots: Allowed,
    run: RunName = "",
    layer: Annotated[str, Field(description="For quantities recorded per layer.")] = "",
    part: Annotated[str, Field(description="Which part: an evaluation set or a loss term.")] = "",
    first: Annotated[float | None, Field(description="First position, in the unit of the axis.")] = None,
    last: Annotated[float | None, Field(description="Last position.")] = None,
    points: Annotated[int, Field(ge=4, le=2000, description="Maximum number of points.")] = 100,
) -> Points:
    """Return the points of one curve of a run, at most as many as requested.

    A longer curve is reduced to the lowest and highest point per interval, never averaged: no spike and no
    NaN is lost.
    """

    def work(say: Say) -> Points:
        chosen = only_one(reading_of(roots, paths, say).runs, run)
        return points_of(chosen, quantity, points, layer=layer, part=part, first=first, last=last)

    return await off_loop(call, work)
