"""Where the loss became NaN or infinite: the first place in the forward pass, from the graph alone."""

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor
from torch.autograd.graph import Node

from traindx.recorder.graph.evidence import Evidence, count_bad, gather, is_finite
from traindx.recorder.graph.limits import limit_broken
from traindx.recorder.graph.nodes import Saved, is_leaf, is_readable, nodes_behind, operation_of
from traindx.recorder.graph.operations import (
    FILTERS,
    Readiness,
    hides_constant,
    is_loss,
    keeps_finite,
    readiness,
)
from traindx.recorder.graph.origin import (
    Direction,
    Origin,
    Place,
    Source,
    Suspect,
    first,
    layer_of,
    layers_used,
    likeliest,
    place_of,
)
from traindx.recorder.graph.recompute import recompute

OVERFLOWING = frozenset(
    "mm bmm addmm baddbmm mv dot conv exp exp2 expm1 mul add sub sum mean square pow cumsum prod".split()
)
"""Operations that, given finite values within their bounds, fail only for want of range."""

BRINGING_IN = {
    "add": "added",
    "sub": "subtracted",
    "baddbmm": "added",
    "where": "filled in",
    "masked_fill": "filled in",
    "lerp": "interpolated",
    "setitem": "assigned",
    "index_put": "assigned",
}
"""What operations do with a constant that they do not keep."""


def describe(suspect: Suspect, evidence: Evidence, parameters: Mapping[int, str]) -> Origin:
    """The origin with its layer and its sentence."""
    if is_leaf(suspect.node):
        return _leaf(suspect, parameters)
    if suspect.constant is not None:
        return _constant(suspect.node, suspect.constant, parameters)
    return _operation(suspect, evidence, parameters)


def _leaf(suspect: Suspect, parameters: Mapping[int, str]) -> Origin:
    variable, operation = suspect.node.variable, operation_of(suspect.user)
    name = parameters.get(id(variable))
    if name is not None:
        return _parameter(operation, name, variable)
    location = place_of(suspect.user, parameters)
    says = f"{_input(operation, location)} has {_counts_and_row(variable)}"
    return _origin(operation, location, Source.INPUT, says)


def _parameter(operation: str, name: str, value: Tensor) -> Origin:
    location = Place(layer_of(name), inside=True)
    return _origin(operation, location, Source.PARAMETER, f"`{name}` has {_counts_and_row(value)}")


def _constant(node: Node, constant: Saved, parameters: Mapping[int, str]) -> Origin:
    operation, location, value = operation_of(node), place_of(node, parameters), constant.value
    # A frozen weight is no leaf of the graph; its transpose is kept as a view of it.
    frozen = parameters.get(id(value)) or parameters.get(id(value._base))
    if frozen is not None:
        return _parameter(operation, frozen, value)
    if constant.name == "attn_mask" and not value.isnan().any():
        says = f"{operation}{location.says} has fully masked rows"
        return _origin(operation, location, Source.OPERATION, says)
    if constant.name.startswith("running_"):
        what = "mean" if constant.name == "running_mean" else "variance"
        owner = f"layer `{location.layer}`" if location.layer else operation
        says = f"the running {what} of {owner} has {_counts(value)}"
        return _origin(operation, location, Source.PARAMETER, says)
    if location.inside:
        location = replace(location, layer=(*layers_used(node, parameters), location.layer)[0])
    is_target = constant.name == "target"
    what = f"the target of {operation}{location.says}" if is_target else _input(operation, location)
    source = Source.TARGET if is_target else Source.INPUT
    return _origin(operation, location, source, f"{what} has {_counts_and_row(value)}")


def _operation(suspect: Suspect, evidence: Evidence, parameters: Mapping[int, str]) -> Origin:
    node, operation = suspect.node, operation_of(suspect.node)
    location = place_of(node, parameters)
    value = evidence.values.get((node, 0))
    if value is not None and hides_constant(node):
        says = f"the tensor {BRINGING_IN[operation]}{location.says} has {_counts_and_row(value)}"
        return _origin(operation, location, Source.INPUT, says)
    source = Source.LOSS if is_loss(operation) else Source.OPERATION
    broken = limit_broken(node, evidence)
    if broken is None:
        return _origin(operation, location, source, _outcome(suspect, location, evidence))
    if broken.operand is not None:
        nearer = place_of(broken.operand, parameters)
        location = replace(nearer, inside=False) if nearer.layer else location
    return _origin(operation, location, source, f"{broken.before}{location.says}{broken.after}")


def _outcome(suspect: Suspect, location: Place, evidence: Evidence) -> str:
    """What came out, for an operation that breaks no known bound."""
    node, operation = suspect.node, operation_of(suspect.node)
    statistic, value = evidence.statistics.get(node), evidence.values.get((node, 0))
    if statistic is not None:
        return f"the mean or variance of {operation}{location.says} has {_counts(statistic.value)}"
    if value is None or evidence.is_finite((node, 0)):
        how = "first appears in" if suspect.sure else "may come from several operations, most likely from"
        return f"NaN or infinity {how} {operation}{location.says}"
    if not suspect.sure:
        return f"NaN or infinity is first seen in {operation}{location.says}: {_counts(value)}"
    number_format = str(value.dtype).removeprefix("torch.")
    if operation == "to":
        return f"the cast to {number_format}{location.says} overflows: the result has {_counts(value)}"
    if operation in OVERFLOWING:
        return f"{operation} overflows {number_format}{location.says}: the result has {_counts(value)}"
    return f"{operation}{location.says} returns {_counts(value)} from finite inputs"


def _counts(value: Tensor) -> str:
    return count_bad(value).says


def _counts_and_row(value: Tensor) -> str:
    """For batches, where the row tells which sample to look at."""
    census = count_bad(value)
    scattered = census.first_row is not None and census.nan + census.infinite < census.total
    return f"{census.says}, first in row {census.first_row}" if scattered else census.says


def _input(operation: str, location: Place) -> str:
    return (
        f"the input of layer `{location.layer}`"
        if location.inside
        else f"the input of {operation}{location.says}"
    )


def _origin(operation: str, location: Place, source: Source, says: str) -> Origin:
    return Origin(Direction.FORWARD, operation, location.layer, source, says)


def forward_origin(loss: Tensor, parameters: Mapping[int, str]) -> Origin | None:
    """Where a loss that is not finite got its value; None for a finite one or where the graph is silent.

    To be called before the backward pass, which frees what is read here. `parameters` maps the id of each
    parameter to its name.
    """
    # Subclasses and modes of the program must not see these operations, nor may they be cast.
    with torch.no_grad(), torch._C.DisableTorchFunction(), torch._C._DisableAutocast():
        if loss.grad_fn is None or not is_readable(loss) or is_finite(loss):
            return None
        evidence = gather(loss, nodes_behind(loss.grad_fn))
        suspects: dict[Node, Suspect] = {}
        for node in evidence.suspicious:
            suspect = _suspect(evidence, node, suspects)
            if suspect is not None:
                suspects[node] = suspect
        origin = suspects.get(loss.grad_fn)
        return None if origin is None else describe(origin, evidence, parameters)


def _suspect(evidence: Evidence, node: Node, suspects: Mapping[Node, Suspect]) -> Suspect | None:
    """Who is to blame for what comes out of this node; None where it is finite."""
    own = Suspect(node, node, readiness(node), proven=False)
    if is_leaf(node):
        return replace(own, proven=True) if evidence.state(node) is False else None
    inherited = [
        suspects[operand].used_by(node)
        for operand, number in node.next_functions
        if operand in suspects and evidence.is_finite((operand, number)) is not True
    ]
    proven = [suspect for suspect in inherited if suspect.proven]
    proven += [replace(own, constant=each, proven=True) for each in evidence.constants.get(node, [])]
    settled = None
    if evidence.state(node) is None and (not proven or operation_of(node) in FILTERS):
        settled = _settle(evidence, node, unsuspected=not inherited)
    if settled:
        return replace(own, readiness=Readiness.RARELY) if hides_constant(node) else None
    if proven:
        return first(proven)
    if settled is False:
        return replace(own, proven=True)
    if evidence.state(node) is False or node in evidence.statistics:
        return replace(likeliest([*inherited, own]), proven=True)
    if keeps_finite(node):
        return likeliest(inherited) if inherited else None
    return likeliest([*inherited, own])


def _settle(evidence: Evidence, node: Node, *, unsuspected: bool) -> bool | None:
    """Whether the result, which the graph did not keep, was finite; None where this cannot be told."""
    value = recompute(node, [evidence.values.get(edge) for edge in node.next_functions])
    if value is None:
        return (unsuspected and keeps_finite(node) and node not in evidence.statistics) or None
    if hides_constant(node):
        # Computed with 0 in place of the constant: tells what passes through, not what comes out.
        return is_finite(value)
    evidence.learn((node, 0), value)
    return evidence.state(node)
