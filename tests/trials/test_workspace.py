"""Arms run in copies, and leave what the program wrote before alone."""

import sys
from pathlib import Path

import pytest

from traindx.errors import TraindxError
from traindx.recorder.launch.command import Command
from traindx.trials import workspace as places
from traindx.trials.program import OUTPUT, ArmSpec
from traindx.trials.runner import LocalRunner
from traindx.trials.workspace import wider, workspace_of


def test_an_arm_gets_a_copy_without_what_is_ours_or_installed(tmp_path: Path) -> None:
    here = tmp_path / "project"
    for name in ("train.py", "data/rows.csv", ".traindx/runs/old", "venv/lib.py", "__pycache__/x.pyc"):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(name)
    workspace = workspace_of(here)
    copy = workspace.arm(tmp_path / "arm")
    assert sorted(str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_file()) == [
        "data/rows.csv",
        "train.py",
    ]
    (copy / "train.py").write_text("other")
    assert (here / "train.py").read_text() == "train.py"
    workspace.clear(tmp_path / "arm")
    assert not copy.exists()


def test_a_large_place_is_used_as_it_is_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "_LARGEST", 10)
    (tmp_path / "large.bin").write_bytes(b"0" * 11)
    with pytest.raises(TraindxError, match="use --in-place to run there"):
        workspace_of(tmp_path)
    workspace = workspace_of(tmp_path, in_place=True)
    assert not workspace.copies
    assert workspace.arm(tmp_path / "arm") == tmp_path
    workspace.clear(tmp_path)
    assert (tmp_path / "large.bin").exists()


def test_a_file_that_vanishes_meanwhile_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "project"
    here.mkdir()
    (here / "train.py").write_text("1")
    listed = [here / "train.py", here / "gone.tmp", here / "gone" / "late.tmp"]
    monkeypatch.setattr(places, "files_of", lambda *_: listed)
    copy = workspace_of(here).arm(tmp_path / "arm")
    assert [path.name for path in copy.iterdir()] == ["train.py"]


def test_where_the_arms_are_is_not_copied_into_them(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("1")
    (tmp_path / "arms/old").mkdir(parents=True)
    (tmp_path / "arms/old/model.pt").write_text("1")
    copy = workspace_of(tmp_path, arms=tmp_path / "arms/new").arm(tmp_path / "arms/new/control")
    assert [path.name for path in copy.rglob("*")] == ["train.py"]


def test_arms_that_are_made_in_the_directory_itself_are_not_copied_into_each_other(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("1")
    workspace = workspace_of(tmp_path, arms=tmp_path / "train-1")
    workspace.arm(tmp_path / "train-1/control")
    copy = workspace.arm(tmp_path / "train-1/treated")
    assert [path.name for path in copy.rglob("*")] == ["train.py"]


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
    assert [str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_file()] == [
        ".hidden/one/train.py"
    ]


def _project(top: Path, *names: str) -> None:
    for name in names:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(name)


def test_the_project_is_copied_and_the_working_directory_in_it_kept(tmp_path: Path) -> None:
    top = tmp_path / "project"
    _project(top, ".git/HEAD", "data/rows.csv", "examples/one/train.py", "env/lib.py", "own/pyvenv.cfg")
    workspace = workspace_of(top / "examples/one")
    folder = workspace.arm(tmp_path / "arm")
    assert folder == tmp_path / "arm.work/examples/one"
    assert (folder / "../../data/rows.csv").read_text() == "data/rows.csv"
    names = sorted(name for _, name in workspace.files())
    assert names == ["data/rows.csv", "env/lib.py", "examples/one/train.py"]
    assert workspace.top(folder) == tmp_path / "arm.work"


def test_a_working_directory_in_a_hidden_folder_is_a_project_of_its_own(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text("")
    origin = tmp_path / ".traindx/demo"
    origin.mkdir(parents=True)
    (origin / "train.py").write_text("1")
    copy = workspace_of(origin, ["train.py"]).arm(tmp_path / "arm")
    assert (copy / "train.py").read_text() == "1"


def test_what_the_command_names_above_the_working_directory_comes_along(tmp_path: Path) -> None:
    _project(tmp_path, "data/rows.csv", "code/train.py")
    assert workspace_of(tmp_path / "code", ["train.py"]).root == tmp_path / "code"
    assert workspace_of(tmp_path / "code", ["train.py", "--data=../data"]).root == tmp_path


@pytest.mark.parametrize(
    ("problem", "is_wider"),
    [
        ("FileNotFoundError: [Errno 2] No such file or directory: '../data/rows.csv'", True),
        ("FileNotFoundError: ../data/rows.csv not found.", True),
        ("FileNotFoundError: [Errno 2] No such file or directory: '../data/other.csv'", False),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'data/rows.csv'", False),
        ("ModuleNotFoundError: No module named 'shared.nets'", True),
        ("ModuleNotFoundError: No module named 'torchvision'", False),
        ("ValueError: optimizer got an empty parameter list", False),
        ("", False),
    ],
)
def test_a_project_grows_by_what_a_program_missed(tmp_path: Path, problem: str, is_wider: bool) -> None:
    _project(tmp_path, "data/rows.csv", "shared/nets.py", "code/train.py")
    workspace = workspace_of(tmp_path / "code")
    assert wider(workspace, problem) == (tmp_path if is_wider else None)


def test_data_of_a_large_project_is_linked_and_what_is_written_to_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "_COPIED_WHOLE", 10)
    top = tmp_path / "project"
    _project(top, "rows.csv", "train.py", "model.pt", "notes.txt")
    (top / "train.py").write_text(
        "open('notes.txt', 'a').write(' and more'); open('rows.csv').read()\n"
        "import helper; print(helper.__file__)\n"
    )
    (top / "helper.py").touch()
    runner = LocalRunner(workspace_of(top))
    folder = runner.workspace.arm(tmp_path / "arm")
    assert (folder / "rows.csv").is_symlink()
    assert not (folder / "model.pt").is_symlink()
    runner.workspace.clear(tmp_path / "arm")
    command = Command(sys.executable, ("python", str(top / "train.py")))
    monkeypatch.setenv("PYTHONPATH", str(top))
    runner.carry_out(ArmSpec(command, tmp_path / "arm", top))
    assert (top / "notes.txt").read_text() == "notes.txt"
    assert (tmp_path / "arm" / OUTPUT).read_text().strip() == str(tmp_path / "arm.work/helper.py")
