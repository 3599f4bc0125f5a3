"""Gradients on one batch: what reaches each parameter, and what is wrong with it.

exam = traindx.exams.gradients(model, (inputs, targets), nn.functional.cross_entropy)
if exam.errors:
    print(*exam.errors, sep="\\n")
"""

from collections.abc import Sequence

from torch import nn
from torch.utils.data import DataLoader

from traindx.curves.inside import is_matrix
from traindx.exams.gradient_rows import rows_from
from traindx.exams.judging import Question, asked, joined, nonfinite_in
from traindx.exams.kinds import unwrapped
from traindx.exams.modes import in_training_mode
from traindx.exams.objective import Loss
from traindx.exams.presenting import presented
from traindx.exams.sitting import Sitting
from traindx.exams.untouched import untouched
from traindx.finding import Finding, Severity
from traindx.gradient_exam import GradientExam, GradientRow, fitted_decay
from traindx.probe import Parameters, Update
from traindx.probes.activations import Activations
from traindx.probes.equal_units import EqualUnits
from traindx.probes.functional_activations import FunctionalActivations
from traindx.probes.gradients import Gradients
from traindx.probes.inputs import Inputs
from traindx.probes.loss_function import LossFunctionFacts
from traindx.probes.weights import Weights
from traindx.problem import Problem, worst_first
from traindx.run import Run
from traindx.signs.activations_fade_over_depth import activations_fade_over_depth
from traindx.signs.activations_swell_over_depth import activations_swell_over_depth
from traindx.signs.gradient_fades_over_depth import gradient_fades_over_depth
from traindx.signs.gradient_never_arrives import gradient_never_arrives
from traindx.signs.gradient_starts_huge import gradient_starts_huge
from traindx.signs.gradient_swells_over_depth import gradient_swells_over_depth
from traindx.signs.held_as_drawn import held_as_drawn
from traindx.signs.weights_start_equal import weights_start_equal
from traindx.signs.weights_start_far_off import weights_start_far_off
from traindx.signs.weights_start_tiny import weights_start_tiny
from traindx.wording import count, listed

def _huge(run: Run, finding: Finding) -> str:
    return finding.says.removeprefix("at step 1 ")


def _weights(run: Run, finding: Finding) -> str:
    return finding.says.replace("begins with", "has")


_WHYS = (Question(weights_start_equal, "bad-initialization"),)
_HOWS = (
    Question(gradient_fades_over_depth, "vanishing-gradients"),
    Question(activations_fade_over_depth, "vanishing-gradients"),
    Question(gradient_swells_over_depth, "exploding-gradients"),
    Question(gradient_starts_huge, "exploding-gradients", grows=True, says=_huge),
    Question(activations_swell_over_depth, "exploding-gradients"),
)
_SCALES = (
    Question(weights_start_tiny, "bad-initialization", says=_weights),
    Question(weights_start_far_off, "bad-initialization", says=_weights),
)
"""Asked where gradients are ill: weights that have learned may have any size."""
_STRUCTURE = (
    Question(gradient_never_arrives, "detached-graph"),
    Question(held_as_drawn, "frozen-parameters"),
)
_NAMED = 3
_STEP = 1e-3
"""How far units with equal weights are moved apart to see whether their gradients do that: any step would."""


def gradients(model: nn.Module, batch: object, loss: Loss | str | None = None) -> GradientExam:
    """Examine the gradients of one batch; the model, its gradients and chance stay as they were.

    `batch` is a tensor, (inputs, targets), a dictionary or a data loader, of which the first batch is taken.
    `loss` is a function of output and targets, or its name; without one it is guessed, and that is said.
    """
    model = unwrapped(model)
    equal_units = EqualUnits()
    probes = (
        Inputs(),
        Activations(),
        FunctionalActivations(),
        LossFunctionFacts(),
        Gradients(),
        Weights(),
        equal_units,
    )
    with untouched(model):
        sitting = Sitting(model, probes)
        sitting.notes += in_training_mode(model)
        first = next(iter(batch)) if isinstance(batch, DataLoader) else batch
        given = presented(first, model).to(next(model.parameters()).device)
        found = sitting.loss(sitting.forward(given), given, loss)
        sitting.backward(found.value)
        _step_apart(sitting, equal_units)
        run = sitting.run("gradients", with_gradients=True)
        rows = rows_from(run, dict(zip(sitting.parameters.names, sitting.parameters.values, strict=True)))
        value = float(found.value.detach())
        zeros = _starting_at_zero(sitting)
    problems, notes = _judged(run, rows, zeros)
    return GradientExam(
        model=str(sitting.kinds.get("", type(model).__name__)),
        run=run,
        rows=rows,
        problems=worst_first(problems),
        decay=fitted_decay(rows),
        loss=value,
        loss_function=found.function,
        notes=(*sitting.notes, *notes),
    )


def gradients_recorded(run: Run) -> GradientExam:
    """The same of a recorded training, as it was at the last look."""
    rows = rows_from(run)
    problems, notes = _judged(run, rows, ())
    return GradientExam(run.name, run, rows, worst_first(problems), fitted_decay(rows), notes=tuple(notes))


def _step_apart(sitting: Sitting, probe: EqualUnits) -> None:
    """Let the probe see equal units after a step: those that stay equal have equal gradients and never part."""
    moved = {
        one.name: one.value.detach() - _STEP * one.value.grad
        for one in sitting.parameters
        if one.value.grad is not None and one.value.dim() > 1 and not one.value.grad.is_sparse
    }
    sitting.record.step = 2
    probe.update_begins(sitting.record, Update(None, Parameters(list(moved), list(moved.values())), 0))
    sitting.record.step = 1


def _starting_at_zero(sitting: Sitting) -> list[str]:
    """What multiplies and is all zeros: the last layers of residual branches begin so, and adapters."""
    return [
        one.name
        for one in sitting.parameters
        if one.value.requires_grad and "bias" not in one.name.rpartition(".")[2] and not one.value.any()
    ]


def _judged(
    run: Run, rows: Sequence[GradientRow], zeros: Sequence[str]
) -> tuple[list[Problem], list[str]]:
    problems = nonfinite_in(run)
    if not problems:
        # Sizes say nothing once some are not finite; what is cut off or frozen is still to be seen.
        hows = asked(run, _HOWS)
        problems = [*asked(run, _WHYS), *(asked(run, _SCALES) if hows else []), *hows]
    problems = joined([*problems, *asked(run, _STRUCTURE)])
    notes = []
    frozen = [row.layer.name for row in rows if row.state == "frozen"]
    if frozen and len(frozen) == len(rows):
        says = f"all {count(len(frozen), 'parameter')} are frozen (requires_grad is off): nothing can learn"
        problems = [Problem("frozen-parameters", Severity.CRITICAL, says, tuple(frozen))]
    elif frozen:
        notes.append(f"{count(len(frozen), 'parameter')} frozen: {listed(frozen, _NAMED)}")
    return problems + _zero(rows, zeros, notes), notes


def _zero(rows: Sequence[GradientRow], zeros: Sequence[str], notes: list[str]) -> list[Problem]:
    """Weight matrices that the loss reaches with nothing: rounding, comparing, or a layer that is silent."""
    matrices = [row for row in rows if is_matrix(row.layer) and row.layer.trainable]
    nothing = [row.layer.name for row in matrices if row.state == "zero"]
    if not nothing:
        return []
    told = f"{listed(nothing, _NAMED)}: the gradient is exactly zero, though the loss reaches them"
    if zeros:
        notes.append(f"{told}; it passes {listed(list(zeros), _NAMED)}, which begins at zero and learns first")
        return []
    severity = Severity.SERIOUS if 2 * len(nothing) >= len(matrices) else Severity.WARNING
    return [Problem("detached-graph", severity, told, tuple(nothing))]
