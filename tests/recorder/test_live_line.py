"""What a watched training shows below its cell, in a real Jupyter kernel."""

import json

import nbformat
import pytest
from nbclient import NotebookClient

SETUP = """\
import time, torch, traindx
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(64, 4)
y = (x[:, 0] > 0).long()
def train(steps):
    for _ in range(steps):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
"""
WATCHED = """\
from traindx.recorder import live_line
lines, say = [], live_line.LiveLine._say
def heard(self, line):
    lines.append(line)
    say(self, line)
live_line.LiveLine._say = heard
with traindx.watch(model, optimizer, name="mine"):
    train(60)
    for _ in range(300):  # until the thread has looked once
        if lines:
            break
        time.sleep(0.1)
        train(10)
"""


EXAM = "traindx.exams.gradients(model, (x, y), nn.functional.cross_entropy)"
CELLS = {
    "setup": SETUP,
    "watched": WATCHED,
    "line": "print(lines[0])",
    "diagnosis": "traindx.diagnose('.traindx/runs/mine')",
    "gradients": EXAM,
    "data": "import numpy as np; traindx.exams.data((x.numpy(), y.numpy()))",
    "document": f"print({EXAM}.to_json())",
}

Outputs = list[nbformat.NotebookNode]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outputs]:
    """What each cell shows, in one kernel that runs them all."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS.values()])
    folder = tmp_path_factory.mktemp("notebook")
    NotebookClient(book, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    return {name: cell.outputs for name, cell in zip(CELLS, book.cells, strict=True)}


def test_a_line_is_redrawn_and_the_diagnosis_takes_its_place(outputs: dict[str, Outputs]) -> None:
    (last,) = outputs["watched"]
    assert last.data["text/plain"].startswith("<Diagnosis ")
    assert "mine" in last.data["text/html"]
    assert outputs["line"][0].text.startswith("traindx · mine · step ")
    assert outputs["diagnosis"][0].data["text/html"].startswith("<")


def test_outside_of_a_notebook_nothing_is_shown() -> None:
    from traindx.recorder.live_line import notebook_output

    assert notebook_output() is None


@pytest.mark.parametrize("exam", ["gradients", "data"])
def test_results_of_exams_show_themselves(exam: str, outputs: dict[str, Outputs]) -> None:
    (shown,) = outputs[exam]
    assert {"text/plain", "text/html"} <= set(shown.data)
    assert len(shown.data["text/plain"].splitlines()) == 1


def test_the_document_of_an_exam_can_be_printed(outputs: dict[str, Outputs]) -> None:
    assert json.loads(outputs["document"][0].text)["kind"] == "exam"
