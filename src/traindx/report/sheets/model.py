"""An exam of a model's design in words."""

from traindx.exams.types import Memory, ModelExam, ModelRow
from traindx.format import count, printable
from traindx.report.sheets.sheet import Column, Sheet, layers_named, places_of, short, titled

_NAME, _KIND = 40, 24
_TOLD = (
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
        rows=tuple(_cells(row, passed) for row in exam.rows),
        named=places_of(
            (row.name for row in exam.rows), named | {layer.rpartition(".")[0] for layer in named}
        ),
        told=_TOLD,
        sections=(("size", tuple(_size(exam))), ("memory", tuple(_memory(exam.memory)))),
        notes=exam.notes,
    )


def _cells(row: ModelRow, passed: bool) -> tuple[str, ...]:
    shape = ["" if row.shape is None else "x".join(map(str, row.shape))] if passed else []
    parameters = "" if not row.parameters else f"{row.parameters:,}" + ("" if row.trainable else " frozen")
    return (printable(row.name, _NAME), printable(row.kind, _KIND), *shape, parameters, short(row.gain))


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
