"""`--run`: which run of a log that holds several is read, and how reports say so."""

import json
from pathlib import Path

import pytest

from traindx.cli import main


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log of three runs: 40, 60 and 50 steps."""
    monkeypatch.chdir(tmp_path)
    lines = [
        f"step {at} loss {3 / (at + 1) + level:.4f}\n"
        for steps, level in ((40, 0.1), (60, 0.2), (50, 0.3))
        for at in range(steps)
    ]
    Path("train.log").write_text("".join(lines), encoding="utf-8")


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 0
    return " ".join(capsys.readouterr().out.split())


def test_the_header_names_the_other_runs(capsys: pytest.CaptureFixture[str]) -> None:
    says = shown(capsys, "diagnose", "train.log")
    assert "holds 3 runs (steps restart after 39 and 59); judged the last. Others: --run 1, --run 2" in says
    assert "steps 0-49" in says
    assert "joined" not in says


def test_another_run_is_chosen_by_its_number(capsys: pytest.CaptureFixture[str]) -> None:
    says = shown(capsys, "diagnose", "train.log", "--run", "2")
    assert "judged run 2. Others: --run 1, --run 3" in says
    assert "steps 0-59" in says
    assert "shown run 1" in shown(capsys, "inspect", "train.log", "--run", "1")


@pytest.mark.parametrize("number", ["0", "4", "last"])
def test_a_run_that_is_not_in_the_log_is_refused(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", "train.log", "--run", number]) == 2
    assert f"--run {number}: train.log holds 3 runs" in capsys.readouterr().err


def test_runs_of_one_log_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "train.log"]) == 2
    assert "--run 1 --run 2 --run 3" in capsys.readouterr().err
    says = shown(capsys, "compare", "train.log", "--run", "1", "--run", "3")
    assert "train.log run 1" in says
    assert "train.log run 3" in says


def test_every_format_tells_it() -> None:
    assert main(["diagnose", "train.log", "--json", "out.json", "--md", "out.md", "--html", "out.html"]) == 0
    document = json.loads(Path("out.json").read_text(encoding="utf-8"))
    (run,) = document["runs"]
    assert run["run_in_file"] == 3
    assert [entry["points"] for entry in run["runs_in_file"]] == [40, 60, 50]
    for name in ("out.md", "out.html"):
        assert "holds 3 runs" in Path(name).read_text(encoding="utf-8")


def test_a_log_of_one_run_says_nothing_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    Path("one.log").write_text("".join(f"step {at} loss {3 / (at + 1):.4f}\n" for at in range(40)))
    assert "holds" not in shown(capsys, "diagnose", "one.log", "--json", "one.json")
    assert "runs_in_file" not in json.loads(Path("one.json").read_text(encoding="utf-8"))["runs"][0]
