"""What `overhead.py` lets a training carry: nothing, traindx, its peers, and the loop people write by hand.

Each is set up as its own documentation shows it.
"""

import json
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from torch import Tensor
from torch.nn.modules import module
from torch.optim import optimizer

from overhead_workloads import Training

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traindx.recorder.hooks.monkeypatch import Patches

_EVERY = 100
"""Steps between two working steps of the tools that are told to work now and then."""


def _nothing() -> None:
    pass


def _nothing_to_do(step: int, loss: Tensor) -> None:
    pass


def _nothing_said() -> float | None:
    return None


@dataclass(frozen=True, eq=False)
class Session:
    """A training that carries a tool."""

    training: Training
    after_backward: Callable[[int, Tensor], None] = _nothing_to_do
    """What the tool asks its user to call between the backward pass and the optimizer's step."""
    resume: Callable[[], None] = _nothing
    """Called before a block of steps: a tool that changes torch itself must not weigh on the others."""
    pause: Callable[[], None] = _nothing
    close: Callable[[], float | None] = _nothing_said
    """Ends the tool; gives the share of the run's time that it says it took, where it says so."""


@dataclass(frozen=True)
class Contestant:
    """A tool and how to put it on a training that is yet to be made."""

    name: str
    says: str
    start: Callable[[Path, Callable[[], Training]], Session]
    module: str = "torch"
    """What must be installed."""
    every_round: bool = False
    """Costs so little that few rounds would not tell it from noise."""

    @property
    def installed(self) -> bool:
        """Whether the tool can be imported here."""
        try:
            return find_spec(self.module) is not None
        except ModuleNotFoundError:
            return False


def _plain(_: Path, make: Callable[[], Training]) -> Session:
    return Session(make())


def _norms(every: int) -> Callable[[Path, Callable[[], Training]], Session]:
    def start(_: Path, make: Callable[[], Training]) -> Session:
        training, kept = make(), []

        def after_backward(step: int, loss: Tensor) -> None:
            if step % every == 0:
                kept.append([p.grad.norm().item() for p in training.model.parameters() if p.grad is not None])

        return Session(training, after_backward)

    return start


def _tensorboard(folder: Path, make: Callable[[], Training]) -> Session:
    writer = import_module("torch.utils.tensorboard").SummaryWriter(str(folder))
    training = make()

    def after_backward(step: int, loss: Tensor) -> None:
        if step % _EVERY:
            return
        for name, parameter in training.model.named_parameters():
            writer.add_histogram(f"weight/{name}", parameter, step)
            writer.add_histogram(f"gradient/{name}", parameter.grad, step)

    return Session(training, after_backward, close=writer.close)


def _wandb(folder: Path, make: Callable[[], Training]) -> Session:
    os.environ["WANDB_SILENT"] = "true"
    wandb = import_module("wandb")
    settings = wandb.Settings(console="off")
    run = wandb.init(mode="offline", dir=str(folder), project="overhead", settings=settings)
    training = make()
    run.watch(training.model, log="all", log_freq=_EVERY)

    def after_backward(step: int, loss: Tensor) -> None:
        run.log({"loss": loss.item()})

    def close() -> None:
        run.unwatch(training.model)
        run.finish()

    return Session(training, after_backward, close=close)


def _trainscope(folder: Path, make: Callable[[], Training]) -> Session:
    # It would log to the run of the wandb contestant, which it finds in the same process.
    settings: dict[str, object] = {"run_dir": str(folder), "integrations": {"wandb": False}}
    config = import_module("trainscope.core.config").TrainScopeConfig(**settings)
    training = make()
    scope = import_module("trainscope").TrainScope(training.model, training.optimizer, config=config).attach()

    def after_backward(step: int, loss: Tensor) -> None:
        scope.step(loss.item(), batch_index=step - 1)

    return Session(training, after_backward, close=scope.detach)


def _traindx(folder: Path, make: Callable[[], Training]) -> Session:
    attachment = _attaching().attach(folder=folder)
    switch = _Switch(attachment._patches)
    training = make()

    def close() -> float | None:
        attachment.detach()
        return _stated_cost(folder)

    return Session(training, resume=switch.on, pause=switch.off, close=close)


class _Switch:
    """Takes our patches off torch while others take their turn, and stops our clock.

    The budget is a share of the time of our own run. Attaching anew for every turn would cost the steps after
    it more than recording does.
    """

    _hooks = (
        *(optimizer._global_optimizer_pre_hooks, optimizer._global_optimizer_post_hooks),
        *(module._global_forward_pre_hooks, module._global_forward_hooks),
        *(module._global_forward_hooks_with_kwargs, module._global_forward_hooks_always_called),
    )

    def __init__(self, patches: "Patches") -> None:
        self._patches = patches
        self._hooked: list[dict[int, object]] = []
        self._stopped = 0.0

    def off(self) -> None:
        for owner, name, original, _ in self._patches._replaced:
            setattr(owner, name, original)
        self._hooked = [dict(hooks) for hooks in self._hooks]
        for hooks in self._hooks:
            hooks.clear()
        self._stopped = _seconds()

    def on(self) -> None:
        _hidden[0] += _seconds() - self._stopped
        for owner, name, _, ours in self._patches._replaced:
            setattr(owner, name, ours)
        for hooks, hooked in zip(self._hooks, self._hooked, strict=True):
            hooks.update(hooked)


_seconds = time.perf_counter
_hidden = [0.0]
"""Seconds in which others took their turn."""


def _own_seconds() -> float:
    return _seconds() - _hidden[0]


def _attaching() -> ModuleType:
    """Our own modules, reading the clock that stands still; it is some 50 ns slower at each reading."""
    time.perf_counter = _own_seconds
    try:
        return import_module("traindx.recorder.hooks.attachment")
    finally:
        time.perf_counter = _seconds


def _stated_cost(folder: Path) -> float | None:
    (file,) = folder.glob("rank-0*.traindx")
    with closing(sqlite3.connect(file)) as database:
        row = database.execute("SELECT value FROM facts WHERE slug = 'recording_cost'").fetchone()
    return float(json.loads(row[0])) if row else None


PLAIN = Contestant("plain", "plain", _plain, every_round=True)
AGAIN = Contestant("plain again", "plain, a second time: the noise", _plain, every_round=True)
CONTESTANTS = (
    Contestant("traindx", "traindx run", _traindx, "traindx.recorder.hooks.attachment", every_round=True),
    Contestant("norms100", "norm loop by hand, every 100 steps", _norms(_EVERY)),
    Contestant("norms", "norm loop by hand, every step", _norms(1)),
    Contestant("wandb", "wandb.watch(log='all', log_freq=100), wandb.log of the loss", _wandb, "wandb"),
    Contestant("tensorboard", "TensorBoard histograms every 100 steps", _tensorboard, "tensorboard"),
    Contestant("trainscope", "trainscope", _trainscope, "trainscope"),
)
