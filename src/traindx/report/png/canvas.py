"""The canvas of a picture, its scale and its file name."""

import io
import re
import textwrap
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from traindx.errors import TraindxError
from traindx.format import printable, step
from traindx.report.results.run import shared_folder

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

    from traindx.run import Floats

# Okabe and Ito's colors: told apart with every common kind of color blindness.
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
SKY, AMBER, BLACK, GRAY = "#56B4E9", "#E69F00", "#222222", "#8A8A8A"
COLORS = (BLUE, ORANGE, GREEN, PURPLE, SKY, AMBER, BLACK)

WIDTH = 10.0
DPI = 120
COLUMNS = int(WIDTH * DPI)
_LETTERS = 136
"""Characters of the caption's size that fit beside each other."""
_LEGEND_COLUMNS, _LEGEND_LETTERS, _HANDLE_LETTERS = 4, 116, 7
_TITLE_LETTERS = 84
_STRIP = 0.2
"""Inches for each piece of evidence in the strip below the curves."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """A figure with panels that share their horizontal axis, and a strip for evidence below them."""

    figure: "Figure"
    panels: tuple["Axes", ...]
    strip: "Axes | None"


@contextmanager
def drawing() -> Iterator[None]:
    """Everything is drawn in our style, whatever the user's own settings are, which come back afterward."""
    try:
        import matplotlib
    except ImportError as error:
        raise TraindxError("pictures need matplotlib: pip install traindx[plots]") from error
    # A diverged run may hold values near the largest float, whose sums overflow: they are drawn at the edge.
    with matplotlib.rc_context(), warnings.catch_warnings(), np.errstate(over="ignore", invalid="ignore"):
        # A name in a script the font lacks is drawn as boxes; that is no reason to fail.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        matplotlib.rcdefaults()
        _in_our_style()
        yield


def _in_our_style() -> None:
    from matplotlib import rc

    rc("font", family="DejaVu Sans", size=10)
    rc("axes", grid=True, axisbelow=True, edgecolor=GRAY, labelcolor=BLACK)
    rc("axes.spines", top=False, right=False)
    rc("axes.formatter", useoffset=False)
    rc("grid", color="#E4E4E4")
    rc("xtick", color="#555555")
    rc("ytick", color="#555555")
    rc("text", color=BLACK)


def new_figure(height: float, title: str = "", *, most: int = _TITLE_LETTERS, size: float = 12) -> "Figure":
    """An empty picture of our width and a height in inches, with its title at the left."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), dpi=DPI, layout="constrained")
    if title:
        shown = printable(title, most)
        figure.suptitle(shown, x=0.012, ha="left", weight="bold", size=size, parse_math=False)
    return figure


def sheet(title: str, heights: Sequence[float], evidence: int = 0) -> Sheet:
    """An empty picture with panels of given heights in inches, one below the other."""
    strips = [_STRIP * (evidence + 0.5)] if evidence else []
    figure = new_figure(1.3 + sum(heights) + sum(strips), title)
    rows = [*heights, *strips]
    axes = figure.subplots(len(rows), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": rows})[
        :, 0
    ]
    return Sheet(figure, tuple(axes[: len(heights)]), axes[-1] if evidence else None)


def captioned(figure: "Figure", lines: Sequence[str]) -> None:
    """Put sentences below a figure."""
    wrapped = [part for line in lines for part in textwrap.wrap(printable(line, 400), _LETTERS)]
    if wrapped:
        text = "\n".join(wrapped)
        figure.supxlabel(
            text, x=0.012, ha="left", size=9, color="#444444", linespacing=1.45, parse_math=False
        )


def legend(axes: "Axes", entries: Sequence[tuple["Artist", str]]) -> None:
    """A legend above the panel, where it hides no point."""
    if not entries:
        return
    labels = [printable(label, 110) for _, label in entries]
    drawn = axes.legend(
        [artist for artist, _ in entries],
        ["" for _ in entries],
        loc="lower left",
        bbox_to_anchor=(-0.01, 1.0),
        ncols=columns_for(labels),
        frameon=False,
        fontsize=9,
        borderaxespad=0.2,
        handlelength=1.6,
        columnspacing=1.6,
    )
    literally(drawn, labels)


def literally(drawn: "Legend", labels: Sequence[str]) -> None:
    """Give a legend its labels as they are: no formulas, no label dropped for its leading underscore."""
    for text, label in zip(drawn.get_texts(), labels, strict=True):
        text.set_parse_math(False)
        text.set_text(label)


def columns_for(labels: Sequence[str]) -> int:
    """How many columns of a legend fit beside each other."""
    lengths = [len(label) + _HANDLE_LETTERS for label in labels]
    for columns in range(min(_LEGEND_COLUMNS, len(lengths)), 1, -1):
        # Filled one after the other, as evenly as can be, like matplotlib does.
        filled = np.array_split(np.array(lengths), columns)
        if sum(int(column.max()) for column in filled) <= _LEGEND_LETTERS:
            return columns
    return 1


def mark_edge(
    axes: "Axes",
    positions: "Sequence[float] | Floats",
    height: float,
    color: str,
    marker: str,
    size: float = 6,
    *,
    edge_width: float = 1.0,
) -> "Artist":
    """Marks at a share of the height, for what has no place on the upright axis."""
    drawn, *_ = axes.plot(
        positions,
        np.full(len(positions), height),
        transform=axes.get_xaxis_transform(),
        color=color,
        linestyle="none",
        marker=marker,
        markersize=size,
        markeredgewidth=edge_width,
        clip_on=False,
    )
    return drawn


def positions_on(axes: "Axes", label: str) -> None:
    """Name the horizontal axis and write its positions as people do."""
    axes.set_xlabel(label)
    axes.xaxis.set_major_formatter(lambda value, _: step(value))


def as_png(figure: "Figure") -> bytes:
    """The figure as the bytes of a PNG file, the same for the same figure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    stream = io.BytesIO()
    FigureCanvasAgg(figure)
    figure.savefig(stream, format="png", metadata={"Software": None})
    return stream.getvalue()


_LONGEST = 60


def slugs(names: Sequence[str]) -> list[str]:
    """One slug for each name, unlike all others also where case does not count; never a path."""
    taken: set[str] = set()
    made = []
    folder = shared_folder(names)
    for name in names:
        slug, number = _slug(name.removeprefix(folder)), 1
        unique = slug
        while unique.casefold() in taken:
            number += 1
            unique = f"{slug}-{number}"
        taken.add(unique.casefold())
        made.append(unique)
    return made


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    words = re.sub(r"[^A-Za-z0-9._+=-]+", "-", plain)
    # The end of a long path tells more than its begin. No dots in a row, none at the ends: "..", ".hidden".
    short = re.sub(r"\.{2,}", ".", words)[-_LONGEST:]
    return short.strip("-._+=") or "run"
