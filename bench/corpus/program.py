"""The training program: obeys a plan, and knows nothing of faults. It is what traindx run records.

PYTHONPATH=bench python -m corpus.program BATCH.jsonl FOLDER

trains every recipe of the file in a process of its own, forked from one that has torch loaded already.
"""

import csv
import json
import os
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TextIO

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader

from corpus.plan import OPTIMIZERS, Moment, Plan
from corpus.recipe import Recipe, from_row, planned
from corpus.task import Rows
from corpus.tasks import TASKS

_SNAPSHOTS = 8
_RECORDS = 60
"""Records of a log that is written every few steps."""
_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


class Log:
    """The program's own log: one record every few steps, or one per epoch."""

    def __init__(self, path: Path) -> None:
        self._file: TextIO = path.open("w", encoding="utf-8", newline="")
        self._is_csv = path.suffix == ".csv"
        self._names = ["epoch", "step", "train_loss", "val_loss", "val_metric", "lr"]
        self._writer = csv.DictWriter(self._file, self._names, restval="")
        if self._is_csv:
            self._writer.writeheader()

    def __enter__(self) -> "Log":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, row: dict[str, float]) -> None:
        if self._is_csv:
            self._writer.writerow(row)
        else:
            self._file.write(f"{json.dumps(row)}\n")
        self._file.flush()


def train(plan: Plan, log: Log, by_steps: bool, snapshots: list[dict[str, Tensor]]) -> None:
    """Train as the plan says; `snapshots` gathers the state of the model on the way."""
    model = plan.model.to(_DTYPES.get(plan.precision, torch.float32))
    optimizer = OPTIMIZERS[plan.optimizer](plan.parameters(model), lr=plan.rate, **plan.settings)
    total = plan.steps
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: plan.schedule(step, total))
    loader = DataLoader(plan.dataset(plan.train), batch_size=plan.batch, shuffle=plan.shuffle)
    every, keeps, step = max(1, total // _RECORDS), max(1, total // _SNAPSHOTS), 0
    batches = 0
    for epoch in range(1, plan.epochs + 1):
        model.train(not plan.trains_in_eval_mode)
        losses: list[float] = []
        for inputs, targets in loader:
            batches += 1
            with _precision(plan):
                outputs = plan.forward(model, _as(plan, inputs))
                loss = plan.loss(outputs.float() if plan.precision != "float32" else outputs, targets)
            scaled = loss / plan.accumulation if plan.accumulation > 1 and plan.divides else loss
            if plan.loss_scale != 1:
                scaled = scaled * plan.loss_scale
            scaled.backward()
            losses.append(loss.item())
            # Counted through all epochs: what is left over of one belongs to the next step.
            if batches % plan.accumulation:
                continue
            if plan.loss_scale != 1:
                _unscale(model, plan.loss_scale)
            if plan.clip:
                torch.nn.utils.clip_grad_norm_(model.parameters(), plan.clip)
            optimizer.step()
            scheduler.step()
            if plan.clears:
                optimizer.zero_grad()
            step += 1
            plan.each_step(Moment(step, loss, outputs, model))
            if step % keeps == 0:
                snapshots.append(_state(model))
            if by_steps and step % every == 0:
                rate = optimizer.param_groups[0]["lr"]
                log.write({"epoch": epoch, "step": step, "train_loss": losses[-1], "lr": rate})
        row = {"epoch": epoch, "step": step, "lr": optimizer.param_groups[0]["lr"]}
        if not by_steps and losses:
            row["train_loss"] = sum(losses) / len(losses)
        if len(plan.held):
            row["val_loss"], row["val_metric"] = validate(plan, model)
        log.write(row)
    snapshots.append(_state(model))


def validate(plan: Plan, model: nn.Module) -> tuple[float, float]:
    """Mean loss and metric on the held rows."""
    if not plan.validates_in_train_mode:
        model.eval()
    losses, predicted, true = [], [], []
    with torch.no_grad():
        for rows in _parts(plan.held, 128):
            with _precision(plan):
                outputs = plan.forward(model, _as(plan, rows.inputs)).float()
                losses.append(plan.loss(outputs, rows.targets).item() * len(rows))
            predicted.append(outputs)
            true.append(rows.targets)
    metric = plan.metric(torch.cat(predicted), torch.cat(true))
    return sum(losses) / len(plan.held), metric


def _parts(rows: Rows, size: int) -> Iterator[Rows]:
    for inputs, targets in DataLoader(torch.utils.data.TensorDataset(rows.inputs, rows.targets), size):
        yield Rows(inputs, targets)


def _precision(plan: Plan) -> torch.autocast:
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=plan.precision == "autocast")


def _as(plan: Plan, inputs: Tensor) -> Tensor:
    return (
        inputs.to(_DTYPES[plan.precision])
        if inputs.is_floating_point() and plan.precision in _DTYPES
        else inputs
    )


def _unscale(model: nn.Module, scale: float) -> None:
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad.div_(scale)


def _state(model: nn.Module) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in model.state_dict().items()}


def run(recipe: Recipe, folder: Path) -> None:
    """Train one recipe; its log, its snapshots and what it cost are left in the folder."""
    plan = planned(recipe)
    torch.manual_seed(recipe.seed + recipe.luck)
    snapshots: list[dict[str, Tensor]] = []
    form = recipe.log.rpartition(".")[2]
    began, memory = time.perf_counter(), _megabytes()
    (folder / f"{recipe.id}.pid").write_text(str(os.getpid()))
    try:
        with Log(folder / f"{recipe.id}.{form}") as log:
            train(plan, log, recipe.log.startswith("steps"), snapshots)
    finally:
        cost = {
            "seconds": time.perf_counter() - began,
            "megabytes": _megabytes() - memory,
            "notes": plan.notes,
        }
        (folder / f"{recipe.id}.cost.json").write_text(json.dumps(cost))
        torch.save(snapshots, folder / f"{recipe.id}.pt")


def _megabytes() -> float:
    """The memory of this process at its largest."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def prepare(recipes: Sequence[Recipe]) -> None:
    """Load what every training would load for itself: data, and the compiler that optimizers import."""
    torch.set_num_threads(1)
    import_module("torch._dynamo")
    for recipe in recipes:
        TASKS[recipe.task]()


def main(batch: str, folder: str) -> None:
    """Train the recipes of a file, one process after the other."""
    recipes = [from_row(json.loads(line)) for line in Path(batch).read_text(encoding="utf-8").splitlines()]
    prepare(recipes)
    for recipe in recipes:
        child = os.fork()
        if not child:
            # The child goes on to the end of the program, so that it ends as programs do.
            run(recipe, Path(folder))
            return
        os.waitpid(child, 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
