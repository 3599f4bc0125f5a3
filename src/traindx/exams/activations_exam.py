"""Activations over several batches: the output of each layer, and which units are dead or saturated.

exam = traindx.exams.activations(model, train_loader)
if exam.errors:
    print(*exam.errors)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.fx import GraphModule

from traindx import quantities as q
from traindx.causes import dead_relu, exploding_gradients, saturated_activations, vanishing_gradients
from traindx.curves.series import by_layer
from traindx.exams.batch import MOST, batches_of, presented, rows_in
from traindx.exams.model_parts import in_training_mode, unwrapped
from traindx.exams.questions import Question, asked, cleared, joined, nonfinite_in, worst_first
from traindx.exams.restore import restored
from traindx.exams.session import ModelSession
from traindx.exams.types import ActivationExam, ActivationRow
from traindx.finding import Finding
from traindx.format import count, listed
from traindx.recorder.probes.activations import Activations, FunctionalActivations
from traindx.recorder.probes.inputs import Inputs
from traindx.recorder.probes.types import Probe, Purpose, Snapshot
from traindx.recorder.probes.units import CAN_REST, DeadUnits
from traindx.recorder.tensors.access import plain, reckoning
from traindx.run import Floats, Quantity, Run
from traindx.signs.activations import (
    activations_fade_over_depth,
    activations_swell_over_depth,
    dead_units_many,
    units_saturate,
)

One = TypeVar("One")


def sorted_as_tree(rows: Sequence[One], name_of: Callable[[One], str]) -> list[One]:
    """Rows sorted by dotted names: what has a number by that, what has none by its first appearance."""
    met: dict[tuple[str, ...], int] = {}
    paths = [tuple(name_of(row).split(".")) for row in rows]
    for path in paths:
        for depth in range(1, len(path) + 1):
            met.setdefault(path[:depth], len(met))

    def key(path: tuple[str, ...]) -> tuple[int, ...]:
        return tuple(
            int(part) if part.isdecimal() else met[path[: depth + 1]] for depth, part in enumerate(path)
        )

    return [rows[index] for index in sorted(range(len(rows)), key=lambda index: key(paths[index]))]


class Extremes(Probe):
    """Keeps the range of each module's finite outputs."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.ranges: dict[str, tuple[float, float]] = {}

    def module_returns(
        self, look: Snapshot, name: str, module: nn.Module, output: Tensor, purpose: Purpose
    ) -> None:
        """Widen the range."""
        readable = plain(output)
        if readable is None:
            return
        with reckoning():
            low, high = (float(bound) for bound in readable.detach().aminmax())
            if low != low:  # one NaN hides the others
                finite = readable[torch.isfinite(readable)]
                low, high = (float(bound) for bound in finite.aminmax()) if finite.numel() else (low, high)
        before = self.ranges.get(name, (low, high))
        self.ranges[name] = (min(before[0], low), max(before[1], high))


def activation_rows(
    run: Run, kinds: Mapping[str, str], ranges: Mapping[str, tuple[float, float]]
) -> tuple[ActivationRow, ...]:
    """A row for every layer and function whose outputs were seen, in the order of the forward pass.

    Shares and sizes are means over the batches; dead units are those of the last one, which knows them all.
    """
    columns: dict[Quantity, dict[tuple[str, str], Floats]] = {}
    """By layer and part."""
    for series in run.series:
        if series.layer and len(series):
            columns.setdefault(series.quantity, {})[series.layer, series.part] = series.values

    rows = []
    for layer, part in columns.get(q.ACTIVATION_MEAN, {}):
        values = {
            quantity: array[layer, part] for quantity, array in columns.items() if (layer, part) in array
        }
        means = {quantity: float(array.mean()) for quantity, array in values.items()}
        dead = values.get(q.DEAD_UNIT_SHARE)
        low, high = (None, None) if part else ranges.get(layer, (None, None))
        rows.append(
            ActivationRow(
                name=layer,
                kind=part or kinds.get(layer.partition(" (call ")[0], ""),
                mean=means[q.ACTIVATION_MEAN],
                std=means.get(q.ACTIVATION_STD, 0.0),
                min=low,
                max=high,
                zero_share=means.get(q.ACTIVATION_ZERO_SHARE),
                dead_share=None if dead is None else float(dead[-1]),
                saturated_share=means.get(q.SATURATED_SHARE),
                nonfinite_share=means.get(q.NONFINITE_SHARE),
            )
        )
    return tuple(rows)


_NAMED = 4


def _beyond(quantity: Quantity, run: Run, finding: Finding) -> tuple[str, ...]:
    """All layers on which the answer would have been the same."""
    limit = finding.evidence[0].limit or 0.0
    layers = [series.layer for series in by_layer(run, quantity) if float(series.values[-1]) >= limit]
    return tuple(dict.fromkeys((*(evidence.layer for evidence in finding.evidence), *layers)))


def _dead(run: Run, finding: Finding) -> str:
    worst = finding.evidence[0]
    says = (
        f"layer `{worst.layer}`: {float(worst.value):.0%} of units are zero for every input"
        f" (limit {worst.limit:.0%})"
    )
    return says + _others(_beyond(q.DEAD_UNIT_SHARE, run, finding))


def _saturated(run: Run, finding: Finding) -> str:
    return finding.says + _others(_beyond(q.SATURATED_SHARE, run, finding))


def _others(layers: tuple[str, ...]) -> str:
    return f"; also {listed(list(layers[1:]), _NAMED)}" if len(layers) > 1 else ""


_DEAD = Question(
    dead_units_many,
    dead_relu.CAUSE.slug,
    says=_dead,
    layers=lambda run, finding: _beyond(q.DEAD_UNIT_SHARE, run, finding),
)
_QUESTIONS = (
    Question(
        units_saturate,
        saturated_activations.CAUSE.slug,
        says=_saturated,
        layers=lambda run, finding: _beyond(q.SATURATED_SHARE, run, finding),
    ),
    Question(activations_swell_over_depth, exploding_gradients.CAUSE.slug),
    Question(activations_fade_over_depth, vanishing_gradients.CAUSE.slug),
)
_RESTING = frozenset(kind.__name__ for kind in CAN_REST)


def _judged(run: Run, resting: Run) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """What is wrong, and what was looked for and is not there."""
    broken = nonfinite_in(run)
    findings = worst_first(broken or joined([*asked(resting, [_DEAD]), *asked(run, _QUESTIONS)]))
    if broken:
        return findings, ()
    return findings, (*cleared(resting, [_DEAD], findings), *cleared(run, _QUESTIONS[:1], findings))


def _resting(run: Run, kinds: Mapping[str, str]) -> Run:
    """The run without zeros of layers that do not rest at zero: a scale of zero is a way to begin."""
    kept = [
        series
        for series in run.series
        if series.quantity != q.ACTIVATION_ZERO_SHARE
        or series.part.startswith("relu")
        or kinds.get(series.layer.partition(" (call ")[0]) in _RESTING
    ]
    return replace(run, series=tuple(kept))


def activations(model: nn.Module, batches: object, *, most: int = MOST) -> ActivationExam:
    """Examine the output of each layer over several batches; model and random state are left unchanged.

    `batches` is a data loader or a list of batches, of which the first `most` are used, or one batch, which
    is split. Targets are not needed; those that come with a batch are ignored.
    """
    model = unwrapped(model)
    extremes = Extremes()
    probes = (Inputs(), Activations(), DeadUnits(), FunctionalActivations(), extremes)
    inputs = 0
    with restored(model), ModelSession(model, probes) as session:
        session.notes += in_training_mode(model)
        device = next(model.parameters()).device
        # An exported program may take no other number of rows than the one it was exported with.
        given_batches = batches_of(batches, most, parts=1 if isinstance(model, GraphModule) else most)
        for batch in given_batches:
            session.end_step(session.forward(presented(batch, model).to(device)))
            inputs += rows_in(batch)
        run = session.run("activations", with_gradients=False)
    rows = activation_rows(run, session.kinds, extremes.ranges)
    resting = _resting(run, session.kinds)
    problems, absent = _judged(run, resting)
    return ActivationExam(
        model=session.name,
        run=run,
        rows=rows,
        problems=problems,
        batches=len(given_batches),
        inputs=inputs,
        notes=(*session.notes, *_too_few(resting, inputs)),
        cleared=absent,
    )


def activations_recorded(run: Run) -> ActivationExam:
    """The same of a recorded training, as it was at the last look."""
    kinds = {layer.name.rpartition(".")[0]: layer.kind for layer in run.model}
    # A recording keeps those layers together that are alike, and not the order of the forward pass.
    rows = tuple(sorted_as_tree(activation_rows(run, kinds, {}), lambda row: row.name))
    looks = max((len(series) for series in run.all(q.ACTIVATION_MEAN)), default=0)
    problems, absent = _judged(run, _resting(run, kinds))
    return ActivationExam(
        model=run.name, run=run, rows=rows, problems=problems, batches=looks, cleared=absent
    )


def _too_few(run: Run, inputs: int) -> list[str]:
    """What stands against calling units dead, where any gave zeros."""
    if q.DEAD_UNIT_SHARE in run or q.ACTIVATION_ZERO_SHARE not in run:
        return []
    return [
        f"{count(inputs, 'input')}: not enough to distinguish dead units from rarely active ones;"
        " pass 256 or more"
    ]
