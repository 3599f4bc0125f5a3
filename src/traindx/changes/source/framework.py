"""Where a framework is told a setting of the training loop that it runs."""

from dataclasses import dataclass

import libcst as cst

from traindx.changes.source.calls import argument, calls_of
from traindx.changes.source.keras import named_optimizer
from traindx.changes.source.optimizer import is_keras, is_lightning, optimizer_call, trainer_call
from traindx.changes.source.source import Source
from traindx.run import Run


@dataclass(frozen=True)
class Keywords:
    """How frameworks call one setting."""

    trainer: str
    """In the arguments of the Hugging Face trainer."""
    lightning: str
    keras: tuple[str, ...]
    """Of the optimizer; the first where none is written."""


def told_by(source: Source, run: Run, keywords: Keywords) -> tuple[cst.Call, str] | None:
    """The call and the keyword that tell a framework a setting; None where no framework runs the loop."""
    arguments = trainer_call(source)
    if arguments is not None:
        return arguments, keywords.trainer
    if is_lightning(source):
        trainers = calls_of(source, {"Trainer"})
        if len(trainers) == 1 and "automatic_optimization" not in source.text:
            return trainers[0], keywords.lightning
    if "keras" in source.text and named_optimizer(source) is None:
        call = optimizer_call(source, run)
        by = next((one for one in keywords.keras if argument(call, (one,))), keywords.keras[0])
        return (call, by) if is_keras(call, source) else None
    return None
