"""Arms run in copies, and leave what the program wrote before alone."""

from pathlib import Path

import pytest

from traindx.errors import TraindxError
from traindx.trials import program as places
from traindx.trials.program import workspace_of


def test_an_arm_gets_a_copy_without_what_is_ours_or_installed(tmp_path: Path) -> None:
    here = tmp_path / "project"
    for name in ("train.py", "data/rows.csv", ".traindx/runs/old", "venv/lib.py", "__pycache__/x.pyc"):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(name)
    found = workspace_of(here)
    copy = found.arm(tmp_path / "arm")
    assert sorted(str(one.relative_to(copy)) for one in copy.rglob("*") if one.is_file()) == [
        "data/rows.csv",
        "train.py",
    ]
    (copy / "train.py").write_text("other")
    assert (here / "train.py").read_text() == "train.py"
    found.clear(tmp_path / "arm")
    assert not copy.exists()


def test_a_large_place_is_used_as_it_is_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "_LARGEST", 10)
    (tmp_path / "large.bin").write_bytes(b"0" * 11)
    with pytest.raises(TraindxError, match="use --in-place to run there"):
        workspace_of(tmp_path)
    found = workspace_of(tmp_path, in_place=True)
    assert not found.copies
    assert found.arm(tmp_path / "arm") == tmp_path
    found.clear(tmp_path)
    assert (tmp_path / "large.bin").exists()


def test_where_the_arms_are_is_not_copied_into_them(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("1")
    (tmp_path / "arms/old").mkdir(parents=True)
    (tmp_path / "arms/old/model.pt").write_text("1")
    copy = workspace_of(tmp_path, arms=tmp_path / "arms/new").arm(tmp_path / "arms/new/control")
    assert [one.name for one in copy.rglob("*")] == ["train.py"]


def test_arms_that_are_made_in_the_directory_itself_are_not_copied_into_each_other(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("1")
    place = workspace_of(tmp_path, arms=tmp_path / "train-1")
    place.arm(tmp_path / "train-1/control")
    copy = place.arm(tmp_path / "train-1/treated")
    assert [one.name for one in copy.rglob("*")] == ["train.py"]


def test_links_and_empty_folders_come_along(tmp_path: Path) -> None:
    here, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    for folder in (here / "checkpoints", here / "raw", elsewhere):
        folder.mkdir(parents=True)
    (elsewhere / "rows.csv").write_text("1")
    (here / "raw/mine.csv").write_text("2")
    (here / "data").symlink_to("../elsewhere")
    (here / "same").symlink_to("raw")
    copy = workspace_of(here).arm(tmp_path / "deep/below/arm")
    assert (copy / "checkpoints").is_dir()
    assert (copy / "data/rows.csv").read_text() == "1"
    (copy / "same/mine.csv").write_text("of the arm")
    assert (here / "raw/mine.csv").read_text() == "2"


def test_a_program_in_a_hidden_folder_comes_along(tmp_path: Path) -> None:
    script = tmp_path / "project/.hidden/one/train.py"
    script.parent.mkdir(parents=True)
    script.write_text("1")
    (tmp_path / "project/.hidden/other").mkdir()
    copy = workspace_of(tmp_path / "project", ["python", ".hidden/one/train.py"]).arm(tmp_path / "arm")
    assert [str(one.relative_to(copy)) for one in copy.rglob("*") if one.is_file()] == [
        ".hidden/one/train.py"
    ]
