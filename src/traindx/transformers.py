"""Record a Hugging Face Trainer run: `Trainer(..., callbacks=[traindx.transformers.Callback()])`."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import final

from torch.optim import Optimizer
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from traindx.facts import FRAMEWORK, PLANNED_EPOCHS, PLANNED_STEPS, SCHEDULE
from traindx.recorder.attach import RUNS, Settings, Watch, begin, begin_together
from traindx.run import Split

_LOG = logging.getLogger("traindx")


@final
class Callback(TrainerCallback):
    """Records while `train` runs, and adds the metrics that the trainer reports."""

    def __init__(
        self, name: str | None = None, out: str | Path = RUNS, budget: float = 0.02, every: int | None = None
    ) -> None:
        """As for `traindx.watch`."""
        self.watch: Watch | None = None
        """The recording, once `train` has started."""
        self._settings = Settings(name, out, budget, every)

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Begin, with the model and the optimizer that exist by now."""
        if args.world_size > 1:
            self.watch = begin_together(self._settings, state.is_world_process_zero, _broadcast)
        else:
            self.watch = begin(self._settings)
        # DeepSpeed and others bring optimizers of their own.
        optimizer = getattr(kwargs["optimizer"], "optimizer", kwargs["optimizer"])
        self.watch.tell(kwargs["model"], *([optimizer] if isinstance(optimizer, Optimizer) else []))
        self.watch.state(FRAMEWORK, "transformers")
        self.watch.state(PLANNED_STEPS, state.max_steps)
        self.watch.state(PLANNED_EPOCHS, state.num_train_epochs)
        self.watch.state(SCHEDULE, str(getattr(args.lr_scheduler_type, "value", args.lr_scheduler_type)))

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: Mapping[str, object] | None = None,
        **kwargs: object,
    ) -> None:
        """Add what training reports."""
        if self.watch is not None and logs:
            # Evaluations are logged too, besides being told.
            own = {name: value for name, value in logs.items() if not name.startswith("eval_")}
            self.watch.report(own, Split.TRAIN)

    def on_evaluate(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        metrics: Mapping[str, object] | None = None,
        **kwargs: object,
    ) -> None:
        """Add what an evaluation reports."""
        if self.watch is not None and metrics:
            self.watch.report(metrics, Split.VALIDATION)

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Close it."""
        if self.watch is not None:
            # At the level that is shown by default.
            self.watch.finish(_LOG.warning if state.is_world_process_zero else _LOG.debug)


def _broadcast(text: str) -> str:
    """The text of the first process."""
    from accelerate.utils import broadcast_object_list

    said = [text]
    broadcast_object_list(said)
    return said[0]
