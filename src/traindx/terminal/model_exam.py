"""An exam of a model's design on the terminal."""

from rich.text import Text

from traindx.model_exam import Memory, ModelExam, ModelRow
from traindx.terminal.exam import chosen, print_notes, print_table, print_verdict, table_of
from traindx.terminal.paper import paper, printed, section
from traindx.wording import count, printable

_ROWS = 40
_NAME, _KIND = 40, 24
_TOLD = (
    "parameters of each module itself; gain: spread of weights times the root of inputs (1 Xavier, 1.4 He)"
)
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def model_exam_text(exam: ModelExam, source: str, *, width: int, colour: bool, everything: bool) -> str:
    """The verdict, the table by module, what a training takes up, and what was not looked at."""
    console = paper(width, colour)
    frozen = exam.parameters - exam.trainable
    size = f"{count(exam.parameters, 'parameter')}" + (f", {frozen:,} of them frozen" if frozen else "")
    title = f"design of {exam.model}{f' · {source}' if source else ''} · {size}"
    print_verdict(console, title, exam.problems, "nothing in its design stands against learning")
    named = {layer for one in exam.problems for layer in one.layers}
    names = named | {layer.rpartition(".")[0] for layer in named}
    places = [place for place, row in enumerate(exam.rows) if row.name in names]
    shown = chosen(places, len(exam.rows), len(exam.rows) if everything else _ROWS)
    passed = any(row.shape is not None for row in exam.rows)
    output = [("output", False)] if passed else []
    table = table_of([("layer", False), ("kind", False), *output, ("parameters", True), ("gain", True)])
    for place in shown:
        table.add_row(*map(Text, _cells(exam.rows[place], passed)))
    print_table(console, table, _TOLD, len(exam.rows) - len(shown))
    section(console, "size", *_size(exam))
    section(console, "memory", *_memory(exam.memory))
    print_notes(console, exam.notes)
    return printed(console)


def _cells(row: ModelRow, passed: bool) -> list[str]:
    shape = ["" if row.shape is None else "x".join(map(str, row.shape))] if passed else []
    parameters = "" if not row.parameters else f"{row.parameters:,}" + ("" if row.trainable else " frozen")
    gain = "" if row.gain is None else f"{row.gain:.2g}"
    return [printable(row.name, _NAME), printable(row.kind, _KIND), *shape, parameters, gain]


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
    kept = f"parameters {told_bytes(memory.parameters)}, gradients {told_bytes(memory.gradients)}"
    kept += f", Adam {told_bytes(memory.adam)} (SGD with momentum {told_bytes(memory.momentum)})"
    if memory.activations is None:
        return [kept]
    each = memory.activations / max(memory.rows, 1)
    batch = f"activations {told_bytes(memory.activations)} for a batch of {memory.rows:,}"
    batch += f", {told_bytes(each)} each"
    return [kept, batch, f"together with Adam {told_bytes(memory.with_adam)}, without the framework's own"]


def told_bytes(amount: float) -> str:
    """Bytes as people read them: 12 MB."""
    for unit in _UNITS[:-1]:
        if amount < 1000:
            return f"{amount:.0f} {unit}" if amount >= 100 or unit == "bytes" else f"{amount:.2g} {unit}"
        amount /= 1000
    return f"{amount:.1f} {_UNITS[-1]}"
