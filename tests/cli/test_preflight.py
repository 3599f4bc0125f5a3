"""`traindx preflight` on real programs, each in processes of their own."""

import json
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("torch")

import traindx
from tests.cli.calling import traindx as call_traindx
from traindx.errors import UnreadableError
from traindx.facts import EXPERIMENT
from traindx.finding import Mark

PLAIN = """\
import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(3)
x = torch.randn(256, 6)
y = (x @ torch.randn(6, 3)).argmax(1)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
step = 0
for epoch in range(EPOCHS):
    model.train()
    for rows in torch.randperm(192).split(32):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        print("step", step, "loss", loss.item())
    model.eval()
    with torch.no_grad():
        print(nn.functional.cross_entropy(model(x[192:]), y[192:]).item())
open("written.txt", "w").write("done")
"""


def preflight(here: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return call_traindx("preflight", *words, cwd=here, COLUMNS="110", NO_COLOR="1", CUDA_VISIBLE_DEVICES="")


def marks(document: dict[str, object]) -> dict[str, str]:
    checks = document["checks"]
    assert isinstance(checks, list)
    return {check["check"]: check["mark"] for check in checks}


@pytest.mark.slow
def test_a_plain_loop_without_a_loader_is_ready(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PLAIN.replace("EPOCHS", "50"))
    done = preflight(
        tmp_path,
        "--fail-on",
        "warn",
        "--json",
        "list.json",
        "--md",
        "list.md",
        "--html",
        "list.html",
        "--all",
        "train.py",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "READY" in done.stdout
    assert not (tmp_path / "written.txt").exists()
    document = json.loads((tmp_path / "list.json").read_text())
    marked = marks(document)
    assert (document["schema"], document["kind"]) == ("traindx.report/1", "preflight")
    assert document["verdict"] == "pass"
    assert document["counts"]["fail"] == document["counts"]["warn"] == 0
    for (
        slug
    ) in "one-batch modes rate initial-loss gradient-flow parameters length time validation-data".split():
        assert marked[slug] == "pass", done.stdout
    assert "300 steps, 50 epochs of 6" in done.stdout
    page = (tmp_path / "list.md").read_text()
    assert "| ok | one-batch |" in page
    assert '<td class="good">ok</td><td class="plain">one-batch</td>' in (tmp_path / "list.html").read_text()
    with pytest.raises(UnreadableError, match="no run of yours; skipped 3 trial runs of traindx"):
        traindx.load(tmp_path)
    (home,) = (tmp_path / ".traindx/preflights").iterdir()
    changes = {Path(run.name).parent.name: run.facts[EXPERIMENT] for run in traindx.load(home)}
    assert changes["as-it-is"] == "as it is"
    assert str(changes["one-batch"]).startswith("batches.repeat")


def test_a_program_that_fails_and_crashes_says_why_and_where_and_meets_the_condition(tmp_path: Path) -> None:
    script = PLAIN.replace("EPOCHS", "50").replace("nn.Linear(32, 3))", "nn.Linear(32, 3), nn.Softmax(1))")
    script = script.replace("    model.eval()", '    raise ValueError("disk is full")')
    (tmp_path / "train.py").write_text(script)
    done = preflight(tmp_path, "--fail-on", "output", "--json", "list.json", "train.py")
    assert done.returncode == 1
    assert "--fail-on output is met by output" in done.stderr
    document = json.loads((tmp_path / "list.json").read_text())
    problems = document["problems"]
    assert "wrong-output-activation" in [
        problem["cause"] for problem in problems if problem["severity"] == "serious"
    ]
    assert "\nNOT READY " in done.stdout
    assert "crashed after 6 steps: ValueError: disk is full" in done.stdout
    output = next(check for check in document["checks"] if check["check"] == "output")
    assert output["causes"] == ["wrong-output-activation"]
    assert output["seen"][0]["place"] == "train.py:14"
    assert output["seen"][0]["evidence"][0]["quantity"] == "output_activation"
    marked = marks(document)
    assert marked["rate"] == marked["one-batch"] == "not looked at"
    assert marked["runs"] == document["verdict"] == "fail"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["missing.py"], "no such file"),
        (["--fail-on", "one-bach", "train.py"], "did you mean one-batch?"),
        (["--fail-on", "foo", "train.py"], "give fail, warn, never, or a check: "),
        (["--steps", "0", "train.py"], "--steps must be greater than 0, got 0"),
        (["--json", "nowhere/list.json", "train.py"], "nowhere/list.json: can't write it"),
        ([], "no command; expected a script"),
        (["empty.py"], "nothing recorded"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(words: list[str], says: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PLAIN)
    (tmp_path / "empty.py").write_text("print('hello')")
    done = preflight(tmp_path, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert done.stderr.startswith("traindx preflight: ")


PROGRAMS = Path(__file__).parents[1] / "programs"


@pytest.mark.parametrize(
    ("script", "needs", "length"),
    [
        ("lightning_fit.py", "lightning", "30 steps, 3 epochs of 10"),
        ("keras_fit.py", "keras", "60 steps, 3 epochs of 20"),
    ],
)
@pytest.mark.slow
def test_programs_of_frameworks(script: str, needs: str, length: str, tmp_path: Path) -> None:
    if find_spec(needs) is None:
        pytest.skip(f"{needs} is not installed")
    for name in (script, "reproducible.py"):
        (tmp_path / name).write_text((PROGRAMS / name).read_text())
    done = preflight(tmp_path, "--quick", "--all", "--steps", "20", "--json", "list.json", script)
    marked = marks(json.loads((tmp_path / "list.json").read_text()))
    assert "fail" not in marked.values(), done.stdout
    assert marked["parameters"] == marked["initial-loss"] == marked["finite"] == "pass"
    assert length in done.stdout
    assert "skipped by --quick" in done.stdout


def test_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(traindx.TraindxError, match="no such file"):
        traindx.preflight("missing.py")
    assert Mark.FAIL.rank > Mark.WARN.rank > Mark.PASS.rank > Mark.UNSEEN.rank
