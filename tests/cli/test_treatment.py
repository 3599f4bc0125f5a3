"""What becomes of a treatment that has been made: shown, kept, applied and recorded, whatever of it fails."""

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("libcst")

from tests.cli.calling import HOT
from tests.cli.terminal import shown, terminal
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


def told(script: Path, *words: str, verified: bool | None = True) -> int:
    (run,) = load(HOT)
    treatment = replace(won(), patch_verified=verified)
    result = TreatResult(
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
    return tell(result, parser.parse_args(["treat", *words, "train.py"]))


def recorded() -> list[bool]:
    """Whether the patch of each change was applied, by the casebook; only that of the proven one can be."""
    return [case.patch_applied for case in Casebook().cases() if case.proven]


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
    assert "uncommitted changes; commit them, or add --force" in capsys.readouterr().err
    assert real.read_text() == BEFORE
    assert told(script, "--apply", "--yes", "--force") == 0
    assert real.read_text() == AFTER


@pytest.mark.parametrize("option", ["--json", "--md", "--html"])
def test_a_document_on_standard_output_has_nothing_beside_it(
    option: str, script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(script, "--apply", "--yes", option, "-") == 0
    printed = capsys.readouterr()
    assert "\nPROVEN " not in printed.out
    assert "\nPROVEN " in printed.err
    assert "applied; undo with: " in printed.err
    if option == "--json":
        assert json.loads(printed.out)["runs"]


def test_what_was_tried_is_recorded_where_the_patch_is_refused(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script.write_text("somebody went on")
    assert told(script, "--apply", "--yes") == 2
    printed = capsys.readouterr()
    assert "traindx treat: train.py: changed since the trials" in printed.err
    assert f"-{BEFORE}" in printed.err
    assert "+somebody went on\n" in printed.err
    assert "lr / 100" in printed.out
    assert script.read_text() == "somebody went on"
    assert recorded() == [False]


def test_a_file_that_is_gone_is_told_in_a_sentence(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script.unlink()
    assert told(script, "--apply", "--yes") == 2
    assert "traindx treat: train.py: no such file" in capsys.readouterr().err
    assert recorded() == [False]


def test_what_cannot_be_kept_is_shown_and_recorded(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (script.parent / ".traindx/treatments/train-1").rmdir()
    assert told(script) == 2
    printed = capsys.readouterr()
    assert "diagnostic_report.md: can't write it (No such file or directory)" in printed.err
    assert "lr / 100" in printed.out
    assert "\nreport " not in printed.out
    assert "\npicture " not in printed.out
    assert recorded() == [False]


def test_a_patch_that_did_not_show_the_effect_is_not_applied(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(script, "--apply", "--yes", verified=False) == 2
    assert "did not show the effect; see traindx apply train-1" in capsys.readouterr().err
    assert script.read_text() == BEFORE
    assert recorded() == [False]


def test_outputs_are_named_and_so_is_the_picture(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    assert told(script, "--json", "data.json", "--md", "told.md", "--html", "page.html") == 0
    printed = capsys.readouterr().out.split()
    folder = ".traindx/treatments/train-1"
    places = [
        "data.json",
        "told.md",
        "page.html",
        f"{folder}/report.html",
        f"{folder}/training_comparison.png",
    ]
    assert set(places) <= set(printed)
    assert all(Path(location).stat().st_size > 100 for location in places)


def test_one_line_where_that_is_wanted(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(script, "--quiet") == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("PROVEN lr / 100 · SICK ")
    assert printed.out.endswith(" · .traindx/treatments/train-1/report.html\n")
    assert (printed.out.count("\n"), printed.err) == (1, "")


@pytest.mark.parametrize(("answer", "content"), [(b"y\n", AFTER), (b"no\n", BEFORE), (b"\n", BEFORE)])
def test_who_watches_is_asked(script: Path, answer: bytes, content: str) -> None:
    with terminal() as keyboard:
        os.write(keyboard, answer)
        assert told(script) == 0
        screen = shown(keyboard)
    assert script.read_text() == content
    assert recorded() == [content == AFTER]
    assert "Apply now? [y/N] " in screen
    assert ("traindx apply --undo train-1" in screen) is (content == AFTER)


def test_what_is_only_offered_makes_nothing_fail(script: Path) -> None:
    script.write_text("somebody went on")
    with terminal() as keyboard:
        assert told(script) == 0
        screen = shown(keyboard)
    assert "changed since the trials" in screen
    assert "Apply now?" not in screen
    assert script.read_text() == "somebody went on"


def test_who_is_asked_may_leave(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def leaves(question: str, path: Path) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr("traindx.cli._patch.agreed", leaves)
    with pytest.raises(KeyboardInterrupt):
        told(script, "--apply")
    assert script.read_text() == BEFORE
    assert recorded() == [False]
