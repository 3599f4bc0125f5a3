"""The small curve of a run, with the evidence marked."""

from rich.console import Console
from rich.text import Text

from traindx.curves.series import shares
from traindx.finding import Evidence
from traindx.format import printable, step
from traindx.report.results.diagnosis import main_series, place, share_at
from traindx.report.terminal.paper import indented
from traindx.report.text_plots import (
    FIRST_STROKE,
    NON_FINITE,
    SECOND_LETTER,
    Drawn,
    Ink,
    SmallPlot,
    small_plot,
)
from traindx.run import Quantity, Run, Series

STYLES = {Ink.FRAME: "dim", Ink.FIRST: "cyan", Ink.SECOND: "magenta", Ink.BAD: "bold red", Ink.MARK: "bold"}
_WIDEST = 96
_AROUND = 18
"""Columns beside the plot: the indent, the longest number and some air."""


def print_curve(console: Console, run: Run, evidence: Evidence | None) -> None:
    """The main curve of a run, the validation curve with it, and where the evidence begins."""
    drawn = [series for series in main_series(run) if len(series) > 1]
    if not drawn:
        return
    first = drawn[0]
    plot = small_plot(
        [Drawn(shares(run, series), series.values) for series in drawn],
        width=min(console.width - _AROUND, _WIDEST),
        ends=(f"{first.axis.value} {step(first.steps[0])}", step(first.steps[-1])),
        mark=None if evidence is None else _stretch(run, evidence),
        mark_label="" if evidence is None else place(evidence),
    )
    if plot is None:
        return
    console.print(indented(_legend(drawn, plot)))
    for row in plot.rows:
        console.print(indented(Text.assemble(*((piece.text, STYLES[piece.ink]) for piece in row))))
    console.print()


def _stretch(run: Run, evidence: Evidence) -> tuple[float, float] | None:
    first, last = (share_at(run, evidence.axis, position) for position in evidence.steps)
    return None if first is None or last is None else (first, last)


def _legend(drawn: list[Series], plot: SmallPlot) -> Text:
    text = Text.assemble((f"{FIRST_STROKE} {name(drawn[0].quantity, drawn[0].part)}", STYLES[Ink.FIRST]))
    for series in drawn[1:]:
        text.append(f"   {SECOND_LETTER} {name(series.quantity, series.part)}", STYLES[Ink.SECOND])
    if any(series.first_bad_step is not None for series in drawn):
        text.append(f"   {NON_FINITE} not finite", STYLES[Ink.BAD])
    return text.append("   logarithmic scale" if plot.logarithmic else "", "dim")


def name(quantity: Quantity, part: str) -> str:
    """A quantity and which of several it is."""
    return f"{quantity.slug} {printable(part, 30)}".rstrip()
