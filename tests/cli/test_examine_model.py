"""`traindx examine gradients`, `activations` and `model`, as a user calls them."""

import json
import re
import shlex
import sys
from importlib import import_module
from pathlib import Path

import pytest
import torch
from torch import nn

from tests.cli.calling import traindx
from traindx import exams
from traindx.cli import main
from traindx.cli.examine import activations, gradients, model
from traindx.errors import TraindxError

NETS = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(6, 24), nn.Linear(24, 3)

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))

def sigmoids():
    torch.manual_seed(0)
    stack = [part for _ in range(9) for part in (nn.Linear(6, 6), nn.Sigmoid())]
    return nn.Sequential(*stack, nn.Linear(6, 3))
"""
TRAIN = """
import torch
from nets_of_examine import sigmoids
print("training begins")
model = sigmoids()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(1000):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(torch.randn(32, 6)), torch.randint(0, 3, (32,)))
    loss.backward()
    optimizer.step()
print("training ends")
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("nets_of_examine", None)
    (tmp_path / "nets_of_examine.py").write_text(NETS)
    (tmp_path / "train.py").write_text(TRAIN)
    torch.manual_seed(0)
    inputs = torch.randn(320, 6)
    torch.save((inputs, inputs[:, :3].argmax(1)), tmp_path / "sample.pt")
    weights = nn.ModuleDict({"first": nn.Linear(6, 24), "last": nn.Linear(24, 3)}).state_dict()
    torch.save(weights, tmp_path / "model.pt")
    return tmp_path


SOUND = ["--checkpoint", "model.pt", "--model", "nets_of_examine:Net", "--data", "sample.pt"]
ILL = ["--model", "nets_of_examine:sigmoids", "--data", "sample.pt"]


def test_gradients_are_shown_by_parameter(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examine", "gradients", *SOUND, "--all"]) == 0
    shown = capsys.readouterr().out
    assert "\nPASS     1 check passed\n  Gradients reach 4 of 4 parameters; norm " in shown
    assert re.search(r"first\.weight +0\.\d+ ", shown)
    assert "loss function guessed" in shown
    assert "the first 256 of 320 samples" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_what_is_wrong_comes_first_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examine", "gradients", *ILL, "--loss", "cross_entropy"]) == 1
    shown = capsys.readouterr().out
    assert shown.splitlines()[2] == "FAIL     1 problem, 1 check passed"
    assert shown.splitlines()[3].startswith("  FAIL  vanishing-gradients  ")
    assert "\nFIX      Use LeakyReLU with He initialization in hidden layers\n" in shown
    assert "traindx explain vanishing-gradients" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("wish", "subject", "code"),
    [
        ("fail", ILL, 1),
        ("warn", ILL, 1),
        ("vanishing-gradients", ILL, 1),
        ("dead-relu", ILL, 0),
        ("never", ILL, 0),
        ("fail", SOUND, 0),
        ("warn", SOUND, 0),
    ],
)
def test_fail_on_decides_the_exit_code(wish: str, subject: list[str], code: int) -> None:
    assert main(["examine", "gradients", *subject, "--fail-on", wish]) == code


def test_exams_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    for exam, key in (("gradients", "parameters"), ("activations", "layers"), ("model", "layers")):
        assert main(["examine", exam, *ILL, "--json", "-"]) == (exam != "activations")
        document = json.loads(capsys.readouterr().out)
        assert (document["schema"], document["kind"]) == ("traindx.report/1", "exam")
        assert document["exam"] == exam
        assert document["verdict"] in ("pass", "warn", "fail")
        assert document[key][0]["name"] in ("0", "0.weight")
    assert document["problems"][0]["cause"] == "vanishing-gradients"
    assert document["problems"][0]["todo"]


def test_activations_and_design_are_shown_by_layer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examine", "activations", *SOUND]) == 0
    shown = capsys.readouterr().out
    assert "320 inputs in 8 batches" in shown
    assert re.search(r"first +relu ", shown)
    assert main(["examine", "model", *SOUND, "--samples", "100", "--all"]) == 0
    shown = capsys.readouterr().out
    assert "2.43 trainable parameters per sample (100 samples)" in shown
    assert re.search(r"first +Linear +64x24 +168 ", shown)
    assert "activations" in shown


def test_pages_hold_the_verdict_the_picture_and_every_row(folder: Path) -> None:
    for exam in ("gradients", "activations", "model"):
        assert main(["examine", exam, *ILL, "--html", "page.html", "--md", "page.md"]) == (
            exam != "activations"
        )
        page, text = (folder / "page.html").read_text(), (folder / "page.md").read_text()
        # What vanishes on its way back leaves the outputs as they are.
        assert ("<h2>vanishing-gradients: serious</h2>" in page) == (exam != "activations")
        assert ("| FAIL | vanishing-gradients |" in text) == (exam != "activations")
        assert ("data:image/png;base64," in page) == (exam != "model")
        last = "16.weight" if exam == "gradients" else "16"
        assert f">{last}</td>" in page
        # Its own two scripts, which the policy lets run; nothing is loaded.
        assert re.findall(r"<script[^>]*>", page) == ['<script type="text/plain" id="summary">', "<script>"]
        assert "default-src &#x27;none&#x27;" in page


def test_two_outputs_cannot_share_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examine", "gradients", *ILL, "--json", "-", "--md", "-"]) == 2
    assert "standard output" in capsys.readouterr().err


def test_pictures_are_written_where_they_are_wanted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examine", "gradients", *ILL, "--png", "flow.png"]) == 1
    assert main(["examine", "activations", *ILL, "--png", "."]) == 0
    for name in ("flow.png", "layer_outputs.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
    assert "\npicture    flow.png\n" in capsys.readouterr().out


def test_a_model_may_be_a_file_as_well(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch.save(nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3)), folder / "whole.pt")
    assert main(["examine", "activations", "--model", "whole.pt", "--data", "sample.pt", "--trust"]) == 0
    assert main(["examine", "activations", "--model", "whole.pt", "--data", "sample.pt"]) == 2
    assert "pass --trust if you trust" in capsys.readouterr().err


@pytest.mark.parametrize("exam", ["gradients", "activations", "model"])
def test_a_sample_without_rows_is_refused(
    folder: Path, exam: str, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.save((torch.zeros(0, 6), torch.zeros(0, dtype=torch.long)), folder / "none.pt")
    assert main(["examine", exam, *SOUND[:-1], "none.pt"]) == 2
    assert capsys.readouterr().err == "traindx examine: none.pt: has no rows; pass data to examine\n"
    net = nn.Linear(6, 3)
    with pytest.raises(TraindxError, match="the batch: has no rows"):
        exams.model(net, torch.zeros(0, 6))


def test_a_sparse_sample_is_looked_at_as_a_dense_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs, _ = torch.load(folder / "sample.pt")
    torch.save(inputs.to_sparse(), folder / "sparse.pt")
    torch.save(inputs, folder / "dense.pt")
    shown = []
    for name in ("sparse", "dense"):
        assert main(["examine", "activations", *SOUND[:-1], f"{name}.pt"]) == 0
        shown.append(capsys.readouterr().out.replace(name, "NAME"))
    assert shown[0] == shown[1]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["gradients"], "nothing to pass through the model; give --data FILE"),
        (["gradients", "--data", "sample.pt"], "no model was given"),
        (["gradients", "--model", "nets_of_examine:Net", "--data", "none.pt"], "none.pt: no such file"),
        (
            ["gradients", "--model", "nets_of_examine:Net", "--data", "nets_of_examine:none"],
            'no "none" in nets_of_examine',
        ),
        (["activations", "--checkpoint", "model.pt", "--data", "sample.pt"], "name the model too"),
        (["model"], "no model was given"),
        (["model", "none.py:Net"], "no such file: none.py"),
        (["model", "nets_of_examine:Net", "--model", "nets_of_examine:Net"], "examine one of them"),
        (["gradients", *SOUND, "--", "python", "train.py"], "--checkpoint and a program were given"),
        (["gradients", "--", "no-such-command"], "no such command"),
        (["gradients", *SOUND, "--loss", "mse"], "the loss function fails"),
        (["gradients", *SOUND, "--json", "missing/x.json"], "missing/x.json: can't write it"),
        (
            ["gradients", *SOUND, "--json", "sample.pt"],
            "sample.pt: is an input of this report; choose another path",
        ),
        (["gradients", *SOUND, "--fail-on", "dead-rel"], "did you mean dead-relu"),
        (["gradients", *SOUND, "--fail-on", "foo"], "give fail, warn, non-finite, never, or a cause"),
    ],
)
def test_mistakes_are_answered_in_one_line(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["examine", *words]) == 2
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1


def test_a_script_that_reads_its_arguments_does_not_find_ours(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reads = "import argparse\nparser = argparse.ArgumentParser()\n{}\nparser.parse_args()\n" + NETS
    (folder / "free.py").write_text(reads.format("parser.add_argument('--lr', type=float)"))
    (folder / "bound.py").write_text(reads.format("parser.add_argument('data')"))
    assert main(["examine", "model", "free.py:Net"]) == 0
    capsys.readouterr()
    assert main(["examine", "model", "bound.py:Net"]) == 2
    assert "importing bound.py fails (SystemExit: 2)" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--rows", "0"], ["--nothing"], ["--max-steps", "few"]])
def test_wrong_usage_is_answered_in_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["examine", "gradients", *words])
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_first_steps_of_a_program_are_examined(folder: Path) -> None:
    done = traindx(
        "examine",
        "gradients",
        "--all",
        "--max-steps",
        "5",
        "--command",
        sys.executable,
        "train.py",
        cwd=folder,
    )
    assert done.returncode == 1, done.stderr
    assert "training begins" in done.stdout
    assert "training ends" not in done.stdout
    assert "\n  FAIL  vanishing-gradients  " in done.stdout
    assert "18.weight" in done.stdout
    assert not (folder / ".traindx").exists()


def test_the_report_on_a_program_as_data_is_alone_on_standard_output(folder: Path) -> None:
    done = traindx("examine", "activations", "--json", "-", "train.py", cwd=folder)
    document = json.loads(done.stdout)
    assert "training begins" in done.stderr
    assert [layer["name"] for layer in document["layers"]] == [str(number) for number in range(19)]


def test_a_program_that_does_not_train_is_named(folder: Path) -> None:
    (folder / "idle.py").write_text("print('nothing')\n")
    done = traindx("examine", "gradients", "idle.py", cwd=folder)
    assert done.returncode == 2
    assert "idle.py" in done.stderr.splitlines()[-1]


@pytest.mark.slow
def test_every_example_runs_as_it_stands(folder: Path) -> None:
    lines = [line for exam in (gradients, activations, model) for line in exam.EXAMPLES.splitlines()]
    commands = [re.split(r" {2,}", line.strip())[0] for line in lines if line.startswith("  ")]
    assert len(commands) == 16
    for command in dict.fromkeys(commands):
        words = shlex.split(command)
        if words[0] == "python":
            import_module("traindx.demo.nets").main()
            continue
        words = [sys.executable if word == "python" else word for word in words]
        if "--" in words:
            done = traindx(*words[1:], cwd=folder)
            # A program whose exam fails is told so by the exit code.
            verdict = re.search(r"^(FAIL|WARN|PASS) ", done.stdout, re.MULTILINE)
            assert verdict, done.stderr
            assert done.returncode == (verdict[1] == "FAIL"), done.stderr
        else:
            assert main(words[1:]) in (0, 1)
