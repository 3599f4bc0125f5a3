"""The memory the process holds, and what torch has given out on the GPU."""

import os
import sys

import torch

from traindx.quantities import MEMORY
from traindx.recorder.probes.types import Probe, Snapshot, Update

_STATM = "/proc/self/statm"


class Memory(Probe):
    """Reads the resident memory once per look."""

    def update_ends(self, snapshot: Snapshot, update: Update) -> None:
        """Write it in bytes."""
        resident = resident_bytes()
        if resident is not None:
            snapshot.add(MEMORY, float(resident))
        if torch.cuda.is_initialized():
            snapshot.add(MEMORY, float(torch.cuda.memory_allocated()), part="cuda")


def resident_bytes(statm: str = _STATM) -> int | None:
    """What is resident now; where the system does not tell, the most that ever was; None on Windows."""
    try:
        file = os.open(statm, os.O_RDONLY)
    except FileNotFoundError:
        return _peak_bytes()
    try:
        return int(os.read(file, 128).split()[1]) * os.sysconf("SC_PAGE_SIZE")
    finally:
        os.close(file)


def _peak_bytes() -> int | None:
    try:
        import resource
    except ModuleNotFoundError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
