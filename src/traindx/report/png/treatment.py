"""Before and after: the curves of the best trial with all its seeds, and the effect of every trial."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from traindx.changes.types import label_of
from traindx.format import count, number, printable
from traindx.report.png import canvas
from traindx.report.png.curve import Entries, Style, binned, draw, drawable, scale
from traindx.report.results.trials import compared_by, conclusion, ranked, row, share_of_control
from traindx.run import Floats
from traindx.trials.types import Arm, Outcome, Pair, Treatment, Trial

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLORS = {
    Outcome.HELPED: canvas.GREEN,
    Outcome.NO_DIFFERENCE: canvas.GRAY,
    Outcome.WORSE: canvas.ORANGE,
    Outcome.INCONCLUSIVE: canvas.GRAY,
}
_MOST, _FEW = 12, 5
"""More trials than the first are counted, not drawn; fewer than the second do not fill the panel."""
_ROW, _LEAST = 0.56, 3.4
"""Inches for each trial, and for the panels at least."""
_BELOW_IT = 1.8
"""Inches for a second panel of curves."""
_EFFECTS = "effects"
_FAR = 4.0
"""Of the control: an effect beyond this leaves no room for the others on a linear axis."""
_LETTERS = 34
"""Characters of a change that fit above its effect."""
_LABEL, _SMALL = 9.0, 8.0
_ABOVE, _BELOW = 12.0, -11.0
"""Points from the line of a trial to its name, and to its figures."""
_QUIET = "#555555"


def trial_comparison(treatment: Treatment) -> tuple[str, bytes] | None:
    """The name of the picture and its bytes; None where nothing was tried."""
    if not treatment.trials:
        return None
    with canvas.drawing():
        return "training_comparison.png", _drawn(treatment)


def _drawn(treatment: Treatment) -> bytes:
    shown = treatment.best or ranked(treatment.trials)[0]
    listed = ranked(treatment.trials)[:_MOST]
    curves = {
        name: arms
        for name, arms in _curves_of(shown).items()
        if any(pair.control.curve or pair.treated.curve for pair in arms)
    }
    height = max(_LEAST + _BELOW_IT * (len(curves) > 1), _ROW * len(listed) + 0.6)
    word = "proven" if treatment.best else "no proven fix"
    figure = canvas.new_figure(height + 1.6, f"{word}: {conclusion(treatment)}")
    panels = figure.subplot_mosaic(
        [[name, _EFFECTS] for name in curves] or [[_EFFECTS]],
        width_ratios=[1, 1.1][not curves :],
        height_ratios=[3, 2][: len(curves) or 1],
    )
    for name, arms in curves.items():
        draw_arms(panels[name], name, arms)
    for first in list(curves)[:1]:
        title = printable(f"{first} · {label_of(shown.changes)}", 44)
        panels[first].set_title(title, loc="left", size=10, weight="bold", pad=26, parse_math=False)
    _effects(panels[_EFFECTS], listed, treatment.best)
    canvas.captioned(figure, _caption(treatment, shown if curves else None))
    return canvas.as_png(figure)


def _curves_of(trial: Trial) -> dict[str, tuple[Pair, ...]]:
    """What is drawn over steps, by its name: what arms are compared by, and below it right answers."""
    pairs = trial.pairs if trial.metrics is not None else ()
    answers = tuple(
        Pair(*(replace(arm, curve=arm.metrics, value=arm.metric) for arm in (pair.control, pair.treated)))
        for pair in pairs
    )
    return {trial.measure.value: trial.pairs, "accuracy": answers}


def _caption(treatment: Treatment, shown: Trial | None) -> list[str]:
    lines = []
    if shown is not None:
        lines.append(
            "Thin: one trial run with one seed. Thick: mean over seeds. Cross: it ended in NaN or infinity."
        )
    lines.append("Bars are 95% intervals over seeds; a hollow dot has one seed and no interval.")
    hidden = len(treatment.trials) - _MOST
    return [*lines, *([f"Not shown: {count(hidden, 'trial')} with a smaller effect."] if hidden > 0 else [])]


def _effects(axes: "Axes", trials: Sequence[Trial], best: Trial | None) -> None:
    """One line for each trial: the control at 0, the treated arms beside it in percent of it."""
    measures = {trial.measure for trial in trials}
    axes.axvline(0, color=canvas.BLACK, linewidth=1.0, zorder=1)
    for index, trial in enumerate(trials):
        _effect(axes, index, trial)
    # As if there were a few: two lines would lie far apart.
    axes.set_ylim(max(len(trials), _FEW) - 0.4, -0.75)
    axes.set_yticks([])
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    _percents(axes, [share for trial in trials if (share := share_of_control(trial))])
    axes.set_xlabel("effect in percent of the control")
    for index, trial in enumerate(trials):
        _label(axes, index, trial, is_best=trial is best, several=len(measures) > 1)
    caption = compared_by(next(iter(measures))) if len(measures) == 1 else "compared by what each is for"
    axes.set_title(f"effect · {caption}", loc="left", size=10, weight="bold", pad=26)


def _effect(axes: "Axes", index: int, trial: Trial) -> None:
    shares = share_of_control(trial)
    if shares is None:
        return
    effect, interval = shares
    color = _COLORS[trial.outcome]
    axes.plot([0, 100 * effect], [index, index], color=color, linewidth=1.2, alpha=0.6, zorder=2)
    if interval is not None:
        ends = [100 * end for end in interval]
        axes.plot(ends, [index, index], color=color, linewidth=5, alpha=0.35, solid_capstyle="butt", zorder=3)
    axes.plot([0], [index], marker="o", markersize=4.5, color=canvas.BLACK, zorder=4)
    axes.plot(
        [100 * effect],
        [index],
        marker="o",
        markersize=7,
        color=color,
        markerfacecolor=color if interval is not None else "white",
        markeredgewidth=1.6,
        zorder=5,
    )


def _label(axes: "Axes", index: int, trial: Trial, *, is_best: bool, several: bool) -> None:
    """The change, its figures and its outcome above the line; why there is no line, where there is none."""
    cells = row(trial)
    name = printable(label_of(trial.changes), _LETTERS)
    _words(axes, index, _ABOVE, name, weight="bold" if is_best else "normal")
    figures = f"{cells.control} → {cells.treated} · " if trial.counted else ""
    outcome = f"{figures}{trial.outcome.value}"
    _words(axes, index, _ABOVE, outcome, right=True, color=_COLORS[trial.outcome], weight="bold")
    if share_of_control(trial) is None:
        why = _without_percent(trial, cells.effect)
        _words(axes, index, 0.0, f"{why}, {trial.measure.value}" if several else why, color=_QUIET)
    elif several:
        _words(axes, index, _BELOW, trial.measure.value, right=True, color=_QUIET)


def _without_percent(trial: Trial, effect: str) -> str:
    """Why an effect cannot be told in percent of the control."""
    if any(pair.treated.refused for pair in trial.pairs):
        return "not applicable"
    if not trial.counted:
        return "not measured"
    return "some runs end in NaN" if effect == "-" else effect


def _words(
    axes: "Axes",
    index: int,
    points: float,
    text: str,
    *,
    right: bool = False,
    color: str = canvas.BLACK,
    weight: str = "normal",
) -> None:
    """Text at an edge of a line, so many points above it; on white, so that no line runs through it."""
    note = axes.annotate(
        "",
        (1.0 if right else 0.0, index),
        (0, points),
        xycoords=axes.get_yaxis_transform(),
        textcoords="offset points",
        size=_SMALL if right or not points else _LABEL,
        va="center",
        ha="right" if right else "left",
        color=color,
        weight=weight,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
        zorder=6 if points else 3,
    )
    note.set_parse_math(False)
    note.set_text(text)


def _percents(axes: "Axes", shares: Sequence[tuple[float, tuple[float, float] | None]]) -> None:
    from matplotlib.ticker import MaxNLocator

    ends = [end for effect, interval in shares for end in (effect, *(interval or ()))]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    if not ends:
        axes.set_xlim(-1, 1)
        axes.set_xticks([])
        return
    if max(-low, high) > _FAR:
        # In decades beyond the size of the control, so that small effects are still seen.
        axes.set_xscale("symlog", linthresh=100, linscale=1.5)
        axes.set_xlim(120 * low if low < 0 else -30, 140 * high if high > 0 else 30)
    else:
        room = 100 * 0.08 * ((high - low) or 1.0)
        axes.set_xlim(100 * low - room, 100 * high + room)
        axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(lambda value, _: f"{'+' if value > 0 else ''}{number(value)} %")


_BINS = 80
"""Places at which the mean of arms is taken."""


def _arrays(arm: Arm) -> tuple[Floats, Floats]:
    steps, values = np.array(arm.curve, dtype=np.float64).T
    return steps, drawable(values)


def _mean(axes: "Axes", arms: Sequence[Arm], color: str, label: str) -> Entries:
    """The mean of arms, as far as all of them are numbers."""
    curves = [_arrays(arm) for arm in arms]
    first = max(float(steps[0]) for steps, _ in curves)
    last = min(float(steps[-1]) for steps, _ in curves)
    if last <= first:
        first, last = min(first, last), max(first, last)
    longest = max(len(steps) for steps, _ in curves)
    edges = np.linspace(first, last, min(_BINS, longest) + 1)
    middles = (edges[:-1] + edges[1:]) / 2
    mean = np.mean([binned(steps, values, edges) for steps, values in curves], axis=0)
    line, *_ = axes.plot(middles, mean, color=color, linewidth=2.4, solid_capstyle="round")
    return [(line, label)]


def _cross(axes: "Axes", arm: Arm, color: str, height: float) -> None:
    """A cross at the upper edge where an arm ceased to be a number."""
    steps, values = _arrays(arm)
    bad = steps[~np.isfinite(values)]
    ended = arm.value is not None and not math.isfinite(arm.value)
    if not len(bad) and not ended:
        return
    canvas.mark_edge(axes, [float(bad[0] if len(bad) else steps[-1])], height, color, "x", 8, edge_width=2.0)


def draw_arms(axes: "Axes", name: str, pairs: Sequence[Pair]) -> None:
    """Arms over steps, without the change and with it."""
    sides = {
        "without the change": (canvas.BLUE, [pair.control for pair in pairs]),
        "with it": (canvas.ORANGE, [pair.treated for pair in pairs]),
    }
    entries: Entries = []
    values = []
    for index, (label, (color, arms)) in enumerate(sides.items()):
        drawn = [arm for arm in arms if arm.curve]
        for arm in drawn:
            steps, curve = _arrays(arm)
            draw(axes, steps, curve, Style(color, label, faint=True))
            values.append(curve)
            _cross(axes, arm, color, 0.97 - 0.05 * index)
        if drawn:
            entries += _mean(axes, drawn, color, f"{label}, {count(len(drawn), 'seed')}")
    scale(axes, values)
    axes.set_ylabel(name)
    canvas.positions_on(axes, "step")
    canvas.legend(axes, entries)
