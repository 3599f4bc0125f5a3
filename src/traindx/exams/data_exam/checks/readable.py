"""Rows that cannot be read."""

from traindx.exams.data_exam.dataset.look import Look
from traindx.exams.data_exam.dataset.question import Question, Seen
from traindx.exams.data_exam.types import Fault
from traindx.finding import Severity
from traindx.format import count


def answer(look: Look) -> Seen:
    """Every row that raised an error, has another shape, or is a damaged file is one too many."""
    faults = []
    for part in look.data.parts:
        if not part.broken:
            continue
        first = part.broken[0]
        where = f" ({first.item})" if first.item else ""
        says = (
            f"{count(len(part.broken), f'{part.name} row')} of {part.looked + len(part.broken):,} cannot be"
            f" used: row {first.index}{where} {first.reason}"
        )
        todo = "Repair or remove these rows: a training stops at the first one, or pads what it cannot read"
        faults.append(Fault(Severity.SERIOUS, says, "", todo, rows=part.broken))
    looked = sum(part.looked for part in look.data.parts)
    return Seen(f"all {count(looked, 'row')} could be read", tuple(faults))


QUESTION = Question(0, "readable", "Can every row be read, with one shape?", answer)
