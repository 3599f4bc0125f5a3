"""An exam of activations on the terminal."""

from rich.text import Text

from traindx.activation_exam import ActivationExam, ActivationRow
from traindx.terminal.exam import chosen, print_notes, print_table, print_verdict, table_of
from traindx.terminal.paper import paper, printed
from traindx.wording import count, printable

_ROWS = 40
_NAME, _KIND = 34, 18
_TOLD = "outputs of each layer; dead: units that are zero for every input; flat: outputs at the flat ends"


def activation_exam_text(
    exam: ActivationExam, source: str, *, width: int, colour: bool, everything: bool
) -> str:
    """The verdict, the table by layer, and what was guessed."""
    console = paper(width, colour)
    seen = count(exam.batches, "batch", "batches")
    seen = f"{count(exam.inputs, 'input')} in {seen}" if exam.inputs else seen
    title = f"activations of {exam.model}{f' · {source}' if source else ''} · {seen}"
    print_verdict(
        console,
        title,
        exam.problems,
        f"{count(len(exam.rows), 'layer')}: none is dead, saturated or not finite",
    )
    named = {layer for one in exam.problems for layer in one.layers}
    places = [place for place, row in enumerate(exam.rows) if row.name in named]
    shown = chosen(places, len(exam.rows), len(exam.rows) if everything else _ROWS)
    numbers = ("mean", "std", "min", "max", "zero", "dead", "flat")
    table = table_of([("layer", False), ("kind", False), *((name, True) for name in numbers)])
    for place in shown:
        table.add_row(*map(Text, _cells(exam.rows[place])))
    print_table(console, table, _TOLD, len(exam.rows) - len(shown))
    print_notes(console, exam.notes)
    return printed(console)


def _cells(row: ActivationRow) -> list[str]:
    first = [printable(row.name, _NAME), printable(row.kind, _KIND)]
    if row.nonfinite_share:
        return [*first, "NOT FINITE", *[""] * 6]
    sizes = [_short(one) for one in (row.mean, row.std, row.min, row.max)]
    shares = [_share(one) for one in (row.zero_share, row.dead_share, row.saturated_share)]
    return [*first, *sizes, *shares]


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.2g}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"
