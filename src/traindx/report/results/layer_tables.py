"""The layers of a model as tables: their outputs, their gradients, their design."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress

from traindx.exams.types import (
    ActivationExam,
    ActivationRow,
    GradientExam,
    GradientRow,
    Memory,
    ModelExam,
    ModelRow,
)
from traindx.finding import Finding
from traindx.format import apart, percentage, printable
from traindx.report.blocks import Cell, Table, Tone, table

_NAME, _KIND = 30, 16
_NON_FINITE = "NON-FINITE"
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@dataclass(frozen=True)
class Shortened:
    """Some rows of a table, without its details, and what is said of the others."""

    table: Table
    rest: str


@dataclass(frozen=True)
class LayerTable:
    """A table with a row for each layer."""

    table: Table
    legend: str
    details: tuple[str, ...]
    """Titles of columns that only the whole table has."""
    named: tuple[int, ...]
    """The rows that problems are about."""

    parts: tuple[tuple[str, ...], ...] = ()
    """Titles of the columns of several tables, if one with all of them is too wide."""

    @property
    def tables(self) -> tuple[Table, ...]:
        """All rows with all columns."""
        if not self.parts:
            return (self.table,)
        return tuple(
            _with_columns(self.table, [title in part for title in self._titles]) for part in self.parts
        )

    def shortened(self, most: int) -> Shortened:
        """The rows that problems are about, and others spread evenly over the rest."""
        total = len(self.table.rows)
        rows = chosen(self.named, total, most)
        short = _with_columns(self.table, [title not in self.details for title in self._titles])
        rest = f"{total - len(rows):,} more rows: --all" if total > len(rows) else ""
        return Shortened(replace(short, rows=tuple(short.rows[row] for row in rows)), rest)

    @property
    def _titles(self) -> list[str]:
        return [column.title for column in self.table.columns]


def _with_columns(whole: Table, kept: Sequence[bool]) -> Table:
    """A table with some of its columns."""
    rows = tuple(tuple(compress(row, kept)) for row in whole.rows)
    return replace(whole, columns=tuple(compress(whole.columns, kept)), rows=rows)


def chosen(named: Collection[int], total: int, most: int) -> list[int]:
    """The rows to show, in order: first, last, some of those named, and others spread evenly."""
    if total <= most:
        return list(range(total))
    kept = {0, total - 1, *list(named)[: most // 2]}
    others = [index for index in range(total) if index not in kept]
    left = most - len(kept)
    return sorted(kept | {others[(2 * index + 1) * len(others) // (2 * left)] for index in range(left)})


def _table(titles: str, rows: Iterable[tuple[str, ...]], named: Collection[int]) -> Table:
    """A table in which the rows that problems are about stand out."""
    full = list(rows)
    cells = [
        [Cell(name, Tone.BAD if index in named else Tone.PLAIN), *map(Cell, row[1:])]
        for index, (name, row) in enumerate(zip(apart([row[0] for row in full], _NAME), full, strict=True))
    ]
    return table(titles, cells)


def _named(names: Iterable[str], problems: Iterable[Finding], more: Iterable[str] = ()) -> tuple[int, ...]:
    wanted = {layer for problem in problems for layer in problem.layers} | set(more)
    return tuple(index for index, name in enumerate(names) if name in wanted)


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.2g}"


def _share(value: float | None) -> str:
    return "" if value is None else percentage(value)


def activation_table(exam: ActivationExam) -> LayerTable:
    """What each layer puts out."""
    named = _named((row.name for row in exam.rows), exam.problems)
    titles = "layer, type, mean>, std>, min>, max>, zero>, dead>, saturated>"
    return LayerTable(
        _table(titles, map(_activation, exam.rows), named),
        "Outputs of each layer. Dead: share of units that are 0 for every input. Saturated: share of outputs"
        " at the flat ends of the activation.",
        ("min", "max"),
        named,
    )


def _activation(row: ActivationRow) -> tuple[str, ...]:
    first = (row.name, printable(row.kind, _KIND))
    if row.nonfinite_share:
        return (*first, _NON_FINITE, *[""] * 6)
    sizes = (_short(value) for value in (row.mean, row.std, row.min, row.max))
    return (
        *first,
        *sizes,
        *(_share(value) for value in (row.zero_share, row.dead_share, row.saturated_share)),
    )


def gradient_table(exam: GradientExam) -> LayerTable:
    """The gradient of each parameter."""
    named = _named((row.layer.name for row in exam.rows), exam.problems, exam.without_gradient)
    titles = "parameter, type, shape, gradient>, weight>, ratio>, mean>, std>, min>, max>, zero>"
    full = any(row.spread is not None for row in exam.rows)
    norms = ("parameter", "type", "shape", "gradient", "weight", "ratio")
    values = ("parameter", "mean", "std", "min", "max", "zero")
    return LayerTable(
        _table(titles, map(_gradient, exam.rows), named),
        "Norms of the gradient and of the weights, and their ratio; mean, std, extremes and share of zeros of"
        " the gradient. *: embedding, most rows get no gradient from one batch."
        if full
        else "Norms of the gradient and of the weights when last recorded, and their ratio.",
        ("type", "shape", "weight", "mean", "min", "max", *(() if full else ("std", "zero"))),
        named,
        (norms, values) if full else (norms,),
    )


def _gradient(row: GradientRow) -> tuple[str, ...]:
    layer, spread = row.layer, row.spread
    first = (layer.name, printable(layer.kind, _KIND), "x".join(map(str, layer.shape)))
    if spread is not None and spread.nonfinite_share:
        return (*first, _NON_FINITE, *[""] * 7)
    norm = {"frozen": "frozen", "no gradient": "NO GRADIENT"}.get(row.state, _short(row.norm))
    sizes = (norm, _short(row.weight), _short(row.ratio))
    if spread is None:
        return (*first, *sizes, *[""] * 5)
    zero = _share(spread.zero_share) + (" *" if row.is_table else "")
    return (
        *first,
        *sizes,
        *(_short(value) for value in (spread.mean, spread.std, spread.min, spread.max)),
        zero,
    )


def design_table(exam: ModelExam) -> LayerTable:
    """The modules of a model."""
    layers = {layer for problem in exam.problems for layer in problem.layers}
    owners = {layer.rpartition(".")[0] for layer in layers}
    named = _named((row.name for row in exam.rows), exam.problems, owners)
    whole = _table("layer, type, output, parameters>, gain>", map(_module, exam.rows), named)
    if all(row.shape is None for row in exam.rows):
        whole = _with_columns(whole, [column.title != "output" for column in whole.columns])
    return LayerTable(
        whole,
        "Parameters of each module itself. Gain: std of the weights times sqrt(fan-in); 1.4 is He, 1 Xavier.",
        (),
        named,
    )


def _module(row: ModelRow) -> tuple[str, ...]:
    shape = "" if row.shape is None else "x".join(map(str, row.shape))
    parameters = "" if not row.parameters else f"{row.parameters:,}" + ("" if row.trainable else " frozen")
    return (row.name, printable(row.kind, _KIND), shape, parameters, _short(row.gain))


def memory_lines(memory: Memory) -> list[str]:
    """What a training of the model takes up."""
    kept = f"parameters {_bytes(memory.parameters)}, gradients {_bytes(memory.gradients)}"
    kept += f", Adam {_bytes(memory.adam)} (SGD with momentum {_bytes(memory.momentum)})"
    if memory.activations is None:
        return [kept]
    each = memory.activations / max(memory.rows, 1)
    batch = f"activations {_bytes(memory.activations)} for a batch of {memory.rows:,}"
    batch += f" ({_bytes(each)} per sample)"
    return [kept, batch, f"total with Adam {_bytes(memory.with_adam)}, without the framework's own memory"]


def _bytes(amount: float) -> str:
    """Bytes as people read them: 12 MB."""
    for unit in _UNITS[:-1]:
        if amount < 1000:
            return f"{amount:.0f} {unit}" if amount >= 100 or unit == "bytes" else f"{amount:.2g} {unit}"
        amount /= 1000
    return f"{amount:.1f} {_UNITS[-1]}"
