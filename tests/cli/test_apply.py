"""`traindx apply`: a proven patch goes into the source and comes out again, and nothing else is touched."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("libcst")

from tests.cli.calling import call, traindx
from tests.cli.terminal import shown, terminal
from tests.report.formats import canonical
from tests.treatments import won
from traindx.changes.source.patch import Patch
from traindx.cli import main
from traindx.trials.casebook import Casebook
from traindx.trials.proof import Proof, write_no_patch, write_proof

BEFORE, AFTER = "rate = 3.0\n", "rate = 0.03\n"
BACKUP = "train.py.before-traindx"


def proven(here: Path, name: str = "train-1", file: str = "train.py", day: int = 1, **known: object) -> Path:
    """A script, and a treatment that proved a patch of it on some day of a month."""
    script, folder = here / file, here / ".traindx/treatments" / name
    script.write_text(BEFORE)
    folder.mkdir(parents=True)
    patch = Patch(str(script), BEFORE, AFTER, "rate=3.0 -> rate=0.03")
    proof = Proof(patch, "3 of 3 seeds", f"2026-07-{day:02}T12:00:00.000+00:00")
    write_proof(folder, replace(proof, **known))  # type: ignore[arg-type]  # by their names
    return script


def apply(here: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return traindx("apply", *words, cwd=here, COLUMNS="80", NO_COLOR="1")


def left(here: Path) -> dict[str, str]:
    """The files of a folder and what is in them."""
    return {path.name: path.read_text() for path in sorted(here.iterdir()) if path.is_file()}


def test_a_patch_is_shown_applied_and_taken_back(tmp_path: Path) -> None:
    proven(tmp_path)
    done = apply(tmp_path, "--yes", "train-1")
    assert done.returncode == 0, done.stderr
    assert left(tmp_path) == {"train.py": AFTER, BACKUP: BEFORE}
    head, *changes, last = done.stderr.splitlines()
    assert head.startswith("PATCH    train.py:1 ")
    assert " proven · 3 of 3 seeds · " in head
    assert [line.strip() for line in changes] == ["-rate = 3.0", "+rate = 0.03"]
    assert last == "applied; undo with: traindx apply --undo train-1"
    done = traindx(*last.partition(": traindx ")[2].split(), "--yes", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert left(tmp_path) == {"train.py": BEFORE}
    assert apply(tmp_path, "--yes").returncode == 0
    assert left(tmp_path)["train.py"] == AFTER


def test_without_a_name_it_is_the_last_that_was_proven_or_applied(tmp_path: Path) -> None:
    for day, name in enumerate(("a-1", "b-1", "c-1"), start=1):
        proven(tmp_path, name, file=f"{name}.py", day=day)
    # What was done to another one since makes it no newer.
    for words in (["a-1"], ["b-1"], ["--undo", "a-1"]):
        assert apply(tmp_path, "--yes", *words).returncode == 0
    assert apply(tmp_path, "--yes").returncode == 0
    assert (tmp_path / "c-1.py").read_text() == AFTER
    applied = {name for name in ("a-1", "b-1", "c-1") if (tmp_path / f"{name}.py").read_text() == AFTER}
    assert applied == {"b-1", "c-1"}
    # A clock may be too coarse to tell which was applied last.
    os.utime(tmp_path / ".traindx/treatments/b-1/proof.json", (1, 1))
    assert "traindx apply c-1" in apply(tmp_path, "--undo", "--yes").stderr
    assert "traindx apply b-1" in apply(tmp_path, "--undo", "--yes").stderr
    done = apply(tmp_path, "--undo", "--yes")
    assert (done.returncode, done.stderr.startswith("traindx apply: no applied patch in ")) == (2, True)


def test_a_proven_fix_without_a_patch_is_named_with_the_reason(tmp_path: Path) -> None:
    says = 'own-1: "match target shape" is proven, but has no source patch (why); change own.py by hand'
    folder = tmp_path / ".traindx/treatments/own-1"
    folder.mkdir(parents=True)
    write_no_patch(folder, says)
    for words in ([], ["own-1"]):
        done = apply(tmp_path, "--yes", *words)
        assert (done.returncode, done.stderr) == (2, f"traindx apply: {says}\n")
    # What was proven since counts.
    proven(tmp_path)
    os.utime(folder / "no_patch.txt", (1, 1))
    assert apply(tmp_path, "--yes").returncode == 0


def test_a_file_that_has_changed_is_left_alone_and_both_versions_are_shown(tmp_path: Path) -> None:
    proven(tmp_path).write_text("rate = 4.0\n")
    done = apply(tmp_path, "--yes")
    assert done.returncode == 2
    assert "-rate = 3.0\n+rate = 4.0\n" in done.stderr
    assert "\ntraindx apply: train.py: changed since the trials; " in done.stderr
    assert left(tmp_path) == {"train.py": "rate = 4.0\n"}


def test_a_file_that_was_changed_after_the_patch_is_not_put_back(tmp_path: Path) -> None:
    script = proven(tmp_path)
    assert apply(tmp_path, "--yes").returncode == 0
    script.write_text(f"{AFTER}print(rate)\n")
    done = apply(tmp_path, "--undo", "--yes")
    assert done.returncode == 2
    assert "+print(rate)\n" in done.stderr
    assert left(tmp_path) == {"train.py": f"{AFTER}print(rate)\n", BACKUP: BEFORE}


@pytest.mark.parametrize("words", [[], ["--undo"]])
def test_without_a_terminal_it_has_to_be_allowed(words: list[str], tmp_path: Path) -> None:
    proven(tmp_path)
    if words:
        assert apply(tmp_path, "--yes").returncode == 0
    before = left(tmp_path)
    done = apply(tmp_path, *words)
    assert done.returncode == 2
    assert "add --yes" in done.stderr
    assert left(tmp_path) == before


@pytest.mark.parametrize(("answer", "content"), [("y", AFTER), ("YES", AFTER), ("n", BEFORE), ("", BEFORE)])
def test_at_a_terminal_it_asks(
    answer: str, content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    script = proven(tmp_path)
    with terminal() as keyboard:
        os.write(keyboard, f"{answer}\n".encode())
        assert main(["apply"]) == 0
        screen = shown(keyboard)
    assert script.read_text() == content
    assert "Apply? [y/N] " in screen
    assert ("applied; undo with: " in screen) is (content == AFTER)
    assert ("not applied" in screen) is (content == BEFORE)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["tran-1"], 'unknown treatment "tran-1"; did you mean train-1?'),
        (["zzz"], "known: train-1"),
        (["failed-1"], "failed-1: this treatment proved no patch; "),
        (["broken-1"], "proof.json: damaged "),
        (["--out", "elsewhere"], "no proven patch in elsewhere; prove a fix first: traindx treat train.py"),
        (["--undo", "train-1"], "train-1: its patch is not applied; apply it first: traindx apply train-1"),
        (["--undo"], "no applied patch in .traindx/treatments; "),
    ],
)
def test_what_is_not_there_is_said_in_a_sentence(words: list[str], says: str, tmp_path: Path) -> None:
    proven(tmp_path)
    (tmp_path / ".traindx/treatments/failed-1").mkdir()
    (tmp_path / ".traindx/treatments/broken-1").mkdir()
    (tmp_path / ".traindx/treatments/broken-1/proof.json").write_text('{"patch": ')
    done = apply(tmp_path, "--yes", *words)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert left(tmp_path) == {"train.py": BEFORE}


def test_a_patch_is_not_applied_twice(tmp_path: Path) -> None:
    script = proven(tmp_path)
    assert apply(tmp_path, "--yes").returncode == 0
    done = apply(tmp_path, "--yes")
    assert done.returncode == 2
    assert "train-1: already applied; undo it with: traindx apply --undo train-1" in done.stderr
    assert left(tmp_path) == {"train.py": AFTER, BACKUP: BEFORE}
    # Nor one that somebody applied by hand.
    proven(tmp_path, "train-2", day=2)
    script.write_text(AFTER)
    done = apply(tmp_path, "--yes")
    assert (done.returncode, "has this change already" in done.stderr) == (2, True)


@pytest.mark.parametrize("words", [[], ["--undo"]])
def test_a_file_that_is_gone_stays_gone(words: list[str], tmp_path: Path) -> None:
    script = proven(tmp_path)
    if words:
        assert apply(tmp_path, "--yes").returncode == 0
    script.unlink()
    done = apply(tmp_path, "--yes", *words)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("traindx apply: train.py: no such file")
    assert not script.exists()


def test_what_git_would_lose_is_refused(tmp_path: Path) -> None:
    script = proven(tmp_path)
    script.write_text("committed\n")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "train.py"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    script.write_text(BEFORE)
    done = apply(tmp_path, "--yes")
    assert done.returncode == 2
    assert "train.py: has uncommitted changes; commit them, or add --force" in done.stderr
    assert left(tmp_path) == {"train.py": BEFORE}
    assert apply(tmp_path, "--yes", "--force").returncode == 0
    assert left(tmp_path) == {"train.py": AFTER, BACKUP: BEFORE}


def test_a_patch_that_did_not_show_the_effect_is_not_called_proven(tmp_path: Path) -> None:
    proven(tmp_path, reproduced=False)
    done = apply(tmp_path, "--yes")
    assert " review · 3 of 3 seeds · " in done.stderr
    assert "proven" not in done.stderr


def test_bytes_that_are_not_changed_stay_as_they_are(tmp_path: Path) -> None:
    script = proven(tmp_path)
    before, after = "# caf\xe9\r\nrate = 3.0\r\n", "# caf\xe9\r\nrate = 0.03\r\n"
    script.write_bytes(before.encode("latin-1"))
    script.chmod(0o750)
    patch = Patch(str(script), before, after, "", "latin-1")
    proof = Proof(patch, "3 of 3 seeds", "2026-07-01T12:00:00.000+00:00")
    write_proof(tmp_path / ".traindx/treatments/train-1", proof)
    assert apply(tmp_path, "--yes").returncode == 0
    assert script.read_bytes() == after.encode("latin-1")
    assert apply(tmp_path, "--undo", "--yes").returncode == 0
    assert script.read_bytes() == before.encode("latin-1")
    assert script.stat().st_mode & 0o777 == 0o750


def test_it_is_found_and_named_from_elsewhere(tmp_path: Path) -> None:
    here, other = tmp_path / "project", tmp_path / "other"
    here.mkdir()
    other.mkdir()
    script = proven(here)
    done = call(["apply", "--yes", "--out", "../project/.traindx/treatments"], other, dict(os.environ))
    assert done.returncode == 0, done.stderr
    assert script.read_text() == AFTER
    assert "PATCH    ../project/train.py:1 " in done.stderr
    hint = done.stderr.rstrip().rpartition(": traindx ")[2].split()
    assert call([*hint, "--yes"], other, dict(os.environ)).returncode == 0
    assert script.read_text() == BEFORE


def test_the_casebook_knows_whether_it_is_applied(tmp_path: Path) -> None:
    proven(tmp_path)
    book = Casebook(tmp_path / ".traindx/cases.db")
    book.record(replace(canonical.sick(), run="train-1"), won(), command="python train.py")
    for words, is_applied in ((["--yes"], True), (["--undo", "--yes"], False)):
        assert apply(tmp_path, *words).returncode == 0
        assert [case.patch_applied for case in book.cases() if case.proven] == [is_applied]
    book.place.write_text("no casebook")
    done = apply(tmp_path, "--yes")
    assert (done.returncode, left(tmp_path)["train.py"]) == (0, AFTER)
    assert "not a casebook" in done.stderr
