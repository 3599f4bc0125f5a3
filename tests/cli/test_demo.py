"""`traindx demo`, run as a newcomer would."""

import json
from importlib.util import find_spec
from pathlib import Path

from tests.cli.calling import DEMO, traindx


def test_demo_diagnoses_and_says_where_the_reports_are(tmp_path: Path) -> None:
    done = traindx("demo", cwd=tmp_path)
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


def test_demo_says_when_there_is_no_place_for_it(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    done = traindx("demo", "--out", "taken", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("traindx demo: taken: cannot be written")
    assert done.stderr.count("\n") == 1


def test_the_bundled_logs_are_small() -> None:
    sizes = {
        folder.name: sum(file.stat().st_size for file in folder.iterdir())
        for folder in DEMO.iterdir()
        if folder.is_dir()
    }
    assert max(sizes.values()) < 40_000
