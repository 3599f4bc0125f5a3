"""Where the loss became NaN or infinite: the first place in the forward pass, read from the graph alone."""

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor
from torch.autograd.graph import Node

from traindx.recorder.graph.census import is_finite
from traindx.recorder.graph.evidence import Evidence, gather
from traindx.recorder.graph.kinds import FILTERS, Readiness, hides_constant, keeps_finite, readiness
from traindx.recorder.graph.nodes import is_leaf, nodes_behind, operation_of
from traindx.recorder.graph.origin import Origin
from traindx.recorder.graph.recomputing import recompute
from traindx.recorder.graph.saved import is_readable
from traindx.recorder.graph.sentences import describe
from traindx.recorder.graph.suspect import Suspect, first, likeliest


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
        found = suspects.get(loss.grad_fn)
        return None if found is None else describe(found, evidence, parameters)


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
