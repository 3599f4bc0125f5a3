"""Where the outcomes of programs are shared between tests, and between the workers of one session."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this session."""
    base = tmp_path_factory.getbasetemp()
    # Every worker of pytest-xdist has a folder of its own below that of the session.
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "programs"
    folder.mkdir(exist_ok=True)
    return folder
