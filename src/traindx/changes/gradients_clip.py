"""Gradients that are too large, clipped."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from traindx.changes import cst, keras, nn, torch
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program, parameters_of
from traindx.changes.source.hyperparameter import Doses, Off, Option, as_number
from traindx.changes.source.literal import Literal, added, exchanged, literal_behind, rewritten, scaled, shown
from traindx.changes.source.loop import parameters_at, steps_of
from traindx.changes.source.optimizer import Keywords, named_optimizer, spread_literal, told_by
from traindx.changes.source.source import Source, before, removed
from traindx.changes.source.syntax import (
    argument,
    calls_of,
    expression,
    imported,
    number_text,
    spread,
    without_arguments,
)
from traindx.changes.types import Change, ChangeSpec, Edited, New, RefusedError
from traindx.curves.facts import is_recording, stated_number
from traindx.facts import CLIP_PLACE, GRADIENT_CLIP, OPTIMIZER_PLACE, SCRIPT, STEP_PLACE
from traindx.format import number
from traindx.quantities import GRADIENT_NORM, TRAIN_LOSS
from traindx.run import Floats, Run

_NORM = "clip_grad_norm_"
_LIMITS = {
    "clipnorm": "the gradient-norm limit of each weight",
    "global_clipnorm": "the gradient-norm limit",
    "clipvalue": "the gradient-value limit",
}
_WHAT = "the gradient-norm limit"
_KEYWORDS = Keywords("max_grad_norm", "gradient_clip_val", ("global_clipnorm", "clipnorm"))


def _torch_clip(program: Program, change: ChangeSpec) -> None:
    """Clip before each step, or change the limit of the program's own clipping."""
    if change.is_factor or change.words == ("none",):
        _change_limit(program, change, change.number if change.is_factor else float("inf"))
        return

    def clip(optimizer: torch.optim.Optimizer) -> None:
        gradients = [parameter.grad for parameter in parameters_of(optimizer) if parameter.grad is not None]
        _clip(program, change, gradients)

    program.before_step(clip)


def _change_limit(program: Program, change: ChangeSpec, factor: float) -> None:
    def clip(
        original: Callable[..., torch.Tensor],
        parameters: object,
        max_norm: float,
        *args: object,
        **kwargs: object,
    ) -> torch.Tensor:
        program.applied(change, f"the gradient-norm limit {max_norm:g} becomes {max_norm * factor:g}")
        return original(parameters, max_norm * factor, *args, **kwargs)

    for module in (nn.utils, nn.utils.clip_grad):
        program.patches.wrap(module, _NORM, clip)


def _keras_clip(program: KerasProgram, change: ChangeSpec) -> None:
    """Clip before each step, or change the limits of the optimizer's own clipping."""
    if change.is_factor or change.words == ("none",):
        program.stepping.on_optimizer(lambda optimizer: _change_limits(program, change, optimizer))
    else:
        program.stepping.before_step(lambda _, gradients: _clip(program, change, gradients))


def _clip(program: Program | KerasProgram, change: ChangeSpec, gradients: Sequence[torch.Tensor]) -> None:
    limit = change.number
    norm = float(nn.utils.get_total_norm(gradients)) if gradients else 0.0
    if norm > limit:
        program.applied(change, f"gradients clipped to norm {limit:.3g}")
        for gradient in gradients:
            gradient.mul_(limit / norm)


def _change_limits(program: KerasProgram, change: ChangeSpec, optimizer: keras.Optimizer) -> None:
    held = {name: limit for name in _LIMITS if (limit := getattr(optimizer, name))}
    if not held:
        program.refuse(change, f"{type(optimizer).__name__} does not clip gradients")
    for name, limit in held.items():
        looser = limit * change.number if change.is_factor else None
        becomes = "is removed" if looser is None else f"becomes {looser:g}"
        program.applied(change, f"{_LIMITS[name]} {limit:g} {becomes}")
        setattr(optimizer, name, looser)


def _edit_clip(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write another limit where gradients are clipped, take the clipping out, or put it before the step."""
    calls = calls_of(source, {_NORM})
    if len(calls) > 1:
        places = " and ".join(source.place(other) for other in calls)
        raise RefusedError(f"gradients are clipped in {len(calls)} places ({places})")
    if calls:
        return _otherwise(source, change, run, calls[0])
    named = named_optimizer(source)
    if named is not None and not change.is_factor and change.words != ("none",):
        arg, spelled = named
        return exchanged(source, arg, f"{spelled}({_KEYWORDS.keras[0]}={number_text(change.number)})")
    framework = told_by(source, run, _KEYWORDS)
    if framework is not None:
        call, name = framework
        return _setting(source, change, run, call, name)
    if change.is_factor or change.words == ("none",):
        raise RefusedError(f"no {_NORM} call found in {source.shown}")
    return _inserted(source, change, run)


def _otherwise(source: Source, change: ChangeSpec, run: Run, call: cst.Call) -> Edited:
    if change.words == ("none",):
        around = source.parent(call)
        if not isinstance(around, cst.Expr):
            raise RefusedError(f"the return value of {_NORM} is used at {source.place(call)}")
        return Edited(removed(source, call), f"{source.code(call)} removed at {source.place(call)}")
    limit = argument(call, ("max_norm",), 1)
    if limit is None:
        raise RefusedError(f"no max_norm given at {source.place(call)}")
    literal = literal_behind(source, run, _WHAT, limit.value, limit)
    edited = rewritten(source, literal, change.scaled(literal.value))
    return (
        edited
        if literal.holder is not limit or limit.keyword
        else Edited(edited.parts, _said(source, call, literal, change))
    )


def _said(source: Source, call: cst.Call, literal: Literal, change: ChangeSpec) -> str:
    new = call.deep_replace(literal.node, expression(number_text(change.scaled(literal.value))))
    assert isinstance(new, cst.Call)
    return f"{source.code(call)} -> {source.code(new)} at {source.place(call)}"


def _setting(source: Source, change: ChangeSpec, run: Run, call: cst.Call, name: str) -> Edited:
    arg = argument(call, (name,))
    if arg is not None and change.words == ("none",):
        where = source.place(arg)
        if name == _KEYWORDS.trainer:
            new = arg.with_changes(value=cst.Integer("0"))
            return Edited({arg: new}, f"{shown(source, arg)} -> {name}=0 at {where}")
        return Edited({call: without_arguments(call, {name})}, f"{shown(source, arg)} removed at {where}")
    if arg is not None:
        return scaled(source, run, _WHAT, arg, change.scaled)
    if spread(call):
        return _entry(source, change, spread_literal(source, run, _WHAT, call, name))
    if change.words == ("none",) or (change.is_factor and name != _KEYWORDS.trainer):
        raise RefusedError(f"gradients are not clipped at {source.place(call)}")
    return added(source, call, name, number_text(change.scaled(1.0)))


def _entry(source: Source, change: ChangeSpec, literal: Literal) -> Edited:
    """The limit in a dictionary that is spread into the arguments of a trainer."""
    if change.words != ("none",):
        return rewritten(source, literal, change.scaled(literal.value))
    before = shown(source, literal.holder)
    return Edited({literal.node: cst.Name("None")}, f"{before} -> None at {source.place(literal.holder)}")


def _inserted(source: Source, change: ChangeSpec, run: Run) -> Edited:
    parts: dict[cst.CSTNode, New] = {}
    says = ""
    for step in steps_of(source, run):
        function = imported(source, f"torch.nn.utils.{_NORM}", "torch")
        clip = f"{function}({parameters_at(source, run, step)}, {number_text(change.number)})"
        texts = [clip]
        unscaled = {source.code(call.func) for call in calls_of(source, {"unscale_"})}
        if step.scaler and f"{step.scaler}.unscale_" not in unscaled:
            texts = [f"{step.scaler}.unscale_({step.optimizer})", clip]
        parts |= before(source, step.call, *texts)
        says = says or f"{clip} before {source.code(step.call)} at {source.place(step.call)}"
    return Edited(parts, says)


_RUNAWAY = 3.0
"""Times its first value from which on a loss has run away; bench/thresholds.md#climb."""
_FEWEST = 5
"""Norms that a limit is taken from; bench/thresholds.md#few-points."""


def _healthy_norms(run: Run) -> Floats:
    """The gradient norms that were recorded before the loss ran away or stopped being a number."""
    import numpy as np

    from traindx.curves.series import evenly, whole

    norms = evenly(whole(run, GRADIENT_NORM).finite) if GRADIENT_NORM in run else None
    if norms is None:
        return np.empty(0)
    loss = whole(run, TRAIN_LOSS) if TRAIN_LOSS in run else None
    if loss is None or not len(loss):
        return norms.values
    first = abs(float(loss.values[0]))
    bad = ~np.isfinite(loss.values) | (loss.values > _RUNAWAY * first)
    steps = loss.steps[bad]
    return norms.values[norms.steps < steps[0]] if len(steps) else norms.values


def _from_run_clip(change: ChangeSpec, run: Run) -> ChangeSpec | None:
    """The limit as a percentile of the recorded norms; 1 where none were recorded."""
    import numpy as np

    if GRADIENT_NORM not in run:
        return ChangeSpec(change.name, ("1.0",))
    norms = _healthy_norms(run)
    if len(norms) < _FEWEST:
        return None
    # From before it fails: what comes after is what clipping is to prevent.
    early = norms[: max(_FEWEST, len(norms) // 2)]
    limit = min(float(np.percentile(early, float(change.words[0][1:]))), 2 * float(np.median(early)))
    return ChangeSpec(change.name, (number(limit).replace(",", ""),)) if limit > 0 else None


_USUAL = 90
"""Percentile of the norms that a limit leaves alone; bench/thresholds.md#clipped."""


def _first_dose_clip(change: ChangeSpec, run: Run) -> ChangeSpec:
    """A factor that brings the limit above most of the recorded norms, at once."""
    import numpy as np

    present, norms = stated_number(run, GRADIENT_CLIP), _healthy_norms(run)
    if not change.is_factor or not present or present <= 0 or len(norms) < _FEWEST:
        return change
    factor = _round_above(float(np.percentile(norms, _USUAL))) / present
    return ChangeSpec(change.name, ("x", f"{factor:.6g}")) if factor > 1 else change


def _round_above(value: float) -> float:
    """The next larger number of 1, 2 or 5 and zeros."""
    if value <= 0:
        return 0.0
    decade = 10.0 ** math.floor(math.log10(value))
    return next(float(f"{first * decade:.3g}") for first in (1, 2, 5, 10) if first * decade >= value)


def _limit(change: ChangeSpec, run: Run, text: str) -> tuple[str, ...]:
    """The limit that is given from outside, after a change."""
    if change.words != ("none",):
        return as_number(change, run, text)
    # 0 means no gradient to some programs and no limit to others: a limit above all norms clips in none.
    norms = _healthy_norms(run)
    return (
        as_number(ChangeSpec(change.name, (f"{_round_above(max(norms)):g}",)), run, text)
        if len(norms)
        else ()
    )


def _describe_clip(change: ChangeSpec, run: Run) -> str:
    """The limit before and after, where the run states it and it is multiplied."""
    present = stated_number(run, GRADIENT_CLIP)
    return f"{number(present)} -> {number(change.scaled(present))}" if present and change.is_factor else ""


def _label_clip(change: ChangeSpec) -> str:
    if change.words == ("none",):
        return "no gradient clipping"
    return f"clipping limit {change.dose}" if change.is_factor else f"clip gradients at {change.dose}"


def _is_idle_clip(change: ChangeSpec, run: Run) -> bool:
    """Whether there is no limit to multiply or to take out."""
    clips = GRADIENT_CLIP in run.facts or CLIP_PLACE in run.facts
    return (change.is_factor or change.words == ("none",)) and is_recording(run) and not clips


CLIP = Change(
    name="gradients.clip",
    label=_label_clip,
    forms=("gradients.clip 1.0", "gradients.clip p95", "gradients.clip x 10", "gradients.clip none"),
    says="clip the gradient norm (p95: percentile of the recorded norms), or change the limit",
    torch=_torch_clip,
    keras=_keras_clip,
    edit=_edit_clip,
    is_idle=_is_idle_clip,
    option=Option(
        ("clip", "clip_*", "*_clip", "grad*clip*", "max_grad_norm", "max_norm", "grad_norm"),
        fact=GRADIENT_CLIP,
        becomes=_limit,
        trainer="max_grad_norm",
    ),
    edited_file=(STEP_PLACE, OPTIMIZER_PLACE, SCRIPT),
    doses=Doses(step=10.0, off=Off(("none",), GRADIENT_CLIP, larger_is_weaker=True)),
    from_run=_from_run_clip,
    first_dose=_first_dose_clip,
    describe=_describe_clip,
)
