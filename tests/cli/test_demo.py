"""`traindx demo`, run as a newcomer would."""

import json
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.calling import DEMO, process, traindx

PROGRAM = DEMO / "spirals.py"
RATE = "optimizer = torch.optim.SGD(model.parameters(), lr=2.0, momentum=0.9)"

NO_TORCH = """
import importlib.util
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "torch" else find_spec(name, *more)
"""
"""Read by Python as it starts."""


@pytest.mark.slow
@pytest.mark.skipif(
    not find_spec("torch") or sys.platform == "win32", reason="runs a program that needs torch"
)
def test_demo_goes_from_a_program_that_fails_to_a_proven_fix(tmp_path: Path) -> None:
    done = traindx("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    typed, called, *trials = done.stderr.splitlines()
    assert [typed, called] == ["$ cd .traindx/demo", "$ traindx treat --out treatments spirals.py"]
    assert trials
    assert all(re.match(r"trial \d+/\d+: ", trial) for trial in trials)
    line = PROGRAM.read_text().splitlines().index(RATE) + 1
    shown = done.stdout
    # The cause and the line that it is changed at, then the proof and the patch.
    assert re.search(r"(?m)^SICK +Learning rate too high", shown)
    assert re.search(rf"(?m)^FIX +spirals\.py:{line} ", shown)
    assert re.search(r"(?m)^PROVEN .* 3 of 3 seeds, patched program rerun$", shown)
    assert re.search(rf"(?m)^PATCH +spirals\.py:{line}$", shown)
    assert re.search(r"(?m)^TRIED +lr / 10 .* helped, 3 of 3 seeds$", shown)
    folder = tmp_path / ".traindx/demo"
    assert (folder / "spirals.py").read_text() == PROGRAM.read_text()
    assert "+" + RATE.replace("2.0", "0.2") in next(folder.rglob("fix.patch")).read_text()
    said = re.search(r"(?m)^open +(\S+report\.html)$", shown)
    assert said
    assert (tmp_path / said[1]).exists()


def test_demo_diagnoses_logs_and_says_where_the_reports_are(tmp_path: Path) -> None:
    done = traindx("demo", "--logs", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    out = tmp_path / ".traindx/demo"
    runs = {Path(run["name"]).name: run for run in json.loads((out / "report.json").read_text())["runs"]}
    assert list(runs) == ["hot", "cold", "nan", "overfit", "cool"]
    assert runs["cool"]["verdict"] == "healthy"
    for name in ("report.html", "diagnostic_report.md", "report.json"):
        assert (out / name).exists()
        assert f".traindx/demo/{name}" in done.stdout
    if find_spec("matplotlib"):
        assert list(out.glob("pictures/*.png"))


def test_without_torch_it_says_so_and_diagnoses_logs(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(NO_TORCH)
    done = process("demo", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.returncode == 0
    assert done.stderr.startswith("torch is not installed")
    assert done.stderr.count("\n") == 1
    assert (tmp_path / ".traindx/demo/report.html").exists()


@pytest.mark.parametrize("how", [(), ("--logs",)])
def test_demo_says_when_there_is_no_place_for_it(tmp_path: Path, how: tuple[str, ...]) -> None:
    (tmp_path / "taken").write_text("a file")
    done = traindx("demo", "--out", "taken", *how, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("traindx demo: taken: can't write it")
    assert done.stderr.count("\n") == 1


def test_what_is_bundled_is_small() -> None:
    sizes = {
        folder.name: sum(file.stat().st_size for file in folder.iterdir())
        for folder in DEMO.iterdir()
        if folder.is_dir()
    }
    assert max(sizes.values()) < 40_000
    assert PROGRAM.stat().st_size < 4_000
