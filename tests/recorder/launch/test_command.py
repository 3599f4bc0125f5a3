"""From the words that were typed to what is started."""

import os
import sys
from pathlib import Path

import pytest

from traindx.errors import TraindxError
from traindx.recorder.launch.command import command_from

ENVIRONMENT = {"PATH": os.environ["PATH"]}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("train.py", "my train.py", "tränen.py", "notes.sh"):
        Path(name).touch()
    Path("folder").mkdir()
    Path("package.py").mkdir()
    return tmp_path


def interpreters(folder: Path, *names: str) -> str:
    folder.mkdir()
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return str(folder)


def test_a_script_is_run_by_python() -> None:
    command = command_from(["train.py", "--lr", "3"], ENVIRONMENT)
    assert command.words[1:] == ("train.py", "--lr", "3")
    assert "python" in os.path.basename(command.program)


def test_a_module_is_run_by_python() -> None:
    assert command_from(["-m", "package.train", "-x"], ENVIRONMENT).words[1:] == ("-m", "package.train", "-x")


@pytest.mark.parametrize("words", [["--", "ls", "-l"], ["ls", "-l"]])
def test_any_command_is_run_as_it_is(words: list[str]) -> None:
    command = command_from(words, ENVIRONMENT)
    assert command.words == ("ls", "-l")
    assert os.path.isabs(command.program)


def test_our_own_python_runs_it_if_it_has_torch_whatever_is_active(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = interpreters(tmp_path / "bin", "python")
    (tmp_path / "packages" / "torch").mkdir(parents=True)
    (tmp_path / "packages" / "torch" / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(tmp_path / "packages")
    for active in ({}, {"VIRTUAL_ENV": "somewhere"}, {"CONDA_PREFIX": "somewhere"}):
        assert command_from(["train.py"], {"PATH": path, **active}).program == sys.executable


def test_without_torch_the_python_of_the_shell_runs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("traindx.recorder.launch.command.find_spec", lambda _: None)
    path = interpreters(tmp_path / "bin", "python3")
    assert command_from(["train.py"], {"PATH": path}).words[0] == "python3"
    nothing = interpreters(tmp_path / "empty")
    assert command_from(["train.py"], {"PATH": nothing}).program == sys.executable


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["train.py", "other.py"], "train"),
        (["my train.py"], "my-train"),
        (["tränen.py"], "tränen"),
        (["-m", "package.train"], "train"),
        (["-m", "package.__main__"], "package"),
        (["--", "ls", "../train.py"], "train"),
        (["--", "sh", "notes.sh"], "notes"),
        (["--", "sh", "-c", "exit 3"], "sh"),
        (["--", sys.executable, "-m", "torch.distributed.run", "train.py"], "train"),
        (["--", "ls", "+++.py"], "run"),
    ],
)
def test_a_run_is_called_after_what_is_run(words: list[str], name: str) -> None:
    assert command_from(words, ENVIRONMENT).name == name


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "no command; expected a script"),
        (["--"], "no command; expected a script"),
        (["-m"], "no command; expected a script"),
        (["trian.py"], "trian.py: no such file; check the spelling"),
        (["package.py"], "package.py is a folder"),
        (["--", "trian"], "trian: no such command"),
        (["--", "no/such"], "no/such: no such command"),
        (["--", "./folder"], "./folder is a folder; use the script in it, or -- python ./folder"),
        (["--", "./notes.sh"], "./notes.sh is not executable; run chmod [+]x ./notes.sh"),
        (["--", "./train.py"], "./train.py is not executable; omit the --"),
        (
            ["--", "train.py"],
            "train.py is not executable; omit the --, or write -- python train.py",
        ),
        (["--", ""], "no command; expected a script"),
    ],
)
def test_what_cannot_be_started_is_refused_with_what_to_do(words: list[str], says: str) -> None:
    with pytest.raises(TraindxError, match=says):
        command_from(words, ENVIRONMENT)
