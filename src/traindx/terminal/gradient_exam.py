"""An exam of gradients on the terminal."""

from rich.text import Text

from traindx.gradient_exam import GradientExam, GradientRow
from traindx.terminal.exam import chosen, print_notes, print_table, print_verdict, table_of
from traindx.terminal.paper import paper, printed
from traindx.wording import count, number, printable

_ROWS = 40
_WIDE = 110
"""From this width on there is room for kinds, shapes and the weights themselves."""
_NAME = 34
_TOLD = "norm and values of each gradient; ratio: norm over that of the weights; zero: share of zeros"


def gradient_exam_text(exam: GradientExam, source: str, *, width: int, colour: bool, everything: bool) -> str:
    """The verdict, the table by parameter, and what was guessed."""
    console = paper(width, colour)
    print_verdict(console, _title(exam, source), exam.problems, _fine(exam))
    named = {layer for one in exam.problems for layer in one.layers}
    places = [
        place for place, row in enumerate(exam.rows) if row.layer.name in named or row.state == "no gradient"
    ]
    shown = chosen(places, len(exam.rows), len(exam.rows) if everything else _ROWS)
    wide = width >= _WIDE
    full = any(row.spread is not None for row in exam.rows)
    table = table_of(_headings(wide, full))
    for place in shown:
        table.add_row(*map(Text, _cells(exam.rows[place], wide, full)))
    print_table(
        console,
        table,
        _TOLD if full else "norms of gradient and weights at the last look",
        len(exam.rows) - len(shown),
    )
    print_notes(console, [*_depth(exam), *exam.notes])
    return printed(console)


def _title(exam: GradientExam, source: str) -> str:
    loss = "" if exam.loss is None else f" · loss {number(exam.loss)} ({exam.loss_function})"
    return f"gradients of {exam.model}{f' · {source}' if source else ''}{loss}"


def _fine(exam: GradientExam) -> str:
    reached = sum(row.state == "" for row in exam.rows)
    parameters = count(len(exam.rows), "parameter")
    return f"gradients reach {reached} of {parameters}; their norm is {number(exam.norm)}"


def _depth(exam: GradientExam) -> list[str]:
    if exam.decay is None:
        return []
    factor = number(float(f"{exam.decay.factor:.2g}"))
    layers = count(exam.decay.layers, "layer")
    return [f"towards the input the gradient changes by a factor of {factor} a layer, over {layers}"]


def _headings(wide: bool, full: bool) -> list[tuple[str, bool]]:
    first = [("parameter", False)] + ([("kind", False), ("shape", False)] if wide else [])
    sizes = [("norm", True)] + ([("weight", True)] if wide or not full else []) + [("ratio", True)]
    values = [(name, True) for name in ("mean", "std", "min", "max", "zero")]
    return first + sizes + (values if full else [])


def _cells(row: GradientRow, wide: bool, full: bool) -> list[str]:
    layer = row.layer
    shape = "x".join(map(str, layer.shape))
    first = [printable(layer.name, _NAME)] + ([printable(layer.kind, 20), shape] if wide else [])
    norm = {"frozen": "frozen", "no gradient": "NO GRADIENT"}.get(row.state, _short(row.norm))
    sizes = [norm] + ([_short(row.weight)] if wide or not full else []) + [_short(row.ratio)]
    spread = row.spread
    if not full or spread is None:
        return first + sizes + ([""] * 5 if full else [])
    if spread.nonfinite_share:
        return [*first, "NOT FINITE", *[""] * (len(sizes) + 4)]
    # Most rows of a table that is looked up get no gradient from one batch: their zeros mean nothing.
    zero = f"{spread.zero_share:.0%}" + (" *" if row.is_table else "")
    return [
        *first,
        *sizes,
        _short(spread.mean),
        _short(spread.std),
        _short(spread.min),
        _short(spread.max),
        zero,
    ]


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.2g}"
