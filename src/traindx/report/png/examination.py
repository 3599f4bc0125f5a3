"""The exam of data as one picture: class shares, ranges of features, drift, targets, order of rows."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from traindx.exams.data_exam.types import TRAINING, VALIDATION, Examination, FeatureRange, Portrait
from traindx.exams.questions import Checked
from traindx.finding import Mark
from traindx.format import count, number, printable
from traindx.report.png import canvas

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_MARKS = {Mark.PASS: canvas.GREEN, Mark.WARN: canvas.AMBER, Mark.FAIL: canvas.ORANGE, Mark.UNSEEN: "#C9C9C9"}
_ROW = 0.235
_LEAST, _MOST = 1.9, 6.6
_LETTERS = 18
_TOLD = 62
"""Characters of a sentence that fit beside the name of a check."""
_FAR = 50.0
"""Times the usual value, from which one feature would squeeze all others on a linear axis."""
_FEW = 6
"""Fewer bars do not fill a panel."""
_LIMIT = 0.2
"""Between distribution functions, from which a column counts as drifted."""

_PARTS = (TRAINING, VALIDATION)

Draw = Callable[["Axes"], None]


def examination_picture(examination: Examination) -> bytes:
    """The exam as a PNG."""
    with canvas.drawing():
        return _drawn(examination)


def _drawn(examination: Examination) -> bytes:
    panels = _panels(examination)
    rows = [panels[at : at + 2] for at in range(0, len(panels), 2)]
    heights = [max(height for height, _ in row) for row in rows]
    title = f"{examination.verdict.value}: {examination.subject} · {examination.about}"
    figure = canvas.new_figure(sum(heights) + 0.55 * len(rows) + 0.9, title, most=104, size=11)
    for line, row in zip(
        figure.subfigures(len(rows), 1, height_ratios=heights, squeeze=False)[:, 0], rows, strict=True
    ):
        for axes, (_, draw) in zip(line.subplots(1, len(row), squeeze=False)[0], row, strict=True):
            draw(axes)
    canvas.captioned(figure, examination.notes[:2])
    return canvas.as_png(figure)


def _panels(examination: Examination) -> list[tuple[float, Draw]]:
    """What there is to draw, each with the height it wants."""
    portrait = examination.portrait or Portrait()
    panels: list[tuple[float, Draw]] = [
        (_height(len(examination.checks)), lambda axes: _checks(axes, examination))
    ]
    if portrait.classes:
        panels.append((_height(len(portrait.classes)), lambda axes: _classes(axes, portrait)))
    if portrait.targets:
        panels.append((_LEAST, lambda axes: _targets(axes, portrait)))
    ranged = [feature for feature in portrait.features if feature.training]
    if ranged:
        panels.append((_height(len(ranged)), lambda axes: _ranges(axes, ranged, portrait.feature_count)))
    drifting = [feature for feature in portrait.features if feature.drift is not None]
    if drifting:
        panels.append((_height(len(drifting)), lambda axes: _drift(axes, drifting)))
    if portrait.order:
        panels.append((_LEAST, lambda axes: _order(axes, portrait)))
    return panels


def _height(lines: int) -> float:
    return min(max(_LEAST, _ROW * lines + 0.7), _MOST)


def _titled(axes: "Axes", title: str) -> None:
    axes.set_title(title, loc="left", size=10, weight="bold", parse_math=False)


def _lines(axes: "Axes", names: Sequence[str]) -> None:
    """One line for each name, the first on top."""
    axes.set_yticks(range(len(names)))
    # A dollar would begin a formula.
    axes.set_yticklabels([printable(name, _LETTERS).replace("$", r"\$") for name in names], size=8)
    # As if there were a few: two bars would be as thick as a fist.
    axes.set_ylim(max(len(names), _FEW) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")


def _checks(axes: "Axes", examination: Examination) -> None:
    for index, check in enumerate(examination.checks):
        axes.plot([0.02], [index], marker="s", markersize=9, color=_MARKS[check.mark], clip_on=False)
        shown = printable(check.check.slug, 24)
        axes.text(
            0.07,
            index,
            shown,
            va="center",
            size=9,
            color=canvas.GRAY if check.mark is Mark.UNSEEN else canvas.BLACK,
            parse_math=False,
        )
        says = _told(check)
        says = printable(says if len(says) <= _TOLD else f"{says[:_TOLD]}\u2026")
        axes.text(0.33, index, says, va="center", size=7, color="#555555", parse_math=False)
    axes.set_xlim(0, 1)
    axes.set_ylim(len(examination.checks) - 0.4, -0.6)
    axes.axis("off")
    _titled(axes, "checks")


def _told(check: Checked) -> str:
    """What was found, or how the check ended."""
    return check.answer if check.mark in (Mark.WARN, Mark.FAIL) else check.mark.value


def _classes(axes: "Axes", portrait: Portrait) -> None:
    held = any(share.validation for share in portrait.classes)
    places = np.arange(len(portrait.classes))
    thick = 0.38 if held else 0.7
    training = axes.barh(
        places - (thick / 2 if held else 0),
        [share.training for share in portrait.classes],
        thick,
        color=canvas.BLUE,
    )
    entries: list[tuple[Artist, str]] = [(training[0], TRAINING)]
    if held:
        bars = axes.barh(
            places + thick / 2, [share.validation for share in portrait.classes], thick, color=canvas.AMBER
        )
        entries.append((bars[0], VALIDATION))
    _lines(axes, [share.name for share in portrait.classes])
    axes.set_xlabel("rows")
    _titled(axes, "rows of each class")
    if held:
        _legend(axes, entries)


def _legend(axes: "Axes", entries: "Sequence[tuple[Artist, str]]") -> None:
    """A legend where there is room for it."""
    axes.legend(
        [handle for handle, _ in entries],
        [label for _, label in entries],
        frameon=False,
        fontsize=8,
        loc="best",
    )


def _ranges(axes: "Axes", features: Sequence[FeatureRange], total: int) -> None:
    """From the least to the largest value, thick in the middle half; a second line for validation."""
    held = any(feature.validation for feature in features)
    for index, feature in enumerate(features):
        for shift, values, color in (
            (-0.17 if held else 0.0, feature.training, canvas.BLUE),
            (0.17, feature.validation, canvas.AMBER),
        ):
            if not values:
                continue
            least, low, first, middle, third, high, most = values
            at = index + shift
            axes.plot([least, most], [at, at], color=color, linewidth=0.8, alpha=0.5)
            axes.plot([low, high], [at, at], color=color, linewidth=1.8)
            axes.plot([first, third], [at, at], color=color, linewidth=5, solid_capstyle="butt")
            axes.plot([middle], [at], marker="|", color=canvas.BLACK, markersize=6)
    _lines(axes, [feature.name for feature in features])
    ends = [abs(value) for feature in features for value in (*feature.training, *feature.validation)]
    if max(ends, default=0.0) > _FAR * max(float(np.median(ends)), 1.0):
        from matplotlib.ticker import SymmetricalLogLocator

        axes.set_xscale("symlog", linthresh=1)
        locator = SymmetricalLogLocator(base=10, linthresh=1)
        locator.set_params(numticks=6)
        axes.xaxis.set_major_locator(locator)
        axes.autoscale_view()
    axes.set_xlabel("value: all, 5 to 95%, middle half")
    hidden = total - len(features)
    _titled(axes, "ranges of features" + (f", {count(hidden, 'other')} not shown" if hidden > 0 else ""))


def _drift(axes: "Axes", features: Sequence[FeatureRange]) -> None:
    values = [feature.drift or 0.0 for feature in features]
    axes.barh(
        range(len(features)),
        values,
        0.6,
        color=[canvas.ORANGE if value >= _LIMIT else canvas.GRAY for value in values],
    )
    axes.axvline(_LIMIT, color=canvas.BLACK, linewidth=1, linestyle=":")
    _lines(axes, [feature.name for feature in features])
    axes.set_xlim(0, max(1.05 * max(values), 0.3))
    axes.set_xlabel("largest distance between distribution functions")
    _titled(axes, "training against validation")


def _targets(axes: "Axes", portrait: Portrait) -> None:
    from matplotlib.patches import Patch

    everything = np.concatenate(portrait.targets)
    edges = np.histogram_bin_edges(everything, bins=min(60, max(10, len(everything) // 20)))
    entries: list[tuple[Artist, str]] = []
    for values, color, label in zip(portrait.targets, (canvas.BLUE, canvas.AMBER), _PARTS, strict=False):
        shares = np.histogram(values, bins=edges)[0] / max(len(values), 1)
        axes.bar(edges[:-1], shares, np.diff(edges), align="edge", color=color, alpha=0.6)
        entries.append((Patch(color=color, alpha=0.6), label))
    axes.set_xlabel("target")
    axes.set_ylabel("share of rows")
    axes.xaxis.set_major_formatter(lambda value, _: number(value))
    _titled(axes, "numbers to predict")
    if len(entries) > 1:
        _legend(axes, entries)


def _order(axes: "Axes", portrait: Portrait) -> None:
    from matplotlib.ticker import MaxNLocator

    places, labels = (
        np.array([position for position, _ in portrait.order]),
        np.array([label for _, label in portrait.order]),
    )
    colors = [canvas.COLORS[label % len(canvas.COLORS)] for label in labels]
    axes.scatter(100 * places, labels, s=5, c=colors, alpha=0.6, linewidths=0)
    axes.set_xlabel("place in the training data, percent")
    axes.set_ylabel("class")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    _titled(axes, "order of rows")
