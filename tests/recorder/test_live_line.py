"""What a watched training shows below its cell, in a real Jupyter kernel."""

import json
from pathlib import Path

import nbformat
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


def executed(folder: Path, *cells: str) -> list[nbformat.NotebookNode]:
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(book, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    return list(book.cells)


def test_a_line_is_redrawn_and_the_diagnosis_takes_its_place(tmp_path: Path) -> None:
    _, watched, told, shown = executed(
        tmp_path, SETUP, WATCHED, "print(lines[0])", "traindx.diagnose('.traindx/runs/mine')"
    )
    (last,) = watched.outputs
    assert last.data["text/plain"].startswith("<Diagnosis ")
    assert "mine" in last.data["text/html"]
    line = told.outputs[0].text
    assert line.startswith("traindx · mine · step ")
    assert shown.outputs[0].data["text/html"].startswith("<")


def test_outside_of_a_notebook_nothing_is_shown(tmp_path: Path) -> None:
    from traindx.recorder.live_line import notebook_output

    assert notebook_output() is None


def test_results_of_exams_show_themselves(tmp_path: Path) -> None:
    exam = "traindx.exams.gradients(model, (x, y), nn.functional.cross_entropy)"
    data = "import numpy as np; traindx.exams.data((x.numpy(), y.numpy()))"
    _, gradients, examined, document = executed(tmp_path, SETUP, exam, data, f"print({exam}.to_json())")
    for cell in (gradients, examined):
        assert {"text/plain", "text/html"} <= set(cell.outputs[0].data)
        assert len(cell.outputs[0].data["text/plain"].splitlines()) == 1
    assert json.loads(document.outputs[0].text)["kind"] == "exam"
