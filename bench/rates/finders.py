"""Finders of learning rates, each as its makers tell people to use it."""

import io
import logging
import tempfile
import warnings
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from itertools import cycle, islice

import numpy as np
from torch import Tensor
from torch.optim import Optimizer
from torch.utils.data import DataLoader

from rates.task import Setting, Task

OWN_RATES = (1.0, 0.01, 30.0, 0.1, 5.0)
"""Times the usual rate: what the program has, by seed. A finder has to find from anywhere."""
_FIRST, _LAST = 10, 5
"""Points that fastai and torch-lr-finder leave out at the ends of a curve."""


@dataclass(frozen=True)
class Suggestion:
    """A rate, and the optimizer steps it took; None where the finder gives none."""

    finder: str
    rate: float | None
    steps: int


def own_rate(task: Task, seed: int) -> float:
    """The rate the program has when a search begins."""
    return task.usual * OWN_RATES[seed % len(OWN_RATES)]


def ours(task: Task, seed: int, setting: Setting) -> list[Suggestion]:
    """`traindx.find_rate` with its defaults."""
    from traindx.exams.learning_rate.loop import find_rate

    optimizer = task.optimizer(setting.model.parameters(), own_rate(task, seed))
    result = find_rate(setting.model, optimizer, setting.batches, setting.loss)
    return [Suggestion("traindx", result.suggested, result.steps)]


def range_tests(task: Task, setting: Setting) -> list[Suggestion]:
    """torch-lr-finder as its README has it, and two other rules read off the same curve."""
    from matplotlib.figure import Figure
    from torch_lr_finder import LRFinder

    optimizer = task.optimizer(setting.model.parameters(), 1e-7)
    quiet = io.StringIO()
    with redirect_stdout(quiet), redirect_stderr(quiet), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        finder = LRFinder(setting.model, optimizer, setting.loss, device="cpu")
        finder.range_test(_loader(setting), end_lr=10, num_iter=100)
        suggestion = finder.plot(ax=Figure().subplots(), suggest_lr=True)
    rates, losses = finder.history["lr"], finder.history["loss"]
    suggested = float(suggestion[1]) if isinstance(suggestion, tuple) else None
    return [
        Suggestion("torch-lr-finder", suggested, len(rates)),
        Suggestion("fastai valley", _valley(rates[_FIRST:-_LAST], losses[_FIRST:-_LAST]), len(rates)),
        Suggestion("minimum / 10", rates[int(np.argmin(losses))] / 10, len(rates)),
    ]


def _loader(setting: Setting) -> "DataLoader[tuple[Tensor, Tensor]]":
    every = list(islice(cycle(setting.batches), max(100, len(setting.batches))))
    return DataLoader(every, batch_size=None)


def _valley(rates: Sequence[float], losses: Sequence[float]) -> float | None:
    """Fastai's rule: in the longest falling subsequence, the middle of its middle third."""
    lengths = [1] * len(losses)
    for at, loss in enumerate(losses):
        lengths[at] = 1 + max((lengths[index] for index in range(at) if losses[index] > loss), default=0)
    if not lengths:
        return None
    end = int(np.argmax(lengths))
    third = lengths[end] / 3
    return rates[max(0, end - lengths[end]) + int(third) + int(third / 2)]


def lightning(task: Task, setting: Setting) -> list[Suggestion]:
    """Lightning's `Tuner.lr_find` with its defaults."""
    import lightning as pl
    from lightning.pytorch.tuner import Tuner

    class Module(pl.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.inside, self.lr = setting.model, task.usual

        def training_step(self, batch: tuple[Tensor, Tensor], _: int) -> Tensor:
            return setting.loss(self.inside(batch[0]), batch[1])

        def configure_optimizers(self) -> Optimizer:
            return task.optimizer(self.inside.parameters(), self.lr)

    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    quiet = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        redirect_stdout(quiet),
        redirect_stderr(quiet),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        trainer = pl.Trainer(
            accelerator="cpu",
            default_root_dir=folder,
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
        )
        finder = Tuner(trainer).lr_find(Module(), train_dataloaders=_loader(setting))
        suggested = None if finder is None else finder.suggestion()
    steps = 0 if finder is None else len(finder.results["lr"])
    return [Suggestion("Lightning", suggested, steps)]
