"""Edits of plain loops: what is gathered, skipped, drawn, scheduled, and when it ends."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.changes.source.sources import PLAIN, TRAINER, Bench
from traindx.facts import OUTPUTS, PLANNED_STEPS, SCHEDULE, STEPS_PER_EPOCH
from traindx.run import Fact, Scalar

STEPS: dict[Fact, Scalar] = {PLANNED_STEPS: 500, STEPS_PER_EPOCH: 4}
SCHEDULED = PLAIN.replace(
    "    criterion =", "    plan = torch.optim.lr_scheduler.StepLR(optimizer, 3)\n    criterion ="
).replace("            optimizer.step()\n", "            optimizer.step()\n        plan.step()\n")
"""A schedule that steps once in an epoch."""

CHANGED = {
    ("gradients.accumulate 4", PLAIN): (
        "-for xb, yb in loader:\n-optimizer.zero_grad()\n"
        "+optimizer.zero_grad()\n+for batch_index, (xb, yb) in enumerate(loader):\n"
        "-loss.backward()\n-optimizer.step()\n"
        "+(loss / 4).backward()\n+if (batch_index + 1) % 4 == 0:\n+optimizer.step()\n+optimizer.zero_grad()"
    ),
    ("gradients.skip_nonfinite", PLAIN): (
        "-optimizer.step()\n"
        "+if all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None):\n"
        "+optimizer.step()"
    ),
    ("init.reset he", PLAIN): (
        "+layers = [module for module in model.modules() if isinstance(module, nn.Linear)]\n"
        '+for layer in layers:\n+nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")\n'
        "+if layer.bias is not None:\n+nn.init.zeros_(layer.bias)\n"
        "+nn.init.xavier_uniform_(layers[-1].weight)"
    ),
    ("init.reset default", PLAIN): (
        "+for layer in model.modules():\n+if isinstance(layer, nn.Linear):\n+layer.reset_parameters()"
    ),
    ("layers.normalize", PLAIN): "-nn.Linear(4, 8),\n+nn.Linear(4, 8), nn.LayerNorm(8),",
    ("layers.normalize", TRAINER): (
        "+self.fc1_norm = nn.LayerNorm(width)\n"
        "-x = self.drop(F.relu(self.fc1(x)))\n+x = self.drop(F.relu(self.fc1_norm(self.fc1(x))))"
    ),
    ("loss.robust 0.7", PLAIN): (
        "-loss = criterion(model(xb), yb)\n"
        "+loss = ((1 - torch.softmax(model(xb), 1).gather(1, yb.unsqueeze(1)).clamp_min(1e-7) ** 0.7)"
        " / 0.7).mean()"
    ),
    ("schedule.reduce_on_plateau 10", PLAIN): (
        "+scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau"
        "(optimizer, factor=0.1, patience=1, threshold=0.01)\n"
        "+recent_losses = []\n"
        "+recent_losses.append(loss.item())\n+if len(recent_losses) == 20:\n"
        "+scheduler.step(sum(recent_losses) / len(recent_losses))\n+recent_losses.clear()"
    ),
    ("schedule.cosine", SCHEDULED): (
        "-plan = torch.optim.lr_scheduler.StepLR(optimizer, 3)\n"
        "+scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=500)\n"
        "-plan.step()\n+scheduler.step()"
    ),
    ("stop.at 9", PLAIN): "-for epoch in range(3):\n+for epoch in range(2):",
    ("stop.at 9", PLAIN.replace("range(3)", "range(1, EPOCHS + 1)")): (
        "-for epoch in range(1, EPOCHS + 1):\n+for epoch in range(1, 3):"
    ),
    ("activation.insert relu", PLAIN.replace("        nn.ReLU(),  # bends\n", "")): ("+nn.ReLU(),"),
    ("activation.insert relu", TRAINER.replace("self.drop(F.relu(self.fc1(x)))", "self.fc1(x)")): (
        "-x = self.fc1(x)\n+x = torch.relu(self.fc1(x))"
    ),
    (
        "activation.insert tanh",
        TRAINER.replace("self.drop(F.relu(self.fc1(x)))", "x").replace(
            "self.fc2(x)", "self.fc2(self.fc1(x))"
        ),
    ): (
        "-return F.softmax(self.fc2(self.fc1(x)), dim=1)\n"
        "+return F.softmax(self.fc2(torch.tanh(self.fc1(x))), dim=1)"
    ),
    ("output.sigmoid", TRAINER): (
        "-return F.softmax(self.fc2(x), dim=1)\n+return torch.sigmoid(self.fc2(x))"
    ),
    ("output.sigmoid", PLAIN.replace("(8, 3),", "(8, 1), nn.Softmax(1),")): (
        "-nn.Linear(8, 1), nn.Softmax(1),\n+nn.Linear(8, 1), nn.Sigmoid(),"
    ),
    (
        "loss.stabilize",
        "def nll(p, t):\n    # careful\n    return -(t * torch.log(p) + (1 - t) * (1 - p).log()).mean()\n"
        "loss = nll(net(x), y)\nloss.backward()\n",
    ): (
        "-return -(t * torch.log(p) + (1 - t) * (1 - p).log()).mean()\n"
        "+return -(t * torch.log(p.clamp_min(1e-7)) + (1 - t) * (1 - p).clamp_min(1e-7).log()).mean()"
    ),
    (
        "loss.stabilize",
        "def distance(p, t):\n    return (t * torch.log(p)).mean()\n"
        "loss = distance(net(x), y)\n(loss / 2).backward()\nprint(q.log())\n",
    ): ("-return (t * torch.log(p)).mean()\n+return (t * torch.log(p.clamp_min(1e-7))).mean()"),
    ("loss.stabilize", "loss = (torch.exp(s) * (a - b) ** 2).mean().sqrt()\nloss.backward()\n"): (
        "-loss = (torch.exp(s) * (a - b) ** 2).mean().sqrt()\n"
        "+loss = (torch.exp(s) * (a - b) ** 2).mean().clamp_min(1e-7).sqrt()"
    ),
    ("precision.use float32", "import torch\nDTYPE = torch.float16\nnet = Net().to(DTYPE)\n"): (
        "-DTYPE = torch.float16\n+DTYPE = torch.float32"
    ),
    (
        "precision.use float32",
        'import torch\nscaler = torch.amp.GradScaler("cuda")\n'
        'with torch.autocast("cuda", dtype=torch.float16):\n    pass\n',
    ): (
        '-scaler = torch.amp.GradScaler("cuda")\n-with torch.autocast("cuda", dtype=torch.float16):\n'
        '+scaler = torch.amp.GradScaler("cuda", enabled=False)\n'
        '+with torch.autocast("cuda", dtype=torch.float16, enabled=False):'
    ),
    ("precision.use bfloat16", "import torch\nnet = Net().half()\n"): (
        "-net = Net().half()\n+net = Net().bfloat16()"
    ),
}


@pytest.mark.parametrize(("change", "program"), CHANGED)
def test_a_plain_program_is_written_otherwise(bench: Bench, change: str, program: str) -> None:
    facts: dict[Fact, Scalar] = {**STEPS, **({OUTPUTS: 1} if change == "output.sigmoid" else {})}
    assert bench.changed(program, change, facts=facts) == CHANGED[change, program]


REFUSED = {
    ("gradients.accumulate 4", TRAINER): "the loop at train.py:29 clears gradients 0 times",
    ("gradients.skip_nonfinite", TRAINER): "several statements on one line at train.py:31",
    ("init.reset he", PLAIN.replace("nn.Linear(4, 8)", "nn.LSTM(4, 8)")): (
        "train.py has LSTM, which needs another initialization"
    ),
    ("init.reset he", PLAIN.replace("model.parameters()", "both")): (
        "the optimizer does not get X.parameters() at train.py:14"
    ),
    ("schedule.cosine", SCHEDULED.replace("plan.step()", "plan.step(); print(plan.get_last_lr())")): (
        "plan is used for more than step(), train.py:15"
    ),
    ("stop.at 9", PLAIN.replace("for epoch in range(3)", "while True")): (
        "no loop over range(epochs) found in train.py"
    ),
    ("activation.insert relu", PLAIN): "no stacked layers without an activation found in train.py",
    ("output.sigmoid", PLAIN.replace("(8, 3),", "(8, 3), nn.Softmax(1),")): (
        "the width of the softmax is unclear at train.py:9"
    ),
    ("loss.robust 0.7", PLAIN.replace("CrossEntropyLoss()", "CrossEntropyLoss(weight=w)")): (
        "nn.CrossEntropyLoss(weight=w) at train.py:15 is not a plain cross-entropy over classes"
    ),
    ("layers.normalize", PLAIN.replace("        nn.ReLU(),  # bends\n", "")): (
        "no layer followed by its hidden activation found in train.py"
    ),
    ("loss.stabilize", PLAIN): ("no unclamped log, sqrt or exp found in the loss code of train.py"),
    ("precision.use float32", PLAIN): "no half-precision setting found in train.py",
}


@pytest.mark.parametrize(("change", "program"), REFUSED)
def test_a_loop_that_is_not_clear_is_refused(bench: Bench, change: str, program: str) -> None:
    assert bench.refusal(program, change, STEPS) == REFUSED[change, program]


def test_a_schedule_that_is_not_in_the_source_is_not_replaced(bench: Bench) -> None:
    facts = {**STEPS, SCHEDULE: "StepLR"}
    assert (
        bench.refusal(PLAIN, "schedule.cosine", facts)
        == "the run already has StepLR; two schedules would multiply"
    )


def test_patched_loops_run(bench: Bench, tmp_path: Path) -> None:
    """All that can be written into the plain program at once, and the program goes through."""
    pytest.importorskip("torch")
    patch = bench.patch(
        PLAIN,
        "gradients.skip_nonfinite",
        "init.reset he",
        "inputs.standardize",
        "inputs.clip 8",
        "inputs.replace_nonfinite",
        "schedule.reduce_on_plateau 10",
        "regularize.dropout 0.1",
        "loss.class_weights balanced",
        facts=STEPS,
    )
    (tmp_path / "patched.py").write_text(patch.after)
    words = [sys.executable, "patched.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
