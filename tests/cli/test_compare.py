"""`traindx compare` on the bundled logs."""

import json
import shutil
from pathlib import Path

import pytest

import traindx
from tests.cli.calling import COOL, DEMO, HOT
from traindx.cli import main


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_best_run_stands_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", HOT, COOL]) == 0
    shown = capsys.readouterr().out
    assert shown.index("cool") < shown.index("hot")
    assert "learning_rate" in shown
    assert max(len(line) for line in shown.splitlines()) <= 80


def test_every_output_holds_the_comparison() -> None:
    assert main(["compare", str(DEMO), "--json", "out.json", "--md", "out.md", "--html", "out.html"]) == 0
    document = json.loads(Path("out.json").read_text())
    assert len(document["runs"]) == 5
    assert document["comparison"]["entries"][0]["run"] == COOL
    assert "cool" in Path("out.md").read_text()
    assert "cool" in Path("out.html").read_text()


def test_one_run_is_not_enough(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", HOT, "nowhere.log"]) == 2
    sentence = capsys.readouterr().err
    assert sentence.count("\n") == 1
    assert "found one run" in sentence
    assert "nowhere.log: no such file or folder" in sentence
    assert "two or more" in sentence


def test_no_run_is_said_as_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "nowhere.log", "neither.log"]) == 2
    assert "no such file or folder" in capsys.readouterr().err


def test_runs_that_share_no_measure_are_refused_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.csv").write_text("step,loss\n0,3\n1,2\n2,1\n")
    Path("b.csv").write_text("step,reward\n0,1\n1,2\n2,3\n")
    assert main(["compare", "a.csv", "b.csv"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_fail_on_looks_at_every_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", COOL, HOT, "--fail-on", "sick"]) == 1
    assert "hot (" in capsys.readouterr().err


def test_many_runs_leave_the_best_on_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    for index in range(30):
        rows = "".join(f"{step},{1 / (step + index + 1)}\n" for step in range(40))
        Path(f"run{index:02}.csv").write_text(f"step,loss\n{rows}")
    assert main(["compare", *sorted(map(str, Path().glob("*.csv")))]) == 0
    shown = capsys.readouterr().out
    assert len(shown.splitlines()) <= 24
    assert "run29" in shown
    assert "run00" not in shown
    assert "18 more runs: --all lists them" in shown
    assert main(["compare", "--all", *sorted(map(str, Path().glob("*.csv")))]) == 0
    assert "run00" in capsys.readouterr().out


def test_paths_are_compared_like_runs() -> None:
    runs = [traindx.load(path)[0] for path in (COOL, HOT)]
    expected = [entry.best for entry in traindx.compare(runs).entries]
    assert [entry.best for entry in traindx.compare([COOL, Path(HOT)]).entries] == expected
    for path in (COOL, HOT):
        Path("runs", Path(path).name).parent.mkdir(exist_ok=True)
        shutil.copytree(path, Path("runs") / Path(path).name)
    assert [entry.best for entry in traindx.compare("runs").entries] == expected
    with pytest.raises(traindx.TraindxError, match="needs two runs"):
        traindx.compare(COOL)


@pytest.mark.parametrize("columns", ["80", "120"])
def test_headings_are_broken_between_words(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for lr in ("0.05", "0.005"):
        Path(f"lr{lr}").mkdir()
        rows = "".join(f"{step},{1 / (step + 1) + float(lr)}\n" for step in range(40))
        Path(f"lr{lr}/log.csv").write_text(f"step,loss\n{rows}")
        Path(f"lr{lr}/config.yaml").write_text(f"learning_rate: {lr}\nmaximal_gradient_norm: {lr}\n")
    assert main(["compare", "lr0.05", "lr0.005"]) == 0
    head = " ".join(" ".join(capsys.readouterr().out.splitlines()[2:6]).split())
    assert "…" not in head
    assert all(word in head for word in ("learning_", "diverge", "norm"))
