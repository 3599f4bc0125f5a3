"""More or less weight decay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from traindx.changes import keras, torch
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program
from traindx.changes.source.hyperparameter import Doses, Off, Option
from traindx.changes.source.literal import Literal, joined, literal_behind, rewritten
from traindx.changes.source.optimizer import (
    Setting,
    edit_setting,
    literals_of_groups,
    named_optimizer,
    optimizer_call,
    trainer_call,
)
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument
from traindx.changes.types import BY_VALIDATION, Change, ChangeSpec, Edited, RefusedError
from traindx.curves.facts import stated_number
from traindx.facts import OPTIMIZER, OPTIMIZER_PLACE, SCRIPT, WEIGHT_DECAY
from traindx.finding import Finding
from traindx.run import Run
from traindx.signs.optimizer import decay_strong

_NONE = ("Rprop", "LBFGS", "SparseAdam")
_SETTING = Setting(
    "the weight decay",
    ("weight_decay",),
    None,
    {"": 0.0, "AdamW": 0.01},
    "weight_decay",
    0.0,
    {"AdamW": 0.004},
)


def _torch(program: Program, change: ChangeSpec) -> None:
    """Multiply or set the weight decay of every optimizer."""

    def set_decay(optimizer: torch.optim.Optimizer) -> None:
        if "weight_decay" not in optimizer.param_groups[0]:
            program.refuse(change, f"{type(optimizer).__name__} has no weight decay")
            return
        decays = any(float(group["weight_decay"]) for group in optimizer.param_groups)
        for group in optimizer.param_groups:
            before = float(group["weight_decay"])
            if decays and not before:
                # Biases and norms that the program keeps from decaying.
                continue
            group["weight_decay"] = change.scaled(before)
            if group["weight_decay"] != before:
                program.applied(change, f"the weight decay {before:g} becomes {group['weight_decay']:g}")

    program.once_per_optimizer(set_decay)


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Multiply or set the weight decay of every optimizer, which shows in no loss."""

    def set_decay(optimizer: keras.Optimizer) -> None:
        before = float(optimizer.weight_decay or 0.0)
        after = change.scaled(before)
        if after != before:
            program.applied(change, f"the weight decay {before:g} becomes {after:g}")
            optimizer.weight_decay = after

    def refuse(optimizer: keras.Optimizer, _: Sequence[torch.Tensor]) -> None:
        if not change.is_factor or optimizer.weight_decay:
            return
        penalties = [variable.regularizer for variable in optimizer._trainable_variables]
        if any(isinstance(penalty, keras.regularizers.L2 | keras.regularizers.L1L2) for penalty in penalties):
            why = "weight decay is a loss penalty; changing it would change the loss that is compared"
            program.refuse(change, why)
        else:
            program.refuse(change, f"{type(optimizer).__name__} has no weight decay")

    program.stepping.on_optimizer(set_decay)
    program.stepping.before_step(refuse)


def _edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write the weight decay otherwise where it is written, or add it."""
    kind = run.facts.get(OPTIMIZER)
    if kind in _NONE:
        raise RefusedError(f"{kind} has no weight decay")
    groups = _of_groups(source, run)
    if not groups:
        return edit_setting(source, run, change, _SETTING)
    # Groups that do not decay beside others that do are meant so.
    every = [rewritten(source, group, change.scaled(group.value)) for group in groups if group.value]
    if not every:
        raise RefusedError(f"weight decay is 0 in all parameter groups at {source.place(groups[0].holder)}")
    return joined(every)


def _of_groups(source: Source, run: Run) -> list[Literal]:
    """Decays that are written beside groups of parameters, and the one for all others."""
    if trainer_call(source) is not None or named_optimizer(source) is not None:
        return []
    call = optimizer_call(source, run)
    decays = literals_of_groups(source, run, call, "weight_decay", _SETTING.what)
    own = argument(call, _SETTING.names) if decays else None
    return [*decays, *([literal_behind(source, run, _SETTING.what, own.value, own)] if own else [])]


def _first_dose(change: ChangeSpec, run: Run) -> ChangeSpec:
    """A factor after which the weight decay is no longer strong, at once."""
    decay = stated_number(run, WEIGHT_DECAY)
    if not decay or not change.is_factor or change.number >= 1:
        return change
    factor, smallest = change.number, change.number * _FURTHEST
    while factor > smallest and _is_strong(run, decay * factor):
        factor /= _STEP
    return ChangeSpec(change.name, ("x", f"{factor:.2g}"))


def _is_strong(run: Run, decay: float) -> bool:
    """Whether this run would have too strong a weight decay with this value."""
    return isinstance(decay_strong(replace(run, facts={**run.facts, WEIGHT_DECAY: decay})), Finding)


_STEP = 10.0
_FURTHEST = 1.5e-3
"""Of the fix's own factor: three steps further is as good as no weight decay."""


def _is_idle(change: ChangeSpec, run: Run) -> bool:
    """Whether there is no weight decay to multiply or to switch off."""
    return run.facts.get(WEIGHT_DECAY) == 0 and (change.is_factor or not change.number)


CHANGE = Change(
    name="regularize.weight_decay",
    label="weight decay {}",
    forms=("regularize.weight_decay 0.05", "regularize.weight_decay x 0.1"),
    says="multiply or set the weight decay",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    is_idle=_is_idle,
    option=Option(("weight_decay", "wd", "decay", "l2"), fact=WEIGHT_DECAY, trainer="weight_decay"),
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
    compared_by=BY_VALIDATION,
    doses=Doses(off=Off(("0",), WEIGHT_DECAY)),
    first_dose=_first_dose,
)
