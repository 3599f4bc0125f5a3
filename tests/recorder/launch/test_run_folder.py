"""The folder of a run: named, numbered, and never shared."""

import subprocess
import sys
from pathlib import Path

import pytest

from traindx.errors import TraindxError
from traindx.recorder.launch.command import new_run_folder

MAKES = """
import sys
from pathlib import Path
from traindx.recorder.launch.command import new_run_folder
sys.stdin.read()
for _ in range(20):
    print(new_run_folder(Path(sys.argv[1]), "train"))
"""


def test_runs_are_numbered(tmp_path: Path) -> None:
    out = tmp_path / "runs"
    assert [new_run_folder(out, "train").name for _ in range(3)] == ["train-1", "train-2", "train-3"]
    assert new_run_folder(out, "test").name == "test-1"


def test_numbers_go_on_where_runs_were_removed(tmp_path: Path) -> None:
    for name in ("train-2", "train-11", "train-x", "train-", "train-3.old", "Train-40"):
        (tmp_path / name).mkdir()
    (tmp_path / "train-12").touch()
    assert new_run_folder(tmp_path, "train").name == "train-13"


def test_a_name_is_taken_as_given_and_numbered_only_where_it_is_taken(tmp_path: Path) -> None:
    assert [new_run_folder(tmp_path, "train", "big one").name for _ in range(3)] == [
        "big one",
        "big one-2",
        "big one-3",
    ]


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/tmp", "a\0b"])
def test_a_name_is_no_path(tmp_path: Path, name: str) -> None:
    with pytest.raises(TraindxError, match="is not a folder name; set the parent folder with --out"):
        new_run_folder(tmp_path, "train", name)
    assert list(tmp_path.iterdir()) == []


def test_our_folder_stays_out_of_version_control(tmp_path: Path) -> None:
    new_run_folder(tmp_path / ".traindx" / "runs", "train")
    assert (tmp_path / ".traindx" / ".gitignore").read_text() == "*\n"


def test_a_folder_that_was_there_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / ".traindx").mkdir()
    new_run_folder(tmp_path / ".traindx" / "runs", "train")
    new_run_folder(tmp_path / "elsewhere", "train")
    assert list(tmp_path.rglob(".gitignore")) == []


def test_a_place_that_takes_no_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(TraindxError, match=r"file.*: cannot be written .*; choose another --out"):
        new_run_folder(tmp_path / "file" / "runs", "train")


def test_runs_that_start_at_once_do_not_share_a_folder(tmp_path: Path) -> None:
    command = [sys.executable, "-c", MAKES, str(tmp_path / ".traindx" / "runs")]
    makers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    made = [line for maker in makers for line in maker.communicate("")[0].splitlines()]
    assert len(set(made)) == len(made) == 80
