"""A learning rate that was looked for: the loss while the rate rises, and the trials that decided."""

import math
from typing import TYPE_CHECKING

import numpy as np

from traindx.exams.learning_rate.types import FoundRate, RateTrial
from traindx.format import number
from traindx.report.png import canvas
from traindx.report.png.curve import Entries, scale
from traindx.report.results.learning_rate import usable_line, verdict
from traindx.run import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 4.4
_ROOM = 1.25
"""Times the losses before the run-away: what lies higher is cut off."""
_SHADES = ("#9ECAE1", "#6BAED6", "#3182BD", "#08519C", "#08306B")
"""Of trials, the lowest rate the lightest."""


def rate_picture(found: FoundRate, *, title: str) -> bytes:
    """The range test and the trials side by side, as the bytes of a PNG file."""
    with canvas.drawing():
        figure = canvas.new_figure(_HEIGHT + 1.0, f"{title}: {verdict(found)}")
        panels = figure.subplots(1, 2 if found.trials else 1, squeeze=False)[0]
        _range_test(panels[0], found)
        if found.trials:
            _trials(panels[1], found)
        canvas.captioned(figure, [line for line in (found.why, usable_line(found)) if line])
        return canvas.as_png(figure)


def _range_test(axes: "Axes", result: FoundRate) -> None:
    rates, losses = np.array(result.curve.rates), np.array(result.curve.losses)
    line, *_ = axes.plot(rates, losses, color=canvas.BLUE, linewidth=1.4, marker=".", markersize=3)
    entries: Entries = [(line, "loss while lr rises")]
    ends = [trial for trial in result.trials if math.isfinite(trial.loss)]
    if ends:
        dots, *_ = axes.plot(
            [trial.rate for trial in ends],
            [trial.loss for trial in ends],
            color=canvas.ORANGE,
            marker="o",
            markersize=6,
            linestyle="none",
            zorder=5,
        )
        entries.append((dots, "ends of trials"))
    if result.usable is not None:
        low, high = result.usable
        # A single rate is a line without a width: half way to its neighbors on the ladder.
        band = axes.axvspan(
            low / math.sqrt(3), high * math.sqrt(3), color=canvas.GREEN, alpha=0.13, linewidth=0
        )
        entries.append((band, "usable"))
    for rate, color, style, label in (
        (result.current, canvas.GRAY, "--", f"current {number(result.current)}"),
        (result.suggested, canvas.GREEN, "-", f"suggested {number(result.suggested or 0.0)}"),
    ):
        if rate is not None:
            marked = axes.axvline(rate, color=color, linestyle=style, linewidth=1.6, zorder=1)
            entries.append((marked, label))
    axes.set_xscale("log")
    _keep_in_view(axes, losses, result)
    axes.set_xlabel("learning rate")
    axes.set_ylabel("training loss")
    _explained(axes, entries)


def _keep_in_view(axes: "Axes", losses: Floats, result: FoundRate) -> None:
    """The part before the loss runs away fills the panel: what comes after is huge and tells nothing."""
    known = losses[np.isfinite(losses)]
    if not len(known) or not math.isfinite(result.begins):
        return
    top = result.begins + (_ROOM - 1) * 4 * (result.begins - float(known.min()))
    if float(known.max()) > top > float(known.min()):
        low = min(
            float(known.min()), *(trial.loss for trial in result.trials if math.isfinite(trial.loss)), top
        )
        axes.set_ylim(low - 0.05 * (top - low), top)


def _trials(axes: "Axes", result: FoundRate) -> None:
    entries: Entries = []
    drawn = []
    for shade, trial in zip(_SHADES, result.trials, strict=False):
        color = canvas.GREEN if trial.rate == result.suggested else shade
        losses = _running(trial)
        width = 2.6 if trial.rate == result.suggested else 1.5
        line, *_ = axes.plot(np.arange(1, len(losses) + 1), losses, color=color, linewidth=width)
        entries.append((line, f"rate {number(trial.rate)}"))
        drawn.append(losses)
    scale(axes, drawn)
    axes.axhline(result.begins, color=canvas.BLACK, linewidth=0.8, linestyle=":")
    axes.set_ylabel("training loss, mean of five steps")
    canvas.positions_on(axes, "step of a trial")
    _explained(axes, entries)


def _explained(axes: "Axes", entries: Entries) -> None:
    """A legend inside the panel, where the least is hidden: beside each other there is no room above them."""
    labels = [label for _, label in entries]
    drawn = axes.legend([artist for artist, _ in entries], labels, fontsize=9, loc="best", framealpha=0.85)
    canvas.literally(drawn, labels)


def _running(trial: RateTrial) -> Floats:
    """The mean over the last five steps: batches differ more than rates do."""
    losses = np.array(trial.course.losses)
    return np.array([losses[max(0, at - 4) : at + 1].mean() for at in range(len(losses))])
