"""Another learning rate, another momentum."""

from __future__ import annotations

from traindx.changes import cst, keras, torch
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program, StepRate
from traindx.changes.source.hyperparameter import Doses, Option
from traindx.changes.source.literal import Literal, added, joined, literal_behind, rewritten
from traindx.changes.source.optimizer import (
    Setting,
    edit_setting,
    is_keras,
    literals_of_groups,
    named_optimizer,
    optimizer_call,
    trainer_call,
)
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import (
    argument,
    calls_of,
    last_name,
    names_in,
    number_of,
    number_text,
    texts_in,
)
from traindx.changes.types import Change, ChangeSpec, Edited, RefusedError
from traindx.curves.facts import stated_number
from traindx.curves.series import has_attention, peak_and_usual, rate_of
from traindx.facts import LEARNING_RATE, MOMENTUM, OPTIMIZER_PLACE, SCHEDULE, SCRIPT
from traindx.run import Run

_WHAT = "the learning rate"
_DEFAULTS = {
    "": 1e-3,
    "RMSprop": 1e-2,
    "Adagrad": 1e-2,
    "Adadelta": 1.0,
    "NAdam": 2e-3,
    "Adamax": 2e-3,
    "ASGD": 1e-2,
    "Rprop": 1e-2,
    "LBFGS": 1.0,
}
_OF_KERAS = {**dict.fromkeys(_DEFAULTS, 1e-3), "SGD": 1e-2}
_SETTING = Setting(_WHAT, ("lr", "learning_rate"), 1, _DEFAULTS, "learning_rate", 5e-5, _OF_KERAS)
_OWN_RATES = {"OneCycleLR": ("max_lr",), "CyclicLR": ("base_lr", "max_lr")}
"""Schedules that set rates of their own, and where they are written, from the second argument on."""


def _live_lr(program: Program | KerasProgram, change: ChangeSpec) -> None:
    """Multiply the learning rates, or set the initial one; schedules go on from there."""

    def factor(rate: StepRate) -> float:
        times = change.number if change.is_factor else change.number / rate.first if rate.first else 1.0
        program.applied(change, f"the learning rate {rate.first:g} becomes {rate.first * times:g}")
        return times

    program.multiply_rates(factor)


def _edit_lr(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write the learning rate otherwise where it is written: at the optimizer, its groups or its schedule."""
    if trainer_call(source) is not None or named_optimizer(source) is not None:
        return edit_setting(source, run, change, _SETTING)
    call = optimizer_call(source, run)
    scheduled = _of_schedule(source, run)
    if scheduled:
        return _all_scaled(source, change, scheduled, "the scheduler sets its own learning rates")
    groups = literals_of_groups(source, run, call, "lr", _WHAT)
    if groups:
        own = argument(call, _SETTING.names, _SETTING.position)
        first = [literal_behind(source, run, _WHAT, own.value, own)] if own else []
        return _all_scaled(
            source, change, [*first, *groups], "parameter groups have their own learning rates"
        )
    _refuse_set_again(source, call)
    edited = edit_setting(source, run, change, _SETTING)
    _refuse_other_value(run, edited)
    return edited


def _of_schedule(source: Source, run: Run) -> list[Literal]:
    rates: list[Literal] = []
    for name, settings in _OWN_RATES.items():
        for call in calls_of(source, {name}):
            for index, setting in enumerate(settings):
                arg = argument(call, (setting,), index + 1)
                rates += [literal_behind(source, run, _WHAT, arg.value, arg)] if arg else []
    return rates


def _all_scaled(source: Source, change: ChangeSpec, literals: list[Literal], because: str) -> Edited:
    if not change.is_factor and len(literals) > 1:
        raise RefusedError(f"{because} at {source.place(literals[0].holder)}; use a factor such as x 0.1")
    different = {id(literal.node): literal for literal in literals}.values()
    return joined(rewritten(source, value, change.scaled(value.value)) for value in different)


def _refuse_set_again(source: Source, call: cst.Call) -> None:
    """A rate that is written anew during the run does not follow the one at the optimizer."""
    arg = argument(call, _SETTING.names, _SETTING.position)
    name = source.code(arg.value) if arg else ""
    for node in source.all(cst.Assign):
        if not _is_rate_of_group(source, node):
            continue
        is_named = arg is not None and number_of(arg.value) is None
        follows = is_named and any(source.code(part) == name for part in source.nodes(node.value))
        if not follows and not any("group" in word for word in names_in(source, node.value)):
            raise RefusedError(
                f"the learning rate is set again ({source.code(node)}) at {source.place(node)}"
            )


def _is_rate_of_group(source: Source, node: cst.Assign) -> bool:
    """Whether it is the learning rate of a group of parameters that is set: group["lr"] = ..."""
    target = node.targets[0].target
    if not isinstance(target, cst.Subscript) or texts_in(source, target.slice[-1]) != ["lr"]:
        return False
    loops = [outer for outer in source.around(node) if isinstance(outer, cst.For)]
    over = [loop.iter for loop in loops if source.code(target.value) in names_in(source, loop.target)]
    return any("param_groups" in names_in(source, iterated) for iterated in (target.value, *over))


def _refuse_other_value(run: Run, edited: Edited) -> None:
    """The number that is written must be the one the run learned with; a schedule may begin elsewhere."""
    recorded = run.facts.get(LEARNING_RATE)
    written = [number_of(node) for node in edited.parts]
    if not isinstance(recorded, float | int) or SCHEDULE in run.facts or written[0] is None:
        return
    if abs(written[0] - recorded) > 1e-4 * abs(recorded):
        raise RefusedError(f"the source sets learning rate {written[0]:g}, but the run used {recorded:g}")


def _peak_lr(run: Run) -> float | None:
    """The highest learning rate of the run; None where it was not recorded."""
    rate = rate_of(run)
    return None if rate is None else rate.peak


def _describe_lr(change: ChangeSpec, run: Run) -> str:
    """The learning rate before and after, where the run states it and it is multiplied."""
    rate = _peak_lr(run) or stated_number(run, LEARNING_RATE)
    return f"lr {rate:g} -> {change.scaled(rate):.3g}" if rate and change.is_factor else ""


_WITH_ATTENTION = 2e-3
"""Transformers that break at a higher rate train well up to here; bench/thresholds.md#usual-rates."""


def _first_dose_lr(change: ChangeSpec, run: Run) -> ChangeSpec:
    """A factor that brings the learning rate to the typical range of its optimizer, at once."""
    rates = peak_and_usual(run)
    if rates is None or not change.is_factor:
        return change
    peak, least, most = rates
    most = min(most, _WITH_ATTENTION) if has_attention(run) else most
    factor, step = change.number, _DOSES.step or 1.0
    while factor < 1 and peak * factor > most:
        factor /= step
    while factor > 1 and peak * factor < least:
        factor *= step
    # Two digits, and 100 rather than 1e+02.
    return ChangeSpec(change.name, ("x", f"{float(f'{factor:.2g}'):g}"))


_DOSES = Doses(step=10.0, is_searched=True, steadies=0.3)

LR_CHANGE = Change(
    name="optimizer.lr",
    label="lr {}",
    forms=("optimizer.lr x 0.1", "optimizer.lr 0.001"),
    says="multiply or set the learning rate; the program's schedule still applies",
    torch=_live_lr,
    keras=_live_lr,
    edit=_edit_lr,
    option=Option(
        ("lr", "learning_rate", "base_lr", "max_lr", "init_lr", "initial_lr", "peak_lr", "lr0"),
        fact=LEARNING_RATE,
        peak=_peak_lr,
        trainer="learning_rate",
    ),
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
    doses=_DOSES,
    first_dose=_first_dose_lr,
    describe=_describe_lr,
)


_WITH_MOMENTUM = ("SGD", "RMSprop")
_BETAS = {"Adam": "0.999", "AdamW": "0.999", "NAdam": "0.999", "RAdam": "0.999", "Adamax": "0.999"}
"""Optimizers whose momentum is the first of two betas, and what the second is where nothing is said."""


def _torch_momentum(program: Program, change: ChangeSpec) -> None:
    """Set the momentum, or the first of two betas."""

    def set_momentum(optimizer: torch.optim.Optimizer) -> None:
        group = optimizer.param_groups[0]
        if "momentum" not in group and "betas" not in group:
            program.refuse(change, f"{type(optimizer).__name__} has no momentum")
            return
        for settings in optimizer.param_groups:
            if "betas" in settings:
                before = float(settings["betas"][0])
                settings["betas"] = (change.scaled(before), *settings["betas"][1:])
            else:
                before = float(settings["momentum"])
                settings["momentum"] = change.scaled(before)
            program.applied(change, f"the momentum {before:g} becomes {change.scaled(before):g}")

    program.once_per_optimizer(set_momentum)


def _keras_momentum(program: KerasProgram, change: ChangeSpec) -> None:
    """Set the momentum, or the first of two betas."""

    def set_momentum(optimizer: keras.Optimizer) -> None:
        name = next(
            (attribute for attribute in ("beta_1", "momentum") if attribute in optimizer.get_config()), None
        )
        if name is None:
            program.refuse(change, f"{type(optimizer).__name__} has no momentum")
            return
        before = float(getattr(optimizer, name))
        program.applied(change, f"the momentum {before:g} becomes {change.scaled(before):g}")
        setattr(optimizer, name, change.scaled(before))

    program.stepping.on_optimizer(set_momentum)


def _edit_momentum(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write the momentum otherwise, or the first beta."""
    call = optimizer_call(source, run)
    kind = last_name(call.func)
    if is_keras(call, source) and kind in _BETAS:
        return edit_setting(source, run, change, Setting("the momentum", ("beta_1",), None, {"": 0.9}))
    if kind in _BETAS:
        return _of_betas(source, change, run, call, _BETAS[kind])
    if kind not in _WITH_MOMENTUM:
        raise RefusedError(f"{source.callee(call)} has no momentum")
    setting = Setting("the momentum", ("momentum",), 2 if kind == "SGD" else None, {"": 0.0})
    return edit_setting(source, run, change, setting)


def _of_betas(source: Source, change: ChangeSpec, run: Run, call: cst.Call, second: str) -> Edited:
    betas = argument(call, ("betas",), 2)
    if betas is None and change.scaled(0.9) == 0.9:
        raise RefusedError(f"the momentum is already 0.9 at {source.place(call)}")
    if betas is None:
        text = f"({number_text(change.scaled(0.9))}, {second})"
        return added(source, call, "betas", text)
    if not isinstance(betas.value, cst.Tuple | cst.List):
        raise RefusedError(f"betas={source.code(betas.value)} is not two numbers, {source.place(betas)}")
    literal = literal_behind(source, run, "the momentum", betas.value.elements[0].value, betas)
    return rewritten(source, literal, change.scaled(literal.value))


MOMENTUM_CHANGE = Change(
    name="optimizer.momentum",
    label="momentum {}",
    forms=("optimizer.momentum 0.9",),
    says="set the momentum (beta1 of Adam)",
    torch=_torch_momentum,
    keras=_keras_momentum,
    edit=_edit_momentum,
    option=Option(("momentum", "beta1", "adam_beta1"), fact=MOMENTUM, trainer="adam_beta1"),
    edited_file=(OPTIMIZER_PLACE, SCRIPT),
)
