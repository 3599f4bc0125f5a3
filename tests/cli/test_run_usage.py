"""How `traindx run` is called: what is wrong is said in one line, before the program starts."""

from pathlib import Path

import pytest

from tests.recorder.launch.stand_in import TRAINING, StandIn
from traindx.cli import main


@pytest.fixture
def place(tmp_path: Path) -> StandIn:
    location = StandIn(tmp_path)
    location.write("train.py", TRAINING)
    return location


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--fail-on", "lr-to-high"], "did you mean lr-too-high?"),
        (["--limit", "nonsense"], "--limit: expected CHECK.NAME=VALUE"),
        (["--json", "-", "--md", "-"], "two reports go to standard output"),
        (["--html", "no/such/place.html"], "no/such/place.html: can't write it"),
        (["--png", "curve.png"], "--png curve.png: writes several plots"),
        (["--out", "train.py/runs"], "train.py: cannot be written (File exists)"),
        (["--name", "a/b"], '--name "a/b" is not a folder name'),
        (["--budget", "0"], 'argument --budget: expected a percentage above 0, got "0"'),
        (["--budget", "500"], 'argument --budget: "500" is more than 100%'),
        (["--budget", "much"], 'argument --budget: expected a percentage above 0, got "much"'),
        (["--every", "0"], 'argument --every: expected a number of steps, got "0"; for example --every 100'),
        (["--every", "-3"], 'argument --every: expected a number of steps, got "-3"'),
        (["--max-steps", "0"], 'got "0"; for example --max-steps 200'),
        (["--max-steps", "-3"], 'argument --max-steps: expected a number of steps, got "-3"'),
        (["--max-steps", "all"], 'argument --max-steps: expected a number of steps, got "all"'),
        (["--evry", "1"], 'unknown option "--evry"; did you mean --every?'),
    ],
)
def test_what_is_wrong_is_said_before_the_program_starts(
    place: StandIn, options: list[str], says: str
) -> None:
    done = place.run(*options, "train.py")
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""
    assert place.files() == ["train.py"]


def test_no_command_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for argv in (["run"], ["run", "--"], ["run", "-m"]):
        assert main(argv) == 2
        assert "no command; expected a script (train.py), -m MODULE or -- CMD" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["treat", "preflight", "lr-find", "examine gradients"])
def test_no_other_command_than_the_one_that_was_typed_is_named(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("adir").mkdir()
    for words in (["--"], ["--", "adir"]):
        assert main([*command.split(), *words]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"traindx {command.split()[0]}: ")
        assert "traindx run" not in said


@pytest.mark.parametrize("command", ["diagnose log.csv", "run", "examine data", "skill show"])
def test_an_unknown_option_leads_to_the_help_of_its_command(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), "--nonsense"])
    assert ended.value.code == 2
    name = command.removesuffix(" log.csv")
    says = f"traindx {name}: unrecognized arguments: --nonsense; see traindx {name} --help\n"
    assert capsys.readouterr().err == says


def test_help_says_where_the_output_goes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    shown = capsys.readouterr().out
    assert "With --json - or\n--md - the report goes to standard output" in shown
    assert max(map(len, shown.splitlines())) <= 110


MISPLACED = ["--max-steps", "5", "--json=x", "--all", "--epochs", "3"]
PARSES = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--max_steps')\n"


@pytest.mark.parametrize(
    ("script", "words", "noted"),
    [
        ("", MISPLACED, ["--max-steps 5", "--json=x", "--all"]),
        (f"{PARSES}print(all([1]))\n", MISPLACED, ["--json=x", "--all"]),
        ("import fire\ndef main(max_steps): ...\nfire.Fire(main)\n", ["--max-steps", "5"], []),
        ("", ["--epochs", "3"], []),
    ],
)
def test_an_option_that_went_to_the_script_is_named_unless_it_reads_it(
    place: StandIn, script: str, words: list[str], noted: list[str]
) -> None:
    place.write("reads.py", f"import sys; print(sys.argv[1:]); sys.exit()\n{script}")
    done = place.run("reads.py", *words)
    assert done.stdout == f"{words}\n"
    said = [line for line in done.stderr.splitlines() if " went to reads.py; " in line]
    assert [line.rpartition("traindx run ")[2] for line in said] == [f"{typed} reads.py" for typed in noted]
    assert all(line.startswith(f"traindx run: {typed} ") for line, typed in zip(said, noted, strict=True))
