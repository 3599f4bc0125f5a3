"""Record a Lightning run: `Trainer(callbacks=[traindx.lightning.Callback()])`."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import final

from traindx.facts import FRAMEWORK, PLANNED_EPOCHS
from traindx.recorder.attach import RUNS, Settings, Watch, begin, begin_together
from traindx.run import Split

# The library goes by two names; a program uses one of them.
if "pytorch_lightning" in sys.modules and "lightning.pytorch" not in sys.modules:
    import pytorch_lightning as lightning
    from pytorch_lightning.utilities import rank_zero_info
else:
    try:
        import lightning.pytorch as lightning
        from lightning.pytorch.utilities import rank_zero_info
    except ModuleNotFoundError:
        import pytorch_lightning as lightning
        from pytorch_lightning.utilities import rank_zero_info


@final
class Callback(lightning.Callback):
    """Records while `fit` runs, and adds the metrics that the module logs."""

    def __init__(
        self, name: str | None = None, out: str | Path = RUNS, budget: float = 0.02, every: int | None = None
    ) -> None:
        """As for `traindx.watch`."""
        self.watch: Watch | None = None
        """The recording, once `fit` has started."""
        self._settings = Settings(name, out, budget, every)
        self._before: Mapping[str, float] = {}
        self._validated: set[str] = set()
        """Names under which validation logs."""

    def setup(self, trainer: "lightning.Trainer", pl_module: "lightning.LightningModule", stage: str) -> None:
        """Begin before the optimizers are made."""
        if stage != "fit":
            return
        if trainer.world_size > 1:
            is_first, broadcast = trainer.is_global_zero, trainer.strategy.broadcast
            self.watch = begin_together(self._settings, is_first, broadcast)
        else:
            self.watch = begin(self._settings)
        self.watch.state(FRAMEWORK, "lightning")
        if trainer.max_epochs is not None and trainer.max_epochs > 0:
            self.watch.state(PLANNED_EPOCHS, trainer.max_epochs)

    def on_fit_start(self, trainer: "lightning.Trainer", pl_module: "lightning.LightningModule") -> None:
        """Name the model, which is complete by now."""
        if self.watch is not None:
            self.watch.tell(pl_module)

    def on_validation_start(
        self, trainer: "lightning.Trainer", pl_module: "lightning.LightningModule"
    ) -> None:
        """Remember what training has logged."""
        self._before = _numbers(trainer)

    def on_validation_end(self, trainer: "lightning.Trainer", pl_module: "lightning.LightningModule") -> None:
        """Add what validation has logged."""
        if self.watch is None or trainer.sanity_checking:
            return
        logged = _numbers(trainer)
        self._validated |= {name for name, value in logged.items() if self._before.get(name) != value}
        own = {name: value for name, value in logged.items() if name in self._validated}
        self.watch.report(own, Split.VALIDATION)

    def on_train_epoch_end(
        self, trainer: "lightning.Trainer", pl_module: "lightning.LightningModule"
    ) -> None:
        """Add what training has logged."""
        if self.watch is not None:
            logged = _numbers(trainer)
            self.watch.report({name: logged[name] for name in logged if name not in self._validated})

    def on_exception(
        self,
        trainer: "lightning.Trainer",
        pl_module: "lightning.LightningModule",
        exception: BaseException,
    ) -> None:
        """Close it with the reason."""
        if self.watch is not None:
            self.watch.finish(rank_zero_info, exception)

    def teardown(
        self, trainer: "lightning.Trainer", pl_module: "lightning.LightningModule", stage: str
    ) -> None:
        """Close it at the end of `fit`."""
        if self.watch is not None and stage == "fit":
            self.watch.finish(rank_zero_info)


def _numbers(trainer: "lightning.Trainer") -> Mapping[str, float]:
    metrics = trainer.callback_metrics.items()
    return {name: float(value) for name, value in metrics if value.numel() == 1}
