"""A sigmoid instead of a softmax over one unit, which is always 1."""

from __future__ import annotations

from collections.abc import Callable

from traindx.changes import cst, torch
from traindx.changes.live.program import Program
from traindx.changes.source.layers import called, is_keras_model, output_layer
from traindx.changes.source.literal import exchanged
from traindx.changes.source.loss import last_activations
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import (
    argument,
    beside,
    calls_of,
    expression,
    imported,
    last_name,
    number_of,
    text_of,
)
from traindx.changes.types import Change, ChangeSpec, Edited, New, RefusedError, as_in_torch
from traindx.facts import LOSS_PLACE, MODEL_PLACE, OUTPUTS, SCRIPT
from traindx.run import Run


def _torch(program: Program, change: ChangeSpec) -> None:
    """Let a softmax whose axis has one entry be a sigmoid."""

    def softmax(
        original: Callable[..., torch.Tensor], value: torch.Tensor, *args: object, **kwargs: object
    ) -> torch.Tensor:
        axis = args[0] if args else kwargs.get("dim")
        if not isinstance(axis, int) or not value.dim() or value.size(axis) != 1:
            return original(value, *args, **kwargs)
        program.applied(change, "softmax over one unit replaced by sigmoid")
        return torch.sigmoid(value)

    program.wrap_function("softmax", softmax)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Write sigmoid where a softmax is taken over the one output of the model."""
    if is_keras_model(source):
        return _of_keras(source)
    outputs = run.facts.get(OUTPUTS)
    if outputs is not None and outputs != 1:
        raise RefusedError(f"the softmax is over {outputs} outputs, not one")
    found = [one for one in last_activations(source, run) if one.kind == "softmax"]
    if len({id(one.node) for one in found}) != 1:
        raise RefusedError(f"no single softmax at the output found in {source.shown}")
    node = found[0].node
    new = _sigmoid(source, node)
    before = found[0].code
    return Edited(new, f"{before} -> {_shown(source, new)} at {source.place(next(iter(new)))}")


def _sigmoid(source: Source, node: cst.CSTNode) -> dict[cst.CSTNode, New]:
    if isinstance(node, cst.Call) and last_name(node.func) == "Sequential":
        last = node.args[-1].value
        _refuse_several(source, node)
        assert isinstance(last, cst.Call)
        return {last: expression(f"{beside(source, last, 'Sigmoid')}()")}
    found = called(source, node)
    if found is None or not isinstance(found.without, cst.BaseExpression):
        raise RefusedError(f"the softmax cannot be replaced at {source.place(node)}")
    function = imported(source, "torch.sigmoid", "torch")
    return {node: expression(f"{function}({source.code(found.without)})")}


def _refuse_several(source: Source, sequence: cst.Call) -> None:
    """The layer before the softmax tells how many outputs there are."""
    layers = calls_of(source, {"Linear"}, sequence)
    width = argument(layers[-1], ("out_features",), 1) if layers else None
    if width is None or number_of(width.value) != 1:
        raise RefusedError(f"the width of the softmax is unclear at {source.place(sequence)}")


def _of_keras(source: Source) -> Edited:
    last = output_layer(source)
    units = argument(last, ("units",), 0) if last is not None else None
    given = argument(last, ("activation",), 1) if last is not None else None
    one = units is not None and number_of(units.value) == 1
    if last is None or given is None or not one or text_of(given.value) != "softmax":
        raise RefusedError(f"no softmax over one unit at the last layer in {source.shown}")
    code = source.code(given.value)
    return exchanged(source, given, code.replace("softmax", "sigmoid"), "activation")


def _shown(source: Source, parts: dict[cst.CSTNode, New]) -> str:
    new = next(iter(parts.values()))
    assert isinstance(new, cst.CSTNode)
    return source.module.code_for_node(new)


CHANGE = Change(
    name="output.sigmoid",
    label="add sigmoid",
    says="replace a softmax over one unit by a sigmoid",
    torch=_torch,
    keras=as_in_torch,
    edit=_edit,
    edited_file=(MODEL_PLACE, LOSS_PLACE, SCRIPT),
)
