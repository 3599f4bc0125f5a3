"""Edits of losses that are written by hand, in functions, classes and the steps of frameworks."""

from textwrap import dedent

import pytest

from tests.changes.source.sources import Bench
from traindx.facts import BACKWARD_PLACE, LOSS_PLACE, LOSS_SHAPES
from traindx.run import Fact, Scalar

MODULE = """\
    import torch
    import torch.nn as nn


    class Focal(nn.Module):
        def __init__(self, gamma):
            super().__init__()
            self.gamma = gamma

        def forward(self, logits, target):
            p = torch.sigmoid(logits)
            return -(target * (1 - p) ** self.gamma * torch.log(p) + torch.log(1 - p)).mean()


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 1)

        def forward(self, x, mask):
            return self.fc(torch.log(x))


    class Work:
        def __init__(self):
            self.model = Net()
            self.criterion = Focal(2.0).to("cpu")

        def fit(self, loader):
            for x, m, y in loader:
                loss = self.criterion(self.model(x, m), y)
                loss.backward()
"""
"""A loss that is a module, kept by a class."""

STATIC = """\
    import torch
    import torch.nn.functional as F
    from torch import nn

    class Losses:
        @staticmethod
        def focal(scores, labels):
            probs = F.softmax(scores, dim=1)
            return -probs.log().gather(1, labels).mean()

    net = nn.Sequential(nn.Linear(2, 2))
    for x, y in loader:
        scores = net(x.log())
        Losses.focal(scores, y).backward()
"""
"""A static method."""

LIGHTNING = """\
    import lightning as L
    import torch
    from torch import nn

    def weighted(prob, target):
        scale = target.norm()
        return -(target * prob.log() + torch.log(prob + 1e-8)).mean() / scale

    class Tagger(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.body = nn.Linear(4, 1)
            self.objective = weighted

        def forward(self, x):
            return torch.sigmoid(self.body(x.exp()))

        def shared(self, batch):
            x, y = batch
            return self.objective(self(x), y)

        def training_step(self, batch, _):
            loss = self.shared(batch)
            self.log("loss", loss)
            return loss

    trainer.fit(Tagger(), data)
"""
"""A helper of a training step."""

SAME_FUNCTION = """\
    import torch
    import torch.nn.functional as F
    for x, y in loader:
        out = net(x)
        p = out.sigmoid()
        out = out * 2
        q = torch.sigmoid(out)
        safe = q.clamp(1e-6, 1)
        loss = -(p.log() + F.softmax(net(x), dim=1).log() + torch.log(q) + safe.log()).sum()
        loss.backward()
"""
"""Logits that are overwritten may not be spelled again; what is clamped stays."""

STABLE = {
    "module": (
        MODULE,
        "+return -(target * (1 - p) ** self.gamma * nn.functional.logsigmoid(logits)"
        " + nn.functional.logsigmoid(-logits)).mean()",
    ),
    "static method": (STATIC, "+return -scores.log_softmax(dim=1).gather(1, labels).mean()"),
    "helper of a step": (
        LIGHTNING,
        "+return -(target * prob.clamp_min(1e-7).log() + torch.log(prob + 1e-8)).mean()"
        " / scale.clamp_min(1e-7)",
    ),
    "one function": (
        SAME_FUNCTION,
        "+loss = -(p.clamp_min(1e-7).log() + net(x).log_softmax(dim=1)"
        " + F.logsigmoid(out) + safe.log()).sum()",
    ),
}


@pytest.mark.parametrize("style", STABLE)
def test_a_log_in_the_functions_of_the_loss_stays_finite(bench: Bench, style: str) -> None:
    program, after = STABLE[style]
    unplaced: dict[Fact, Scalar] = {LOSS_PLACE: "", BACKWARD_PLACE: _line(program, "backward()")}
    assert bench.changed(program, "loss.stabilize", facts=unplaced).splitlines()[1:] == [after]


def _line(program: str, mark: str) -> str:
    lines = [number for number, line in enumerate(dedent(program).splitlines(), 1) if mark in line]
    return f"train.py:{lines[0]}" if lines else ""


def test_functions_of_other_libraries_are_left_alone(bench: Bench) -> None:
    program = "from keras import ops\ndef my_loss(y, p):\n    return -ops.log(p) * y\n"
    assert bench.refusal(program, "loss.stabilize") == (
        "no unclamped log, sqrt or exp found in the loss code of train.py"
    )


LOOP = """\
    import torch
    from torch import nn

    net = nn.Sequential(nn.Linear(4, 1))
    for rows, price in loader:
        guess = net(rows)
        error = price - guess
        cost = torch.where(error > 0, 2 * error, -error).mean()
        cost.backward()
"""
STEPS = """\
    import lightning as L
    from torch import nn

    def pinball(pred, target, tau):
        diff = target - pred
        return (tau * diff).abs().mean()

    class Quantile(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = nn.Linear(4, 1)

        def training_step(self, batch, _):
            x, y = batch
            loss = pinball(self.net(x), y, 0.5)
            self.log("loss", loss)
            return loss

        def validation_step(self, batch, _):
            x, y = batch
            pred = self.net(x)
            self.log("val_loss", pinball(pred, y, 0.5))
            self.log("mae", (pred.flatten() - y).abs().mean())

    trainer.fit(Quantile(), data)
"""
MATCHED = {
    (LOOP, "(64, 1) against (64,)"): "-error = price - guess\n+error = price - guess.squeeze(-1)",
    (LOOP, "(64,) against (64, 1)"): "-error = price - guess\n+error = price - guess.unsqueeze(-1)",
    (STEPS, "(2, 1) against (2,)"): (
        "-loss = pinball(self.net(x), y, 0.5)\n+loss = pinball(self.net(x).squeeze(-1), y, 0.5)\n"
        '-self.log("val_loss", pinball(pred, y, 0.5))\n'
        '+self.log("val_loss", pinball(pred.squeeze(-1), y, 0.5))'
    ),
}


@pytest.mark.parametrize(("program", "shapes"), MATCHED)
def test_a_prediction_gets_the_shape_of_its_target(bench: Bench, program: str, shapes: str) -> None:
    facts = {LOSS_PLACE: "", BACKWARD_PLACE: _line(program, "backward()"), LOSS_SHAPES: shapes}
    assert bench.changed(program, "targets.match_shape", facts=facts) == MATCHED[program, shapes]


def test_shapes_of_a_loss_by_hand_are_left_alone_if_unclear(bench: Bench) -> None:
    facts = {LOSS_PLACE: "", BACKWARD_PLACE: "train.py:9", LOSS_SHAPES: "(64, 3) against (64,)"}
    assert "is not a direct call of a torch loss" in bench.refusal(LOOP, "targets.match_shape", facts)
    facts[LOSS_SHAPES] = "(64, 1) against (64,)"
    other = LOOP.replace("-error)", "net(price) - rows)")
    assert bench.refusal(other, "targets.match_shape", facts) == (
        "predictions and targets meet in several places (train.py:8 and train.py:7)"
    )
    elsewhere = LOOP.replace("price - guess", "measure(price)")
    assert bench.refusal(elsewhere, "targets.match_shape", facts) == (
        "no prediction that meets its target found in the loss code of train.py"
    )
