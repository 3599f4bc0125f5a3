"""The bench that programs are patched on."""

from pathlib import Path

import pytest

from tests.changes.source.sources import Bench


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(tmp_path, monkeypatch)
