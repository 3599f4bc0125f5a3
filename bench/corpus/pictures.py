"""The pictures of docs/accuracy.md: calibration, confusions, and what abstaining buys."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from corpus.figures import confusions, reliability, risks
from corpus.judged import Judged

_INK, _SOFT, _ACCENT = "#1f2933", "#9aa5b1", "#1864ab"
_FEW = 50
_COLORS = (_ACCENT, "#e8590c")


def calibration(sets: Mapping[str, Sequence[Judged]], into: Path) -> None:
    """How often what is said with some confidence is true."""
    figure, axes = plt.subplots(figsize=(5.2, 4.6), layout="constrained")
    axes.plot([0, 1], [0, 1], color=_SOFT, lw=1, ls="--", label="as it should be")
    for color, (name, runs) in zip(_COLORS, sets.items(), strict=False):
        points = reliability(runs)
        sure, truth = [point for point, _ in points], [two.value for _, two in points]
        low = [two.value - two.interval[0] for _, two in points]
        high = [two.interval[1] - two.value for _, two in points]
        axes.errorbar(sure, truth, (low, high), color=color, marker="o", ms=5, lw=1.5, capsize=2, label=name)
    axes.set(
        xlim=(0, 1.02),
        ylim=(0, 1.02),
        xlabel="confidence of the likeliest hypothesis",
        ylabel="how often it is true",
    )
    axes.legend(frameon=False, loc="lower right")
    _save(figure, into)


def coverage(sets: Mapping[str, Sequence[Judged]], into: Path) -> None:
    """How often it is wrong among the runs it is surest of."""
    figure, axes = plt.subplots(figsize=(5.2, 3.6), layout="constrained")
    for color, (name, runs) in zip(_COLORS, sets.items(), strict=False):
        # Among a handful of runs a share is chance.
        curve = risks(runs)[_FEW:]
        axes.plot(
            [100 * value for value, _ in curve],
            [100 * two for _, two in curve],
            color=color,
            lw=1.8,
            label=name,
        )
    axes.set(
        xlim=(0, 100),
        ylim=(0, None),
        xlabel="% of runs that are answered, the surest first",
        ylabel="% of answers that are wrong",
    )
    axes.legend(frameon=False)
    _save(figure, into)


def confusion(runs: Sequence[Judged], into: Path) -> None:
    """What is said of every cause that was injected: a row each, as shares of it."""
    counts = Counter((run.row.label, run.first or "no verdict") for run in runs)
    missed = {label for label, _ in confusions(runs)} | {said for _, said in confusions(runs)}
    true = sorted({label for label, _ in counts} & missed, key=lambda name: (name != "healthy", name))
    said = sorted(
        {name for _, name in counts} & missed,
        key=lambda name: (name != "healthy", name == "no verdict", name),
    )
    totals = Counter(run.row.label for run in runs)
    grid = [[counts[label, name] / totals[label] for name in said] for label in true]
    figure, axes = plt.subplots(
        figsize=(0.23 * len(said) + 3.2, 0.22 * len(true) + 2.6), layout="constrained"
    )
    axes.imshow(grid, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(said)), said, rotation=90, fontsize=7)
    axes.set_yticks(range(len(true)), [f"{name} ({totals[name]})" for name in true], fontsize=7)
    axes.set(xlabel="said first", ylabel="what it is")
    for down, label in enumerate(true):
        for right, name in enumerate(said):
            if counts[label, name]:
                dark = grid[down][right] > 0.6
                axes.text(
                    right,
                    down,
                    str(counts[label, name]),
                    ha="center",
                    va="center",
                    fontsize=5.5,
                    color="white" if dark else _INK,
                )
    _save(figure, into)


def _save(figure: Figure, into: Path) -> None:
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(into, dpi=130, metadata={"Software": None})
    plt.close(figure)
