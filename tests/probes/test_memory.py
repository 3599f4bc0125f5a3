"""Memory of the process."""

import resource
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

from traindx.probe import Update
from traindx.probes.memory import PROBE, resident_bytes
from traindx.quantities import MEMORY
from traindx.testing.probe import Written


def test_what_the_process_holds_is_written_in_bytes() -> None:
    look = Written()
    PROBE().update_ends(look, Update(None, (), 8))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    assert 0.2 * peak < float(look.numbers[MEMORY, "", ""]) <= 1.05 * peak


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell")
def test_growth_shows() -> None:
    before = resident_bytes()
    block = torch.ones(8_000_000)
    after = resident_bytes()
    assert before is not None
    assert after is not None
    assert after - before == pytest.approx(block.numel() * 4, rel=0.2)


def test_a_system_that_does_not_tell_gives_the_peak(tmp_path: Path) -> None:
    assert resident_bytes(str(tmp_path / "none")) == resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
