"""Gradients on one batch: what reaches each parameter, and what is wrong with it.

exam = traindx.exams.gradients(model, (inputs, targets), nn.functional.cross_entropy)
if exam.errors:
    print(*exam.errors)
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from torch import nn

from traindx.causes import (
    bad_initialization,
    dead_relu,
    detached_graph,
    exploding_gradients,
    frozen_parameters,
    vanishing_gradients,
)
from traindx.causes.exploding_gradients import gradient_swells_over_depth
from traindx.causes.frozen_parameters import frozen_at_initialization
from traindx.curves.layers import held_back, is_matrix, matrices, size_of, starting_gains
from traindx.exams.model_parts import gradient_rows, unwrapped
from traindx.exams.objective import Loss
from traindx.exams.questions import Question, asked, cleared, joined, nonfinite_in, worst_first
from traindx.exams.restore import restored
from traindx.exams.session import ModelSession
from traindx.exams.types import GradientExam, GradientRow, fitted_decay, is_normalized
from traindx.finding import NON_FINITE, Finding, Severity, problem
from traindx.format import count, listed, number
from traindx.quantities import ACTIVATION_ZERO_SHARE, GRADIENT_NORM, WEIGHT_NORM
from traindx.recorder.probes.activations import Activations, FunctionalActivations
from traindx.recorder.probes.gradients import Gradients
from traindx.recorder.probes.inputs import Inputs
from traindx.recorder.probes.loss_function import LossFunctionFacts
from traindx.recorder.probes.units import EqualUnits
from traindx.recorder.probes.weights import Weights
from traindx.run import Run
from traindx.signs.activations import activations_fade_over_depth, activations_swell_over_depth
from traindx.signs.gradients import gradient_fades_over_depth, gradient_never_arrives, gradient_starts_huge
from traindx.signs.weights import weights_start_equal, weights_start_far_off, weights_start_tiny

_NAMED = 3
_FEW = 0.01
"""Share of all values below which nobody misses what does not learn, such as a token for another task."""
_SMALLEST = 1e-30
"""Stands for weights of zero, whose gradient says nothing of depth."""


@dataclass(frozen=True)
class Judged:
    """Problems, the worst first, and what is worth knowing besides."""

    problems: tuple[Finding, ...]
    notes: tuple[str, ...]
    cleared: tuple[str, ...] = ()
    """Causes that one batch can show, and this one does not."""


def _huge(run: Run, finding: Finding) -> str:
    (gradient,) = finding.evidence
    weights = {matrix.layer.name: matrix.first for matrix in matrices(run, WEIGHT_NORM)}
    ratio = float(gradient.value) / weights[gradient.layer]
    return f"gradient norm of {gradient.layer} is {number(ratio)}x its weight norm"


def _far_off(run: Run, finding: Finding) -> str:
    worst = max(starting_gains(run), key=lambda gain: gain.gain)
    says = f"weight std of {worst.matrix.layer.name} is {worst.gain:.0f}x 1/sqrt(fan_in)"
    return f"{says} (median layer {_typical_gain(run):.1f}x; typical: 0.6x to 1.4x)"


def _tiny(run: Run, finding: Finding) -> str:
    worst = min(starting_gains(run), key=lambda gain: gain.gain)
    says = f"weight std of the median layer is only {_typical_gain(run):.1g}x 1/sqrt(fan_in)"
    return f"{says}, of {worst.matrix.layer.name} {worst.gain:.1g}x (typical: 0.6x to 1.4x)"


def _unreached(run: Run, finding: Finding) -> str:
    held = held_back(run, lambda layer: layer.trainable and layer.optimized and not layer.gradient)
    assert held is not None
    return f"{held.told} get no gradient: they are not connected to the loss"


SYMMETRY = (Question(weights_start_equal, bad_initialization.CAUSE.slug),)
_FADES = Question(gradient_fades_over_depth, vanishing_gradients.CAUSE.slug)
_SWELLS = Question(gradient_swells_over_depth, exploding_gradients.CAUSE.slug)
_SHRINKS = Question(activations_fade_over_depth, vanishing_gradients.CAUSE.slug)
_HOWS = (
    _SHRINKS,
    Question(gradient_starts_huge, exploding_gradients.CAUSE.slug, grows=True, says=_huge),
    Question(activations_swell_over_depth, exploding_gradients.CAUSE.slug),
)
SCALES = (
    Question(weights_start_tiny, bad_initialization.CAUSE.slug, says=_tiny),
    Question(weights_start_far_off, bad_initialization.CAUSE.slug, says=_far_off),
)
"""Asked if gradients vanish or explode, or all weights are absurd: a trained layer may have any size."""
_ABSURD = 30.0
"""Times 1 / sqrt(inputs), of the typical layer: no training brings all layers that far."""
_STRUCTURE = (
    Question(gradient_never_arrives, detached_graph.CAUSE.slug, says=_unreached),
    Question(frozen_at_initialization, frozen_parameters.CAUSE.slug, least=1.0),
)


def judged(run: Run, rows: Sequence[GradientRow], zeros: Sequence[str]) -> Judged:
    """What is wrong with the gradients of one batch; `zeros` are weights that are all zero."""
    problems = nonfinite_in(run)
    if not problems:
        # Sizes say nothing once some are not finite; what is cut off or frozen is still to be seen.
        hows = _hows(run, rows)
        scales = asked(run, SCALES) if hows or _typical_gain(run) >= _ABSURD else []
        problems = [*asked(run, SYMMETRY), *scales, *hows]
    notes: list[str] = []
    problems = joined([*problems, *_structure(run, rows, notes)])
    frozen = [row.layer.name for row in rows if row.state == "frozen"]
    if frozen and len(frozen) == len(rows):
        says = f"all {count(len(frozen), 'parameter')} are frozen (requires_grad=False), so nothing can train"
        problems = [problem(frozen_parameters.CAUSE.slug, Severity.CRITICAL, says, tuple(frozen))]
    elif frozen:
        notes.append(f"{count(len(frozen), 'parameter')} frozen: {listed(frozen, _NAMED)}")
    findings = worst_first(joined([*problems, *_zero(run, rows, zeros, notes, problems)]))
    # What explodes does so later as well, and what is frozen may be meant to be.
    cleared_causes = cleared(run, [_FADES, *_STRUCTURE[:1]], findings)
    return Judged(
        findings,
        tuple(notes),
        () if any(finding.cause == NON_FINITE for finding in findings) else cleared_causes,
    )


def _typical_gain(run: Run) -> float:
    gains = [gain.gain for gain in starting_gains(run)]
    return float(np.median(gains)) if gains else 0.0


def _structure(run: Run, rows: Sequence[GradientRow], notes: list[str]) -> list[Finding]:
    """What is cut off or frozen; a token that this task has no use for is worth a note."""
    findings = asked(run, _STRUCTURE)
    unreached = [row.layer for row in rows if row.state == "no gradient"]
    total = sum(size_of(row.layer) for row in rows)
    if unreached and sum(map(size_of, unreached)) < _FEW * total and len(unreached) < len(rows):
        names = listed([layer.name for layer in unreached], _NAMED)
        notes.append(
            f"{count(len(unreached), 'parameter')} without a gradient, under 1% of all values: {names}"
        )
        findings = [finding for finding in findings if finding.cause != detached_graph.CAUSE.slug]
    return findings


def _hows(run: Run, rows: Sequence[GradientRow]) -> list[Finding]:
    """How gradients change over depth, asked of what can be compared.

    The first and last layers alone may differ for reasons of their own, as queries and keys do from a head:
    what is fitted over all of them has to say the same.
    """
    decay = fitted_decay(rows)
    decades = decay.decades if decay is not None else 0.0
    over_depth = [
        question for question, way in ((_FADES, 1), (_SWELLS, -1)) if way * decades >= _limit(question)
    ]
    scoring = {row.layer.name for row in rows if row.is_scoring}
    sized = _without(run, {row.layer.name for row in rows if row.is_normalized} | scoring)
    along = _without(_inverted(run), scoring) if is_normalized(rows) else sized
    return [*asked(along, over_depth), *asked(sized, _HOWS)]


def _without(run: Run, layers: Collection[str]) -> Run:
    """The run without the gradients of some layers."""
    kept = [series for series in run.series if series.quantity != GRADIENT_NORM or series.layer not in layers]
    return replace(run, series=tuple(kept))


def _inverted(run: Run) -> Run:
    """The run with the inverse norms of weights: what is divided by them is multiplied with the weights."""
    series = [
        replace(curve, values=1 / np.maximum(curve.values, _SMALLEST))
        if curve.quantity == WEIGHT_NORM
        else curve
        for curve in run.series
    ]
    return replace(run, series=tuple(series))


def _limit(question: Question) -> float:
    return next(limit.value for limit in question.sign.limits if limit.name == "decades")


def _zero(
    run: Run, rows: Sequence[GradientRow], zeros: Sequence[str], notes: list[str], known: Sequence[Finding]
) -> list[Finding]:
    """Weight matrices that the loss reaches with nothing: rounding, comparing, or a layer that is silent."""
    matrices = [row for row in rows if is_matrix(row.layer) and row.layer.trainable]
    zero = [row for row in matrices if row.state == "zero"]
    nothing = [row.layer.name for row in zero]
    if not nothing:
        return []
    said = f"gradient of {listed(nothing, _NAMED)} is exactly zero, although the loss depends on it"
    if matrices[: len(zero)] != zero and 2 * len(zero) < len(matrices):
        # Not what lies before a cut: an odd corner, such as attention to a single key.
        notes.append(said)
        return []
    if zeros:
        notes.append(
            f"{said}; it flows through {listed(list(zeros), _NAMED)}, which starts at zero and trains first"
        )
        return []
    severity = Severity.SERIOUS if 2 * len(nothing) >= len(matrices) else Severity.WARNING
    silent = [
        series.layer
        for series in run.all(ACTIVATION_ZERO_SHARE)
        if series.layer and (series.values == 1).all()
    ]
    if silent:
        says = f"all outputs of {listed(silent, _NAMED)} are zero, which blocks the gradient: {said}"
        return [problem(dead_relu.CAUSE.slug, severity, says, tuple(silent))]
    # Gradients that shrink from layer to layer end at zero where their numbers do.
    if asked(run, [_SHRINKS]) or any(finding.cause == vanishing_gradients.CAUSE.slug for finding in known):
        says = f"the gradient underflows to zero: {said}"
        return [problem(vanishing_gradients.CAUSE.slug, severity, says, tuple(nothing))]
    return [problem(detached_graph.CAUSE.slug, severity, said, tuple(nothing))]


def gradients(model: nn.Module, batch: object, loss: Loss | str | None = None) -> GradientExam:
    """Examine the gradients of one batch; model, gradients and random state are left unchanged.

    `batch` is a tensor, (inputs, targets), a dictionary or a data loader, whose first batch is used.
    `loss` is a function of output and targets, or its name; without one it is guessed, and a note says so.
    """
    model = unwrapped(model)
    probes = (
        Inputs(),
        Activations(),
        FunctionalActivations(),
        LossFunctionFacts(),
        Gradients(),
        Weights(),
        EqualUnits(),
    )
    with restored(model), ModelSession(model, probes) as session:
        presented = session.present(batch)
        aim = session.loss(session.forward(presented), presented, loss)
        session.backward(aim.value)
        session.look_again(presented, loss)
        run = session.run("gradients", with_gradients=True)
        values = {parameter.name: parameter.value for parameter in session.parameters.held}
        rows = gradient_rows(run, values, session.normalized, session.scoring)
        value = float(aim.value.detach())
        zeros = session.parameters.starting_at_zero
    verdict = judged(run, rows, zeros)
    return GradientExam(
        model=session.name,
        run=run,
        rows=rows,
        problems=verdict.problems,
        decay=fitted_decay(rows),
        loss=value,
        loss_function=aim.function,
        notes=(*session.notes, *verdict.notes),
        cleared=verdict.cleared,
    )


def gradients_recorded(run: Run) -> GradientExam:
    """The same of a recorded training, as it was at the last look."""
    rows = gradient_rows(run)
    verdict = judged(run, rows, ())
    return GradientExam(
        model=run.name,
        run=run,
        rows=rows,
        problems=verdict.problems,
        decay=fitted_decay(rows),
        notes=verdict.notes,
        cleared=verdict.cleared,
    )
