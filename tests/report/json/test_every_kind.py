"""Every kind of JSON document against the published schema; runs are in formats/test_json_report.py."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from jsonschema import Draft202012Validator
from torch import nn

from tests.report.formats.test_json_report import SCHEMA, closed
from traindx import exams
from traindx.cli import main
from traindx.cli._knowledge import as_json
from traindx.diagnosis import knowledge
from traindx.exams.learning_rate.program import ProgramRate
from traindx.exams.learning_rate.types import Course, FoundRate, RateTrial
from traindx.exams.preflight.types import Checklist, Part
from traindx.exams.questions import Check, Checked, Outcome, unseen
from traindx.finding import Evidence, Finding, Severity
from traindx.quantities import TRAIN_LOSS
from traindx.report.json.results import cases_document


def checklist() -> str:
    evidence = (Evidence(TRAIN_LOSS, (0, 9), 8.2, location="train.py:3"),)
    finding = Finding(0.9, "the loss rises", evidence, Severity.SERIOUS, "lr-too-high", also=("no-warmup",))
    outcomes = {"loss": Outcome("and ends at 8.2", (finding,)), "rate": unseen("left out", evidence)}
    checked = [
        Checked(Check(slug, "It holds", lambda _, result=answer: result, 0, Part.LOSS), answer)
        for slug, answer in outcomes.items()
    ]
    return Checklist("train.py", "python train.py", tuple(checked), 9, 1.0, "folder").to_json()


def rate() -> str:
    trials = (RateTrial(0.1, 0.5, Course((0.1,), (2.3,))), RateTrial(1.0, 9.0, Course((1.0,), (2.3,)), True))
    result = FoundRate(1.0, 0.1, "because", 2.3, Course((0.1,), (2.3,)), trials, (0.1, 0.3))
    return ProgramRate(result, "train.py", "python train.py", "train.py", Path("rates"), 2.0).to_json()


def data() -> str:
    x = np.random.default_rng(0).normal(size=(80, 3)) * 500
    x[3, 1] = np.nan
    return exams.data((x, np.arange(80) % 2)).to_json()


def gradients() -> str:
    return exams.gradients(*_model(), nn.functional.cross_entropy).to_json()


def activations() -> str:
    model, (inputs, _) = _model()
    return exams.activations(model, inputs).to_json()


def model() -> str:
    return exams.model(*_model(), samples=10).to_json()


def _model() -> tuple[nn.Module, tuple[torch.Tensor, torch.Tensor]]:
    torch.manual_seed(0)
    layers = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    return layers, (torch.randn(64, 4), torch.arange(64) % 2)


DOCUMENTS: dict[str, tuple[str, Callable[[], str]]] = {
    "data": ("exam", data),
    "gradients": ("exam", gradients),
    "activations": ("exam", activations),
    "model": ("exam", model),
    "preflight": ("preflight", checklist),
    "lr": ("lr", rate),
    "cases": ("cases", lambda: cases_document([])),
    "knowledge": ("knowledge", lambda: as_json(knowledge.causes(), knowledge.signs())),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_follows_the_schema(name: str) -> None:
    kind, write = DOCUMENTS[name]
    _follows(json.loads(write()), kind)


def test_an_interview_follows_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "interview.json"
    assert main(["ask", "the loss is nan", "--json", str(path)]) == 0
    _follows(json.loads(path.read_text()), "interview")


def _follows(document: dict[str, object], kind: str) -> None:
    assert (document["schema"], document["kind"]) == ("traindx.report/1", kind)
    assert list(Draft202012Validator(SCHEMA).iter_errors(document)) == []
    assert list(Draft202012Validator(closed(SCHEMA)).iter_errors(document)) == []
