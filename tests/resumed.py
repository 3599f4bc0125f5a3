"""A training that is interrupted and resumed from its checkpoint, as the log that both processes write.

It saves at step 400, is killed at step 430, and a second process goes on from step 400 to step 600.
"""

import json
import math
from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from traindx.readers.loading.runs import load
from traindx.run import Run

SAVED, KILLED, LAST = 400, 430, 600
_WARMUP, _PEAK, _BATCH = 20, 0.03, 64


@cache
def resumed(*, keeps_model: bool = True, keeps_optimizer: bool = True, keeps_schedule: bool = True) -> Run:
    """The run that is read from the log; without its state, the second process builds its own anew."""
    with TemporaryDirectory() as folder:
        log = Path(folder) / "train.jsonl"
        with log.open("w", encoding="utf-8") as file:
            _train(file, {"model": keeps_model, "optimizer": keeps_optimizer, "scheduler": keeps_schedule})
        (run,) = load(log)
    return run


def _train(log: IO[str], keeps: Mapping[str, bool]) -> None:
    import torch

    torch.manual_seed(0)
    inputs = torch.randn(2000, 20)
    targets = (inputs @ torch.randn(20, 30)).relu() @ torch.randn(30, 5)
    labels = targets.argmax(dim=1)
    model = torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.ReLU(), torch.nn.Linear(64, 5))

    def process(first: int, last: int, state: dict[str, object]) -> dict[str, object]:
        optimizer = torch.optim.Adam(model.parameters(), lr=_PEAK)
        scheduler = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda at: min((at + 1) / _WARMUP, 0.5 + 0.5 * math.cos(math.pi * at / LAST))
        )
        for part, name in ((model, "model"), (optimizer, "optimizer"), (scheduler, "scheduler")):
            if name in state:
                part.load_state_dict(state[name])
        saved: dict[str, object] = {}
        for step in range(first, last):
            rows = torch.randint(len(inputs), (_BATCH,))
            loss = torch.nn.functional.cross_entropy(model(inputs[rows]), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            rate = optimizer.param_groups[0]["lr"]
            optimizer.step()
            scheduler.step()
            log.write(json.dumps({"step": step, "loss": loss.item(), "lr": rate}) + "\n")
            if step + 1 == SAVED:
                parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler}
                saved = {name: deepcopy(part.state_dict()) for name, part in parts.items()}
        return saved

    saved = process(0, KILLED, {})
    if not keeps["model"]:
        model[0].reset_parameters()
    process(SAVED, LAST, {name: state for name, state in saved.items() if keeps[name]})
