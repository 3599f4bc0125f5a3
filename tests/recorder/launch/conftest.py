"""What the tests of launching share."""

from pathlib import Path

import pytest

from tests.recorder.launch.stand_in import StandIn


@pytest.fixture
def place(tmp_path: Path) -> StandIn:
    """A working directory with a stand-in for torch."""
    return StandIn(tmp_path)
