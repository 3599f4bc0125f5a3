"""`traindx examine data` as a user types it."""

import csv
import json
import re
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
        # The tables have faults, which is exit code 1; labels out of range are not among them.
        code = 0 if "--fail-on" in words else 1
        assert (done.returncode, "Traceback" in done.stderr) == (code, False), f"{line}\n{done.stderr}"
        assert re.search(r"^FAIL +\d problems?, \d warnings?, \d+ checks passed", done.stdout, re.MULTILINE)
    with (tmp_path / "rows.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["check"] for row in rows} == {"non-finite", "sentinel"}
    document = json.loads((tmp_path / "data.json").read_text())
    assert (document["schema"], document["kind"]) == ("traindx.report/1", "exam")
    assert "unnormalized-inputs" in document["causes"]
    page = (tmp_path / "data.html").read_text()
    assert "data:image/png;base64," in page
    # Its own two scripts, which the policy lets run; nothing is loaded.
    assert re.findall(r"<script[^>]*>", page) == ['<script type="text/plain" id="summary">', "<script>"]
    assert "default-src &#x27;none&#x27;" in page


def test_the_demo_names_what_was_put_into_it(tmp_path: Path) -> None:
    done = traindx("examine", "data", "--demo", "--json", "-", cwd=tmp_path)
    assert done.returncode == 1
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
        ("fail", 1),
        ("class-imbalance", 1),
        ("label-noise", 0),
        ("never", 0),
        ("nonsense", 2),
    ):
        done = traindx("examine", "data", table, "--fail-on", condition, cwd=tmp_path)
        assert done.returncode == code, condition
    assert traindx("examine", "data", table, cwd=tmp_path).returncode == 1
    page = traindx("examine", "data", table, "--all", cwd=tmp_path).stdout
    assert "values are NaN or missing in pressure" in page
    assert "values are finite" not in page


def test_mistakes_are_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,label\n" + "".join(f"{row}.5,{row % 2}\n" for row in range(0, 200, 3)))
    (tmp_path / "boom.py").write_text("def make():\n    raise RuntimeError('no such disk')\n\nthing = 3\n")
    for words, says in (
        ([], "nothing to examine"),
        (["nope.csv"], "nope.csv: no such file"),
        (["t.csv", "--target", "b"], 'no column "b"; it has a, label'),
        (["boom:make"], "calling it raises RuntimeError: no such disk"),
        (["boom.py:thing"], 'no function "thing" in boom.py'),
        (["t.csv", "--json", "t.csv"], "t.csv: is an input of this report"),
        (["t.csv", "--model", "boom:make"], "calling it raises RuntimeError"),
        (["t.csv", "--png", "no/such/folder.png"], "no/such/folder.png: can't write it"),
        (["t.csv", "--task", "nothing"], 'unknown --task "nothing"'),
        (["t.csv", "--parameters", "-1"], "parameters must be 1 or more, got -1"),
        (["t.csv", "--fail-on", "foo"], "give fail, warn, never, or a cause (traindx causes lists them)"),
    ):
        done = traindx("examine", "data", *words, cwd=tmp_path)
        assert done.returncode == 2, words
        assert says in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_a_model_is_counted(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,label\n" + "".join(f"{row % 7}.5,{row % 2}\n" for row in range(200)))
    (tmp_path / "net.py").write_text("import torch\n\ndef build():\n    return torch.nn.Linear(100, 200)\n")
    done = traindx("examine", "data", "t.csv", "--model", "net:build", "--all", cwd=tmp_path)
    assert "20,200 parameters for 200 training rows (101 per row)" in done.stdout
    done = traindx("examine", "data", "t.csv", "--md", "-", "--parameters", "7", cwd=tmp_path)
    assert "7 parameters for 200 training rows" in done.stdout
