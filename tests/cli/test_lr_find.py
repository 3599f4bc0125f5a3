"""`traindx lr-find` on real programs, as a user would call it."""

import json
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("libcst")

from tests.cli.calling import traindx
from traindx.cli import main

SCRIPT = """\
import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(3)
x = torch.randn(256, 6)
y = (x @ torch.randn(6) > 0).long()
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.0003)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, step / 150))
for epoch in range(60):
    for batch in torch.randperm(256).split(32):
        loss = nn.functional.cross_entropy(model(x[batch]), y[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    open("epochs.txt", "a").write("one more")
"""


def lr_find(here: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return traindx("lr-find", *words, cwd=here, COLUMNS="110", NO_COLOR="1")


@pytest.mark.slow
def test_a_program_whose_rate_is_too_low_gets_another_and_is_left_alone(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    # What an older run has left must not be taken for a trial.
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "rank-0.traindx").write_bytes(b"no recording")
    done = lr_find(
        tmp_path,
        "--json",
        "rate.json",
        "--md",
        "rate.md",
        "--png",
        "rate.png",
        "--html",
        "rate.html",
        "train.py",
    )
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "rate.json").read_text())
    assert (document["schema"], document["kind"]) == ("traindx.report/1", "lr")
    assert document["current"] == 0.0003
    assert f"\nSET      lr={document['suggested']:g} " in done.stdout
    assert "now 0.0003, " in done.stdout
    assert " range test  o trials" in done.stdout
    assert document["suggested"] > 100 * document["current"]
    assert document["steps"] == 300
    assert len(document["trials"]) == 5
    by_rate = {trial["rate"]: trial["loss"] for trial in document["trials"]}
    assert by_rate[document["suggested"]] < 0.6 * by_rate[0.0003]
    assert document["change"] == f"lr=0.0003 -> lr={document['suggested']} at train.py:9"
    assert (
        f"+optimizer = torch.optim.SGD(model.parameters(), lr={document['suggested']})" in document["patch"]
    )
    # The program warms up for longer than a trial takes: 45 of 150 steps.
    assert any("reaches 29% of its peak" in note for note in document["notes"])
    rates = document["range_test"]["rates"]
    assert rates == sorted(rates)
    assert script.read_text() == SCRIPT
    assert not (tmp_path / "epochs.txt").exists()
    assert (tmp_path / "rate.png").read_bytes().startswith(b"\x89PNG")
    assert f"| {document['suggested']} |" in (tmp_path / "rate.md").read_text()
    assert f">{document['suggested']}</td>" in (tmp_path / "rate.html").read_text()
    assert sorted(path.name for path in (tmp_path / ".traindx/rates/train-1").iterdir())[0].startswith(
        "range"
    )


@pytest.mark.slow
def test_a_program_that_no_rate_can_train_gets_none(tmp_path: Path) -> None:
    program = SCRIPT.replace("model(x[batch])", "model(x[batch]).detach() + 0 * model[0].bias[0]")
    (tmp_path / "train.py").write_text(program)
    done = lr_find(tmp_path, "--force", "--json", "rate.json", "train.py")
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "rate.json").read_text())
    assert document["suggested"] is None
    assert document["change"] is None
    assert "the loss is identical at lr" in document["why"]
    assert "\nNOT TUNED  no learning rate to suggest" in done.stdout


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("print('hello')\n", "nothing recorded"),
        pytest.param(
            SCRIPT.replace("range(60)", "range(2)"), "only 16 steps in total, too few", marks=pytest.mark.slow
        ),
        (SCRIPT.replace("lr=0.0003", "lr=0.0"), "learning rate is 0"),
        pytest.param(
            SCRIPT.replace("    open(", "    raise ValueError('boom')\n    open("),
            "crashes at any learning rate (exit code 1: ValueError: boom)",
            marks=pytest.mark.slow,
        ),
        ("open('../data/rows.csv')\n", "use --in-place"),
    ],
)
def test_a_program_that_cannot_be_examined_is_told_so(program: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(program)
    done = lr_find(tmp_path, "train.py")
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "no command; expected a script"),
        (["missing.py"], "no such file"),
        (["--steps", "20", "train.py"], "--steps must be 100 or more"),
        (["--minutes", "0", "train.py"], "--minutes must be greater than 0, got 0"),
        (["--json", "nowhere/rate.json", "train.py"], "nowhere/rate.json: can't write it"),
        (["--json", "-", "--md", "-", "train.py"], "two reports"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(
    words: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("")
    assert main(["lr-find", *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith("traindx lr-find: ")
    assert says in error
    assert error.count("\n") == 1
