"""Small programs as strangers write them, and the patches of them."""

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from pathlib import Path
from textwrap import dedent

import pytest

from traindx.changes.source.patch import Patch, arguments_for, patch_of, refusal_of
from traindx.changes.types import parse_change
from traindx.facts import (
    BACKWARD_PLACE,
    LOADER_PLACE,
    LOSS_PLACE,
    MODEL_PLACE,
    OPTIMIZER_PLACE,
    SCHEDULE_PLACE,
    SCRIPT,
    STEP_PLACE,
    VALIDATION_PLACE,
)
from traindx.run import Fact, Run, Scalar

_MARKS = {
    OPTIMIZER_PLACE: r"(SGD|Adam|AdamW|RMSprop|Rprop|opt_class)\(",
    STEP_PLACE: r"(scaler\.step\(|opt\w*\.step\()|trainer\.(fit|train)\(|model\.fit\(",
    BACKWARD_PLACE: r"\.backward\(",
    LOADER_PLACE: r"DataLoader\(",
    LOSS_PLACE: r"^\s*loss = |cross_entropy\(",
    MODEL_PLACE: r"^class \w+\(.*Module\)",
    SCHEDULE_PLACE: r"= .*(StepLR|CosineAnnealingLR|OneCycleLR)\(",
    VALIDATION_PLACE: r"val_loss",
}
"""How the line of a place looks in the programs below."""


def run_on(path: str, text: str, facts: Mapping[Fact, Scalar] | None = None) -> Run:
    """A run of a program that knows its places, as a recording would."""
    scalars: dict[Fact, Scalar] = {SCRIPT: path}
    for fact, mark in _MARKS.items():
        lines = [number for number, line in enumerate(text.splitlines(), 1) if re.search(mark, line)]
        if lines:
            scalars[fact] = f"{path}:{lines[0]}"
    return Run("a run", (), facts={**scalars, **(facts or {})})


class Bench:
    """A folder with one program in it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(folder)
        self._file = folder / "train.py"

    def patch(self, program: str, *changes: str, facts: Mapping[Fact, Scalar] | None = None) -> Patch:
        run = self._run(program, facts)
        asked = [parse_change(change) for change in changes]
        patch = patch_of(asked, run)
        assert patch is not None, refusal_of(asked, run)
        assert patch.before == dedent(program)
        compile(patch.after, "train.py", "exec")
        assert refusal_of(asked, run) == ""
        return patch

    def changed(self, program: str, *changes: str, facts: Mapping[Fact, Scalar] | None = None) -> str:
        """The lines that go, with a minus, and those that come, with a plus; all others are as they were."""
        return changed_lines(self.patch(program, *changes, facts=facts))

    def refusal(self, program: str, change: str, facts: Mapping[Fact, Scalar] | None = None) -> str:
        run = self._run(program, facts)
        assert patch_of([parse_change(change)], run) is None
        return refusal_of([parse_change(change)], run)

    def arguments(self, program: str, change: str, facts: Mapping[Fact, Scalar]) -> list[str] | None:
        """The arguments with which the program would have the change."""
        words = arguments_for([parse_change(change)], self._run(program, facts))
        return words[1] if words else None

    def _run(self, program: str, facts: Mapping[Fact, Scalar] | None) -> Run:
        text = dedent(program)
        self._file.write_bytes(text.encode())
        return run_on("train.py", text, facts)


def changed_lines(patch: Patch) -> str:
    before, after = patch.before.split("\n"), patch.after.split("\n")
    changed: list[str] = []
    for tag, first, last, new_first, new_last in SequenceMatcher(None, before, after, False).get_opcodes():
        if tag != "equal":
            changed += [f"-{line.strip()}" for line in before[first:last]]
            changed += [f"+{line.strip()}" for line in after[new_first:new_last]]
    return "\n".join(changed)


PLAIN = """\
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    LR = 0.1  # found by hand
    x, y = torch.randn(64, 4), torch.randint(0, 3, (64,))
    loader = DataLoader(TensorDataset(x, y), batch_size=16)

    model = nn.Sequential(
        nn.Linear(4, 8),
        nn.ReLU(),  # bends
        nn.Linear(8, 3),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=LR, momentum=0.9)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(3):
        for xb, yb in loader:
            optimizer.zero_grad()
            loss = criterion(model(xb), yb)

            # the update
            loss.backward()
            optimizer.step()
"""
"""A plain loop."""

TRAINER = """\
    import argparse
    from dataclasses import dataclass

    import torch
    import torch.nn.functional as F
    from torch import nn, optim
    from torch.utils.data import DataLoader


    class Net(nn.Module):
    \tdef __init__(self, width=16, p=0.5):
    \t\tsuper().__init__()
    \t\tself.fc1 = nn.Linear(4, width)
    \t\tself.drop = nn.Dropout(p)
    \t\tself.fc2 = nn.Linear(width, 3)

    \tdef forward(self, x):
    \t\tx = self.drop(F.relu(self.fc1(x)))
    \t\treturn F.softmax(self.fc2(x), dim=1)


    class Trainer:
    \tdef __init__(self, net, data, args):
    \t\tself.net = net
    \t\tself.train_loader = DataLoader(data, batch_size=args.batch_size, shuffle=False)
    \t\tself.opt = optim.Adam(net.parameters(), lr=args.lr, weight_decay=0.1)

    \tdef epoch(self):
    \t\tfor x, y in self.train_loader:
    \t\t\tloss = F.cross_entropy(self.net(x), y)
    \t\t\tloss.backward(); self.opt.step()

    \t@torch.no_grad()
    \tdef validate(self, x, y):
    \t\tval_loss = F.cross_entropy(self.net(x), y)
    \t\treturn val_loss.item()


    if __name__ == "__main__":
    \tparser = argparse.ArgumentParser()
    \tparser.add_argument("--lr", type=float, default=0.02)  # seconds matter
    \tparser.add_argument("--batch-size", default=32, type=int)
    \targs = parser.parse_args()
"""
"""A class that trains, with tabs and options."""

LIT = """\
    import lightning as L
    import torch
    from torch import nn
    from torch.nn import functional as F
    from torch.utils.data import DataLoader


    class Model(L.LightningModule):
        def __init__(self, lr=1e-3, hidden=8):
            super().__init__()
            self.save_hyperparameters()
            self.net = nn.Sequential(nn.Linear(4, hidden), nn.Tanh(), nn.Linear(hidden, 3), nn.Softmax(-1))

        def forward(self, x):
            return self.net(x)

        def training_step(self, batch, _):
            x, y = batch
            return F.cross_entropy(self(x), y)

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


    trainer = L.Trainer(max_epochs=3, accelerator="cpu")
    trainer.fit(Model(lr=0.5), DataLoader(train, batch_size=8), DataLoader(val, batch_size=8))
"""
"""A module of Lightning."""
LIT_PLACES = dict.fromkeys((LOADER_PLACE, STEP_PLACE, BACKWARD_PLACE), f"train.py:{LIT.count(chr(10))}")
"""The trainer is called in the last line."""

HF = """\
    from transformers import Trainer, TrainingArguments

    args = TrainingArguments(
        output_dir="out",
        learning_rate=2e-3,
        max_grad_norm=0.01,
        lr_scheduler_type="linear",
    )
    trainer = Trainer(model=model, args=args, train_dataset=data)
    trainer.train()
"""
"""A trainer of Hugging Face."""
