"""What is measured of the data for certain leads: it outranks all that hints, whatever the curves say."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch.nn import functional

from tests.trainings import clusters, stack
from traindx.causes.label_noise import CAUSE as LABEL_NOISE
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.readers.loading.runs import load
from traindx.recorder.attach import watch
from traindx.signs.data import validation_inputs_differ
from traindx.signs.generalization import confidently_wrong


def trained(folder: Path, scale: float, shift: float) -> Diagnosis:
    """A training that does well, and is validated on rows scaled and shifted."""
    torch.manual_seed(0)
    data = clusters(rows=600, apart=1.5)
    net = stack(data.inputs.shape[1], 32, 3)
    held = data.held * scale + shift
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    with watch(net, optimizer, out=folder, name="small", budget=100.0):
        for _ in range(12):
            net.train()
            for inputs, targets in zip(data.inputs.split(30), data.targets.split(30), strict=True):
                loss = functional.cross_entropy(net(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            net.eval()
            with torch.no_grad():
                functional.cross_entropy(net(held), data.held_targets)
    (run,) = load(folder)
    return diagnose(run)


def test_validation_inputs_that_are_not_normalized_lead(tmp_path: Path) -> None:
    diagnosis = trained(tmp_path, 6.0, 5.0)
    (differs,) = (result for result in diagnosis.asked if result.sign is validation_inputs_differ)
    assert differs.is_certain
    assert diagnosis.verdict is Verdict.SICK
    assert diagnosis.suspects[0].cause.slug == "train-val-mismatch"
    assert "not preprocessed alike" in diagnosis.says


def test_being_wrong_on_inputs_of_another_kind_is_no_evidence_of_wrong_labels(tmp_path: Path) -> None:
    diagnosis = trained(tmp_path, 6.0, 5.0)
    noise = [suspect for suspect in diagnosis.suspects if suspect.cause is LABEL_NOISE]
    reasons = [reason for suspect in noise for reason in suspect.reasons]
    assert not any(reason.sign is confidently_wrong and reason.seen for reason in reasons)


def test_a_small_difference_is_a_clue_and_no_fact(tmp_path: Path) -> None:
    diagnosis = trained(tmp_path, 1.0, 1.5)
    (differs,) = (result for result in diagnosis.asked if result.sign is validation_inputs_differ)
    assert differs.finding
    assert not differs.is_certain
