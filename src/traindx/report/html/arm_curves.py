"""Before and after on the page: the arms of a trial over steps, with the change and without it."""

from collections.abc import Sequence

import numpy as np

from traindx.report.html.figure import Figure, Line, Look, Panel
from traindx.report.html.markup import Markup, fill, joined
from traindx.report.html.svg import still
from traindx.run import Axis
from traindx.trials.types import Arm, Trial

_COLUMNS = 240
"""Points of a curve that the page has room for."""
_SIDES = ("without the change", "with it")
Points = tuple[tuple[float, float], ...]


def arm_curves(trial: Trial) -> Markup:
    """Curves of what the arms are compared by, and of right answers where the program tells them."""
    arms = ([pair.control for pair in trial.pairs], [pair.treated for pair in trial.pairs])
    panels = [
        _panel(trial.measure.value, [[arm.curve for arm in side] for side in arms], bends=True),
        _panel("share of right answers", [[arm.metrics for arm in side] for side in arms], bends=False),
    ]
    drawn = tuple(panel for panel in panels if panel is not None)
    if not drawn:
        return Markup()
    return fill(
        '<figure class="chart"><ul class="legend">{legend}</ul>{still}'
        "<figcaption>{says}</figcaption></figure>",
        legend=joined(_entry(place, name) for place, name in enumerate(_SIDES)),
        still=still(Figure(Axis.STEP, drawn), _COLUMNS),
        says=_says(arms[0]),
    )


def _says(arms: Sequence[Arm]) -> str:
    return "Each line is one arm." if len(arms) == 1 else f"Each line is one arm, of {len(arms)} seeds."


def _panel(title: str, sides: Sequence[Sequence[Points]], *, bends: bool) -> Panel | None:
    lines = [
        _line(points, place, _SIDES[place]) for place, side in enumerate(sides) for points in side if points
    ]
    return Panel(title, tuple(lines), main=bends, bends=bends) if lines else None


def _line(points: Points, colour: int, name: str) -> Line:
    steps, values = np.array(points, dtype=np.float64).T
    finite = np.isfinite(values)
    return Line(
        name=name,
        steps=steps,
        values=np.where(finite, values, np.nan),
        bad_steps=steps[~finite],
        bad_values=values[~finite],
        every=0,
        colour=colour,
        look=Look.PLAIN,
        dash=colour,
    )


def _entry(place: int, name: str) -> Markup:
    return fill(
        '<li><svg viewBox="0 0 28 10" aria-hidden="true"><path class="plain c{place} d{place}" d="M0 5h28"/>'
        "</svg>{name}</li>",
        place=str(place),
        name=name,
    )
