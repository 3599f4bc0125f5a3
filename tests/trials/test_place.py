"""Arms run in copies, and leave what the program wrote before alone."""

from pathlib import Path

import pytest

from traindx.trials import place as places
from traindx.trials.place import workplace


def test_an_arm_gets_a_copy_without_what_is_ours_or_installed(tmp_path: Path) -> None:
    here = tmp_path / "project"
    for name in ("train.py", "data/rows.csv", ".traindx/runs/old", "venv/lib.py", "__pycache__/x.pyc"):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(name)
    found = workplace(here)
    copy = found.arm(tmp_path / "arm")
    assert sorted(str(one.relative_to(copy)) for one in copy.rglob("*") if one.is_file()) == [
        "data/rows.csv",
        "train.py",
    ]
    (copy / "train.py").write_text("other")
    assert (here / "train.py").read_text() == "train.py"
    found.clear(tmp_path / "arm")
    assert not copy.exists()


def test_a_large_place_is_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_LARGEST", 10)
    (tmp_path / "large.bin").write_bytes(b"0" * 11)
    found = workplace(tmp_path)
    assert not found.copies
    assert found.arm(tmp_path / "arm") == tmp_path
    found.clear(tmp_path)
    assert (tmp_path / "large.bin").exists()
