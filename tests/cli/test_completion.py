"""`traindx completion`: what the shells are told, and that they understand it."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calling import traindx
from traindx.cli import commands_in
from traindx.cli.completion import next_words
from traindx.diagnosis import knowledge

SHELLS = ("bash", "zsh", "fish")
BASH = """\
eval "$(traindx completion bash)"
[[ $(complete -p traindx) == *"-o default"*"-F _traindx traindx" ]] || exit 3
while IFS= read -r line; do
    eval "COMP_WORDS=($line)"
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _traindx traindx
    echo "${#COMPREPLY[@]}: ${COMPREPLY[*]}"
done
"""
"""Completes lines as bash does when Tab is pressed behind their last word."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with recorded runs and treatments."""
    for name in ("runs/train-1", "runs/train-2", "runs/two words", "treatments/fix-1"):
        (tmp_path / ".traindx" / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("dia", ["diagnose"]),
        ("ex", ["examine", "explain"]),
        ("run --max", ["--max-steps"]),
        ("run --color ", ["auto", "always", "never"]),
        ("examine ", list(commands_in("traindx.cli.examine"))),
        ("examine data --js", ["--json"]),
        ("examine data ", []),
        ("help exa", ["examine"]),
        ("help examine da", ["data"]),
        ("explain lr-too", ["lr-too-high", "lr-too-low"]),
        ("cases --cause lr-too-h", ["lr-too-high"]),
        ("diagnose --fail-on si", ["sick"]),
        ("diagnose --fail-on label-no", ["label-noise"]),
        ("examine data --fail-on war", ["warn"]),
        ("diagnose .traindx/runs/train", [".traindx/runs/train-1", ".traindx/runs/train-2"]),
        ("compare .traindx/runs/train-1 .traindx/runs/train-2", [".traindx/runs/train-2"]),
        ("apply ", ["fix-1"]),
        ("apply --undo f", ["fix-1"]),
        # A file follows, which the shell completes by itself.
        ("run trai", []),
        ("run --out ", []),
        ("diagnose --json ", []),
        ("nonsense --x dia", ["diagnose"]),
    ],
)
def test_what_may_come_next(project: Path, typed: str, words: list[str]) -> None:
    *before, current = typed.split(" ")
    assert next_words([*before, current]) == words


def test_every_command_and_cause_is_known() -> None:
    assert set(next_words([])) == {*commands_in("traindx.cli"), "help", "version"}
    assert set(next_words(["explain", ""])) == {cause.slug for cause in knowledge.causes()}


def test_where_nothing_was_recorded_there_is_nothing_to_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert next_words(["diagnose", ""]) == next_words(["apply", ""]) == []


def in_bash(here: Path, *lines: str) -> list[str]:
    """What bash would offer for lines, after sourcing the script; `traindx` is the one that is tested."""
    command = here / "bin/traindx"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m traindx "$@"\n')
    command.chmod(0o755)
    done = subprocess.run(
        ["bash", "--norc", "-c", BASH],
        input="".join(f"{line}\n" for line in lines),
        env={**os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}"},
        cwd=here,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_bash_completes_commands_options_causes_and_runs(project: Path) -> None:
    completions = in_bash(
        project,
        "traindx dia",
        "traindx run --max",
        "traindx explain lr-too-",
        "traindx diagnose .traindx/runs/t",
        "traindx apply ''",
        "traindx run train.p",
    )
    runs = r".traindx/runs/train-1 .traindx/runs/train-2 .traindx/runs/two\ words"
    assert completions == [
        "1: diagnose",
        "1: --max-steps",
        "2: lr-too-high lr-too-low",
        f"3: {runs}",
        "1: fix-1",
        "0: ",
    ]


def test_the_name_of_a_folder_is_never_run(project: Path) -> None:
    (project / ".traindx/runs/$(touch ran)").mkdir()
    (completion,) = in_bash(project, "traindx diagnose '.traindx/runs/$'")
    assert completion == r"1: .traindx/runs/\$\(touch\ ran\)"
    assert not (project / "ran").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_gets_a_script_that_it_can_read(shell: str, tmp_path: Path) -> None:
    done = traindx("completion", shell, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count(" completion words -- ") == 1
    # Each checks its own script; where one is not installed bash does, to which it looks the same.
    checker = shutil.which(shell)
    command = [checker or "bash", "--no-execute" if checker and shell == "fish" else "-n"]
    read = subprocess.run(command, input=done.stdout, capture_output=True, text=True, check=False)
    assert (read.returncode, read.stderr) == (0, "")


def test_the_scripts_name_what_they_complete(tmp_path: Path) -> None:
    zsh, fish = (traindx("completion", shell, cwd=tmp_path).stdout for shell in ("zsh", "fish"))
    assert zsh.splitlines()[-1] == "compdef _traindx traindx"
    assert "compadd -a found" in zsh
    words = shlex.split(fish)
    assert words[:4] == ["complete", "-c", "traindx", "-a"]
    assert words[4].startswith("(traindx completion words -- ")
    assert words[4].count("(") == words[4].count(")")


def test_an_unknown_shell_is_refused_in_a_sentence(tmp_path: Path) -> None:
    for words in (["completion", "tcsh"], ["completion"]):
        done = traindx(*words, cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
