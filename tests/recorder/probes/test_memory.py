"""Memory of the process."""

import mmap
import resource
from pathlib import Path

import pytest

pytest.importorskip("torch")

from traindx.quantities import MEMORY
from traindx.recorder.probes.memory import Memory, resident_bytes
from traindx.recorder.probes.types import Update
from traindx.testing.probe import Written


def test_what_the_process_holds_is_written_in_bytes() -> None:
    snapshot = Written()
    Memory().update_ends(snapshot, Update(None, (), 8))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    assert 0.2 * peak < float(snapshot.numbers[MEMORY, "", ""]) <= 1.05 * peak


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell")
def test_growth_shows() -> None:
    size = 64 * 2**20
    before = resident_bytes()
    # Pages of its own: the allocator may answer from memory that an earlier test gave back.
    with mmap.mmap(-1, size) as block:
        block.write(b"1" * size)
        after = resident_bytes()
    assert before is not None
    assert after is not None
    assert after - before == pytest.approx(size, rel=0.2)


def test_a_system_that_does_not_tell_gives_the_peak(tmp_path: Path) -> None:
    assert resident_bytes(str(tmp_path / "none")) == resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
