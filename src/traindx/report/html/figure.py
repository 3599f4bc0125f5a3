"""The types of a drawing: panels of lines over one common axis, and the evidence marked on them."""

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from traindx.report.plot_data import Extremes
from traindx.run import Axis

OTHERS = -1
"""The color of lines that only stand behind the others."""
_COLORS = 6
"""Of the palette; further lines begin it again."""
_ROOM = 0.01
_LOCAL = 0.6


class Look(Enum):
    """How a line is drawn; never by color alone."""

    RAW = "raw"
    """As recorded, thin and light, behind its smoothed line."""
    SMOOTHED = "smoothed"
    PLAIN = "plain"
    """As recorded, with nothing before it."""


@dataclass(frozen=True, eq=False)
class Line:
    """One curve, reduced to what a screen can show."""

    name: str
    points: Extremes
    color: int
    """A place in the palette, or `OTHERS`."""
    look: Look
    dash: int = 0
    """Which of the dash patterns, to tell lines apart without colors."""

    @property
    def color_name(self) -> str:
        """What style sheets call its color."""
        return "others" if self.color == OTHERS else f"c{self.color % _COLORS}"


@dataclass(frozen=True, eq=False)
class Panel:
    """Lines that share an upright axis."""

    title: str
    lines: tuple[Line, ...]
    main: bool = False
    bends: bool = True
    """Whether its values may need a logarithmic scale; a schedule is read on a plain one."""

    @cached_property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest finite value; 0 to 1 where there is none."""
        known = np.concatenate([line.points.values[np.isfinite(line.points.values)] for line in self.lines])
        return (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)

    @property
    def can_be_logarithmic(self) -> bool:
        """Whether every value is above 0."""
        return self.range[0] > 0

    @property
    def logarithmic(self) -> bool:
        """Whether a plain scale would press most of the curve against the floor."""
        if not self.bends or not self.can_be_logarithmic:
            return False
        known = np.concatenate([line.points.values[np.isfinite(line.points.values)] for line in self.lines])
        middle, nearly_all = np.quantile(known, (0.5, 0.98))
        return bool(self.range[1] > min(100 * middle, 8 * nearly_all))


@dataclass(frozen=True)
class Span:
    """A stretch of the common axis."""

    first: float
    last: float


@dataclass(frozen=True)
class Mark:
    """One finding on the drawing, in words."""

    says: str
    at: str
    """Its steps in words."""
    spans: tuple[Span, ...]
    tone: str
    row: str = ""
    """The row of a table that says more."""


@dataclass(frozen=True, eq=False)
class Figure:
    """Panels from top to bottom, the marks, and what must be said beside them."""

    axis: Axis
    panels: tuple[Panel, ...]
    marks: tuple[Mark, ...] = ()
    notes: tuple[str, ...] = ()
    whole: tuple[float, float] | None = None
    """The ends of the run, where other drawings of it decide them."""

    @cached_property
    def extent(self) -> tuple[float, float]:
        """The first and the last position of any line."""
        if self.whole:
            return self.whole
        drawn = [line.points.steps for panel in self.panels for line in panel.lines if len(line.points.steps)]
        return min(float(steps[0]) for steps in drawn), max(float(steps[-1]) for steps in drawn)

    @property
    def window(self) -> tuple[float, float]:
        """What is drawn of the axis: a little room at both ends, so that the last point is seen whole."""
        first, last = self.extent
        edge = _ROOM * (last - first) or 0.5
        return first - edge, last + edge

    def is_local(self, span: Span) -> bool:
        """Whether a span is short enough that shading it says where to look."""
        first, last = self.extent
        return span.last - span.first < _LOCAL * (last - first)
