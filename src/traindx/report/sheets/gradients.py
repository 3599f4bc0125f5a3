"""An exam of gradients in words."""

from traindx.exams.types import GradientExam, GradientRow
from traindx.format import count, number, printable
from traindx.report.sheets.sheet import Column, Sheet, layers_named, places_of, share, short, titled

_NAME = 34
_TOLD = "norm and values of each gradient; ratio: norm over that of the weights; zero: share of zeros"
_RECORDED = "norms of gradient and weights at the last look"


def gradient_sheet(exam: GradientExam, source: str) -> Sheet:
    """The verdict, the table by parameter, and what was guessed."""
    full = any(row.spread is not None for row in exam.rows)
    reached = sum(row.state == "" for row in exam.rows)
    parameters = count(len(exam.rows), "parameter")
    named = layers_named(exam.problems) | set(exam.without_gradient)
    loss = "" if exam.loss is None else f"loss {number(exam.loss)} ({exam.loss_function})"
    return Sheet(
        kind="gradients",
        title=titled(f"gradients of {exam.model}", source, loss),
        problems=exam.problems,
        fine=f"gradients reach {reached} of {parameters}; their norm is {number(exam.norm)}",
        columns=_columns(full),
        rows=tuple(_cells(row, full) for row in exam.rows),
        named=places_of((row.layer.name for row in exam.rows), named),
        told=_TOLD if full else _RECORDED,
        notes=(*_depth(exam), *exam.notes),
    )


def _columns(full: bool) -> tuple[Column, ...]:
    return (
        Column("parameter", is_number=False),
        Column("kind", is_number=False, is_extra=True),
        Column("shape", is_number=False, is_extra=True),
        Column("norm"),
        Column("weight", is_extra=full),
        Column("ratio"),
        *(Column(name) for name in ("mean", "std", "min", "max", "zero") if full),
    )


def _cells(row: GradientRow, full: bool) -> tuple[str, ...]:
    layer, spread = row.layer, row.spread
    first = (printable(layer.name, _NAME), printable(layer.kind, 20), "x".join(map(str, layer.shape)))
    if spread is not None and spread.nonfinite_share:
        return (*first, "NOT FINITE", "", "", *[""] * 5)
    norm = {"frozen": "frozen", "no gradient": "NO GRADIENT"}.get(row.state, short(row.norm))
    sizes = (norm, short(row.weight), short(row.ratio))
    if spread is None:
        return (*first, *sizes, *[""] * (5 if full else 0))
    # Most rows of a table that is looked up get no gradient from one batch: their zeros mean nothing.
    zero = share(spread.zero_share) + (" *" if row.is_table else "")
    values = (short(one) for one in (spread.mean, spread.std, spread.min, spread.max))
    return (*first, *sizes, *values, zero)


def _depth(exam: GradientExam) -> list[str]:
    if exam.decay is None:
        return []
    factor = number(float(f"{exam.decay.factor:.2g}"))
    layers = count(exam.decay.layers, "layer")
    return [f"towards the input the gradient changes by a factor of {factor} a layer, over {layers}"]
