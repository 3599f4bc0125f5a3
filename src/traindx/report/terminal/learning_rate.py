"""A learning rate that was looked for: the range test as a curve, the trials as a table, and the answer."""

import math

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from traindx.exams.learning_rate.types import FoundRate
from traindx.format import number, printable
from traindx.report.results.learning_rate import (
    cost_line,
    current_line,
    heading,
    limit_line,
    rows,
    usable_line,
    verdict,
)
from traindx.report.terminal.paper import CURVE_STYLES, indented, paper, print_plot, printed, section
from traindx.report.text_plots import FIRST_STROKE, NON_FINITE, SECOND_LETTER, Drawn, Ink, small_plot
from traindx.run import Floats

_LONG = 600
_AROUND, _WIDEST = 18, 96
"""Columns beside the plot, and those it fills at most."""


def rate_text(
    found: FoundRate,
    *,
    title: str,
    seconds: float | None = None,
    change: str = "",
    prove: str = "",
    width: int = 80,
    colour: bool = False,
) -> str:
    """What was found as text of a given width."""
    console = paper(width, colour)
    console.print(Text.assemble("traindx · ", (printable(title), "bold"), " · learning rate"))
    console.print()
    style = "bold yellow" if found.suggested is None else "bold green"
    console.print(Text.assemble((verdict(found), style)))
    console.print(indented(Text(printable(found.why, _LONG))))
    console.print()
    _print_curve(console, found)
    if found.trials:
        console.print(indented(_table(found), 1))
    for name, line in (
        ("usable", usable_line(found)),
        ("current", current_line(found)),
        ("runs away", limit_line(found)),
        ("change", change),
        ("prove it", prove),
        ("cost", cost_line(found, seconds)),
    ):
        section(console, name, *([printable(line, _LONG)] if line else []))
    section(console, "notes", *[printable(note, _LONG) for note in found.notes])
    return printed(console)


def _print_curve(console: Console, found: FoundRate) -> None:
    rates, losses = np.array(found.curve.rates), np.array(found.curve.losses)
    if len(rates) < 2:
        return
    ends = [one for one in found.trials if math.isfinite(one.loss)]
    curves = [Drawn(_places(rates, rates), losses)]
    if ends:
        tried = np.array([one.rate for one in ends])
        curves.append(Drawn(_places(tried, rates), np.array([one.loss for one in ends])))
    plot = small_plot(
        curves,
        width=min(console.width - _AROUND, _WIDEST),
        ends=(f"rate {number(float(f'{rates[0]:.1g}'))}", number(float(f"{rates[-1]:.2g}"))),
        mark=None if found.usable is None else _stretch(found.usable, rates),
        mark_label="" if found.suggested is None else number(found.suggested),
    )
    if plot is None:
        return
    legend = Text.assemble((f"{FIRST_STROKE} loss while the rate rises", CURVE_STYLES[Ink.FIRST]))
    if ends:
        legend.append(f"   {SECOND_LETTER} ends of trials", CURVE_STYLES[Ink.SECOND])
    if not np.isfinite(losses).all():
        legend.append(f"   {NON_FINITE} not finite", CURVE_STYLES[Ink.BAD])
    print_plot(console, plot, legend)
    if not found.trials:
        console.print()


def _places(rates: Floats, axis: Floats) -> Floats:
    """Rates as shares of a logarithmic axis; those outside lie at its edges."""
    low, high = math.log(float(axis.min())), math.log(float(axis.max()))
    shares = (np.log(rates) - low) / max(high - low, 1e-9)
    return np.asarray(np.clip(shares, 0.0, 1.0))


def _stretch(usable: tuple[float, float], axis: Floats) -> tuple[float, float]:
    low, high = _places(np.array(usable), axis).tolist()
    return low, high


def _table(found: FoundRate) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for name in ("rate", heading(found), "fall"):
        table.add_column(name, justify="right")
    table.add_column("")
    for row in rows(found):
        cells = (row.rate, row.end, row.fall, row.remark)
        table.add_row(*(Text(cell, style="green" if row.is_suggested else "") for cell in cells))
    return table
