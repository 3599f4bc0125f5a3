"""No command puts a report in the place of what it is about."""

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("libcst")

from traindx.cli import main

CONTENT = """\
import torch


def rows():
    return torch.randn(40, 3), torch.arange(40) % 2
"""


@pytest.mark.parametrize(
    "words",
    [
        "run --json a.py a.py",
        "run --md a.py -- python a.py",
        "treat --dry-run --json a.py a.py",
        "preflight --quick --json a.py a.py",
        "lr-find --md ./a.py a.py",
        "ask --symptom loss-nan --json a.py a.py",
        "examine gradients --json a.py a.py",
        "examine model --model a.py:Net --data rows.pt --json a.py",
        "examine data --json a.py a.py:rows",
        "diagnose --json a.py a.py",
        "cases --json .traindx/cases.db",
    ],
)
def test_what_a_report_is_about_stays_as_it_is(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".traindx").mkdir()
    script, book = tmp_path / "a.py", tmp_path / ".traindx/cases.db"
    script.write_text(CONTENT)
    book.touch()
    assert main(words.split()) == 2
    assert "choose another path" in capsys.readouterr().err
    assert script.read_text() == CONTENT
    assert not book.read_bytes()
