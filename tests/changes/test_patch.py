"""Patches: one file, its bytes, its diff, and why there is none."""

import subprocess
import sys
from pathlib import Path

import pytest

from traindx.changes.source.patch import Patch, patch_of, refusal_of
from traindx.changes.types import parse_change
from traindx.facts import MODEL_PLACE, OPTIMIZER_PLACE, SCRIPT, STEP_PLACE
from traindx.run import Run

LOWER = parse_change("optimizer.lr x 0.01")
CLIP = parse_change("gradients.clip 1.0")
PROGRAM = """\
import torch

opt = torch.optim.SGD(net.parameters(), lr=2.0)
for x in data:
    net(x).backward()
    opt.step()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_of(content: bytes, name: str = "train.py", optimizer_line: int = 3) -> Run:
    Path(name).write_bytes(content)
    places = {OPTIMIZER_PLACE: f"{name}:{optimizer_line}", STEP_PLACE: f"{name}:{optimizer_line + 3}"}
    return Run("run", (), facts={SCRIPT: name, **places})


def patched(run: Run, *changes: str) -> Patch:
    patch = patch_of([parse_change(change) for change in changes], run)
    assert patch is not None
    return patch


def test_a_patch_names_its_file_and_says_what_it_does(folder: Path) -> None:
    patch = patched(run_of(PROGRAM.encode()), str(LOWER))
    assert patch.path == str(folder / "train.py")
    assert patch.before == PROGRAM
    assert patch.after == PROGRAM.replace("2.0", "0.02")
    assert patch.says == "lr=2.0 -> lr=0.02 at train.py:3"
    assert Path("train.py").read_text() == PROGRAM


def test_the_diff_is_unified_and_relative(folder: Path) -> None:
    diff = patched(run_of(PROGRAM.encode()), str(LOWER)).diff
    assert diff.startswith("--- a/train.py\n+++ b/train.py\n@@ -1,6 +1,6 @@\n import torch\n")
    assert "-opt = torch.optim.SGD(net.parameters(), lr=2.0)\n" in diff


@pytest.mark.parametrize(
    "content",
    [
        PROGRAM.encode(),
        PROGRAM.replace("\n", "\r\n").encode(),
        PROGRAM.rstrip("\n").encode(),
        PROGRAM.replace("    ", "\t").encode(),
        ("# caf\xe9 \x0c\n" + PROGRAM.partition("\n")[2]).encode("utf-8-sig"),
        b"# coding: latin-1\n# caf\xe9\n" + PROGRAM.partition("\n\n")[2].encode(),
        PROGRAM.replace("\n", "\r\n", 2).encode(),
    ],
    ids=["plain", "crlf", "no end", "tabs", "mark", "latin", "mixed"],
)
def test_git_applies_the_diff_to_the_byte(folder: Path, content: bytes) -> None:
    run = run_of(content)
    patch = patched(run, str(LOWER))
    assert patch.content == content.replace(b"2.0", b"0.02")
    (folder / "fix.patch").write_bytes(patch.diff.encode(patch.encoding.removesuffix("-sig")))
    if patch.encoding == "utf-8-sig":
        return
    subprocess.run(["git", "apply", "--whitespace=nowarn", "fix.patch"], check=True)
    assert Path("train.py").read_bytes() == patch.content


def test_changes_are_applied_one_after_the_other(folder: Path) -> None:
    patch = patched(
        run_of(PROGRAM.encode()), "gradients.clip 1.0", "optimizer.lr x 0.01", "schedule.warmup 10"
    )
    assert patch.after == PROGRAM.replace("2.0", "0.02").replace(
        "    opt.step()\n",
        "    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n    opt.step()\n    warmup.step()\n",
    ).replace(
        "0.02)\n",
        "0.02)\nwarmup = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: min(1.0, (step + 1) / 10))\n",
    )
    assert patch.says.count("; ") == 2


def test_lines_are_found_again_behind_inserted_ones(folder: Path) -> None:
    patch = patched(
        run_of(PROGRAM.encode()), "schedule.warmup 10", "gradients.clip 1.0", "optimizer.momentum 0.5"
    )
    assert "lr=2.0, momentum=0.5)" in patch.after
    assert "clip_grad_norm_(net.parameters(), 1.0)\n    opt.step()\n    warmup.step()\n" in patch.after


def test_a_path_may_be_absolute(folder: Path) -> None:
    name = str(folder / "train.py")
    patch = patched(run_of(PROGRAM.encode(), name), str(LOWER))
    assert patch.path == name
    assert patch.diff.startswith("--- a/train.py\n")


def test_the_diff_of_a_file_outside_of_the_working_directory_is_for_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "there")
    run = run_of(PROGRAM.encode(), str(tmp_path / "train.py"))
    patch = patched(run, str(LOWER))
    Path("fix.patch").write_text(patch.diff)
    subprocess.run(["git", "apply", "there/fix.patch"], check=True, cwd=tmp_path)
    assert (tmp_path / "train.py").read_bytes() == patch.content


def refused(run: Run, *changes: str) -> str:
    asked = [parse_change(change) for change in changes]
    assert patch_of(asked, run) is None
    return refusal_of(asked, run)


def test_a_change_without_an_edit_is_refused(folder: Path) -> None:
    run = run_of(PROGRAM.encode())
    assert refused(run, "init.unit_variance") == "init.unit_variance has no source patch"
    wanted = "init.unit_variance has no source patch"
    assert refused(run, str(LOWER), "init.unit_variance") == wanted


def test_a_patch_may_have_two_files(folder: Path) -> None:
    run = run_of(PROGRAM.encode())
    Path("net.py").write_text("from torch import nn\nnet = nn.Dropout(0.9)\n")
    run = Run("run", (), facts={**run.facts, MODEL_PLACE: "net.py:1"})
    changes = [parse_change(word) for word in (str(LOWER), "regularize.dropout 0.1")]
    patch = patch_of(changes, run)
    assert patch is not None
    assert [Path(changed.path).name for changed in patch.files] == ["train.py", "net.py"]
    assert "+net = nn.Dropout(0.1)\n" in patch.diff
    assert [line for line in patch.diff.splitlines() if line.startswith("+++")] == [
        "+++ b/train.py",
        "+++ b/net.py",
    ]


def test_files_of_others_are_refused(folder: Path) -> None:
    lib = folder / "site-packages"
    lib.mkdir()
    name = str(lib / "optim.py")
    assert refused(run_of(PROGRAM.encode(), name), str(LOWER)) == f"{name} is an installed file"


def test_what_cannot_be_read_is_refused(folder: Path) -> None:
    assert refused(Run("run", ()), str(LOWER)) == "the run has no source file"
    gone = Run("run", (), facts={SCRIPT: "gone.py"})
    assert refused(gone, str(LOWER)) == "no Python file gone.py here"
    assert refused(run_of(b"def broken(:\n"), str(LOWER)) == "syntax error at train.py:1"
    assert refused(run_of(b"x = '\xff\xfe'\n"), str(LOWER)).startswith("train.py is not readable as text: ")


def test_a_patch_needs_no_torch() -> None:
    code = "import sys, traindx.changes.source.patch as p; p.known_changes(); exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
