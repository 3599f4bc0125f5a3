"""Commands without a path, which take what was recorded last; and the page that --open shows."""

import os
import tempfile
import webbrowser
from pathlib import Path
from urllib.parse import urlparse

import pytest

from tests.cli.calling import HOT
from traindx.cli import main

FALLING = "".join(f"step {i} loss {2 / (i + 1) + 0.1:.4f}\n" for i in range(60))


@pytest.fixture(autouse=True)
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three runs, the last of which is not the last by name."""
    monkeypatch.chdir(tmp_path)
    for age, name in enumerate(("zeta", "alpha", "beta")):
        folder = Path(".traindx/runs") / name
        folder.mkdir(parents=True)
        (folder / "train.log").write_text(FALLING)
        os.utime(folder, (1_000_000 + age, 1_000_000 + age))


@pytest.mark.parametrize("command", ["diagnose", "inspect"])
def test_the_last_run_is_taken_and_the_header_names_it(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command]) == 0
    header = capsys.readouterr().out.splitlines()[0]
    assert header.startswith("traindx · ")
    assert "beta" in header
    assert main([command, "--quiet"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_the_last_two_runs_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare"]) == 0
    shown = capsys.readouterr().out
    assert "alpha" in shown
    assert "beta" in shown
    assert "zeta" not in shown


def test_without_a_recording_a_path_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    for command in ("diagnose", "inspect", "compare"):
        assert main([command]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert "traindx run train.py" in said.err
        assert said.err.count("\n") == 1


@pytest.mark.parametrize("options", [["--html", "own.html"], []])
def test_the_page_is_opened_and_named(
    options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert main(["diagnose", HOT, "--open", *options]) == 0
    (address,) = opened
    page = Path(urlparse(address).path)
    assert page.read_text().lower().startswith("<!doctype html>")
    assert (options[-1] if options else str(page)) in capsys.readouterr().out
