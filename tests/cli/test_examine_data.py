"""`traindx examine data` as a user types it."""

import csv
import json
import shlex
from pathlib import Path

from tests.cli.calling import traindx
from traindx.cli.examine import data as command


def test_the_examples_of_the_help_run_as_they_stand(tmp_path: Path) -> None:
    lines = [line for line in command.EXAMPLES.splitlines() if line.startswith("  traindx")]
    assert len(lines) == 7
    for line in lines:
        words = shlex.split(line.split("   ")[0])[1:]
        done = traindx(*words, cwd=tmp_path)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), f"{line}\n{done.stderr}"
        assert "checks found something" in done.stdout
    with (tmp_path / "rows.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["check"] for row in rows} == {"finite values", "outliers"}
    document = json.loads((tmp_path / "data.json").read_text())
    assert (document["schema"], document["kind"]) == ("traindx.report/1", "exam")
    assert "unnormalized-inputs" in document["causes"]
    page = (tmp_path / "data.html").read_text()
    assert "data:image/png;base64," in page
    assert "<script" not in page


def test_the_demo_names_what_was_put_into_it(tmp_path: Path) -> None:
    done = traindx("examine", "data", "--demo", "--json", "-", cwd=tmp_path)
    document = json.loads(done.stdout)
    assert document["verdict"] == "fail"
    assert set(document["causes"]) == {
        "train-val-leakage",
        "non-finite-inputs",
        "unnormalized-inputs",
        "input-outliers",
        "class-imbalance",
    }


def test_conditions_set_the_exit_code(tmp_path: Path) -> None:
    traindx("examine", "data", "--demo", cwd=tmp_path)
    table = ".traindx/demo/data/train.csv"
    for condition, code in (
        ("warn", 1),
        ("fail", 0),
        ("class-imbalance", 1),
        ("label-noise", 0),
        ("nonsense", 2),
    ):
        done = traindx("examine", "data", table, "--fail-on", condition, cwd=tmp_path)
        assert done.returncode == code, condition


def test_mistakes_are_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,label\n" + "".join(f"{row}.5,{row % 2}\n" for row in range(0, 200, 3)))
    (tmp_path / "boom.py").write_text("def make():\n    raise RuntimeError('no such disk')\n\nthing = 3\n")
    for words, says in (
        ([], "nothing to examine"),
        (["nope.csv"], "nope.csv: no such file"),
        (["t.csv", "--target", "b"], 'has no column "b"; it has a, label'),
        (["boom:make"], "calling it raises RuntimeError: no such disk"),
        (["boom.py:thing"], "there is no function thing"),
        (["t.csv", "--json", "t.csv"], "t.csv: is what the report would be about"),
        (["t.csv", "--model", "boom:make"], "calling it raises RuntimeError"),
        (["t.csv", "--png", "no/such/folder.png"], "cannot be written"),
        (["t.csv", "--task", "nothing"], "invalid choice"),
        (["t.csv", "--parameters", "-1"], "parameters=-1: is no number of parameters; give 1 or more"),
        (["t.csv", "--fail-on", "foo"], "give fail, warn, or a cause (traindx causes lists them)"),
    ):
        done = traindx("examine", "data", *words, cwd=tmp_path)
        assert done.returncode == 2, words
        assert says in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_a_model_is_counted(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,label\n" + "".join(f"{row % 7}.5,{row % 2}\n" for row in range(200)))
    (tmp_path / "net.py").write_text("import torch\n\ndef build():\n    return torch.nn.Linear(100, 200)\n")
    done = traindx("examine", "data", "t.csv", "--model", "net:build", cwd=tmp_path)
    assert "20,200 parameters learn from 200 training rows" in done.stdout
    done = traindx("examine", "data", "t.csv", "--md", "-", "--parameters", "7", cwd=tmp_path)
    assert "7 parameters learn from 200 training rows" in done.stdout
