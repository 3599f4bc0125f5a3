"""Whether the run fits into memory, to its end."""

from traindx.causes.memory_leak import memory_grows
from traindx.exams.preflight.check import asked
from traindx.exams.preflight.types import Check, Part, Rehearsal, Seen
from traindx.finding import Mark
from traindx.quantities import MEMORY

_GPU = "cuda"
_FULL = 0.9
"""Of the machine's memory: what is above leaves no room for anything else."""


def ask(rehearsal: Rehearsal) -> list[Seen]:
    """Warn where memory grows from step to step, or is nearly all taken."""
    found, _ = asked(rehearsal.run, (memory_grows,))
    all_of = rehearsal.run.all(MEMORY)
    held = [one.values.max() for one in all_of if len(one.finite) and not one.part.endswith(_GPU)]
    cuda = [one.values.max() for one in all_of if len(one.finite) and one.part.endswith(_GPU)]
    if not held:
        return found or [Seen(Mark.UNSEEN, "the system does not tell how much memory is held")]
    peak, machine = float(max(held)), rehearsal.memory
    told = f"at most {_bytes(peak)}{f' of {_bytes(machine)}' if machine else ''}"
    told += f", {_bytes(float(max(cuda)))} on the GPU" if cuda else ""
    if machine and peak > _FULL * machine:
        return [*found, Seen(Mark.WARN, f"{told}: hardly any is left")]
    return [*found, Seen(Mark.PASS, told)]


def _bytes(size: float) -> str:
    return f"{size / 2**30:.1f} GB" if size >= 2**30 else f"{size / 2**20:.0f} MB"


CHECK = Check("memory", "Memory is enough, and does not grow from step to step", Part.COST, 30, ask)
