"""The training loop all cases share: it trains a recipe and gives the rows it would have logged."""

import math
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor, nn

from curves.data import Data
from curves.recipe import Recipe, Row

_PAGE_MB = 4096 / 1e6


def train(recipe: Recipe) -> list[Row]:
    """Train as the recipe says; the rows of the log in the order they were measured."""
    torch.manual_seed(recipe.seed)
    data = recipe.data()
    trainer = Trainer(recipe, data)
    rows: list[Row] = []
    for epoch in range(recipe.epochs):
        for row in trainer.epoch(epoch):
            rows.append(row)
            if recipe.stop and trainer.step >= recipe.stop:
                return rows
    return rows


class Trainer:
    """A model in training, with what was measured since the last record."""

    def __init__(self, recipe: Recipe, data: Data) -> None:
        self.recipe, self.data = recipe, data
        self.model = recipe.model()
        if recipe.precision == "half":
            self.model.half()
        self.optimizer = _optimizer(recipe, self.model)
        self.scaler = torch.amp.GradScaler(
            "cpu", init_scale=recipe.scale, growth_interval=200, enabled=recipe.precision == "fp16"
        )
        self.size = recipe.batch_size or len(data.x)
        self.total = recipe.epochs * math.ceil(len(data.x) / self.size)
        self.step = 0
        self.skipped = 0
        self.window: list[Row] = []

    def epoch(self, epoch: int) -> Iterator[Row]:
        """Train one epoch and give its rows."""
        recipe = self.recipe
        count = len(self.data.x)
        order = torch.randperm(count) if recipe.shuffle else torch.arange(count)
        begun = time.perf_counter()
        for chosen in order.split(self.size):
            x, y = recipe.batch(self.step, self.data.x[chosen], self.data.y[chosen])
            waited = time.perf_counter() - begun
            self.window.append(self.learn(x, y) | {"data_time": waited})
            self.window[-1]["step_time"] = time.perf_counter() - begun
            if recipe.every and self.step % recipe.every == 0:
                yield self.record(epoch)
            self.step += 1
            if recipe.validate_steps and self.step % recipe.validate_steps == 0:
                yield {"step": self.step, "epoch": epoch} | self.validation()
            if recipe.stop and self.step >= recipe.stop:
                return
            begun = time.perf_counter()
        last = {} if recipe.every else self.record(epoch)
        if recipe.validate and (epoch + 1) % recipe.validate == 0 and not recipe.validate_steps:
            last |= self.validation()
        if last:
            yield {"step": self.step - 1, "epoch": epoch} | last

    def learn(self, x: Tensor, y: Tensor) -> Row:
        """Take one optimizer step and measure it."""
        recipe = self.recipe
        rate = recipe.lr * recipe.schedule(self.step / self.total)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.model.train()
        out, loss = self.forward(x, y)
        self.optimizer.zero_grad()
        norm = self.update(loss) if loss.requires_grad else 0.0
        row = {"train_loss": loss.item(), "lr": rate, "grad_norm": norm}
        if "layer_norms" in recipe.columns:
            row |= layer_norms(self.model)
        if "acc" in recipe.columns:
            row["train_acc"] = accuracy(out.detach(), y)
        if recipe.precision == "fp16":
            row |= {"loss_scale": self.scaler.get_scale(), "skipped_steps": self.skipped}
        if "memory" in recipe.columns:
            row["memory"] = int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_MB
        return row

    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """What the model says of a batch, and the loss of it."""
        if self.recipe.precision == "half":
            x, y = x.half(), y.half() if y.is_floating_point() else y
        kind = torch.float16 if self.recipe.precision == "fp16" else torch.bfloat16
        with torch.autocast("cpu", kind, enabled=self.recipe.precision in ("fp16", "bf16")):
            out = self.model(x)
        loss = self.recipe.loss(out if self.recipe.precision == "half" else out.float(), y)
        return out, loss

    def update(self, loss: Tensor) -> float:
        """Go back through the graph and move the weights; the norm of the gradient before clipping."""
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        weights = [weight for weight in self.model.parameters() if weight.grad is not None]
        norm = torch.nn.utils.get_total_norm([weight.grad for weight in weights])
        if self.recipe.clip:
            nn.utils.clip_grads_with_norm_(weights, self.recipe.clip, norm)
        before = self.scaler.get_scale()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.skipped += self.scaler.get_scale() < before
        return float(norm)

    def record(self, epoch: int) -> Row:
        """The last step, or the mean since the last record, as a row."""
        shown = ("train_loss", "train_acc", "grad_norm/", *self.recipe.columns)
        last, window = self.window[-1], self.window
        self.window = []
        row = {name: value for name, value in last.items() if name.startswith(shown)}
        if self.recipe.mean or not self.recipe.every:
            averaged = {"train_loss", "train_acc", "data_time", "step_time"} & set(row)
            row |= {name: sum(each[name] for each in window) / len(window) for name in averaged}
        if self.recipe.hides_nan:
            row["train_loss"] = mean_without_nan([each["train_loss"] for each in window])
        return {"step": self.step, "epoch": epoch} | row

    def validation(self) -> Row:
        """Loss and accuracy on the validation data."""
        self.model.train(not self.recipe.eval_mode)
        size = self.recipe.eval_batch or len(self.data.x_val)
        with torch.no_grad():
            parts = [
                (*self.forward(x, y), y, len(x))
                for x, y in zip(self.data.x_val.split(size), self.data.y_val.split(size), strict=True)
            ]
        total = sum(count for *_, count in parts)
        row: Row = {"val_loss": sum(loss.item() * count for _, loss, _, count in parts) / total}
        if "acc" in self.recipe.columns:
            row["val_acc"] = sum(accuracy(out, y) * count for out, _, y, count in parts) / total
        return row


def accuracy(out: Tensor, y: Tensor) -> float:
    """Share of right answers: of classes, of a single logit, or of pixels."""
    if out.dim() == y.dim():
        return float(((out > 0) == y).float().mean())
    guess = out[:, 0] > 0 if out.shape[-1] == 1 else out.argmax(-1)
    return float((guess == y).float().mean())


def layer_norms(model: nn.Module) -> Row:
    """The norm of the gradient of every weight matrix."""
    weights = {name: weight.grad for name, weight in model.named_parameters() if "weight" in name}
    return {f"grad_norm/{name}": float(grad.norm()) for name, grad in weights.items() if grad is not None}


def mean_without_nan(values: list[float]) -> float:
    """The mean as the Hugging Face Trainer logs it: a loss that is not finite counts as the mean so far."""
    total = 0.0
    for index, value in enumerate(values):
        total += value if math.isfinite(value) else total / (1 + index)
    return total / len(values)


def _optimizer(recipe: Recipe, model: nn.Module) -> torch.optim.Optimizer:
    weights = list(model.parameters())
    if recipe.optimizer == "sgd":
        return torch.optim.SGD(weights, recipe.lr, recipe.momentum, weight_decay=recipe.weight_decay)
    kind = torch.optim.AdamW if recipe.optimizer == "adamw" else torch.optim.Adam
    return kind(weights, recipe.lr, weight_decay=recipe.weight_decay)
