"""What was tried: every change with its effect, what is proven, and what was not told."""

import re
from collections.abc import Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from traindx.format import printable
from traindx.report.results.trials import (
    Beliefs,
    Row,
    belief_lines,
    compared_by,
    conclusion,
    health_line,
    left_untried,
    metric_line,
    patch_line,
    rows_by_measure,
    set_aside,
    why_left,
)
from traindx.report.terminal.paper import cut, paper, printed, section
from traindx.trials.types import Outcome, Treatment

OUTCOME_STYLES = {
    Outcome.HELPED: "green",
    Outcome.NO_DIFFERENCE: "",
    Outcome.WORSE: "red",
    Outcome.INCONCLUSIVE: "yellow",
}
_LONG = 600
_NAME = 120
_NARROW = 16
"""Columns that a change and a verdict keep however little room there is."""
_VERDICT = 21
"""Columns for "no difference, 1 seed"."""
_GAP, _EDGES = 2, 2
_WORDS, _PARTS = re.compile(r"\S+\s*|\s+"), re.compile(r"[^._-]*[._-]|[^._-]+")
_SHOWN = 4


def treatment_text(
    treatment: Treatment,
    *,
    width: int = 80,
    colour: bool = False,
    beliefs: Beliefs = (),
    patch_place: str = "",
    everything: bool = False,
) -> str:
    """All that was tried on a program as text of a given width; with `everything`, no list is shortened."""
    console = paper(width, colour)
    print_treatment(console, treatment, beliefs=beliefs, patch_place=patch_place, everything=everything)
    return printed(console)


def print_treatment(
    console: Console,
    treatment: Treatment,
    *,
    beliefs: Beliefs = (),
    patch_place: str = "",
    everything: bool = False,
) -> None:
    """The table of trials, what is proven, and all that goes with it."""
    for measure, rows in rows_by_measure(treatment).items():
        console.print(Text.assemble("traindx · compared by ", (compared_by(measure), "bold")))
        console.print(_table(rows, console.width))
    _conclude(console, treatment)
    section(console, "accuracy", *_safe(filter(None, [metric_line(treatment)])))
    section(console, "then", *_safe(filter(None, [health_line(treatment)])))
    section(console, "belief", *cut(_safe(belief_lines(beliefs)), everything, _SHOWN))
    section(console, "set aside", *cut(_safe(set_aside(treatment)), everything, _SHOWN))
    left = [*why_left(treatment), *left_untried(treatment)]
    section(console, "not tried", *cut(_safe(left), everything, _SHOWN))
    section(console, "patch", *_safe(filter(None, [patch_line(treatment, patch_place)])))
    section(console, "notes", *_safe(treatment.notes))


def _table(rows: Sequence[Row], width: int) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    stacked = _natural(rows) > width
    effects = [row.effect.replace(" [", "\n[") if stacked else row.effect for row in rows]
    room = width - _EDGES - sum(_side(rows)) - _widest("effect [95 %]", effects) - _VERDICT - _GAP
    names = _widest("change", [printable(row.change, _NAME) for row in rows]) - _GAP
    table.add_column("change", overflow="fold", width=max(_NARROW, min(names, room)))
    for heading in ("control", "treated"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("effect [95 %]", no_wrap=True)
    table.add_column("verdict", overflow="fold", min_width=_NARROW)
    for row, effect in zip(rows, effects, strict=True):
        table.add_row(
            Text(broken(printable(row.change, _NAME), max(_NARROW, min(names, room)))),
            Text(row.control),
            Text(row.treated),
            Text(effect),
            Text(printable(row.verdict, _LONG), style=OUTCOME_STYLES[row.outcome]),
        )
    return table


def _natural(rows: Sequence[Row]) -> int:
    """The columns that the table wants, with verdicts of a few words."""
    names = _widest("change", [printable(row.change, _NAME) for row in rows])
    effects = _widest("effect [95 %]", [row.effect for row in rows])
    return _EDGES + names + sum(_side(rows)) + effects + _VERDICT


def _side(rows: Sequence[Row]) -> tuple[int, int]:
    return _widest("control", [row.control for row in rows]), _widest(
        "treated", [row.treated for row in rows]
    )


def _widest(heading: str, cells: Sequence[str]) -> int:
    return max(cell_len(line) for cell in (heading, *cells) for line in cell.split("\n")) + _GAP


def broken(name: str, width: int) -> str:
    """A name over several lines, broken at blanks, and within words where they are too long."""
    pieces = []
    for word in _WORDS.findall(name):
        pieces += [word] if cell_len(word.rstrip()) <= width else _PARTS.findall(word)
    lines = [""]
    for piece in pieces:
        if lines[-1] and cell_len(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)


def _conclude(console: Console, treatment: Treatment) -> None:
    proven = treatment.best is not None
    word = ("proven: ", "bold green") if proven else ("no proven win: ", "bold yellow")
    says = printable(conclusion(treatment), _LONG)
    console.print(Text.assemble(word, (says, "bold" if proven else "")))


def _safe(lines: "filter[str] | Sequence[str]") -> list[str]:
    return [printable(line, _LONG) for line in lines]
