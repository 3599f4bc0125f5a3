"""The tables of the exams of models, whatever the format."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

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
from traindx.format import count, number, printable


@dataclass(frozen=True)
class Column:
    """A column of the table."""

    heading: str
    is_number: bool = True
    is_extra: bool = False
    """Whether it is left out where there is little room."""


@dataclass(frozen=True)
class Sheet:
    """An exam in words."""

    kind: str
    """What was examined: "gradients"."""
    title: str
    problems: tuple[Finding, ...]
    fine: str
    """What is said where there is no problem."""
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    """A text for each column."""
    named: tuple[int, ...]
    """The rows that problems are about."""
    told: str
    """What stands in the columns."""
    sections: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Further remarks, each under a heading."""
    notes: tuple[str, ...] = ()


def layers_named(problems: Iterable[Finding]) -> set[str]:
    """All layers that problems name."""
    return {layer for one in problems for layer in one.layers}


def places_of(names: Iterable[str], wanted: Collection[str]) -> tuple[int, ...]:
    """Where the wanted ones stand."""
    return tuple(place for place, name in enumerate(names) if name in wanted)


def titled(what: str, *more: str) -> str:
    """The parts of a title that are there."""
    return " · ".join(one for one in (what, *more) if one)


def short(value: float | None) -> str:
    """A number in two digits; empty where there is none."""
    return "" if value is None else f"{value:.2g}"


def share(value: float | None) -> str:
    """A share in percent; empty where there is none."""
    return "" if value is None else f"{value:.0%}"


_NAME, _KIND = 34, 18
_TOLD = "outputs of each layer; dead: units that are zero for every input; flat: outputs at the flat ends"
_NUMBERS = ("mean", "std", "min", "max", "zero", "dead", "flat")


def activation_sheet(exam: ActivationExam, source: str) -> Sheet:
    """The verdict, the table by layer, and what was guessed."""
    seen = count(exam.batches, "batch", "batches")
    seen = f"{count(exam.inputs, 'input')} in {seen}" if exam.inputs else seen
    return Sheet(
        kind="activations",
        title=titled(f"activations of {exam.model}", source, seen),
        problems=exam.problems,
        fine=f"{count(len(exam.rows), 'layer')}: none is dead, saturated or not finite",
        columns=(
            Column("layer", is_number=False),
            Column("kind", is_number=False),
            *(Column(name) for name in _NUMBERS),
        ),
        rows=tuple(_cells(row) for row in exam.rows),
        named=places_of((row.name for row in exam.rows), layers_named(exam.problems)),
        told=_TOLD,
        notes=exam.notes,
    )


def _cells(row: ActivationRow) -> tuple[str, ...]:
    first = (printable(row.name, _NAME), printable(row.kind, _KIND))
    if row.nonfinite_share:
        return (*first, "NOT FINITE", *[""] * 6)
    sizes = (short(one) for one in (row.mean, row.std, row.min, row.max))
    return (*first, *sizes, *(share(one) for one in (row.zero_share, row.dead_share, row.saturated_share)))


_GRADIENT_NAME = 34
_GRADIENTS_SHOWN = (
    "norm and values of each gradient; ratio: norm over that of the weights; zero: share of zeros"
)
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
        rows=tuple(_gradient_cells(row, full) for row in exam.rows),
        named=places_of((row.layer.name for row in exam.rows), named),
        told=_GRADIENTS_SHOWN if full else _RECORDED,
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


def _gradient_cells(row: GradientRow, full: bool) -> tuple[str, ...]:
    layer, spread = row.layer, row.spread
    first = (
        printable(layer.name, _GRADIENT_NAME),
        printable(layer.kind, 20),
        "x".join(map(str, layer.shape)),
    )
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


_MODULE_NAME, _MODULE_KIND = 40, 24
_MODULES_SHOWN = (
    "parameters of each module itself; gain: spread of weights times the root of inputs (1 Xavier, 1.4 He)"
)
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def model_sheet(exam: ModelExam, source: str) -> Sheet:
    """The verdict, the table by module, what a training takes up, and what was not looked at."""
    frozen = exam.parameters - exam.trainable
    size = f"{count(exam.parameters, 'parameter')}" + (f", {frozen:,} of them frozen" if frozen else "")
    named = layers_named(exam.problems)
    passed = any(row.shape is not None for row in exam.rows)
    return Sheet(
        kind="model",
        title=titled(f"design of {exam.model}", source, size),
        problems=exam.problems,
        fine="nothing in its design stands against learning",
        columns=(
            Column("layer", is_number=False),
            Column("kind", is_number=False),
            *([Column("output", is_number=False)] if passed else []),
            Column("parameters"),
            Column("gain"),
        ),
        rows=tuple(_module_cells(row, passed) for row in exam.rows),
        named=places_of(
            (row.name for row in exam.rows), named | {layer.rpartition(".")[0] for layer in named}
        ),
        told=_MODULES_SHOWN,
        sections=(("size", tuple(_size(exam))), ("memory", tuple(_memory(exam.memory)))),
        notes=exam.notes,
    )


def _module_cells(row: ModelRow, passed: bool) -> tuple[str, ...]:
    shape = ["" if row.shape is None else "x".join(map(str, row.shape))] if passed else []
    parameters = "" if not row.parameters else f"{row.parameters:,}" + ("" if row.trainable else " frozen")
    return (
        printable(row.name, _MODULE_NAME),
        printable(row.kind, _MODULE_KIND),
        *shape,
        parameters,
        short(row.gain),
    )


def _size(exam: ModelExam) -> list[str]:
    told = []
    if exam.samples:
        told.append(
            f"{exam.trainable / exam.samples:,.1f} trainable parameters for each of {exam.samples:,} samples"
        )
    if exam.plain_depth is not None:
        what = count(exam.plain_depth, "weight matrix", "weight matrices")
        told.append(f"{what} at most in a row without normalisation or skip connection")
    return told


def _memory(memory: Memory) -> list[str]:
    kept = f"parameters {_bytes(memory.parameters)}, gradients {_bytes(memory.gradients)}"
    kept += f", Adam {_bytes(memory.adam)} (SGD with momentum {_bytes(memory.momentum)})"
    if memory.activations is None:
        return [kept]
    each = memory.activations / max(memory.rows, 1)
    batch = f"activations {_bytes(memory.activations)} for a batch of {memory.rows:,}"
    batch += f", {_bytes(each)} each"
    return [kept, batch, f"together with Adam {_bytes(memory.with_adam)}, without the framework's own"]


def _bytes(amount: float) -> str:
    """Bytes as people read them: 12 MB."""
    for unit in _UNITS[:-1]:
        if amount < 1000:
            return f"{amount:.0f} {unit}" if amount >= 100 or unit == "bytes" else f"{amount:.2g} {unit}"
        amount /= 1000
    return f"{amount:.1f} {_UNITS[-1]}"
