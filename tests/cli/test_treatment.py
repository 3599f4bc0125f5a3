"""What becomes of a treatment that has been made: shown, kept, applied and recorded, whatever of it fails."""

import json
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("libcst")

from tests.cli.calling import HOT
from tests.treatments import BELIEFS, won
from traindx.changes.source.patch import Patch
from traindx.cli import build_parser
from traindx.cli._treatment import tell
from traindx.diagnosis.engine import diagnose
from traindx.readers.loading.runs import load
from traindx.trials.casebook import Casebook
from traindx.trials.treatment import TreatResult
from traindx.trials.types import Report

BEFORE, AFTER = "rate = 3.0\n", "rate = 0.03\n"


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "train.py"
    path.write_text(BEFORE)
    (tmp_path / ".traindx/treatments/train-1").mkdir(parents=True)
    return path


def told(script: Path, *words: str) -> int:
    (run,) = load(HOT)
    treatment = won()
    found = TreatResult(
        report=Report((run,), (), 0, (diagnose(run),), treatment=treatment),
        treatment=treatment,
        patch=Patch(str(script), BEFORE, AFTER, "lr=3.0 -> lr=0.03"),
        plan=(),
        beliefs=BELIEFS,
        command="python train.py",
        folder=script.parent / ".traindx/treatments/train-1",
        seconds=1.0,
    )
    parser, _ = build_parser()
    return tell(found, parser.parse_args(["treat", *words, "train.py"]))


def recorded() -> list[bool]:
    """Whether the patch of each change was applied, by the casebook; only that of the proven one can be."""
    return [one.patch_applied for one in Casebook().cases() if one.proven]


def test_every_patch_leaves_the_file_as_it_was_under_a_name_of_its_own(script: Path) -> None:
    for number in range(3):
        script.write_text(BEFORE)
        assert told(script, "--apply", "--yes") == 0
        assert script.read_text() == AFTER
        # What the user would lose if it were written over.
        script.with_name("train.py.before-traindx").write_text("the first")
        assert len(list(script.parent.glob("train.py.before-traindx*"))) == number + 1
    assert script.with_name("train.py.before-traindx").read_text() == "the first"
    assert script.with_name("train.py.before-traindx-2").read_text() == BEFORE
    assert script.with_name("train.py.before-traindx-3").read_text() == BEFORE
    assert recorded() == [True] * 3


def test_a_link_stays_a_link(script: Path) -> None:
    real = script.parent / "shared" / "training.py"
    real.parent.mkdir()
    script.rename(real)
    script.symlink_to(real)
    assert told(script, "--apply", "--yes") == 0
    assert script.is_symlink()
    assert real.read_text() == AFTER


def test_changes_behind_a_link_are_known_to_git(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    real = script.parent / "shared" / "training.py"
    real.parent.mkdir()
    real.write_text("committed")
    git = ["git", "-C", str(real.parent), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    real.write_text(BEFORE)
    script.unlink()
    script.symlink_to(real)
    assert told(script, "--apply", "--yes") == 2
    assert "has changes that git does not have; commit them, or add --force" in capsys.readouterr().err
    assert real.read_text() == BEFORE


@pytest.mark.parametrize("option", ["--json", "--md", "--html"])
def test_a_document_on_standard_output_has_nothing_beside_it(
    option: str, script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(script, "--apply", "--yes", option, "-") == 0
    printed = capsys.readouterr()
    assert "+rate = 0.03" not in printed.out
    assert "+rate = 0.03" in printed.err
    if option == "--json":
        assert json.loads(printed.out)["runs"]


def test_what_was_tried_is_recorded_where_the_patch_is_refused(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script.write_text("somebody went on")
    assert told(script, "--apply", "--yes") == 2
    printed = capsys.readouterr()
    assert printed.err == f"traindx treat: {script}: has changed since it was run; treat it again\n"
    assert "optimizer.lr x 0.01" in printed.out
    assert script.read_text() == "somebody went on"
    assert recorded() == [False]


def test_a_file_that_is_gone_is_told_in_a_sentence(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script.unlink()
    assert told(script, "--apply", "--yes") == 2
    assert "the patch was not applied (No such file or directory)" in capsys.readouterr().err
    assert recorded() == [False]


def test_what_cannot_be_kept_is_shown_and_recorded(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (script.parent / ".traindx/treatments/train-1").rmdir()
    assert told(script) == 2
    printed = capsys.readouterr()
    assert "diagnostic_report.md: cannot be written (No such file or directory)" in printed.err
    assert "optimizer.lr x 0.01" in printed.out
    assert "fix.patch" not in printed.out
    assert "reports " not in printed.out
    assert recorded() == [False]


def test_who_is_asked_may_leave(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def leaves(_: Path) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr("traindx.cli._treatment._agreed", leaves)
    with pytest.raises(KeyboardInterrupt):
        told(script, "--apply")
    assert script.read_text() == BEFORE
    assert recorded() == [False]
