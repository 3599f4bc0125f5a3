"""An exam of activations in words."""

from traindx.exams.types import ActivationExam, ActivationRow
from traindx.format import count, printable
from traindx.report.sheets.sheet import Column, Sheet, layers_named, places_of, share, short, titled

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
