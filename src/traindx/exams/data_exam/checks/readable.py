"""Rows that cannot be read."""

from traindx.exams.check import Check, Outcome
from traindx.exams.data_exam.dataset.look import Look
from traindx.finding import Severity, problem
from traindx.format import count


def _readable(look: Look) -> Outcome:
    """Every row that raised an error, has another shape, or is a damaged file is one too many."""
    faults = []
    for part in look.data.parts:
        if not part.broken:
            continue
        first = part.broken[0]
        where = f" ({first.name})" if first.name else ""
        says = (
            f"{count(len(part.broken), f'{part.name} row')} of {part.looked + len(part.broken):,} cannot be"
            f" used: row {first.index}{where} {first.reason}"
        )
        todo = "Repair or remove these rows: a training stops at the first one, or pads what it cannot read"
        faults.append(problem("", Severity.SERIOUS, says, todo=todo, samples=part.broken))
    looked = sum(part.looked for part in look.data.parts)
    return Outcome(f"all {count(looked, 'row')} could be read", tuple(faults))


READABLE = Check("readable", "Can every row be read, with one shape?", _readable, 0)
