"""Gradients clipped, otherwise or not at all."""

import libcst as cst

from traindx.changes.source.edit import Edit, Edited, New, RefusedError
from traindx.changes.source.literal import Literal, literal_behind, rewritten, shown
from traindx.changes.source.loop import parameters_at, steps_of
from traindx.changes.source.optimizer import Keywords, named_optimizer, told_by
from traindx.changes.source.source import Source
from traindx.changes.source.statements import before, removed
from traindx.changes.source.syntax import (
    argument,
    calls_of,
    expression,
    imported,
    number_text,
    with_argument,
    without_arguments,
)
from traindx.changes.types import ChangeSpec
from traindx.facts import OPTIMIZER_PLACE, SCRIPT, STEP_PLACE
from traindx.run import Run

_CALL = "clip_grad_norm_"
_WHAT = "the limit of the gradient norm"
_KEYWORDS = Keywords("max_grad_norm", "gradient_clip_val", ("global_clipnorm", "clipnorm"))


def edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write another limit where gradients are clipped, take the clipping out, or put it before the step."""
    found = calls_of(source, {_CALL})
    if len(found) > 1:
        places = " and ".join(source.place(one) for one in found)
        raise RefusedError(f"gradients are clipped at {len(found)} places: {places}")
    if found:
        return _otherwise(source, change, run, found[0])
    named = named_optimizer(source)
    if named is not None and not change.is_factor and change.words != ("none",):
        given, spelled = named
        text = f"{spelled}({_KEYWORDS.keras[0]}={number_text(change.number)})"
        says = f"{source.code(given.value)} -> {text} at {source.place(given)}"
        return Edited({given: given.with_changes(value=expression(text))}, says)
    framework = told_by(source, run, _KEYWORDS)
    if framework is not None:
        call, name = framework
        return _setting(source, change, run, call, name)
    if change.is_factor or change.words == ("none",):
        raise RefusedError(f"{source.shown} does not clip gradients with {_CALL}")
    return _inserted(source, change, run)


def _otherwise(source: Source, change: ChangeSpec, run: Run, call: cst.Call) -> Edited:
    if change.words == ("none",):
        around = source.parent(call)
        if not isinstance(around, cst.Expr):
            raise RefusedError(f"the norm that clipping gives is used at {source.place(call)}")
        return Edited(removed(source, call), f"{source.code(call)} removed at {source.place(call)}")
    limit = argument(call, ("max_norm",), 1)
    if limit is None:
        raise RefusedError(f"no limit is written at {source.place(call)}")
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
    given = argument(call, (name,))
    if given is not None and change.words == ("none",):
        where = source.place(given)
        if name == _KEYWORDS.trainer:
            new = given.with_changes(value=cst.Integer("0"))
            return Edited({given: new}, f"{shown(source, given)} -> {name}=0 at {where}")
        return Edited({call: without_arguments(call, {name})}, f"{shown(source, given)} removed at {where}")
    if given is not None:
        literal = literal_behind(source, run, _WHAT, given.value, given)
        return rewritten(source, literal, change.scaled(literal.value))
    if change.words == ("none",) or (change.is_factor and name != _KEYWORDS.trainer):
        raise RefusedError(f"gradients are not clipped at {source.place(call)}")
    text = number_text(change.scaled(1.0))
    return Edited({call: with_argument(call, name, text)}, f"{name}={text} at {source.place(call)}")


def _inserted(source: Source, change: ChangeSpec, run: Run) -> Edited:
    parts: dict[cst.CSTNode, New] = {}
    says = ""
    for step in steps_of(source, run):
        function = imported(source, f"torch.nn.utils.{_CALL}", "torch")
        clip = f"{function}({parameters_at(source, run, step)}, {number_text(change.number)})"
        texts = [clip]
        if step.scaler and f"{step.scaler}.unscale_(" not in source.text:
            texts = [f"{step.scaler}.unscale_({step.optimizer})", clip]
        parts |= before(source, step.call, *texts)
        says = says or f"{clip} before {source.code(step.call)} at {source.place(step.call)}"
    return Edited(parts, says)


EDIT = Edit(name="gradients.clip", edit=edit, where=(STEP_PLACE, OPTIMIZER_PLACE, SCRIPT))
